// golden: --unroll
// Loops that only their length keeps rolled get a pragma.
#define STEP(tap) y = y * x + in[(k + i) * 64 + tap] * y;
#define STEPS STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
#define EVERY_STATE for (int i = 0; i < 48; ++i)

__global__ void filter(const float *in, float *out, int n) {
  float state[48];
  for (int i = 0; i < 48; ++i) state[i] = in[i];
  for (int k = 0; k < n; ++k) {
    float x = in[k * 32 + threadIdx.x];
    if (x > 0) for (int i = 0; i < 48; ++i) {
      float y = state[i];
      STEPS
      state[i] = y;
      x += y;
    }
    out[k * 32 + threadIdx.x] = x;
  }
}

// Its author wants one loop rolled, so the array moves.
__global__ void rolled(const float *in, float *out, int n) {
  float state[48];
#pragma unroll 1
  for (int i = 0; i < 48; ++i)
    state[i] = in[i];
  for (int k = 0; k < n; ++k) {
    float x = in[k * 32 + threadIdx.x];
    for (int i = 0; i < 48; ++i) {
      float y = state[i];
      STEPS
      state[i] = y;
      x += y;
    }
    out[k * 32 + threadIdx.x] = x;
  }
}

// A loop in a macro has no place for a pragma.
__global__ void hidden(const float *in, float *out, int n) {
  float state[48];
  EVERY_STATE
    state[i] = in[i];
  for (int k = 0; k < n; ++k) {
    float x = in[k * 32 + threadIdx.x];
    EVERY_STATE {
      float y = state[i];
      STEPS
      state[i] = y;
      x += y;
    }
    out[k * 32 + threadIdx.x] = x;
  }
}

// Both instantiations need it. The pragma stands in their one text.
template <int N>
__global__ void sized(const float *in, float *out, int n) {
  float state[N];
  for (int i = 0; i < N; ++i)
    state[i] = in[i];
  for (int k = 0; k < n; ++k) {
    float x = in[k * 32 + threadIdx.x];
    for (int i = 0; i < N; ++i) {
      float y = state[i];
      STEPS
      state[i] = y;
      x += y;
    }
    out[k * 32 + threadIdx.x] = x;
  }
}

void run(const float *in, float *out, int n) {
  filter<<<10, 64>>>(in, out, n);
  rolled<<<10, 64>>>(in, out, n);
  hidden<<<10, 64>>>(in, out, n);
  sized<40><<<10, 64>>>(in, out, n);
  sized<48><<<10, 64>>>(in, out, n);
}
