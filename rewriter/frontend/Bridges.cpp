//===-- Bridges.cpp - from what nvcc takes to what Clang takes ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Bridges.h"

#include "frontend/BridgeTable.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;
using namespace clang;
using llvm::StringRef;

std::string bankstripe::pragmaName(size_t Number) {
  return PragmaMacros.str() + std::to_string(Number);
}

static std::vector<RawToken> rawTokens(StringRef Text,
                                       const LangOptions &Options) {
  Lexer Raw(SourceLocation(), Options, Text.begin(), Text.begin(), Text.end());
  std::vector<RawToken> Result;
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof))
      return Result;
    const unsigned End = Raw.getBufferLocation() - Text.begin();
    Result.push_back(
        {End - T.getLength(), Text.slice(End - T.getLength(), End)});
  }
}

// Errors come in thousands, and files have millions of characters.
static llvm::ArrayRef<RawToken> lex(LexedFile &File, StringRef Text) {
  if (File.Text != Text) {
    LangOptions Options;
    Options.CPlusPlus = Options.CPlusPlus11 = Options.CUDA = true;
    File.Text = Text.str();
    File.Tokens = rawTokens(File.Text, Options);
  }
  return File.Tokens;
}

// What CUDA's headers call for textures. nvcc has it built in, Clang in a
// header.
static constexpr char TextureHandler[] = "__nv_tex_surf_handler";

static void hideTextures(CompilerInstance &Compiler) {
  const std::string Header = Compiler.getHeaderSearchOpts().ResourceDir +
                             "/include/__clang_cuda_texture_intrinsics.h";
  if (auto File = Compiler.getFileManager().getOptionalFileRef(Header))
    Compiler.getSourceManager().overrideFileContents(
        *File, llvm::MemoryBuffer::getMemBuffer(""));
}

StringRef Bridges::learn(const Diagnostic &Diag, CompilerInstance &Compiler,
                         LexedFiles &Lexed) {
  if (Diag.getID() == diag::err_undeclared_var_use && !HasTextures) {
    llvm::SmallString<64> Text;
    Diag.FormatDiagnostic(Text);
    HasTextures = StringRef(Text).contains(TextureHandler);
    if (HasTextures)
      return "it reads a texture, which Clang has in a header";
  }
  if (!Diag.hasSourceManager() || Diag.getLocation().isInvalid())
    return "";
  const SourceManager &SM = Diag.getSourceManager();
  const auto [Name, Offset] = placeOf(SM, Diag.getLocation());
  const FileID File = SM.getFileID(SM.getSpellingLoc(Diag.getLocation()));
  const FileOffset Line = {Name, SM.getLineNumber(File, Offset)};
  auto IsAbout = [&](const Bridge &B) { return B.DiagId == Diag.getID(); };
  if (!Name.empty() && llvm::any_of(knownBridges(), IsAbout)) {
    auto [Text, IsNew] = Texts.try_emplace(Name);
    if (IsNew)
      Text->second.Original = Text->second.Corrected =
          SM.getBufferData(File).str();
    Fault F{Diag,
            Name,
            lex(Lexed[Name], Text->second.Corrected),
            0,
            Offset,
            Compiler.hasSema() && Compiler.getSema().isUnevaluatedContext(),
            Compiler.hasSema() && Compiler.getSema().CUDA().CurrentTarget() ==
                                      CUDAFunctionTarget::Host,
            Compiler.getASTContext()};
    F.Index =
        std::ranges::lower_bound(F.Tokens, Offset, {}, &RawToken::Offset) -
        F.Tokens.begin();
    const Bridge *Known = llvm::find_if(knownBridges(), [&](const Bridge &B) {
      return F.Index < F.Tokens.size() && IsAbout(B) && B.Build(F, *this);
    });
    if (IsNew && Text->second.Original == Text->second.Corrected)
      Texts.erase(Text);
    if (Known != knownBridges().end())
      Advice[Line] = Known->Advice;
  }
  auto Found = Advice.find(Line);
  return Found == Advice.end() ? "" : Found->second;
}

namespace {

/// The declarator of a function that is put on both sides, token by token.
class OpenDeclarator {
public:
  /// Unless one is open already, which says so.
  bool begin() {
    if (Open)
      return false;
    *this = OpenDeclarator();
    return Open = true;
  }
  /// Whether the parser has done with it: it has seen what ends the declarator
  /// before it asks for the next token, which is \p T.
  bool endsBefore(const Token &T) {
    if (!Open)
      return false;
    if (Ended) {
      Open = false;
      return true;
    }
    Depth += int(T.is(tok::l_paren)) - int(T.is(tok::r_paren));
    Ended = Depth == 0 && T.isOneOf(tok::l_brace, tok::semi);
    return false;
  }

private:
  bool Open = false, Ended = false;
  int Depth = 0;
};

} // namespace

