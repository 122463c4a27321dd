// Lines end as they did.
#define SIZE 8

__global__ void ends(const int *in, int *out) {
  int sum = 0, last[SIZE] = {0}; // both
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] % SIZE] += last[in[i] % SIZE];
  out[threadIdx.x] = sum + last[in[threadIdx.x] % SIZE];
}

void launch(const int *in, int *out) { ends<<<1, 128>>>(in, out); }
