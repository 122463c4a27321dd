//===-- Jobs.cpp - from paths to compile jobs -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   paths => files => commands (compile database, or the default) => jobs
//
//===----------------------------------------------------------------------===//

#include "frontend/CommandLine.h"
#include "frontend/ForeignCommand.h"
#include "frontend/Frontend.h"
#include "model/SourceFile.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace bankstripe {
namespace {

constexpr char CudaSuffix[] = ".cu";

bool isBelow(StringRef Path, StringRef Folder) {
  return Path.consume_front(Folder) &&
         (Folder.ends_with("/") || Path.starts_with("/"));
}

using Entry = clang::tooling::CompileCommand;

std::string absoluteSource(const Entry &E) {
  SmallString<256> Source(E.Filename);
  sys::path::make_absolute(E.Directory, Source);
  return std::string(Source);
}

/// \p Path, or its real path if that is in the same folder.
std::string spelledPath(const Twine &Path) {
  const std::string Real = realPath(Path.str());
  SmallString<256> Absolute;
  Path.toVector(Absolute);
  (void)sys::fs::make_absolute(Absolute); // Else nothing is found there.
  const std::string Folder = realPath(sys::path::parent_path(Absolute));
  return Folder == sys::path::parent_path(Real)
             ? Real
             : (Folder + "/" + sys::path::filename(Absolute)).str();
}

/// The compile database, by the real path of the file.
class Database {
public:
  static Expected<Database> load(StringRef Where) {
    Database Result;
    if (Where.empty())
      return Result;
    SmallString<256> File(Where);
    if (sys::fs::is_directory(File))
      sys::path::append(File, "compile_commands.json");
    std::string Message;
    std::unique_ptr<clang::tooling::JSONCompilationDatabase> Json;
    if (auto Text = readFile(File))
      Json = clang::tooling::JSONCompilationDatabase::loadFromBuffer(
          (*Text)->getBuffer(), Message,
          clang::tooling::JSONCommandLineSyntax::AutoDetect);
    else
      Message = Text.getError().message();
    if (!Json)
      return createStringError(
          "cannot use '" + File + "': " + StringRef(Message).trim() +
          "; -p takes the folder that holds compile_commands.json, which " +
          (sys::fs::exists(Where + "/build.ninja")
               ? "'ninja -C " + Where + " -t compdb > " + File + "' writes"
               : "CMake writes with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"));
    for (Entry &E : Json->getAllCompileCommands()) {
      Result.Entries[realPath(absoluteSource(E))].push_back(std::move(E));
    }
    return Result;
  }

  /// The nearest one around \p Path, a real path, that has a command for it, or
  /// for a CUDA file below it.
  static Database around(StringRef Path) {
    for (StringRef Folder =
             sys::fs::is_directory(Path) ? Path : sys::path::parent_path(Path);
         !Folder.empty(); Folder = sys::path::parent_path(Folder))
      for (const std::string &Place : placesIn(Folder))
        if (Expected<Database> Found = load(Place)) {
          if (!Found->of(Path).empty() || !Found->below(Path).empty()) {
            Found->Place = Place;
            return std::move(*Found);
          }
        } else {
          consumeError(Found.takeError()); // Nobody asked for this one.
        }
    return {};
  }

  /// Where it was found, if nobody had to name it.
  StringRef place() const { return Place; }

  ArrayRef<Entry> of(StringRef File) const {
    auto Found = Entries.find(File.str());
    if (Found == Entries.end())
      return {};
    return Found->second;
  }

  std::vector<std::string> files() const {
    const auto Names = make_first_range(Entries);
    return {Names.begin(), Names.end()};
  }

  /// The CUDA files below \p Folder.
  std::vector<std::string> below(StringRef Folder) const {
    std::vector<std::string> Files;
    for (const auto &[File, Commands] : Entries)
      if (isBelow(File, Folder) && any_of(Commands, isCuda) &&
          sys::fs::exists(File))
        Files.push_back(File);
    return Files;
  }

private:
  static bool isCuda(const Entry &E) {
    return StringRef(E.Filename).ends_with(CudaSuffix) ||
           compilesCuda(readCommandLine(E.CommandLine, E.Directory));
  }

  /// The compile databases in \p Folder and in its build folders, sorted.
  static std::vector<std::string> placesIn(StringRef Folder) {
    std::vector<std::string> Places;
    auto Add = [&](const Twine &Parent) {
      SmallString<256> File;
      sys::path::append(File, Parent, "compile_commands.json");
      if (sys::fs::exists(File))
        Places.push_back(std::string(File));
    };
    Add(Folder);
    std::error_code Code;
    for (sys::fs::directory_iterator It(Folder, Code), End; It != End && !Code;
         It.increment(Code))
      if (sys::path::filename(It->path()).starts_with("build"))
        Add(It->path());
    llvm::sort(Places);
    return Places;
  }

