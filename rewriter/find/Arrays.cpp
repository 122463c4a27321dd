//===-- Arrays.cpp - the per-thread arrays of a function ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses
// ----
// A subscript can stay as it is written when whatever happens to the element
// afterwards stays with that one element: its elements are no longer neighbours
// in memory. This file finds the subscript; ElementFate.cpp follows the
// element, WalkingPointers.cpp what the array's name decays to.
//
// Casts and alignment
// -------------------
// The compiler aligns local memory generously, and real programs rely on it:
// they read a float[16] as float4. A slot has just the alignment that the type
// asks for, unless something that the array's address can reach casts to a type
// of more. What the address can reach is overestimated: where elements are more
// than read and written, the whole function with all that it calls.
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "find/BitUse.h"
#include "find/Initializer.h"
#include "find/Parameters.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/Support/Regex.h"

using namespace bankstripe;
using namespace clang;

// Whether a NOLINT(bankstripe) comment stands on the line of Loc, or a
// NOLINTNEXTLINE(bankstripe) on the line before it.
static bool hasNolint(SourceLocation Loc, const SourceText &Text) {
  static const std::string Checks =
      "\\(([^),]*,)*[[:space:]]*(bankstripe|\\*)[[:space:]]*([,)]|$)";
  return llvm::Regex("NOLINT" + Checks).match(Text.line(Loc)) ||
         llvm::Regex("NOLINTNEXTLINE" + Checks).match(Text.line(Loc, 1));
}

Obstacle ArrayReader::obstacle(Reason Why, const Stmt *At,
                               std::string Detail) const {
  return {Why, Text.place(At->getBeginLoc()), std::move(Detail)};
}

// The name that a call is known by, for messages.
static std::string calleeName(const Stmt *Call) {
  if (const auto *C = dyn_cast<CallExpr>(Call))
    if (const FunctionDecl *Callee = C->getDirectCallee())
      return Callee->getQualifiedNameAsString();
  if (const auto *C = dyn_cast<CXXConstructExpr>(Call))
    return C->getConstructor()->getParent()->getQualifiedNameAsString();
  return "";
}

// Whether the value of Reference, or its type, is asked for by a constant
// expression that reads no element: one that a reference is not allowed in.
static bool isPartOfConstant(const DeclRefExpr *Reference,
                             const BodyIndex &Body) {
  const Stmt *Child = Reference;
  for (const Stmt *Parent = Body.parentOf(Child); Parent;
       Child = Parent, Parent = Body.parentOf(Parent)) {
    if (isa<CXXNoexceptExpr>(Parent) ||
        Body.TypeOperands.contains(cast<Expr>(Child)))
      return false;
    if (const auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(Parent))
      return Trait->isArgumentType(); // `sizeof(int[a.size()])`
    // In types, and in arguments of templates.
    const auto *Cast = dyn_cast<ExplicitCastExpr>(Parent);
    const auto *Member = dyn_cast<MemberExpr>(Parent);
    if (isa<ConstantExpr, DeclRefExpr, TypeTraitExpr>(Parent) ||
        (Cast && Cast->getSubExpr() != Child) ||
        (Member && Member->getBase() != Child))
      return true;
    if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
      const VarDecl *Variable = initialisedBy(Statement, cast<Expr>(Child));
      // Else it is a part of a type.
      return !Variable || Variable->isConstexpr() ||
             (!Variable->getType()->isReferenceType() &&
              Variable->mightBeUsableInConstantExpressions(Body.Context) &&
              Variable->evaluateValue());
    }
    if (!isa<Expr>(Parent))
      return false;
  }
  return false;
}

// Whether its type is asked for, or a constant expression asks: both would see
// a reference afterwards.
static bool isAskedByConstant(const DeclRefExpr *Reference,
                              const BodyIndex &Body) {
  return Body.TypeOperands.contains(Reference) ||
         (!cast<VarDecl>(Reference->getDecl())->isConstexpr() &&
          isPartOfConstant(Reference, Body));
}

// Whether it is asked how the variable is aligned, which a reference does not
// say.
static bool asksForAlignment(const DeclRefExpr *Reference,
                             const BodyIndex &Body) {
  const auto *Trait = dyn_cast_or_null<UnaryExprOrTypeTraitExpr>(
      Body.around<ParenExpr>(Reference));
  return Trait && Trait->getKind() != UETT_SizeOf &&
         Reference->getDecl()->hasAttr<AlignedAttr>();
}

