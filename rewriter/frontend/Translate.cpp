//===-- Translate.cpp - a command line for Clang --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parse has to see the code as the real compilation does: the same macros,
// folders, language version and architecture. All else (outputs, warnings,
// optimisation, linking) is dropped. An option unknown to nvcc is taken for one
// of the host's compiler, as nvcc does where it is told to forward those; of
// them the ones stay that a parse can see.
//
//===----------------------------------------------------------------------===//

#include "frontend/CommandLine.h"
#include "frontend/Frontend.h"
#include "frontend/NvccOptions.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;

namespace bankstripe {
namespace {

constexpr char DefaultArch[] = "sm_90";

bool startsWithAny(StringRef Arg, ArrayRef<StringLiteral> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Arg.starts_with(P); });
}

/// Clang's options that take a value in the next argument and have a meaning
/// for a parse; most take it glued on as well.
constexpr StringLiteral KeptWithValue[] = {"-I",
                                           "-D",
                                           "-U",
                                           "-isystem",
                                           "-iquote",
                                           "-include",
                                           "-imacros",
                                           "-idirafter",
                                           "-isysroot",
                                           "-iprefix",
                                           "-iwithprefix",
                                           "-iwithprefixbefore",
                                           "-cxx-isystem",
                                           "-Xclang",
                                           "-target",
                                           "-resource-dir",
                                           "-Xarch_device",
                                           "-Xarch_host"};

/// Clang's options that take a value in the next argument and have none.
constexpr StringLiteral DroppedWithValue[] = {"-o",
                                              "-MF",
                                              "-MT",
                                              "-MQ",
                                              "-MJ",
                                              "-l",
                                              "-L",
                                              "-Xlinker",
                                              "-Xassembler",
                                              "-Xcuda-ptxas",
                                              "-Xcuda-fatbinary",
                                              "-mllvm",
                                              "-z",
                                              "-arch",
                                              "-framework",
                                              "-include-pch",
                                              "-serialize-diagnostics",
                                              "--serialize-diagnostics",
                                              "-dumpbase",
                                              "-working-directory"};

/// What a parse can see of the other options, whichever host compiler they are
/// written for.
constexpr StringLiteral KeptPrefixes[] = {
    "-std=",
    "--std=",
    "-m32",
    "-m64",
    "-pthread",
    "-ansi",
    "-trigraphs",
    "-nostdinc",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-fsigned-char",
    "-funsigned-char",
    "-fchar8_t",
    "-fno-char8_t",
    "-fms-extensions",
    "-fpermissive",
    "-fno-operator-names",
    "-fshort-",
    "-ffreestanding",
    "-fno-builtin",
    "-fcoroutines",
    "-ftemplate-depth",
    "-fconstexpr-",
    "-fgnu",
    // Those that only Clang has are meant for it.
    "-fcuda-",
    "-fno-cuda-",
    "-fgpu-",
    "-fno-gpu-",
    "-nocuda",
    "-nogpu",
    "--cuda-feature=",
    "--no-cuda-version-check",
    "--target=",
    "-resource-dir",
    "--sysroot",
    "--gcc-",
    "-stdlib=",
};

/// What a parse can see of the options that are written for Clang, further.
constexpr StringLiteral KeptForClang[] = {
    "-f", "-m",    "-std",         "-nostd", "-nobuiltininc",         "-undef",
    "-B", "-ccc-", "-cxx-isystem", "-i",     "-no-canonical-prefixes"};

/// Exceptions to the former: diagnostics, outputs, instrumentation, and what
/// is for the host's code only.
constexpr StringLiteral DroppedForClang[] = {
    "-fsyntax-only",  "-fcolor-",          "-fno-color-",
    "-fdiagnostics-", "-fno-diagnostics-", "-fansi-",
    "-fcaret-",       "-fshow-",           "-fmessage-length",
    "-ferror-limit",  "-ftime-",           "-fsanitize",
    "-fno-sanitize",  "-fprofile",         "-fcoverage",
    "-fplugin",       "-fpass-plugin",     "-flto",
    "-fno-lto",       "-fuse-ld",          "-fsave-",
    "-fstack-",       "-fcf-protection",   "-fPI",
    "-fpi",           "-fmodule",          "-fpch",
    "-fdebug-",       "-femit-",           "-fembed-",
    "-fintegrated-",  "-march=",           "-mtune=",
    "-mcpu=",
};

