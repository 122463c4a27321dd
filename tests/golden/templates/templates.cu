// What all instantiations share is one text, and must be right for each.

template <class T> __global__ void ofType(const T *in, T *out) {
  T last[8] = {};
  for (int i = 0; i < 50; ++i)
    last[int(in[i + threadIdx.x]) & 7] += in[i];
  out[threadIdx.x] = last[int(in[0]) & 7];
}

template <int Size> __global__ void ofSize(const int *in, int *out) {
  int counts[Size] = {0}, total = 0;
  for (int i = 0; i < 50; ++i)
    total += ++counts[in[i + threadIdx.x] % Size];
  out[threadIdx.x] = counts[in[0] % Size] + total;
}

template <int Threads>
__global__ void __launch_bounds__(Threads) bounded(const int *in, int *out) {
  int order[6];
  for (int i = 0; i < 50; ++i)
    order[in[i + threadIdx.x] % 6] = i;
  out[threadIdx.x] = order[in[0] % 6];
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

// Launched with a block size that nobody can tell, in one instantiation.
template <int Size> __global__ void unknown(const int *in, int *out) {
  int order[Size];
  for (int i = 0; i < 50; ++i)
    order[in[i + threadIdx.x] % Size] = i;
  out[threadIdx.x] = order[in[0] % Size];
}

// Nobody instantiates it.
template <class T> __global__ void unseen(const T *in, T *out) {
  T last[8];
  last[int(in[threadIdx.x]) & 7] = in[0];
  out[threadIdx.x] = last[int(in[1]) & 7];
}

// Nobody asks for the other branch.
template <bool Wide> __global__ void branches(const int *in, int *out) {
  int first[8];
  first[in[threadIdx.x] & 7] = in[0];
  if constexpr (Wide) {
    int second[16];
    second[in[threadIdx.x] & 15] = first[in[1] & 7];
    out[threadIdx.x] = second[in[2] & 15];
  } else {
    out[threadIdx.x] = first[in[1] & 7];
  }
}

void launch(const int *in, int *out, const unsigned char *bytes,
            unsigned char *bytesOut, const double *values, double *valuesOut,
            int threads) {
  ofType<<<1, 128>>>(bytes, bytesOut);
  ofType<<<1, 64>>>(values, valuesOut);
  ofSize<5><<<1, 64>>>(in, out);
  ofSize<9><<<1, 96>>>(in, out);
  bounded<32><<<1, 32>>>(in, out);
  bounded<128><<<1, 128>>>(in, out);
  windows<<<1, 64>>>(in, values, valuesOut);
  unknown<4><<<1, 64>>>(in, out);
  unknown<5><<<1, threads>>>(in, out);
  branches<false><<<1, 64>>>(in, out);
}
