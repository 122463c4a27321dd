//===-- Arrays.cpp - private arrays of one function -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "find/Kernels.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Lex/Lexer.h"

using namespace bankstripe;
using namespace clang;

bool bankstripe::hasNolint(SourceLocation Loc, const SourceText &Text) {
  auto Names = [](StringRef Line, StringRef Keyword) {
    for (size_t At = Line.find(Keyword); At != StringRef::npos;
         At = Line.find(Keyword, At + 1)) {
      StringRef Rest = Line.substr(At + Keyword.size());
      if (!Rest.consume_front("("))
        continue;
      llvm::SmallVector<StringRef> Checks;
      Rest.take_until([](char C) { return C == ')'; }).split(Checks, ',');
      for (StringRef Check : Checks)
        if (Check.trim() == "bankstripe" || Check.trim() == "*")
          return true;
    }
    return false;
  };
  return Names(Text.line(Loc), "NOLINT") ||
         Names(Text.line(Loc, 1), "NOLINTNEXTLINE");
}

// The names that stand between the declaration and the end of its scope must
// all be explained by the tree; what is left was skipped by the preprocessor
// or dropped by a macro, and an edit would leave it behind.
static void checkUnseenNames(Finding &F, const VarDecl *Variable,
                             const FunctionDecl *Function,
                             const BodyIndex &Body, const SourceText &Text) {
  auto Begin = Text.spelled(Variable->getLocation());
  auto End = Text.spelled(Function->getBody()->getEndLoc());
  if (!Begin || !End)
    return;
  const SourceManager &SM = Text.sources();
  auto [File, Offset] = SM.getDecomposedLoc(*Begin);
  auto [EndFile, EndOffset] = SM.getDecomposedLoc(*End);
  if (File != EndFile)
    return;
  StringRef Name = Variable->getName();
  StringRef Buffer = Text.buffer(File);
  // Without a second mention of the name there is nothing to explain.
  llvm::DenseSet<SourceLocation> Known;
  for (SourceLocation Loc : Body.NameLocations)
    Known.insert(SM.getFileLoc(Loc));
  Lexer Raw(SM.getLocForStartOfFile(File), Text.language(), Buffer.begin(),
            Buffer.begin() + Offset, Buffer.end());
  llvm::SmallVector<Token, 4> Last; // The tokens before, the newest first.
  Token Tok;
  while (!Raw.LexFromRawLexer(Tok) &&
         SM.getFileOffset(Tok.getLocation()) < EndOffset) {
    auto IsName = [&](const Token &T, StringRef Text) {
      return T.is(tok::raw_identifier) && T.getRawIdentifier() == Text;
    };
    const bool IsMember =
        !Last.empty() &&
        Last[0].isOneOf(tok::period, tok::arrow, tok::coloncolon);
    if (IsName(Tok, Name) && !IsMember && !Known.contains(Tok.getLocation()))
      F.Obstacles.push_back(
          {Reason::SkippedCode, Text.place(Tok.getLocation()), ""});
    // An instantiation keeps the type of `decltype(a)`, but not its operand.
    if (Last.size() == 3 && Tok.is(tok::r_paren) && IsName(Last[0], Name) &&
        Last[1].is(tok::l_paren) && IsName(Last[2], "decltype"))
      F.Obstacles.push_back(
          {Reason::Decltype, Text.place(Last[0].getLocation()), ""});
    Last.insert(Last.begin(), Tok);
    if (Last.size() > 3)
      Last.pop_back();
  }
}

static void readUses(Finding &F, const VarDecl *Variable, const BodyIndex &Body,
                     UseClassifier &Classifier) {
  auto It = Body.References.find(Variable);
  if (It == Body.References.end())
    return;
  for (const DeclRefExpr *Reference : It->second) {
    auto Result = Classifier.classify(Reference, Body);
    if (!std::holds_alternative<Use>(Result))
      F.OtherDepths.push_back(Body.loopDepth(Reference));
    if (auto *Problem = std::get_if<Obstacle>(&Result)) {
      F.Obstacles.push_back(std::move(*Problem));
      continue;
    }
    if (auto *Trail = std::get_if<PointerTrail>(&Result)) {
      F.NeedsAccessor = true;
      llvm::move(Trail->Locals, std::back_inserter(F.Trail.Locals));
      llvm::move(Trail->Arguments, std::back_inserter(F.Trail.Arguments));
      continue;
    }
    Use &U = std::get<Use>(Result);
    // The text of an included file belongs to its other includers as well.
    if (U.Whole.File != F.Where.File)
      F.Obstacles.push_back(
          {Reason::UnknownUse, U.Where, "in a file that the body includes"});
    else
      F.Uses.push_back(std::move(U));
  }
}

// `return s;` copies or moves, which a reference of that name only does where
// both mean the same bytes.
static bool isReturned(const DeclRefExpr *Reference, const BodyIndex &Body) {
  const Stmt *S = Body.parentOf(Reference);
  while (S && (isa<ParenExpr>(S) || isa<CastExpr>(S) ||
               isa<CXXConstructExpr>(S) || isa<ExprWithCleanups>(S)))
    S = Body.parentOf(S);
  return isa_and_nonnull<ReturnStmt>(S);
}

