//===-- MacroQuestions.cpp - macros that only nvcc knows ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A question is an `#ifdef`, `defined()` or expansion in a file that is no
// system header, or in one of a folder that is given by `-isystem`. Most are
// about the user's own macros. Those left are compared:
//
//   Clang predefines it           nvcc has to have the same, or it is shown
//   nobody has defined it         nvcc must not predefine it, or it is shown
//   a header that Clang includes  nvcc's headers define it too, or the user
//   by itself defines it          has included that header (CUDA_VERSION)
//   `__has_builtin(x)` and such   cannot be shown
//
// nvcc's definition is that of another macro, which is defined before all
// files. Who asks for one macro mostly asks for more, further on. So with the
// first one all are shown that differ, and not one more with each parse.
//
//===----------------------------------------------------------------------===//

#include "frontend/MacroQuestions.h"
#include "frontend/Bridges.h"
#include "frontend/CommandLine.h"
#include "frontend/UserFiles.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace bankstripe {
namespace {

constexpr StringLiteral NvccPrefix = "bankstripe_nvcc_";

/// Where the two passes of nvcc differ.
bool isForDeviceOnly(StringRef Name) {
  return isAmong(Name, "__CUDA_ARCH__ CUDA_DOUBLE_MATH_FUNCTIONS") ||
         isOfArchitecture(Name);
}

/// Predefined by every compiler on this machine to the same, or by the shim.
constexpr StringLiteral Agreed =
    "__cplusplus __CUDACC__ __linux__ __linux linux __unix__ __unix "
    "unix __x86_64__ __x86_64 __amd64__ __amd64 __aarch64__ __ELF__ _LP64 "
    "__LP64__ _GNU_SOURCE __STDC__ __STDC_HOSTED__ __BYTE_ORDER__ "
    "__ORDER_LITTLE_ENDIAN__ __ORDER_BIG_ENDIAN__ __CHAR_BIT__ __SIZE_TYPE__";

/// Defined by no compiler that nvcc uses on Linux; and how such names start.
constexpr StringLiteral OfOtherSystems =
    "_WIN32 _WIN64 _MSC_VER __APPLE__ __CUDACC_RTC__ __HIPCC__ __HIP__ "
    "__MINGW32__ __CYGWIN__ __INTEL_COMPILER __FreeBSD__";
constexpr StringLiteral StartsOfOtherSystems = "__HIP_ __SYCL __OPENCL";

/// Of Clang's built-in macros those that are for the preprocessor itself.
constexpr StringLiteral OfPreprocessor =
    "__FILE__ __LINE__ __COUNTER__ __DATE__ __TIME__ __TIMESTAMP__ "
    "__INCLUDE_LEVEL__ __BASE_FILE__ __FILE_NAME__ _Pragma __has_include "
    "__has_include_next";

/// What GCC has as well, and answers otherwise.
constexpr StringLiteral QuestionsToCompiler =
    "__has_builtin __has_attribute __has_cpp_attribute";

bool looksReserved(StringRef Name) {
  return startsWithAny(Name, "__ CUDA_") ||
         (Name.size() > 1 && Name[0] == '_' && isUpper(Name[1]));
}

/// `__VECTOR_HPP__`.
bool looksLikeGuard(StringRef Name) {
  return isAmong(Name.rtrim('_').rsplit('_').second,
                 "H HH HPP HXX CUH INC INCLUDED");
}

/// Whether both texts mean the same number or are the same.
bool isSameBody(StringRef A, StringRef B) {
  if (A == B)
    return true;
  int64_t First = 0, Second = 0;
  return !A.trim("uUlL").getAsInteger(0, First) &&
         !B.trim("uUlL").getAsInteger(0, Second) && First == Second;
}

/// Watches one parse.
class Watcher final : public clang::PPCallbacks {
public:
  Watcher(clang::CompilerInstance &Compiler, MacroView &View,
          std::set<std::string> &Wanted)
      : PP(Compiler.getPreprocessor()), Sources(PP.getSourceManager()),
        IsHost(!Compiler.getLangOpts().CUDAIsDevice), View(View),
        Wanted(Wanted), Given(View.args()) {
    for (const std::string &Name : View.Shown)
      if (!IsHost || !isForDeviceOnly(Name))
        Changes.push_back({PP.getIdentifierInfo(Name),
                           PP.getIdentifierInfo((NvccPrefix + Name).str()),
                           nullptr});
  }

