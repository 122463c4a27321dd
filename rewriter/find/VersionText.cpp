//===-- VersionText.cpp - what a version of a function needs --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version is the rest of a body once more, from the outermost statement
// around the first array to the end (edit/Version.cpp). It is text that stands
// twice in one function, so whatever can be there only once stands against it:
// a label, a variable with a state, a name that assembly declares, a macro that
// is redefined on the way.
//
//===----------------------------------------------------------------------===//

#include "find/VersionText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Regex.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Finds what cannot stand in a function twice, in lambdas and classes too.
class OnceOnly : public RecursiveASTVisitor<OnceOnly> {
public:
  explicit OnceOnly(const ASTContext &Context) : Context(Context) {}

  bool shouldVisitImplicitCode() const { return false; }

  bool VisitLabelStmt(LabelStmt *S) {
    return found("it has the label '" + std::string(S->getName()) + "'");
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    return readAssembly(S->getAsmString());
  }
  bool VisitMSAsmStmt(MSAsmStmt *) { return found("it has inline assembly"); }
  bool VisitVarDecl(VarDecl *Variable) {
    if (Variable->hasAttr<CUDASharedAttr>()) {
      if (!Variable->hasExternalStorage() &&
          !Variable->getType()->isDependentType())
        SharedBytes += Context.getTypeSizeInChars(Variable->getType())
                           .alignTo(CharUnits::fromQuantity(SharedUnit))
                           .getQuantity();
      return true;
    }
    if (Variable->isStaticLocal() && !Variable->getType().isConstQualified() &&
        !Variable->isConstexpr())
      return found("its variable '" + Variable->getNameAsString() +
                   "' is static");
    return true;
  }

  std::string Problem;
  uint64_t SharedBytes = 0;

private:
  /// Shared variables are aligned to at most this, in bytes.
  static constexpr unsigned SharedUnit = 16;

  bool found(std::string Why) {
    Problem = std::move(Why);
    return false;
  }
  // Outside of braces, PTX has one meaning for a name in a whole function.
  bool readAssembly(const std::string &Code) {
    static const llvm::Regex Names("\\.reg|(^|[^:])[A-Za-z_$][A-Za-z0-9_$]*:"
                                   "([^:]|$)");
    if (StringRef(Code).contains('{') || !Names.match(Code))
      return true;
    return found("inline assembly declares a name there");
  }

  const ASTContext &Context;
};

} // namespace

VersionReader::VersionReader(const FunctionDecl *Function,
                             const BodyIndex &Body, ASTContext &Context,
                             const SourceText &Text)
    : Function(Function), Body(Body), Text(Text) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Function->getBody());
  if (!Block || Block->getLBracLoc().isMacroID() ||
      Block->getRBracLoc().isMacroID())
    return;
  Written = Text.writtenRange(Block->getSourceRange()).value_or(TextRange());
  Part Rest{nullptr, "", 0};
  for (Stmt *S : llvm::reverse(Block->body())) {
    OnceOnly Found(Context);
    Found.TraverseStmt(S);
    Rest.Outermost = S;
    Rest.SharedBytes += Found.SharedBytes;
    if (!Found.Problem.empty())
      Rest.Problem = Found.Problem;
    Parts.push_back(Rest);
  }
}

// Where the statement begins, with the pragmas that belong to it.
std::optional<unsigned> VersionReader::beginOf(const Stmt *Outermost) const {
  const auto *Attributed = dyn_cast<AttributedStmt>(Outermost);
  const auto Range = Text.writtenRange(
      (Attributed ? Attributed->getSubStmt() : Outermost)->getSourceRange());
  if (!Range || Range->File != Written.File)
    return std::nullopt;
  const SourceManager &SM = Text.sources();
  const StringRef Buffer =
      Text.buffer(SM.getFileID(Function->getBody()->getBeginLoc()));
  unsigned Begin = Range->Offset;
  bool HasPragma = false;
  for (;;) {
    const StringRef Before = Buffer.take_front(Begin).rtrim(" \t");
    if (!Before.ends_with("\n"))
      break;
    const StringRef Lines = Before.drop_back().rtrim("\r");
    const size_t Line = Lines.rfind('\n') + 1; // 0 if there is none.
    const StringRef Blanks = Lines.drop_front(Line).take_while(
        [](char C) { return C == ' ' || C == '\t'; });
    StringRef Directive = Lines.drop_front(Line).ltrim();
    if (!Directive.consume_front("#") ||
        !Directive.ltrim().starts_with("pragma"))
      break;
    Begin = Line + Blanks.size();
    HasPragma = true;
  }
  // `_Pragma`, or a macro that stands for it.
  if (Attributed && !HasPragma)
    return std::nullopt;
  return Begin;
}

// What the preprocessor does in Code that it would not do the same twice.
static std::string readDirectives(StringRef Code, bool MayInclude,
                                  const LangOptions &Language) {
  const std::string Copy = Code.str(); // The lexer wants a zero behind it.
  Lexer Raw(SourceLocation(), Language, Copy.data(), Copy.data(),
            Copy.data() + Copy.size());
  unsigned Depth = 0;
  bool AfterHash = false;
  Token Tok;
  for (Raw.LexFromRawLexer(Tok); Tok.isNot(tok::eof);
       Raw.LexFromRawLexer(Tok)) {
    const bool Directive = std::exchange(AfterHash, false);
    AfterHash = Tok.is(tok::hash) && Tok.isAtStartOfLine();
    if (Tok.isNot(tok::raw_identifier))
      continue;
    const StringRef Name = Tok.getRawIdentifier();
    if (Name == "__COUNTER__" || Name == "once" || Name.ends_with("_macro"))
      return ("it mentions " + Name).str();
    if (!Directive)
      continue;
    if (Name == "define" || Name == "undef" ||
        (Name.starts_with("include") && !MayInclude))
      return ("it has an #" + Name).str();
    if (Name.starts_with("if"))
      ++Depth;
    else if (!Name.starts_with("el") && Name != "endif")
      continue;
    else if (Depth == 0)
      return ("it begins before an #" + Name).str();
    else if (Name == "endif")
      --Depth;
  }
  return Depth ? "it ends inside an #if" : "";
}

