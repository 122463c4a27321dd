// dynamic_stripes.cuh - stripes in dynamic shared memory
#ifndef BANKSTRIPE_DYNAMIC_STRIPES
#define BANKSTRIPE_DYNAMIC_STRIPES
// The calling warp's plane of a stripe in dynamic shared memory. It is used as
// the planes of a block are: begin(), clear(), initialize().
template <class Plane> struct own_plane {
  Plane *plane;
};

namespace detail {

template <class Plane> struct planes<own_plane<Plane>> : plane<Plane> {
  static __device__ __forceinline__ Plane &own(own_plane<Plane> storage) {
    return *storage.plane;
  }
};
template <class Plane>
struct planes<const own_plane<Plane>> : planes<own_plane<Plane>> {};

// The plane of an array of units.
template <class Unit> struct plane_of {
  typedef Unit type[32];
};
template <class Rest, int Extent> struct plane_of<Rest[Extent]> {
  typedef typename plane_of<Rest>::type type[Extent];
};

} // namespace detail

// The stripe of an array of units, from Begin to before End of the warp's part:
// `dynamic_stripe<int[16], 0, 2048, 4224>()`. Who planned the places has taken
// the array for no larger than that.
template <class Units, int Begin, int End, int WarpBytes, bool Behind = false>
__device__ __forceinline__ own_plane<typename detail::plane_of<Units>::type>
dynamic_stripe() {
  typedef typename detail::plane_of<Units>::type plane;
  static_assert(Begin + sizeof(plane) <= End && End <= WarpBytes,
                "the part is too small");
  unsigned char *memory = detail::own_memory<WarpBytes, Behind>();
  return own_plane<plane>{reinterpret_cast<plane *>(memory + Begin)};
}
#endif // BANKSTRIPE_DYNAMIC_STRIPES
