// The kernel has its bounds, and their spelling is used.
#ifndef THREADS
#define THREADS 64
#endif

__global__ void __launch_bounds__(THREADS) bound(const int *in, int *out) {
  int last[8];
  for (int i = 0; i < 8; ++i)
    last[i] = i;
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void __launch_bounds__(2 * THREADS, 1)
    otherLine(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

// Nobody needs to know the launches.
void launch(int threads, const int *in, int *out) {
  bound<<<1, threads>>>(in, out);
}
