// Objects that hold arrays are made in their slots as they were made before.

struct Stack {
  int items[16];
  int top;
  __device__ explicit Stack(int first) : top(0) { push(first); }
  __device__ void push(int value) { items[top++ & 15] = value; }
  __device__ int pop() { return items[--top & 15]; }
};

struct Window {
  float values[7];
  int next;
};

struct Entry {
  int key;
  float weights[3];
  __device__ Entry() : key(-1) {}
};

struct Log {
  int lines[8];
  __device__ ~Log() { lines[0] = 0; }
};

__device__ Window startingAt(float value);

__global__ void walk(const int *in, const float *values, int *out) {
  Stack stack(in[threadIdx.x]);
  Window plain, cleared = {}, *current = &plain, copied = startingAt(values[0]);
  Stack braced{7}, copy = stack;
  Entry entries[4];
  Log log;
  float sum = 0;
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    stack.push(k);
    if (k & 1)
      braced.push(stack.pop());
    copy.push(i);
    current->values[k % 7] = values[i];
    cleared.values[k % 7] += values[i];
    copied.values[i % 7] *= values[k % 7];
    entries[k & 3].key = i;
    log.lines[k & 7] = i;
  }
  int k = in[1];
  sum += plain.values[k % 7] + cleared.values[k % 7] + copied.values[k % 7];
  out[threadIdx.x] = sum + stack.pop() + braced.pop() + copy.pop() +
                     entries[k & 3].key + log.lines[k & 7];
}

void launch(const int *in, const float *values, int *out) {
  walk<<<1, 32>>>(in, values, out);
}
