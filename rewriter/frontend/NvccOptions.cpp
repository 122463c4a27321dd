//===-- NvccOptions.cpp - nvcc's options and what they mean here ----------===//
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

#include "frontend/NvccOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace bankstripe {
namespace {

enum class Takes { Nothing, Value };

struct Entry {
  StringLiteral Long;
  StringLiteral Short;
  Takes What;
  NvccMeaning Meaning = NvccMeaning::Drop;
};

using M = NvccMeaning;

constexpr Entry Table[] = {
    // What the source means.
    {"include-path", "I", Takes::Value, M::Include},
    {"system-include", "isystem", Takes::Value, M::SystemInclude},
    {"pre-include", "include", Takes::Value, M::PreInclude},
    {"define-macro", "D", Takes::Value, M::Define},
    {"undefine-macro", "U", Takes::Value, M::Undefine},
    {"std", "std", Takes::Value, M::Standard},
    {"x", "x", Takes::Value, M::Language},
    {"language", "language", Takes::Value, M::Language},
    {"compiler-options", "Xcompiler", Takes::Value, M::HostOptions},
    {"extended-lambda", "expt-extended-lambda", Takes::Nothing,
     M::ExtendedLambda},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Takes::Nothing,
     M::RelaxedConstexpr},
    {"default-stream", "default-stream", Takes::Value, M::DefaultStream},
    {"no-exceptions", "noeh", Takes::Nothing, M::NoExceptions},
    // What device code is generated.
    {"gpu-architecture", "arch", Takes::Value, M::Architecture},
    {"gpu-code", "code", Takes::Value, M::Architecture},
    {"generate-code", "gencode", Takes::Value, M::GenerateCode},
    {"relocatable-device-code", "rdc", Takes::Value, M::Relocatable},
    {"device-c", "dc", Takes::Nothing, M::RelocatableAlways},
    {"device-w", "dw", Takes::Nothing, M::RelocatableAlways},
    {"use_fast_math", "use-fast-math", Takes::Nothing, M::FastMath},
    {"ftz", "ftz", Takes::Value, M::FlushDenormals},
    {"fmad", "fmad", Takes::Value, M::FuseMultiplyAdd},
    {"device-debug", "G", Takes::Nothing, M::DeviceDebug},
    {"prec-div", "prec-div", Takes::Value},
    {"prec-sqrt", "prec-sqrt", Takes::Value},
    {"maxrregcount", "maxrregcount", Takes::Value},
    {"optimize", "O", Takes::Value},
    {"dopt", "dopt", Takes::Value},
    {"Ofast-compile", "Ofc", Takes::Value},
    {"optimization-info", "opt-info", Takes::Value},
    {"entries", "e", Takes::Value},
    // Phases, outputs and dependency files.
    {"output-file", "o", Takes::Value},
    {"output-directory", "odir", Takes::Value},
    {"dependency-output", "MF", Takes::Value},
    {"dependency-target-name", "MT", Takes::Value},
    {"dependency-target-name-quoted", "MQ", Takes::Value},
    {"keep-dir", "keep-dir", Takes::Value},
    {"time", "time", Takes::Value},
    {"threads", "t", Takes::Value},
    {"split-compile", "split-compile", Takes::Value},
    {"split-compile-extended", "split-compile-extended", Takes::Value},
    {"fdevice-time-trace", "fdevice-time-trace", Takes::Value},
    {"input-drive-prefix", "idp", Takes::Value},
    {"dependency-drive-prefix", "ddp", Takes::Value},
    {"drive-prefix", "dp", Takes::Value},
    {"run-args", "run-args", Takes::Value},
    {"qpp-config", "qpp-config", Takes::Value},
    {"sanitize", "sanitize", Takes::Value},
    // Other programs.
    {"library", "l", Takes::Value},
    {"library-path", "L", Takes::Value},
    {"libdevice-directory", "ldir", Takes::Value},
    {"target-directory", "target-dir", Takes::Value},
    {"compiler-bindir", "ccbin", Takes::Value},
    {"archiver-binary", "arbin", Takes::Value},
    {"cudart", "cudart", Takes::Value},
    {"cudadevrt", "cudadevrt", Takes::Value},
    {"linker-options", "Xlinker", Takes::Value},
    {"archive-options", "Xarchive", Takes::Value},
    {"ptxas-options", "Xptxas", Takes::Value},
    {"nvlink-options", "Xnvlink", Takes::Value},
    {"fatbin-options", "Xfatbin", Takes::Value},
    {"cudafe-options", "Xcudafe", Takes::Value},
    {"nvvm-options", "Xnvvm", Takes::Value},
    {"cicc-options", "Xcicc", Takes::Value},
    {"host-linker-script", "hls", Takes::Value},
    {"static-global-template-stub", "static-global-template-stub",
     Takes::Value},
    {"device-entity-has-hidden-visibility",
     "device-entity-has-hidden-visibility", Takes::Value},
    {"device-stack-protector", "device-stack-protector", Takes::Value},
    {"compress-mode", "compress-mode", Takes::Value},
    {"frandom-seed", "frandom-seed", Takes::Value},
    {"jump-table-density", "jtd", Takes::Value},
    {"machine", "m", Takes::Value},
    // Diagnostics.
    {"Werror", "Werror", Takes::Value},
    {"diag-error", "diag-error", Takes::Value},
    {"diag-suppress", "diag-suppress", Takes::Value},
    {"diag-warn", "diag-warn", Takes::Value},
    {"brief-diagnostics", "brief-diag", Takes::Value},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", Takes::Value},
    // Flags that mean nothing here, as far as they would be mistaken for
    // others: -lineinfo for a library, -dc for a macro.
    {"generate-line-info", "lineinfo", Takes::Nothing},
    {"lib", "lib", Takes::Nothing},
    {"link", "link", Takes::Nothing},
    {"list-gpu-arch", "arch-ls", Takes::Nothing},
    {"list-gpu-code", "code-ls", Takes::Nothing},
    {"lto", "lto", Takes::Nothing},
    {"ltoir", "ltoir", Takes::Nothing},
    {"dlink-time-opt", "dlto", Takes::Nothing},
    {"device-link", "dlink", Takes::Nothing},
    {"optix-ir", "optix-ir", Takes::Nothing},
    {"objdir-as-tempdir", "objtemp", Takes::Nothing},
    {"m64", "m64", Takes::Nothing},
    {"disable-warnings", "w", Takes::Nothing},
    {"debug", "g", Takes::Nothing},
    {"profile", "pg", Takes::Nothing},
    {"extensible-whole-program", "ewp", Takes::Nothing},
    {"display-error-number", "err-no", Takes::Nothing},
    {"no-display-error-number", "no-err-no", Takes::Nothing},
    {"extra-device-vectorization", "extra-device-vectorization",
     Takes::Nothing},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler",
     Takes::Nothing},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker",
     Takes::Nothing},
    {"forward-unknown-opts", "forward-unknown-opts", Takes::Nothing},
    {"fdevice-syntax-only", "fdevice-syntax-only", Takes::Nothing},
};

