//===-- Frontend.h - from a command line to a parsed unit -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first arrow of the pipeline:
//
//   paths, compile database => compile jobs => device-side parse => ParsedUnit
//
// A command line written for nvcc is translated into one that Clang takes; what
// has no meaning to Clang is dropped and listed. One device-side parse sees the
// kernels and their launches both; another for the host is made on demand.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_FRONTEND_H
#define BANKSTRIPE_FRONTEND_FRONTEND_H

#include "model/Place.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <string>
#include <vector>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace bankstripe {

class GivenFolders;

/// What the user asked for, as far as parsing is concerned.
struct FrontendOptions {
  std::string GpuArch;  ///< `sm_90`; empty: from the command, else sm_90.
  std::string CudaPath; ///< Toolkit root; empty: look for one.
  std::string DatabaseDirectory; ///< `-p`: holds compile_commands.json.
  /// Without one, and without CompilerArgs, look for it around each path.
  bool LooksForDatabase = false;
  /// Where that has files below a folder, these are all that is taken of it.
  bool DatabaseTells = false;
  std::vector<std::string> ExtraArgs;    ///< `--extra-arg`.
  std::vector<std::string> CompilerArgs; ///< After `--` on our command line.
  std::vector<std::string> Exclude;      ///< `--exclude` globs.
  /// Commands of a compile database may run programs and write files.
  bool TrustsCommands = false;
};

/// One file to process, with the command that compiles it.
struct CompileJob {
  std::string File; ///< Real path.
  /// A link to it in another folder, if that is what compilers are given: they
  /// look for headers beside it. Or empty.
  std::string Link;
  std::string Directory;                 ///< Working directory of the command.
  std::vector<std::string> OriginalArgs; ///< As the database or the user gave
                                         ///< them, compiler first; may hold
                                         ///< only the compiler's name.
  std::vector<std::string> ClangArgs;    ///< What Clang is given, without the
                                         ///< program's name.
  std::vector<std::string> Dropped;      ///< Arguments that had no meaning.
  std::string GpuArch;                   ///< `sm_90`.
  /// All that code is made for; empty when the command names none.
  std::vector<std::string> AllGpuArchs;
  std::string CudaPath; ///< Empty: the built-in header serves.
  /// The compile database that the command is from, if nobody named it.
  std::string FoundDatabase;
  /// Of that command, what was left out (ForeignCommand.h), and what nvcc must
  /// not be given; empty: nothing.
  std::string Refused, OnlyForClang;
  bool OthersAreExcluded = false; ///< Files below the same paths.
  /// The command of another job, read for another of its architectures.
  bool IsOtherArch = false;
  /// What File is read with, in order of their places.
  std::vector<ExpandedMacro> Expanded;

  /// What compilers are given.
  const std::string &path() const { return Link.empty() ? File : Link; }
};

/// A CUDA toolkit on this machine.
struct Toolkit {
  std::string Root;    ///< Holds include/cuda_runtime.h; empty when none.
  std::string Nvcc;    ///< Path of nvcc; empty when only headers are there.
  std::string Version; ///< `13.0`; empty when unknown.
};

/// What `--exclude` leaves out.
class ExcludedFiles {
public:
  /// Nothing.
  ExcludedFiles() = default;
  /// An error if one of \p Globs is none.
  static llvm::Expected<ExcludedFiles>
  create(llvm::ArrayRef<std::string> Globs);
  /// Whether a glob matches \p File, which is absolute, or where it lies below
  /// \p Base.
  bool contain(llvm::StringRef File, llvm::StringRef Base) const;

private:
  std::vector<llvm::GlobPattern> Globs;
};

/// Looks for a toolkit: \p CudaPath if given, then CUDA_HOME, CUDA_PATH, the
/// folder of nvcc on PATH, /usr/local/cuda.
/// \returns an error only when \p CudaPath is given and holds none.
llvm::Expected<Toolkit> findToolkit(llvm::StringRef CudaPath);

/// The paths that stand for all CUDA files of the compile database in
/// \p DatabaseDirectory: the current folder, if any are below it, and each
/// other file. An error if there are none.
llvm::Expected<std::vector<std::string>>
databasePaths(llvm::StringRef DatabaseDirectory);

/// How the names of headers end.
inline constexpr llvm::StringLiteral HeaderSuffixes =
    ".h .hh .hpp .hxx .h++ .cuh .inl .inc .ipp .tpp";

/// Whether \p Folder holds headers and no source, as include/ does: given
/// beside others, it says that these headers may change.
bool holdsHeadersAlone(llvm::StringRef Folder);