// An array that is not subscripted: name what is done with it instead.
Obstacle ArrayReader::wholeArray(const DeclRefExpr *Reference) const {
  const Stmt *S = Body.outermost<ParenExpr, ImplicitCastExpr>(Reference);
  const Stmt *Parent = Body.parentOf(S);
  const bool Decayed = !cast<Expr>(S)->getType()->isArrayType();
  if (!Parent)
    return obstacle(Reason::UnknownUse, Reference);
  if (isa<CXXForRangeStmt>(Parent))
    return obstacle(Reason::RangeFor, Reference);
  if (isa<UnaryExprOrTypeTraitExpr>(Parent))
    return obstacle(asksForAlignment(Reference, Body) ? Reason::Decltype
                                                      : Reason::SizeOfArray,
                    Reference);
  if (const auto *Call = dyn_cast<CallExpr>(Parent);
      Call && Call->getDirectCallee() &&
      Call->getDirectCallee()->getQualifiedNameAsString() ==
          "bankstripe::begin")
    return obstacle(Reason::RestOfSplit, Reference);
  if (isa<CallExpr>(Parent) || isa<CXXConstructExpr>(Parent))
    return obstacle(Decayed ? Reason::PassedToFunction : Reason::ReferenceBound,
                    Reference, calleeName(Parent));
  if (const auto *Statement = dyn_cast<DeclStmt>(Parent)) {
    const VarDecl *Variable = initialisedBy(Statement, cast<Expr>(S));
    if (!Variable) // Not a value but a part of the type.
      return obstacle(Reason::Decltype, Reference);
    return obstacle(Decayed ? Reason::PointerTaken : Reason::ReferenceBound,
                    Reference, Variable->getNameAsString());
  }
  // `[&a]`, and `[a]`, which copies.
  if (isa<LambdaExpr>(Parent) ||
      (isa<ArrayInitLoopExpr>(Parent) &&
       isa_and_nonnull<LambdaExpr>(Body.parentOf(Parent))))
    return obstacle(Reason::CapturedByLambda, Reference);
  if (isa<GCCAsmStmt>(Parent))
    return obstacle(Reason::InlineAssembly, Reference);
  if (Decayed || isa<UnaryOperator>(Parent) || isa<ExplicitCastExpr>(Parent))
    return obstacle(Reason::PointerTaken, Reference);
  return obstacle(Reason::UnknownUse, Reference,
                  std::string("in a ") + Parent->getStmtClassName());
}

// Indices must be integers as written, and must lie in the array as far as that
// is known.
std::optional<Obstacle> ArrayReader::checkIndices(Use &U, const Subscripts &All,
                                                  bool MayEnd) const {
  U.ConstantIndex = true;
  for (const ArraySubscriptExpr *Subscript : llvm::reverse(All)) {
    const Expr *Index = Subscript->getIdx();
    if (!isInteger(Index))
      return obstacle(Reason::IndexType, Index);

    const Expr *Base = Subscript->getBase()->IgnoreParenImpCasts();
    const auto *Array = Body.Context.getAsConstantArrayType(Base->getType());
    const int64_t End = Array ? Array->getLimitedSize() : INT64_MAX;
    const bool MayBeEnd = MayEnd && Subscript == All.back();
    const auto Range = Loops.rangeOf(Index);
    if (Range && (Range->Least < 0 || Range->Most >= End + MayBeEnd))
      return obstacle(
          Reason::OutOfBounds, Index,
          "index " +
              std::to_string(Range->Least < 0 ? Range->Least : Range->Most) +
              " of " + std::to_string(End));
    U.ConstantIndex &= Range && Range->Least == Range->Most;
  }
  return std::nullopt;
}

