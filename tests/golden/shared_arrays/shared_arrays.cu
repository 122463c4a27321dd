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

// Rows that are a product in the index.
__global__ void product_rows(float *out, const float *in) {
  __shared__ float tile[32 * 32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[x * 32 + y] = in[x];
  out[x] = tile[y * 32 + x];
}

void run(float *out, float *in, double *wide, int n) {
  dim3 block(TILE, TILE);
  transpose16<<<dim3(n / TILE, n / TILE), block>>>(out, in, n);
  product<float, 32><<<1, dim3(32, 32)>>>(out, in, in, n);
  product<double, 32><<<1, dim3(32, 32)>>>(wide, wide, wide, n);
  flattened<<<64, dim3(32, 32)>>>(out, in);
  product_rows<<<64, dim3(32, 32)>>>(out, in);
}
