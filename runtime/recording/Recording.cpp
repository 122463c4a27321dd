//===-- Recording.cpp - kernel names that two builds agree on -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc makes the symbols of internal linkage unique by a hash of the
// translation unit, so they change whenever the source does:
//
//     _ZN36_GLOBAL__N__5b2313b8_4_a_cu__Z3usePi4anonEPi
//     __nv_static_25__5b2313b8_4_a_cu__Z3usePi__Z2k3Pi      (-rdc=true)
//     _ZN34_INTERNAL_5b2313b8_4_a_cu__Z3usePi...6hiddenE
//
// The demangler already prints the first as `(anonymous namespace)`; the other
// two are taken off here.
//
//===----------------------------------------------------------------------===//

#include "recording/Recording.h"
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

using namespace bankstripe::runtime;

// `__nv_static_N_`, N characters and `_` stand before the symbol itself.
static std::string withoutStaticPrefix(const std::string &Symbol) {
  const std::string Prefix = "__nv_static_";
  if (!Symbol.starts_with(Prefix))
    return Symbol;
  size_t At = Prefix.size();
  size_t Length = 0;
  while (At < Symbol.size() && At < Prefix.size() + 6 &&
         std::isdigit(static_cast<unsigned char>(Symbol[At])))
    Length = 10 * Length + static_cast<size_t>(Symbol[At++] - '0');
  const size_t Rest = At + 1 + Length + 1;
  return At > Prefix.size() && Rest < Symbol.size() ? Symbol.substr(Rest)
                                                    : Symbol;
}

static std::string withoutInternalNamespace(std::string Name) {
  const std::string Marker = "_INTERNAL_";
  for (size_t At = Name.find(Marker); At != std::string::npos;
       At = Name.find(Marker, At)) {
    size_t End = Name.find("::", At);
    if (End == std::string::npos)
      break;
    Name.erase(At, End + 2 - At);
  }
  return Name;
}

std::string bankstripe::runtime::canonicalName(const std::string &Symbol) {
  std::string Plain = withoutStaticPrefix(Symbol);
  int Status = 0;
  std::unique_ptr<char, void (*)(void *)> Demangled(
      abi::__cxa_demangle(Plain.c_str(), nullptr, nullptr, &Status), std::free);
  if (Status != 0 || !Demangled || !Plain.starts_with("_Z"))
    return Plain;
  return withoutInternalNamespace(Demangled.get());
}
