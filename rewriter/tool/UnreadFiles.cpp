//===-- UnreadFiles.cpp - what files that are not read may do -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/UnreadFiles.h"
#include "contract/Symbols.h"
#include "edit/LineNumbers.h"
#include "frontend/CompilerOptions.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "wrap/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Searches one file after the other.
class Searcher {
public:
  Searcher(const ReadResult &Read, const ReadingOptions &Options);

  /// All that are not read.
  void addProgram(const ReadResult &Read, const ReadingOptions &Options);
  void searchAll();

  UnreadUses Result;

private:
  void addFolder(const std::string &Folder);
  void addFile(StringRef File);
  void addIncluded(const std::string &File, ArrayRef<IncludeDirective> All);
  void searchTemplates(const std::string &Header, const std::string &By);
  void readLoading(const std::string &File, const std::string &Text);
  void searchUnread(const std::string &File, const std::string &Text);
  void searchStrings(const std::string &File, const std::string &Text);
  bool isAboutCuda(const std::string &Text) const;
  void noteName(StringRef Name, const std::string &File, unsigned Line,
                const Twine &Why);
  void noteMadeNames(StringRef Begin, StringRef End, const std::string &File);

  const std::set<std::string> &FilesRead;
  const std::string OutputDirectory;                   ///< Real path, or empty.
  std::multimap<std::string, std::string> HeadersRead; ///< By the last name.
  /// Last and mangled names of the kernels that other files can name.
  std::set<std::string, std::less<>> Kernels;
  std::set<std::string, std::less<>> DeviceFunctions; ///< Last names.
  std::vector<std::string> Files; ///< To be searched; it grows.
  std::set<std::string> Known;    ///< All that were in Files, or folders.
  std::set<std::string> Included; ///< By files that are about CUDA.
  std::set<std::string> Searched; ///< Headers, for templates.
  bool LoadsByName = false;       ///< One of all files does.
};

} // namespace

Searcher::Searcher(const ReadResult &Read, const ReadingOptions &Options)
    : FilesRead(Read.Files),
      OutputDirectory(Options.OutputDirectory.empty()
                          ? ""
                          : realPath(Options.OutputDirectory)) {
  for (const std::string &File : FilesRead)
    HeadersRead.emplace(path::filename(File).str(), File);
  for (const UnitRecord &Unit : Read.Units) {
    for (const Kernel &K : Unit.Unit.Facts.Kernels)
      if (!K.Text.Internal) {
        Kernels.insert(K.Id);
        Kernels.insert(std::string(lastName(K.Name)));
      }
    for (const DeviceFunction &F : Unit.Unit.Evidence.Functions)
      if (F.Defined && !isInternal(F.Id))
        DeviceFunctions.insert(
            std::string(lastName(withoutParameters(llvm::demangle(F.Id)))));
  }
}

// --- Which files -------------------------------------------------------------

// Whether a program may consist of it: in C++, in other languages that can load
// kernels, or a pattern of such a file. Headers are searched whoever includes
// them.
static bool isProgramText(StringRef File) {
  const StringRef Extension = path::extension(File);
  if (isAmong(Extension, ".in .j2 .jinja .tmpl"))
    return isProgramText(path::stem(File));
  return isAmong(Extension, HeaderSuffixes) ||
         isAmong(Extension, ".cu .cuda .cuf .cpp .cc .cxx .c++ .c .C .cppm "
                            ".ixx .m .mm .py .pyx .pxd .ipynb .jl .rs .f90");
}

// Where the names of kernels may stand that are loaded.
static bool isData(StringRef File) {
  return isAmong(path::extension(File), ".json .yaml .yml .toml .xml") &&
         path::filename(File) != "compile_commands.json";
}

// Whether it is too large to be a list of kernels.
static bool isLarge(StringRef File) {
  constexpr uint64_t Most = 1 << 20;
  uint64_t Bytes = 0;
  return fs::file_size(File, Bytes) || Bytes > Most;
}

void Searcher::addFile(StringRef File) {
  std::string Real = realPath(File);
  if (fs::is_regular_file(Real) && Known.insert(Real).second)
    Files.push_back(std::move(Real));
}