  void FileChanged(clang::SourceLocation Loc, FileChangeReason Reason,
                   clang::SrcMgr::CharacteristicKind Kind,
                   clang::FileID) override {
    // The main file is entered before the macros that the compiler has, and
    // comes again after them.
    if (Reason == EnterFile &&
        Sources.getFileID(Loc) == Sources.getMainFileID())
      return;
    IsGiven = clang::SrcMgr::isSystem(Kind) && Given.contain(Sources, Loc);
    const bool IsUser =
        IsGiven || (!clang::SrcMgr::isSystem(Kind) && isUserFile(Loc));
    if (IsUser && !FirstUserFile.isValid())
      FirstUserFile = Loc;
    if (IsUser != std::exchange(ShowsNvcc, IsUser))
      IsUser ? show() : hide();
  }
  void FileSkipped(const clang::FileEntryRef &File, const clang::Token &,
                   clang::SrcMgr::CharacteristicKind) override {
    IncludedAgain.insert(&File.getFileEntry());
  }
  void MacroDefined(const clang::Token &Name,
                    const clang::MacroDirective *) override {
    forget(Name);
  }
  void MacroUndefined(const clang::Token &Name, const clang::MacroDefinition &,
                      const clang::MacroDirective *) override {
    forget(Name);
  }

  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &M,
                    clang::SourceRange, const clang::MacroArgs *) override {
    ask(*Name.getIdentifierInfo(), Name.getLocation(), M.getMacroInfo(),
        /*ForValue=*/true);
  }
  void Defined(const clang::Token &Name, const clang::MacroDefinition &M,
               clang::SourceRange) override {
    askIfDefined(Name, M);
  }
  void Ifdef(clang::SourceLocation, const clang::Token &Name,
             const clang::MacroDefinition &M) override {
    askIfDefined(Name, M);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &Name,
              const clang::MacroDefinition &M) override {
    askIfDefined(Name, M);
  }
  using PPCallbacks::Elifdef;
  using PPCallbacks::Elifndef;
  void Elifdef(clang::SourceLocation, const clang::Token &Name,
               const clang::MacroDefinition &M) override {
    askIfDefined(Name, M);
  }
  void Elifndef(clang::SourceLocation, const clang::Token &Name,
                const clang::MacroDefinition &M) override {
    askIfDefined(Name, M);
  }
  void If(clang::SourceLocation, clang::SourceRange Condition,
          ConditionValueKind) override {
    askCondition(Condition);
  }
  void Elif(clang::SourceLocation, clang::SourceRange Condition,
            ConditionValueKind, clang::SourceLocation) override {
    askCondition(Condition);
  }

private:
  /// A macro that the user's text sees as nvcc has it.
  struct Change {
    clang::IdentifierInfo *Name;
    clang::IdentifierInfo *OfNvcc; ///< The macro that has its definition.
    clang::MacroInfo *OfClang;
  };
  bool isUserFile(clang::SourceLocation Loc) const;
  bool isNoQuestion(StringRef Name) const {
    return Name.starts_with(PragmaMacros) || isAmong(Name, Agreed) ||
           isAmong(Name, OfOtherSystems) ||
           startsWithAny(Name, StartsOfOtherSystems) ||
           UserNames.contains(Name);
  }
  void set(clang::IdentifierInfo *Name, clang::MacroInfo *M);
  void show();
  void hide();
  void forget(const clang::Token &Name);
  void askIfDefined(const clang::Token &Name, const clang::MacroDefinition &M) {
    ask(*Name.getIdentifierInfo(), Name.getLocation(), M.getMacroInfo(),
        /*ForValue=*/false);
  }
  void ask(const clang::IdentifierInfo &Name, clang::SourceLocation Where,
           const clang::MacroInfo *M, bool ForValue);
  void askCondition(clang::SourceRange Condition);
  /// Whether nvcc has \p Name otherwise than as \p M, and it can be shown so.
  bool differs(StringRef Name, const clang::MacroInfo *M, bool ForValue);
  bool differsFrom(const CompilerMacros &Nvcc, StringRef Name,
                   const clang::MacroInfo *M, bool ForValue) const;
  bool differsInHeader(StringRef Name, const clang::MacroInfo &M,
                       bool ForValue);
  void guessVersion();
  void wantAll();

  clang::Preprocessor &PP;
  const clang::SourceManager &Sources;
  const bool IsHost;
  MacroView &View;
  std::set<std::string> &Wanted;
  std::vector<Change> Changes;
  const GivenFolders Given;
  bool ShowsNvcc = false;
  bool IsGiven = false; ///< What is read is a system header of Given.
  clang::SourceLocation FirstUserFile;
  StringSet<> UserNames; ///< What the user's text defined, or took away.
  SmallPtrSet<const clang::FileEntry *, 8> IncludedAgain;
};

} // namespace