// A plain subscript, a pointer that only walks, or an obstacle.
std::optional<Obstacle> ArrayReader::readUse(Finding &F,
                                             const DeclRefExpr *Reference) {
  const Subscripts All = Body.subscriptsOf(Reference);
  // In a lambda, too, where a slot does not help.
  if (All.empty() && isAskedByConstant(Reference, Body))
    return obstacle(Reason::Decltype, Reference);
  if (Reference->refersToEnclosingVariableOrCapture())
    return obstacle(Reason::CapturedByLambda, Reference);
  if (All.empty()) {
    auto Trail = Pointers.trailOf(cast<VarDecl>(Reference->getDecl()), Body);
    if (!Trail)
      return wholeArray(Reference);
    F.AsBits &= Trail->AsBits;
    F.addTrail(*Trail);
    return std::nullopt;
  }
  const Expr *E = All.back();
  if (E->getType()->isArrayType())
    return obstacle(Reason::PartialSubscript, Reference);
  if (llvm::any_of(All, [](const ArraySubscriptExpr *Subscript) {
        return Subscript->getLHS() != Subscript->getBase();
      }))
    return obstacle(Reason::UnknownUse, Reference,
                    "the index stands before the array");

  F.AsBits = F.AsBits && isBitUse(E, Function, Body, Pointers.Operators);
  Use U;
  U.Where = Text.place(Reference->getLocation());
  const Fate End = fateOf(E, Body, Bodies);
  const bool Stays = End <= Fate::Address;
  // `&a[N]` is where a loop over the array ends, if it is compared; one that is
  // used as an element's address is none.
  const auto *AddressOf = dyn_cast_or_null<UnaryOperator>(Body.parentOf(E));
  if (auto Problem = checkIndices(
          U, All, !Stays && AddressOf && AddressOf->getOpcode() == UO_AddrOf))
    return Problem;
  if (!Stays)
    return obstacle(End == Fate::Unknown ? Reason::UnknownUse
                                         : Reason::ElementAddressEscapes,
                    E);
  U.Access = static_cast<AccessKind>(End);
  F.Uses.push_back(std::move(U));
  return std::nullopt;
}

bool ArrayReader::readUses(Finding &F, const VarDecl *Variable) {
  bool MayClaim = false;
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    const size_t Known = F.Uses.size();
    if (auto Problem = readUse(F, Reference)) {
      F.Obstacles.push_back(std::move(*Problem));
      F.AsBits = F.AsBits && isClearing(Reference, Body);
    }
    const bool IsPlain = F.Uses.size() > Known;
    F.HasOtherUses |= !IsPlain;
    MayClaim |= !IsPlain || F.Uses.back().Access == AccessKind::Address;
  }
  return MayClaim;
}

// Whether `return s;` may do something else with a reference, which is copied
// and neither moved nor made in its final place: that is the same for bytes of
// its own type, and where the function says what type its value is of.
static bool isReturnedOtherwise(const DeclRefExpr *Reference,
                                const FunctionDecl *Function,
                                const BodyIndex &Body) {
  const auto *Return = dyn_cast_or_null<ReturnStmt>(
      Body.around<ParenExpr, CastExpr, CXXConstructExpr, ExprWithCleanups>(
          Reference));
  if (!Return)
    return false;
  const QualType Type = Reference->getType();
  const AutoType *Declared =
      Function->getDeclaredReturnType()->getContainedAutoType();
  return !Type.isTriviallyCopyableType(Body.Context) ||
         Reference->refersToEnclosingVariableOrCapture() ||
         (Declared && Declared->isDecltypeAuto()) ||
         !Body.Context.hasSameUnqualifiedType(Return->getRetValue()->getType(),
                                              Type) ||
         !canBeCopied(Type->getAsCXXRecordDecl());
}

// `decltype(auto) t = s;`, where t would be a reference if s were one.
static bool isTypeOfVariable(const DeclRefExpr *Reference,
                             const BodyIndex &Body) {
  const Stmt *Init =
      Body.outermost<CastExpr, CXXConstructExpr, ExprWithCleanups>(Reference);
  const auto *Statement = dyn_cast_or_null<DeclStmt>(Body.parentOf(Init));
  return Statement && llvm::any_of(Statement->decls(), [&](const Decl *D) {
           const auto *Variable = dyn_cast<VarDecl>(D);
           const AutoType *Type =
               Variable && Variable->getInit() == Init
                   ? Variable->getType()->getContainedAutoType()
                   : nullptr;
           return Type && Type->isDecltypeAuto();
         });
}

bool ArrayReader::readObjectUses(Finding &F, const VarDecl *Variable) {
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    F.HasOtherUses = true;
    if (Body.TypeOperands.contains(Reference) ||
        isPartOfConstant(Reference, Body) ||
        asksForAlignment(Reference, Body) || isTypeOfVariable(Reference, Body))
      F.Obstacles.push_back(obstacle(Reason::Decltype, Reference));
    if (isReturnedOtherwise(Reference, Function, Body))
      F.Obstacles.push_back(obstacle(Reason::ClassLifetime, Reference,
                                     "it is returned by value"));
  }
  return !Body.references(Variable).empty();
}

