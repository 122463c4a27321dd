//===-- host_rows.h - what rows make of launches, on the host -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for bankstripe_launch.cuh and bankstripe_choose.cuh. Launches bring
// the memory that rows say. In every other order of the threads
// (HOST_CUDA_SEED) they run versions; in the ones between, a kernel and its
// version take turns.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_CPU_HOST_ROWS_H
#define BANKSTRIPE_TESTS_CPU_HOST_ROWS_H

// Programs may include the real ones, or hold their text.
#define BANKSTRIPE_LAUNCH_CUH
#define BANKSTRIPE_CHOOSE_CUH

#include "host_cuda.h"

namespace bankstripe {

enum condition : int { may_wait = 1, where_resident = 2 };
enum carved : int { as_needed = -1, by_driver = -2 };
enum expectation : int { loses, may_gain, gains };

struct here;

struct bodies {
  const void *original, *version;

  template <class Kernel>
  bodies(Kernel *Original, Kernel *Version, const char * = "")
      : original((const void *)Original), version((const void *)Version) {}
};

class version {
public:
  template <class Kernel>
  version(const char *Name, Kernel *Original, Kernel *Version,
          unsigned WarpBytes, int = 0, int = as_needed)
      : version(Name, bodies(Original, Version), WarpBytes) {}
  version(const char *, bodies Both, unsigned WarpBytes, int = 0,
          int = as_needed)
      : Both(Both), WarpBytes(WarpBytes) {
    rows()[Both.original] = this;
  }

  static std::map<const void *, version *> &rows() {
    static std::map<const void *, version *> Rows;
    return Rows;
  }

  /// What a launch of the kernel runs, which brings \p Dynamic bytes then.
  const void *bodyOf(size_t &Dynamic) {
    const size_t Threads = blockDim.x * blockDim.y * blockDim.z;
    const size_t Bytes =
        (Dynamic + 15) / 16 * 16 + (Threads + 31) / 32 * WarpBytes + 2 * 16 + 9;
    const char *Seed = std::getenv("HOST_CUDA_SEED");
    const bool TakesTurns = Seed && std::atoi(Seed) % 2 != 0;
    RanVersion = Both.version == Both.original ||
                 ((!TakesTurns || !RanVersion) && Bytes <= MostBytes);
    if (RanVersion && WarpBytes)
      Dynamic = Bytes;
    return RanVersion ? Both.version : Both.original;
  }

private:
  static constexpr size_t MostBytes = 227 * 1024;

  const bodies Both;
  const unsigned WarpBytes;
  bool RanVersion = true;
};

struct choice : version {
  template <class Kernel>
  choice(const char *Name, Kernel *Original, Kernel *Version,
         unsigned WarpBytes, expectation, int = 0, int = as_needed)
      : version(Name, Original, Version, WarpBytes) {}
  choice(const char *Name, bodies Both, unsigned WarpBytes, expectation,
         int = 0, int = as_needed)
      : version(Name, Both, WarpBytes) {}
};

struct storage : version {
  template <class Kernel>
  storage(const char *Name, Kernel *Original, unsigned WarpBytes,
          int = as_needed)
      : version(Name, Original, Original, WarpBytes) {}
};

} // namespace bankstripe

namespace host_cuda {

/// What a kernel with a row does first, in the place of nvcc's host stub:
/// \returns whether its version ran instead. No thread has seen the dynamic
/// shared memory when the first one comes here.
template <class... Parameters>
bool stub(void (*Kernel)(std::type_identity_t<Parameters>...),
          std::add_lvalue_reference_t<Parameters>... Given) {
  Launch &L = LaunchUnderWay;
  const void *Original = reinterpret_cast<const void *>(Kernel);
  const auto Row = bankstripe::version::rows().find(Original);
  if (L.PassesStub && Row != bankstripe::version::rows().end()) {
    const void *Body = Row->second->bodyOf(L.Dynamic);
    Block::instance().allocateDynamic(L.Dynamic);
    L.Version = Body == Original ? nullptr : Body;
  }
  L.PassesStub = false;
  if (L.Version)
    reinterpret_cast<void (*)(Parameters...)>(const_cast<void *>(L.Version))(
        Given...);
  return L.Version;
}

} // namespace host_cuda

#endif
