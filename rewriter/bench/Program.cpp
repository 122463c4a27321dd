//===-- Program.cpp - builds and compares variants of a program -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Program.h"
#include "copies/Copies.h"
#include "frontend/NvccCommand.h"
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>

using namespace bankstripe;
using llvm::ArrayRef;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// How much of a failed build's output is shown.
static constexpr size_t ShownOutput = 4000;

std::string bankstripe::besideExecutable(StringRef Name, StringRef Executable) {
  llvm::SmallString<256> Path(path::parent_path(Executable));
  path::append(Path, Name);
  return std::string(Path);
}

// The path of bankstripe-verify.
static llvm::Expected<std::string> findVerifier(StringRef Named,
                                                StringRef Executable) {
  std::string Path = Named.empty()
                         ? besideExecutable("bankstripe-verify", Executable)
                         : Named.str();
  if (fs::can_execute(Path))
    return Path;
  return llvm::createStringError(
      "cannot find '" + Path +
      "'; install the package bankstripe-verify, which no wheel has, build "
      "with a CUDA toolkit, or give --verify-program");
}

llvm::Expected<Program> Program::find(const ProgramOptions &Options,
                                      const FrontendOptions &Frontend,
                                      WorkOptions Work, StringRef Executable,
                                      std::vector<CompileJob> Jobs,
                                      std::set<std::string> Files) {
  std::string Why;
  if (!llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &Why)
           .isValid())
    return llvm::createStringError("this needs a GPU, and no NVIDIA driver "
                                   "is installed: " +
                                   Why);
  auto Kit = findToolkit(Frontend.CudaPath);
  if (!Kit)
    return Kit.takeError();
  if (Kit->Nvcc.empty() && Options.BuildCommand.empty())
    return llvm::createStringError("this needs nvcc; install the CUDA toolkit "
                                   "or give --cuda-path");
  auto Verifier = findVerifier(Options.Verifier, Executable);
  if (!Verifier)
    return Verifier.takeError();
  auto Folder = TemporaryFolder::create();
  if (!Folder)
    return Folder.takeError();
  if (Options.KeepFiles) {
    llvm::errs() << "bankstripe: what is built stays in " << Folder->path()
                 << '\n';
    Folder->keep();
  }
  Program P(Options, Frontend, Work, std::move(*Folder));
  P.Jobs = std::move(Jobs);
  P.Files = std::move(Files);
  P.Nvcc = Kit->Nvcc;
  P.Verifier = std::move(*Verifier);
  P.Tree = realPath(Options.Tree.empty() ? "." : Options.Tree);
  return P;
}

ProcessResult Program::execute(const std::vector<std::string> &Command,
                               Output Printed) const {
  if (Work.isVerbose())
    llvm::errs() << "bankstripe: " << llvm::join(Command, " ") << '\n';
  ProcessResult Ended = runProcess(Command, Printed);
  if (Ended.Interrupted && !GoesOn)
    std::exit(endAs(Ended));
  if (Ended.Interrupted)
    Asked = Ended.Interrupted;
  return Ended;
}

// Links stay: the python of a virtual environment finds its packages by the
// path that it was called by. A name without a folder is looked for as shells
// do, once no program here has it.
static std::string programPath(StringRef Named) {
  llvm::SmallString<256> Path(Named);
  if (!Named.contains('/') &&
      (!fs::is_regular_file(Named) || !fs::can_execute(Named)))
    if (auto Found = llvm::sys::findProgramByName(Named))
      Path = *Found;
  (void)fs::make_absolute(Path); // Fails only without a current folder.
  return std::string(Path);
}

llvm::Expected<std::string> Program::build(StringRef Name,
                                           ArrayRef<ChangedFile> Changes,
                                           ArrayRef<std::string> Extra) {
  if (!canBuild())
    return programPath(Options.Executable);
  return Options.BuildCommand.empty() ? buildFiles(Name, Changes, Extra)
                                      : buildTree(Name, Changes, Extra);
}

llvm::Error Program::checkChanged(StringRef Original, StringRef Changed) const {
  if (readText(Original) != readText(Changed))
    return llvm::Error::success();
  return llvm::createStringError(
      "'" + Options.BuildCommand +
      "' does not see the changes; it has to build what lies below the folder "
      "that it is called in");
}

// Whether the user says for which GPU the code is made.
static bool namesArchitecture(const std::vector<std::string> &Args) {
  return llvm::any_of(Args, [](StringRef Arg) {
    return Arg.starts_with("-arch") || Arg.starts_with("-gencode") ||
           Arg.starts_with("--generate-code") || Arg.starts_with("--gpu-");
  });
}

