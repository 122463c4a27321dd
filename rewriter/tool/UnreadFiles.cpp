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
  void searchUnread(const std::string &File, const std::string &Text);
  void searchRead(const std::string &File, const std::string &Text);
  bool isAboutCuda(const std::string &Text) const;
  void noteName(StringRef Name, const std::string &File, unsigned Line,
                const Twine &Why);

  const std::set<std::string> &FilesRead;
  const std::string OutputDirectory; ///< Real path, or empty.
  std::set<std::string> HeadersRead; ///< Their names without folders.
  /// Last and mangled names of the kernels that other files can name.
  std::set<std::string, std::less<>> Kernels;
  std::set<std::string, std::less<>> DeviceFunctions; ///< Last names.
  std::vector<std::string> Files; ///< To be searched; it grows.
  std::set<std::string> Known;    ///< All that were in Files, or folders.
  std::set<std::string> Included; ///< By files that are about CUDA.
};

} // namespace

Searcher::Searcher(const ReadResult &Read, const ReadingOptions &Options)
    : FilesRead(Read.Files),
      OutputDirectory(Options.OutputDirectory.empty()
                          ? ""
                          : realPath(Options.OutputDirectory)) {
  for (const std::string &File : FilesRead)
    HeadersRead.insert(path::filename(File).str());
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

static bool isSource(StringRef File) {
  return isAmong(path::extension(File), ".cu .cpp .cc .cxx .c++ .c .C .py");
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
    else if (isSource(Name))
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
    for (const std::string &File : databaseFiles(Where))
      addFile(File);
  if (Frontend.DatabaseDirectory.empty())
    for (const std::string &Path : Options.Paths)
      if (fs::is_directory(Path))
        addFolder(realPath(Path));
}

// --- What they name ----------------------------------------------------------

void Searcher::noteName(StringRef Name, const std::string &File, unsigned Line,
                        const Twine &Why) {
  if (Kernels.contains(Name))
    Result.Kernels.push_back(
        {Name.str(), Name.starts_with("_Z") ? Naming::Mangled : Naming::LastAny,
         Place{File, Line, 1}, ("'" + displayName(File) + "' " + Why).str()});
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

void Searcher::searchUnread(const std::string &File, const std::string &Text) {
  if (!Included.contains(File) && !isAboutCuda(Text))
    return;
  const std::vector<IncludeDirective> Directives = findIncludes(Text);
  for (const IncludeDirective &D : Directives)
    if (D.Quoted)
      if (auto Found = findIncluded(D, File, IncludeFolders())) {
        Included.insert(realPath(*Found));
        addFile(*Found);
      }
  const std::set<size_t> NoNames = namesOfFiles(Directives);
  const bool IsDeviceCode = StringRef(Text).contains("__device__") ||
                            StringRef(Text).contains("__global__");
  unsigned Line = 1;
  size_t Counted = 0;
  std::set<StringRef> Seen;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next())
    forEachWord(Tokens.text(), [&](StringRef Word) {
      if (NoNames.contains(Tokens.offset()) || !Seen.insert(Word).second)
        return;
      Line += StringRef(Text).slice(Counted, Tokens.offset()).count('\n');
      Counted = Tokens.offset();
      noteName(Word, File, Line,
               "names it, at line " + Twine(Line) + ", and is not read");
      if (IsDeviceCode && DeviceFunctions.contains(Word))
        Result.DeviceCode = File;
    });
}

// Kernels are loaded by strings, which macros make of names, too.
void Searcher::searchRead(const std::string &File, const std::string &Text) {
  const StringRef All = Text;
  if (!All.contains("ModuleGetFunction") && !All.contains("LibraryGetKernel"))
    return;
  const std::set<size_t> NoNames = namesOfFiles(findIncludes(Text));
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    const size_t End = Tokens.offset() + Tokens.text().size();
    const StringRef Next = All.drop_front(End).ltrim();
    if ((Tokens.is(clang::tok::string_literal) &&
         !NoNames.contains(Tokens.offset())) ||
        Next.starts_with(",") || Next.starts_with(")"))
      forEachWord(Tokens.text(), [&](StringRef Word) {
        noteName(Word, File, /*Line=*/1, "may load it by its name");
      });
  }
}

void Searcher::searchAll() {
  if (Kernels.empty())
    return;
  for (const std::string &File : FilesRead)
    if (auto Text = readText(File))
      searchRead(File, *Text);
  // NOLINTNEXTLINE(modernize-loop-convert): it grows.
  for (size_t I = 0; I < Files.size(); ++I)
    if (const std::string File = Files[I]; !FilesRead.contains(File))
      if (auto Text = readText(File))
        searchUnread(File, *Text);
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
