// Structures as elements: padded where their size is no odd number of words.

struct Hit {
  float distance;
  int triangle, instance;
};

struct Pair {
  int key, value;
};

__global__ void sort(const int *in, const float *values, int *out) {
  Hit hits[4];
  Pair pairs[8] = {}, *best = nullptr;
  struct {
    double position[3];
    int cell;
  } near[2];
  struct Name { char text[6]; } first = {}, names[3];
  float3 normals[2] = {{1, 0, 0}, {0, values[0], 1}};
  for (int i = 0; i < 50; ++i) {
    int k = in[i + threadIdx.x];
    hits[k & 3] = {values[i], k, i};
    pairs[k & 7].value += i;
    near[k & 1].position[i % 3] = values[k];
    names[k % 3].text[i % 6] = k;
    normals[k & 1].x += values[i];
  }
  int k = in[0];
  Pair &chosen = pairs[k & 7];
  best = &chosen;
  chosen.key = k;
  out[threadIdx.x] = hits[k & 3].distance + best->value + near[k & 1].cell +
                     names[k % 3].text[0] + normals[k & 1].x + first.text[0];
}

void launch(const int *in, const float *values, int *out) {
  sort<<<1, 64>>>(in, values, out);
}