llvm::Expected<std::string> Program::buildFiles(StringRef Name,
                                                ArrayRef<ChangedFile> Changes,
                                                ArrayRef<std::string> Extra) {
  const std::string Root = Folder + "/" + Name.str() + ".files";
  const std::string Output = Folder + "/" + Name.str();
  if (std::error_code EC = fs::remove_directories(Root, /*IgnoreErrors=*/false))
    return llvm::createStringError("cannot remove '" + Root +
                                   "': " + EC.message());
  std::vector<std::string> Command{Nvcc}, Sources;
  Copies Tree(Root, {"/"});
  for (const CompileJob &Job : Jobs) {
    if (Changes.empty()) {
      Sources.push_back(Job.path());
      continue;
    }
    llvm::append_range(Command, Tree.argumentsFor(Job));
    Sources.push_back(*Tree.placeOf(Job.File));
  }
  if (!Changes.empty())
    if (llvm::Error E = Tree.write(Files, Changes))
      return E;
  for (const CompileJob &Job : Jobs) {
    CompileJob WithoutCommand;
    WithoutCommand.File = Job.path();
    if (llvm::Error E = checkForNvcc(WithoutCommand, Root, Command))
      return E;
  }
  llvm::append_range(Command, Extra);
  const std::vector<std::string> &UserArgs = Frontend.CompilerArgs;
  if (!namesArchitecture(UserArgs))
    Command.push_back("-arch=" + (Frontend.GpuArch.empty()
                                      ? std::string("native")
                                      : Frontend.GpuArch));
  if (!llvm::any_of(UserArgs, [](StringRef A) { return A.starts_with("-O"); }))
    Command.emplace_back("-O3");
  llvm::append_range(Command, UserArgs);
  Command.insert(Command.end(), {"-o", Output});
  llvm::append_range(Command, Sources);
  if (!execute(Command, Output::Unasked).succeeded())
    return llvm::createStringError("nvcc failed on '" + Sources.front() + "'");
  return Output;
}

// Files of an earlier variant that do not change any more get their text back.
llvm::Error
Program::changeTree(StringRef Root, ArrayRef<ChangedFile> Changes,
                    std::map<std::string, std::string> &Touched) const {
  auto Copy = [&](StringRef File) { return (Root + File).str(); };
  std::map<std::string, std::string> Restore = std::move(Touched);
  Touched.clear();
  for (const ChangedFile &File : Changes) {
    const std::string Real = realPath(File.Path);
    StringRef Inside = Real;
    if (!Inside.consume_front(Tree) || !Inside.starts_with("/"))
      return llvm::createStringError("'" + File.Path +
                                     "' changes and lies "
                                     "outside of '" +
                                     Tree + "'; give --tree");
    if (llvm::Error E = replaceFile(Copy(Inside), File.After, std::nullopt))
      return E;
    for (const auto &[Name, Text] : allHelpers(helperText()))
      if (StringRef(File.After).contains(Name))
        if (llvm::Error E = writeOwnFile(
                Copy(path::parent_path(Inside)) + "/" + Name.str(), Text))
          return E;
    Restore.erase(Inside.str());
    Touched[Inside.str()] = File.Before;
  }
  for (const auto &[Inside, Text] : Restore)
    if (llvm::Error E = replaceFile(Copy(Inside), Text, std::nullopt))
      return E;
  return llvm::Error::success();
}

llvm::Expected<std::string> Program::buildTree(StringRef Name,
                                               ArrayRef<ChangedFile> Changes,
                                               ArrayRef<std::string> Extra) {
  const std::string Root = Folder + "/" + Name.str() + ".tree";
  if (!fs::exists(Root)) {
    std::error_code EC;
    std::filesystem::copy(Tree, Root,
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::copy_symlinks,
                          EC);
    if (EC)
      return llvm::createStringError("cannot copy '" + Tree +
                                     "': " + EC.message());
  }
  if (llvm::Error E = changeTree(Root, Changes, Touched[Name.str()]))
    return E;
  // nvcc takes these wherever the build calls it.
  std::string Flags;
  for (const std::string &Arg : Extra)
    Flags += Arg + " ";
  constexpr char InTree[] =
      "cd \"$0\" && { [ -z \"$2\" ] || export "
      "NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS $2\"; } && eval \"$1\"";
  const ProcessResult Built =
      execute({"/bin/sh", "-c", InTree, Root, Options.BuildCommand, Flags},
              Output::Together);
  if (!Built.succeeded())
    return llvm::createStringError(
        "'" + Options.BuildCommand + "' fails in a copy of '" + Tree + "':\n" +
        StringRef(Built.Out).take_back(ShownOutput).rtrim());
  const std::string Output = Root + "/" + Options.Executable;
  if (!fs::can_execute(Output))
    return llvm::createStringError("'" + Options.BuildCommand +
                                   "' makes no program '" + Options.Executable +
                                   "'; see --program");
  return Output;
}

