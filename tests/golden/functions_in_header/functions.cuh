#ifndef FUNCTIONS_CUH
#define FUNCTIONS_CUH

namespace tools {

inline __device__ int middle(const int *in, int at) {
  int sorted[8] = {0};
  for (int i = 0; i < 50; ++i)
    sorted[in[at + i] & 7] += i;
  return sorted[in[at] & 7];
}

template <int Size> __device__ int last(const int *in, int at) {
  short seen[Size];
  for (int i = 0; i < 50; ++i)
    seen[in[at + i] % Size] = i;
  return seen[in[at] % Size];
}

} // namespace tools

#endif
