#include "kernels.cuh"

#define THREADS(n) ((n) + 31) / 32 * 32
#define CHECK(launch) (launch, cudaGetLastError())

void launch(int n, const int *in, int *out, double *numbers) {
  shapes::counted<<<1, n>>>(in, out);
  shapes::recent<int, 5><<<dim3(2), THREADS(n)>>>(in, out);
  shapes::recent<double, 3><<<2, dim3(n, 2), 0>>>(in, numbers);
  CHECK((shapes::recent<int, 5><<<2, n, 16>>>(in, out)));
}
