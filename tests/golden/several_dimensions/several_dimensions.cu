// Three dimensions and more, and one too many.

__global__ void boxes(const int *in, float *out) {
  float cube[2][3][4] = {{{1}}};
  char deep[2][2][2][2][3], flags[2][2][2] = {};
  short six[2][1][2][1][2][2];
  float sum = 0;
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    cube[k & 1][k % 3][i & 3] += k;
    deep[k & 1][i & 1][(k + i) & 1][0][k % 3] = i;
    flags[k & 1][i & 1][flags[0][i & 1][k & 1] & 1] ^= 1;
    six[k & 1][0][i & 1][0][1][k & 1] = i;
  }
  int k = in[0];
  for (int i = 0; i < 50; ++i)
    sum += cube[in[i] & 1][k % 3][i & 3] + deep[in[i] & 1][1][k & 1][0][2];
  out[threadIdx.x] = sum + flags[k & 1][0][1] + six[0][0][k & 1][0][1][0];
}

void launch(const int *in, float *out) { boxes<<<1, 64>>>(in, out); }
