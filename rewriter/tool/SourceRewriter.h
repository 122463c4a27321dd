//===-- SourceRewriter.h - one source behind the launcher ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_SOURCEREWRITER_H
#define BANKSTRIPE_TOOL_SOURCEREWRITER_H

#include "facts/Archive.h"
#include "tool/Pipeline.h"
#include "wrap/Command.h"
#include "wrap/Shadow.h"

namespace bankstripe {

/// The value of a variable of the environment; empty without one.
std::string environment(const char *Name);

/// Whether it has one, other than 0.
bool isSet(const char *Name);

/// Says \p Message where the user asks for such (`BANKSTRIPE_VERBOSE`).
void note(const llvm::Twine &Message);

void warn(const llvm::Twine &Message);

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
  std::string Message = {};
  /// The copies with their originals, that of a single source first.
  std::vector<std::pair<std::string, std::string>> Copies = {};
  std::string QuoteFolder = {};
  std::string Decisions = {}; ///< The file that was obeyed; empty: none.
  std::map<std::string, int64_t> Counts = {}; ///< As in CompileStats.
  std::vector<std::string> Unfulfilled = {};  ///< Decisions, and why.
};

BANKSTRIPE_FIELDS(SourceResult, What, Message, Copies, QuoteFolder, Decisions,
                  Counts, Unfulfilled)

/// The user's own compile, where that came first.
struct OwnCompile {
  ProcessResult Ended;
  std::string Report; ///< Of ptxas.
};

/// One source of a command.
class SourceRewriter {
public:
  /// \p Command has no other source. \p Flags are options of `rewrite`.
  SourceRewriter(CompilerCommand Command, std::vector<std::string> Flags)
      : Command(std::move(Command)), Flags(std::move(Flags)) {}

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
  SourceResult rewriteWith(const ToolOptions &Options, bool HeadersChange,
                           bool IfKnown, const OwnCompile *AsIs) const;
  SourceResult copyWith(llvm::ArrayRef<ChangedFile> Changes) const;

  CompilerCommand Command;
  std::vector<std::string> Flags;
  IncludeTree Tree;
};
} // namespace bankstripe

#endif
