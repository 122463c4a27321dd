// crlf.cu - a file with CRLF line endings
//
// They must all still be there afterwards, also at the ends of new lines. The
// program looks for the longest run of each symbol in a row.
//
// expect-striped: longest
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>

#define SYMBOLS 16
#ifdef BANKSTRIPE_SMALL
#define ROWS 384
#else
#define ROWS (128 * 3000)
#endif

__global__ void longestRuns(const unsigned char *symbols, int length, int *result)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    int longest[SYMBOLS] = {0}; // per symbol
    int run = 0;
    int before = -1;
    for (int i = 0; i < length; ++i)
    {
        const int symbol = symbols[row + i * ROWS];
        run = symbol == before ? run + 1 : 1;
        before = symbol;
        if (run > longest[symbol])
            longest[symbol] = run;
    }

    int packed = 0;
    for (int s = 0; s < SYMBOLS; ++s)
        packed = packed * 7 % 1000003 + longest[s];
    result[row] = packed;
}

int main()
{
    const int length = 60;
    std::vector<unsigned char> symbols(ROWS * length);
    unsigned state = 11;
    for (size_t i = 0; i < symbols.size(); ++i)
    {
        state = state * 1664525u + 1013904223u;
        // Two times in three the symbol of the row's last step again.
        const bool again = i >= ROWS && state >> 16 & 3;
        symbols[i] = again ? symbols[i - ROWS] : (state >> 24) % SYMBOLS;
    }

    unsigned char *dSymbols;
    int *dResult;
    cudaMalloc(&dSymbols, symbols.size());
    cudaMalloc(&dResult, ROWS * sizeof(int));
    cudaMemcpy(dSymbols, symbols.data(), symbols.size(), cudaMemcpyHostToDevice);

    longestRuns<<<ROWS / 128, 128>>>(dSymbols, length, dResult);

    std::vector<int> result(ROWS);
    const cudaError_t status =
        cudaMemcpy(result.data(), dResult, ROWS * sizeof(int), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
    {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 1;
    }
    cudaFree(dSymbols);
    cudaFree(dResult);
    unsigned long long hash = 14695981039346656037ull;
    for (int value : result)
        hash = (hash ^ static_cast<unsigned>(value)) * 1099511628211ull;
    std::printf("runs %016llx\n", hash);
    return 0;
}