  std::map<std::string, std::vector<Entry>> Entries;
  std::string Place;
};

/// Every .cu file below \p Folder; hidden folders are left out, those in which
/// CMake builds, and the launcher's copies.
Expected<std::vector<std::string>> findSources(StringRef Folder) {
  std::vector<std::string> Files;
  std::error_code Code;
  sys::fs::recursive_directory_iterator It(Folder, Code,
                                           /*follow_symlinks=*/false),
      End;
  for (; It != End && !Code; It.increment(Code)) {
    StringRef Path = It->path();
    if (sys::path::filename(Path).starts_with(".") ||
        (Path.ends_with(".bankstripe") && sys::fs::is_directory(Path)) ||
        sys::fs::exists(Path + "/CMakeCache.txt")) {
      It.no_push();
      continue;
    }
    if (!Path.ends_with(CudaSuffix) || !sys::fs::is_regular_file(Path))
      continue;
    if (std::string Real = realPath(Path); isBelow(Real, Folder))
      Files.push_back(spelledPath(Path));
  }
  if (Code)
    return createStringError(Code, "cannot search the folder '" + Folder +
                                       "': " + Code.message());
  return Files;
}

/// Makes jobs of files.
class Collector {
public:
  Collector(const FrontendOptions &Options, Database Known,
            ExcludedFiles Excluded, Toolkit Kit)
      : Options(Options), Known(std::move(Known)),
        Excluded(std::move(Excluded)), Kit(std::move(Kit)) {}

  Error add(StringRef Path) {
    const std::string Real = realPath(Path);
    if (!sys::fs::exists(Real))
      return createStringError("no such file or folder: '" + Path + "'");
    if (const StringRef Suffix = sys::path::extension(Real);
        Suffix == ".py" || Suffix == ".ipynb")
      return createStringError(
          "'" + Path +
          "' is Python, and kernels in strings are not "
          "read: let the program call bankstripe.rewrite() "
          "on them; see docs/guide/python.md");
    if (Options.LooksForDatabase && Options.DatabaseDirectory.empty() &&
        Options.CompilerArgs.empty())
      Known = Database::around(Real);
    if (!sys::fs::is_directory(Real)) {
      addFile(spelledPath(Path), currentDirectory());
      return Error::success();
    }
    std::vector<std::string> Files;
    if (!Options.DatabaseDirectory.empty() || Options.DatabaseTells)
      Files = Known.below(Real);
    if (!Options.DatabaseDirectory.empty()) {
      if (Files.empty())
        return createStringError("the compile database names no CUDA source "
                                 "below '" +
                                 Path + "'; leave out -p to take every .cu");
    } else if (Files.empty()) {
      Expected<std::vector<std::string>> Found = findSources(Real);
      if (!Found)
        return Found.takeError();
      Files = std::move(*Found);
      append_range(Files, Known.below(Real));
      if (Files.empty())
        return createStringError(
            "no CUDA source (.cu) below '" + Path +
            "'; name the files, or pass -p BUILD_DIR if they have another "
            "suffix");
    }
    for (const std::string &File : Files)
      addFile(File, Real);
    return Error::success();
  }

  Expected<std::vector<CompileJob>> finish() {
    if (Jobs.empty())
      return createStringError("--exclude leaves no file to process");
    for (CompileJob &Job : Jobs)
      Job.OthersAreExcluded = ExcludesSome;
    std::ranges::sort(Jobs, {}, [](const CompileJob &J) {
      return std::tie(J.File, J.Link, J.Directory, J.OriginalArgs);
    });
    return std::move(Jobs);
  }

private:
  static std::string currentDirectory() {
    SmallString<256> Path;
    return sys::fs::current_path(Path) ? "/" : realPath(Path);
  }

  /// \p Spelled is absolute; \p Base is the folder that it was found under.
  void addFile(const std::string &Spelled, StringRef Base) {
    const std::string File = realPath(Spelled);
    if (Excluded.contain(File, Base)) {
      ExcludesSome = true;
      return;
    }
    ArrayRef<Entry> Commands = Known.of(File);
    if (!Options.CompilerArgs.empty() || Commands.empty())
      return addJob(Spelled, currentDirectory(), {defaultCommand(), {}, {}});
    for (const Entry &E : Commands)
      addJob(spelledPath(absoluteSource(E)), E.Directory,
             Options.TrustsCommands
                 ? ForeignCommand{E.CommandLine, {}, {}}
                 : readForeignCommand(E.CommandLine, E.Directory));
  }

  std::vector<std::string> defaultCommand() const {
    std::vector<std::string> Command = {
        looksLikeClang(Options.CompilerArgs) ? "clang++" : "nvcc"};
    append_range(Command, Options.CompilerArgs);
    return Command;
  }

