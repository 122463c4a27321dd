//===-- Shadow.cpp - rewritten copies in the object's folder --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "copies/Shadow.h"
#include "text/LineNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Makes the copies of one object.
class Maker {
public:
  Maker(const IncludeTree &Tree, const IncludeFolders &Folders,
        llvm::ArrayRef<ChangedFile> Changes, StringRef Folder,
        bool MayNameFolder)
      : Tree(Tree), Folders(Folders), Changes(Changes), Folder(Folder),
        MayNameFolder(MayNameFolder) {}

  llvm::Expected<Shadow> make();

private:
  llvm::Error chooseFiles();
  llvm::Error checkFile(const std::string &Real, const IncludedFile &File);
  llvm::Error checkQuoted() const;
  void choosePaths();
  bool findsBesideCopy(const IncludeDirective &D,
                       const std::string &Includer) const;
  std::string fromCopy(const std::string &Includer, StringRef Path) const;
  llvm::Expected<std::string> nameFor(const IncludeDirective &D,
                                      const std::string &Includer);
  llvm::Expected<std::string> rename(const std::string &Text,
                                     const std::string &Real);
  llvm::Expected<ShadowFile> copy(const std::string &Real);
  StringRef ownFolder() const {
    return path::parent_path(Tree.Files.at(Tree.Main).Name);
  }

  const IncludeTree &Tree;
  const IncludeFolders &Folders;
  llvm::ArrayRef<ChangedFile> Changes;
  StringRef Folder;
  const bool MayNameFolder;
  std::map<std::string, const ChangedFile *> Changed; ///< By real path.
  /// By real path; below Folder.
  std::map<std::string, std::string> Copies;
  bool NeedsQuoteFolder = false;
  IncludeFolders FromCopies; ///< The folders that copies are compiled with.
};

} // namespace

std::string bankstripe::shadowFolder(StringRef Object) {
  return (Object + ".bankstripe").str();
}

static llvm::Error refuse(const llvm::Twine &File, const llvm::Twine &Why) {
  return llvm::createStringError("'" + File + "' cannot be copied: " + Why);
}

// What changes, and all files on the way to it.
llvm::Error Maker::chooseFiles() {
  Copies[Tree.Main];
  for (const ChangedFile &File : Changes) {
    if (!Tree.Files.count(File.Path))
      return refuse(File.Path, "no #include names it");
    Changed[File.Path] = &File;
    Copies[File.Path];
  }
  for (bool Again = true; Again;) {
    Again = false;
    for (const auto &[Real, File] : Tree.Files)
      if (!Copies.count(Real) &&
          llvm::any_of(File.Targets, [&](const std::string &Target) {
            return Target != Tree.Main && Copies.count(Target);
          })) {
        Copies[Real];
        Again = true;
      }
  }
  return llvm::Error::success();
}

// What would show that a file lies elsewhere, or be another file there.
llvm::Error Maker::checkFile(const std::string &Real,
                             const IncludedFile &File) {
  if (!canNameInDirective(File.Name))
    return refuse(File.Name, "its name cannot stand in #line");
  if (!lineDirectivesIn(File.Text).empty())
    return refuse(File.Name, "it has #line directives of its own");
  for (StringRef Word : {"__BASE_FILE__", "__TIMESTAMP__"})
    if (StringRef(File.Text).contains(Word))
      return refuse(File.Name, "it mentions " + Word);
  for (size_t I = 0; I < File.Directives.size(); ++I) {
    const IncludeDirective &D = File.Directives[I];
    if (D.Next)
      return refuse(File.Name, "it has an #include_next");
    if (!D.Length && Real != Tree.Main)
      return refuse(File.Name, "a macro names a file that it includes");
    if (File.Targets[I] == Tree.Main)
      return refuse(Tree.Files.at(Tree.Main).Name, "it is included itself");
    if (!D.Length && StringRef(File.Text).contains("\"../"))
      return refuse(File.Name, "a macro may name a file above its folder");
    if (!D.Length && !MayNameFolder)
      return refuse(File.Name, "a macro names a file that it includes, and the "
                               "sources of the command lie in several folders");
    if (!D.Length)
      NeedsQuoteFolder = true;
  }
  return llvm::Error::success();
}

