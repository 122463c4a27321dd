// golden: --block-size=192
// The option serves where launches do not tell.

__global__ void parameter(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void known(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void tooLarge(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

void launch(int n, const int *in, int *out) {
  parameter<<<1, n>>>(in, out);
  known<<<1, 64>>>(in, out);
  tooLarge<<<1, n>>>(in, out);
  tooLarge<<<1, 256>>>(in, out);
}
