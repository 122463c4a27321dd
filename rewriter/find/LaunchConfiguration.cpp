//===-- LaunchConfiguration.cpp - what launches read ----------------------===//
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
// a variable has. The edit needs none of that, because it changes a copy of the
// configuration at the launch; what is read here says how large blocks can get,
// and whether all of them have to be resident at once.
//
//===----------------------------------------------------------------------===//

#include "find/LaunchConfiguration.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;

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
  return variableOf(Base);
}

namespace {

/// What is put into the fields of one variable.
struct FieldValues {
  std::map<StringRef, std::vector<const Expr *>> Values;
  std::set<StringRef> Unfollowed; ///< Others may be put there, too.
};

} // namespace

// Of the variable that Pointer points to, and not into. Nothing where more than
// assignments to fields changes it.
static std::optional<FieldValues> readFields(const Expr *Pointer,
                                             const BodyIndex &Body) {
  const VarDecl *Variable = pointedTo(Pointer);
  const QualType Type = Pointer->IgnoreParenImpCasts()->getType();
  if (!Variable || !Variable->hasLocalStorage() || isa<ParmVarDecl>(Variable) ||
      !Body.Context.hasSameType(Variable->getType(), Type->getPointeeType()))
    return std::nullopt;
  FieldValues Result;
  const Expr *Init = Variable->getInit();
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Init);
  if (const auto *List = dyn_cast_or_null<InitListExpr>(Init)) {
    for (const FieldDecl *F : Variable->getType()->getAsRecordDecl()->fields())
      if (F->getFieldIndex() < List->getNumInits())
        Result.Values[F->getName()] = {List->getInit(F->getFieldIndex())};
  } else if (Init && !(Construct &&
                       Construct->getConstructor()->isDefaultConstructor())) {
    return std::nullopt;
  }
  for (const DeclRefExpr *Reference : Body.references(Variable)) {
    const HostUse Use = useOf(Reference, Body);
    if (Use.IsRead) {
      // Whoever has the pointer can change the attributes.
      if (!Use.Field || Use.Field->getMemberDecl()->getName() == "attrs")
        Result.Unfollowed.insert("attrs");
      continue;
    }
    if (Use.Field) {
      const StringRef Field = Use.Field->getMemberDecl()->getName();
      if (Use.Assigned && !Use.IsDeep)
        Result.Values[Field].push_back(Use.Assigned);
      else
        Result.Unfollowed.insert(Field);
      continue;
    }
    // Nobody changes a constant one. The runtime takes the address of others as
    // that of a constant.
    if (Variable->getType().isConstQualified())
      continue;
    const auto *Call = dyn_cast_or_null<CallExpr>(
        Body.around<UnaryOperator, ImplicitCastExpr>(Reference));
    const auto *Value = dyn_cast_or_null<ImplicitCastExpr>(
        Body.outermost<UnaryOperator, ImplicitCastExpr>(Reference));
    if (!Call || !Call->getDirectCallee() ||
        !isOfSystem(Call->getDirectCallee()) || !Value ||
        !Value->getType()->isPointerType() ||
        !Value->getType()->getPointeeType().isConstQualified())
      return std::nullopt;
  }
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

namespace {

/// Reads which attributes a launch has, all of which a local array or variable
/// holds:
///
///     cudaLaunchAttribute attribute[1];
///     attribute[0].id = cudaLaunchAttributeClusterDimension;
///     config.attrs = attribute;
class AttributeReader {
public:
  AttributeReader(const BodyIndex &Body, HostEvaluator &Evaluator)
      : Body(Body), Evaluator(Evaluator) {}

  /// Adds those that \p Attributes points to. \returns false where not all of
  /// them are known.
  bool read(const Expr *Attributes);
  bool isCooperative() const { return Ids.count(Cooperative); }

private:
  static constexpr int64_t Cooperative = 2; ///< cudaLaunchAttributeCooperative.

  bool readInitializer(const Expr *Init);
  bool readUse(const DeclRefExpr *Reference, const Expr *Attributes);
  bool add(const Expr *Id);

  const BodyIndex &Body;
  HostEvaluator &Evaluator;
  std::set<int64_t> Ids;
};

} // namespace

bool AttributeReader::add(const Expr *Id) {
  const HostValue Value = Evaluator.integer(Id);
  if (!Value.Values || Value.IsBound)
    return false;
  Ids.insert(Value.Values->begin(), Value.Values->end());
  return true;
}

