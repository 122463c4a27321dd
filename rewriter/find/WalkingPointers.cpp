//===-- WalkingPointers.cpp - follow pointers into an array ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A striped array's elements are 32 units apart, so a raw pointer cannot walk
// over them; bankstripe::pointer can, with the same operators. Whether that is
// enough is found by climbing from each expression that is such a pointer:
//
//     *p, p[i], p->x            an element, which must stay with itself
//     p + i, p++, p += i        again such a pointer
//     p < end, p - a            fine, if the other side is one too
//     q = p, T *q = p           then q is one, and all its uses are asked about
//     f(p)                      fine, if f's parameter only walks
//
// Everything else (a cast, a pointer stored, returned, captured, compared with
// null) ends the climb: the array then needs contiguous memory.
//
// A parameter only walks if all its uses do, and its function then gets an
// overload for striped pointers by a copy of its text with another parameter
// type. That copy must mean the same as the original: so no variables that
// exist once per function, no arrays of its own, no text that the preprocessor
// looks into, and a place from which every call that wants the copy can see it.
//
// Where no call could tell the difference, the function needs no copy but
// becomes a template, which deduces the type of the pointer.
//
//===----------------------------------------------------------------------===//

#include "find/WalkingPointers.h"
#include "find/BitUse.h"
#include "find/Declaration.h"
#include "find/KernelFacts.h"
#include "find/PointerDeclaration.h"
#include "find/Versions.h"
#include "frontend/UserFiles.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace bankstripe;
using namespace clang;

namespace bankstripe {

/// Follows every pointer that begins with one variable (the array itself, or a
/// parameter) through one function body. It only walks when each of its uses
/// would mean the same for an object that steps from element to element.
class PointerWalker {
public:
  /// \p Element is the unqualified type that the pointers must keep.
  PointerWalker(PointerFollower &Follower, const BodyIndex &Body,
                const VarDecl *Source, QualType Element)
      : Follower(Follower), Body(Body), Source(Source), Element(Element) {
    Trail.AsBits = Element->isBooleanType();
  }

  /// Whether the pointer that \p Value computes only walks.
  bool follow(const Expr *Value);
  /// Whether that holds for every use of the pointer variable \p Pointer.
  bool followVariable(const VarDecl *Pointer);
  /// Whether nothing but pointers into the same array meets what was followed.
  bool staysAmongItself();

  PointerTrail trail() { return std::move(Trail); }

private:
  bool followBinary(const BinaryOperator *Operator, const Expr *Value);
  bool means(const Expr *Operator) const;
  bool isDiscarded(const Expr *E) const;
  bool followArgument(const CallExpr *Call, const Expr *Value);
  bool followReference(const DeclRefExpr *Reference);
  bool track(const VarDecl *Pointer);
  bool isTracked(const Expr *Value) const;
  bool reach(const Expr *Lvalue);

  PointerFollower &Follower;
  const BodyIndex &Body;
  const VarDecl *Source;
  QualType Element;
  llvm::DenseSet<const VarDecl *> Tracked;
  std::vector<const Expr *> Meets; ///< Must be tracked as well.
  std::vector<const DeclStmt *> Statements;
  PointerTrail Trail;
};

} // namespace bankstripe

// Whether Value comes from the array and from nothing else.
bool PointerWalker::isTracked(const Expr *Value) const {
  Value = Value->IgnoreParens();
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Value))
    return isTracked(Cast->getSubExpr());
  if (const VarDecl *Variable = variableOf(Value))
    return Variable == Source || Tracked.contains(Variable);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Value))
    return Unary->isIncrementDecrementOp() && isTracked(Unary->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(Value)) {
    if (!Binary->isAdditiveOp())
      return false;
    return isTracked(Binary->getLHS()->getType()->isPointerType()
                         ? Binary->getLHS()
                         : Binary->getRHS());
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(Value))
    return isTracked(Conditional->getTrueExpr()) &&
           isTracked(Conditional->getFalseExpr());
  return false;
}

