// golden: --embed-helper
//
// The helper's text stands in the file itself.

__global__ void embed(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

void launch(const int *in, int *out) { embed<<<1, 128>>>(in, out); }
