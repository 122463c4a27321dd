// Uses and declarations that cannot be rewritten safely, one each.

struct Pair {
  int values[8];
};
typedef int Eight[8];
__device__ void fill(int *values);
#define SECOND (second[k & 7])
#define DECLARE(NAME) int NAME[8]

__device__ int helper(const int *in) {
  int inside[8] = {0};
  for (int i = 0; i < 50; ++i)
    inside[in[i] & 7] += inside[in[i + 1] & 7];
  return inside[in[0] & 7];
}

template <int N> __global__ void templated(const int *in, int *out) {
  int sized[N] = {0};
  for (int i = 0; i < 50; ++i)
    sized[in[i + threadIdx.x] % N] += i;
  out[threadIdx.x] = sized[in[0] % N];
}

__global__ void refuse(const int *in, int *out) {
  int passed[8], pointed[8], escapes[8], ranged[8], measured[8], second[8];
  int rows[2][8], deep[2][2][2];
  volatile int qualified[8];
  alignas(32) int aligned[8];
  Eight alias;
  DECLARE(declared);
  Pair object;
  int skipped[8];
  int bound[8];
  int captured[8];
  int sum = helper(in);
  fill(passed);
  int *pointer = pointed;
  int *element = &escapes[in[3] & 7];
  int(&reference)[8] = bound;
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    pointer[k & 7] = i;
    element[k & 1] = i;
    ranged[k & 7] = i;
    measured[k & 7] = sizeof(measured);
    second[i & 7] = k;
    sum += SECOND;
    int *row = rows[k & 1];
    row[k & 7] = i;
    deep[k & 1][i & 1][(k + i) & 1] = i;
    qualified[k & 7] = i;
    aligned[k & 7] = i;
    alias[k & 7] = i;
    declared[k & 7] = i;
    object.values[k & 7] = i;
    skipped[k & 7] = i;
    reference[k & 7] = i;
    captured[k & 7] = i;
#ifdef DEBUG
    skipped[0] = -1;
#endif
  }
  for (int v : ranged)
    sum += v;
  auto add = [&](int i) { sum += captured[i]; };
  add(in[2] & 7);
  int k = in[1];
  out[threadIdx.x] = sum + passed[k & 7] + pointed[k & 7] + escapes[k & 7] +
                     measured[k & 7] + rows[0][k & 7] + deep[0][1][k & 1] +
                     qualified[k & 7] + aligned[k & 7] + alias[k & 7] +
                     declared[k & 7] + object.values[k & 7] + skipped[k & 7] +
                     bound[k & 7];
}

void launch(const int *in, int *out) {
  refuse<<<1, 128>>>(in, out);
  templated<4><<<1, 128>>>(in, out);
  templated<6><<<1, 128>>>(in, out);
}
