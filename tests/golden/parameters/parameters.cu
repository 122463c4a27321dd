// Objects that are passed by value are copied to slots where they are changed
// or indexed: of kernels, of functions, and closures with their arrays.

struct Setup {
  float gain[16];
  int n;
};

__device__ float pick(Setup other, int i, int times = 2);

__global__ void changed(const Setup same, Setup s, const int *in, float *out) {
  for (int i = 0; i < s.n; ++i)
    s.gain[in[i * 64 + threadIdx.x] & 15] += i;
  float sum = pick(s, in[0]) + same.gain[in[1] & 15];
  for (int i = 0; i < 16; ++i)
    sum += s.gain[i] * i;
  out[threadIdx.x] = sum;
}

// Constant memory can be indexed.
__global__ void read(Setup s, const int *in, float *out) {
  out[threadIdx.x] = s.gain[in[threadIdx.x] & 15];
}

__device__ __noinline__ float pick(Setup s, int i, int times) {
  s.gain[i & 15] *= times;
  return s.gain[i / 2 & 15];
}

// Lines for the host stay as they are.
__host__ __device__ __noinline__ float turned(Setup s, int i) {
  float sum = 0;
  for (int k = 0; k < i; ++k)
    sum += s.gain[k * i & 15];
  return sum;
}

template <class F>
__global__ void forEach(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}

__global__ void turn(const Setup *in, float *out) {
  out[threadIdx.x] = turned(in[threadIdx.x], threadIdx.x);
}

void run(const Setup &s, const int *in, float *out, int *totals) {
  changed<<<2, 64>>>(s, s, in, out);
  read<<<2, 64>>>(s, in, out);
  turn<<<2, 64>>>(&s, out);
  int counts[12] = {3, 1, 4, 1, 5};
  forEach<<<2, 64>>>(100, [=] __device__(int i) mutable {
    for (int k = 0; k < 9; ++k)
      counts[in[i * 9 + k] % 12]++;
    totals[i] = counts[i % 12];
  });
}