// Whether an operator of pointers means the same of striped ones. The helper
// does some of them by others.
bool PointerWalker::means(const Expr *E) const {
  constexpr Operand Pointer = Operand::Pointer, Number = Operand::Number;
  const UserOperators &All = Follower.Operators;
  const bool Steps = !All.mayTake(OO_PlusEqual, {Pointer, Number}) &&
                     !All.mayTake(OO_MinusEqual, {Pointer, Number});
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return !All.mayTake(Unary, Pointer) &&
           (Unary->getOpcode() == UO_Deref ||
            (Steps && !All.mayTake(OO_Plus, {Pointer, Number}) &&
             !All.mayTake(OO_Minus, {Pointer, Number})));
  const auto *Binary = cast<BinaryOperator>(E);
  auto OperandOf = [](const Expr *Side) {
    return Side->getType()->isPointerType() ? Pointer : Number;
  };
  return !All.mayTake(Binary, OperandOf(Binary->getLHS()),
                      OperandOf(Binary->getRHS())) &&
         (Steps || Binary->isAssignmentOp() || Binary->isComparisonOp());
}

// The left side of a comma is an operand of that.
bool PointerWalker::isDiscarded(const Expr *E) const {
  return Body.isDiscarded(E) &&
         !(Follower.Operators.mayTake(OO_Comma,
                                      {Operand::Pointer, Operand::Any}) ||
           Follower.Operators.mayTake(OO_Comma,
                                      {Operand::Any, Operand::Pointer}));
}

bool PointerWalker::followBinary(const BinaryOperator *Operator,
                                 const Expr *Value) {
  const Expr *Other =
      Operator->getLHS() == Value ? Operator->getRHS() : Operator->getLHS();
  if (!means(Operator))
    return false;
  if (Operator->isAdditiveOp() && !Other->getType()->isPointerType())
    return isInteger(Other) && follow(Operator);
  // `<=>` would be one of the helper's.
  if ((Operator->isComparisonOp() && Operator->getOpcode() != BO_Cmp) ||
      Operator->getOpcode() == BO_Sub) {
    Meets.push_back(Other);
    return Other->getType()->isPointerType();
  }
  if (Operator->getOpcode() != BO_Assign || Operator->getRHS() != Value ||
      !isDiscarded(Operator))
    return false;
  const VarDecl *Pointer = variableOf(Operator->getLHS());
  return Pointer && track(Pointer);
}

// Whether the name in the call would find a second function beside the first: a
// declaration inside a function, or a using-declaration, may show one alone.
static bool findsOverloads(const CallExpr *Call) {
  const auto *Named =
      dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
  return Named && !isa<UsingShadowDecl>(Named->getFoundDecl()) &&
         llvm::none_of(
             Call->getDirectCallee()->redecls(), [](const FunctionDecl *D) {
               return D->getLexicalDeclContext()->isFunctionOrMethod();
             });
}

// Whether another function of its name might take the striped pointer before
// the one that is made for it.
static bool hasRival(const FunctionDecl *Callee, unsigned Index) {
  const FunctionDecl *Own = patternOf(Callee)->getCanonicalDecl();
  return llvm::any_of(
      Callee->getDeclContext()->getRedeclContext()->lookup(
          Callee->getDeclName()),
      [&](const NamedDecl *D) {
        const FunctionDecl *Other = D->getUnderlyingDecl()->getAsFunction();
        return Other && Other->getCanonicalDecl() != Own &&
               UserOperators::mayTake(Other, Index, Operand::Pointer);
      });
}

bool PointerWalker::followArgument(const CallExpr *Call, const Expr *Value) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || isa<CXXOperatorCallExpr>(Call) ||
      isa<CXXMemberCallExpr>(Call) || !findsOverloads(Call))
    return false;
  const SourceText &Text = Follower.Text;
  for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
    if (Call->getArg(I) != Value)
      continue;
    auto Place = Follower.walkingParameter(Callee, I, Call, Trail.AsBits);
    if (!Place || hasRival(Callee, I))
      return false;
    // A template would take the const for a part of its parameter.
    QualType Type = Value->IgnoreParenImpCasts()->getType();
    if (Type->isPointerType() && Type->getPointeeType().isConstQualified() &&
        Follower.isDependent(*Place, I))
      return false;
    // A call in a macro is told apart by the macro's use.
    Trail.Arguments.push_back({Text.writtenRange(Call->getSourceRange())
                                   .value_or(Text.point(Call->getBeginLoc())),
                               *Place, I});
    return true;
  }
  return false;
}

