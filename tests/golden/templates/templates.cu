// What all instantiations share is one text, and must be right for each.

template <class T> __global__ void ofType(const T *in, T *out) {
  T last[8] = {};
  for (int i = 0; i < 50; ++i)
    last[int(in[i + threadIdx.x]) & 7] += in[i];
  out[threadIdx.x] = last[int(in[0]) & 7];
}

template <class T, int Size> struct Window {
  __device__ static T largest(const T *in, int at) {
    T *where[Size];
    T values[Size];
    for (int i = 0; i < Size; ++i) {
      int k = int(in[at + i]) % Size;
      values[k] = in[at + i];
      where[(k + i) % Size] = &values[0];
    }
    return *where[int(in[at]) % Size] + values[int(in[at + 1]) % Size];
  }
};

__global__ void windows(const int *in, const double *values, double *out) {
  out[threadIdx.x] = Window<int, 8>::largest(in, threadIdx.x) +
                     Window<double, 4>::largest(values, threadIdx.x);
}

void launch(const int *in, const unsigned char *bytes,
            unsigned char *bytesOut, const double *values, double *valuesOut) {
  ofType<<<1, 128>>>(bytes, bytesOut);
  ofType<<<1, 64>>>(values, valuesOut);
  windows<<<1, 64>>>(in, values, valuesOut);
}