const FunctionDecl *bankstripe::homeOf(const VarDecl *Variable,
                                       const FunctionDecl *Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Variable->getDeclContext());
  return Method && Method->getParent()->isLambda() &&
                 Method->getParent()->getDeclContext() == Function &&
                 !Method->hasAttr<CUDAHostAttr>() &&
                 !Method->getParent()->isGenericLambda() &&
                 !Function->hasAttr<CUDADeviceAttr>() &&
                 !Function->hasAttr<CUDAGlobalAttr>()
             ? Method
             : Function;
}

// Context that no later stage could see any more.
void ArrayReader::readContext(Finding &F, const VarDecl *Variable) const {
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back({Why, F.Where, std::move(Detail)});
  };
  const auto *Owner = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const FunctionDecl *Home = homeOf(Variable, Function);
  // A class in the body has methods of its own, whose calls are not followed.
  if (!Owner || Owner->getCanonicalDecl() != Home->getCanonicalDecl())
    return Note(Reason::InLambda);
  if (Function->isDependentContext())
    return Note(Reason::NotInstantiated, F.Function.Name);
  if (Home == Function && Function->isConstexpr())
    Note(Reason::ConstexprFunction, F.Function.Name);
  F.Function.MayBeReadForHost = Text.mayBeReadForHost(Home);
  F.Function.HostDevice =
      Home->hasAttr<CUDAHostAttr>() || F.Function.MayBeReadForHost;
}

static std::string storageSuffix(const Finding &F, const SourceText &Text) {
  std::string Suffix;
  auto IsUsed = [&](StringRef Layout) {
    return Text.mayMean((F.Name + Layout + Suffix).str());
  };
  llvm::SmallVector<StringRef> Layouts = {"_slots", "_stripes", "_bits",
                                          "_rest", "_storage"};
  if (F.isParameter())
    Layouts.push_back("_value");
  for (unsigned I = 2; llvm::any_of(Layouts, IsUsed); ++I)
    Suffix = "_" + std::to_string(I);
  return Suffix;
}

// Whether a lambda names the variable among its captures, as it may not name a
// static one.
static bool isCapturedByName(const VarDecl *Variable, const BodyIndex &Body) {
  return llvm::any_of(
      Body.references(Variable), [&](const DeclRefExpr *Reference) {
        return isa_and_nonnull<LambdaExpr>(
            Body.around<ArrayInitLoopExpr, ImplicitCastExpr>(Reference));
      });
}

// Whether the array that Reference names, or a row of it, is only asked for its
// size, or becomes a pointer to constants that walks over it.
bool ArrayReader::isReadAsWhole(const DeclRefExpr *Reference) const {
  const Subscripts All = Body.subscriptsOf(Reference);
  const Expr *Part = Reference;
  if (!All.empty())
    Part = All.back();
  if (!Part->getType()->isArrayType())
    return true; // An element, of which its use says more.
  const Stmt *Whole = Part, *Parent = Body.parentOf(Part);
  auto IsAround = [](const Stmt *S) { // `(a + i)`, also as another type.
    const auto *Binary = dyn_cast_or_null<BinaryOperator>(S);
    return Binary ? Binary->isAdditiveOp()
                  : isa_and_nonnull<ParenExpr, ImplicitCastExpr>(S);
  };
  for (; IsAround(Parent); Parent = Body.parentOf(Whole))
    Whole = Parent;
  if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(Parent))
    return true;
  const QualType Type = cast<Expr>(Whole)->getType();
  return Type->isPointerType() && Type->getPointeeType().isConstQualified() &&
         Pointers.walks(Part, cast<VarDecl>(Reference->getDecl()), Body);
}

// Whether nobody writes the elements, where obstacles from number FromUses on
// are about uses.
bool ArrayReader::isNeverWritten(const Finding &F, size_t FromUses,
                                 const VarDecl *Variable) const {
  const bool OnlyRead =
      llvm::all_of(llvm::drop_begin(F.Obstacles, FromUses),
                   [](const Obstacle &O) {
                     return O.Why == Reason::SizeOfArray ||
                            O.Why == Reason::PartialSubscript;
                   }) &&
      llvm::all_of(F.Uses,
                   [](const Use &U) { return U.Access == AccessKind::Read; }) &&
      llvm::all_of(Body.references(Variable), [&](const DeclRefExpr *Each) {
        return isReadAsWhole(Each);
      });
  const auto *Record =
      Variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  // A use that is an obstacle may write, unless the type forbids that.
  const bool NotWritable =
      F.HasConst && !(Record && Record->hasMutableFields());
  return OnlyRead || NotWritable;
}

