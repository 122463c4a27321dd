// Two programs share a kernel, and only its header changes.
#include "kernel.cuh"

void first(const int *in, int *out) { fromHeader<<<1, 64>>>(in, out); }