// One more variable that points into the array.
bool PointerWalker::track(const VarDecl *Pointer) {
  if (Tracked.contains(Pointer))
    return true;
  if (!Pointer->hasLocalStorage() || isa<ParmVarDecl>(Pointer) ||
      !Pointer->getType()->isPointerType())
    return false;
  const auto *Function = dyn_cast<FunctionDecl>(Pointer->getDeclContext());
  if (!Function || !Follower.Bodies.unseenMentions(Function, Pointer).empty())
    return false;
  Tracked.insert(Pointer);
  const DeclStmt *Statement = nullptr;
  for (auto [Variable, Declared] : Body.Variables)
    if (Variable == Pointer)
      Statement = Declared;
  if (!Statement)
    return false;
  if (!llvm::is_contained(Statements, Statement)) {
    auto Declaration = readPointerDeclaration(Statement, Source, Follower.Text);
    if (!Declaration)
      return false;
    Statements.push_back(Statement);
    // `auto` needs no edit.
    if (!Declaration->Stars.empty())
      Trail.Locals.push_back(std::move(*Declaration));
  }
  if (const Expr *Init = Pointer->getInit())
    Meets.push_back(Init);
  return followVariable(Pointer);
}

bool PointerWalker::followReference(const DeclRefExpr *Reference) {
  if (Reference->refersToEnclosingVariableOrCapture())
    return false;
  const Stmt *Child = Body.outermost<ParenExpr>(Reference);
  const Stmt *Parent = Body.parentOf(Child);
  if (const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    return Load->getCastKind() == CK_LValueToRValue && follow(Load);
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent)) {
    if (!Unary->isIncrementDecrementOp() || !means(Unary))
      return false;
    if (Body.isDiscarded(Unary))
      return isDiscarded(Unary);
    if (Unary->isPostfix())
      return follow(Unary);
    const auto *Load =
        dyn_cast_or_null<ImplicitCastExpr>(Body.around<ParenExpr>(Unary));
    return Load && Load->getCastKind() == CK_LValueToRValue && follow(Load);
  }
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
  if (!Assign || Assign->getLHS() != Child || !isDiscarded(Assign) ||
      !means(Assign))
    return false;
  if (Assign->getOpcode() == BO_Assign)
    Meets.push_back(Assign->getRHS());
  return Assign->getOpcode() == BO_Assign ||
         Assign->getOpcode() == BO_AddAssign ||
         Assign->getOpcode() == BO_SubAssign;
}

bool PointerWalker::followVariable(const VarDecl *Pointer) {
  return llvm::all_of(
      Body.references(Pointer),
      [&](const DeclRefExpr *Reference) { return followReference(Reference); });
}

// Whether the element that a pointer leads to stays with itself.
bool PointerWalker::reach(const Expr *Lvalue) {
  Trail.AsBits = Trail.AsBits &&
                 isBitUse(Lvalue, cast<FunctionDecl>(Source->getDeclContext()),
                          Body, Follower.Operators);
  return staysWithElement(Lvalue, Body, Follower.Bodies);
}

bool PointerWalker::follow(const Expr *Value) {
  if (!Value->getType()->isPointerType() ||
      !Body.Context.hasSameUnqualifiedType(Value->getType()->getPointeeType(),
                                           Element) ||
      Value->getType()->getPointeeType().isVolatileQualified())
    return false;
  const Stmt *Parent = Body.parentOf(Value);
  if (!Parent)
    return false;
  if (isa<ParenExpr>(Parent))
    return follow(cast<Expr>(Parent));
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent))
    return Cast->getCastKind() == CK_NoOp && follow(Cast);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
    return Unary->getOpcode() == UO_Deref && means(Unary) && reach(Unary);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent))
    return Subscript->getLHS() == Value && isInteger(Subscript->getIdx()) &&
           reach(Subscript);
  if (const auto *Member = dyn_cast<MemberExpr>(Parent))
    return Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl()) &&
           !Member->getType()->isArrayType() && reach(Member);
  if (const auto *Operator = dyn_cast<BinaryOperator>(Parent))
    return followBinary(Operator, Value);
  if (const auto *Call = dyn_cast<CallExpr>(Parent))
    return followArgument(Call, Value);
  const auto *Statement = dyn_cast<DeclStmt>(Parent);
  const VarDecl *Kept = Statement ? initialisedBy(Statement, Value) : nullptr;
  return Kept && track(Kept);
}

