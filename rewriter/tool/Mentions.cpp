//===-- Mentions.cpp - where a program's text names kernels ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Mentions.h"
#include "contract/Symbols.h"
#include "frontend/CompilerOptions.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "text/Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Searches one file after the other.
class Searcher {
public:
  Searcher(const ReadResult &Read, const ReadingOptions &Options);
  void addProgram(const ReadResult &Read, const ReadingOptions &Options);
  void search();

  ProgramText Result;

private:
  void addFolder(const std::string &Folder);
  void addFile(StringRef File);
  void searchCode(const std::string &File, const std::string &Text);
  void searchWords(const std::string &File, StringRef Words, unsigned Line);
  bool mayName(StringRef Text) const;
  void noteName(StringRef Name, StringRef Rest, const Place &Where);
  void noteOther(StringRef Name, const std::string &File, unsigned Line);
  void notePasted(StringRef Part, const std::string &File, unsigned Line);

  const std::set<std::string> &FilesRead;
  const std::string OutputDirectory; ///< Real path, or empty.
  /// Last names of kernels, by these and by mangled names.
  std::map<std::string, std::string, std::less<>> Kernels;
  std::set<Place> Definitions;                        ///< Of kernels.
  std::set<std::string, std::less<>> DeviceFunctions; ///< Last names.
  std::set<std::string> Folders;
  std::set<std::string> Files; ///< All to be searched.
  bool LoadsByName = false;    ///< One of them does.
};

} // namespace

Searcher::Searcher(const ReadResult &Read, const ReadingOptions &Options)
    : FilesRead(Read.Files),
      OutputDirectory(Options.OutputDirectory.empty()
                          ? ""
                          : realPath(Options.OutputDirectory)),
      Files(Read.Files) {
  for (const UnitRecord &Unit : Read.Units) {
    for (const Kernel &K : Unit.Unit.Facts.Kernels) {
      Definitions.insert(K.Where);
      for (const std::string_view Name :
           {lastName(K.Name), std::string_view(K.Id)})
        Kernels.emplace(Name, lastName(K.Name));
    }
    for (const DeviceFunction &F : Unit.Unit.Evidence.Functions)
      if (F.Defined && !isInternal(F.Id))
        DeviceFunctions.insert(
            std::string(lastName(withoutParameters(llvm::demangle(F.Id)))));
  }
}

// --- Which files -------------------------------------------------------------

static bool isCode(StringRef File) {
  const StringRef Extension = path::extension(File);
  return isAmong(Extension, HeaderSuffixes) ||
         isAmong(Extension, ".cu .cuda .cpp .cc .cxx .c++ .c .C .cppm .ixx .m "
                            ".mm");
}

static bool isOtherLanguage(StringRef File) {
  return isAmong(path::extension(File),
                 ".py .pyx .pxd .ipynb .jl .rs .f90 .cuf");
}

// Where the names of kernels may stand that are loaded.
static bool isData(StringRef File) {
  return isAmong(path::extension(File), ".json .yaml .yml .toml .xml") &&
         path::filename(File) != "compile_commands.json";
}

static bool isPattern(StringRef File) {
  return isAmong(path::extension(File), ".in .j2 .jinja .tmpl");
}

// Whether a program may consist of it, or of what is made of such a pattern.
static bool isProgramText(StringRef File) {
  if (isPattern(File))
    File = path::stem(File);
  return isCode(File) || isOtherLanguage(File) || isData(File);
}

// Whether it is too large for anybody to have written it.
static bool isLarge(StringRef File) {
  constexpr uint64_t Most = 1 << 20;
  uint64_t Bytes = 0;
  return fs::file_size(File, Bytes) || Bytes > Most;
}

void Searcher::addFile(StringRef File) {
  std::string Real = realPath(File);
  if (fs::is_regular_file(Real))
    Files.insert(std::move(Real));
}

void Searcher::addFolder(const std::string &Folder) {
  if (Folder == OutputDirectory || !Folders.insert(Folder).second)
    return;
  std::error_code Code;
  for (fs::directory_iterator It(Folder, Code), End; It != End && !Code;
       It.increment(Code)) {
    const StringRef Name = path::filename(It->path());
    if (Name.starts_with(".") || Name.ends_with(".bankstripe"))
      continue;
    // A link to a folder may lead anywhere; what is below has its own turn.
    if (It->type() == fs::file_type::directory_file)
      addFolder(realPath(It->path()));
    else if (isProgramText(Name) && !isLarge(It->path()))
      addFile(It->path());
  }
}

