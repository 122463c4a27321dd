//===-- BlockSize.cpp - the values that host code can compute -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three quarters of real launches give the block size as a literal, a macro or
// a constant, and most others pass such a constant through a host variable or
// a dim3 (docs/design.md, section 2). A set of possible values per expression
// covers them all: a constant is a set of one, a variable the union of what is
// assigned to it, an operator the combinations of its operands. It needs no
// data flow, and because all assignments count, no order of them matters.
//
//===----------------------------------------------------------------------===//

#include "find/BlockSize.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace bankstripe;
using namespace clang;

static HostValue unknown(std::string Why) {
  return {std::nullopt, std::move(Why), nullptr};
}

HostUse bankstripe::useOf(const Stmt *E, const BodyIndex &Body) {
  const Stmt *Child = Body.outermost<ParenExpr>(E);
  const Stmt *Parent = Body.parentOf(Child);
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    return {
        Cast->getCastKind() == CK_LValueToRValue ||
        (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified())};
  if (const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Parent))
    return {Construct->getConstructor()->isCopyOrMoveConstructor()};
  if (const auto *Member = dyn_cast_or_null<MemberExpr>(Parent))
    return {false, nullptr, Member};
  if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
      Assign && Assign->getOpcode() == BO_Assign && Assign->getLHS() == Child)
    return {false, Assign->getRHS()};
  if (const auto *Assign = dyn_cast_or_null<CXXOperatorCallExpr>(Parent);
      Assign && Assign->getOperator() == OO_Equal && Assign->getArg(0) == Child)
    return {false, Assign->getArg(1)};
  return {};
}

static HostValue merge(HostValue A, const HostValue &B) {
  if (!A.Values)
    return unknown(A.Source);
  if (!B.Values)
    return unknown(B.Source);
  A.Values->insert(B.Values->begin(), B.Values->end());
  A.IsBound |= B.IsBound;
  if (A.Values->size() > HostEvaluator::MaximumValues)
    return unknown("it can have too many values");
  return A;
}

static bool isDim3(QualType Type) {
  const auto *Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3";
}

