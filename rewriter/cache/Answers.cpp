//===-- Answers.cpp - what earlier runs found out -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit's answer depends on its job, this program, the environment, and what
// Clang asked of the disk. That of nvcc depends on the same and on nvcc and the
// compilers that it runs. nvcc may read files that Clang does not, such as
// those behind `#ifndef __clang__`; a look at the text finds them, whatever #if
// they stand in (text/Includes.h).
//
//===----------------------------------------------------------------------===//

#include "cache/Answers.h"
#include "evidence/Ptxas.h"
#include "facts/Archive.h"
#include "frontend/CommandLine.h"
#include "frontend/NvccCommand.h"
#include "frontend/Resources.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "text/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

std::shared_ptr<Answers> Answers::open(Detail Level) {
  const std::string Folder = usualCacheFolder();
  if (Folder.empty() || ownIdentity().empty())
    return nullptr;
  return std::shared_ptr<Answers>(
      new Answers(Cache(Folder, usualCacheLimits()), Level));
}

// Whether Clang can do for Job only what a trace shows.
static bool isTraceable(const CompileJob &Job) {
  return llvm::none_of(Job.ClangArgs, [](StringRef Arg) {
    return Arg == "-load" || Arg == "-plugin" || Arg == "-add-plugin" ||
           Arg.starts_with("-fplugin") || Arg.starts_with("-fpass-plugin") ||
           Arg.starts_with("-fmodule") || Arg.starts_with("-include-pch") ||
           Arg.starts_with("-ivfsoverlay") || Arg.starts_with("-fcas");
  });
}

// The source's own text is part of the key, so that a version of it that comes
// back is known still.
static std::string keyOf(const CompileJob &Job, DiskState &State) {
  auto Resources = findResourceDirectory();
  KeyBuilder Key;
  Key.add("what", "unit")
      .add("program", ownIdentity())
      .add("job", toBytes(Job))
      .add("resources", Resources ? *Resources : "")
      .add("environment", environmentOfClang())
      .add("colours", showsColours(llvm::errs()) ? "yes" : "no")
      .add("source", State.ask(DiskQuestion::Content, Job.File));
  if (!Resources)
    llvm::consumeError(Resources.takeError()); // The parse says so.
  return Key.key();
}

// Fills in what is not in the cache; false when a file changed this moment.
static bool readContents(UnitFacts &Facts) {
  std::map<std::string, std::string> Digests;
  for (const SourceFile &File : Facts.Sources)
    Digests[File.Path] = File.Digest;
  for (auto &[Path, Content] : Facts.Contents) {
    auto Text = readText(Path);
    if (Text && Path == Facts.MainFile)
      Text = expand(*Text, Facts.Expanded);
    if (!Text || digestOf(*Text) != Digests[Path])
      return false;
    Content = std::move(*Text);
  }
  return true;
}

// Of a trace, what is about the disk and not about what the user asked for.
static std::string stateOf(DiskReplies Trace) {
  std::erase_if(Trace, [](const auto &Each) {
    return Each.first.second == static_cast<char>(DiskQuestion::MayEdit);
  });
  return strongDigestOf(toBytes(Trace));
}

void Answers::keepState(const CompileJob &Job, const UnitReading &Reading) {
  if (!Reading.Trace.empty())
    States[toBytes(Job)] = stateOf(Reading.Trace);
}

std::optional<UnitReading> Answers::recall(const CompileJob &Job,
                                           DiskState &State) {
  ++Units;
  if (!isTraceable(Job))
    return std::nullopt;
  std::optional<UnitReading> Reading;
  Store.get(::keyOf(Job, State), [&](StringRef Value) {
    Reading = fromBytes<UnitReading>(Value);
    if (Reading && wouldGive(Reading->Trace, State) &&
        (!Reading->Unit || readContents(Reading->Unit->Facts)))
      return true;
    Reading.reset();
    return false;
  });
  if (!Reading)
    return std::nullopt;
  ++KnownUnits;
  keepState(Job, *Reading);
  return Reading;
}

void Answers::remember(const CompileJob &Job, const UnitReading &Reading,
                       DiskState &State) {
  if (Reading.Trace.empty() || !isTraceable(Job))
    return;
  keepState(Job, Reading);
  // Where Clang says what is wrong, it will say so again.
  if (!Reading.Unit && Reading.Diagnostics.empty())
    return;
  UnitReading Kept = Reading;
  if (Kept.Unit) // Sources are known by their digests.
    for (auto &[Path, Text] : Kept.Unit->Facts.Contents)
      Text.clear();
  Store.put(::keyOf(Job, State), toBytes(Kept));
}

