// pointers.cuh - what stands for the name of an array: begin(), pointer
#ifndef BANKSTRIPE_POINTERS
#define BANKSTRIPE_POINTERS
template <class Type> class pointer;

#include "columns.cuh"

// A pointer into the calling thread's column. It may only be used by the thread
// that it was made for.
template <class Type> class pointer {
  typedef detail::target<Type> target;
  typedef typename target::place place;

public:
  typedef typename target::type type;
  typedef typename target::reference reference;
  typedef decltype(static_cast<char *>(nullptr) -
                   static_cast<char *>(nullptr)) difference;

  pointer() = default;
  BANKSTRIPE_ANYWHERE pointer(decltype(nullptr)) : first(nullptr) {}
  template <class From>
  BANKSTRIPE_ANYWHERE
  pointer(pointer<From> other,
          typename detail::adds_const<From, Type>::type = nullptr)
      : first(other.first) {}
  // The pointer to a unit and those behind it in its column.
  static BANKSTRIPE_ANYWHERE pointer to(place first) {
    pointer result;
    result.first = first;
    return result;
  }

  // `noexcept(a[i])` is true of an array.
  BANKSTRIPE_ANYWHERE reference operator*() const noexcept {
    return target::at(first);
  }
  // Around an operator& of the element's.
  BANKSTRIPE_ANYWHERE type *operator->() const {
    return (type *)&(const volatile char &)**this;
  }
  template <class Index>
  BANKSTRIPE_ANYWHERE reference operator[](Index steps) const noexcept {
    return target::at(
        detail::further(first, detail::number(steps) * target::rows));
  }
  BANKSTRIPE_ANYWHERE explicit operator bool() const {
    return first != nullptr;
  }

  BANKSTRIPE_ANYWHERE pointer &operator+=(difference steps) {
    first = detail::further(first, steps * target::rows);
    return *this;
  }
  BANKSTRIPE_ANYWHERE pointer &operator-=(difference steps) {
    return *this += -steps;
  }
  BANKSTRIPE_ANYWHERE pointer &operator++() { return *this += 1; }
  BANKSTRIPE_ANYWHERE pointer &operator--() { return *this += -1; }
  BANKSTRIPE_ANYWHERE pointer operator++(int) { return ++*this - 1; }
  BANKSTRIPE_ANYWHERE pointer operator--(int) { return --*this + 1; }

  friend BANKSTRIPE_ANYWHERE pointer operator+(pointer left, difference steps) {
    return left += steps;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator+(difference steps, pointer left) {
    return left += steps;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator-(pointer left, difference steps) {
    return left -= steps;
  }
  friend BANKSTRIPE_ANYWHERE difference operator-(pointer left, pointer right) {
    return (left.first - right.first) / (target::spacing * target::rows);
  }
#define BANKSTRIPE_COMPARISON(OPERATOR)                                        \
  friend BANKSTRIPE_ANYWHERE bool operator OPERATOR(pointer left,              \
                                                    pointer right) {           \
    return left.first OPERATOR right.first;                                    \
  }
  BANKSTRIPE_COMPARISON(==)
  BANKSTRIPE_COMPARISON(!=)
  BANKSTRIPE_COMPARISON(<)
  BANKSTRIPE_COMPARISON(>)
  BANKSTRIPE_COMPARISON(<=)
  BANKSTRIPE_COMPARISON(>=)
#undef BANKSTRIPE_COMPARISON

private:
  template <class> friend class pointer;
  place first;
};

// The accessor that stands for the name of the array.
template <class Storage>
__device__ __forceinline__ pointer<typename detail::planes<Storage>::inner>
begin(Storage &&storage) {
  typedef detail::planes<Storage> planes;
  return pointer<typename planes::inner>::to(
      detail::column_of(planes::first(planes::own(storage)), planes::rows));
}
#endif // BANKSTRIPE_POINTERS
