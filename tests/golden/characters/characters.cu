// Small elements get a word each where the budget allows it, and share words
// where it does not.

__global__ void wide(const int *in, int *out) {
  unsigned char counts[16] = {0};
  short levels[2][3] = {{1, 2, 3}};
  for (int i = 0; i < 40; ++i) {
    counts[in[i + threadIdx.x] & 15]++;
    levels[in[i] & 1][in[i + threadIdx.x] % 3] += i;
  }
  out[threadIdx.x] = counts[in[0] & 15] + levels[in[1] & 1][in[2] % 3];
}

__global__ void packed(const int *in, int *out) {
  char marks[100] = {1}, rows[3][5];
  for (int i = 0; i < 40; ++i) {
    marks[in[i + threadIdx.x] % 100] = i;
    rows[in[i] % 3][in[i + threadIdx.x] % 5] = marks[in[i] % 100];
  }
  out[threadIdx.x] = marks[in[0] % 100] + rows[in[1] % 3][in[2] % 5];
}

void launch(const int *in, int *out) {
  wide<<<1, 128>>>(in, out);
  packed<<<1, 256>>>(in, out);
}
