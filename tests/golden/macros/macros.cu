// Arrays and kernels that macros declare.
#include <cfloat>

#define BUFFER(type, name, n) type name[n]
#define LEAST(T, NAME, BIG)                                                    \
  __global__ void NAME(const T *in, const int *at, T *out, int n) {            \
    T best[12];                                                                \
    _Pragma("unroll") for (int i = 0; i < 12; ++i) best[i] = BIG;              \
    for (int i = 0; i < n; ++i)                                                \
      if (in[i] < best[at[i]])                                                 \
        best[at[i]] = in[i];                                                   \
    out[threadIdx.x] = best[at[n]];                                            \
  }

LEAST(float, least_float, FLT_MAX)
LEAST(double, least_double,
      DBL_MAX)
#undef LEAST

__global__ void count(const int *in, int *out, int n) {
  BUFFER(int, digits, 16);
  for (int i = 0; i < 16; ++i)
    digits[i] = 0;
  for (int i = 0; i < n; ++i)
    ++digits[in[i] & 15];
  out[threadIdx.x] = digits[in[n] & 15];
}

void run(const float *f, const double *d, const int *at, float *of, double *od,
         int *oi) {
  least_float<<<100, 128>>>(f, at, of, 500);
  least_double<<<100, 128>>>(d, at, od, 500);
  count<<<100, 128>>>(at, oi, 500);
}