// Gives the parser the tokens of \p Inserted next.
static void insert(const Bridges::Insertion &Inserted, FileID File,
                   Preprocessor &PP) {
  const StringRef Text = Inserted.Text;
  const SourceLocation Where =
      PP.getSourceManager().getComposedLoc(File, Inserted.At);
  Lexer Raw(SourceLocation(), PP.getLangOpts(), Text.begin(), Text.begin(),
            Text.end());
  llvm::SmallVector<Token> Tokens;
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof))
      break;
    if (T.is(tok::raw_identifier))
      PP.LookUpIdentifierInfo(T);
    T.setLocation(Where);
    Tokens.push_back(T);
  }
  auto Owned = std::make_unique<Token[]>(Tokens.size());
  llvm::copy(Tokens, Owned.get());
  PP.EnterTokenStream(std::move(Owned), Tokens.size(),
                      /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
}

void Bridges::build(CompilerInstance &Compiler) const {
  if (!HasTextures)
    hideTextures(Compiler);
  if (*this == Bridges())
    return;
  SourceManager &SM = Compiler.getSourceManager();
  Preprocessor &PP = Compiler.getPreprocessor();
  for (const auto &[Name, Text] : Texts)
    if (auto File = Compiler.getFileManager().getOptionalFileRef(Name))
      SM.overrideFileContents(*File,
                              llvm::MemoryBuffer::getMemBuffer(Text.Corrected));
  Compiler.getLangOpts().HIPStdPar = CallsHost;
  std::string Macros = PP.getPredefines();
  for (auto [Number, Pragma] : llvm::enumerate(Pragmas))
    Macros +=
        "#define " + pragmaName(Number) + " _Pragma(\"" +
        Lexer::Stringify(StringRef(Pragma).split("pragma").second.ltrim()) +
        "\")\n";
  PP.setPredefines(std::move(Macros));
  for (const std::string &Name : NoBuiltins)
    if (IdentifierInfo *Builtin = PP.getIdentifierInfo(Name);
        Builtin->getBuiltinID())
      Builtin->clearBuiltinID();
  llvm::DenseSet<unsigned> Offsets; // Few tokens have one of these.
  for (const auto *Places : {&OnBothSides, &CalledByHost})
    for (const FileOffset &Place : *Places)
      Offsets.insert(Place.second);
  for (const auto &[Place, Text] : Behind)
    Offsets.insert(Place.second);
  const bool IsForDevice = Compiler.getLangOpts().CUDAIsDevice;
  PP.setTokenWatcher([=, this, &Compiler, &SM, &PP,
                      Offsets = std::move(Offsets),
                      Declarator = OpenDeclarator()](const Token &T) mutable {
    if (Declarator.endsBefore(T))
      Compiler.getSema().CUDA().PopForceHostDevice();
    const auto [File, Offset] = SM.getDecomposedSpellingLoc(T.getLocation());
    if (!Offsets.contains(Offset))
      return;
    const FileOffset Place = placeOf(SM, T.getLocation());
    if ((OnBothSides.count(Place) ||
         (IsForDevice && CalledByHost.count(Place))) &&
        Declarator.begin())
      Compiler.getSema().CUDA().PushForceHostDevice();
    if (auto It = Behind.find(Place); It != Behind.end())
      insert(It->second, File, PP);
  });
}

void Bridges::remove(CompilerInstance &Compiler) const {
  Compiler.getLangOpts().HIPStdPar = false;
  for (const auto &[Name, Text] : Texts)
    if (auto File = Compiler.getFileManager().getOptionalFileRef(Name))
      Compiler.getSourceManager().overrideFileContents(
          *File, llvm::MemoryBuffer::getMemBuffer(Text.Original));
}

std::string bankstripe::withPragmas(StringRef Messages,
                                    llvm::ArrayRef<std::string> Pragmas) {
  std::vector<std::string> Lines;
  const std::string Expanded = ("from macro '" + PragmaMacros).str();
  bool IsOfOurs = false; // A note on such a macro, or a text below it.
  for (StringRef Line : llvm::split(Messages, '\n')) {
    IsOfOurs = Line.contains(Expanded) || (IsOfOurs && Line.starts_with(" "));
    if (IsOfOurs)
      continue;
    std::string &Text = Lines.emplace_back(Line);
    for (size_t Number = Pragmas.size(); Number-- > 0;) {
      const std::string &Pragma = Pragmas[Number];
      const std::string Name = pragmaName(Number);
      for (size_t At; (At = Text.find(Name)) != std::string::npos;) {
        const size_t End = Text.find_first_not_of(' ', At + Name.size());
        Text.replace(At, std::min(End - At, Pragma.size()), Pragma);
      }
    }
  }
  return llvm::join(Lines, "\n");
}
