//===-- SourceRewriter.h - one source behind the launcher ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_SOURCEREWRITER_H
#define BANKSTRIPE_TOOL_SOURCEREWRITER_H

#include "copies/Shadow.h"
#include "facts/Archive.h"
#include "tool/Pipeline.h"
#include "wrap/Command.h"

namespace bankstripe {

/// The value of a variable of the environment; empty without one.
std::string environment(const char *Name);

/// Whether it has one, other than 0.
bool isSet(const char *Name);

/// Says \p Message where the user asks for such (`BANKSTRIPE_VERBOSE`).
void note(const llvm::Twine &Message);

void warn(const llvm::Twine &Message);

/// One run of the user's own compiler.
struct OwnCompile {
  ProcessResult Ended; ///< Without what only we asked ptxas for.
  std::string Report;  ///< Of ptxas.
  double Seconds = 0;
  std::map<std::string, std::string> Depfiles; ///< Their texts.
};

/// What became of one source, or of all of a command.
struct SourceResult {
  enum Kind {
    Unchanged,
    Rewritten,
    Unknown, ///< Nobody has read it before.
    Unreadable,
    NoFlags,
    Interrupted
  };
  Kind What = Unchanged;
  std::string Message = {}; ///< Why not, or not all of it.
  /// The copies with their originals, that of a single source first.
  std::vector<std::pair<std::string, std::string>> Copies = {};
  std::string QuoteFolder = {};
  std::string Decisions = {}; ///< The file that was obeyed; empty: none.
  std::map<std::string, int64_t> Counts = {}; ///< As in CompileStats.
  std::vector<std::string> Unfulfilled = {};  ///< Decisions, and why.
  /// Copies are to be compiled with ptxas' report, as those were that ptxas was
  /// asked about: so caches of objects find them.
  bool Reports = false;
  /// The compile of the copies, if that was done by the way.
  std::optional<OwnCompile> Compiled = {};
  std::string Refused = {}; ///< Why a copy does not compile; empty: it does.
  /// The compile of the source as it is, if that was done by the way.
  std::optional<OwnCompile> AsIs = {};
};

/// Whether \p Command itself asks ptxas to report.
bool asksPtxas(const CompilerCommand &Command);

/// Runs \p Command with \p CopyOf in the place of sources, which are found as
/// \p QuoteFolder says. With \p Reports ptxas reports.
OwnCompile compileOwn(const CompilerCommand &Command,
                      const std::map<std::string, std::string> &CopyOf,
                      llvm::StringRef QuoteFolder, bool Reports);

/// What the compiler has against \p Copy.
std::string refusalOf(llvm::StringRef Copy, const ProcessResult &Ended);

/// Where the object of the original lies while a copy is compiled.
std::string keptObject(const CompilerCommand &Command);

/// Puts it there, once. \returns whether it is there.
bool keepObject(const CompilerCommand &Command);

/// One source of a command.
class SourceRewriter {
public:
  /// \p Command has no other source, and is the user's if it \p IsWhole.
  /// \p Flags are options of `rewrite`.
  SourceRewriter(CompilerCommand Command, std::vector<std::string> Flags,
                 bool IsWhole)
      : Command(std::move(Command)), Flags(std::move(Flags)), IsWhole(IsWhole) {
  }

  /// \returns whether its includes can be read.
  bool readIncludes();
  /// Makes copies in which arrays have moved. With \p IfKnown nothing is
  /// parsed; \p AsIs is a compile of this source alone.
  SourceResult askApart(bool IfKnown, const OwnCompile *AsIs = nullptr) const;

  const CompilerCommand &command() const { return Command; }
  const IncludeTree &tree() const { return Tree; }
  std::string folder() const { return shadowFolder(Command.Output); }

private:
  std::optional<ToolOptions> readOptions() const;
  SourceResult rewrite(bool IfKnown, const OwnCompile *AsIs) const;
  SourceResult rewriteWith(const ToolOptions &Options, bool IfKnown,
                           const OwnCompile *AsIs) const;
  std::optional<NvccCompile> compileOriginal(SourceResult &Result) const;
  void compileChanged(llvm::ArrayRef<ChangedFile> Changes, bool KeepsObject,
                      SourceResult &Result) const;
  SourceResult copyWith(llvm::ArrayRef<ChangedFile> Changes) const;

  CompilerCommand Command;
  std::vector<std::string> Flags;
  bool IsWhole;
  IncludeTree Tree;
};
} // namespace bankstripe

#endif