/// Finds the architecture to parse for among those that a command names.
class Architectures {
public:
  /// \p Name is `sm_90`, `compute_90a`, `lto_90`, or a word such as `native`.
  void add(StringRef Name) {
    Name = Name.trim("\"' ");
    if (!Name.consume_front("sm_") && !Name.consume_front("compute_") &&
        !Name.consume_front("lto_"))
      return;
    unsigned Number = 0;
    StringRef Rest = Name;
    if (Rest.consumeInteger(10, Number))
      return;
    All.insert("sm_" + std::to_string(Number));
    if (Number < Highest)
      return;
    // sm_90 and sm_90a: the latter has more.
    if (Number == Highest && Rest.empty())
      return;
    Highest = Number;
    Text = "sm_" + Name.str();
  }

  /// `arch=compute_90,code=[sm_90,compute_90]`.
  void addSpecification(StringRef Specification) {
    SmallVector<StringRef, 8> Parts;
    Specification.split(Parts, ',');
    for (StringRef Part : Parts) {
      const auto [Key, Value] = Part.split('=');
      add((Value.empty() ? Key : Value).trim("[]\"\\' "));
    }
  }

  void addList(StringRef List) { addSpecification(List); }

  const std::string &highest() const { return Text; }
  std::vector<std::string> all() const { return {All.begin(), All.end()}; }

private:
  std::set<std::string> All;
  unsigned Highest = 0;
  std::string Text;
};

bool isKnownArch(StringRef Arch) {
  return clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Arch));
}

/// \p Arch, or the nearest that Clang knows and that has no more than it.
std::string nearestKnownArch(StringRef Arch) {
  if (isKnownArch(Arch))
    return Arch.str();
  StringRef Digits = Arch;
  unsigned Number = 0;
  if (!Digits.consume_front("sm_") || Digits.consumeInteger(10, Number))
    return Arch.str();
  for (; Number != 0; --Number)
    if (std::string Lower = "sm_" + std::to_string(Number); isKnownArch(Lower))
      return Lower;
  return Arch.str();
}

/// Translates one command line.
class Translator {
public:
  Translator(CompileJob &Job, const Toolkit &Kit) : Job(Job), Kit(Kit) {}

  void run(const FrontendOptions &Options) {
    const CommandLine Command =
        readCommandLine(Job.OriginalArgs, Job.Directory);
    Job.ClangArgs.clear();
    Job.Dropped.clear();
    ForClang = !Command.IsNvcc;
    if (Command.IsNvcc)
      translateNvcc(Command.Args);
    else
      translateClang(Command.Args);
    if (!HasStandard)
      Job.ClangArgs.insert(Job.ClangArgs.begin(), "-std=gnu++17");
    if (Command.IsNvcc)
      defineVersion();
    chooseArchitecture(Options);
    chooseToolkit(Options);
  }

private:
  void keep(Twine Arg) { Job.ClangArgs.push_back(Arg.str()); }
  void keep(StringRef Name, StringRef Value) {
    Job.ClangArgs.push_back(Name.str());
    Job.ClangArgs.push_back(Value.str());
  }
  void drop(ArrayRef<std::string> Args) {
    Job.Dropped.insert(Job.Dropped.end(), Args.begin(), Args.end());
  }

  /// An argument that is no option: the file of this job, or something else.
  void translateInput(const std::string &Arg) {
    SmallString<256> Path(Arg);
    sys::path::make_absolute(Job.Directory, Path);
    if (Arg != Job.File && Path != Job.File &&
        !sys::fs::equivalent(Path, Job.File))
      drop(Arg);
  }

  void translateNvcc(ArrayRef<std::string> Args) {
    while (!Args.empty()) {
      StringRef Arg = Args.front();
      unsigned Taken = 1;
      if (!Arg.starts_with("-") || Arg == "-")
        translateInput(Args.front());
      else if (std::optional<NvccOption> Option = readNvccOption(Args)) {
        Taken = Option->Arguments;
        translateNvccOption(*Option, Args.take_front(Taken));
      } else {
        Taken = translateClangOption(Args);
      }
      Args = Args.drop_front(Taken);
    }
  }

