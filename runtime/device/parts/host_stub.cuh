// host_stub.cuh - what the host stubs of this file's kernels call
//
// Up to CUDA 12 a stub calls cudaLaunchKernel(char *, dim3 &, dim3 &, ...), for
// which this overload is the best match.
#ifdef __NVCC__
__attribute__((unused)) static inline cudaError_t
cudaLaunchKernel(char *stub, dim3 &grid, dim3 &block, void **arguments,
                 size_t own, cudaStream_t stream) {
  bankstripe::version *row = bankstripe::version::find(stub);
  return row ? row->launch_one({grid, block, arguments, own, stream})
             : cudaLaunchKernel((const void *)stub, grid, block, arguments, own,
                                stream);
}

// The stubs of CUDA 13 call other functions, which these stand for in this
// file: the labels are names of its own.
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 13 &&             \
    !defined(__NV_LEGACY_LAUNCH)
extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t *,
                            const void *) __asm__("bankstripe_get_kernel");
cudaError_t
__cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t,
                   cudaStream_t) __asm__("bankstripe_launch_kernel");
cudaError_t
__cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t,
                        cudaStream_t) __asm__("bankstripe_launch_kernel");
__attribute__((used)) static cudaError_t
bankstripe_get_kernel_(cudaKernel_t *,
                       const void *) __asm__("bankstripe_get_kernel");
__attribute__((used)) static cudaError_t
bankstripe_launch_kernel_(cudaKernel_t, dim3, dim3, void **, size_t,
                          cudaStream_t) __asm__("bankstripe_launch_kernel");
static cudaError_t bankstripe_get_kernel_(cudaKernel_t *kernel,
                                          const void *stub) {
  *kernel = (cudaKernel_t) const_cast<void *>(stub);
  return cudaSuccess;
}
static cudaError_t bankstripe_launch_kernel_(cudaKernel_t kernel, dim3 grid,
                                             dim3 block, void **arguments,
                                             size_t own, cudaStream_t stream) {
  return cudaLaunchKernel((char *)kernel, grid, block, arguments, own, stream);
}
} // extern "C"
#endif
#endif // __NVCC__
