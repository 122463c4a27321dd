// The block is not known, so launches bring the storage, and see to this too.
template <int Size> __global__ void counted(const int *in, int *out) {
  int votes[Size] = {0};
  for (int i = 0; i < 50; ++i)
    ++votes[in[i + threadIdx.x] % Size];
  out[threadIdx.x] = votes[in[0] % Size];
}

// Static storage; a decision asks for the rule, and for a number.
__global__ void recent(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

__global__ void half(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

// Nothing is decided.
__global__ void plain(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

// A macro launches it, so it has a version, and that its carveout.
__global__ void inMacro(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

#define START(kernel) kernel<<<8, 64>>>(in, out)

int blocks();

void launch(int n, const int *in, int *out, cudaStream_t stream) {
  counted<3><<<n / 2, n>>>(in, out);
  counted<4><<<blocks(), n>>>(in, out);
  counted<4><<<n, n, 0, stream>>>(in, out);
  recent<<<dim3(n, 2), 128>>>(in, out);
  half<<<n, 128, 16>>>(in, out);
  plain<<<n, 128>>>(in, out);
  START(inMacro);
}
