// golden: --whole-program --shared-limit=232448 --min-speedup=1.05
// The table costs most of the resident warps, so the version runs in grids that
// do not need these.

__global__ void walk(const float *far, const int *city, float *out, int n) {
  float seen[512];
  for (int i = 0; i < 512; ++i)
    seen[i] = 1;
  float sum = 0;
  int at = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    at = city[at] & 511;
    seen[at] *= 0.5f;
    sum += seen[at] * far[at];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void run(const float *far, const int *city, float *out, int ants) {
  walk<<<ants / 32, 32>>>(far, city, out, ants);
}