static std::optional<int64_t> apply(BinaryOperatorKind Op, int64_t A,
                                    int64_t B) {
  switch (Op) {
  case BO_Add:
    return llvm::checkedAdd(A, B);
  case BO_Sub:
    return llvm::checkedSub(A, B);
  case BO_Mul:
    return llvm::checkedMul(A, B);
  case BO_Div:
    return B > 0 ? std::optional(A / B) : std::nullopt;
  case BO_Rem:
    return B > 0 ? std::optional(A % B) : std::nullopt;
  case BO_Shl:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A << B) : std::nullopt;
  case BO_Shr:
    return A >= 0 && B >= 0 && B < 32 ? std::optional(A >> B) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static HostValue combine(BinaryOperatorKind Op, const HostValue &A,
                         const HostValue &B) {
  // A bound of the operands is one of the result only where that grows with
  // them; here the operands are sizes, which are not negative.
  const bool Grows = Op == BO_Mul || Op == BO_Add || Op == BO_Shl;
  if ((A.IsBound || B.IsBound) && !Grows)
    return unknown("it is computed from a minimum");
  // One times a parameter is still that parameter.
  const std::set<int64_t> One{1};
  if (!A.Values)
    return Op == BO_Mul && B.Values == One ? A : unknown(A.Source);
  if (!B.Values)
    return Op == BO_Mul && A.Values == One ? B : unknown(B.Source);
  HostValue Result{std::set<int64_t>(),
                   A.Source == "literal" ? B.Source : A.Source, nullptr};
  for (int64_t X : *A.Values)
    for (int64_t Y : *B.Values) {
      auto Value = apply(Op, X, Y);
      if (!Value)
        return unknown("an operator in it is not understood");
      Result.Values->insert(*Value);
    }
  if (Result.Values->size() > HostEvaluator::MaximumValues)
    return unknown("it can have too many values");
  Result.IsBound = A.IsBound || B.IsBound;
  return Result;
}

// Whether a value that is only bounded, or not known here, may come out of the
// conversion as a larger one: -1 becomes 255, and 300 becomes 44. What is
// negative in 32 bits is too large for any block.
static bool mayWrap(QualType From, QualType To, const ASTContext &Context) {
  if (!From->isIntegerType() || !To->isIntegerType() ||
      From->isDependentType() || To->isDependentType())
    return false;
  const unsigned Old = Context.getIntWidth(From), New = Context.getIntWidth(To);
  if (From->isUnsignedIntegerOrEnumerationType())
    return false; // Nothing gets larger.
  return New < Old || (New < 32 && To->isUnsignedIntegerOrEnumerationType());
}

// The variable that E names, if no conversion loses bits of it.
static const ValueDecl *variableOf(const Expr *E, const ASTContext &Context) {
  E = E->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Inner = Cast->getSubExpr()->IgnoreParens();
    const QualType From = Inner->getType(), To = Cast->getType();
    if (From->isIntegerType() && To->isIntegerType() &&
        Context.getIntWidth(To) < Context.getIntWidth(From))
      return nullptr;
    E = Inner;
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  return Reference ? Reference->getDecl() : nullptr;
}

// Whether two expressions name the same variable.
static bool sameVariable(const Expr *A, const Expr *B,
                         const ASTContext &Context) {
  const ValueDecl *Variable = variableOf(A, Context);
  return Variable && Variable == variableOf(B, Context);
}

static bool sameConstant(const Expr *A, const Expr *B,
                         const ASTContext &Context) {
  Expr::EvalResult X, Y;
  return !A->isValueDependent() && !B->isValueDependent() &&
         A->EvaluateAsInt(X, Context) && B->EvaluateAsInt(Y, Context) &&
         llvm::APSInt::isSameValue(X.Val.getInt(), Y.Val.getInt());
}

// `a < b ? a : b`, in any of its spellings.
static bool isMinimum(const ConditionalOperator *Conditional,
                      const ASTContext &Context) {
  const auto *Test =
      dyn_cast<BinaryOperator>(Conditional->getCond()->IgnoreParenImpCasts());
  if (!Test || !Test->isRelationalOp())
    return false;
  const bool Less = Test->getOpcode() == BO_LT || Test->getOpcode() == BO_LE;
  const Expr *Small = Less ? Test->getLHS() : Test->getRHS();
  const Expr *Other = Less ? Test->getRHS() : Test->getLHS();
  return sameVariable(Small, Conditional->getTrueExpr(), Context) &&
         (sameVariable(Other, Conditional->getFalseExpr(), Context) ||
          sameConstant(Other, Conditional->getFalseExpr(), Context));
}

static bool isMinimumFunction(const FunctionDecl *Callee,
                              const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  return Callee->getIdentifier() && Callee->getName() == "min" &&
         Callee->getNumParams() == 2 &&
         SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation()));
}

// The smaller of two values is at most either.
HostValue HostEvaluator::minimum(const Expr *A, const Expr *B, unsigned Depth) {
  HostValue First = evaluate(A, Depth + 1), Second = evaluate(B, Depth + 1);
  if (First.Values && Second.Values)
    return merge(First, Second);
  HostValue &Known =
      Second.Values || (!First.Values && Second.Parameter) ? Second : First;
  Known.IsBound = true;
  return Known;
}

HostValue HostEvaluator::binary(const BinaryOperator *Operator,
                                unsigned Depth) {
  HostValue Left = evaluate(Operator->getLHS(), Depth + 1),
            Right = evaluate(Operator->getRHS(), Depth + 1);
  // Both may be negative, and their product large.
  if (Operator->getOpcode() == BO_Mul && Left.IsBound && Right.IsBound &&
      Operator->getType()->isSignedIntegerType())
    return unknown("it is computed from two minima");
  return combine(Operator->getOpcode(), Left, Right);
}

