// Where block sizes come from, and why some are not known.

constexpr int Threads = 96;

__global__ void literal(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void constant(const int *in, int *out) {
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

__global__ void branches(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void cube(const int *in, int *out) {
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

__global__ void neverLaunched(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void pointedTo(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

__global__ void withDynamic(const int *in, int *out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = in[threadIdx.x];
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

void launch(bool large, int n, const int *in, int *out) {
  literal<<<1, 64>>>(in, out);
  literal<<<1, 192>>>(in, out);
  constant<<<1, Threads>>>(in, out);
  int block = 2 * Threads;
  variable<<<(n + block - 1) / block, block>>>(in, out);
  int either = 32;
  if (large)
    either = 160;
  branches<<<1, either>>>(in, out);
  dim3 shape(8, 4);
  shape.z = 2;
  cube<<<1, shape>>>(in, out);
  parameter<<<1, n>>>(in, out);
  void (*pointer)(const int *, int *) = pointedTo;
  pointer<<<1, 64>>>(in, out);
  withDynamic<<<1, 64, 64 * sizeof(int)>>>(in, out);
  unknownDynamic<<<1, 64, n * sizeof(int)>>>(in, out);
}
