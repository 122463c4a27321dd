// Uses and declarations that cannot be rewritten safely, one each.

struct Log {
  int lines[8];
  __device__ ~Log() { lines[0] = 0; }
};
#define DECLARE(NAME) int NAME[8]
#define KERNEL(NAME) __global__ void NAME

__device__ constexpr int folded(const int *in, int at) {
  int sums[8] = {0};
  for (int i = 0; i < 50; ++i)
    sums[in[at + i] & 7] += i;
  return sums[in[at] & 7];
}

__global__ void refuse(const int *in, int *out) {
  alignas(32) int aligned[8];
  DECLARE(declared);
  char text[9] = "abcdefgh";
  const int fixed[4] = {in[0], in[1], in[2], in[3]};
  int typed[8], (*handlers[4])(int) = {nullptr};
  Log log;
  decltype(typed) *other = &typed;
  int sum = folded(in, 1);
  auto count = [=](int at) {
    int inside[8] = {0};
    for (int i = 0; i < 50; ++i)
      inside[in[at + i] & 7] += i;
    return inside[in[at] & 7];
  };
  for (int placed[2] = {0, 1}, i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    aligned[k & 7] = i;
    declared[k & 7] = i;
    text[k & 7] = i;
    (*other)[k & 7] = fixed[k & 3];
    if (handlers[k & 3])
      sum += handlers[k & 3](i);
    handlers[i & 3] = nullptr;
    log.lines[k & 7] = i;
    placed[k & 1] += i;
    sum += placed[i & 1];
  }
  int k = in[1];
  out[threadIdx.x] = sum + aligned[k & 7] + declared[k & 7] + text[k & 7] +
                     typed[k & 7] + log.lines[k & 7] + count(k);
}

__global__ void beyond(const int *in, int *out) {
  int order[8];
  for (int i = 0; i < 50; ++i)
    order[in[i + threadIdx.x] & 7] = i;
  atomicAdd(&order[8], 1);
  out[threadIdx.x] = order[in[0] & 7];
}

KERNEL(named)(const int *in, int *out) {
  int order[8];
  for (int i = 0; i < 50; ++i)
    order[in[i + threadIdx.x] & 7] = i;
  out[threadIdx.x] = order[in[0] & 7];
}

__global__ void united(const int *in, int *out) {
  union {
    float value;
    int order[8];
  };
  for (int i = 0; i < 50; ++i)
    order[in[i + threadIdx.x] & 7] = i;
  out[threadIdx.x] = order[in[0] & 7];
}

template <class F> __global__ void call(F f) { f(threadIdx.x); }

void launchLambda(const int *in, int *out) {
  call<<<1, 128>>>([=] __device__(int thread) {
    int order[8];
    for (int i = 0; i < 50; ++i)
      order[in[i + thread] & 7] = i;
    out[thread] = order[in[0] & 7];
  });
}

void launch(const int *in, int *out) {
  refuse<<<1, 128>>>(in, out);
  beyond<<<1, 128>>>(in, out);
  named<<<1, 128>>>(in, out);
  united<<<1, 128>>>(in, out);
}
