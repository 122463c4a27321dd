// golden: --explain
// The lanes of a warp use board in step: its single bytes get a slot. Data
// chooses among counts, which get a stripe; words get one in any case.
__global__ void board(const char *in, int *out, int n) {
  char board[24];
  board[0] = 0;
  int top = 0, found = 0;
  while (top >= 0) {
    if (board[top] == n || top == 23) {
      found += board[top];
      --top;
    } else {
      ++board[top];
      board[++top] = in[threadIdx.x];
    }
  }
  out[threadIdx.x] = found;
}

__global__ void counts(const unsigned char *in, int *out, int n) {
  char counts[16] = {0};
  for (int i = 0; i < n; ++i)
    ++counts[in[i * 128 + threadIdx.x] & 15];
  out[threadIdx.x] = counts[n & 15];
}

__global__ void words(const int *in, int *out, int n) {
  int words[16];
  for (int i = 0; i < n; ++i)
    words[i & 15] = in[i * 128 + threadIdx.x];
  out[threadIdx.x] = words[n & 15];
}

void launch(const void *in, int *out, int n) {
  board<<<n, 128>>>((const char *)in, out, n);
  counts<<<n, 128>>>((const unsigned char *)in, out, n);
  words<<<n, 128>>>((const int *)in, out, n);
}