static void readObjectUses(Finding &F, const VarDecl *Variable,
                           const BodyIndex &Body, ASTContext &Context,
                           const SourceText &Text) {
  auto It = Body.References.find(Variable);
  if (It == Body.References.end())
    return;
  for (const DeclRefExpr *Reference : It->second) {
    F.OtherDepths.push_back(Body.loopDepth(Reference));
    if (Body.TypeOperands.contains(Reference))
      F.Obstacles.push_back(
          {Reason::Decltype, Text.place(Reference->getLocation()), ""});
    if (isReturned(Reference, Body) &&
        !Variable->getType().isTriviallyCopyableType(Context))
      F.Obstacles.push_back({Reason::ClassLifetime,
                             Text.place(Reference->getLocation()),
                             "it is returned by value"});
  }
}

// Code that the function reaches and that holds for local memory only.
static bool reachesLocalAssembly(const FunctionDecl *Function,
                                 BodyIndexCache &Bodies) {
  return llvm::any_of(reachableFrom(Function, Bodies),
                      [&](const FunctionDecl *Reached) {
                        const BodyIndex *Body = Bodies.get(Reached);
                        return Body && Body->NamesLocalMemory;
                      });
}

// Context that no later stage could see any more.
static void readContext(Finding &F, const VarDecl *Variable,
                        const FunctionDecl *Function, BodyIndexCache &Bodies,
                        const SourceText &Text) {
  Place Where = Text.place(Variable->getLocation());
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back({Why, Where, std::move(Detail)});
  };
  const auto *Owner = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Owner);
  // A class in the body has methods of its own, whose calls are not followed.
  if (!Owner || (Method && Method->getParent()->isLambda()) ||
      Owner->getCanonicalDecl() != Function->getCanonicalDecl())
    return Note(Reason::InLambda);
  if (Function->isDependentContext())
    return Note(Reason::NotInstantiated, F.Function);
  if (Function->isConstexpr())
    Note(Reason::ConstexprFunction, F.Function);
  if (reachesLocalAssembly(Function, Bodies))
    Note(Reason::InlineAssembly, "it names local memory");
  F.HostDevice = Function->hasAttr<CUDAHostAttr>();
  if (F.HostDevice)
    Note(Reason::HostDevice, F.Function);
}

// A name that no token of the file has.
static std::string unusedName(StringRef Wanted, StringRef Buffer) {
  std::string Name = Wanted.str();
  for (unsigned I = 2; Buffer.contains(Name); ++I)
    Name = (Wanted + "_" + llvm::Twine(I)).str();
  return Name;
}

// Whether the table can become static: constants, and nobody writes.
static bool isNeverWritten(const Finding &F, bool Mentioned,
                           bool OnlySubscripts) {
  const bool OnlyRead =
      OnlySubscripts && llvm::all_of(F.Uses, [](const Use &U) {
        return U.Access == AccessKind::Read;
      });
  // A use that is an obstacle may write, unless the type forbids that.
  return F.ConstantInit && Mentioned && (OnlyRead || F.HasConst);
}

Finding bankstripe::findArray(const VarDecl *Variable,
                              const DeclStmt *Statement,
                              const FunctionDecl *Function,
                              BodyIndexCache &Bodies, ASTContext &Context,
                              const SourceText &Text,
                              UseClassifier &Classifier) {
  const BodyIndex &Body = *Bodies.get(Function);
  Finding F;
  F.Name = Variable->getNameAsString();
  F.Where = Text.place(Variable->getLocation());
  F.Function = Function->getQualifiedNameAsString();
  if (!Function->isDependentContext())
    F.FunctionId = ASTNameGenerator(Context).getName(Function);
  F.InKernel = Function->hasAttr<CUDAGlobalAttr>();
  F.FunctionFiles = {Text.file(Function->getLocation())};

  auto Spelled = Text.spelled(Variable->getLocation());
  if (Spelled && hasNolint(*Spelled, Text))
    F.Obstacles.push_back({Reason::Nolint, F.Where, ""});
  readContext(F, Variable, Function, Bodies, Text);
  readType(F, Variable, Context, Text);
  if (F.Instances.empty())
    return F;
  ArrayInstance &Instance = F.Instances.front();
  Instance.FunctionId = F.FunctionId;
  Instance.SlotAlignment = std::max(
      Instance.Alignment, viewAlignment(Variable, Function, Body, Bodies));

  if (auto Problem = readInitializer(F, Variable, Context))
    F.Obstacles.push_back({*Problem, F.Where, ""});
  readDeclaration(F, Variable, Statement, Body, Text);
  F.Scope = scopeOf(Statement, Function, Body, Text);
  if (Spelled) {
    StringRef Buffer = Text.buffer(Text.sources().getFileID(*Spelled));
    F.SlotsName = unusedName(F.Name + "_slots", Buffer);
    F.StripesName = unusedName(F.Name + "_stripes", Buffer);
  }
  if (F.IsObject) {
    readObjectUses(F, Variable, Body, Context, Text);
    checkUnseenNames(F, Variable, Function, Body, Text);
    return F;
  }
  const size_t BeforeUses = F.Obstacles.size();
  readUses(F, Variable, Body, Classifier);
  checkUnseenNames(F, Variable, Function, Body, Text);
  F.NeverWritten =
      isNeverWritten(F, Body.References.count(Variable) != 0,
                     F.Obstacles.size() == BeforeUses && !F.NeedsAccessor);
  if (F.HasConst && F.Init != InitializerKind::None && !F.NeverWritten)
    F.Obstacles.push_back({Reason::ConstElements, F.Where, ""});
  return F;
}
