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

// Beside an array that moves.
__global__ void both(const int *in, int *out) {
  int steps[4] = {1, 2, 4, 8}, counts[4] = {0};
  for (int i = 0; i < 50; ++i)
    counts[in[i + threadIdx.x] & 3] += steps[in[i] & 3];
  out[threadIdx.x] = counts[in[0] & 3];
}

__device__ __host__ int dayOf(int month) {
  const int starts[12] = {0,   31,  59,  90,  120, 151,
                          181, 212, 243, 273, 304, 334};
  return starts[month % 12];
}

__global__ void days(const int *in, int *out) {
  out[threadIdx.x] = dayOf(in[threadIdx.x]);
}

// Values that only the run knows, and a string that is written.
__global__ void named(const int *in, int *out, int n) {
  const int order[4] = {n, n + 1, n + 2, n + 3};
  const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  char name[16] = "day", digits[] = "0123456789";
  for (int i = 0; i < 50; ++i)
    name[order[in[i] & 3] & 15] = days[n % 7][i & 3] + digits[in[i] % 10];
  out[threadIdx.x] = name[in[0] & 15];
}

void launch(const int *in, int *out) {
  plain<<<1, 128>>>(in, out);
  both<<<1, 128>>>(in, out);
  days<<<1, 128>>>(in, out);
  named<<<1, 128>>>(in, out, 9);
}
