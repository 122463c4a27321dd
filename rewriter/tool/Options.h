//===-- Options.h - the command line ----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_OPTIONS_H
#define BANKSTRIPE_TOOL_OPTIONS_H

#include "bench/Program.h"
#include "decisions/Decisions.h"
#include "plan/MakePlan.h"
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// Exit codes, as --help says.
enum ExitCode {
  ExitDone = 0,
  ExitChanges = 1, ///< `--check` found changes, or verification failed.
  ExitUsage = 2,
  ExitSomeFailed = 3, ///< Some file could not be processed.
};

enum class Command { Analyze, Rewrite, Verify, Tune };
enum class OutputFormat { Text, Json, Sarif };
enum class RewriteMode { DryRun, InPlace, OutputDirectory, Check };

/// Which files are read, and how.
struct ReadingOptions {
  std::vector<std::string> Paths;
  /// Files below it that a source includes may change as well, but no system
  /// headers; empty: only what Paths name.
  std::string OwnTree;
  FrontendOptions Frontend;
  DecisionsChoice Config;
  WorkOptions Work;
  bool NoCache = false; ///< Without answers of earlier runs.
  /// `--output-dir`: what an earlier run wrote there is no source. Or empty.
  std::string OutputDirectory;
};

/// What is asked of a plan, and of the edits that carry it out.
struct PlanningOptions {
  PlanningOptions() {
    Wanted.MinSpeedup = 1.05;
    Wanted.SharedLimit = 0;
  }
  /// What the command line says. Here, a shared limit of 0 is none.
  PlanOptions Wanted;
  /// Who else launches kernels; where it is not said, nobody if a folder or a
  /// database is given.
  std::optional<Outside> Others;
  bool Confirm = true; ///< Ask nvcc, if there is one.
  bool EmbedHelper = false;
};

/// What is said of a run, and in which form.
struct ReportOptions {
  OutputFormat Format = OutputFormat::Text;
  std::string Html; ///< `--html`, of verify and tune; empty: no page.
};

/// The command line, checked.
struct ToolOptions {
  Command Run = Command::Analyze;
  RewriteMode Mode = RewriteMode::DryRun;
  bool MeasuresNothing = false;    ///< `tune --dry-run`.
  bool ReadsStandardInput = false; ///< `rewrite -`.
  bool AllowDirty = false;         ///< Replace what nothing can restore.
  bool KeepGoing = false;          ///< Write without what cannot be read.
  ReadingOptions Reading;
  PlanningOptions Planning;
  ReportOptions Report;
  ProgramOptions Program;
  std::string Choices; ///< `tune --from`: what programs chose; or empty.

  Detail level() const { return Reading.Work.Level; }
};

/// Reads the command line. \returns nothing when it was bad (the message has
/// been printed); --help and --version print and exit.
std::optional<ToolOptions> parseCommandLine(int Argc, const char **Argv);

/// The commands. \returns the exit status.
llvm::Expected<int> runRewrite(ToolOptions Options); ///< And analyze.
llvm::Expected<int> runVerify(const ToolOptions &Options,
                              llvm::StringRef Executable);
/// Whether the words behind `verify` are two commands to compare, which needs
/// nothing of this program.
bool comparesCommands(llvm::ArrayRef<const char *> Words);
/// Becomes the program \p Name beside this one. Returns only when it cannot.
llvm::Expected<int> runBeside(llvm::StringRef Name,
                              llvm::ArrayRef<const char *> Words,
                              llvm::StringRef Executable);
llvm::Expected<int> runTune(const ToolOptions &Options,
                            llvm::StringRef Executable);
/// A launcher before the compiler's command \p Words (docs/guide/build.md).
int runWrap(std::vector<std::string> Words);
/// Sums up what it did in the folder that \p Words name.
int runStats(llvm::ArrayRef<const char *> Words);
/// Prints the page of the reason that \p Words name, or lists all.
int runReason(llvm::ArrayRef<const char *> Words);
/// Takes back what `rewrite --in-place` wrote last at \p Paths.
llvm::Expected<int> runUndo(llvm::ArrayRef<const char *> Paths);

/// Makes ready what parsing and code generation need; once per process.
void initializeClang();

} // namespace bankstripe

#endif
