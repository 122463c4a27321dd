//===-- Arrays.cpp - the per-thread arrays of a function ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts and alignment
// -------------------
// The compiler aligns local memory generously, and real programs rely on it:
// they read a float[16] as float4. A slot has just the alignment that the type
// asks for, unless something that the array's address can reach casts to a type
// of more. What the address can reach is overestimated: the functions that it
// is passed to with all that they call, and where it is used in any other way
// the whole function.
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"

using namespace bankstripe;
using namespace clang;

// Vector types are aligned to at most this, in bytes.
static constexpr unsigned WidestVector = 16;

// Whether a NOLINT(bankstripe) comment stands on the line of Loc, or a
// NOLINTNEXTLINE(bankstripe) on the line before it.
static bool hasNolint(SourceLocation Loc, const SourceText &Text) {
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

void ArrayReader::readUses(Finding &F, const VarDecl *Variable) {
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
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
  return isa_and_nonnull<ReturnStmt>(Body.parentOf(
      Body.outermost<ParenExpr, CastExpr, CXXConstructExpr, ExprWithCleanups>(
          Reference)));
}

void ArrayReader::readObjectUses(Finding &F, const VarDecl *Variable) {
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    F.OtherDepths.push_back(Body.loopDepth(Reference));
    if (Body.TypeOperands.contains(Reference) ||
        isPartOfConstant(Reference, Body, Context))
      F.Obstacles.push_back(
          {Reason::Decltype, Text.place(Reference->getLocation()), ""});
    if (isReturned(Reference, Body) &&
        !Variable->getType().isTriviallyCopyableType(Context))
      F.Obstacles.push_back({Reason::ClassLifetime,
                             Text.place(Reference->getLocation()),
                             "it is returned by value"});
  }
}

// Context that no later stage could see any more.
void ArrayReader::readContext(Finding &F, const VarDecl *Variable) const {
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back({Why, F.Where, std::move(Detail)});
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
  F.HostDevice =
      Function->hasAttr<CUDAHostAttr>() || Text.mayBeReadForHost(Function);
}

// The function that the array is handed to here, if nothing else is done with
// it; null otherwise. With Subscripted, it is an element that is read.
static const FunctionDecl *receiver(const DeclRefExpr *Reference,
                                    const BodyIndex &Body, bool &Subscripted) {
  const Stmt *Child = Reference, *Parent = Body.parentOf(Reference);
  Subscripted = false;
  while (Parent) {
    const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent);
    if (Cast && Cast->getCastKind() == CK_LValueToRValue &&
        !Cast->getType()->isPointerType())
      Subscripted = true;
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent)) {
      const Stmt *Above = Body.parentOf(Parent);
      const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Above);
      const auto *Assign = dyn_cast_or_null<BinaryOperator>(Above);
      if ((Load && Load->getCastKind() == CK_LValueToRValue) ||
          (Assign && Assign->isAssignmentOp() && Assign->getLHS() == Parent &&
           !Subscript->getType()->isArrayType())) {
        Subscripted = true;
        return nullptr;
      }
    } else if (!Cast && !isa<ParenExpr>(Parent)) {
      break;
    }
    Child = Parent;
    Parent = Body.parentOf(Parent);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  return Call && Call->getCallee() != Child ? Call->getDirectCallee() : nullptr;
}

// The alignment that casts may claim for the memory of Variable, in bytes; 0
// when none does.
unsigned ArrayReader::viewAlignment(const VarDecl *Variable) const {
  unsigned Widest = 0;
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    bool Subscripted = false;
    const FunctionDecl *Receiver = receiver(Reference, Body, Subscripted);
    if (!Subscripted)
      for (const BodyIndex *Reached :
           Bodies.reachableBodies(Receiver ? Receiver : Function))
        Widest = std::max(Widest, Reached->WidestView);
  }
  return std::min(Widest, WidestVector);
}

// A name that no token of the file has.
static std::string unusedName(StringRef Wanted, StringRef Buffer) {
  std::string Name = Wanted.str();
  for (unsigned I = 2; Buffer.contains(Name); ++I)
    Name = (Wanted + "_" + llvm::Twine(I)).str();
  return Name;
}

// Whether a lambda names the variable among its captures, as it may not name a
// static one.
static bool isCapturedByName(const VarDecl *Variable, const BodyIndex &Body) {
  return llvm::any_of(
      Body.references(Variable), [&](const DeclRefExpr *Reference) {
        return isa_and_nonnull<LambdaExpr>(Body.parentOf(
            Body.outermost<ArrayInitLoopExpr, ImplicitCastExpr>(Reference)));
      });
}

// Whether the table of elements of the class Record, or of no class, can become
// static: constants, and nobody writes.
static bool isNeverWritten(const Finding &F, bool Mentioned,
                           bool OnlySubscripts, const CXXRecordDecl *Record) {
  const bool OnlyRead =
      OnlySubscripts && llvm::all_of(F.Uses, [](const Use &U) {
        return U.Access == AccessKind::Read;
      });
  // A use that is an obstacle may write, unless the type forbids that.
  const bool NotWritable =
      F.HasConst && !(Record && Record->hasMutableFields());
  return F.ConstantInit && Mentioned && (OnlyRead || NotWritable);
}

ArrayReader::ArrayReader(const FunctionDecl *Function, BodyIndexCache &Bodies,
                         ASTContext &Context, const SourceText &Text,
                         UseClassifier &Classifier)
    : Function(Function), Body(*Bodies.get(Function)), Bodies(Bodies),
      Context(Context), Text(Text), Classifier(Classifier) {}

Finding ArrayReader::read(const VarDecl *Variable, const DeclStmt *Statement) {
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
  readContext(F, Variable);
  readDeclaration(F, Variable, Statement, Body, Context, Text);
  if (F.Instances.empty())
    return F;
  if (!Function->isDependentContext()) {
    if (!Versions)
      Versions.emplace(Function, Body, Context, Text);
    F.Version = Versions->of(Statement);
    if (Versions->isThere(Statement))
      F.Obstacles.push_back({Reason::HasVersion, F.Where, ""});
  }
  ArrayInstance &Instance = F.Instances.front();
  Instance.FunctionId = F.FunctionId;
  Instance.SlotAlignment =
      std::max(Instance.Alignment, viewAlignment(Variable));
  if (Spelled) {
    StringRef Buffer = Text.buffer(Text.sources().getFileID(*Spelled));
    F.SlotsName = unusedName(F.Name + "_slots", Buffer);
    F.StripesName = unusedName(F.Name + "_stripes", Buffer);
  }
  const size_t BeforeUses = F.Obstacles.size();
  F.IsObject ? readObjectUses(F, Variable) : readUses(F, Variable);
  for (auto [Why, Where] : Bodies.unseenMentions(Function, Variable))
    F.Obstacles.push_back({Why, Text.place(Where), ""});
  if (F.IsObject)
    return F;
  F.NeverWritten = isNeverWritten(
      F,
      !Body.references(Variable).empty() && !isCapturedByName(Variable, Body),
      F.Obstacles.size() == BeforeUses && !F.NeedsAccessor,
      Variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl());
  if (F.HasConst && F.Init != InitializerKind::None && !F.NeverWritten)
    F.Obstacles.push_back({Reason::ConstElements, F.Where, ""});
  // The host's compiler may not know the pragma.
  if (!F.HostDevice && !Function->isDependentContext()) {
    if (!Loops)
      Loops.emplace(Body, Context, Text);
    F.LeadingLoops = Loops->leading(Variable);
  }
  return F;
}
