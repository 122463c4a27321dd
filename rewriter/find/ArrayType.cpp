//===-- ArrayType.cpp - what per-thread arrays are made of ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the type of an array says: its extents, its bytes, and why elements of
// that type cannot lie apart from each other, or nowhere else at all.
//
//===----------------------------------------------------------------------===//

#include "find/ArrayType.h"
#include "find/Initializer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

using namespace bankstripe;
using namespace clang;

/// The most extents that a stripe has.
static constexpr unsigned MostDimensions = 5;

bool bankstripe::isOrHoldsArray(QualType Type) {
  return Type->isConstantArrayType() ||
         anyField(Type->getAsCXXRecordDecl(),
                  [](QualType T) { return T->isConstantArrayType(); });
}

// Whether elements of this type can be stored apart: nothing but their bytes
// makes them up, and whole words of a bank hold them.
static bool isStripeElement(QualType Element, uint64_t Bytes,
                            ASTContext &Context) {
  if (Element->isArithmeticType() || Element->isEnumeralType() ||
      Element->isPointerType())
    return Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;
  const auto *Record = Element->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() && canBeDefaultConstructed(Record) &&
         Element.isTriviallyCopyableType(Context) &&
         (Bytes == 2 || Bytes % 4 == 0);
}

// Whether objects of the class \p Element end without any code.
static bool endsSilently(QualType Element) {
  const auto *Record = Element->getAsCXXRecordDecl();
  return !Record || (Record->hasDefinition() && Record->hasTrivialDestructor());
}

// Reads what the type is in the template that the function is an instance of.
static void readPattern(Finding &F, const VarDecl *Variable) {
  const auto *Function = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const FunctionDecl *Pattern =
      Function ? Function->getTemplateInstantiationPattern() : nullptr;
  if (!Pattern)
    return;
  F.ElementDependent = true;
  // The pattern's variable is found by its place, which instances share.
  for (const Decl *D : Pattern->decls())
    if (const auto *Other = dyn_cast<VarDecl>(D);
        Other && Other->getLocation() == Variable->getLocation()) {
      QualType Element = Other->getType();
      while (const auto *Array = Element->getAsArrayTypeUnsafe())
        Element = Array->getElementType();
      // All pointers are of one size.
      F.ElementDependent =
          Element->isDependentType() && !Element->isAnyPointerType();
      while (Element->isAnyPointerType())
        Element = Element->getPointeeType();
      F.FixedClass =
          !Other->getType()->isDependentType() && !Element->isBuiltinType();
    }
}

// Whether Element is a long double or has one, to which Clang gives the size of
// a double for the device; nvcc gives it that of the host.
static bool holdsLongDouble(QualType Element) {
  auto IsOne = [](QualType Type) {
    if (const auto *Complex = Type->getAs<ComplexType>())
      Type = Complex->getElementType();
    return Type->getBaseElementTypeUnsafe()->isSpecificBuiltinType(
        BuiltinType::LongDouble);
  };
  return IsOne(Element) || anyField(Element->getAsCXXRecordDecl(), IsOne);
}

void bankstripe::readArrayType(Finding &F, const VarDecl *Variable,
                               const SourceText &Text) {
  ASTContext &Context = Text.context();
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back(
        {Why, Text.place(Variable->getLocation()), std::move(Detail)});
  };
  QualType Type = Variable->getType();
  F.Shape.Type = Type.getAsString(Context.getPrintingPolicy());
  if (const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
      Record && Record->isLambda())
    F.Shape.Type = "a closure";
  F.IsObject = !Type->isArrayType();
  if (Type->isDependentType() || Type->isIncompleteType())
    return; // In a template that nobody instantiated: NotInstantiated says so.
  F.Shape.BytesPerThread = Context.getTypeSizeInChars(Type).getQuantity();
  QualType Element = Type;
  while (const auto *Array = Context.getAsConstantArrayType(Element)) {
    F.Shape.Extents.push_back(Array->getLimitedSize());
    Element = Array->getElementType();
  }
  const std::string ElementType =
      Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  F.Shape.ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
  readPattern(F, Variable);
  ArrayInstance &Instance = F.Instances.emplace_back();
  Instance.Shape = F.Shape;
  Instance.Alignment = Context.getTypeAlignInChars(Type).getQuantity();

  Qualifiers Quals = Context.getBaseElementType(Type).getQualifiers();
  F.HasConst = Quals.hasConst() || Variable->isConstexpr();
  if (Quals.hasVolatile())
    Note(Reason::QualifiedType, "volatile");
  if (F.IsObject)
    Note(
        Reason::ClassObject,
        F.Shape.Type +
            (isOrHoldsArray(Type) ? "" : ", whose members are indexed as one") +
            (isa<ParmVarDecl>(Variable) ? ", a parameter by value" : ""));
  else if (!isStripeElement(Element.getCanonicalType().getUnqualifiedType(),
                            F.Shape.ElementBytes, Context))
    Note(Reason::ElementType, ElementType + " of " +
                                  std::to_string(F.Shape.ElementBytes) +
                                  " bytes");
  if (holdsLongDouble(Element))
    Note(Reason::TranslationUnitsDiffer,
         "'long double' has another size for the host");
  if (!endsSilently(Element))
    Note(Reason::ClassLifetime, ElementType);
  if (F.Shape.Extents.size() > MostDimensions)
    Note(Reason::TooManyDimensions);
}