bool PointerWalker::staysAmongItself() {
  for (const DeclStmt *Statement : Statements)
    for (const Decl *D : Statement->decls())
      if (D != Source && !Tracked.contains(dyn_cast<VarDecl>(D)))
        return false;
  return llvm::all_of(Meets, [&](const Expr *E) { return isTracked(E); });
}

// A class lets its friend into its private part, and not a copy of it.
static bool isFriend(const FunctionDecl *Function) {
  return llvm::any_of(Function->redecls(), [](const FunctionDecl *D) {
    const auto *Template = D->getDescribedFunctionTemplate();
    return D->getFriendObjectKind() != Decl::FOK_None ||
           (Template && Template->getFriendObjectKind() != Decl::FOK_None);
  });
}

// The definition whose text can be copied; null when there is none.
static const FunctionDecl *copiedDefinition(const FunctionDecl *Function) {
  const FunctionDecl *Definition = Function;
  if (Function->isTemplateInstantiation()) {
    if (Function->getTemplateSpecializationKind() != TSK_ImplicitInstantiation)
      return nullptr;
    Definition = Function->getTemplateInstantiationPattern();
  }
  if (!Definition || !Definition->hasBody(Definition))
    return nullptr;
  if (isa<CXXMethodDecl>(Definition) || Definition->isConstexpr() ||
      Definition->isVariadic() || Definition->isExternC() ||
      Definition->isOverloadedOperator() || Definition->getQualifierLoc() ||
      !Definition->hasAttr<CUDADeviceAttr>() ||
      Definition->isFunctionTemplateSpecialization() || isFriend(Definition) ||
      !Definition->getLexicalDeclContext()->isFileContext())
    return nullptr;
  return Definition;
}

static bool holdsOwnStorage(const BodyIndex &Body, BodyIndexCache &Bodies) {
  return llvm::any_of(Body.Variables, [&](const auto &Declared) {
    const VarDecl *Variable = Declared.first;
    return Variable->hasGlobalStorage() ||
           Variable->hasAttr<CUDASharedAttr>() ||
           isPrivateArray(Variable, Body, Bodies);
  });
}

// A copy stands in other lines than the original and has another type, which
// values show. Beside `__FILE__` they are for a message.
static bool saysPlace(StringRef Definition, const TextRange &Whole,
                      const SourceText &Text) {
  auto Says = [&](StringRef Name) { return Text.mentions(Definition, Name); };
  return Text.counts(Definition, Whole) ||
         ((Says("__LINE__") || Says("__PRETTY_FUNCTION__")) &&
          !Says("__FILE__"));
}

static bool usesInheritedDefault(const CallExpr *Call,
                                 const FunctionDecl *Definition) {
  for (unsigned I = 0; I < Call->getNumArgs(); ++I)
    if (isa<CXXDefaultArgExpr>(Call->getArg(I)) &&
        I < Definition->getNumParams() &&
        Definition->getParamDecl(I)->hasInheritedDefaultArg())
      return true;
  return false;
}

// All pointers into an array are followed together: they may meet.
std::optional<PointerTrail> PointerFollower::trailOf(const VarDecl *Variable,
                                                     const BodyIndex &Body) {
  const auto *Array = Body.Context.getAsConstantArrayType(Variable->getType());
  if (!Array || Array->getElementType()->isArrayType())
    return std::nullopt;
  auto [It, New] = Trails.try_emplace(Variable);
  if (!New)
    return It->second;
  PointerWalker Walker(*this, Body, Variable,
                       Array->getElementType().getUnqualifiedType());
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    if (Body.subscriptOf(Reference))
      continue;
    const auto *Decay =
        dyn_cast_or_null<ImplicitCastExpr>(Body.around<ParenExpr>(Reference));
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay ||
        !Walker.follow(Decay))
      return std::nullopt;
  }
  if (!Walker.staysAmongItself())
    return std::nullopt;
  return Trails[Variable] = Walker.trail();
}

bool PointerFollower::walks(const Expr *Part, const VarDecl *Variable,
                            const BodyIndex &Body) {
  const QualType Element(Part->getType()->getArrayElementTypeNoTypeQual(), 0);
  const auto *Decay =
      dyn_cast_or_null<ImplicitCastExpr>(Body.around<ParenExpr>(Part));
  return Decay && PointerWalker(*this, Body, Variable, Element).follow(Decay);
}

