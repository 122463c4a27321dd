// Arrays that share their statement with others.

__global__ void share(const int *in, int *out) {
  int first[4], sum = 0;
  const int *from = in; // not touched
  int left = 1, *p = out, middle[8] = {0}, right; // in the middle
  float a[4], /* one, two */ b[5], // three
      c[6];
  for (int i = 0; i < 100; ++i) {
    first[from[i] & 3] += i;
    middle[from[i] & 7] -= first[i & 3];
    a[from[i] & 3] = i;
    b[from[i + 1] % 5] = a[i & 3];
    c[from[i + 2] % 6] = b[i % 5];
    sum += middle[from[i + 3] & 7] + int(c[from[i + 4] % 6]);
  }
  right = sum + left;
  p[threadIdx.x] = right;
}

void launch(const int *in, int *out) { share<<<4, 64>>>(in, out); }
