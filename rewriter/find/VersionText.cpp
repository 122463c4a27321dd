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
#include "llvm/Support/Regex.h"

using namespace bankstripe;
using namespace clang;

/// Shared variables are aligned to at most this, in bytes.
static constexpr unsigned SharedUnit = 16;

// Why the label or assembly cannot stand in a function twice; empty if it can.
static std::string problemOf(const Stmt *S) {
  if (const auto *Label = dyn_cast<LabelStmt>(S))
    return "it has the label '" + std::string(Label->getName()) + "'";
  // Outside of braces, PTX has one meaning for a name in a whole function.
  static const llvm::Regex Names("\\.reg|(^|[^:])[A-Za-z_$][A-Za-z0-9_$]*:"
                                 "([^:]|$)");
  const std::string Code = cast<GCCAsmStmt>(S)->getAsmString();
  return StringRef(Code).contains('{') || !Names.match(Code)
             ? ""
             : "inline assembly declares a name there";
}

bool bankstripe::isShared(const VarDecl &Variable) {
  if (Variable.hasAttr<CUDASharedAttr>())
    return true;
  // A bridge to what nvcc takes makes `T &x` of `__shared__ T x`.
  const Expr *Init = Variable.getInit();
  const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(
      Init ? Init->IgnoreImplicit() : nullptr);
  return Call && Variable.getType()->isReferenceType() &&
         Call->getRecordDecl()->getName() == "bankstripe_shared";
}

VersionReader::VersionReader(const FunctionDecl *Function,
                             const BodyIndex &Body, const SourceText &Text)
    : Function(Function), Body(Body), Text(Text) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Function->getBody());
  if (!Block || Block->getLBracLoc().isMacroID() ||
      Block->getRBracLoc().isMacroID())
    return;
  Written = Text.writtenRange(Block->getSourceRange()).value_or(TextRange());
  for (auto [I, S] : llvm::enumerate(Block->body()))
    Order[S] = I + 1;
}

// A function or variable that S makes from a template, in which a type may have
// a part that no other unit knows, such as one of the body's own; null if there
// is none.
static const NamedDecl *privateInstance(const Stmt *S) {
  const ValueDecl *Named = nullptr;
  if (const auto *Reference = dyn_cast<DeclRefExpr>(S))
    Named = Reference->getDecl();
  else if (const auto *Member = dyn_cast<MemberExpr>(S))
    Named = Member->getMemberDecl();
  else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
    Named = Construct->getConstructor();
  const auto *Function = dyn_cast_or_null<FunctionDecl>(Named);
  const bool IsInstance =
      Function ? Function->isTemplateInstantiation()
               : isa_and_nonnull<VarTemplateSpecializationDecl>(Named);
  return IsInstance && !Named->isExternallyVisible() ? Named : nullptr;
}

static bool hasState(const VarDecl *Variable) {
  return Variable->hasGlobalStorage() && !Variable->isLocalExternDecl() &&
         !Variable->isConstexpr() && !isShared(*Variable) &&
         !Variable->getType().getNonReferenceType().isConstQualified();
}

// The name of a template that keeps a state for each of its instances, and that
// S makes such instances of that a copy of S would have its own of; empty if
// there is none. What is in Seen was looked at.
static std::string
findOwnState(const Stmt *S, llvm::SmallPtrSetImpl<const NamedDecl *> &Seen) {
  std::string Result;
  anyPart(S, [&](const Stmt *Part) {
    if (const auto *Declared = dyn_cast<DeclStmt>(Part))
      for (const Decl *D : Declared->decls())
        if (const auto *Variable = dyn_cast<VarDecl>(D);
            Variable && hasState(Variable))
          Result = Variable->getNameAsString();
    const NamedDecl *Instance = privateInstance(Part);
    if (!Instance || !Seen.insert(Instance).second)
      return !Result.empty();
    const FunctionDecl *Definition = nullptr;
    if (const auto *Variable = dyn_cast<VarDecl>(Instance))
      Result = hasState(Variable) ? Variable->getNameAsString() : "";
    else if (cast<FunctionDecl>(Instance)->hasBody(Definition))
      Result = findOwnState(Definition->getBody(), Seen);
    return !Result.empty();
  });
  return Result;
}

