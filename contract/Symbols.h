//===-- Symbols.h - how nvcc names kernels ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc and Clang mangle alike, but for what has internal linkage. nvcc makes
// these symbols unique by a digest of the file's path and the file's name, so
// that they change from build to build (seen with CUDA 13.0):
//
//     _ZN36_GLOBAL__N__5b2313b8_4_a_cu__Z3usePi4anonEPi     anonymous namespace
//     __nv_static_25__5b2313b8_4_a_cu__Z3usePi__Z2k3Pi      with -rdc=true
//     _ZN34_INTERNAL_5b2313b8_4_a_cu__Z3usePi...6hiddenE
//     _Z1kPi                                                Clang's _ZL1kPi
//
// Demangled, they are the same without what stands for the file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CONTRACT_SYMBOLS_H
#define BANKSTRIPE_CONTRACT_SYMBOLS_H

#include <string>
#include <string_view>

namespace bankstripe {

/// What a version of a kernel that stands beside it has behind its name.
inline constexpr char VersionEnding[] = "_striped";

/// What the row of a kernel, which says what its launches need, has there. The
/// version of a template has the type of its row's member `type`, which is
/// void.
inline constexpr char RowEnding[] = "_row";

/// Demangles a symbol; any other text it returns as it is.
using Demangler = std::string (*)(std::string_view Symbol);

/// Demangles as the C++ library does.
std::string demangled(std::string_view Symbol);

/// The name of a kernel or variable as a person writes it, the same for two
/// builds of the same source.
///
/// \param Symbol the symbol in the device code.
std::string canonicalName(const std::string &Symbol,
                          Demangler Demangle = demangled);

/// The same of a kernel, where a version that stands beside its original
/// (`sum_striped`) has the name of that: the one is compared with the other.
std::string kernelName(const std::string &Symbol,
                       Demangler Demangle = demangled);

/// Whether the kernel is such a version.
bool isVersion(const std::string &Symbol, Demangler Demangle = demangled);

/// Whether two symbols of one canonical name may be of the same file, as far as
/// those of internal linkage tell.
bool mayBeOfOneFile(const std::string &One, const std::string &Other);

/// Puts zeros in the place of each digest of a path.
void erasePathDigests(std::string &Text);

/// Whether other files cannot name the function, as far as Clang's symbol
/// tells.
bool isInternal(std::string_view Symbol);

/// `f<int>` of `void f<int>(int*)`; `(anonymous namespace)::f` of
/// `(anonymous namespace)::f(int*)`.
std::string_view withoutParameters(std::string_view Name);

/// `space::kernel` of `space::kernel<int, 3>`.
std::string_view withoutTemplateArguments(std::string_view Name);

/// The last part of a demangled name: `kernel` of `space::kernel<int>`.
std::string_view lastName(std::string_view Name);

} // namespace bankstripe

#endif // BANKSTRIPE_CONTRACT_SYMBOLS_H