// Lists of attributes, whose first field is the id; the rest is zero.
bool AttributeReader::readInitializer(const Expr *Init) {
  if (!Init || isa<ImplicitValueInitExpr>(Init))
    return true;
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Init))
    return Construct->getConstructor()->isTrivial() &&
           Construct->getConstructor()->isDefaultConstructor();
  const auto *List = dyn_cast<InitListExpr>(Init);
  if (!List)
    return false;
  if (List->getType()->isArrayType())
    return llvm::all_of(List->inits(),
                        [&](const Expr *E) { return readInitializer(E); });
  return List->getNumInits() == 0 || add(List->getInit(0));
}

bool AttributeReader::readUse(const DeclRefExpr *Reference,
                              const Expr *Attributes) {
  if (Body.outermost<ParenExpr, CastExpr, UnaryOperator, ArraySubscriptExpr>(
          Reference) == Attributes)
    return true;
  const Stmt *Element = Reference;
  if (const ArraySubscriptExpr *Subscript = Body.subscriptOf(Reference))
    Element = Subscript;
  const HostUse Use = useOf(Element, Body);
  if (Use.IsRead)
    return true;
  if (!Use.Field)
    return false;
  return Use.Field->getMemberDecl()->getName() != "id" ||
         (Use.Assigned && !Use.IsDeep && add(Use.Assigned));
}

bool AttributeReader::read(const Expr *Attributes) {
  const Expr *Value = Attributes->IgnoreParenImpCasts();
  if (isa<ImplicitValueInitExpr, CXXNullPtrLiteralExpr>(Value) ||
      constantOf(Value, Body.Context) == 0)
    return true;
  // `&a`, `a` or `&a[0]`.
  if (const auto *Address = dyn_cast<UnaryOperator>(Value);
      Address && Address->getOpcode() == UO_AddrOf)
    Value = Address->getSubExpr()->IgnoreParens();
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Value))
    Value = Element->getBase()->IgnoreParenImpCasts();
  const VarDecl *Variable = variableOf(Value);
  if (!Variable || !Variable->hasLocalStorage() || isa<ParmVarDecl>(Variable) ||
      Variable->getType()->isPointerType() ||
      Variable->getType()->isReferenceType() || isChangedElsewhere(Variable))
    return false;
  return readInitializer(Variable->getInit()) &&
         llvm::all_of(Body.references(Variable), [&](const DeclRefExpr *Each) {
           return readUse(Each, Attributes);
         });
}

// Reads whether the launch is cooperative: one of its attributes asks for that.
static void readTogether(FieldValues &Fields, const BodyIndex &Body,
                         HostEvaluator &Evaluator, LaunchConfiguration &Into) {
  const std::set<int64_t> None{0};
  if (!Fields.Unfollowed.count("numAttrs") &&
      llvm::all_of(Fields.Values["numAttrs"], [&](const Expr *Count) {
        return Evaluator.integer(Count).Values == None;
      }))
    return;
  AttributeReader Attributes(Body, Evaluator);
  const bool IsKnown = !Fields.Unfollowed.count("attrs") &&
                       llvm::all_of(Fields.Values["attrs"], [&](const Expr *E) {
                         return Attributes.read(E);
                       });
  Into.Cooperative = !IsKnown || Attributes.isCooperative();
  if (!IsKnown)
    Into.Unfollowed = "its attributes may ask for that";
}

LaunchConfiguration bankstripe::readConfiguration(const Expr *Pointer,
                                                  const BodyIndex &Body) {
  auto Fields = readFields(Pointer, Body);
  if (!Fields) {
    const std::string Why = "its configuration is not followed";
    return {unknown(Why), unknown(Why), /*Cooperative=*/true, Why};
  }
  HostEvaluator Evaluator(Body);
  auto Evaluate = [&](StringRef Field, auto Value) {
    if (Fields->Unfollowed.count(Field))
      return unknown("a member of its " + Field.str() + " is assigned");
    std::vector<HostValue> Values;
    for (const Expr *E : Fields->Values[Field])
      Values.push_back(Value(E));
    return unite(std::move(Values), "its " + Field.str() + " is not assigned");
  };
  LaunchConfiguration Result{
      Evaluate("blockDim",
               [&](const Expr *E) { return Evaluator.dim3Product(E); }),
      Evaluate("dynamicSmemBytes",
               [&](const Expr *E) { return Evaluator.integer(E); }),
      /*Cooperative=*/false, ""};
  readTogether(*Fields, Body, Evaluator, Result);
  return Result;
}