void Searcher::addFolder(const std::string &Folder) {
  if (Folder == OutputDirectory || !Known.insert(Folder).second)
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
    else if (isProgramText(Name) || (isData(Name) && !isLarge(It->path())))
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

// What File, which is about CUDA, includes from outside of the folders, and
// what others have read.
void Searcher::addIncluded(const std::string &File,
                           ArrayRef<IncludeDirective> All) {
  for (const IncludeDirective &D : All) {
    if (D.Quoted)
      if (auto Found = findIncluded(D, File, IncludeFolders())) {
        Included.insert(realPath(*Found));
        addFile(*Found);
      }
    // It may be found by a folder of headers that nobody knows here.
    auto Found = HeadersRead.equal_range(path::filename(D.Name).str());
    for (const auto &[Name, Header] : llvm::make_range(Found))
      searchTemplates(Header, File);
  }
}

// --- What they name ----------------------------------------------------------

void Searcher::noteName(StringRef Name, const std::string &File, unsigned Line,
                        const Twine &Why) {
  if (Kernels.contains(Name))
    Result.Kernels.push_back(
        {Name.str(), Name.starts_with("_Z") ? Naming::Mangled : Naming::LastAny,
         Place{File, Line, 1}, ("'" + displayName(File) + "' " + Why).str()});
}

// A name that is put together has Begin or End as a part.
void Searcher::noteMadeNames(StringRef Begin, StringRef End,
                             const std::string &File) {
  constexpr size_t Shortest = 2;
  for (StringRef Name : Kernels)
    if ((Begin.size() >= Shortest && Name.starts_with(Begin)) ||
        (End.size() >= Shortest && Name.ends_with(End)))
      noteName(Name, File, /*Line=*/1, "may make its name");
}

// The words of a string, or of an identifier the one that it is.
static void forEachWord(StringRef Text,
                        llvm::function_ref<void(StringRef)> Visit) {
  auto IsLetter = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  while (!(Text = Text.drop_until(IsLetter)).empty()) {
    const StringRef Word = Text.take_while(IsLetter);
    Visit(Word);
    Text = Text.drop_front(Word.size());
  }
}

// Where the names of included files begin.
static std::set<size_t> namesOfFiles(ArrayRef<IncludeDirective> Directives) {
  std::set<size_t> Result;
  for (const IncludeDirective &D : Directives)
    Result.insert(D.Offset);
  return Result;
}

// Who uses a kernel says how it is launched, or includes who declares it.
bool Searcher::isAboutCuda(const std::string &Text) const {
  for (StringRef Word : {"cuda", "<<<", "cuLaunch", "cuModule", "cuLibrary",
                         "cuGraph", "cupy", "__global__"})
    if (StringRef(Text).contains(Word))
      return true;
  return llvm::any_of(findIncludes(Text), [&](const IncludeDirective &D) {
    return HeadersRead.contains(path::filename(D.Name).str());
  });
}

// How the functions end, and methods, that load a kernel by its name, and those
// that tell all kernels of a module.
constexpr StringRef LoadingWords[] = {"ModuleGetFunction", "LibraryGetKernel",
                                      "get_function", "get_kernel"};
constexpr StringRef ListingWords[] = {"ModuleEnumerateFunctions",
                                      "LibraryEnumerateKernels"};

static bool containsAny(StringRef Text, ArrayRef<StringRef> Words) {
  return llvm::any_of(Words,
                      [&](StringRef Word) { return Text.contains(Word); });
}

// What a file of the program, read or not, does with kernels without a name.
void Searcher::readLoading(const std::string &File, const std::string &Text) {
  LoadsByName |= containsAny(Text, LoadingWords);
  if (containsAny(Text, ListingWords))
    for (StringRef Name : Kernels)
      noteName(Name, File, /*Line=*/1, "lists all kernels of a module");
}

// Whether Rest, behind the name of a function, is that of a declaration or of a
// call.
static bool isDeclarator(StringRef Rest) {
  Rest = Rest.ltrim();
  if (Rest.starts_with("<") && !Rest.starts_with("<<<")) {
    int Depth = 0;
    Rest = Rest.drop_while([&](char C) {
      Depth += (C == '<') - (C == '>');
      return Depth > 0;
    });
    Rest = Rest.drop_front(Rest.empty() ? 0 : 1).ltrim();
  }
  return Rest.starts_with("(");
}

// By includes Header, of which only units that do so, too, tell what functions
// do with a kernel: a template has no body that is read where nobody uses it.
void Searcher::searchTemplates(const std::string &Header,
                               const std::string &By) {
  auto Text = Searched.insert(Header).second ? readText(Header) : std::nullopt;
  if (!Text)
    return;
  addIncluded(Header, findIncludes(*Text));
  if (!StringRef(*Text).contains("template"))
    return;
  for (TokenReader Tokens(*Text); !Tokens.atEnd(); Tokens.next())
    if (Tokens.is(clang::tok::raw_identifier) &&
        !isDeclarator(StringRef(*Text).drop_front(Tokens.offset() +
                                                  Tokens.text().size())))
      noteName(Tokens.text(), By, /*Line=*/1,
               "is not read, and '" + path::filename(Header) +
                   "', which it includes, names it");
}

static bool isString(StringRef Token) {
  return Token.ends_with("\"") || Token.ends_with("'");
}

// Kernels are loaded by strings, also those that are handed to a function of
// another file, or that macros make of names; and by names that are made of
// strings.
void Searcher::searchStrings(const std::string &File, const std::string &Text) {
  const StringRef All = Text;
  const std::set<size_t> NoNames = namesOfFiles(findIncludes(Text));
  const bool Loads = containsAny(Text, LoadingWords) || isData(File);
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    const StringRef Token = Tokens.text();
    const StringRef Next =
        All.drop_front(Tokens.offset() + Token.size()).ltrim();
    const bool IsString = isString(Token);
    if (NoNames.contains(Tokens.offset()) ||
        !(IsString ||
          (Loads && (Next.starts_with(",") || Next.starts_with(")")))))
      continue;
    forEachWord(Token, [&](StringRef Word) {
      noteName(Word, File, /*Line=*/1, "may load it by its name");
      // As in "sum_" + type, f"sum_{type}" and name + "_kernel".
      if (IsString && Loads)
        noteMadeNames(Word.ends_with("_") ? Word : "",
                      Word.starts_with("_") ? Word : "", File);
    });
  }
}