// Values are computed without bounds; one that its type could not hold would be
// another value on the machine.
static bool fits(const HostValue &Value, QualType Type, ASTContext &Context) {
  if (!Value.Values || !Type->isIntegerType() || Type->isDependentType())
    return true;
  unsigned Bits = Context.getIntWidth(Type);
  bool Signed = Type->isSignedIntegerOrEnumerationType();
  return llvm::all_of(*Value.Values, [&](int64_t V) {
    if (Type->isBooleanType())
      return V == 0 || V == 1;
    if (Signed)
      return Bits >= 64 || llvm::isIntN(Bits, V);
    return V >= 0 && (Bits >= 63 || llvm::isUIntN(Bits, V));
  });
}

HostValue HostEvaluator::evaluate(const Expr *E, unsigned Depth) {
  HostValue Result = evaluateUnbounded(E, Depth);
  // What stands around the expression converts its value step by step.
  for (const Expr *Step = E;;) {
    if (!fits(Result, Step->getType(), Context))
      return unknown("a conversion in it changes its value");
    if (const auto *Cast = dyn_cast<CastExpr>(Step);
        Cast && (Result.IsBound || Result.Parameter) &&
        mayWrap(Cast->getSubExpr()->getType(), Cast->getType(), Context))
      return unknown("a conversion in it may change its value");
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Step))
      Step = Cast->getSubExpr();
    else if (const auto *Paren = dyn_cast<ParenExpr>(Step))
      Step = Paren->getSubExpr();
    else
      return Result;
  }
}

HostValue HostEvaluator::evaluateUnbounded(const Expr *E, unsigned Depth) {
  if (Depth > 16)
    return unknown("it is too deep an expression");
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && !E->containsErrors() &&
      E->EvaluateAsInt(Constant, Context)) {
    bool Literal = isa<IntegerLiteral>(E->IgnoreParenImpCasts());
    if (!Constant.Val.getInt().isRepresentableByInt64())
      return unknown("it is too large a number");
    return {std::set<int64_t>{Constant.Val.getInt().getExtValue()},
            Literal ? "literal" : "constant", nullptr};
  }
  E = E->IgnoreParenImpCasts();
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return Cast->getType()->isIntegerType()
               ? evaluate(Cast->getSubExpr(), Depth + 1)
               : unknown("a cast in it is not understood");
  if (const auto *Operator = dyn_cast<BinaryOperator>(E))
    return binary(Operator, Depth);
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
    return isMinimum(Conditional, Context)
               ? minimum(Conditional->getTrueExpr(),
                         Conditional->getFalseExpr(), Depth)
               : merge(evaluate(Conditional->getTrueExpr(), Depth + 1),
                       evaluate(Conditional->getFalseExpr(), Depth + 1));
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      return variable(Variable, /*IsDim3=*/false, Depth);
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return field(Member, Depth);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      return isMinimumFunction(Callee, Context) && Call->getNumArgs() == 2
                 ? minimum(Call->getArg(0), Call->getArg(1), Depth)
                 : unknown("it comes from function '" +
                           Callee->getNameAsString() + "'");
  return unknown("it is not a constant");
}

// `block.x` of a dim3 that keeps the value it is made with.
HostValue HostEvaluator::field(const MemberExpr *Member, unsigned Depth) {
  const auto *Reference =
      dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !isDim3(Variable->getType()) || !Variable->getInit())
    return unknown("it is a member of an object");
  HostValue Whole = variable(Variable, /*IsDim3=*/true, Depth);
  if (!Whole.Values)
    return Whole;
  for (const DeclRefExpr *Other : Body.references(Variable))
    if (isa_and_nonnull<CXXOperatorCallExpr>(Body.parentOf(Other)))
      return unknown("it is a member of an object that is assigned");
  const auto *Construct =
      dyn_cast<CXXConstructExpr>(Variable->getInit()->IgnoreImplicit());
  StringRef Name = Member->getMemberDecl()->getName();
  unsigned Index = Name == "x" ? 0 : Name == "y" ? 1 : 2;
  if (!Construct || Construct->getNumArgs() != 3)
    return unknown("it is a member of an object");
  return evaluate(Construct->getArg(Index), Depth + 1);
}

