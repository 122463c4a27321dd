//===-- Program.h - builds and compares variants of a program ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `verify` and `tune` run the user's program as it is and as it would be. There
// are two ways to build one: the given files with nvcc, or, with --build, a
// copy of the whole source tree with a command of the user's.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_PROGRAM_H
#define BANKSTRIPE_BENCH_PROGRAM_H

#include "edit/Edit.h"
#include "frontend/Frontend.h"
#include "report/Terminal.h"
#include "tune/Measurement.h"
#include "workers/Folders.h"
#include <set>

namespace bankstripe {

/// Which variants are right: those that leave the same, or also those that
/// differ from that in fused multiply-adds only.
enum class Accepted { Identical, Fusing };

/// How the user's program is built and run.
struct ProgramOptions {
  std::vector<std::string> Arguments; ///< `--program-arg`.
  std::string BuildCommand; ///< `--build`; empty: nvcc on the given files.
  std::string Tree;         ///< `--tree`, what is built a copy of.
  std::string Executable;   ///< `--program`, relative to the tree.
  std::string Verifier;     ///< Path of bankstripe-verify; empty: look.
  unsigned TimedRuns = 5;   ///< Of each of two programs.
  double MostCaptured = 16; ///< `tune --max-capture`, in gigabytes.
  double MostSeconds = 120; ///< `tune --time`; 0: until all is tried.
  Accepted Accepts = Accepted::Identical; ///< `tune --accept`.
  bool KeepFiles = false;                 ///< `--keep`.
};

/// The path of the program \p Name in the folder of \p Executable.
std::string besideExecutable(llvm::StringRef Name, llvm::StringRef Executable);

/// The user's program. What is built lies in a folder that goes with this,
/// unless the user wants to keep it.
class Program {
public:
  /// Finds what is needed, before any time is spent on building. Errors: there
  /// is no driver, no nvcc or no bankstripe-verify; the message says what to
  /// do. \p Options and \p Frontend outlive this; \p Executable is this tool,
  /// \p Files are what \p Jobs read.
  static llvm::Expected<Program>
  find(const ProgramOptions &Options, const FrontendOptions &Frontend,
       WorkOptions Work, llvm::StringRef Executable,
       std::vector<CompileJob> Jobs, std::set<std::string> Files);

  /// Builds the variant \p Name (a file name) with \p Changes in place of the
  /// files of the same paths; \p Extra goes to nvcc. Building one of the same
  /// name again replaces it. \returns the path of the executable. Errors: the
  /// build fails, or a change lies outside of what can be built.
  llvm::Expected<std::string> build(llvm::StringRef Name,
                                    llvm::ArrayRef<ChangedFile> Changes,
                                    llvm::ArrayRef<std::string> Extra = {});

  /// Where further files of these runs can lie.
  const std::string &folder() const { return Folder; }

  /// Errors: both executables hold the same bytes, so the build has not seen
  /// what changed, and the original would be compared with itself.
  llvm::Error checkChanged(llvm::StringRef Original,
                           llvm::StringRef Changed) const;

  /// Runs bankstripe-verify on two executables; \p Extra are further options
  /// for it. \returns its exit status.
  llvm::Expected<int> compare(llvm::StringRef Original, llvm::StringRef Changed,
                              unsigned TimedRuns, bool Quiet = false,
                              llvm::ArrayRef<std::string> Extra = {}) const;

  /// The same. \p WithSurvey, or with no timed runs: the run that survey() made
  /// stands for the original's, by the digests and, if so, the times it has.
  llvm::Expected<Measurement> measure(llvm::StringRef Original,
                                      llvm::StringRef Changed,
                                      unsigned TimedRuns,
                                      bool WithSurvey = false) const;

  /// Runs \p Executable, and captures launches of the kernels with these
  /// symbols. After so many seconds, if not 0, the run is ended once there is a
  /// capture.
  llvm::Expected<ProgramRun> survey(llvm::StringRef Executable,
                                    llvm::ArrayRef<std::string> Symbols,
                                    double EndAfter) const;

  /// Launches the kernel of \p Capture again, and all of \p Candidates, which
  /// is JSON. \p Name is for its files: several may run at a time. While one
  /// takes times it has the GPU for itself among them.
  llvm::Expected<std::vector<Replayed>> replay(llvm::StringRef Capture,
                                               llvm::StringRef Candidates,
                                               llvm::StringRef Name) const;

  /// From now on, who is asked to end while something runs goes on without it.
  void goOnWhenAsked() { GoesOn = true; }
  /// The signal by which that was asked since the last call, SIGALRM when the
  /// time is up; else 0.
  bool isAsked() const { return Asked; }
  int lastSignal() { return std::exchange(Asked, 0); }

  const std::string &nvcc() const { return Nvcc; }
  const WorkOptions &work() const { return Work; }
  /// The path of bankstripe-replay.
  std::string replayer() const;
  /// Whether variants of it can be built; else it is only run as it is.
  bool canBuild() const {
    return !Options.BuildCommand.empty() || Options.Executable.empty();
  }
  /// The files that are read to build it.
  const std::set<std::string> &files() const { return Files; }

  /// Whether the variant with \p Changes computes what the original does when
  /// both are built without fusing multiplications and additions, which nvcc
  /// decides anew for every version of a kernel.
  llvm::Expected<bool> agreesUnfused(llvm::ArrayRef<ChangedFile> Changes);

private:
  Program(const ProgramOptions &Options, const FrontendOptions &Frontend,
          WorkOptions Work, TemporaryFolder Made)
      : Options(Options), Frontend(Frontend), Work(Work), Made(std::move(Made)),
        Folder(this->Made.path()) {}

  llvm::Expected<std::string> buildFiles(llvm::StringRef Name,
                                         llvm::ArrayRef<ChangedFile> Changes,
                                         llvm::ArrayRef<std::string> Extra);
  llvm::Expected<std::string> buildTree(llvm::StringRef Name,
                                        llvm::ArrayRef<ChangedFile> Changes,
                                        llvm::ArrayRef<std::string> Extra);
  llvm::Error changeTree(llvm::StringRef Root,
                         llvm::ArrayRef<ChangedFile> Changes,
                         std::map<std::string, std::string> &Touched) const;
  std::string captures() const { return Folder + "/captures"; }
  std::vector<std::string> comparison(llvm::StringRef Original,
                                      llvm::StringRef Changed,
                                      unsigned TimedRuns) const;
  llvm::Expected<std::string> resultOf(std::vector<std::string> Command,
                                       llvm::StringRef Name = "result") const;
  /// Ends this process when it was asked to end meanwhile, unless it goes on.
  ProcessResult execute(const std::vector<std::string> &Command,
                        Output Printed) const;

  const ProgramOptions &Options;
  const FrontendOptions &Frontend;
  WorkOptions Work;
  std::vector<CompileJob> Jobs;
  std::set<std::string> Files; ///< That they read.
  TemporaryFolder Made;
  std::string Folder; ///< Its path.
  std::string Nvcc;
  std::string Verifier;
  std::string Tree; ///< Real path of --tree.
  /// Files of a tree that an earlier variant changed, with their originals, by
  /// the variant's name and then by the path of the original.
  std::map<std::string, std::map<std::string, std::string>> Touched;
  bool GoesOn = false;
  mutable int Asked = 0;
};

} // namespace bankstripe

#endif
