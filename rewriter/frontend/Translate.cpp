//===-- Translate.cpp - a command line for Clang --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parse has to see the code as the real compilation does: the same macros,
// folders, language version and architecture. All else is dropped.
//
//===----------------------------------------------------------------------===//

#include "frontend/CommandLine.h"
#include "frontend/Frontend.h"
#include "frontend/NvccCommand.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <set>

using namespace llvm;

namespace bankstripe {
namespace {

constexpr char DefaultArch[] = "sm_90";

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
    if (Rest.consumeInteger(10, Number) || !all_of(Rest, isAlpha))
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
    for (StringRef Part : split(Specification, ',')) {
      const auto [Key, Value] = Part.split('=');
      add((Value.empty() ? Key : Value).trim("[]\"\\' "));
    }
  }

  /// Takes the usual one for the highest, if it is among them.
  void preferUsual() {
    if (All.count(DefaultArch))
      Text = DefaultArch;
  }

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

constexpr StringLiteral ArchOption = "--cuda-gpu-arch=";

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

/// What options mean to Clang whose values, if they have any, do not matter.
struct FixedTranslation {
  OptionMeaning Meaning;
  StringLiteral Args;
};
constexpr FixedTranslation FixedTranslations[] = {
    // Every file is parsed as CUDA, for the device.
    {OptionMeaning::Language, ""},
    {OptionMeaning::Side, ""},
    {OptionMeaning::RelocatableObject, "-fgpu-rdc"},
    {OptionMeaning::FastMath,
     "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero"},
    {OptionMeaning::ExtendedLambda, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {OptionMeaning::RelaxedConstexpr, "-D__CUDACC_RELAXED_CONSTEXPR__"},
    {OptionMeaning::DeviceDebug, "-D__CUDACC_DEBUG__"},
    {OptionMeaning::NoExceptions, "-fno-exceptions"},
    // The pragmas are for the host; code that asks for OpenMP is not.
    {OptionMeaning::OpenMP, "-D_OPENMP=201511"},
};

/// Translates one command line.
class Translator {
public:
  Translator(CompileJob &Job, const Toolkit &Kit) : Job(Job), Kit(Kit) {}

  void run(const FrontendOptions &Options) {
    const CommandLine Command = commandOf(Job);
    Job.ClangArgs.clear();
    Job.Dropped.clear();
    const std::vector<std::string> Args =
        Command.IsNvcc ? withEnvironment(Command.Args) : Command.Args;
    translateAll(Command.dialect(), Args);
    if (!HasStandard)
      Job.ClangArgs.insert(Job.ClangArgs.begin(), "-std=gnu++17");
    if (Command.IsNvcc)
      defineVersion();
    chooseArchitecture(Options);
    chooseToolkit(Options);
  }

private:
  /// \p Args with what nvcc's environment adds. The launcher has done that.
  static std::vector<std::string> withEnvironment(ArrayRef<std::string> Args) {
    if (sys::Process::GetEnv("BANKSTRIPE_WRAPPED"))
      return Args.vec();
    auto FlagsIn = [](StringRef Variable) {
      return splitWords(sys::Process::GetEnv(Variable).value_or(""));
    };
    std::vector<std::string> All = FlagsIn("NVCC_PREPEND_FLAGS");
    append_range(All, Args);
    append_range(All, FlagsIn("NVCC_APPEND_FLAGS"));
    return All;
  }
  void keep(Twine Arg) { Job.ClangArgs.push_back(Arg.str()); }
  void keep(StringRef Name, StringRef Value) {
    Job.ClangArgs.push_back(Name.str());
    Job.ClangArgs.push_back(Value.str());
  }
  void keepList(StringRef Name, StringRef List) {
    for (const std::string &Item : splitAtCommas(List))
      keep(Name + Item);
  }
  void keepPairs(StringRef Name, StringRef List) {
    for (const std::string &Item : splitAtCommas(List))
      keep(Name, Item);
  }

  void translateAll(Dialect WrittenFor, ArrayRef<std::string> Args) {
    const std::vector<CompilerOption> Options = readOptions(WrittenFor, Args);
    // nvcc makes one list of what is for the host's compiler, which stands
    // before its own options.
    std::vector<std::string> ForHost;
    for (const CompilerOption &Option : Options)
      if (Option.Meaning == OptionMeaning::HostOptions)
        append_range(ForHost, splitHandedOn(Option.Value));
    if (!ForHost.empty())
      translateAll(Dialect::Host, ForHost);
    for (const CompilerOption &Option : Options) {
      if (Option.Meaning == OptionMeaning::HostOptions)
        continue;
      HasStandard |= Option.Meaning == OptionMeaning::Standard;
      if (Option.ToClang)
        append_range(Job.ClangArgs, Option.Words);
      else if (!translate(Option))
        append_range(Job.Dropped, Option.Words);
    }
  }

  /// \returns whether \p Option, which Clang does not take as it is, means
  /// something to this parse.
  bool translate(const CompilerOption &Option) {
    using M = OptionMeaning;
    const std::string &Value = Option.Value;
    const bool On = Value != "false" && Value != "0";
    for (const FixedTranslation &Fixed : FixedTranslations)
      if (Fixed.Meaning == Option.Meaning) {
        for (StringRef Arg : split(Fixed.Args, ' '))
          if (!Arg.empty())
            keep(Arg);
        return true;
      }
    switch (Option.Meaning) {
    case M::Input:
      return isThisFile(Value);
    case M::Include:
      return keepList("-I", Value), true;
    case M::Define:
      return keepList("-D", Value), true;
    case M::Undefine:
      return keepList("-U", Value), true;
    case M::SystemInclude:
      return keepPairs("-isystem", Value), true;
    case M::PreInclude:
      return keepPairs("-include", Value), true;
    case M::Standard:
      return keep("-std=" + Value), true;
    case M::TemplateDepth:
      return keep("-ftemplate-depth=" + Value), true;
    case M::Architecture:
    case M::GenerateCode:
      if (StringRef(Value).starts_with("all"))
        return addAll(Value), true;
      return Arches.addSpecification(Value), true;
    case M::HostLayout:
      return keep("-Xarch_host", Option.Words.front()), true;
    case M::Relocatable:
      return On && (keep("-fgpu-rdc"), true);
    case M::FlushDenormals:
      return On && (keep("-fgpu-flush-denormals-to-zero"), true);
    case M::FuseMultiplyAdd:
      return !On && (keep("-ffp-contract=off"), true);
    case M::DefaultStream:
      return Value == "per-thread" &&
             (keep("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"), true);
    case M::CudaPath:
      PathOfCommand = Value;
      return true;
    default:
      return false;
    }
  }

  /// `all`, `all-major`: which ones is for nvcc to say. What is predicted is
  /// for the usual one.
  void addAll(StringRef Word) {
    for (StringRef Arch : architecturesOf(Kit.Nvcc, Word))
      Arches.add(Arch);
    Arches.preferUsual();
  }

  /// An argument that is no option: the file of this job, or something else.
  bool isThisFile(const std::string &Arg) const {
    SmallString<256> Path(Arg);
    sys::path::make_absolute(Job.Directory, Path);
    return Arg == Job.File || Path == Job.File ||
           sys::fs::equivalent(Path, Job.File);
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
    keep(ArchOption + nearestKnownArch(Job.GpuArch));
  }

  void chooseToolkit(const FrontendOptions &Options) {
    Job.CudaPath = Kit.Root;
    if (Options.CudaPath.empty() && !PathOfCommand.empty()) {
      SmallString<256> Root(PathOfCommand);
      sys::path::make_absolute(Job.Directory, Root);
      if (auto Named = expectedToOptional(findToolkit(Root)))
        Job.CudaPath = Named->Root;
    }
    if (Job.CudaPath.empty())
      return;
    keep("--cuda-path=" + Job.CudaPath);
    // As nvcc.profile has them: before the user's system headers, which may be
    // those of another toolkit. Only thrust, CUB and libcu++, which CUDA 13
    // keeps in a folder below, come behind these.
    const std::string Include = Job.CudaPath + "/include";
    if (sys::fs::is_directory(Include))
      Job.ClangArgs.insert(Job.ClangArgs.begin(), {"-isystem", Include});
    if (sys::fs::is_directory(Include + "/cccl"))
      keep("-isystem", Include + "/cccl");
  }

  CompileJob &Job;
  const Toolkit &Kit;
  Architectures Arches;
  std::string PathOfCommand;
  bool HasStandard = false;
};

} // namespace

void translateCommand(CompileJob &Job, const FrontendOptions &Options,
                      const Toolkit &Kit) {
  Translator(Job, Kit).run(Options);
}

std::vector<CompileJob> otherArchitectures(const CompileJob &Job) {
  std::vector<CompileJob> Result;
  for (const std::string &Arch : Job.AllGpuArchs) {
    if (nearestKnownArch(Arch) == nearestKnownArch(Job.GpuArch))
      continue;
    CompileJob &Other = Result.emplace_back(Job);
    Other.GpuArch = Arch;
    Other.IsOtherArch = true;
    for (std::string &Arg : Other.ClangArgs)
      if (StringRef(Arg).starts_with(ArchOption))
        Arg = ArchOption.str() + nearestKnownArch(Arch);
  }
  return Result;
}

} // namespace bankstripe