HostValue HostEvaluator::product(const Expr *E, unsigned Depth) {
  if (Depth > 16)
    return unknown("it is too deep an expression");
  for (const Expr *Before = nullptr; Before != E;
       E = E->IgnoreParens()->IgnoreImplicit())
    Before = E;
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && isDim3(Cast->getType()))
    return product(Cast->getSubExpr(), Depth + 1);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() == 1) // A copy, or a conversion.
      return product(Construct->getArg(0), Depth + 1);
    if (Construct->getNumArgs() != 3 || !isDim3(Construct->getType()))
      return unknown("it is not a dim3");
    HostValue Result{std::set<int64_t>{1}, "literal", nullptr};
    for (const Expr *Argument : Construct->arguments()) {
      HostValue Value = evaluate(Argument, Depth + 1);
      // What is not written is no source that a person would look for.
      if (isa<CXXDefaultArgExpr>(Argument))
        Value.Source = "literal";
      Result = combine(BO_Mul, Result, Value);
    }
    return Result;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E);
      List && isDim3(E->getType())) {
    HostValue Result{std::set<int64_t>{1}, "constant", nullptr};
    for (const Expr *Init : List->inits())
      Result = combine(BO_Mul, Result, evaluate(Init, Depth + 1));
    return Result;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
    return merge(product(Conditional->getTrueExpr(), Depth + 1),
                 product(Conditional->getFalseExpr(), Depth + 1));
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
        Variable && isDim3(Variable->getType()))
      return variable(Variable, /*IsDim3=*/true, Depth);
  return evaluate(E, Depth + 1);
}

// The union of the initialiser and of every assignment; unknown as soon as
// one reference could write in another way.
HostValue HostEvaluator::variable(const VarDecl *Variable, bool IsDim3,
                                  unsigned Depth) {
  std::string Name = "variable '" + Variable->getNameAsString() + "'";
  if (Depth > 16 || !Active.insert(Variable).second)
    return unknown(Name + " depends on itself");
  HostValue Result = assigned(Variable, Name, IsDim3, Depth);
  Active.erase(Variable);
  return Result;
}

HostValue HostEvaluator::assigned(const VarDecl *Variable,
                                  const std::string &Name, bool IsDim3,
                                  unsigned Depth) {
  bool IsConst = Variable->getType().isConstQualified();
  if (Variable->getType()->isReferenceType() ||
      (!Variable->hasLocalStorage() && !IsConst))
    return unknown(Name + " can be changed elsewhere");
  auto ValueOf = [&](const Expr *E) {
    return IsDim3 ? product(E, Depth + 1) : evaluate(E, Depth + 1);
  };
  std::optional<HostValue> Result;
  if (const auto *Parameter = dyn_cast<ParmVarDecl>(Variable)) {
    Result = unknown("parameter '" + Variable->getNameAsString() +
                     "' of the launching function");
    if (Parameter->getType()->isIntegerType())
      Result->Parameter = Parameter;
  } else if (const Expr *Init = Variable->getAnyInitializer()) {
    Result = ValueOf(Init);
  }

  if (!IsConst)
    for (const DeclRefExpr *Reference : Body.references(Variable)) {
      // `c ? n : m` is itself the variable that it chooses.
      const HostUse Use = useOf(
          Body.outermost<ParenExpr, ConditionalOperator>(Reference), Body);
      if (Use.IsRead || (Use.Field && useOf(Use.Field, Body).IsRead))
        continue;
      if (Use.Field)
        return unknown("a member of " + Name + " is assigned");
      if (!Use.Assigned)
        return unknown(Name + " is changed in a way that is not followed");
      HostValue Value = ValueOf(Use.Assigned);
      Result = Result ? merge(*Result, Value) : Value;
    }
  if (!Result)
    return unknown(Name + " has no value that can be seen");
  if (Result->Values)
    Result->Source = Name;
  return *Result;
}

