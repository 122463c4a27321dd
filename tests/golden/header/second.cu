#include "kernel.cuh"

void second(const int *in, int *out) { fromHeader<<<1, 160>>>(in, out); }