ArrayReader::ArrayReader(const FunctionDecl *Function, BodyIndexCache &Bodies,
                         const SourceText &Text, PointerFollower &Pointers)
    : Function(Function), Body(*Bodies.get(Function)), Bodies(Bodies),
      Text(Text), Pointers(Pointers), Loops(Body) {}

// The alignment in bytes that what lies in a value of the type may have by
// itself. A packed class has less, but references to its members do not know.
static unsigned naturalAlignment(QualType Type, const ASTContext &Context) {
  Type = Context.getBaseElementType(Type).getCanonicalType();
  const auto *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return Type->isDependentType() || Type->isReferenceType()
               ? 1
               : Context.getTypeAlignInChars(Type).getQuantity();
  unsigned Result = 1;
  for (const CXXBaseSpecifier &Base : Record->bases())
    Result = std::max(Result, naturalAlignment(Base.getType(), Context));
  for (const FieldDecl *Field : Record->fields())
    Result = std::max(Result, naturalAlignment(Field->getType(), Context));
  return Result;
}

Finding ArrayReader::read(const VarDecl *Variable, const DeclStmt *Statement) {
  Finding F;
  F.Name = Variable->getNameAsString();
  F.Where = Text.place(Variable->getLocation());
  const FunctionDecl *Home = homeOf(Variable, Function);
  F.Function.Name = Home->getQualifiedNameAsString();
  const bool IsDependent = Function->isDependentContext();
  if (!IsDependent)
    F.Function.Id = ASTNameGenerator(Text.context()).getName(Home);
  F.Function.IsKernel = Function->hasAttr<CUDAGlobalAttr>();
  F.Function.Files = {Text.file(Function->getLocation())};

  auto Spelled = Text.spelled(Variable->getLocation());
  if (Spelled && hasNolint(*Spelled, Text))
    F.Obstacles.push_back({Reason::Nolint, F.Where, ""});
  readContext(F, Variable);
  const bool IsConstant = readDeclaration(F, Variable, Statement, Body, Text);
  if (F.Instances.empty())
    return F;
  F.IsWeak = isWeak(Function);
  if (const FunctionDecl *Version =
          IsDependent ? nullptr : versionOf(Function, Text))
    F.Obstacles.push_back({isOutdated(Version, Function, Text)
                               ? Reason::VersionOutdated
                               : Reason::HasVersion,
                           F.Where, ""});
  if (Spelled)
    F.StorageSuffix = storageSuffix(F, Text);
  const size_t BeforeUses = F.Obstacles.size();
  F.AsBits = BeforeUses == 0 && !F.HasConst &&
             areBits(Variable->getType(), Text.context());
  const bool MayClaim =
      F.IsObject ? readObjectUses(F, Variable) : readUses(F, Variable);
  for (auto [Why, Where] : Bodies.unseenMentions(Function, Variable)) {
    F.Obstacles.push_back({Why, Text.place(Where), ""});
    F.AsBits = false;
  }
  ArrayInstance &Instance = F.Instances.front();
  Instance.FunctionId = F.Function.Id;
  Instance.SlotAlignment = std::max(
      {Instance.Alignment, std::min(declaredAlignment(Variable), WidestVector),
       std::min(naturalAlignment(Variable->getType(), Text.context()),
                WidestVector),
       MayClaim ? std::min(Bodies.claimedAlignment(Function), WidestVector)
                : 0});
  if (const auto *Parameter = dyn_cast<ParmVarDecl>(Variable))
    F.NeverWritten = isOnlyRead(Parameter, Function, Body);
  else
    F.NeverWritten = !F.IsObject && IsConstant &&
                     !Body.references(Variable).empty() &&
                     !isCapturedByName(Variable, Body) &&
                     isNeverWritten(F, BeforeUses, Variable);
  if (F.keepsConst() && !F.NeverWritten)
    F.Obstacles.push_back({Reason::ConstElements, F.Where, ""});
  return F;
}