// --- Launch configurations ---------------------------------------------------
//
// Programs fill a configuration field by field, and hand its address to the
// runtime:
//
//     cudaLaunchConfig_t config = {};
//     config.gridDim = blocks;
//     config.blockDim = 128;
//     cudaLaunchKernelEx(&config, kernel, in, out);
//
// So a field has every value that the initialiser or an assignment gives it, as
// a variable has. The edit needs none of that, because it changes a copy of the
// configuration at the launch; what is read here says how large blocks can get,
// and whether all of them have to be resident at once.
//

const VarDecl *bankstripe::pointedTo(const Expr *Pointer) {
  const auto *Address = dyn_cast<UnaryOperator>(Pointer->IgnoreParenImpCasts());
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return nullptr;
  const Expr *Base = Address->getSubExpr()->IgnoreParens();
  while (const auto *Member = dyn_cast<MemberExpr>(Base)) {
    if (Member->isArrow())
      return nullptr;
    Base = Member->getBase()->IgnoreParens();
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(Base);
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

namespace {

/// The fields of one variable of a class type: everything that is put there.
class FieldReader {
public:
  FieldReader(const VarDecl *Variable, const BodyIndex &Body)
      : Variable(Variable), Body(Body) {
    read();
  }
  /// Whether nothing but assignments to fields changes the variable.
  bool isFollowed() const { return Followed; }
  /// Whether the same is true of one field.
  bool isFollowed(StringRef Field) const {
    return Followed && !Unfollowed.count(Field.str());
  }
  /// What the field is initialised with and assigned.
  std::vector<const Expr *> values(StringRef Field) const;

private:
  void read();
  void readMember(const MemberExpr *Member);
  const VarDecl *Variable;
  const BodyIndex &Body;
  bool Followed = false;
  std::set<std::string> Unfollowed;
  std::vector<std::pair<std::string, const Expr *>> Assigned;
};

} // namespace

void FieldReader::readMember(const MemberExpr *Member) {
  const std::string Field = Member->getMemberDecl()->getNameAsString();
  const HostUse Use = useOf(Member, Body);
  if (Use.Assigned)
    Assigned.emplace_back(Field, Use.Assigned);
  // `config.gridDim.x`, which nothing changes.
  else if (!Use.IsRead && !(Use.Field && useOf(Use.Field, Body).IsRead))
    Unfollowed.insert(Field);
}

void FieldReader::read() {
  if (!Variable || !Variable->hasLocalStorage() || isa<ParmVarDecl>(Variable) ||
      Variable->getType()->isReferenceType())
    return;
  const Expr *Init = Variable->getInit();
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Init);
  if (Init && !isa<InitListExpr>(Init) &&
      !(Construct && Construct->getConstructor()->isDefaultConstructor()))
    return;
  Followed = true;
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    const HostUse Use = useOf(Reference, Body);
    if (Use.Field) {
      readMember(Use.Field);
      continue;
    }
    if (Use.IsRead)
      continue;
    // The runtime takes the address of a constant one.
    const Stmt *Given = Body.parentOf(Reference);
    if (!Variable->getType().isConstQualified() &&
        isa_and_nonnull<UnaryOperator>(Given))
      Given = Body.parentOf(Given);
    const auto *Value = dyn_cast_or_null<Expr>(Given);
    Followed &= Value && Value->getType()->isPointerType() &&
                Value->getType()->getPointeeType().isConstQualified();
  }
}

