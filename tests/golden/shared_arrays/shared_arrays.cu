// Shared arrays: which get longer rows, and why others stay.
// golden: --verbose
#define TILE 16

// A warp spans two rows of a block, so one element more leaves conflicts.
__global__ void transpose16(float *out, const float *in, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

// One text for floats and doubles, with several arrays in one declaration.
template <class T, int N> __global__ void product(T *c, const T *a, const T *b, int n) {
  __shared__ T as[N][N], bs[N][N << 0];
  T sum = 0;
  for (int m = 0; m < n; m += N) {
    as[threadIdx.y][threadIdx.x] = a[threadIdx.y * n + m + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + m + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < N; ++k)
      sum += as[threadIdx.y][k] * bs[threadIdx.x][k];
    __syncthreads();
  }
  c[threadIdx.y * n + threadIdx.x] = sum;
}

__global__ void flattened(float *out, const float *in) {
  __shared__ float tile[32][32];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  tile[0][thread] = in[thread];
  __syncthreads();
  out[thread] = tile[threadIdx.x][threadIdx.y];
}

__global__ void vectors(float4 *out, const float *in) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = *(float4 *)&tile[threadIdx.y][threadIdx.x & 28];
}

__global__ void pairs(float *out, const float *in) {
  __shared__ float pair[2][64];
  pair[threadIdx.y][threadIdx.x * 2] = in[threadIdx.x];
  out[threadIdx.x] = pair[threadIdx.y][threadIdx.x * 2];
}

__global__ void rows(float *out, const float *in, const int *at) {
  __shared__ float row[8][32];
  __shared__ float bins[32][33];
  row[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  bins[at[threadIdx.x]][threadIdx.x] = row[threadIdx.y][threadIdx.x];
  out[threadIdx.x] = bins[0][threadIdx.x];
}

// Rows that are a product in the index.
__global__ void product_rows(float *out, const float *in) {
  __shared__ float tile[32 * 32];
  __shared__ float sums[32];
  __shared__ float asked[64]; // NOLINT(bankstripe)
  const int x = threadIdx.x, y = threadIdx.y;
  tile[x * 32 + y] = in[x];
  sums[x] = tile[y * 32 + x];
  asked[x * 2] = sums[x];
  out[x] = asked[0];
}

void run(float *out, float *in, double *wide, int *at, int n) {
  dim3 block(TILE, TILE);
  transpose16<<<dim3(n / TILE, n / TILE), block>>>(out, in, n);
  product<float, 32><<<1, dim3(32, 32)>>>(out, in, in, n);
  product<double, 32><<<1, dim3(32, 32)>>>(wide, wide, wide, n);
  flattened<<<64, dim3(32, 32)>>>(out, in);
  vectors<<<64, dim3(32, 32)>>>((float4 *)out, in);
  pairs<<<64, dim3(32, 2)>>>(out, in);
  rows<<<64, dim3(32, 8)>>>(out, in, at);
  product_rows<<<64, dim3(32, 32)>>>(out, in);
}
