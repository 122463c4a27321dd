// Macros may give extents, and hold uses as their arguments or in their bodies:
// these stay as they are.
#define SIZE 12
#define TWICE(N) (2 * (N))
#define MAX(A, B) ((A) > (B) ? (A) : (B))
#define BUMP(I) bumped[I]++

__global__ void expand(const int *in, int *out) {
  int t = threadIdx.x;
  int sized[SIZE], twice[TWICE(SIZE)];
  int bumped[8] = {0};
  for (int i = 0; i < 40; ++i) {
    int k = in[i + t];
    sized[k % SIZE] = i;
    twice[k % TWICE(SIZE)] = MAX(sized[i % SIZE], k);
    BUMP(k & 7);
  }
  out[t] = MAX(twice[in[t] % 24], bumped[in[t] & 7]);
}

#define THREADS 256
void launch(const int *in, int *out) { expand<<<1, THREADS>>>(in, out); }
