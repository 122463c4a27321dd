// A compiler that knows nothing of CUDA reads this header as well.
#ifdef __CUDACC__
#define BOTH __host__ __device__
#define DEVICE __device__
#else
#define BOTH
#define DEVICE
#endif

BOTH inline int total(const int *p, int n) {
  int s = 0;
  while (n-- > 0)
    s += *p++;
  return s;
}

BOTH inline int middle(int at) {
  int sorted[8];
  for (int i = 0; i < 8; ++i)
    sorted[(at + i) & 7] = i;
  return sorted[at & 7];
}

DEVICE inline int last(int at) {
  int seen[8] = {};
  for (int i = 0; i < at; ++i)
    seen[(at * i) & 7] += i;
  return seen[at & 7];
}
