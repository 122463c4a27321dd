// Initialisers become statements that run where the declaration stood.

__global__ void start(const int *in, int *out) {
  int t = threadIdx.x;
  int zeros[4] = {};
  int some[6] = {1, 2, t}; // the rest is zero
  int counted[] = {3, 1, 4, 1, 5};
  int rows[2][3] = {{1, t, 2}, {3, 4}};
  int nested[4] = {some[in[t] % 6], counted[some[in[t] % 6] % 5], 7};
  unsigned char small[8]{1, 2, 3};
  int several[3] = {
      t,     // first
      t + 1, // second
  };
  for (int i = 0; i < 60; ++i) {
    int k = in[i + t];
    zeros[k & 3] += i;
    some[k % 6] += zeros[i & 3];
    counted[k % 5] ^= some[i % 6];
    rows[k & 1][k % 3] += counted[i % 5];
    nested[k & 3] += rows[i & 1][i % 3];
    small[k & 7] += nested[i & 3];
    several[k % 3] += small[i & 7];
  }
  out[t] = several[in[t] % 3];
}

void launch(const int *in, int *out) { start<<<1, 32>>>(in, out); }
