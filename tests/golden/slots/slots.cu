// Uses that need an array as one piece of memory, and declarations in the shapes
// that slots have.

typedef int Eight[8];
__device__ void fill(int *values);

__global__ void uses(const int *in, int *out) {
  int passed[8], ranged[8] = {0}, sum = 0, *cursor;
  int rows[2][8] = {{1, 2}, {3, 4}};
  int captured[8]; // of the lambda below
  fill(passed);
  auto add = [&](int i) { captured[i & 7] += i; };
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    ranged[k & 7] += i;
    int *row = rows[k & 1];
    row[k & 7] = i;
    add(k);
  }
  cursor = &sum;
  for (int v : ranged)
    *cursor += v;
  int k = in[1];
  out[threadIdx.x] = sum + passed[k & 7] + rows[1][k & 7] + captured[k & 7];
}

__global__ void __launch_bounds__(128) shapes(const int *in, int *out) {
  const int *sources[4] = {in, in + 1, in + 2, in + 3};
  const int *(&all)[4] = sources;
  volatile int kept[8];
  Eight typed;
  int measured[] = {1, 2, 3, in[0]};
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    kept[k & 7] = i;
    typed[k & 7] = i;
    measured[k & 3] += sizeof(measured);
    sum += all[k & 3][i];
  }
  int k = in[1];
  out[threadIdx.x] = sum + kept[k & 7] + typed[k & 7] + measured[k & 3];
}

void launch(const int *in, int *out) {
  uses<<<1, 96>>>(in, out);
  shapes<<<1, 128>>>(in, out);
}
