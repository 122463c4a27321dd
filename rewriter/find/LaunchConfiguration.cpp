//===-- LaunchConfiguration.cpp - what a cudaLaunchConfig_t says ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
// a variable has (BlockSize.cpp). The edit needs none of that, because it
// changes a copy of the configuration at the launch; what is read here says how
// large blocks can get, and whether all of them have to be resident at once.
//
//===----------------------------------------------------------------------===//

#include "find/LaunchConfiguration.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;

static HostValue unknown(std::string Why) {
  return {std::nullopt, std::move(Why), nullptr};
}

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
  const Stmt *outside(const Stmt *E) const;
  bool isRead(const Stmt *E) const;

  const VarDecl *Variable;
  const BodyIndex &Body;
  bool Followed = false;
  std::set<std::string> Unfollowed;
  std::vector<std::pair<std::string, const Expr *>> Assigned;
};

} // namespace

// The parent, parentheses skipped.
const Stmt *FieldReader::outside(const Stmt *E) const {
  const Stmt *Parent = Body.parentOf(E);
  while (isa_and_nonnull<ParenExpr>(Parent))
    Parent = Body.parentOf(Parent);
  return Parent;
}

// Loaded, copied or seen through a const reference.
bool FieldReader::isRead(const Stmt *E) const {
  const Stmt *Parent = outside(E);
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    return Cast->getCastKind() == CK_LValueToRValue ||
           (Cast->getCastKind() == CK_NoOp &&
            Cast->getType().isConstQualified());
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Parent);
  return Construct && Construct->getConstructor()->isCopyOrMoveConstructor();
}

static const Expr *assignedTo(const Stmt *Target, const Stmt *Parent) {
  if (const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
      Assign && Assign->getOpcode() == BO_Assign &&
      Assign->getLHS()->IgnoreParens() == Target)
    return Assign->getRHS();
  if (const auto *Assign = dyn_cast_or_null<CXXOperatorCallExpr>(Parent);
      Assign && Assign->getOperator() == OO_Equal &&
      Assign->getArg(0)->IgnoreParens() == Target)
    return Assign->getArg(1);
  return nullptr;
}

void FieldReader::readMember(const MemberExpr *Member) {
  const std::string Field = Member->getMemberDecl()->getNameAsString();
  if (isRead(Member)) {
    if (Field == "attrs") // They can be changed through it.
      Unfollowed.insert(Field);
    return;
  }
  const Stmt *Parent = outside(Member);
  if (const Expr *Value = assignedTo(Member, Parent)) {
    Assigned.emplace_back(Field, Value);
    return;
  }
  // `config.gridDim.x`, which nothing changes.
  if (const auto *Inner = dyn_cast_or_null<MemberExpr>(Parent);
      Inner && isRead(Inner))
    return;
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
  auto It = Body.References.find(Variable);
  if (It == Body.References.end())
    return;
  for (const DeclRefExpr *Reference : It->second) {
    const Stmt *Parent = outside(Reference);
    if (const auto *Member = dyn_cast_or_null<MemberExpr>(Parent)) {
      readMember(Member);
      continue;
    }
    if (isRead(Reference)) {
      Unfollowed.insert("attrs");
      continue;
    }
    // The runtime takes the address of a constant one.
    const auto *Address = dyn_cast_or_null<UnaryOperator>(Parent);
    const auto *Value = dyn_cast_or_null<Expr>(
        Address && !Variable->getType().isConstQualified() ? outside(Address)
                                                           : Address);
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
  for (const HostValue &V : llvm::drop_begin(Values)) {
    if (!Result.Values || !V.Values)
      return unknown(Result.Values ? V.Source : Result.Source);
    Result.Values->insert(V.Values->begin(), V.Values->end());
    Result.IsBound |= V.IsBound;
  }
  return Result;
}

namespace {

/// Whether an expression names what makes a launch cooperative, or anything
/// that could.
class AttributeReader {
public:
  explicit AttributeReader(const BodyIndex &Body) : Body(Body) {}
  /// Why the attributes at \p Pointer may ask for a cooperative launch; empty
  /// when they do not.
  std::string whyTogether(const Expr *Pointer) const;

private:
  bool isPlain(const Stmt *E) const;
  const VarDecl *arrayBehind(const Expr *Pointer) const;
  std::string whyUsedOtherwise(const DeclRefExpr *Reference) const;

  const BodyIndex &Body;
};

} // namespace

static bool isCooperative(const Stmt *E) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  const auto *Constant =
      Reference ? dyn_cast<EnumConstantDecl>(Reference->getDecl()) : nullptr;
  return Constant && Constant->getName() == "cudaLaunchAttributeCooperative";
}

