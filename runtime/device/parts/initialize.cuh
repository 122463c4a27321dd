// initialize.cuh - `= {a, b, ...}` for a stripe
//
// The listed values, and zero for the elements that the list leaves out. The
// extents of the array are given because packed storage no longer knows them.
#ifndef BANKSTRIPE_INITIALIZE
#define BANKSTRIPE_INITIALIZE
namespace detail {

// Gives each element of a plane its value in a list, as far as there are any.
template <class Plane> struct listed;
template <class Unit, int Extent, int Lanes>
struct listed<Unit[Extent][Lanes]> {
  template <class Value, int NextExtent>
  static __device__ __forceinline__ void
  assign(Unit (&units)[Extent][Lanes], const Value (&values)[NextExtent]) {
    constexpr int per_unit = element<Unit>::per_unit;
    static_assert(NextExtent <= Extent * per_unit,
                  "the stripe has fewer elements");
#pragma unroll
    for (int position = 0; position < NextExtent; ++position)
      element<Unit>::of(units[position / per_unit][lane()],
                        position % per_unit) = values[position];
  }
};
template <class Rest, int Extent, int NextExtent, int LastExtent>
struct listed<Rest[Extent][NextExtent][LastExtent]> {
  template <class Row, int Given>
  static __device__ __forceinline__ void
  assign(Rest (&units)[Extent][NextExtent][LastExtent],
         const Row (&values)[Given]) {
    static_assert(Given == Extent, "the stripe has other extents");
#pragma unroll
    for (int position = 0; position < Extent; ++position)
      listed<Rest[NextExtent][LastExtent]>::assign(units[position],
                                                   values[position]);
  }
};

template <class Plane, class Values>
__device__ __forceinline__ void assign_listed(Plane &units,
                                              const Values &values) {
  listed<Plane>::assign(units, values);
}

} // namespace detail

template <int... Extents, class Storage>
__device__ __forceinline__ void
initialize(Storage &&storage,
           const typename detail::array_of<
               typename detail::without_volatile<typename detail::element<
                   typename detail::planes<Storage>::unit>::type>::type,
               Extents...>::type &values) {
  typedef detail::planes<Storage> planes;
  detail::assign_listed(planes::own(storage), values);
}
#endif // BANKSTRIPE_INITIALIZE
