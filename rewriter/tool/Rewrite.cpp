//===-- Rewrite.cpp - bankstripe analyze and rewrite ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "tool/Copies.h"
#include "tool/Pipeline.h"
#include "tool/Version.h"
#include "wrap/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Writes the files of one run and collects failures.
class Writer {
public:
  explicit Writer(const ToolOptions &Options) : Options(Options) {}

  void inPlace(const RunResult &Run);
  void belowDirectory(const RunResult &Run) {
    check(Copies(Options.OutputDirectory, Run.Paths)
              .write(Run.Files, Run.Changes, Options.EmbedHelper));
  }
  void exportFixes(const RunResult &Run);
  const std::vector<Problem> &problems() const { return Problems; }

private:
  bool check(llvm::Error E);
  bool write(StringRef Path, StringRef Text, std::optional<StringRef> Expected);
  bool writeHelper(StringRef Folder);
  void tellAboutHelper(const RunResult &Run) const;

  const ToolOptions &Options;
  std::set<std::string> HelperFolders;
  std::vector<Problem> Problems;
};

} // namespace

bool Writer::check(llvm::Error E) {
  if (!E)
    return true;
  Problems.push_back({"", toString(std::move(E))});
  llvm::errs() << "bankstripe: " << Problems.back().Message << '\n';
  return false;
}

bool Writer::write(StringRef Path, StringRef Text,
                   std::optional<StringRef> Expected) {
  return check(replaceFile(Path, Text, Expected));
}

// Before the files that include it, so that they always find it.
bool Writer::writeHelper(StringRef Folder) {
  if (Options.EmbedHelper || !HelperFolders.insert(Folder.str()).second)
    return true;
  llvm::SmallString<256> Path(Folder);
  path::append(Path, HelperFileName);
  if (readText(Path) == helperText())
    return true;
  return write(Path, helperText(), std::nullopt);
}

void Writer::inPlace(const RunResult &Run) {
  for (const ChangedFile &File : Run.Changes)
    if (writeHelper(path::parent_path(File.Path)))
      write(File.Path, File.After, File.Before);
}

// Replacements cannot make a file.
void Writer::tellAboutHelper(const RunResult &Run) const {
  if (Options.Level == Detail::Quiet)
    return;
  std::set<std::string> Folders;
  for (const ChangedFile &File : Run.Changes)
    if (File.includesHelper()) {
      const std::string Name = displayName(File.Path);
      const StringRef Folder = path::parent_path(Name);
      Folders.insert(Folder.empty() ? "." : Folder.str());
    }
  llvm::errs() << "bankstripe: the files that '" << Options.ExportFixes
               << "' changes include " << HelperFileName
               << ", which now lies beside that file; copy it to "
               << llvm::join(Folders, ", ")
               << ", or compile with -I, or give --embed-helper\n";
}

// Written even where nothing changes, so that no old fixes are left there.
void Writer::exportFixes(const RunResult &Run) {
  auto Document = replacementsDocument(Run.Changes);
  if (!Document) {
    check(Document.takeError());
    return;
  }
  const bool NeedsHelper =
      llvm::any_of(Run.Changes, [](const ChangedFile &File) {
        return File.includesHelper();
      });
  if (NeedsHelper && !writeHelper(path::parent_path(Options.ExportFixes)))
    return;
  if (write(Options.ExportFixes, *Document, std::nullopt) && NeedsHelper)
    tellAboutHelper(Run);
}

static StringRef exitText(int Code) {
  return Code == ExitDone      ? "done"
         : Code == ExitChanges ? "--check found changes"
                               : "some file could not be processed";
}

static void printSarif(const RunResult &Run, const ToolOptions &Options,
                       int Code) {
  SarifRun About;
  About.Version = BANKSTRIPE_VERSION;
  About.FullName = versionText();
  About.DocumentsUrl = BANKSTRIPE_DOCUMENTS_URL;
  About.Root = realPath(".");
  About.ExitCode = Code;
  About.ExitText = exitText(Code);
  About.Succeeded = Code != ExitSomeFailed;
  About.Problems = Run.Problems;
  About.Level = Options.Level;
  llvm::outs() << llvm::formatv("{0:2}\n", toSarif(Run.Decisions, About));
  printDecisions(llvm::errs(), Run.Decisions, Options.Level);
}

// There was no run because of E; a log says so as well.
static int reportNoRun(llvm::Error E, const ToolOptions &Options) {
  RunResult Nothing;
  Nothing.Problems.push_back({"", toString(std::move(E))});
  llvm::errs() << "bankstripe: " << Nothing.Problems.back().Message << '\n';
  if (Options.Format == OutputFormat::Sarif)
    printSarif(Nothing, Options, ExitSomeFailed);
  return ExitSomeFailed;
}

static void report(const RunResult &Run, const ToolOptions &Options) {
  if (Options.Format == OutputFormat::Json) {
    llvm::outs() << llvm::formatv(
        "{0:2}\n", toJson(Run.Decisions, Run.Resources, Run.Changes));
    return;
  }
  printText(llvm::errs(), Run.Decisions, Run.Resources, Options.Level,
            Options.Explain);
  printDecisions(llvm::errs(), Run.Decisions, Options.Level);
  if (Options.Mode == RewriteMode::DryRun ||
      (Options.Mode == RewriteMode::Check && Options.Level != Detail::Quiet))
    for (const ChangedFile &File : Run.Changes)
      printDiff(llvm::outs(), displayName(File.Path), File.Before, File.After);
}

llvm::Expected<int> bankstripe::runAnalyze(const ToolOptions &Options) {
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run)
    return reportNoRun(Run.takeError(), Options);
  const int Code = Run->SomeFailed ? ExitSomeFailed : ExitDone;
  if (Options.Format == OutputFormat::Json) {
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  toJson(Run->Decisions, Run->Resources));
  } else if (Options.Format == OutputFormat::Sarif) {
    printSarif(*Run, Options, Code);
  } else {
    printText(llvm::outs(), Run->Decisions, Run->Resources, Options.Level,
              Options.Explain);
    printDecisions(llvm::errs(), Run->Decisions, Options.Level);
  }
  return Code;
}

llvm::Expected<int> bankstripe::runRewrite(const ToolOptions &Options) {
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run)
    return reportNoRun(Run.takeError(), Options);
  if (Options.Format != OutputFormat::Sarif)
    report(*Run, Options);
  Writer W(Options);
  if (Options.Mode == RewriteMode::InPlace)
    W.inPlace(*Run);
  else if (Options.Mode == RewriteMode::OutputDirectory)
    W.belowDirectory(*Run);
  if (!Options.ExportFixes.empty())
    W.exportFixes(*Run);
  int Code = ExitDone;
  if (Run->SomeFailed || !W.problems().empty())
    Code = ExitSomeFailed;
  else if (Options.Mode == RewriteMode::Check && !Run->Changes.empty())
    Code = ExitChanges;
  // Last, since it says how the run ended.
  llvm::append_range(Run->Problems, W.problems());
  if (Options.Format == OutputFormat::Sarif)
    printSarif(*Run, Options, Code);
  return Code;
}
