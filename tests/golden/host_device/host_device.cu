// Functions for the host as well keep their declarations there.

__host__ __device__ int middle(const int *in, int at) {
  int sorted[8];
  for (int i = 0; i < 8; ++i)
    sorted[(in[at + i] + i) & 7] = in[at + i];
  return sorted[in[at] & 7];
}

template <class T> __host__ __device__ T smooth(const T *in, int at) {
  T window[5] = {}, sum = 0, *end = window + 5; // Three in a row.
  for (int i = 0; i < 50; ++i)
    window[int(in[at + i]) % 5] += in[at + i];
  for (T *w = window; w != end; ++w)
    sum += *w;
  return sum;
}

__host__ __device__ inline int onOneLine(const int *in, int at) {
  int last[4] = {0}; for (int i = 0; i < 50; ++i) last[in[at + i] & 3] += i;
  return last[in[at] & 3];
}

__host__ __device__ inline int walked(const int *in, int at) {
  int path[8];
  // Not next to it.
  int sum = in[at];
  for (int *p = path; p != path + 8; ++p)
    *p = sum++;
  return path[in[at] & 7];
}

__global__ void kernel(const int *in, const float *values, int *out) {
  out[threadIdx.x] = middle(in, threadIdx.x) + smooth(values, threadIdx.x) +
                     onOneLine(in, threadIdx.x) + walked(in, threadIdx.x);
}

int launch(const int *in, const float *values, int *out) {
  kernel<<<1, 64>>>(in, values, out);
  return middle(in, 0) + onOneLine(in, 0) + walked(in, 0);
}