// With one more folder to look in, a quoted name may lead elsewhere.
llvm::Error Maker::checkQuoted() const {
  const IncludedFile &Main = Tree.Files.at(Tree.Main);
  // nvcc splits what it hands on to the host's compiler, and a shell reads it.
  if (!llvm::all_of(ownFolder(), [](char C) {
        return llvm::isAlnum(C) || !llvm::isASCII(C) ||
               StringRef("/._-+=@%:").contains(C);
      }))
    return refuse(Main.Name, "its folder cannot be named in an option");
  for (const auto &[Real, File] : Tree.Files)
    for (size_t I = 0; I < File.Directives.size(); ++I) {
      const IncludeDirective &D = File.Directives[I];
      if (!D.Quoted)
        continue;
      auto Found = findIncluded(D, File.Name, FromCopies);
      if (Found &&
          !(File.Targets[I].size() && fs::equivalent(*Found, File.Targets[I])))
        return refuse(Main.Name, "its folder has another '" + D.Name +
                                     "' than the one that '" + File.Name +
                                     "' includes");
    }
  return llvm::Error::success();
}

// Headers of one name lie in folders of their own, and none beside the source,
// where a quoted name might find it.
void Maker::choosePaths() {
  unsigned Count = 0;
  for (auto &[Real, Copy] : Copies) {
    const StringRef Name = path::filename(Tree.Files.at(Real).Name);
    Copy = Real == Tree.Main
               ? Name.str()
               : ("headers/" + llvm::Twine(Count++) + "/" + Name).str();
  }
}

// The way from the copy of Includer to the one at Path. It says nothing of
// where the object lies, so equal sources have equal copies.
std::string Maker::fromCopy(const std::string &Includer, StringRef Path) const {
  return ((Includer == Tree.Main ? "" : "../../") + Path).str();
}

static std::string absolute(StringRef Path) {
  llvm::SmallString<256> Result(Path);
  (void)fs::make_absolute(Result); // Fails only without a current folder.
  return std::string(Result);
}

// Whether D would find something beside the copy of Includer, be it by `..`.
bool Maker::findsBesideCopy(const IncludeDirective &D,
                            const std::string &Includer) const {
  if (!D.Quoted || path::is_absolute(D.Name))
    return false;
  llvm::SmallString<256> Path(
      absolute((Folder + "/" + Copies.at(Includer)).str()));
  path::remove_filename(Path);
  path::append(Path, D.Name);
  // The folder of the copy may not be there yet.
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return fs::exists(Path);
}

// What D says in the copy of Includer; empty to say the same.
llvm::Expected<std::string> Maker::nameFor(const IncludeDirective &D,
                                           const std::string &Includer) {
  const IncludedFile &File = Tree.Files.at(Includer);
  auto Found = findIncluded(D, File.Name, Folders);
  if (!Found) {
    // The one that the rewrite asks for.
    if (D.Quoted && (D.Name == HelperFileName || D.Name == LaunchFileName ||
                     D.Name == ChoiceFileName))
      return fromCopy(Includer, D.Name);
    if (findsBesideCopy(D, Includer))
      return refuse(File.Name, "its copy would find another '" + D.Name + "'");
    return std::string();
  }
  llvm::SmallString<256> Real;
  if (fs::real_path(*Found, Real))
    return refuse(*Found, "it cannot be read");
  if (auto Copy = Copies.find(std::string(Real)); Copy != Copies.end())
    return fromCopy(Includer, Copy->second);
  const std::string Path = (Folder + "/" + Copies.at(Includer)).str();
  if (!findsBesideCopy(D, Includer) &&
      findIncluded(D, Path, FromCopies) == Found)
    return std::string();
  return absolute(*Found);
}

llvm::Expected<std::string> Maker::rename(const std::string &Text,
                                          const std::string &Real) {
  std::string Result;
  size_t At = 0;
  for (const IncludeDirective &D : findIncludes(Text)) {
    if (!D.Length)
      continue;
    auto Name = nameFor(D, Real);
    if (!Name)
      return Name.takeError();
    if (Name->empty())
      continue;
    if (!canNameInDirective(*Name))
      return refuse(*Name, "its name cannot stand in #include");
    Result += StringRef(Text).slice(At, D.Offset);
    Result += '"' + *Name + '"';
    At = D.Offset + D.Length;
  }
  return Result + Text.substr(At);
}

llvm::Expected<ShadowFile> Maker::copy(const std::string &Real) {
  const IncludedFile &File = Tree.Files.at(Real);
  auto Change = Changed.find(Real);
  const std::string &Before =
      Change == Changed.end() ? File.Text : Change->second->Before;
  const std::string &After =
      Change == Changed.end() ? File.Text : Change->second->After;
  if (Before != File.Text)
    return refuse(File.Name, "it has changed meanwhile");
  std::vector<unsigned> Lines;
  if (Change != Changed.end())
    Lines = Change->second->Lines;
  else
    for (unsigned Line = 1; Line <= StringRef(After).count('\n') + 1; ++Line)
      Lines.push_back(Line);
  auto Text = rename(After, Real);
  if (!Text)
    return Text.takeError();
  return ShadowFile{(Folder + "/" + Copies.at(Real)).str(), File.Name,
                    withLineDirectives(*Text, Lines, File.Name)};
}

