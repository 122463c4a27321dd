//===-- Types.cpp - the type of a private array --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

// An array somewhere inside a class, its bases included.
static bool holdsArray(const CXXRecordDecl *Record, unsigned Depth = 0) {
  if (!Record || !Record->hasDefinition() || Depth > 8)
    return false;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->getType()->isConstantArrayType())
      return true;
    if (holdsArray(Field->getType()->getAsCXXRecordDecl(), Depth + 1))
      return true;
  }
  return llvm::any_of(Record->bases(), [&](const CXXBaseSpecifier &Base) {
    return holdsArray(Base.getType()->getAsCXXRecordDecl(), Depth + 1);
  });
}

bool bankstripe::isPrivateArray(const VarDecl *Variable) {
  if (isa<ParmVarDecl>(Variable) || !Variable->hasLocalStorage() ||
      Variable->isImplicit() || Variable->hasAttr<CUDASharedAttr>() ||
      Variable->hasAttr<CUDAConstantAttr>() ||
      Variable->hasAttr<CUDADeviceAttr>())
    return false;
  QualType Type = Variable->getType();
  if (Type->isArrayType())
    return true;
  if (Type->isReferenceType() || Type->isPointerType())
    return false;
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record && !Record->isLambda() && holdsArray(Record);
}

// CUDA's vector types: char1 to double4, by their names.
static bool isVectorType(QualType Type) {
  const auto *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->getIdentifier())
    return false;
  StringRef Name = Record->getName();
  if (Name.empty() || Name.back() < '1' || Name.back() > '4')
    return false;
  if (!Record->hasDefinition() || !Record->isTrivial())
    return false; // Somebody's own class of that name.
  static const llvm::StringSet<> Bases = {
      "char", "uchar", "short",    "ushort",    "int",   "uint",
      "long", "ulong", "longlong", "ulonglong", "float", "double"};
  return Bases.contains(Name.drop_back());
}

// Whether elements of this type can stand apart: nothing but their bytes makes
// them up, and whole words of a bank hold them.
static bool isStripeElement(QualType Element, uint64_t Bytes,
                            ASTContext &Context) {
  if (Element->isArithmeticType() || Element->isEnumeralType() ||
      Element->isPointerType())
    return Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;
  if (isVectorType(Element))
    return Bytes == 2 || Bytes % 4 == 0;
  const auto *Record = Element->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() &&
         Record->hasTrivialDefaultConstructor() &&
         Element.isTriviallyCopyableType(Context) && Bytes % 4 == 0;
}

// Whether objects of the class \p Element end without any code.
static bool endsSilently(QualType Element) {
  const auto *Record = Element->getAsCXXRecordDecl();
  return !Record || (Record->hasDefinition() && Record->hasTrivialDestructor());
}

// Whether the element's type is spelled with a template parameter. All pointers
// are of one size.
static bool isDependentlyTyped(const VarDecl *Variable) {
  const auto *Function = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const FunctionDecl *Pattern =
      Function ? Function->getTemplateInstantiationPattern() : nullptr;
  if (!Pattern)
    return false;
  // The pattern's variable is found by its place, which instances share.
  for (const Decl *D : Pattern->decls())
    if (const auto *Other = dyn_cast<VarDecl>(D);
        Other && Other->getLocation() == Variable->getLocation()) {
      QualType Element = Other->getType();
      while (const auto *Array = Element->getAsArrayTypeUnsafe())
        Element = Array->getElementType();
      return Element->isDependentType() && !Element->isAnyPointerType();
    }
  return true;
}

void bankstripe::readType(Finding &F, const VarDecl *Variable,
                          ASTContext &Context, const SourceText &Text) {
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back(
        {Why, Text.place(Variable->getLocation()), std::move(Detail)});
  };
  QualType Type = Variable->getType();
  F.Type = Type.getAsString(Context.getPrintingPolicy());
  F.IsObject = !Type->isArrayType();
  if (Type->isDependentType() || Type->isIncompleteType())
    return; // In a template that nobody instantiated: NotInstantiated says so.
  ArrayInstance Instance;
  Instance.BytesPerThread = Context.getTypeSizeInChars(Type).getQuantity();
  Instance.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
  QualType Element = Type;
  while (const auto *Array = Context.getAsConstantArrayType(Element)) {
    Instance.Extents.push_back(Array->getLimitedSize());
    Element = Array->getElementType();
  }
  const std::string ElementType =
      Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  Instance.ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
  F.ElementDependent = isDependentlyTyped(Variable);
  F.ElementBytes = Instance.ElementBytes;
  F.Extents = Instance.Extents;
  F.BytesPerThread = Instance.BytesPerThread;
  F.Instances.push_back(std::move(Instance));

  Qualifiers Quals = Context.getBaseElementType(Type).getQualifiers();
  F.HasConst = Quals.hasConst() || Variable->isConstexpr();
  if (Quals.hasVolatile())
    Note(Reason::QualifiedType, "volatile");
  if (F.IsObject)
    Note(Reason::ClassObject, F.Type);
  else if (!isStripeElement(Element.getCanonicalType().getUnqualifiedType(),
                            F.ElementBytes, Context))
    Note(Reason::ElementType,
         ElementType + " of " + std::to_string(F.ElementBytes) + " bytes");
  if (!endsSilently(Element))
    Note(Reason::ClassLifetime, ElementType);
  if (F.Extents.size() > MostDimensions)
    Note(Reason::TooManyDimensions);
  if (Variable->hasAttrs())
    for (const Attr *A : Variable->attrs())
      if (!A->isImplicit())
        Note(Reason::OverAligned, A->getSpelling());
}