// Storage units are the elements themselves only for these.
static bool isItsOwnUnit(QualType Element, const ASTContext &Context) {
  if (!Element->isScalarType() && !Element->isEnumeralType())
    return false;
  const uint64_t Bytes = Context.getTypeSizeInChars(Element).getQuantity();
  return Bytes == 4 || Bytes == 8;
}

std::optional<Place>
PointerFollower::walkingParameter(const FunctionDecl *Function, unsigned Index,
                                  const CallExpr *Call, bool &AsBits) {
  const FunctionDecl *Definition = copiedDefinition(Function);
  const BodyIndex *Body = Bodies.get(Function);
  const FunctionDecl *Instance = nullptr;
  if (!Definition || !Body || !Function->hasBody(Instance) ||
      Index >= Instance->getNumParams() ||
      Values.contains(Definition->getCanonicalDecl()))
    return std::nullopt;
  const Place Where = Text.place(Definition->getLocation());
  auto Whole = definitionText(Definition, Text);
  const SourceManager &SM = Text.sources();
  const SourceLocation End = Definition->getBody()->getEndLoc();
  if (!Whole || saysPlace(Text.text(*Whole, End), *Whole, Text) ||
      !MayEdit(Where.File) || SM.isInSystemHeader(Definition->getLocation()) ||
      Text.isIncludedInside(End))
    return std::nullopt;
  // A default that another declaration gives is no default of the copy.
  if (usesInheritedDefault(Call, Definition))
    return std::nullopt;
  // The copy stands behind the original.
  const SourceLocation CallLoc = SM.getExpansionLoc(Call->getBeginLoc());
  const bool Inside = SM.getFileID(CallLoc) == SM.getFileID(End) &&
                      SM.getFileOffset(CallLoc) > Whole->Offset &&
                      SM.getFileOffset(CallLoc) < Whole->end();
  if (!Inside && !SM.isBeforeInTranslationUnit(End, CallLoc))
    return std::nullopt;

  auto [It, New] = Parameters.try_emplace({Instance, Index});
  if (New) {
    const bool Walks =
        readWalkingParameter(Instance, Definition, Index, *Body, Where, *Whole);
    It->second = Walks;
  }
  AsBits = AsBits && !NotAsBits.contains({Instance, Index});
  // A function that calls itself asks while it is looked at.
  return It->second.value_or(Inside) ? std::optional(Where) : std::nullopt;
}

// Names that depend on a parameter of a template are looked up once more where
// it is used, and parsed before anybody knows what they are.
static bool readsAlikeInTemplate(const BodyIndex &Body) {
  auto IsSettled = [](const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const auto *Member = dyn_cast<MemberExpr>(Call->getCallee());
    if (!Callee || isa<CXXOperatorCallExpr>(Call) ||
        (Member && Member->hasExplicitTemplateArgs()))
      return false;
    const DeclContext *Owner = Callee->getDeclContext()->getRedeclContext();
    return isOfSystem(Callee) ||
           (!Callee->isTemplateInstantiation() &&
            Owner->lookup(Callee->getDeclName()).isSingleResult());
  };
  return Body.TypeOperands.empty() && llvm::all_of(Body.Calls, IsSettled);
}

// A template may be no better a choice than a function of a library that calls
// find, too.
static bool hasNamesake(const FunctionDecl *Function,
                        const TranslationUnitDecl *Unit) {
  auto HasOther = [&](const DeclContext *Where) {
    return llvm::any_of(
        Where->lookup(Function->getDeclName()), [&](const NamedDecl *D) {
          return D->getCanonicalDecl() != Function->getCanonicalDecl();
        });
  };
  return HasOther(Unit) || llvm::any_of(Unit->decls(), [&](const Decl *D) {
           const auto *Space = dyn_cast<NamespaceDecl>(D);
           return Space && HasOther(Space);
         });
}