// Nothing but constants, none of which is the one.
bool AttributeReader::isPlain(const Stmt *E) const {
  if (!E)
    return true;
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
    return isa<EnumConstantDecl>(Reference->getDecl()) && !isCooperative(E);
  if (isa<CallExpr, LambdaExpr, ExplicitCastExpr>(E))
    return false;
  return llvm::all_of(E->children(),
                      [&](const Stmt *Child) { return isPlain(Child); });
}

// `attributes`, `&attribute` or `&attributes[0]`, a variable of the function.
const VarDecl *AttributeReader::arrayBehind(const Expr *Pointer) const {
  const Expr *E = Pointer->IgnoreParenImpCasts();
  if (const auto *Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    E = Subscript->getBase()->IgnoreParenImpCasts();
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  const auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  return Variable && Variable->hasLocalStorage() &&
                 !isa<ParmVarDecl>(Variable) &&
                 !Variable->getType()->isPointerType() &&
                 !Variable->getType()->isReferenceType()
             ? Variable
             : nullptr;
}

static bool isConfiguration(const Stmt *E) {
  const auto *List = dyn_cast_or_null<InitListExpr>(E);
  const auto *Record = List ? List->getType()->getAsRecordDecl() : nullptr;
  return Record && Record->getName().starts_with("cudaLaunchConfig");
}

// A field of an attribute is assigned, or the whole becomes the pointer in a
// configuration. Only `id` says what it is.
std::string
AttributeReader::whyUsedOtherwise(const DeclRefExpr *Reference) const {
  const Stmt *Child = Reference, *Parent = Body.parentOf(Child);
  bool IsId = false, HasField = false;
  while (isa_and_nonnull<ParenExpr, CastExpr, ArraySubscriptExpr, MemberExpr>(
             Parent) ||
         (isa_and_nonnull<UnaryOperator>(Parent) && !HasField)) {
    if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
      IsId |= Member->getMemberDecl()->getName() == "id";
      HasField = true;
    }
    Child = Parent;
    Parent = Body.parentOf(Child);
  }
  const Expr *Value = assignedTo(Child, Parent);
  if (HasField && Value)
    return !IsId || isPlain(Value) ? "" : "its attributes ask for that";
  // `config.attrs = attributes`.
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
  const auto *Field =
      Assign && Assign->getOpcode() == BO_Assign
          ? dyn_cast<MemberExpr>(Assign->getLHS()->IgnoreParens())
          : nullptr;
  const bool Given = Field && Field->getMemberDecl()->getName() == "attrs";
  return Given || isConfiguration(Parent) ||
                 isa_and_nonnull<UnaryExprOrTypeTraitExpr>(Parent)
             ? ""
             : "its attributes are not followed";
}

std::string AttributeReader::whyTogether(const Expr *Pointer) const {
  const VarDecl *Variable = arrayBehind(Pointer);
  if (!Variable)
    return "its attributes are not followed";
  if (!isPlain(Variable->getInit()))
    return "its attributes may ask for that";
  auto It = Body.References.find(Variable);
  if (It != Body.References.end())
    for (const DeclRefExpr *Reference : It->second)
      if (std::string Why = whyUsedOtherwise(Reference); !Why.empty())
        return Why;
  return "";
}

static std::string whyTogether(const FieldReader &Fields, ASTContext &Context,
                               const BodyIndex &Body) {
  HostEvaluator Evaluator(Context, Body);
  if (!Fields.isFollowed("numAttrs") || !Fields.isFollowed("attrs"))
    return "its attributes are not followed";
  const std::set<int64_t> None{0};
  if (llvm::all_of(Fields.values("numAttrs"), [&](const Expr *Count) {
        return Evaluator.integer(Count).Values == None;
      }))
    return "";
  for (const Expr *Pointer : Fields.values("attrs"))
    if (!isa<ImplicitValueInitExpr>(Pointer) &&
        !Pointer->isNullPointerConstant(Context,
                                        Expr::NPC_ValueDependentIsNotNull))
      if (std::string Why = AttributeReader(Body).whyTogether(Pointer);
          !Why.empty())
        return Why;
  return "";
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
    auto It = Body.References.find(Variable);
    if (It == Body.References.end())
      continue;
    // The assignments to it or to a member of it.
    for (const DeclRefExpr *Reference : It->second) {
      const Stmt *Child = Reference, *Parent = Body.parentOf(Child);
      while (isa_and_nonnull<ParenExpr, MemberExpr>(Parent)) {
        Child = Parent;
        Parent = Body.parentOf(Child);
      }
      addVariables(assignedTo(Child, Parent), Waiting);
    }
  }
  return false;
}
