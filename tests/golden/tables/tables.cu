// Tables that nobody writes are made once, not per thread.

__device__ int lookUp(const int *table, int at);

__global__ void plain(const int *in, int *out) {
  int weights[5] = {1, 4, 6, 4, 1}, sum = 0;
  const float scales[2][3] = {{0.5f, 1, 2}, {4, 8, 16}};
  constexpr unsigned char order[4] = {2, 0, 3, 1};
  const char *names[3] = {"one", "two", "three"};
  const int passed[4] = {7, 5, 3, 1};
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    sum += weights[k % 5] * scales[k & 1][i % 3] + order[k & 3] +
           names[k % 3][0] + lookUp(passed, k & 3);
  }
  out[threadIdx.x] = sum;
}

// Beside arrays that move.
__global__ void both(const int *in, int *out) {
  int steps[4] = {1, 2, 4, 8}, counts[4] = {0};
  const int order[4] = {in[0], in[1], in[2], in[3]};
  char name[] = "monday 01.01.70", digits[] = "0123456789";
  for (int i = 0; i < 50; ++i)
    counts[order[in[i + threadIdx.x] & 3] & 3] += steps[in[i] & 3];
  name[in[0] & 15] = digits[in[1] % 10];
  out[threadIdx.x] = counts[in[0] & 3] + name[in[2] & 15];
}

__device__ __host__ int dayOf(int month) {
  const int starts[12] = {0,   31,  59,  90,  120, 151,
                          181, 212, 243, 273, 304, 334};
  return starts[month % 12];
}

__global__ void days(const int *in, int *out) {
  out[threadIdx.x] = dayOf(in[threadIdx.x]);
}

void launch(const int *in, int *out) {
  plain<<<1, 128>>>(in, out);
  both<<<1, 128>>>(in, out);
  days<<<1, 128>>>(in, out);
}
// golden: --layout=stripe
