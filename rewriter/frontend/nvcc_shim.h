// nvcc_shim.h - what nvcc knows and Clang does not
#pragma clang system_header
