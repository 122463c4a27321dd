// What .bankstripe.yaml says of these arrays is done, as far as it can be.

#define PUT(AT, VALUE) seen[(AT) & 7] = VALUE

__device__ int sum(const int *values, int n) {
  int total = 0;
  for (const int *v = values, *end = values + n; v != end; ++v)
    total += *v;
  return total;
}

__device__ void mix(int *to, const int *from, int i) {
  to[i & 7] += from[i / 2 & 7];
}

// The callees get no overload for arrays that have slots.
__global__ void walk(const int *in, int *out) {
  int order[8] = {0}, seen[8];
  int left[8] = {1, 2, 3}, right[8] = {};
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    order[k & 7] += i;
    PUT(k, i);
    mix(left, right, k);
    right[k & 7]++;
  }
  int *last = order + (in[0] & 7);
  out[threadIdx.x] = sum(order, 8) + *last + seen[in[1] & 7] + sum(right, 8);
}

__global__ void again(const int *in, int *out) {
  {
    char marks[12];
    marks[in[threadIdx.x] % 12] = 1;
    out[threadIdx.x] = marks[in[1] % 12];
  }
  {
    char marks[12];
    marks[in[threadIdx.x] % 12] = 2;
    out[threadIdx.x] += marks[in[1] % 12];
  }
}

void launch(const int *in, int *out, int threads) {
  walk<<<1, 96>>>(in, out);
  again<<<1, threads>>>(in, out);
}
