// A byte order mark, and bytes that are no UTF-8: café.
__global__ void mark(const int *in, int *out) {
  int last[8] = {0}; // déjà
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

void launch(const int *in, int *out) { mark<<<1, 128>>>(in, out); }