std::vector<std::string> Program::comparison(StringRef Original,
                                             StringRef Changed,
                                             unsigned TimedRuns) const {
  // Here every launch is compared, however long the digests take.
  std::vector<std::string> Command{Verifier, "--all",
                                   "--runs=" + std::to_string(TimedRuns),
                                   Original.str(), Changed.str()};
  if (!Options.Arguments.empty()) {
    Command.emplace_back("--");
    llvm::append_range(Command, Options.Arguments);
  }
  return Command;
}

llvm::Expected<int> Program::compare(StringRef Original, StringRef Changed,
                                     unsigned TimedRuns, bool Quiet,
                                     ArrayRef<std::string> Extra) const {
  std::vector<std::string> Command = comparison(Original, Changed, TimedRuns);
  Command.insert(Command.begin() + 1, Extra.begin(), Extra.end());
  const ProcessResult Ended =
      execute(Command, Quiet ? Output::Together : Output::Shown);
  if (Ended.wasKilled())
    return llvm::createStringError("'" + Verifier + "' " + Ended.problem());
  return Ended.exitStatus();
}

// A result may be there whatever the exit status says.
llvm::Expected<std::string> Program::resultOf(std::vector<std::string> Command,
                                              StringRef Name) const {
  const std::string Json = Folder + "/" + Name.str() + ".json";
  if (std::error_code EC = fs::remove(Json))
    return llvm::createStringError("cannot remove '" + Json +
                                   "': " + EC.message());
  Command.insert(Command.begin() + 1, "--json=" + Json);
  const ProcessResult Ended = execute(Command, Output::Together);
  if (std::optional<std::string> Text = readText(Json))
    return std::move(*Text);
  return llvm::createStringError(
      "'" + path::filename(Command.front()) + "' left no result: " +
      StringRef(Ended.Out + Ended.problem()).take_back(ShownOutput).trim());
}

llvm::Expected<Measurement> Program::measure(StringRef Original,
                                             StringRef Changed,
                                             unsigned TimedRuns,
                                             bool WithSurvey) const {
  std::vector<std::string> Command = comparison(Original, Changed, TimedRuns);
  if (WithSurvey || TimedRuns == 0)
    Command.insert(Command.begin() + 1, "--recorded=" + captures());
  auto Json = resultOf(std::move(Command));
  return Json ? parseMeasurement(*Json) : Json.takeError();
}

llvm::Expected<ProgramRun> Program::survey(StringRef Executable,
                                           ArrayRef<std::string> Symbols,
                                           double EndAfter) const {
  const std::string Captures = captures();
  if (std::error_code EC = fs::create_directories(Captures))
    return llvm::createStringError("cannot create '" + Captures +
                                   "': " + EC.message());
  std::vector<std::string> Command{Verifier, "--survey=" + Captures,
                                   "--max-capture=" +
                                       std::to_string(Options.MostCaptured)};
  for (const std::string &Symbol : Symbols)
    Command.push_back("--kernel=" + Symbol);
  if (EndAfter > 0)
    Command.push_back("--end-after=" + std::to_string(EndAfter));
  Command.insert(Command.end(), {"--", Executable.str()});
  llvm::append_range(Command, Options.Arguments);
  auto Json = resultOf(std::move(Command));
  return Json ? parseSurvey(*Json) : Json.takeError();
}

std::string Program::replayer() const {
  return besideExecutable("bankstripe-replay", Verifier);
}

llvm::Expected<std::vector<Replayed>>
Program::replay(StringRef Capture, StringRef Candidates, StringRef Name) const {
  const std::string List = Folder + "/" + Name.str() + ".list";
  if (llvm::Error E = replaceFile(List, Candidates, std::nullopt))
    return std::move(E);
  // Whatever all of them can name will do for a lock.
  auto Json = resultOf({replayer(), "--candidates=" + List,
                        "--lock=" + captures(), Capture.str()},
                       Name);
  return Json ? parseReplays(*Json) : Json.takeError();
}

llvm::Expected<bool> Program::agreesUnfused(ArrayRef<ChangedFile> Changes) {
  const std::vector<std::string> Flags{"-fmad=false"};
  // Apart, so that a build that looks at times sees that flags change.
  llvm::Expected<std::string> Original = build("original-again", {}, Flags);
  if (!Original)
    return Original.takeError();
  llvm::Expected<std::string> Changed = build("changed-again", Changes, Flags);
  if (!Changed)
    return Changed.takeError();
  llvm::Expected<int> Status =
      compare(*Original, *Changed, /*TimedRuns=*/0, /*Quiet=*/true);
  if (!Status)
    return Status.takeError();
  return *Status == 0;
}