std::vector<const Expr *> FieldReader::values(StringRef Field) const {
  std::vector<const Expr *> Result;
  if (const auto *List = dyn_cast_or_null<InitListExpr>(Variable->getInit())) {
    const InitListExpr *Semantic =
        List->isSemanticForm() ? List : List->getSemanticForm();
    const RecordDecl *Record = Variable->getType()->getAsRecordDecl();
    for (const FieldDecl *F : Record->fields())
      if (F->getName() == Field && Semantic &&
          F->getFieldIndex() < Semantic->getNumInits())
        Result.push_back(Semantic->getInit(F->getFieldIndex()));
  }
  for (const auto &[Name, Value] : Assigned)
    if (Name == Field)
      Result.push_back(Value);
  return Result;
}

// What a field is before it is assigned is no more than any other value, so a
// single value that is not known may still be known to the callers.
static HostValue unite(std::vector<HostValue> Values,
                       const std::string &Nothing) {
  if (Values.size() > 1)
    llvm::erase_if(Values, [](const HostValue &V) {
      return V.Values && !V.IsBound && llvm::all_of(*V.Values, [](int64_t N) {
               return N == 0 || N == 1;
             });
    });
  if (Values.empty())
    return unknown(Nothing);
  HostValue Result = Values.front();
  for (const HostValue &V : llvm::drop_begin(Values))
    Result = merge(Result, V);
  return Result;
}

// Any attribute may be the one that asks for a cooperative launch.
static std::string whyTogether(const FieldReader &Fields, ASTContext &Context,
                               const BodyIndex &Body) {
  HostEvaluator Evaluator(Context, Body);
  const std::set<int64_t> None{0};
  const bool HasNone =
      Fields.isFollowed("numAttrs") &&
      llvm::all_of(Fields.values("numAttrs"), [&](const Expr *Count) {
        return Evaluator.integer(Count).Values == None;
      });
  return HasNone ? "" : "its attributes may ask for that";
}

LaunchConfiguration bankstripe::readConfiguration(const Expr *Pointer,
                                                  ASTContext &Context,
                                                  const BodyIndex &Body) {
  LaunchConfiguration Result;
  const FieldReader Fields(pointedTo(Pointer), Body);
  if (!Fields.isFollowed()) {
    const std::string Why = "its configuration is not followed";
    return {unknown(Why), unknown(Why), Why};
  }
  HostEvaluator Evaluator(Context, Body);
  auto Evaluate = [&](StringRef Field, auto Value) {
    if (!Fields.isFollowed(Field))
      return unknown("a member of its " + Field.str() + " is assigned");
    std::vector<HostValue> Values;
    for (const Expr *E : Fields.values(Field))
      Values.push_back(Value(E));
    return unite(std::move(Values), "its " + Field.str() + " is not assigned");
  };
  Result.Threads = Evaluate(
      "blockDim", [&](const Expr *E) { return Evaluator.dim3Product(E); });
  Result.Bytes = Evaluate("dynamicSmemBytes",
                          [&](const Expr *E) { return Evaluator.integer(E); });
  Result.Together = whyTogether(Fields, Context, Body);
  return Result;
}

static void addVariables(const Stmt *E,
                         llvm::SmallVectorImpl<const VarDecl *> &Variables) {
  if (!E)
    return;
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      Variables.push_back(Variable);
  for (const Stmt *Child : E->children())
    addVariables(Child, Variables);
}

bool bankstripe::isComputedFrom(const Expr *E, const VarDecl *Answer,
                                const BodyIndex &Body) {
  llvm::SmallVector<const VarDecl *> Waiting;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
  addVariables(E, Waiting);
  while (!Waiting.empty()) {
    const VarDecl *Variable = Waiting.pop_back_val();
    if (Variable == Answer)
      return true;
    if (!Seen.insert(Variable).second)
      continue;
    addVariables(Variable->getInit(), Waiting);
    // The assignments to it or to a member of it.
    for (const DeclRefExpr *Reference : Body.references(Variable)) {
      HostUse Use = useOf(Reference, Body);
      while (Use.Field)
        Use = useOf(Use.Field, Body);
      addVariables(Use.Assigned, Waiting);
    }
  }
  return false;
}
