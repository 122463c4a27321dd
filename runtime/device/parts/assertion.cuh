// assertion.cuh - what assert() calls on the device, whose header leaves it out
// for NDEBUG
#ifndef BANKSTRIPE_ASSERTION
#define BANKSTRIPE_ASSERTION
extern "C" __device__ void __assertfail(const char *, const char *, unsigned,
                                        const char *, decltype(sizeof(0)));
#endif // BANKSTRIPE_ASSERTION