// Folders that nvcc may read from and that belong to no toolkit.
static IncludeFolders foldersOf(const CompileJob &Job) {
  IncludeFolders Folders;
  for (const CompilerOption &Option :
       readOptions(Dialect::Clang, Job.ClangArgs)) {
    const bool Quoted = Option.Meaning == OptionMeaning::QuoteInclude;
    if (!Quoted && Option.Meaning != OptionMeaning::Include &&
        Option.Meaning != OptionMeaning::SystemInclude &&
        !StringRef(Option.Words.front()).starts_with("-idirafter"))
      continue;
    llvm::SmallString<256> Folder(Option.Value);
    path::make_absolute(Job.Directory, Folder);
    if (Job.CudaPath.empty() || !Folder.starts_with(Job.CudaPath))
      (Quoted ? Folders.Quote : Folders.Any).emplace_back(Folder);
  }
  Folders.Any.push_back(path::parent_path(Job.path()).str());
  return Folders;
}

// What Job's source includes as far as its text tells, and the files' texts.
// Nothing when it does not tell.
static std::optional<std::string> describeIncludes(const IncludeTree &Tree) {
  std::vector<std::string> Parts;
  for (const auto &[Real, File] : Tree.Files) {
    Parts.insert(Parts.end(), {Real, File.Name, strongDigestOf(File.Text)});
    Parts.push_back(llvm::join(File.Targets, "\n"));
    if (std::ranges::count(File.Directives, 0, &IncludeDirective::Length))
      return std::nullopt;
  }
  return toBytes(Parts);
}
// Word, with the same name for any folder of copies.
static std::string withoutRoot(const std::string &Word, StringRef Root) {
  return Root.empty() ? Word : llvm::join(llvm::split(Word, Root), "<copies>");
}

std::optional<std::string> Answers::keyOf(const NvccQuestion &Question,
                                          StringRef Nvcc, StringRef Root,
                                          llvm::ArrayRef<ChangedFile> Changes) {
  const CompileJob &Job = Question.Unit->Job;
  auto State = States.find(toBytes(Job));
  auto Tree = readIncludeTree(Job.path(), foldersOf(Job));
  auto Includes = Tree ? describeIncludes(*Tree) : std::nullopt;
  if (State == States.end() || !Includes)
    return std::nullopt;
  const CommandLine Command = readCommandLine(Job.OriginalArgs, Job.Directory);
  const std::string HostCompiler = hostCompilerOf(Command);
  std::string &Compiler = Compilers[HostCompiler];
  if (Compiler.empty())
    Compiler = identityOfNvcc(Nvcc, HostCompiler);
  KeyBuilder Key;
  Key.add("what", "ptxas")
      .add("program", ownIdentity())
      .add("job", toBytes(Job))
      .add("words", toBytes(Command.Args))
      .add("state", State->second)
      .add("includes", *Includes)
      .add("nvcc", Compiler)
      .add("environment", environmentOfNvcc());
  for (const std::string &Word :
       nvccCommand(Job, Nvcc, Question.File, Question.ExtraArgs, "output",
                   Question.Compiled))
    Key.add("word", withoutRoot(Word, Root));
  if (Root.empty())
    return Key.key();
  std::set<std::string> Read;
  for (const SourceFile &File : Question.Unit->Unit.Facts.Sources)
    Read.insert(File.Path);
  for (const ChangedFile &File : Changes)
    if (Read.count(File.Path) || Tree->Files.count(realPath(File.Path)))
      Key.add(File.Path, strongDigestOf(File.After));
  return Key.key();
}

std::optional<ResourceTable> Answers::recallTable(StringRef Key) {
  ++Tables;
  std::optional<ResourceTable> Table;
  Store.get(Key, [&](StringRef Value) {
    Table = fromBytes<ResourceTable>(Value);
    return Table.has_value();
  });
  KnownTables += Table.has_value();
  return Table;
}

void Answers::rememberTable(StringRef Key, const ResourceTable &Table) {
  Store.put(Key, toBytes(Table));
}

Answers::~Answers() {
  Store.prune();
  if (Level == Detail::Verbose && Units)
    llvm::errs() << "bankstripe: the cache in '" << Store.folder() << "' knew "
                 << KnownUnits << " of " << Units << " files, and "
                 << KnownTables << " of " << Tables << " answers of nvcc\n";
}
