// Arrays of inner scopes start afresh each time the scope is entered.

__global__ void nest(const int *in, int *out) {
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < 8; ++round) {
    int seen[16] = {0};
    for (int i = 0; i < 32; ++i)
      ++seen[in[round * 32 + i + t] & 15];
    if (seen[in[t] & 15] > 2) {
      int stack[10]; int top = 0;
      stack[top++] = round;
      while (top > 0 && sum < 1000) {
        int v = stack[--top];
        sum += seen[v & 15];
        if ((v & 1) && top < 9) { stack[top++] = v / 2; stack[top++] = in[v]; }
      }
    }
    { int last[3] = {round, 1}; last[in[sum & 63] % 3]++; sum += last[in[t] % 3]; }
  }
  out[t] = sum;
}

void launch(const int *in, int *out) { nest<<<1, 96>>>(in, out); }