/// All files that the compile database in \p Where names, whatever they are;
/// none if it cannot be read.
std::vector<std::string> databaseFiles(llvm::StringRef Where);

/// Expands \p Paths (files, or folders searched for .cu files or for entries of
/// the compile database) to compile jobs, sorted by file, each file and command
/// once. Errors: no such file, a folder without CUDA sources, a broken
/// database; the message says what to do.
llvm::Expected<std::vector<CompileJob>>
collectJobs(llvm::ArrayRef<std::string> Paths, const FrontendOptions &Options);

/// Translates one command line for nvcc or Clang into \p Job's ClangArgs and
/// Dropped. Exposed for tests.
void translateCommand(CompileJob &Job, const FrontendOptions &Options,
                      const Toolkit &Kit);

/// \p Job for each other architecture that its command names.
std::vector<CompileJob> otherArchitectures(const CompileJob &Job);

/// What a parse for the host shows that the one for the device does not.
enum class HostView {
  Same,   ///< Nothing, as far as is known.
  Read,   ///< It was read.
  Unknown ///< Clang could not read it.
};

/// Where predefined macros were expanded, directly or in other macros, and what
/// conditions left out.
struct MacroRecord {
  std::vector<clang::SourceLocation> Counters; ///< `__COUNTER__`.
  /// `__LINE__`, by macros of another file that are not for a message: they
  /// hold no string, and no `__FILE__`.
  std::vector<clang::SourceLocation> Lines;
  std::vector<clang::SourceRange> Skipped; ///< From the `#` of a condition.
};

/// A translation unit after a successful device-side parse. Valid only during
/// the callback of parseUnit.
class ParsedUnit {
public:
  virtual ~ParsedUnit() = default;
  virtual clang::CompilerInstance &compiler() = 0;
  /// Plays the events of the parse into \p Consumer, in order and to the end
  /// of the translation unit, as if it had been there during the parse.
  /// Code generation can so be decided on after the parse. At most once.
  virtual void replay(clang::ASTConsumer &Consumer) = 0;
  /// What the preprocessor made of predefined macros.
  virtual const MacroRecord &macros() = 0;
  /// Whether a source of the user's asks for what it is compiled
  /// (`__CUDA_ARCH__`).
  virtual bool asksForSide() = 0;
  /// The folders of system headers that it was told of (frontend/UserFiles.h).
  virtual GivenFolders givenFolders() = 0;
  /// Parses the file for the host too, and calls \p Action with that, if its
  /// sources ask for which side they are compiled (`__CUDA_ARCH__`), or an
  /// option is for that side alone.
  /// It may have errors, since Clang checks more of device code there than
  /// nvcc.
  virtual HostView
  readForHost(llvm::function_ref<void(ParsedUnit &)> Action) = 0;
  /// Where Clang found errors, in a parse for the host. What stands there is
  /// not known.
  virtual llvm::ArrayRef<clang::SourceLocation> errors() = 0;
};

/// How a parse went.
struct ParseOutcome {
  bool UsedShim = false; ///< The file needed the nvcc compatibility header.
  bool UsedBuiltinHeader = false; ///< No toolkit: the built-in declarations.
};

/// Sees what a parse depends on besides its job.
class ParseWatch {
public:
  virtual ~ParseWatch() = default;
  /// \returns \p Disk, or what stands between it and the parse.
  virtual llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  watch(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk) = 0;
  /// The parse depends on what \p Nvcc says, and on \p HostCompiler that the
  /// command names; empty if it names none.
  virtual void askedNvcc(llvm::StringRef /*Nvcc*/,
                         llvm::StringRef /*HostCompiler*/) {}
  /// The source asks for the time (`__TIME__` and the like).
  virtual void sawTime() = 0;
};

/// Parses the file of \p Job and calls \p Action if that gave no error.
/// A file that Clang rejects, or that asks who compiles it, is tried again with
/// the shim header, and with what errors say about the differences to nvcc.
/// Those that are left are printed to \p Diagnostics.
/// \returns an error (with a message that names the file) when the file cannot
/// be read or parsed. Safe to call from several threads at once. \p Watch, if
/// there is one, has to outlive the call.
llvm::Expected<ParseOutcome>
parseUnit(const CompileJob &Job, llvm::raw_ostream &Diagnostics,
          llvm::function_ref<void(ParsedUnit &)> Action,
          ParseWatch *Watch = nullptr);

} // namespace bankstripe

#endif
