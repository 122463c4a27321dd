//===-- CompilerOptions.cpp - compilers' options and their meaning --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc has a long and a short name for each option and takes either with one
// dash or two. A value follows in the next argument or after `=`; those with
// a one-letter name also take it glued on (`-Idir`). Which options take a value
// has to be known for all of them, also for those that mean nothing here, or
// else the value of one would be taken for an input file.
//
//===----------------------------------------------------------------------===//

#include "frontend/CompilerOptions.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

using namespace llvm;

namespace bankstripe {
namespace {

enum class Takes { Nothing, Value };
using enum Takes;

/// Whether the compile to a cubin, which asks ptxas about the device code,
/// repeats the option.
enum class InCubin { Yes, No };
using enum InCubin;

/// Options of one kind.
struct NvccOptions {
  StringLiteral Names; ///< Long and short ones.
  Takes What;
  OptionMeaning Meaning = OptionMeaning::None;
  InCubin Repeated = Yes;
  ValueUse Use = ValueUse::Word;
};

using M = OptionMeaning;
using U = ValueUse;

constexpr NvccOptions NvccTable[] = {
    // What the source means.
    {"include-path I", Value, M::Include, Yes, U::Text},
    {"system-include isystem", Value, M::SystemInclude, Yes, U::Text},
    {"pre-include include", Value, M::PreInclude, Yes, U::Text},
    {"define-macro D", Value, M::Define, Yes, U::Text},
    {"undefine-macro U", Value, M::Undefine, Yes, U::Text},
    {"std", Value, M::Standard},
    {"language x", Value, M::Language},
    {"ftemplate-depth", Value, M::TemplateDepth},
    {"extended-lambda expt-extended-lambda", Nothing, M::ExtendedLambda},
    {"expt-relaxed-constexpr", Nothing, M::RelaxedConstexpr},
    {"default-stream", Value, M::DefaultStream},
    {"no-exceptions noeh", Nothing, M::NoExceptions},
    // What device code is made. There is one architecture in a cubin.
    {"gpu-architecture arch gpu-code code", Value, M::Architecture, No},
    {"generate-code gencode", Value, M::GenerateCode, No},
    {"relocatable-device-code rdc", Value, M::Relocatable},
    {"device-c dc device-w dw", Nothing, M::RelocatableObject, No},
    {"use_fast_math use-fast-math", Nothing, M::FastMath},
    {"ftz", Value, M::FlushDenormals},
    {"fmad", Value, M::FuseMultiplyAdd},
    {"device-debug G", Nothing, M::DeviceDebug},
    {"prec-div prec-sqrt maxrregcount optimize O dopt Ofast-compile Ofc "
     "optimization-info opt-info entries e jump-table-density jtd "
     "device-stack-protector sanitize machine m",
     Value},
    {"extensible-whole-program ewp extra-device-vectorization "
     "generate-line-info lineinfo debug g profile pg m64 restrict "
     "keep-device-functions source-in-ptx src-in-ptx relocatable-ptx "
     "reloc-ptx no-align-double no-host-device-initializer-list nohdinitlist "
     "no-host-device-move-forward nohdmoveforward compile-as-tools-patch "
     "astoolspatch",
     Nothing},
    // What the command makes.
    {"compile c link shared relocatable-link r", Nothing, M::NotLinked, No},
    {"ptx cubin fatbin ltoir", Nothing, M::Module, No},
    {"optix-ir cuda preprocess E generate-dependencies M "
     "generate-nonsystem-dependencies MM device-link dlink lib run dryrun "
     "fdevice-syntax-only clean-targets clean list-gpu-arch arch-ls "
     "list-gpu-code code-ls help h version V",
     Nothing, M::NoCompile, No},
    // Outputs and dependency files.
    {"output-file o", Value, M::Output, No},
    {"output-directory odir", Value, M::OutputFolder, No},
    {"generate-dependencies-with-compile MD "
     "generate-nonsystem-dependencies-with-compile MMD",
     Nothing, M::WritesDependencies, No},
    {"dependency-output MF", Value, M::DependencyFile, No},
    {"dependency-target-name MT dependency-target-name-quoted MQ", Value,
     M::DependencyTarget, No},
    {"generate-dependency-targets MP keep save-temps verbose v "
     "objdir-as-tempdir objtemp lto dlink-time-opt dlto gen-opt-lto "
     "no-device-link nodlink no-compress jobserver augment-host-linker-script "
     "aug-hls resource-usage res-usage",
     Nothing, M::None, No},
    {"keep-dir time fdevice-time-trace threads t split-compile "
     "split-compile-extended dependency-drive-prefix ddp run-args",
     Value, M::None, No},
    {"input-drive-prefix idp drive-prefix dp", Value},
    // Other programs.
    {"compiler-options Xcompiler", Value, M::HostOptions, Yes, U::ForHost},
    {"compiler-bindir ccbin", Value, M::HostCompiler, Yes, U::Trusted},
    {"ptxas-options Xptxas", Value, M::None, Yes, U::ForPtxas},
    {"cudafe-options Xcudafe", Value, M::None, Yes, U::ForCudafe},
    {"nvvm-options Xnvvm cicc-options Xcicc libdevice-directory ldir "
     "qpp-config",
     Value, M::None, Yes, U::Trusted},
    {"library l", Value, M::Library, No},
    {"linker-options Xlinker", Value, M::LinkerOptions, No},
    {"library-path L cudart cudadevrt "
     "archive-options Xarchive nvlink-options Xnvlink archiver-binary arbin "
     "host-linker-script hls fatbin-options Xfatbin",
     Value, M::None, No},
    {"target-directory target-dir static-global-template-stub "
     "device-entity-has-hidden-visibility compress-mode frandom-seed",
     Value},
    {"forward-unknown-to-host-compiler forward-unknown-to-host-linker "
     "forward-unknown-opts allow-unsupported-compiler",
     Nothing},
    // NVRTC's own.
    {"device-as-default-execution-space default-device device-int128 minimal "
     "device-float128 no-source-include no-cache pch",
     Nothing, M::None, No},
    {"builtin-move-forward builtin-initializer-list create-pch use-pch pch-dir",
     Value, M::None, No},
    // Diagnostics.
    {"Werror diag-error diag-suppress diag-warn brief-diagnostics brief-diag "
     "ftemplate-backtrace-limit",
     Value},
    {"disable-warnings w display-error-number err-no no-display-error-number "
     "no-err-no Wreorder Wdefault-stream-launch Wmissing-launch-bounds "
     "Wext-lambda-captures-this Wno-deprecated-declarations "
     "Wno-deprecated-gpu-targets",
     Nothing},
};

const NvccOptions *lookUp(StringRef Name) {
  const auto *Found = find_if(
      NvccTable, [&](const NvccOptions &O) { return isAmong(Name, O.Names); });
  return Found == std::end(NvccTable) ? nullptr : Found;
}

/// The option of which \p Name is a one-letter name and its value.
const NvccOptions *lookUpGlued(StringRef Name) {
  const StringRef Letter = Name.take_front(1), Rest = Name.drop_front();
  const NvccOptions *Found = lookUp(Letter);
  if (!Found || Found->What != Value || Rest.empty())
    return nullptr;
  // -t8 is one, -trigraphs is none; -m64 is one, -march=native is none.
  const bool Numeric = isAmong(Letter, "t m O");
  // One letter that starts the names of many of the host compiler's options.
  const bool Never = isAmong(Letter, "e x") && Name != "xcu";
  return Never || (Numeric && !all_of(Rest, llvm::isDigit)) ? nullptr : Found;
}

/// Reads the option at the front of \p Args.
/// \returns whether nvcc has it.
bool readNvccOption(ArrayRef<std::string> Args, CompilerOption &Option) {
  StringRef Arg = Args.front();
  const bool TwoDashes = Arg.consume_front("--");
  if (!TwoDashes)
    Arg.consume_front("-");
  const auto [Name, AfterEquals] = Arg.split('=');
  unsigned Count = 1;
  const NvccOptions *Found = lookUp(Name);
  if (!Found) {
    Found = TwoDashes ? nullptr : lookUpGlued(Arg);
    if (!Found)
      return false;
    Option.Value = Arg.drop_front().str();
  } else if (Found->What == Value && Arg.contains('=')) {
    Option.Value = AfterEquals.str();
  } else if (Found->What == Value && Args.size() > 1) {
    Option.Value = Args[Count++];
  } else if (Found->Meaning == M::Module) {
    Option.Value = Name.str();
  }
  Option.Meaning = Found->Meaning;
  Option.Words = Args.take_front(Count);
  Option.ToCubin = Found->Repeated == Yes;
  Option.Use = Found->Use;
  return true;
}

// What a parse can see of the options of GCC and Clang, by how they begin.

/// What it cannot: diagnostics, outputs, instrumentation, and what is for the
/// host's code only. These count before the others.
constexpr StringLiteral NeverSeen =
    "-include-pch -framework -fsyntax-only -fcolor- -fno-color- "
    "-fdiagnostics- -fno-diagnostics- -fansi- -fcaret- -fshow- "
    "-fmessage-length -ferror-limit -ftime- -fsanitize -fno-sanitize "
    "-fprofile -fcoverage -fplugin -fpass-plugin -flto -fno-lto -fuse-ld "
    "-fsave- -fstack- -fcf-protection -fPI -fpi -fmodule -fpch -fdebug- "
    "-femit- -fembed- -fintegrated- -march= -mtune= -mcpu= -mllvm";

constexpr StringLiteral AlwaysSeen =
    "-I -D -U -isystem -iquote -include -imacros -idirafter -isysroot "
    "-iprefix -iwithprefix -std= --std= -m32 -m64 -pthread -ansi -trigraphs "
    "-nostdinc -fexceptions -fno-exceptions -frtti -fno-rtti -fsigned-char "
    "-fno-signed-char -fno-unsigned-char "
    "-funsigned-char -fchar8_t -fno-char8_t -fms-extensions -fpermissive "
    "-fno-operator-names -fshort- -ffreestanding -fno-builtin -fcoroutines "
    "-ftemplate-depth -fconstexpr- -fgnu --sysroot -cxx-isystem -Xclang "
    "-Xarch_ -fcuda- -fno-cuda- -fgpu- -fno-gpu- -nocuda -nogpu "
    "--cuda-feature= --no-cuda-version-check -target --target= "
    "-resource-dir --gcc- -stdlib=";

/// Further ones, in a command for Clang. What GCC has beside these may mean
/// nothing to Clang.
constexpr StringLiteral SeenForClang =
    "-f -m -i -std -nostd -nobuiltininc -undef -B -ccc- "
    "-no-canonical-prefixes";

bool isSeen(StringRef Arg, Dialect WrittenFor) {
  return !startsWithAny(Arg, NeverSeen) &&
         (startsWithAny(Arg, AlwaysSeen) ||
          (WrittenFor == Dialect::Clang && startsWithAny(Arg, SeenForClang)));
}

/// \p Name as Clang's table has it, without aliases.
OptionMeaning meaningForClang(StringRef Name) {
  return StringSwitch<OptionMeaning>(Name)
      .Case("-I", M::Include)
      .Case("-iquote", M::QuoteInclude)
      .Case("-isystem", M::SystemInclude)
      .Case("-include", M::PreInclude)
      .Case("-D", M::Define)
      .Case("-U", M::Undefine)
      .Case("-std=", M::Standard)
      .Case("-x", M::Language)
      .Case("--offload-arch=", M::Architecture)
      .Case("--cuda-path=", M::CudaPath)
      .Cases({"--offload-device-only", "--offload-host-only",
              "--offload-host-device"},
             M::Side)
      .Case("-fgpu-rdc", M::Relocatable)
      .Cases({"-c", "-r", "-shared"}, M::NotLinked)
      .Case("-S", M::Assembly)
      .Cases({"-E", "-M", "-MM", "-fsyntax-only", "-###", "-help", "--help",
              "--version"},
             M::NoCompile)
      .Case("-o", M::Output)
      .Cases({"-MD", "-MMD"}, M::WritesDependencies)
      .Case("-MF", M::DependencyFile)
      .Cases({"-MT", "-MQ"}, M::DependencyTarget)
      .Default(M::None);
}

void readHostOption(Dialect WrittenFor, ArrayRef<std::string> Args,
                    CompilerOption &Option) {
  SmallVector<const char *, 2> Argv;
  for (const std::string &Arg : Args.take_front(2))
    Argv.push_back(Arg.c_str());
  const opt::InputArgList List(Argv.begin(), Argv.end());
  unsigned Count = 0;
  const auto Parsed = clang::getDriverOptTable().ParseOneArg(
      List, Count, opt::Visibility(opt::DefaultVis));
  Option.Words = Args.take_front(std::clamp<size_t>(Count, 1, Args.size()));
  StringRef Arg = Args.front();
  if (Arg.starts_with("-fopenmp"))
    Option.Meaning = M::OpenMP;
  else if (WrittenFor == Dialect::Host &&
           startsWithAny(Arg, "-fpack-struct -mlong-double-"))
    Option.Meaning = M::HostLayout;
  else if (WrittenFor == Dialect::Host &&
           (Arg == "-Xpreprocessor" || Arg.starts_with("-Wp,")))
    Option.Meaning = M::HostOptions;
  else if (Parsed)
    Option.Meaning = meaningForClang(
        Parsed->getOption().getUnaliasedOption().getPrefixedName());
  if (Parsed)
    Option.Value = join(Parsed->getValues(), ",");
  Option.ToClang = Option.Meaning != M::OpenMP && isSeen(Arg, WrittenFor);
  Option.ToCubin = Option.Meaning < M::NoCompile;
  Option.Use = U::ForHost;
}

} // namespace

bool isAmong(StringRef Name, StringRef Names) {
  return is_contained(split(Names, ' '), Name);
}

bool startsWithAny(StringRef Text, StringRef Prefixes) {
  return any_of(split(Prefixes, ' '),
                [&](StringRef Prefix) { return Text.starts_with(Prefix); });
}

std::vector<CompilerOption> readOptions(Dialect WrittenFor,
                                        ArrayRef<std::string> Args) {
  std::vector<CompilerOption> Options;
  while (!Args.empty()) {
    StringRef Arg = Args.front();
    CompilerOption Option;
    if (Arg == "--") { // Only inputs can follow.
      Args = Args.drop_front();
      continue;
    }
    if (!Arg.starts_with("-") || Arg == "-")
      Option = {OptionMeaning::Input, Args.take_front(1), Args.front()};
    else if (WrittenFor != Dialect::Nvcc)
      readHostOption(WrittenFor, Args, Option);
    else if (!readNvccOption(Args, Option))
      readHostOption(Dialect::Host, Args, Option);
    Args = Args.drop_front(Option.Words.size());
    Options.push_back(std::move(Option));
  }
  return Options;
}

} // namespace bankstripe
