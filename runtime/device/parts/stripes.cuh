// stripes.cuh - arrays in shared memory, each thread's in a bank of its own
//
// A stripe is shared memory `Unit storage[warps][N][32]`, with a plane for each
// warp, and in that a column for each lane.
#ifndef BANKSTRIPE_STRIPES
#define BANKSTRIPE_STRIPES
namespace detail {

// The element that lies in a unit: by default, the unit itself.
template <class Unit> struct element {
  typedef Unit type;
  static constexpr int per_unit = 1;
  static BANKSTRIPE_ANYWHERE Unit &of(Unit &unit, unsigned) { return unit; }
};

// The unit that is so many rows further down in a column. The cast tells the
// compiler that rows are whole: it keeps the place of the column in a register.
template <class Unit, class Index>
BANKSTRIPE_ANYWHERE Unit *further(Unit *unit, Index rows) {
  return ((Unit(*)[32])unit)[rows];
}

// A plane, and the calling thread's first unit in it.
template <class Plane> struct plane;
template <class Unit, int Extent, int Lanes> struct plane<Unit[Extent][Lanes]> {
  static_assert(Lanes == 32, "the last dimension of a stripe is the 32 lanes");
  typedef Unit unit;
  typedef Unit inner; // What an index leaves of the array.
  static constexpr int rows = Extent;
  static __device__ __forceinline__ Unit *first(Unit (&units)[Extent][Lanes]) {
    return units[0] + lane();
  }
};

// All planes, and the calling warp's own.
template <class Storage> struct planes {};
template <class Storage> struct planes<Storage &> : planes<Storage> {};
template <class Plane, int Warps> struct planes<Plane[Warps]> : plane<Plane> {
  static __device__ __forceinline__ Plane &own(Plane (&storage)[Warps]) {
    check(warp() < Warps);
    // Named by its first row: sanitizers let the address of what lies behind
    // the last plane be taken. nvcc warns of other casts if Unit is volatile.
    return (Plane &)storage[warp()][0];
  }
};

// The calling thread's column. No other thread may use it.
template <class Unit, int Rows> struct column {
  Unit *first;

  // `noexcept(a[i])` is true of an array.
  template <class Index>
  BANKSTRIPE_ANYWHERE typename element<Unit>::type &
  operator[](Index index) const noexcept {
    Unit *unit = further(first, index);
    check(unit - first >= 0 && (unit - first) / 32 < Rows);
    return element<Unit>::of(*unit, 0);
  }
};

} // namespace detail

// What stands for the name of an array that is only subscripted.
template <class Storage>
__device__ __forceinline__ auto column(Storage &&storage)
    -> detail::column<typename detail::planes<Storage>::inner,
                      detail::planes<Storage>::rows> {
  typedef detail::planes<Storage> planes;
  return {planes::first(planes::own(storage))};
}
#endif // BANKSTRIPE_STRIPES
