//===-- CompilerOptions.h - compilers' options and their meaning -*- C++ -*-==//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one description of nvcc's options. Of the other compilers' options,
// Clang's own table says how they are spelled, and rules here what a parse can
// see of them. Whoever reads a command line reads it through this:
// translation, confirmation, the launcher and the cache.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_COMPILEROPTIONS_H
#define BANKSTRIPE_FRONTEND_COMPILEROPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

enum class OptionMeaning {
  None,  ///< Nothing that anybody here asks for.
  Input, ///< No option, but a file; `-` is standard input.
  // What the source means.
  Include,       ///< A folder for `#include`.
  QuoteInclude,  ///< One only for `#include "x"`.
  SystemInclude, ///< A folder of system headers.
  PreInclude,    ///< A file to include first.
  Define,
  Undefine,
  Standard, ///< The version of C++.
  Language, ///< What the input is.
  TemplateDepth,
  DefaultStream,
  ExtendedLambda,
  RelaxedConstexpr,
  NoExceptions,
  OpenMP,
  // What device code is made.
  Architecture,      ///< `sm_90`, `compute_90`, `native`, `all`.
  GenerateCode,      ///< `arch=compute_90,code=sm_90`.
  Relocatable,       ///< `true`: device code of several files is linked.
  RelocatableObject, ///< An object with device code that is linked later.
  FastMath,
  FlushDenormals,
  FuseMultiplyAdd,
  DeviceDebug,
  // Which compilers do it.
  CudaPath,
  Side, ///< Whether code for the host, the device or both is made.
  HostCompiler,
  HostOptions,
  HostLayout, ///< How the host's compiler lays objects out.
  // What the command makes, and where.
  NoCompile, ///< It is no compile.
  NotLinked, ///< An object or a library, which others are linked with.
  Library,   ///< One that is linked with it, by the name behind `-l`.
  LinkerOptions,
  Module, ///< Device code on its own, in a file with the option's name.
  Assembly,
  Output,
  OutputFolder,
  WritesDependencies,
  DependencyFile,
  DependencyTarget,
};

/// What becomes of an option's value when nvcc is given it. nvcc hands it on to
/// other programs, through a shell.
enum class ValueUse {
  Word,     ///< It is checked, or handed on as it is.
  Text,     ///< A name or a path, which stands in double quotes then.
  ForHost,  ///< Options of the host's compiler.
  ForPtxas, ///< Options of ptxas.
  ForCudafe,
  Trusted, ///< It names a program to run, or one's options that can write.
};

/// One option, or one input, as it stands on a command line.
struct CompilerOption {
  OptionMeaning Meaning = OptionMeaning::None;
  /// The arguments that it takes up, which belong to who asked.
  llvm::ArrayRef<std::string> Words;
  std::string Value;    ///< Empty when it takes none or has none.
  bool ToClang = false; ///< A parse needs it, as it is spelled. All that it
                        ///< needs of nvcc's own options it gets translated.
  bool ToCubin = true;  ///< nvcc makes other device code without it, or may.
  ValueUse Use = ValueUse::Word;
};

/// Whom options are written for.
enum class Dialect {
  Nvcc,
  Host, ///< The compiler that nvcc hands the host's code to, such as GCC.
  Clang,
};

/// Whether \p Name is one of \p Names, which blanks separate.
bool isAmong(llvm::StringRef Name, llvm::StringRef Names);

/// Whether \p Text starts with one of \p Prefixes, which blanks separate.
bool startsWithAny(llvm::StringRef Text, llvm::StringRef Prefixes);

/// Takes \p Args, without the compiler, apart. Of what nvcc does not know, it
/// is assumed that the host's compiler does.
std::vector<CompilerOption> readOptions(Dialect WrittenFor,
                                        llvm::ArrayRef<std::string> Args);

} // namespace bankstripe

#endif
