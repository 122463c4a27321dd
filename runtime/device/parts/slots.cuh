// slots.cuh - an object in one piece for each thread: arrays, class objects
#ifndef BANKSTRIPE_SLOTS
#define BANKSTRIPE_SLOTS
namespace detail {

// One slot. Its length decides which lanes meet in a bank: an odd number of
// units keeps equal indices apart, and one that leaves 3 or 5 when divided by 8
// also those that rise or fall by one from lane to lane, four lanes at worst.
template <class Type, int Alignment>
struct alignas(Alignment < pitch<Type>::alignment ? pitch<Type>::alignment
                                                  : Alignment) slot {
  static constexpr int unit =
      Alignment < pitch<Type>::alignment ? pitch<Type>::alignment : Alignment;
  static constexpr int grain = unit < 128 ? 128 : unit;
  static constexpr int used = int((sizeof(Type) + unit - 1) / unit);
  static constexpr int rest = used % 8;
  static constexpr int spare = (rest <= 3 ? 3 : rest <= 5 ? 5 : 11) - rest;

  unsigned char bytes[(used + spare) * unit];
};

} // namespace detail

// An object of type T for each thread of a block, not yet initialised. Its
// alignment can be more than that of T, for code that reads it as vectors. All
// slots together leave the shared memory behind them aligned as it was.
template <class Type, int Threads, int Alignment = 1>
struct alignas(detail::slot<Type, Alignment>::grain) slots {
  detail::slot<Type, Alignment> all[Threads];

  __device__ __forceinline__ Type &mine() {
    detail::check(thread() < Threads);
    return reinterpret_cast<Type &>(all[thread()]);
  }
};

namespace detail {

template <class Type, int Extent> struct cleared<Type[Extent]> {
  static __device__ __forceinline__ void in(Type (&array)[Extent]) {
    for (int position = 0; position < Extent; ++position)
      cleared<Type>::in(array[position]);
  }
};

template <class Type, class Value>
__device__ __forceinline__ void assign(Type &element, const Value &value) {
  element = value;
}
template <class Type, class Value, int Extent>
__device__ __forceinline__ void assign(Type (&array)[Extent],
                                       const Value (&values)[Extent]) {
#pragma unroll
  for (int position = 0; position < Extent; ++position)
    detail::assign(array[position], values[position]);
}

} // namespace detail

// `= {}` and `= {a, b, ...}` for an array in a slot. They have names of their
// own because an array `[4][8][32]` looks like a stripe.
template <class Type, int Extent>
__device__ __forceinline__ void clear_slot(Type (&array)[Extent]) {
  detail::cleared<Type[Extent]>::in(array);
}
template <class Type, int Extent>
__device__ __forceinline__ void initialize_slot(
    Type (&array)[Extent],
    const typename detail::array_of<
        typename detail::without_volatile<Type>::type, Extent>::type &values) {
  detail::assign(array, values);
}
#endif // BANKSTRIPE_SLOTS