llvm::Expected<Shadow> Maker::make() {
  if (llvm::Error E = chooseFiles())
    return E;
  // A source that is named in part is spelled so in the names of what it
  // includes.
  NeedsQuoteFolder =
      MayNameFolder && !path::is_absolute(Tree.Files.at(Tree.Main).Name);
  for (const auto &[Real, Copy] : Copies)
    if (llvm::Error E = checkFile(Real, Tree.Files.at(Real)))
      return E;
  FromCopies = Folders;
  if (NeedsQuoteFolder) {
    FromCopies.Quote.insert(FromCopies.Quote.begin(), ownFolder().str());
    if (llvm::Error E = checkQuoted())
      return E;
  }
  choosePaths();
  Shadow Result;
  Result.Folder = Folder.str();
  auto Main = copy(Tree.Main);
  if (!Main)
    return Main.takeError();
  Result.Files.push_back(std::move(*Main));
  for (const auto &[Real, Copy] : Copies) {
    if (Real == Tree.Main)
      continue;
    auto File = copy(Real);
    if (!File)
      return File.takeError();
    Result.Files.push_back(std::move(*File));
  }
  Result.Files.push_back(
      {(Folder + "/" + HelperFileName).str(), "", helperText().str()});
  for (const LaunchHelper &Each : launchHelpers())
    if (llvm::any_of(Result.Files, [&](const ShadowFile &File) {
          return StringRef(File.Text).contains((Each.Name + "\"").str());
        }))
      Result.Files.push_back(
          {(Folder + "/" + Each.Name).str(), "", Each.Text.str()});
  if (NeedsQuoteFolder)
    Result.QuoteFolder = ownFolder().empty() ? "." : ownFolder().str();
  return Result;
}

llvm::Expected<Shadow>
bankstripe::makeShadow(const IncludeTree &Tree, const IncludeFolders &Folders,
                       llvm::ArrayRef<ChangedFile> Changes, StringRef Folder,
                       bool MayNameFolder) {
  return Maker(Tree, Folders, Changes, Folder, MayNameFolder).make();
}

llvm::Error bankstripe::writeShadow(const Shadow &S) {
  for (const ShadowFile &File : S.Files) {
    if (llvm::Error E = makeOwnFolder(path::parent_path(File.Path), S.Folder))
      return E;
    if (llvm::Error E = writeOwnFile(File.Path, File.Text))
      return E;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Dependency files: `target: file file \` and so on. In a name, a blank and a
// `#` have a backslash before them, and a `$` is doubled.
//===----------------------------------------------------------------------===//

static std::string unescape(StringRef Word) {
  std::string Name;
  for (size_t I = 0; I < Word.size(); ++I) {
    const StringRef Rest = Word.substr(I);
    I += Rest.starts_with("\\ ") || Rest.starts_with("\\#") ||
         Rest.starts_with("$$");
    Name += Word[I];
  }
  return Name;
}

static std::string escape(StringRef Name) {
  std::string Word;
  for (char C : Name) {
    if (C == ' ' || C == '#')
      Word += '\\';
    if (C == '$')
      Word += '$';
    Word += C;
  }
  return Word;
}

std::string bankstripe::renameDependencies(
    StringRef Text,
    llvm::function_ref<std::vector<std::string>(StringRef)> NamesFor,
    llvm::ArrayRef<std::string> Removable) {
  static const llvm::Regex Word("([^\\\\[:space:]]|\\\\[^\r\n])+");
  std::string Result;
  llvm::SmallVector<StringRef, 2> Matches;
  while (Word.match(Text, &Matches)) {
    StringRef Found = Matches.front();
    Result += StringRef(Text.begin(), Found.begin() - Text.begin());
    Text = Text.drop_front(Found.end() - Text.begin());
    // Of a rule without dependencies, as -MP makes them, the name is a target.
    const bool Target = Found.consume_back(":");
    std::vector<std::string> Names = NamesFor(unescape(Found));
    llvm::transform(Names, Names.begin(), escape);
    Result += Names.empty() ? Found.str() : llvm::join(Names, " ");
    if (Target)
      Result += ":";
  }
  Result += Text;
  for (const std::string &Name : Removable)
    if (!Name.empty())
      Result += (StringRef(Result).ends_with("\n") ? "" : "\n") + escape(Name) +
                ":\n";
  return Result;
}