const Entry *lookUp(StringRef Name) {
  const auto *Found = find_if(
      Table, [&](const Entry &E) { return E.Long == Name || E.Short == Name; });
  return Found == std::end(Table) ? nullptr : Found;
}

/// The option of which \p Name is a one-letter short name and its value.
const Entry *lookUpGlued(StringRef Name) {
  const auto *Found = find_if(Table, [&](const Entry &E) {
    return E.What == Takes::Value && E.Short.size() == 1 && Name.size() > 1 &&
           Name.starts_with(E.Short);
  });
  if (Found == std::end(Table))
    return nullptr;
  // -t8 is one, -trigraphs is none; -m64 is one, -march=native is none.
  const bool Numeric = is_contained({"t", "m", "O"}, Found->Short);
  const bool IsNumber = all_of(Name.drop_front(), llvm::isDigit);
  // One letter that starts the names of many of the host compiler's options.
  const bool Never = is_contained({"e", "x"}, Found->Short) && Name != "xcu";
  return Never || (Numeric && !IsNumber) ? nullptr : Found;
}

} // namespace

std::optional<NvccOption> readNvccOption(ArrayRef<std::string> Args) {
  StringRef Arg = Args.front();
  const bool TwoDashes = Arg.consume_front("--");
  if (!TwoDashes && !Arg.consume_front("-"))
    return std::nullopt;

  NvccOption Option;
  const auto [Name, AfterEquals] = Arg.split('=');
  if (const Entry *E = lookUp(Name)) {
    Option.Meaning = E->Meaning;
    if (E->What == Takes::Nothing)
      return Option;
    if (Arg.contains('=')) {
      Option.Value = AfterEquals.str();
    } else if (Args.size() > 1) {
      Option.Value = Args[1];
      Option.Arguments = 2;
    }
    return Option;
  }
  if (TwoDashes)
    return std::nullopt;
  if (const Entry *E = lookUpGlued(Arg)) {
    Option.Meaning = E->Meaning;
    Option.Value = Arg.drop_front().str();
    return Option;
  }
  return std::nullopt;
}

} // namespace bankstripe