// What stands at position First of the body or behind it, in lambdas and
// classes too.
void VersionReader::readRest(VersionText &Result, unsigned First) const {
  for (const Stmt *S : llvm::reverse(Body.OnceOnly))
    if (positionOf(S) >= First)
      if (std::string Problem = problemOf(S); !Problem.empty())
        Result.Problem = std::move(Problem);
  for (auto [Variable, Declared] : llvm::reverse(Body.Variables)) {
    if (positionOf(Declared) < First)
      continue;
    const QualType Type = Variable->getType().getNonReferenceType();
    if (isShared(*Variable)) {
      if (!Variable->hasExternalStorage() && !Type->isDependentType())
        Result.SharedBytes += Body.Context.getTypeSizeInChars(Type)
                                  .alignTo(CharUnits::fromQuantity(SharedUnit))
                                  .getQuantity();
    } else if (hasState(Variable)) {
      Result.Problem =
          "its variable '" + Variable->getNameAsString() + "' is static";
    }
  }
  llvm::SmallPtrSet<const NamedDecl *, 8> Seen;
  for (const Stmt *S : Function->getBody()->children())
    if (Result.Problem.empty() && Order.lookup(S) >= First)
      if (std::string Name = findOwnState(S, Seen); !Name.empty())
        Result.Problem = "a template keeps the state '" + Name +
                         "' for a type that it may declare";
}

// Where the statement begins, with the pragmas that belong to it.
std::optional<unsigned> VersionReader::beginOf(const Stmt *Outermost) const {
  const auto *Attributed = dyn_cast<AttributedStmt>(Outermost);
  const auto Range = Text.writtenRange(
      (Attributed ? Attributed->getSubStmt() : Outermost)->getSourceRange());
  if (!Range || Range->File != Written.File)
    return std::nullopt;
  const StringRef Buffer = Text.buffer(Function->getBody()->getBeginLoc());
  unsigned Begin = Range->Offset;
  bool HasPragma = false;
  for (;;) {
    const StringRef Before = Buffer.take_front(Begin).rtrim(" \t");
    if (!Before.ends_with("\n"))
      break;
    const StringRef Lines = Before.drop_back().rtrim("\r");
    const size_t Line = Lines.rfind('\n') + 1; // 0 if there is none.
    StringRef Directive = Lines.drop_front(Line).ltrim(" \t");
    const size_t At = Lines.size() - Directive.size();
    if (!Directive.consume_front("#") ||
        !Directive.ltrim().starts_with("pragma"))
      break;
    Begin = At;
    HasPragma = true;
  }
  // `_Pragma`, or a macro that stands for it.
  if (Attributed && !HasPragma)
    return std::nullopt;
  return Begin;
}

// What the preprocessor does in Code, which stands from Begin to End, that it
// would not do the same twice. It does so if macros are at the end what they
// were at the beginning; and one that is defined there once and for all, and is
// not mentioned before, means the same when it is defined again.
static std::string readDirectives(StringRef Code, SourceLocation Begin,
                                  SourceLocation End, const SourceText &Text) {
  std::string Problem, Seen;
  unsigned Depth = 0;
  bool AfterHash = false, Defines = false, IsPragma = false;
  Text.forEachToken(Code, [&](const Token &Tok) {
    const bool Directive =
        std::exchange(AfterHash, Tok.is(tok::hash) && Tok.isAtStartOfLine());
    IsPragma &= !Tok.isAtStartOfLine();
    if (Tok.isNot(tok::raw_identifier) || !Problem.empty())
      return;
    const StringRef Name = Tok.getRawIdentifier();
    IsPragma |= Directive && Name == "pragma";
    if (std::exchange(Defines, false) && !Text.isSameMacro(Name, Begin, End) &&
        (!Text.isDefinedOnce(Name) || Text.mentions(Seen, Name)))
      Problem = (Name + " is another macro at its end").str();
    Seen += (" " + Name).str();
    if (IsPragma && (Name == "once" || Name.ends_with("_macro")))
      Problem = ("it mentions " + Name).str();
    else if (!Directive)
      return;
    else if (Name == "define" || Name == "undef")
      Defines = true;
    else if (Name.starts_with("if"))
      ++Depth;
    else if ((Name.starts_with("el") || Name == "endif") && Depth == 0)
      Problem = ("it begins before an #" + Name).str();
    else if (Name == "endif")
      --Depth;
  });
  return Problem.empty() && Depth ? "it ends inside an #if" : Problem;
}