bool Watcher::isUserFile(clang::SourceLocation Loc) const {
  const auto File = Sources.getFileEntryRefForID(Sources.getFileID(Loc));
  return File && !Sources.isInSystemHeader(Loc) &&
         !StringRef(File->getName()).contains("/bankstripe-built-in/");
}

void Watcher::set(clang::IdentifierInfo *Name, clang::MacroInfo *M) {
  if (!M)
    return Name->setHasMacroDefinition(false);
  Name->setHasMacroDefinition(true);
  if (PP.getMacroInfo(Name) != M)
    PP.appendDefMacroDirective(Name, M);
}

void Watcher::show() {
  for (Change &C : Changes) {
    C.OfClang = PP.getMacroInfo(C.Name);
    set(C.Name, PP.getMacroInfo(C.OfNvcc));
  }
}

void Watcher::hide() {
  for (const Change &C : Changes)
    set(C.Name, C.OfClang);
}

// Where the user defines a macro anew, or takes it away, it is that from there
// on.
void Watcher::forget(const clang::Token &Name) {
  if (!ShowsNvcc)
    return;
  const clang::IdentifierInfo *Info = Name.getIdentifierInfo();
  erase_if(Changes, [&](const Change &C) { return C.Name == Info; });
  UserNames.insert(Info->getName());
}

// Clang includes some headers by itself that nvcc does not: cuda.h, and
// curand_mtgp32.h, which defines THREAD_NUM.
bool Watcher::differsInHeader(StringRef Name, const clang::MacroInfo &M,
                              bool ForValue) {
  const clang::SourceLocation Where = M.getDefinitionLoc();
  if (!ForValue || !FirstUserFile.isValid() ||
      !Sources.isBeforeInTranslationUnit(Where, FirstUserFile))
    return false;
  const auto File = Sources.getFileEntryRefForID(Sources.getFileID(Where));
  if (!File || IncludedAgain.contains(&File->getFileEntry()))
    return false;
  const StringRef Header = sys::path::filename(File->getName());
  if (Header != "cuda.h" && !Header.starts_with("curand"))
    return false;
  const CompilerMacros *Nvcc = View.nvcc();
  const auto Found = Nvcc ? Nvcc->find(Name) : CompilerMacros::const_iterator();
  int64_t Number = 0;
  return Nvcc && Found != Nvcc->end() &&
         !StringRef(Found->second.Body).getAsInteger(0, Number) &&
         differsFrom(*Nvcc, Name, &M, ForValue);
}

bool Watcher::differs(StringRef Name, const clang::MacroInfo *M,
                      bool ForValue) {
  if (M && M->isBuiltinMacro()) // GCC has no other ones.
    return !isAmong(Name, OfPreprocessor) &&
           !isAmong(Name, QuestionsToCompiler);
  const bool IsPredefined =
      M && (Sources.isWrittenInBuiltinFile(M->getDefinitionLoc()) ||
            Sources.isWrittenInCommandLineFile(M->getDefinitionLoc()));
  if (M && !IsPredefined)
    return differsInHeader(Name, *M, ForValue);
  if (!M && (!looksReserved(Name) || looksLikeGuard(Name)))
    return false;
  const CompilerMacros *Nvcc = View.nvcc();
  return Nvcc && differsFrom(*Nvcc, Name, M, ForValue);
}

bool Watcher::differsFrom(const CompilerMacros &Nvcc, StringRef Name,
                          const clang::MacroInfo *M, bool ForValue) const {
  const auto Found = Nvcc.find(Name);
  const bool IsDefined =
      Found != Nvcc.end() && !(IsHost && isForDeviceOnly(Name));
  if (!M)
    return IsDefined && Found->second.IsPredefined;
  if (!IsDefined || !ForValue || !M->isObjectLike())
    return !IsDefined;
  std::string Body;
  for (const clang::Token &Part : M->tokens())
    Body += (Body.empty() || !Part.hasLeadingSpace() ? "" : " ") +
            PP.getSpelling(Part);
  return !isSameBody(Body, Found->second.Body);
}

void Watcher::guessVersion() {
  const clang::MacroInfo *Release =
      PP.getMacroInfo(PP.getIdentifierInfo("_GLIBCXX_RELEASE"));
  if (!Release || Release->getNumTokens() != 1)
    return;
  View.LibraryVersion = PP.getSpelling(Release->getReplacementToken(0));
  Wanted.insert("__GNUC__");
}

