// rows.cuh - kernels of a header, with the rows that the tool writes
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_TESTS_ROWS_CUH
#define BANKSTRIPE_TESTS_ROWS_CUH

#include "bankstripe_launch.cuh"

static __global__ void in_header(int *) {}
static __global__ void in_header_striped(int *) {}
static ::bankstripe::version in_header_row("in_header", in_header,
                                           in_header_striped, 512);

namespace space {

template <class Here, class T> struct typed_row {
  static ::bankstripe::version row;
  static ::bankstripe::bodies both();
  template <::bankstripe::version *> struct of {
    typedef void type;
  };
  typedef typename of<&row>::type type;
};
template <class T>
__global__ typename typed_row<::bankstripe::here, T>::type typed_striped(T *,
                                                                         int) {}
template <class T> __global__ void typed(T *, int) {
  (void)typed_striped<T>; // It is made for each instance.
}
template <class Here, class T>::bankstripe::bodies typed_row<Here, T>::both() {
  return {typed<T>, typed_striped<T>, __PRETTY_FUNCTION__};
}
template <class Here, class T>
::bankstripe::version typed_row<Here, T>::row("space::typed", both(), 512);

} // namespace space

#endif