// A type that the body declares would be another one there.
static bool returnsItsOwnType(const FunctionDecl *Function) {
  if (!Function->getDeclaredReturnType()->getContainedDeducedType())
    return false;
  QualType Type = Function->getReturnType().getNonReferenceType();
  while (!Type->getPointeeType().isNull())
    Type = Type->getPointeeType();
  const auto *Record = Type->getAsCXXRecordDecl();
  return Record && (Record->isLocalClass() || Record->isLambda());
}

// The same of what stands in Range, with the fragments that it includes.
static std::string readDirectives(const TextRange &Range, FileID File,
                                  const SourceText &Text) {
  std::string Problem = readDirectives(Text.text(Range, File),
                                       /*MayInclude=*/true, Text.language());
  const SourceManager &SM = Text.sources();
  for (unsigned I = 0; I < SM.local_sloc_entry_size() && Problem.empty(); ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    auto [Includer, Offset] =
        SM.getDecomposedLoc(Entry.getFile().getIncludeLoc());
    if (Includer == File && Offset >= Range.Offset && Offset < Range.end())
      Problem = readDirectives(
          SM.getBufferData(SM.getFileID(
              SourceLocation::getFromRawEncoding(Entry.getOffset()))),
          /*MayInclude=*/false, Text.language());
  }
  return Problem;
}

// The statement of the body itself that S is part of; null if there is none.
const Stmt *VersionReader::outermost(const Stmt *S) const {
  while (S && Body.parentOf(S) != Function->getBody())
    S = Body.parentOf(S);
  return S;
}

// A static kernel beside it, with its name and arrays in shared memory.
static bool hasKernelBeside(const FunctionDecl *Function,
                            const SourceText &Text) {
  if (!Function->hasAttr<CUDAGlobalAttr>() || !Function->getIdentifier())
    return false;
  const IdentifierTable &Names = Function->getASTContext().Idents;
  auto Name = Names.find(versionName(Function->getName()));
  return Name != Names.end() &&
         llvm::any_of(Function->getDeclContext()->lookup(Name->second),
                      [&](NamedDecl *Found) {
                        const FunctionDecl *Beside = Found->getAsFunction();
                        const auto Written =
                            Beside && Beside->getStorageClass() == SC_Static
                                ? Text.written({Beside->getBeginLoc(),
                                                Beside->getEndLoc()})
                                : std::nullopt;
                        return Written &&
                               StringRef(*Written).contains("bankstripe::");
                      });
}

bool VersionReader::isThere(const DeclStmt *Statement) const {
  if (hasKernelBeside(Function, Text))
    return true;
  const Stmt *Outermost = outermost(Statement);
  for (const Stmt *S : Function->getBody()->children()) {
    if (S == Outermost)
      return false;
    const auto *If = dyn_cast<IfStmt>(S);
    const auto *Call =
        If ? dyn_cast<CallExpr>(If->getCond()->IgnoreImplicit()) : nullptr;
    const FunctionDecl *Guard = Call ? Call->getDirectCallee() : nullptr;
    if (Guard &&
        Guard->getQualifiedNameAsString() == "bankstripe::block_of_at_most")
      return true;
  }
  return false;
}

// Whether device code is linked in which there may be other definitions.
static bool isWeak(const FunctionDecl *Function) {
  const ASTContext &Context = Function->getASTContext();
  if (!Context.getLangOpts().GPURelocatableDeviceCode)
    return false;
  const GVALinkage Linkage = Context.GetGVALinkageForFunction(Function);
  return Linkage == GVA_DiscardableODR || Linkage == GVA_StrongODR;
}

VersionText VersionReader::of(const DeclStmt *Statement) const {
  VersionText Result;
  Result.IsWeak = isWeak(Function);
  const Stmt *Outermost = outermost(Statement);
  auto Found = llvm::find_if(
      Parts, [&](const Part &P) { return P.Outermost == Outermost; });
  if (!Written.isValid() || Found == Parts.end()) {
    Result.Problem = "its body is not written in one piece";
    return Result;
  }
  Result.SharedBytes = Found->SharedBytes;
  Result.Returns = isa<ReturnStmt>(Parts.front().Outermost) ||
                   !Function->getReturnType()->isVoidType();
  Result.Problem = Found->Problem;
  const std::optional<unsigned> Begin = beginOf(Outermost);
  if (!Begin)
    Result.Problem = "a macro stands before the statement";
  else if (returnsItsOwnType(Function))
    Result.Problem = "it returns a type of its own";
  if (!Result.Problem.empty())
    return Result;
  Result.Rest = {Written.File, *Begin, Written.end() - 1 - *Begin};
  const FileID File =
      Text.sources().getFileID(Function->getBody()->getBeginLoc());
  Result.Problem = readDirectives(Result.Rest, File, Text);
  return Result;
}
