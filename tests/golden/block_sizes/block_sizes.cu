// Where block sizes come from, and why some are not known.

constexpr int Threads = 96;

__global__ void literal(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void variable(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void parameter(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void unknownDynamic(const int *in, int *out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = in[threadIdx.x];
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

void launch(int n, const int *in, int *out) {
  literal<<<1, 64>>>(in, out);
  literal<<<1, 192>>>(in, out);
  int block = 2 * Threads;
  variable<<<(n + block - 1) / block, block>>>(in, out);
  parameter<<<1, n>>>(in, out);
  unknownDynamic<<<1, 64, n * sizeof(int)>>>(in, out);
}
