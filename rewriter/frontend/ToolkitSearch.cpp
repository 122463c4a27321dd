//===-- ToolkitSearch.cpp - a CUDA toolkit on this machine ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a toolkit may be, in the order of how explicitly the user said so. Only
// a folder named on our own command line must hold one; a stale environment
// variable does no harm.
//
//===----------------------------------------------------------------------===//

#include "frontend/Frontend.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace bankstripe {
namespace {

std::string inside(StringRef Root, const Twine &A, const Twine &B) {
  SmallString<256> Path(Root);
  sys::path::append(Path, A, B);
  return std::string(Path);
}

bool holdsToolkit(StringRef Root) {
  return !Root.empty() &&
         sys::fs::exists(inside(Root, "include", "cuda_runtime.h"));
}

/// `13.0` from `#define CUDA_VERSION 13000` in cuda.h.
std::string versionOf(StringRef Root) {
  auto Header = MemoryBuffer::getFile(inside(Root, "include", "cuda.h"));
  if (!Header)
    return "";
  constexpr StringLiteral Define = "#define CUDA_VERSION";
  StringRef Text = (*Header)->getBuffer();
  const size_t At = Text.find(Define);
  if (At == StringRef::npos)
    return "";
  unsigned Number = 0;
  Text = Text.substr(At + Define.size()).ltrim(" \t");
  if (Text.consumeInteger(10, Number))
    return "";
  return std::to_string(Number / 1000) + "." +
         std::to_string(Number % 1000 / 10);
}

Toolkit describe(StringRef Root) {
  Toolkit Kit;
  Kit.Root = Root.str();
  const std::string Nvcc = inside(Root, "bin", "nvcc");
  if (sys::fs::can_execute(Nvcc))
    Kit.Nvcc = Nvcc;
  Kit.Version = versionOf(Root);
  return Kit;
}

/// The toolkit of an nvcc: above the folder that it is in, or above the folder
/// that it is a link into.
std::string rootOfNvcc(StringRef Nvcc) {
  const StringRef Above = sys::path::parent_path(sys::path::parent_path(Nvcc));
  if (holdsToolkit(Above))
    return Above.str();
  SmallString<256> Real;
  if (sys::fs::real_path(Nvcc, Real))
    return "";
  return sys::path::parent_path(sys::path::parent_path(Real)).str();
}

} // namespace

Expected<Toolkit> findToolkit(StringRef CudaPath) {
  if (!CudaPath.empty()) {
    SmallString<256> Root(CudaPath);
    if (std::error_code Code = sys::fs::make_absolute(Root))
      return createStringError(Code, "cannot resolve '" + CudaPath +
                                         "': " + Code.message());
    sys::path::remove_dots(Root, /*remove_dot_dot=*/true);
    if (!holdsToolkit(Root))
      return createStringError("'" + CudaPath +
                               "' holds no CUDA toolkit: it has no "
                               "include/cuda_runtime.h; name the folder that "
                               "the toolkit is installed in");
    return describe(Root);
  }
  std::vector<std::string> Candidates;
  for (const char *Variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> Value = sys::Process::GetEnv(Variable))
      Candidates.push_back(*Value);
  if (ErrorOr<std::string> Nvcc = sys::findProgramByName("nvcc"))
    Candidates.push_back(rootOfNvcc(*Nvcc));
  Candidates.emplace_back("/usr/local/cuda");
  for (const std::string &Root : Candidates)
    if (holdsToolkit(Root))
      return describe(Root);
  return Toolkit();
}

} // namespace bankstripe