// The type of a pointer that the template which Function can become deduces;
// empty when it had better not. It converts nothing to a pointer, as bits would
// have to be, so every mention of its name must be a call that is seen, and
// gives one. The host's functions, and those that the linker knows, may be
// called by other files.
std::string PointerFollower::deducedType(const FunctionDecl *Function,
                                         unsigned Index,
                                         const BodyIndex &Body) const {
  const ParmVarDecl *Parameter = Function->getParamDecl(Index);
  const QualType Element = Parameter->getType()->getPointeeType();
  if (isStrong(Function) || Function->hasAttr<CUDAHostAttr>() ||
      Function->isTemplateInstantiation() || Parameter->hasDefaultArg() ||
      Parameter->getType().isRestrictQualified() ||
      !Element->isArithmeticType() || Element->isBooleanType() ||
      !readsAlikeInTemplate(Body) ||
      hasNamesake(Function, Body.Context.getTranslationUnitDecl()))
    return "";
  llvm::DenseSet<SourceLocation> Known{Function->getLocation()};
  for (auto [Name, Call] : Calls.lookup(Function->getCanonicalDecl())) {
    const Expr *Argument = Call->getArg(Index)->IgnoreUnlessSpelledInSource();
    const QualType Type = Argument->getType();
    if (!(Type->isPointerType() || Type->isArrayType()) ||
        isa<InitListExpr>(Argument) ||
        !Body.Context.hasSameUnqualifiedType(
            QualType(Type->getPointeeOrArrayElementType(), 0), Element))
      return "";
    if (auto At = Text.spelled(Name->getLocation()))
      Known.insert(*At);
  }
  const std::string Type = Parameter->getNameAsString() + "_pointer";
  bool Unknown = false;
  forEachUserFile(Text.sources(), [&](SourceLocation Start, StringRef Code) {
    Text.forEachToken(Code, [&](const Token &Tok) {
      if (Tok.isNot(tok::raw_identifier))
        return;
      const unsigned Offset = Tok.getLocation().getRawEncoding();
      Unknown |= Tok.getRawIdentifier() == Type ||
                 (Tok.getRawIdentifier() == Function->getName() &&
                  !Known.contains(Start.getLocWithOffset(Offset)));
    });
  });
  return Unknown ? "" : Type;
}

bool PointerFollower::readWalkingParameter(const FunctionDecl *Instance,
                                           const FunctionDecl *Definition,
                                           unsigned Index,
                                           const BodyIndex &Body,
                                           const Place &Where,
                                           const TextRange &Whole) {
  const ParmVarDecl *Parameter = Instance->getParamDecl(Index);
  if (!Parameter->getType()->isPointerType() || holdsOwnStorage(Body, Bodies))
    return false;
  const ParmVarDecl *Written = Definition->getParamDecl(Index);
  // The copy has the branches, too, that `if constexpr` discards here.
  if (!Bodies.unseenMentions(Instance, Parameter).empty())
    return false;
  auto Facts = readPointerParameter(Written, Text);
  QualType Element =
      Parameter->getType()->getPointeeType().getUnqualifiedType();
  if (!Facts || (Facts->To.Dependent && !isItsOwnUnit(Element, Body.Context)))
    return false;
  PointerWalker Walker(*this, Body, Parameter, Element);
  if (!Walker.followVariable(Parameter) || !Walker.staysAmongItself())
    return false;
  Facts->Trail = Walker.trail();
  if (!Facts->Trail.AsBits)
    NotAsBits.insert({Instance, Index});

  Callee &C = Callees[Where];
  if (C.Name.empty()) {
    C.Where = Where;
    C.Name = Definition->getQualifiedNameAsString();
    C.Definition = Whole;
    C.MayBeReadForHost = Text.mayBeReadForHost(Definition);
  }
  Facts->Deduced = deducedType(Instance, Index, Body);
  C.Parameters.insert({Index, std::move(*Facts)});
  return true;
}

std::vector<Callee> PointerFollower::callees() const {
  const auto All = llvm::make_second_range(Callees);
  return {All.begin(), All.end()};
}

void PointerFollower::noteFunctions(const BodyIndex &Body) {
  for (const DeclRefExpr *Reference : Body.FunctionReferences) {
    const auto *Function =
        patternOf(cast<FunctionDecl>(Reference->getDecl()))->getCanonicalDecl();
    if (const CallExpr *Call = Body.callOf(Reference))
      Calls[Function].emplace_back(Reference, Call);
    else
      Values.insert(Function);
  }
}
