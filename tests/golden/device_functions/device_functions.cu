// Arrays of functions that several kernels call, with blocks of several sizes.

__device__ int middle(const int *in, int at) {
  int sorted[8];
  for (int i = 0; i < 8; ++i)
    sorted[(in[at + i] + i) & 7] = in[at + i];
  return sorted[in[at] & 7];
}

// Reached through another function, by one kernel only.
static __device__ float smooth(const float *in, int at) {
  float window[5] = {0.0f}, sum = 0;
  for (int i = 0; i < 50; ++i)
    window[int(in[at + i]) % 5] += in[at + i];
  for (int i = 0; i < 50; ++i)
    sum += window[int(in[i]) % 5];
  return sum;
}

__device__ float smoothTwice(const float *in, int at) {
  return smooth(in, at) + smooth(in, at + 1);
}

__global__ void one(const int *in, int *out) {
  int own[4] = {0};
  for (int i = 0; i < 50; ++i)
    own[in[i + threadIdx.x] & 3] += middle(in, i);
  out[threadIdx.x] = own[in[0] & 3];
}

__global__ void other(const int *in, const float *values, int *out) {
  out[threadIdx.x] = middle(in, threadIdx.x) + smoothTwice(values, threadIdx.x);
}

void launch(const int *in, const float *values, int *out) {
  one<<<1, 64>>>(in, out);
  other<<<1, 192>>>(in, values, out);
}
