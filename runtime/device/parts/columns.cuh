// columns.cuh - of pointers.cuh: where the calling thread's elements lie
namespace detail {

template <class Unit> struct element<const Unit> {
  typedef const typename element<Unit>::type type;
  static constexpr int per_unit = element<Unit>::per_unit;
  static BANKSTRIPE_ANYWHERE type &of(const Unit &unit, unsigned part) {
    return element<Unit>::of(const_cast<Unit &>(unit), part);
  }
};

// Of places that count as their numbers.
template <class Place, class Index>
BANKSTRIPE_ANYWHERE Place further(Place place, Index steps) {
  place.position += static_cast<int>(steps);
  return place;
}

// An index as the number that a subscript would make of it, since an
// enumeration may have operators of its own.
template <class Index, bool Enumeration> struct underlying {
  typedef Index type;
};
template <class Index> struct underlying<Index, true> {
  typedef __underlying_type(Index) type;
};
template <class Index> // GCC lets no signature name the built-in trait.
struct number_of : underlying<Index, __is_enum(Index)> {};
template <class Index>
BANKSTRIPE_ANYWHERE typename number_of<Index>::type number(Index index) {
  return static_cast<typename number_of<Index>::type>(index);
}

#ifdef BANKSTRIPE_CHECK_BOUNDS
// A unit in a column of so many rows.
template <class Unit> struct in_column {
  Unit *unit, *column;
  int rows;
  in_column() = default;
  BANKSTRIPE_ANYWHERE in_column(Unit *column, int rows = 0)
      : unit(column), column(column), rows(rows) {}
  template <class From>
  BANKSTRIPE_ANYWHERE in_column(in_column<From> other)
      : unit(other.unit), column(other.column), rows(other.rows) {}
  BANKSTRIPE_ANYWHERE operator Unit *() const { return unit; }
  BANKSTRIPE_ANYWHERE Unit &operator*() const {
    check(unit - column >= 0 && (unit - column) / 32 < rows);
    return *unit;
  }
};
template <class Unit, class Index>
BANKSTRIPE_ANYWHERE in_column<Unit> further(in_column<Unit> place, Index rows) {
  place.unit = further(place.unit, rows);
  return place;
}
template <class Unit>
BANKSTRIPE_ANYWHERE in_column<Unit> column_of(Unit *first, int rows) {
  return in_column<Unit>(first, rows);
}
#else
template <class Unit> using in_column = Unit *;
template <class Unit> BANKSTRIPE_ANYWHERE Unit *column_of(Unit *first, int) {
  return first;
}
#endif

// What a pointer<T> points to, T being a unit.
template <class Type> struct target {
  typedef Type unit;
  typedef typename element<Type>::type type;
  typedef type &reference;
  typedef in_column<unit> place;
  static constexpr int rows = 1, spacing = 32;
  static BANKSTRIPE_ANYWHERE reference at(place first) {
    return element<Type>::of(*first, 0);
  }
};
// T being an array of units: a row.
template <class Row, int Extent> struct target<Row[Extent]> {
  typedef typename target<Row>::unit unit;
  typedef pointer<Row> type;
  typedef type reference;
  typedef in_column<unit> place;
  static constexpr int rows = Extent * target<Row>::rows, spacing = 32;
  static BANKSTRIPE_ANYWHERE reference at(place first) {
    return reference::to(first);
  }
};

// A plane with more dimensions before the lanes.
template <class Rest, int Extent, int NextExtent, int LastExtent>
struct plane<Rest[Extent][NextExtent][LastExtent]> {
  typedef plane<Rest[NextExtent][LastExtent]> next;
  typedef typename next::inner inner[NextExtent];
  typedef typename next::unit unit;
  static constexpr int rows = Extent * next::rows;

  static __device__ __forceinline__ unit *
  first(Rest (&units)[Extent][NextExtent][LastExtent]) {
    return next::first(units[0]);
  }
};

// Only where To is `const From`.
template <class From, class To> struct adds_const;
template <class Type> struct adds_const<Type, const Type> {
  typedef decltype(nullptr) type;
};

} // namespace detail