// What stands in Range, with fragments before their names; nothing where these
// may include something themselves.
static std::optional<std::string> readThrough(const TextRange &Range,
                                              SourceLocation Loc,
                                              const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  std::string Code;
  unsigned Done = Range.Offset;
  for (const SourceLocation Start : Text.includedIn(SM.getFileID(Loc))) {
    const unsigned At = SM.getFileOffset(SM.getIncludeLoc(SM.getFileID(Start)));
    if (At < Range.Offset || At >= Range.end())
      continue;
    const StringRef Fragment = Text.buffer(Start);
    if (Text.anyIdentifier(Fragment, [](const IdentifierInfo &Name) {
          return Name.getName().starts_with("include");
        }))
      return std::nullopt;
    Code += Text.text({Range.File, Done, At - Done}, Loc);
    Code += ("\n" + Fragment + "\n").str();
    Done = At;
  }
  return Code + Text.text({Range.File, Done, Range.end() - Done}, Loc).str();
}

// Where the statement of the body itself stands that S is part of, counted from
// 1; 0 if there is none.
unsigned VersionReader::positionOf(const Stmt *S) const {
  while (S && Body.parentOf(S) != Function->getBody())
    S = Body.parentOf(S);
  return Order.lookup(S);
}

// Whether Found, which has the name of a version of Function, is one.
static bool isVersionOf(const FunctionDecl *Function, const FunctionDecl *Found,
                        const SourceText &Text) {
  const bool IsKernel = Function->hasAttr<CUDAGlobalAttr>();
  if (Found->hasAttr<CUDAGlobalAttr>() != IsKernel ||
      Found->getNumParams() != Function->getNumParams() ||
      (IsKernel && Found->getStorageClass() != SC_Static &&
       !Found->isExternC()))
    return false;
  // Another overload may have no version. Types of templates are not compared.
  if (!Found->isDependentContext() &&
      !Function->getASTContext().hasSameType(Found->getType(),
                                             Function->getType()))
    return false;
  const auto Written = Text.written({Found->getBeginLoc(), Found->getEndLoc()});
  return Written && StringRef(*Written).contains("bankstripe::");
}

// Whether it has a version, with arrays in shared memory, beside it.
static bool hasVersionBeside(const FunctionDecl *Function,
                             const SourceText &Text) {
  if (!Function->getIdentifier())
    return false;
  const IdentifierTable &Names = Function->getASTContext().Idents;
  auto Name = Names.find(versionName(Function->getName()));
  return Name != Names.end() &&
         llvm::any_of(Function->getDeclContext()->getRedeclContext()->lookup(
                          Name->second),
                      [&](NamedDecl *Found) {
                        const FunctionDecl *Beside = Found->getAsFunction();
                        return Beside && isVersionOf(Function, Beside, Text);
                      });
}

bool VersionReader::isThere(const Stmt *Statement) const {
  if (hasVersionBeside(Function, Text))
    return true;
  const unsigned Position = positionOf(Statement);
  for (const Stmt *S : Function->getBody()->children()) {
    if (Position && Order.lookup(S) == Position)
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

bool bankstripe::isWeak(const FunctionDecl *Function) {
  const ASTContext &Context = Function->getASTContext();
  // A static kernel is seen from outside because the host must find it.
  if (!Context.getLangOpts().GPURelocatableDeviceCode ||
      !Function->isExternallyVisible())
    return false;
  const GVALinkage Linkage = Context.GetGVALinkageForFunction(Function);
  return Linkage == GVA_DiscardableODR || Linkage == GVA_StrongODR;
}

VersionText VersionReader::of(const Stmt *Statement) const {
  VersionText Result;
  Result.IsWeak = isWeak(Function);
  const unsigned First = positionOf(Statement);
  if (!Written.isValid() || !First) {
    Result.Problem = "its body is not written in one piece";
    return Result;
  }
  const auto *Block = cast<CompoundStmt>(Function->getBody());
  Result.Returns = isa<ReturnStmt>(Block->body_back()) ||
                   !Function->getReturnType()->isVoidType();
  readRest(Result, First);
  const std::optional<unsigned> Begin = beginOf(Block->body_begin()[First - 1]);
  if (!Begin)
    Result.Problem = "a macro stands before the statement";
  else if (Function->getDeclaredReturnType()->getContainedDeducedType())
    // That may be one of the body's own, which would be another one there.
    Result.Problem = "its type is deduced";
  if (!Result.Problem.empty())
    return Result;
  Result.Rest = {Written.File, *Begin, Written.end() - 1 - *Begin};
  const auto Code =
      readThrough(Result.Rest, Function->getBody()->getBeginLoc(), Text);
  if (!Code)
    Result.Problem = "it has an #include";
  else if (Text.counts(*Code, Result.Rest))
    Result.Problem = "it mentions __COUNTER__";
  else
    Result.Problem =
        readDirectives(*Code, Block->body_begin()[First - 1]->getBeginLoc(),
                       Block->getRBracLoc(), Text);
  return Result;
}
