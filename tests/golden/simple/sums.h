#pragma once
__device__ inline int sum(int a, int b) { return a + b; }
