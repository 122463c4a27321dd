//===-- CallSites.cpp - where the program makes its allocations -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/CallSites.h"
#include <algorithm>
#include <climits>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

using namespace bankstripe::runtime;

constexpr int MostCalls = 48;

// An address of this library's own.
static const void *ownImage() {
  Dl_info Info = {};
  ::dladdr(reinterpret_cast<const void *>(&ownImage), &Info);
  return Info.dli_fbase;
}

static bool isDriver(const std::string &Path) {
  const std::string Name = Path.substr(Path.rfind('/') + 1);
  return Name.starts_with("libcuda.so") || Name.starts_with("libcupti.so");
}

// The program itself goes by what it was called as; this is its file.
static std::string programPath() {
  char Path[PATH_MAX];
  const ssize_t Length = ::readlink("/proc/self/exe", Path, sizeof Path);
  return Length > 0 ? std::string(Path, static_cast<size_t>(Length)) : "";
}

CallStack CallSites::resolve(const std::vector<void *> &Addresses) {
  static const void *const Own = ownImage();
  CallStack Stack;
  for (void *Address : Addresses) {
    // What is on the stack is where the call returns to.
    auto *const Call = static_cast<char *>(Address) - 1;
    Dl_info Info = {};
    link_map *Image = nullptr;
    if (!::dladdr1(Call, &Info, reinterpret_cast<void **>(&Image),
                   RTLD_DL_LINKMAP) ||
        !Image)
      continue;
    std::string Path = *Image->l_name ? Image->l_name : programPath();
    if (Stack.empty() && (Info.dli_fbase == Own || isDriver(Path)))
      continue;
    StackFrame Frame;
    Frame.Module = std::move(Path);
    Frame.Offset = reinterpret_cast<uintptr_t>(Call) - Image->l_addr;
    if (Info.dli_sname) {
      Frame.Symbol = Info.dli_sname;
      Frame.SymbolOffset =
          static_cast<uint64_t>(Call - static_cast<char *>(Info.dli_saddr));
    }
    Stack.push_back(std::move(Frame));
  }
  return Stack;
}

std::optional<unsigned> CallSites::here(RecordingWriter &Output) {
  void *Found[MostCalls];
  const int Count = std::max(::backtrace(Found, MostCalls), 0);
  const std::vector<void *> Addresses(Found, Found + Count);
  {
    const std::lock_guard Lock(Mutex);
    if (const auto At = Known.find(Addresses); At != Known.end())
      return At->second;
  }
  const CallStack Stack = resolve(Addresses);
  const std::lock_guard Lock(Mutex);
  const auto [At, IsNew] = Known.try_emplace(Addresses);
  if (IsNew && !Stack.empty())
    At->second = Output.stack(Stack);
  return At->second;
}
