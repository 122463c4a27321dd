#include "kernels.cuh"

#define THREADS(n) ((n) + 31) / 32 * 32
#define START(kernel, n) kernel<<<1, n>>>(in, out)
#define PAIR(kernel, n, arguments) kernel<<<1, n>>> arguments
#define CHECK(launch) (launch, cudaGetLastError())

__global__ void inMacro(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

__global__ void computed(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

__global__ void alsoInMacro(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += in[i];
  out[threadIdx.x] = last[in[threadIdx.x] & 3];
}

int next();

void launch(int n, const int *in, int *out, double *numbers) {
  shapes::counted<<<1, n>>>(in, out);
  shapes::recent<int, 5><<<dim3(2), THREADS(n)>>>(in, out);
  shapes::recent<double, 3><<<2, dim3(n, 2), 0>>>(in, numbers);
  START(inMacro, n);
  PAIR(alsoInMacro, n, (in, out));
  CHECK((shapes::recent<int, 5><<<2, n, 16>>>(in, out)));
  computed<<<1, next()>>>(in, out);
}
