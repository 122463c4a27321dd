// Pointers that only walk stay with the stripe, through macros and functions.

#define PUT(AT, VALUE) seen[(AT) & 7] = VALUE

__device__ int sum(const int *values, int n) {
  int total = 0;
  for (const int *v = values, *end = values + n; v != end; ++v)
    total += *v;
  return total;
}

template <class T> __device__ void swap(T *values, int i, int j) {
  T t = values[i];
  values[i] = values[j];
  values[j] = t;
}

__global__ void walk(const int *in, int *out) {
  int order[8] = {0}, seen[8];
  char marks[8], *mark = marks;
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    order[k & 7] += i;
    swap(order, k & 7, i & 7);
    PUT(k, i);
    mark[k & 7] = k;
  }
  int *last = order + (in[0] & 7);
  auto *const first = order + (in[2] & 3);
  out[threadIdx.x] = sum(order, 8) + sum(in, 4) + *last + first[1] + seen[in[1] & 7] +
                     marks[in[1] & 7];
}

void launch(const int *in, int *out) { walk<<<1, 96>>>(in, out); }
