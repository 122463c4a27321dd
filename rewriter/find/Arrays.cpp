//===-- Arrays.cpp - private arrays of one function -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Lex/Lexer.h"
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

static bool isSupportedElement(QualType Element, uint64_t Bytes) {
  bool Size =
      Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;
  return Size && (Element->isArithmeticType() || Element->isEnumeralType() ||
                  Element->isPointerType() || isVectorType(Element));
}

// All-zero bits are not asked for, only values that value-initialisation of
// the element would give too.
static bool isZero(const Expr *Init, ASTContext &Context) {
  if (isa<ImplicitValueInitExpr>(Init))
    return true;
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (const Expr *Filler = List->getArrayFiller();
        Filler && !isZero(Filler, Context))
      return false;
    return llvm::all_of(List->inits(),
                        [&](const Expr *E) { return isZero(E, Context); });
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Init))
    return Construct->requiresZeroInitialization();
  Expr::EvalResult Result;
  if (Init->isValueDependent() || !Init->EvaluateAsRValue(Result, Context) ||
      Result.HasSideEffects)
    return false;
  const APValue &Value = Result.Val;
  return (Value.isInt() && Value.getInt().isZero()) ||
         (Value.isFloat() && Value.getFloat().isPosZero()) ||
         (Value.isLValue() && Value.isNullPointer());
}

// `"abc"` may stand for a whole row, and then is no list of values.
static bool holdsString(const Expr *Init) {
  if (const auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens()))
    return llvm::any_of(List->inits(), holdsString);
  // One that has decayed is a pointer's value.
  return isa<StringLiteral>(Init->IgnoreParens());
}

// What the initialiser does; false when it is no plain braced list.
static bool readInitializer(Finding &F, const VarDecl *Variable,
                            ASTContext &Context, bool &IsConstant) {
  const Expr *Init = Variable->getInit();
  if (!Init)
    return true;
  Init = Init->IgnoreImplicit();
  // The trivial constructor of a vector element is no initialiser at all.
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Init);
      Construct && Construct->getConstructor()->isTrivial() &&
      !Construct->requiresZeroInitialization() &&
      Variable->getInitStyle() == VarDecl::CallInit)
    return true;
  const auto *List = dyn_cast<InitListExpr>(Init);
  if (!List || holdsString(List)) {
    F.Init = InitializerKind::List;
    return false;
  }
  F.Init =
      isZero(List, Context) ? InitializerKind::Zero : InitializerKind::List;
  IsConstant = !Init->isValueDependent() &&
               Init->isConstantInitializer(Context, /*ForRef=*/false);
  return true;
}

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

// Facts of the type: element, extents, sizes.
static void readType(Finding &F, const VarDecl *Variable, ASTContext &Context,
                     const SourceText &Text) {
  auto Refuse = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back(
        {Why, Text.place(Variable->getLocation()), std::move(Detail)});
  };
  QualType Type = Variable->getType();
  F.Type = Type.getAsString(Context.getPrintingPolicy());
  if (Type->isDependentType() || Type->isIncompleteType())
    return; // In a template that nobody instantiated: InTemplate says so.
  F.BytesPerThread = Context.getTypeSizeInChars(Type).getQuantity();
  if (!Type->isArrayType()) {
    F.ElementType = F.Type;
    F.ElementBytes = F.BytesPerThread;
    return Refuse(Reason::ClassObject, F.Type);
  }
  QualType Element = Type;
  while (const auto *Array = Context.getAsConstantArrayType(Element)) {
    F.Extents.push_back(Array->getLimitedSize());
    Element = Array->getElementType();
  }
  F.ElementType =
      Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  F.ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
  Qualifiers Quals = Context.getBaseElementType(Type).getQualifiers();
  if (Quals.hasConst() || Quals.hasVolatile() || Variable->isConstexpr())
    Refuse(Reason::QualifiedType, Quals.hasVolatile() ? "volatile" : "const");
  if (!isSupportedElement(Element.getCanonicalType().getUnqualifiedType(),
                          F.ElementBytes))
    Refuse(Reason::ElementType,
           F.ElementType + " of " + std::to_string(F.ElementBytes) + " bytes");
  if (F.Extents.size() > 2)
    Refuse(Reason::TooManyDimensions);
  if (Variable->hasAttrs())
    for (const Attr *A : Variable->attrs())
      if (!A->isImplicit())
        Refuse(Reason::OverAligned, A->getSpelling());
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
  Token Tok;
  tok::TokenKind Previous = tok::unknown;
  while (!Raw.LexFromRawLexer(Tok) &&
         SM.getFileOffset(Tok.getLocation()) < EndOffset) {
    bool IsMember = Previous == tok::period || Previous == tok::arrow ||
                    Previous == tok::coloncolon;
    if (Tok.is(tok::raw_identifier) && Tok.getRawIdentifier() == Name &&
        !IsMember && !Known.contains(Tok.getLocation())) {
      F.Obstacles.push_back(
          {Reason::SkippedCode, Text.place(Tok.getLocation()), ""});
      return;
    }
    Previous = Tok.getKind();
  }
}

