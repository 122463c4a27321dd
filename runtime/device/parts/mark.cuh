// mark.cuh - tells launches that bring this memory from others
//
// They ask for this many bytes more than a multiple of 16. These are room for
// programs that read one element behind the last slot.
#ifndef BANKSTRIPE_MARK
#define BANKSTRIPE_MARK
namespace detail {

enum : unsigned { mark = 2 * 16 + 9 };

} // namespace detail
#endif // BANKSTRIPE_MARK