  void translateNvccOption(const NvccOption &Option,
                           ArrayRef<std::string> Spelling) {
    const bool On = Option.Value != "false" && Option.Value != "0";
    switch (Option.Meaning) {
    case NvccMeaning::Drop:
      return drop(Spelling);
    case NvccMeaning::Include:
      return keepList("-I", Option.Value);
    case NvccMeaning::Define:
      return keepList("-D", Option.Value);
    case NvccMeaning::Undefine:
      return keepList("-U", Option.Value);
    case NvccMeaning::SystemInclude:
      return keepPairs("-isystem", Option.Value);
    case NvccMeaning::PreInclude:
      return keepPairs("-include", Option.Value);
    case NvccMeaning::Standard:
      HasStandard = true;
      return keep("-std=" + Option.Value);
    case NvccMeaning::Language:
      return; // Every file is parsed as CUDA.
    case NvccMeaning::Architecture:
      return Arches.addList(Option.Value);
    case NvccMeaning::GenerateCode:
      return Arches.addSpecification(Option.Value);
    case NvccMeaning::HostOptions:
      return translateHostOptions(Option.Value);
    case NvccMeaning::Relocatable:
      return On ? keep("-fgpu-rdc") : drop(Spelling);
    case NvccMeaning::RelocatableAlways:
      return keep("-fgpu-rdc");
    case NvccMeaning::FastMath:
      keep("-fgpu-approx-transcendentals");
      return keep("-fgpu-flush-denormals-to-zero");
    case NvccMeaning::FlushDenormals:
      return On ? keep("-fgpu-flush-denormals-to-zero") : drop(Spelling);
    case NvccMeaning::FuseMultiplyAdd:
      return On ? drop(Spelling) : keep("-ffp-contract=off");
    case NvccMeaning::DefaultStream:
      return Option.Value == "per-thread"
                 ? keep("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
                 : drop(Spelling);
    case NvccMeaning::ExtendedLambda:
      return keep("-D__CUDACC_EXTENDED_LAMBDA__");
    case NvccMeaning::RelaxedConstexpr:
      return keep("-D__CUDACC_RELAXED_CONSTEXPR__");
    case NvccMeaning::DeviceDebug:
      return keep("-D__CUDACC_DEBUG__");
    case NvccMeaning::NoExceptions:
      return keep("-fno-exceptions");
    }
  }

  void keepList(StringRef Name, StringRef List) {
    for (const std::string &Item : splitAtCommas(List))
      keep(Name + Item);
  }
  void keepPairs(StringRef Name, StringRef List) {
    for (const std::string &Item : splitAtCommas(List))
      keep(Name, Item);
  }

  void translateHostOptions(StringRef List) {
    // `-Xcompiler "-fPIC -DA"` holds several, too.
    std::vector<std::string> Items;
    for (const std::string &Item : splitAtCommas(List)) {
      SmallVector<StringRef, 4> Words;
      StringRef(Item).split(Words, ' ', -1, /*KeepEmpty=*/false);
      for (StringRef Word : Words)
        Items.push_back(Word.trim("\"'").str());
    }
    for (ArrayRef<std::string> Rest = Items; !Rest.empty();)
      Rest = Rest.drop_front(translateClangOption(Rest));
  }

  void translateClang(ArrayRef<std::string> Args) {
    while (!Args.empty()) {
      StringRef Arg = Args.front();
      unsigned Taken = 1;
      if (Arg == "--") {
        // Only the input can follow.
      } else if (!Arg.starts_with("-") || Arg == "-") {
        translateInput(Args.front());
      } else {
        Taken = translateClangOption(Args);
      }
      Args = Args.drop_front(Taken);
    }
  }

  /// The option of Clang, or GCC, at the front of \p Args.
  /// \returns how many arguments it takes.
  unsigned translateClangOption(ArrayRef<std::string> Args) {
    StringRef Arg = Args.front();
    const unsigned WithValue = std::min<size_t>(2, Args.size());
    if (Arg == "-x" || Arg == "-Xcuda-arch")
      return WithValue;
    if (translateCudaOption(Arg))
      return 1;
    if (is_contained(KeptWithValue, Arg)) {
      for (const std::string &Kept : Args.take_front(WithValue))
        keep(Kept);
      return WithValue;
    }
    if (is_contained(DroppedWithValue, Arg)) {
      drop(Args.take_front(WithValue));
      return WithValue;
    }
    if (Arg.starts_with("-fopenmp"))
      // The pragmas are for the host; code that asks for OpenMP is not.
      keep("-D_OPENMP=201511");
    else if (startsWithAny(Arg, {"-I", "-D", "-U", "-isystem", "-iquote"}) ||
             startsWithAny(Arg, KeptPrefixes) ||
             (ForClang && startsWithAny(Arg, KeptForClang) &&
              !startsWithAny(Arg, DroppedForClang)))
      keep(Arg);
    else
      drop(Args.front());
    HasStandard |= startsWithAny(Arg, {"-std=", "--std="});
    return 1;
  }

  /// Clang's options that select what is compiled for CUDA.
  bool translateCudaOption(StringRef Arg) {
    if (Arg.consume_front("--cuda-gpu-arch=") ||
        Arg.consume_front("--offload-arch=")) {
      Arches.addList(Arg);
      return true;
    }
    if (Arg.consume_front("--cuda-path=")) {
      PathOfCommand = Arg.str();
      return true;
    }
    return Arg == "-xcuda" || Arg == "--cuda-device-only" ||
           Arg == "--cuda-host-only" || Arg == "--cuda-compile-host-device";
  }

  /// What code written for nvcc may ask for to tell its version.
  void defineVersion() {
    const auto [Major, Minor] = StringRef(Kit.Version).split('.');
    if (Major.empty() || Minor.empty())
      return;
    keep("-D__CUDACC_VER_MAJOR__=" + Major);
    keep("-D__CUDACC_VER_MINOR__=" + Minor);
    keep("-D__CUDACC_VER_BUILD__=0");
  }

  void chooseArchitecture(const FrontendOptions &Options) {
    Job.GpuArch = !Options.GpuArch.empty()    ? Options.GpuArch
                  : !Arches.highest().empty() ? Arches.highest()
                                              : DefaultArch;
    Job.AllGpuArchs = Options.GpuArch.empty()
                          ? Arches.all()
                          : std::vector<std::string>{Options.GpuArch};
    keep("--cuda-gpu-arch=" + nearestKnownArch(Job.GpuArch));
  }

  void chooseToolkit(const FrontendOptions &Options) {
    Job.CudaPath = Kit.Root;
    if (Options.CudaPath.empty() && !PathOfCommand.empty()) {
      SmallString<256> Root(PathOfCommand);
      sys::path::make_absolute(Job.Directory, Root);
      if (Expected<Toolkit> Own = findToolkit(Root))
        Job.CudaPath = Own->Root;
      else
        consumeError(Own.takeError()); // As if it were not given.
    }
    if (Job.CudaPath.empty())
      return;
    keep("--cuda-path=" + Job.CudaPath);
    // As nvcc does: the toolkit's headers come before the machine's, which may
    // be those of another one in /usr/local/include. CUDA 13 keeps thrust, CUB
    // and libcu++ in a folder below.
    const std::string Include = Job.CudaPath + "/include";
    for (const std::string &Folder : {Include + "/cccl", Include})
      if (sys::fs::is_directory(Folder))
        keep("-isystem", Folder);
  }

  CompileJob &Job;
  const Toolkit &Kit;
  Architectures Arches;
  std::string PathOfCommand;
  bool HasStandard = false;
  bool ForClang = false;
};

} // namespace

bool clangTakesValue(StringRef Option) {
  return Option == "-x" || Option == "-Xcuda-arch" ||
         is_contained(KeptWithValue, Option) ||
         is_contained(DroppedWithValue, Option);
}

void translateCommand(CompileJob &Job, const FrontendOptions &Options,
                      const Toolkit &Kit) {
  Translator(Job, Kit).run(Options);
}

} // namespace bankstripe