// Whatever nobody asks for is shown to nobody.
void Watcher::wantAll() {
  auto Want = [&](StringRef Name, const clang::MacroInfo *M) {
    if (!isNoQuestion(Name) && differs(Name, M, /*ForValue=*/true))
      Wanted.insert(Name.str());
  };
  for (const auto &[Name, Directives] : PP.macros())
    if (const clang::MacroInfo *M = PP.getMacroInfo(Name))
      if (!M->isBuiltinMacro())
        Want(Name->getName(), M);
  for (const auto &Entry : *View.nvcc())
    if (Entry.second.IsPredefined &&
        !PP.getMacroInfo(PP.getIdentifierInfo(Entry.first())))
      Want(Entry.first(), nullptr);
}

// Names that are no macros are 0 in a condition, without a word.
void Watcher::askCondition(clang::SourceRange Condition) {
  if (!ShowsNvcc)
    return;
  const clang::SourceLocation Where =
      Sources.getExpansionLoc(Condition.getBegin());
  // A lexer needs the NUL behind a string.
  const std::string Code =
      clang::Lexer::getSourceText(
          clang::CharSourceRange::getTokenRange(
              Where, Sources.getExpansionLoc(Condition.getEnd())),
          Sources, PP.getLangOpts())
          .str();
  const char *Begin = Code.c_str();
  clang::Lexer Raw(clang::SourceLocation(), PP.getLangOpts(), Begin, Begin,
                   Begin + Code.size());
  SmallVector<const clang::IdentifierInfo *> Pending;
  clang::Token Part;
  for (bool Last = false; !Last;) {
    Last = Raw.LexFromRawLexer(Part);
    if (Part.is(clang::tok::raw_identifier))
      Pending.push_back(PP.getIdentifierInfo(Part.getRawIdentifier()));
  }
  SmallPtrSet<const clang::IdentifierInfo *, 8> Seen;
  while (!Pending.empty()) {
    const clang::IdentifierInfo *Name = Pending.pop_back_val();
    if (!Seen.insert(Name).second)
      continue;
    const clang::MacroInfo *M = PP.getMacroInfo(Name);
    if (!M)
      ask(*Name, Where, nullptr, /*ForValue=*/true);
    else
      for (const clang::Token &Each : M->tokens())
        if (Each.getIdentifierInfo())
          Pending.push_back(Each.getIdentifierInfo());
  }
}

void Watcher::ask(const clang::IdentifierInfo &Name,
                  clang::SourceLocation Where, const clang::MacroInfo *M,
                  bool ForValue) {
  const StringRef Text = Name.getName();
  if (!ShowsNvcc || !(IsGiven || isUserFile(Sources.getExpansionLoc(Where))) ||
      isNoQuestion(Text))
    return;
  if (View.Shown.count(Text.str()) || !View.MayShow)
    return;
  if (!differs(Text, M, ForValue) || !View.nvcc()) {
    if (Text == "__GNUC__" && !View.nvcc())
      guessVersion();
    return;
  }
  if (View.Shown.empty() && Wanted.empty() && !View.isGuess())
    wantAll();
  Wanted.insert(Text.str());
}

const CompilerMacros *MacroView::nvcc() {
  // Without a toolkit the built-in declarations are read, and no nvcc is known.
  if (std::exchange(IsAsked, true) || Job.CudaPath.empty())
    return Known.empty() ? nullptr : &Known;
  const auto Kit = expectedToOptional(findToolkit(Job.CudaPath));
  if (!Kit || Kit->Nvcc.empty())
    return nullptr;
  if (Watch)
    Watch->askedNvcc(Kit->Nvcc, hostCompilerOf(commandOf(Job)));
  if (auto Macros = expectedToOptional(askNvccForMacros(Job, Kit->Nvcc)))
    Known = std::move(*Macros);
  return Known.empty() ? nullptr : &Known;
}

bool MacroView::isForNvcc() const {
  const CommandLine Command = commandOf(Job);
  return Command.IsNvcc || Command.Args.empty();
}

void defineShown(MacroView &View, clang::CompilerInvocation &Invocation) {
  auto Define = [&](const Twine &Macro) {
    Invocation.getPreprocessorOpts().addMacroDef((NvccPrefix + Macro).str());
  };
  for (const std::string &Name : View.Shown)
    if (const CompilerMacros *Nvcc = View.nvcc(); !Nvcc) {
      Define("__GNUC__=" + View.LibraryVersion);
    } else if (Nvcc->contains(Name)) {
      const CompilerMacro &M = Nvcc->find(Name)->second;
      Define(Name + M.Parameters + "=" + M.Body);
    }
}

void watchMacros(clang::CompilerInstance &Compiler, MacroView &View,
                 std::set<std::string> &Wanted) {
  Compiler.getPreprocessor().addPPCallbacks(
      std::make_unique<Watcher>(Compiler, View, Wanted));
}

} // namespace bankstripe