void Searcher::searchUnread(const std::string &File, const std::string &Text) {
  if (!Included.contains(File) && !isAboutCuda(Text))
    return;
  Result.ChangesNodes |= findNodeChange(Text) != StringRef::npos;
  const std::vector<IncludeDirective> Directives = findIncludes(Text);
  addIncluded(File, Directives);
  const std::set<size_t> NoNames = namesOfFiles(Directives);
  const bool IsDeviceCode = StringRef(Text).contains("__device__") ||
                            StringRef(Text).contains("__global__");
  unsigned Line = 1;
  size_t Counted = 0;
  std::set<StringRef> Seen;
  StringRef Last; // Token.
  bool Pastes = false;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    const StringRef Token = Tokens.text();
    if (Tokens.is(clang::tok::hashhash))
      noteMadeNames(Last, "", File);
    else if (Pastes)
      noteMadeNames("", Token, File);
    Pastes = Tokens.is(clang::tok::hashhash);
    Last = Token;
    if (!NoNames.contains(Tokens.offset()))
      forEachWord(Token, [&](StringRef Word) {
        if (!Seen.insert(Word).second)
          return;
        Line += StringRef(Text).slice(Counted, Tokens.offset()).count('\n');
        Counted = Tokens.offset();
        noteName(Word, File, Line,
                 "names it, at line " + Twine(Line) + ", and is not read");
        if (IsDeviceCode && DeviceFunctions.contains(Word))
          Result.DeviceCode = File;
      });
  }
}

void Searcher::searchAll() {
  if (Kernels.empty())
    return;
  auto Read = [](const std::string &File, auto Search) {
    if (auto Text = readText(File))
      Search(File, *Text);
  };
  auto ReadHow = [&](const std::string &File, const std::string &Text) {
    readLoading(File, Text);
  };
  for (const std::string &File : FilesRead)
    Read(File, ReadHow);
  // NOLINTNEXTLINE(modernize-loop-convert): it grows.
  for (size_t I = 0; I < Files.size(); ++I)
    if (const std::string File = Files[I];
        !FilesRead.contains(File) && !isData(File))
      Read(File, [&](const std::string &File, const std::string &Text) {
        readLoading(File, Text);
        searchUnread(File, Text);
      });
  if (!LoadsByName)
    return;
  auto SearchStrings = [&](const std::string &File, const std::string &Text) {
    searchStrings(File, Text);
  };
  for (const std::string &File : FilesRead)
    Read(File, SearchStrings);
  for (const std::string &File : Files)
    if (!FilesRead.contains(File))
      Read(File, SearchStrings);
}

UnreadUses bankstripe::findUnreadUses(const ReadResult &Read,
                                      const ReadingOptions &Options,
                                      bool IsWhole) {
  Searcher Search(Read, Options);
  if (!IsWhole)
    Search.addProgram(Read, Options);
  Search.searchAll();
  return std::move(Search.Result);
}
