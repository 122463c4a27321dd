//===-- KernelNames.cpp - one name for a kernel in both compilers ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc and Clang mangle alike but for two things, seen with CUDA 13.0: nvcc
// names the anonymous namespace after the file (`33_GLOBAL__N__5ac08c9a_...`
// for Clang's `12_GLOBAL__N_1`), and it leaves out the `L` that marks internal
// linkage (`_Z1kPi` for `_ZL1kPi`, `_ZN1n1kEPi` for `_ZN1nL1kEPi`).
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;

// Every `<length>_GLOBAL__N_...` component in the one spelling.
static std::string withPlainAnonymousNamespaces(StringRef Name) {
  std::string Result;
  while (!Name.empty()) {
    StringRef Digits = Name.take_while(llvm::isDigit);
    size_t Length = 0;
    if (!Digits.empty() && !Digits.getAsInteger(10, Length) &&
        Name.substr(Digits.size()).starts_with("_GLOBAL__N_") &&
        Name.size() >= Digits.size() + Length) {
      Result += "12_GLOBAL__N_1";
      Name = Name.drop_front(Digits.size() + Length);
      continue;
    }
    size_t Plain = std::max<size_t>(Digits.size(), 1);
    Result += Name.take_front(Plain);
    Name = Name.drop_front(Plain);
  }
  return Result;
}

// The qualified name at the front, without marks of internal linkage.
static std::string withoutLinkageMarks(StringRef Name) {
  std::string Result;
  auto Take = [&](size_t Count) {
    Result += Name.take_front(Count);
    Name = Name.drop_front(Count);
  };
  if (!Name.starts_with("_Z"))
    return Name.str();
  Take(2);
  if (Name.starts_with("N"))
    Take(1);
  for (;;) {
    if (Name.size() > 1 && Name[0] == 'L' && llvm::isDigit(Name[1]))
      Name = Name.drop_front();
    StringRef Digits = Name.take_while(llvm::isDigit);
    size_t Length = 0;
    if (Digits.empty() || Digits.getAsInteger(10, Length))
      return Result + Name.str();
    Take(Digits.size() + Length);
  }
}

static std::string canonical(StringRef Name) {
  return withoutLinkageMarks(withPlainAnonymousNamespaces(Name));
}

ResourceTable bankstripe::forKernels(const ResourceTable &Reported,
                                     const std::vector<Kernel> &Kernels) {
  std::map<std::string, const KernelResources *> ByName;
  for (const auto &[Name, Resources] : Reported)
    ByName[canonical(Name)] = &Resources;
  ResourceTable Result;
  for (const Kernel &K : Kernels)
    if (auto It = ByName.find(canonical(K.Id)); It != ByName.end())
      Result[K.Id] = *It->second;
  return Result;
}