void Searcher::addProgram(const ReadResult &Read,
                          const ReadingOptions &Options) {
  const FrontendOptions &Frontend = Options.Frontend;
  std::set<std::string> Databases;
  if (!Frontend.DatabaseDirectory.empty())
    Databases.insert(Frontend.DatabaseDirectory);
  for (const CompileJob &Job : Read.Jobs)
    if (!Job.FoundDatabase.empty())
      Databases.insert(Job.FoundDatabase);
  for (const std::string &Where : Databases)
    for (const std::string &File : databaseFiles(Where)) {
      addFile(File);
      if (path::extension(File) == ".cu" && !fs::exists(File))
        Result.Missing = File;
    }
  if (Frontend.DatabaseDirectory.empty())
    for (const std::string &Path : Options.Paths)
      if (fs::is_directory(Path))
        addFolder(realPath(Path));
}

// --- What they name ----------------------------------------------------------

void Searcher::noteOther(StringRef Name, const std::string &File,
                         unsigned Line) {
  const auto Kernel = Kernels.find(Name);
  if (Kernel == Kernels.end())
    return;
  std::string &Other = Result.Kernels.ByName[Kernel->second].Other;
  if (Other.empty())
    Other = "'" + displayName(File) + "' names it at line " +
            std::to_string(Line) + ", where nothing launches it";
}

// What `##` makes a name of.
void Searcher::notePasted(StringRef Part, const std::string &File,
                          unsigned Line) {
  constexpr size_t Shortest = 2;
  if (Part.size() >= Shortest)
    for (const auto &[Name, Kernel] : Kernels)
      if (StringRef(Name).starts_with(Part) || StringRef(Name).ends_with(Part))
        noteOther(Name, File, Line);
}

// The words of a string, or of a text in another language.
void Searcher::searchWords(const std::string &File, StringRef Words,
                           unsigned Line) {
  auto IsLetter = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  while (true) {
    const StringRef Rest = Words.drop_until(IsLetter);
    Line += Words.drop_back(Rest.size()).count('\n');
    if (Rest.empty())
      return;
    const StringRef Word = Rest.take_while(IsLetter);
    noteOther(Word, File, Line);
    // As in "sum_" + type and name + "_kernel".
    if (Word.starts_with("_") || Word.ends_with("_"))
      notePasted(Word, File, Line);
    Words = Rest.drop_front(Word.size());
  }
}

// Text behind a name, without template arguments in front.
static StringRef withoutArguments(StringRef Rest) {
  Rest = Rest.ltrim();
  if (!Rest.starts_with("<") || Rest.starts_with("<<<"))
    return Rest;
  int Depth = 0;
  Rest = Rest.drop_while([&](char C) {
    Depth += (C == '<') - (C == '>');
    return Depth > 0;
  });
  return Rest.drop_front(Rest.empty() ? 0 : 1).ltrim();
}

// Rest stands behind the name of a kernel at Where.
void Searcher::noteName(StringRef Name, StringRef Rest, const Place &Where) {
  Rest = withoutArguments(Rest);
  if (Rest.starts_with("<<<"))
    Result.Kernels.ByName[Kernels.find(Name)->second].Launches.insert(Where);
  else if (!StringRef("([.=").contains(Rest.take_front()) &&
           !Definitions.count(Where))
    noteOther(Name, Where.File, Where.Line);
}

// Most files name none.
bool Searcher::mayName(StringRef Text) const {
  auto IsThere = [&](const auto &Name) { return Text.contains(Name); };
  return LoadsByName || Text.contains("##") ||
         llvm::any_of(llvm::make_first_range(Kernels), IsThere) ||
         llvm::any_of(DeviceFunctions, IsThere);
}

