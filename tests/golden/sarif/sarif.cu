// What a log for other tools says: what moves and how, and what a person has
// decided.

// Characters of several bytes stand before what is replaced.
__global__ void count(const int *in, int *out) {
  /* größer 😀 */ int counts[8] = {0};
  for (int i = 0; i < 50; ++i)
    /* ü */ counts[in[i] & 7]++;
  out[threadIdx.x] = counts[in[threadIdx.x] & 7];
}

// Two arrays that change together, in two ways.
__global__ void order(const float *in, float *out, int n) {
  float first[16], second[12];
  for (int i = 0; i < n; ++i)
    first[i & 15] = second[n % 12] + in[i];
  float4 *quads = reinterpret_cast<float4 *>(second);
  quads[n % 3].x = first[n & 15];
  out[threadIdx.x] = quads[n & 1].y + second[n % 11];
}

__global__ void decided(int *out, int n) {
  int table[16];
  for (int i = 0; i < n; ++i)
    table[(i * n) & 15] = i;
  out[threadIdx.x] = table[n & 15];
}

void launch(int *data, float *values, int n) {
  count<<<1, 128>>>(data, data);
  order<<<1, 64>>>(values, values, n);
  decided<<<1, 64>>>(data, n);
}
