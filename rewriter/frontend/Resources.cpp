//===-- Resources.cpp - files that a parse needs besides the user's -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where Clang's headers and CUDA toolkits are, and the file system that a parse
// sees.
//
//===----------------------------------------------------------------------===//

#include "frontend/Resources.h"

#include "frontend/CompilerOptions.h"
#include "frontend/Frontend.h"
#include "model/SourceFile.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#ifdef __linux__
#include <sys/auxv.h>
#endif

using namespace llvm;

namespace bankstripe {
namespace {

constexpr char ServedRoot[] = "/bankstripe-built-in";

bool holdsClangHeaders(StringRef Directory) {
  return sys::fs::exists(Directory + "/include/__clang_cuda_builtin_vars.h");
}

/// `/usr` of `/usr/bin/tool`.
StringRef aboveBin(StringRef Program) {
  return sys::path::parent_path(sys::path::parent_path(Program));
}

/// `bin/tool` => `lib/clang/22`, below \p Folder.
std::string besideProgram(StringRef Program, StringRef Folder = "lib") {
  const std::string Real = realPath(Program);
  return (aboveBin(Real) + "/" + Folder + "/clang/" CLANG_VERSION_MAJOR_STRING)
      .str();
}

/// Where this program is, also where no /proc says so.
std::string ownPath() {
  const char *Started = nullptr;
#ifdef __linux__
  Started = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
#endif
  // Any function of this program serves to find its path.
  return sys::fs::getMainExecutable(
      Started, reinterpret_cast<void *>(&findResourceDirectory));
}

std::vector<std::string> resourceCandidates() {
  const std::string Major = CLANG_VERSION_MAJOR_STRING;
  const std::string Own = ownPath();
  std::vector<std::string> Candidates = {
      besideProgram(Own, OwnFolder), // Those that came along with it.
      besideProgram(Own),
      ConfiguredResourceDirectory,
  };
  for (const std::string &Name : {"clang-" + Major, std::string("clang")})
    if (ErrorOr<std::string> Program = sys::findProgramByName(Name))
      Candidates.push_back(besideProgram(*Program));
  for (const char *Root : {"/usr/lib/llvm-" CLANG_VERSION_MAJOR_STRING, "/usr",
                           "/usr/local", "/opt/llvm"})
    Candidates.push_back(std::string(Root) + "/lib/clang/" + Major);
  return Candidates;
}

// Toolkits, in the order of how explicitly the user said so. Only a folder
// named on our own command line must hold one; a stale environment variable
// does no harm.

bool holdsToolkit(StringRef Root) {
  return !Root.empty() && sys::fs::exists(Root + "/include/cuda_runtime.h");
}

/// `13.0` from `#define CUDA_VERSION 13000` in cuda.h.
std::string versionOf(StringRef Root) {
  const std::string Header =
      readText((Root + "/include/cuda.h").str()).value_or("");
  StringRef Text = StringRef(Header).split("#define CUDA_VERSION").second;
  Text = Text.ltrim(" \t");
  unsigned Number = 0;
  if (Text.consumeInteger(10, Number))
    return "";
  return std::to_string(Number / 1000) + "." +
         std::to_string(Number % 1000 / 10);
}

Toolkit describe(StringRef Root) {
  Toolkit Kit;
  Kit.Root = Root.str();
  const std::string Nvcc = (Root + "/bin/nvcc").str();
  if (sys::fs::can_execute(Nvcc))
    Kit.Nvcc = Nvcc;
  Kit.Version = versionOf(Root);
  return Kit;
}

/// The toolkit of an nvcc: above the folder that it is in, or above the folder
/// that it is a link into.
std::string rootOfNvcc(StringRef Nvcc) {
  if (holdsToolkit(aboveBin(Nvcc)))
    return aboveBin(Nvcc).str();
  return aboveBin(realPath(Nvcc)).str();
}

/// Headers of the toolkit that code for the built-in declarations may include.
/// All they could declare is declared already.
constexpr StringLiteral ToolkitHeaders =
    "cuda_runtime.h cuda_runtime_api.h cuda.h cuda_device_runtime_api.h "
    "device_launch_parameters.h device_functions.h "
    "device_atomic_functions.h driver_types.h vector_types.h "
    "vector_functions.h vector_functions.hpp builtin_types.h "
    "channel_descriptor.h host_defines.h math_functions.h "
    "sm_20_intrinsics.h sm_30_intrinsics.h crt/host_defines.h "
    "crt/device_functions.h crt/math_functions.h crt/sm_70_rt.hpp";

/// Whether \p Macro, `N=16`, has a name of one or two letters that no argument
/// takes back. No header asks whether such a macro is defined. A toolkit that
/// sees that lambdas are extended has Clang's `new` call the host's malloc.
bool comesLater(StringRef Macro, ArrayRef<std::string> Args) {
  const StringRef Name = Macro.split('=').first;
  if (Name == "__CUDACC_EXTENDED_LAMBDA__")
    return true;
  return !Name.empty() && Name.size() <= 2 && all_of(Name, isAlnum) &&
         !is_contained(Args, ("-U" + Name).str());
}

} // namespace

std::string cureOfMissingHeader(StringRef Diagnostics) {
  const auto [Before, Behind] = Diagnostics.split("' file not found");
  if (Behind.empty())
    return "";
  const StringRef Header = Before.rsplit('\'').second;
  const bool IsOfC = is_contained(
      {"assert.h", "math.h", "stdio.h", "stdlib.h", "string.h", "time.h"},
      Header);
  if (Header.starts_with("hip/"))
    return "; it is HIP, and bankstripe reads CUDA alone";
  return !IsOfC && (Header.contains('.') || Header.contains('/'))
             ? ("; give the folder that holds '" + Header +
                "' with -- -IDIR, or the build's commands with -p BUILD_DIR "
                "(from cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or "
                "ninja -t compdb >compile_commands.json)")
                   .str()
             : "; a C++ library is missing, which Debian and Ubuntu have in "
               "the package g++";
}

Expected<std::string> findResourceDirectory() {
  static const std::string Found = [] {
    for (std::string &Candidate : resourceCandidates())
      if (holdsClangHeaders(Candidate))
        return std::move(Candidate);
    return std::string();
  }();
  if (Found.empty())
    return createStringError("cannot find the headers of Clang "
                             "(lib/clang/" CLANG_VERSION_MAJOR_STRING
                             "); install clang-" CLANG_VERSION_MAJOR_STRING
                             " or pass --extra-arg=-resource-dir=DIR");
  return Found;
}

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

IntrusiveRefCntPtr<vfs::InMemoryFileSystem> servedHeaders() {
  auto Served = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  auto Serve = [&](const Twine &Name, StringRef Text) {
    Served->addFile(Twine(ServedRoot) + "/" + Name, /*ModificationTime=*/0,
                    MemoryBuffer::getMemBuffer(Text));
  };
  for (const EmbeddedHeader &Header : embeddedHeaders())
    Serve(Header.Path, Header.Text);
  for (StringRef Name : split(ToolkitHeaders, ' '))
    Serve("cuda/" + Name, "#include <bankstripe_cuda.h>\n");
  return Served;
}

Expected<IntrusiveRefCntPtr<vfs::FileSystem>>
openFileSystem(StringRef Directory,
               IntrusiveRefCntPtr<vfs::InMemoryFileSystem> Served,
               ParseWatch *Watch) {
  // Not getRealFileSystem(): its working directory is the process's, and other
  // parses run at the same time.
  IntrusiveRefCntPtr<vfs::FileSystem> Disk =
      openDisk(/*WithPipes=*/true); // Reading has a time limit.
  if (Watch)
    Disk = Watch->watch(std::move(Disk));
  auto Overlay = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(std::move(Disk));
  Overlay->pushOverlay(std::move(Served));
  if (std::error_code Code = Overlay->setCurrentWorkingDirectory(Directory))
    return createStringError(Code, "cannot work in the folder '" + Directory +
                                       "': " + Code.message());
  return Overlay;
}

std::vector<std::string> builtinCudaArgs() {
  // The named toolkit does not exist, so whatever is on the machine stays out.
  return {"--cuda-path=" + std::string(ServedRoot) + "/none",
          "-nocudainc",
          "-nocudalib",
          "--cuda-feature=+ptx80",
          "-isystem",
          std::string(ServedRoot) + "/cuda",
          "-include",
          "bankstripe_cuda.h"};
}

std::vector<std::string> macrosAfterToolkit(ArrayRef<std::string> Args,
                                            vfs::InMemoryFileSystem &Served) {
  std::vector<std::string> Others;
  std::string Text;
  const StringRef Begin = "#line 1 \"<command line>\"\n";
  for (const CompilerOption &Option : readOptions(Dialect::Clang, Args)) {
    StringRef Macro = Option.Value;
    if (Option.Meaning != OptionMeaning::Define || !comesLater(Macro, Args)) {
      append_range(Others, Option.Words);
      continue;
    }
    const auto [Name, Value] = Macro.split('=');
    Text +=
        ("#define " + Name + " " + (Name == Macro ? "1" : Value) + "\n").str();
  }
  if (Text.empty())
    return Others;
  const std::string Path = std::string(ServedRoot) + "/macros.h";
  Served.addFile(Path, /*ModificationTime=*/0,
                 MemoryBuffer::getMemBufferCopy((Begin + Text).str(), Path));
  // First of all, for what the command includes may ask for them.
  Others.insert(Others.begin(), {"-include", Path});
  return Others;
}

std::vector<std::string> shimArgs() {
  const std::string Root = ServedRoot;
  return {"-isystem", Root + "/shim", "-include", "bankstripe_nvcc_shim.h",
          "-ferror-limit=1000", // Each may be a difference that is known.
          // After all else: only what is found nowhere comes from there.
          "-idirafter", Root + "/last",
          // Of Clang's warnings some are errors, which they are not for nvcc.
          "-Wno-everything"};
}

} // namespace bankstripe