  void addJob(const std::string &Spelled, StringRef Directory,
              ForeignCommand Command) {
    CompileJob Job;
    Job.File = realPath(Spelled);
    Job.Link = Spelled == Job.File ? "" : Spelled;
    Job.Directory = Directory.str();
    Job.OriginalArgs = std::move(Command.Words);
    // Whoever uses the command later sees the same.
    append_range(Job.OriginalArgs, Options.ExtraArgs);
    Job.Refused = join(Command.Refused, " ");
    Job.OnlyForClang = join(Command.OnlyForClang, " ");
    if (!Known.of(Job.File).empty())
      Job.FoundDatabase = Known.place();
    if (!Seen.insert({Job.path(), Job.Directory, Job.OriginalArgs}).second)
      return;
    translateCommand(Job, Options, toolkitOf(Job));
    Jobs.push_back(std::move(Job));
  }

  /// A command that names its nvcc by path means the toolkit around it.
  Toolkit toolkitOf(const CompileJob &Job) {
    if (!Options.CudaPath.empty())
      return Kit;
    const CommandLine Command = commandOf(Job);
    if (!Command.IsNvcc || !sys::path::is_absolute(Command.Compiler))
      return Kit;
    const StringRef Root =
        sys::path::parent_path(sys::path::parent_path(Command.Compiler));
    auto [Place, IsNew] = Kits.try_emplace(Root.str(), Kit);
    if (IsNew) // A wrapper of nvcc may lie elsewhere.
      Place->second = expectedToOptional(findToolkit(Root)).value_or(Kit);
    return Place->second;
  }

  const FrontendOptions &Options;
  Database Known;
  const ExcludedFiles Excluded;
  const Toolkit Kit;
  std::map<std::string, Toolkit> Kits;
  std::set<std::tuple<std::string, std::string, std::vector<std::string>>> Seen;
  std::vector<CompileJob> Jobs;
  bool ExcludesSome = false;
};

} // namespace

Expected<ExcludedFiles> ExcludedFiles::create(ArrayRef<std::string> Globs) {
  ExcludedFiles Result;
  for (const std::string &Glob : Globs) {
    Expected<GlobPattern> Pattern = GlobPattern::create(Glob);
    if (!Pattern)
      return createStringError(
          "'" + Glob + "' is not a glob: " + toString(Pattern.takeError()));
    Result.Globs.push_back(std::move(*Pattern));
  }
  return Result;
}

bool ExcludedFiles::contain(StringRef File, StringRef Base) const {
  StringRef Relative = File;
  if (isBelow(File, Base))
    Relative = Relative.drop_front(Base.size()).ltrim('/');
  return any_of(Globs, [&](const GlobPattern &Glob) {
    return Glob.match(File) || Glob.match(Relative);
  });
}

Expected<std::vector<std::string>> databasePaths(StringRef DatabaseDirectory) {
  Expected<Database> Known = Database::load(DatabaseDirectory);
  if (!Known)
    return Known.takeError();
  const std::string Here = realPath(".");
  std::vector<std::string> Paths;
  if (!Known->below(Here).empty())
    Paths.push_back(".");
  for (std::string &File : Known->below("/"))
    if (!isBelow(File, Here))
      Paths.push_back(std::move(File));
  if (Paths.empty())
    return createStringError("the compile database in '" + DatabaseDirectory +
                             "' names no CUDA source");
  return Paths;
}

bool holdsHeadersAlone(StringRef Folder) {
  bool HoldsHeaders = false;
  std::error_code Code;
  for (sys::fs::recursive_directory_iterator It(Folder, Code, false), End;
       It != End && !Code; It.increment(Code)) {
    const StringRef Suffix = sys::path::extension(It->path());
    if (Suffix == CudaSuffix)
      return false;
    HoldsHeaders |= isAmong(Suffix, HeaderSuffixes);
  }
  return HoldsHeaders;
}

std::vector<std::string> databaseFiles(StringRef Where) {
  Expected<Database> Known = Database::load(Where);
  if (!Known) {
    consumeError(Known.takeError()); // Who needs it says so.
    return {};
  }
  return Known->files();
}

Expected<std::vector<CompileJob>> collectJobs(ArrayRef<std::string> Paths,
                                              const FrontendOptions &Options) {
  if (Paths.empty())
    return createStringError("name a CUDA file or a folder to process");
  Expected<Toolkit> Kit = findToolkit(Options.CudaPath);
  if (!Kit)
    return Kit.takeError();
  Expected<Database> Known = Database::load(Options.DatabaseDirectory);
  if (!Known)
    return Known.takeError();
  Expected<ExcludedFiles> Excluded = ExcludedFiles::create(Options.Exclude);
  if (!Excluded)
    return Excluded.takeError();
  Collector Jobs(Options, std::move(*Known), std::move(*Excluded),
                 std::move(*Kit));
  for (const std::string &Path : Paths)
    if (Error E = Jobs.add(Path))
      return std::move(E);
  return Jobs.finish();
}

} // namespace bankstripe