void Searcher::searchCode(const std::string &File, const std::string &Text) {
  const bool IsRead = FilesRead.count(File) != 0;
  const bool HasDeviceCode =
      !IsRead && (StringRef(Text).contains("__device__") ||
                  StringRef(Text).contains("__global__"));
  unsigned Line = 1;
  size_t LineBegin = 0, Counted = 0;
  bool Includes = false, Pastes = false;
  StringRef Last; // Token.
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    const StringRef Token = Tokens.text();
    const StringRef Passed = StringRef(Text).slice(Counted, Tokens.offset());
    if (const size_t End = Passed.rfind('\n'); End != StringRef::npos) {
      Line += Passed.count('\n');
      LineBegin = Counted + End + 1;
    }
    Counted = Tokens.offset();
    Includes = Tokens.startsDirective() || (Includes && !Tokens.startsLine());
    if (Tokens.is(clang::tok::hashhash))
      notePasted(Last, File, Line);
    else if (Pastes)
      notePasted(Token, File, Line);
    Pastes = Tokens.is(clang::tok::hashhash);
    if (Tokens.is(clang::tok::raw_identifier)) {
      if (Kernels.contains(Token))
        noteName(Token,
                 StringRef(Text).drop_front(Tokens.offset() + Token.size()),
                 {File, Line, unsigned(Tokens.offset() - LineBegin + 1)});
      if (HasDeviceCode && DeviceFunctions.contains(Token))
        Result.DeviceCode = File;
    } else if (LoadsByName && !(Includes && Last == "include") &&
               Token.size() > 1 &&
               (Token.back() == '"' || Token.back() == '\'')) {
      searchWords(File, Token, Line);
    }
    Last = Token;
  }
}

// How the functions end, and methods, that load a kernel by its name.
constexpr StringRef LoadingWords[] = {"ModuleGetFunction", "LibraryGetKernel",
                                      "get_function", "get_kernel"};
// Those that reach kernels without one: they give a kernel in a graph another
// block, tell which kernel is there, or list all of a module.
constexpr StringRef NamelessWords[] = {
    "KernelNodeSetParams",    "KernelNodeGetParams", "GraphNodeSetParams",
    "GraphNodeGetParams",     "ExecNodeSetParams",   "ModuleEnumerateFunctions",
    "LibraryEnumerateKernels"};

void Searcher::search() {
  if (Kernels.empty())
    return;
  std::vector<std::pair<std::string, std::string>> Texts;
  for (const std::string &File : Files)
    if (auto Text = readText(File)) {
      for (StringRef Word : LoadingWords)
        LoadsByName |= StringRef(*Text).contains(Word);
      for (StringRef Word : NamelessWords)
        if (const size_t At = Text->find(Word); At != std::string::npos)
          Result.Kernels.OfAll =
              "'" + displayName(File) + "' may launch it, with " + Word.str() +
              " at line " +
              std::to_string(StringRef(*Text).take_front(At).count('\n') + 1);
      Texts.emplace_back(File, std::move(*Text));
    }
  for (const auto &[File, Text] : Texts) {
    const StringRef Name = isPattern(File) ? path::stem(File) : StringRef(File);
    if (isOtherLanguage(Name) || (isData(Name) && LoadsByName))
      searchWords(File, Text, /*Line=*/1);
    else if (!isData(Name) && mayName(Text))
      searchCode(File, Text);
  }
}

ProgramText bankstripe::readProgramText(const ReadResult &Read,
                                        const ReadingOptions &Options,
                                        bool IsWhole) {
  Searcher Search(Read, Options);
  if (!IsWhole)
    Search.addProgram(Read, Options);
  Search.search();
  return std::move(Search.Result);
}

// --- Kernels in strings (NVRTC), which this program does not read -----------

// Whether a string of C++ source defines a kernel.
static bool holdsKernelStrings(const std::string &Text) {
  static constexpr llvm::StringLiteral Keyword = "__global__";
  if (!StringRef(Text).contains(Keyword))
    return false;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next())
    if (Tokens.is(clang::tok::string_literal) &&
        Tokens.text().contains(Keyword))
      return true;
  return false;
}

void bankstripe::reportKernelStrings(ReadResult &Read, Detail Level) {
  auto HasKernels = [](const UnitRecord &Unit) {
    return !Unit.Unit.Facts.Kernels.empty();
  };
  const bool HasOthers = llvm::any_of(Read.Units, HasKernels);
  std::set<StringRef> Seen;
  for (const UnitRecord &Unit : Read.Units) {
    const std::string &File = Unit.Job.File;
    if (HasKernels(Unit) || !Seen.insert(File).second ||
        !holdsKernelStrings(readText(File).value_or("")))
      continue;
    const std::string Message =
        "'" + displayName(File) +
        "' has kernels in strings, which are not read; put them into a file, "
        "or give each to 'bankstripe rewrite -'; see docs/guide/python.md";
    if (!HasOthers) {
      Read.Problems.push_back({File, Message});
      Read.SomeFailed = true;
    }
    if (!HasOthers || Level != Detail::Quiet)
      llvm::errs() << "bankstripe: " << printable(Message) << '\n';
  }
}