static void readUses(Finding &F, const VarDecl *Variable, const BodyIndex &Body,
                     UseClassifier &Classifier) {
  auto It = Body.References.find(Variable);
  if (It == Body.References.end())
    return;
  for (const DeclRefExpr *Reference : It->second) {
    auto Result = Classifier.classify(Reference, Body);
    if (auto *Problem = std::get_if<Obstacle>(&Result)) {
      F.Obstacles.push_back(std::move(*Problem));
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

// Context that no later stage could see any more.
static void readContext(Finding &F, const VarDecl *Variable,
                        const FunctionDecl *Function, const SourceText &Text) {
  Place Where = Text.place(Variable->getLocation());
  auto Refuse = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back({Why, Where, std::move(Detail)});
  };
  const auto *Owner = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Owner);
  if (!Owner || (Method && Method->getParent()->isLambda()))
    Refuse(Reason::InLambda);
  else if (Owner != Function) // A method of a class in the body.
    Refuse(Reason::InDeviceFunction, Owner->getQualifiedNameAsString());
  else if (Function->isTemplateInstantiation() ||
           Function->isDependentContext())
    Refuse(Reason::InTemplate, F.Function);
  else if (!Function->hasAttr<CUDAGlobalAttr>())
    Refuse(Reason::InDeviceFunction, F.Function);
}

Finding bankstripe::findArray(const VarDecl *Variable,
                              const DeclStmt *Statement,
                              const FunctionDecl *Function,
                              const BodyIndex &Body, ASTContext &Context,
                              const SourceText &Text,
                              UseClassifier &Classifier) {
  Finding F;
  F.Name = Variable->getNameAsString();
  F.Where = Text.place(Variable->getLocation());
  F.Function = Function->getQualifiedNameAsString();
  if (!Function->isDependentContext())
    F.FunctionId = ASTNameGenerator(Context).getName(Function);
  F.InKernel = Function->hasAttr<CUDAGlobalAttr>();

  auto Spelled = Text.spelled(Variable->getLocation());
  if (Spelled && hasNolint(*Spelled, Text))
    F.Obstacles.push_back({Reason::Nolint, F.Where, ""});
  readContext(F, Variable, Function, Text);
  readType(F, Variable, Context, Text);
  if (!Variable->getType()->isArrayType() ||
      Variable->getType()->isDependentType())
    return F; // Class objects are used by member, which is not looked at yet.

  bool ConstantInit = false;
  if (!readInitializer(F, Variable, Context, ConstantInit))
    F.Obstacles.push_back({Reason::Initializer, F.Where, ""});
  readDeclaration(F, Variable, Statement, Body, Text);
  const size_t BeforeUses = F.Obstacles.size();
  readUses(F, Variable, Body, Classifier);
  checkUnseenNames(F, Variable, Function, Body, Text);
  // A use that is an obstacle may write, unless the type forbids that.
  const bool IsConst =
      Context.getBaseElementType(Variable->getType()).isConstQualified();
  const bool OnlyRead = !F.Uses.empty() && F.Obstacles.size() == BeforeUses &&
                        llvm::all_of(F.Uses, [](const Use &U) {
                          return U.Access == AccessKind::Read;
                        });
  F.NeverWritten = ConstantInit &&
                   (OnlyRead || (IsConst && Body.References.count(Variable)));
  return F;
}
