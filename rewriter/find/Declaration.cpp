//===-- Declaration.cpp - a per-thread array's declaration ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every second per-thread array shares its statement with others, as in
//
//     float sum = 0, best[8] = {0}, *p;
//
// so the declaration is taken apart here into the stretches of text that an
// edit moves around: the specifiers, each declarator, and of the array's own
// declarator the name, the extents and the initialiser. All of them must be
// spelled in the file itself; macros are fine inside the specifiers, the
// extents and the initialiser, whose text is only copied.
//
//===----------------------------------------------------------------------===//

#include "find/Declaration.h"
#include "find/Initializer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

// An array, or one somewhere inside a class, its bases included.
static bool isOrHoldsArray(QualType Type, unsigned Depth = 0) {
  if (Type->isConstantArrayType())
    return true;
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition() || Depth > 8)
    return false;
  return llvm::any_of(Record->fields(),
                      [&](const FieldDecl *Field) {
                        return isOrHoldsArray(Field->getType(), Depth + 1);
                      }) ||
         llvm::any_of(Record->bases(), [&](const CXXBaseSpecifier &Base) {
           return isOrHoldsArray(Base.getType(), Depth + 1);
         });
}

bool bankstripe::isPrivateArray(const VarDecl *Variable) {
  if (isa<ParmVarDecl>(Variable) || !Variable->hasLocalStorage() ||
      Variable->hasAttr<CUDASharedAttr>() ||
      Variable->hasAttr<CUDAConstantAttr>() ||
      Variable->hasAttr<CUDADeviceAttr>())
    return false;
  QualType Type = Variable->getType();
  if (Type->isArrayType())
    return true;
  if (Type->isReferenceType() || Type->isPointerType())
    return false;
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record && !Record->isLambda() && isOrHoldsArray(Type) &&
         (!Variable->isImplicit() || Record->isAnonymousStructOrUnion());
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
  return Record && Record->hasDefinition() && canBeDefaultConstructed(Record) &&
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

static void readType(Finding &F, const VarDecl *Variable, ASTContext &Context,
                     const SourceText &Text) {
  auto Note = [&](Reason Why, std::string Detail = "") {
    F.Obstacles.push_back(
        {Why, Text.place(Variable->getLocation()), std::move(Detail)});
  };
  QualType Type = Variable->getType();
  F.Type = Type.getAsString(Context.getPrintingPolicy());
  if (Variable->isImplicit()) { // An anonymous union, named after its array.
    F.Type = "anonymous union";
    for (const FieldDecl *Field : Type->getAsRecordDecl()->fields())
      if (F.Name.empty() && isOrHoldsArray(Field->getType()))
        F.Name = Field->getNameAsString();
  }
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

namespace {

/// Takes one declaration statement apart.
class DeclarationReader {
public:
  DeclarationReader(Finding &F, const VarDecl *Variable,
                    const DeclStmt *Statement, const SourceText &Text)
      : F(F), Variable(Variable), Statement(Statement), Text(Text),
        SM(Text.sources()) {}

  /// The obstacle, if there is one.
  std::optional<Reason> read();

private:
  std::optional<Reason> readStatement();
  std::optional<Reason> readDeclarators();
  std::optional<Reason> readOwnDeclarator();

  /// Where \p Loc stands in the file when whole macros may stand for text.
  SourceLocation outside(SourceLocation Loc, bool AtEnd) const {
    return AtEnd ? SM.getExpansionRange(Loc).getEnd() : SM.getExpansionLoc(Loc);
  }
  TextRange between(unsigned Begin, unsigned End) const {
    return {Path, Begin, End - Begin};
  }
  unsigned offset(SourceLocation Loc) const { return SM.getFileOffset(Loc); }
  unsigned endOf(SourceLocation Loc) const {
    return offset(Loc) + Lexer::MeasureTokenLength(Loc, SM, Text.language());
  }

  Finding &F;
  const VarDecl *Variable;
  const DeclStmt *Statement;
  const SourceText &Text;
  const SourceManager &SM;
  std::string Path;
  SourceLocation SpecifiersEnd; ///< The last token of the specifiers.
};

} // namespace

// A word that still belongs to the specifiers. Of `long long` an instantiation
// only remembers the place of the first.
static bool isSpecifier(const Token &Tok) {
  static const llvm::StringSet<> Words = {"const",  "volatile", "unsigned",
                                          "signed", "long",     "short",
                                          "int",    "char",     "double"};
  return Tok.is(tok::raw_identifier) && Words.contains(Tok.getRawIdentifier());
}

std::optional<Reason> DeclarationReader::readStatement() {
  if (!Text.spelled(Variable->getLocation()) ||
      Variable->getLocation().isMacroID())
    return Reason::DeclarationInMacro;
  if (Variable->getStorageClass() != SC_None)
    return Reason::DeclaratorShape; // `register` excludes __shared__.
  SourceLocation Begin = outside(Statement->getBeginLoc(), false);
  SourceLocation End = Statement->getEndLoc();
  if (End.isMacroID() || !Begin.isFileID() ||
      SM.getFileID(Begin) != SM.getFileID(End) ||
      SM.getFileID(Begin) != SM.getFileID(Variable->getLocation()))
    return Reason::DeclarationInMacro;
  Path = Text.file(Begin);
  F.Text.Statement = between(offset(Begin), endOf(End));
  StringRef Written = Text.text(F.Text.Statement, SM.getFileID(Begin));
  if (!Written.ends_with(";"))
    return Reason::DeclarationPlace;
  // Another configuration would see another declaration.
  for (auto [Line, Rest] = Written.split('\n'); !Rest.empty();
       std::tie(Line, Rest) = Rest.split('\n'))
    if (Rest.ltrim(" \t").starts_with("#"))
      return Reason::DeclarationInMacro;

  // It may come to stand on more lines, and what follows it on others.
  const StringRef Buffer = Text.buffer(SM.getFileID(Begin));
  const size_t LineEnd = Buffer.find('\n', F.Text.Statement.end());
  if (Text.mentions(Buffer.slice(offset(Begin), LineEnd), "__LINE__"))
    return Reason::HiddenName;

  if (Variable->getType()->getContainedDeducedType())
    return Reason::DeclaratorShape; // `auto` cannot name its storage.
  TypeLoc Base = Variable->getTypeSourceInfo()->getTypeLoc();
  for (;;) {
    if (auto Array = Base.getAs<ArrayTypeLoc>())
      Base = Array.getElementLoc();
    else if (auto Pointer = Base.getAs<PointerTypeLoc>()) {
      // `POINTER a[4], b;` where the star is of `a` alone.
      if (Pointer.getStarLoc().isMacroID())
        return Reason::DeclarationInMacro;
      Base = Pointer.getPointeeLoc();
    } else if (auto Qualified = Base.getAs<QualifiedTypeLoc>())
      Base = Qualified.getUnqualifiedLoc();
    else
      break;
  }
  if (Base.getAs<ParenTypeLoc>() || Base.getAs<ReferenceTypeLoc>() ||
      Base.getAs<FunctionTypeLoc>())
    return Reason::DeclaratorShape;
  SpecifiersEnd = outside(Base.getEndLoc(), true);
  if (SpecifiersEnd.isInvalid() || offset(SpecifiersEnd) < offset(Begin))
    return Reason::DeclaratorShape;
  for (auto Tok = Text.next(SpecifiersEnd); Tok && isSpecifier(*Tok);
       Tok = Text.next(SpecifiersEnd))
    SpecifiersEnd = Tok->getLocation();
  F.Text.Specifiers = between(offset(Begin), endOf(SpecifiersEnd));
  // They are repeated behind names that the statement declares.
  for (const Decl *D : Statement->decls())
    if (const auto *Declared = dyn_cast<VarDecl>(D);
        Declared &&
        Text.mentions(Buffer.slice(offset(Begin), F.Text.Specifiers.end()),
                      Declared->getName()))
      return Reason::HiddenName;
  return std::nullopt;
}

std::optional<Reason> DeclarationReader::readDeclarators() {
  SourceLocation Before = SpecifiersEnd;
  for (const Decl *D : Statement->decls()) {
    const auto *Declarator = dyn_cast<VarDecl>(D);
    if (!Declarator)
      return Reason::DeclaratorShape; // `struct S { ... } a[4];`
    auto First = Text.next(Before);
    SourceLocation Last = outside(Declarator->getEndLoc(), true);
    if (!First || !Last.isFileID() ||
        offset(Last) < offset(First->getLocation()))
      return Reason::DeclaratorShape;
    if (Declarator == Variable)
      F.Text.IndexInStatement = F.Text.AllDeclarators.size();
    F.Text.AllDeclarators.push_back(
        between(offset(First->getLocation()), endOf(Last)));
    // The separator: a comma, or the semicolon that ends the statement.
    auto Separator = Text.next(Last);
    bool IsLast = Declarator == *std::prev(Statement->decl_end());
    if (!Separator || !Separator->is(IsLast ? tok::semi : tok::comma))
      return Reason::DeclaratorShape;
    Before = Separator->getLocation();
  }
  return std::nullopt;
}

std::optional<Reason> DeclarationReader::readOwnDeclarator() {
  // From the innermost extent to the outermost, as written left to right.
  TypeLoc Loc = Variable->getTypeSourceInfo()->getTypeLoc();
  if (auto Qualified = Loc.getAs<QualifiedTypeLoc>())
    Loc = Qualified.getUnqualifiedLoc();
  SourceLocation Open, Close;
  for (auto Array = Loc.getAs<ArrayTypeLoc>(); Array;
       Array = Array.getElementLoc().getAs<ArrayTypeLoc>()) {
    if (Array.getLBracketLoc().isMacroID() ||
        Array.getRBracketLoc().isMacroID())
      return Reason::DeclarationInMacro;
    if (Open.isInvalid())
      Open = Array.getLBracketLoc();
    Close = Array.getRBracketLoc();
    StringRef Buffer = Text.buffer(SM.getFileID(Close));
    F.Text.ExtentTexts.push_back(
        Buffer.slice(endOf(Array.getLBracketLoc()), offset(Close))
            .trim()
            .str());
  }
  if (Open.isValid()) {
    const TextRange Extents = between(offset(Open), endOf(Close));
    // They are repeated behind the declarator, perhaps on another line.
    for (StringRef Name :
         {Variable->getName(), StringRef("__LINE__"), StringRef("__COUNTER__")})
      if (Text.mentions(Text.text(Extents, SM.getFileID(Open)), Name))
        return Reason::HiddenName;
  }
  const TextRange Declarator = F.Text.AllDeclarators[F.Text.IndexInStatement];
  F.Text.Name =
      between(offset(Variable->getLocation()), endOf(Variable->getLocation()));
  F.Text.Extents = Open.isValid()
                       ? between(offset(Open), endOf(Close))
                       : between(F.Text.Name.end(), F.Text.Name.end());
  F.Text.Declarator = between(Declarator.Offset, F.Text.Extents.end());
  StringRef Buffer = Text.buffer(SM.getFileID(Variable->getLocation()));
  StringRef Stars =
      Buffer.slice(Declarator.Offset, F.Text.Name.Offset).trim(" \t*");
  if (!Stars.empty() ||
      !Buffer.slice(F.Text.Name.end(), F.Text.Extents.Offset).trim().empty())
    return Reason::DeclaratorShape;

  // `Board a` or `Board a[4]` where Board is itself an array.
  const bool HidesExtents =
      !F.IsObject && F.Text.ExtentTexts.size() != F.Extents.size();
  if (F.Init == InitializerKind::None)
    return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
  F.Text.Initializer = between(F.Text.Extents.end(), Declarator.end());
  if (F.Init == InitializerKind::Construct)
    return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
  StringRef Init = Buffer.slice(F.Text.Extents.end(), Declarator.end());
  size_t Brace = Init.find('{');
  if (Brace == StringRef::npos || !Init.ends_with("}") ||
      Init.find_first_not_of(" \t\r\n=") != Brace)
    return Reason::Initializer;
  F.Text.Values = between(F.Text.Extents.end() + Brace, Declarator.end());
  return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
}

std::optional<Reason> DeclarationReader::read() {
  if (auto Problem = readStatement())
    return Problem;
  if (auto Problem = readDeclarators())
    return Problem;
  return readOwnDeclarator();
}

// Whether a label of a switch around Block stands in it, at any depth.
static bool isEnteredByCase(const Stmt *Block, const BodyIndex &Body) {
  return llvm::any_of(Body.SwitchCases, [&](const SwitchCase *Case) {
    const Stmt *S = Case;
    while (S && S != Block && !isa<SwitchStmt>(S))
      S = Body.parentOf(S);
    return S == Block;
  });
}

static void readText(Finding &F, const VarDecl *Variable,
                     const DeclStmt *Statement, const BodyIndex &Body,
                     const SourceText &Text) {
  // Only a statement of a block can become several statements.
  const Stmt *Parent = Statement ? Body.parentOf(Statement) : nullptr;
  std::optional<Reason> Problem;
  if (!Statement || !Parent || !isa<CompoundStmt>(Parent))
    Problem = Reason::DeclarationPlace;
  else
    Problem = DeclarationReader(F, Variable, Statement, Text).read();
  if (Problem)
    F.Obstacles.push_back({*Problem, F.Where, ""});
  // A jump may pass an uninitialised array, but no reference and no statement.
  if (Body.HasGoto)
    F.Obstacles.push_back({Reason::Goto, F.Where, ""});
  else if (Parent && isEnteredByCase(Parent, Body))
    F.Obstacles.push_back(
        {Reason::DeclarationPlace, F.Where, "a case label enters its block"});
}

// Statements that control enters and leaves as the text says.
static bool isStructured(const Stmt *S) {
  return isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt,
             SwitchCase, AttributedStmt, CXXForRangeStmt>(S);
}

// The block that Statement stands in; invalid where the lifetime of what it
// declares is not just that.
static TextRange scopeOf(const DeclStmt *Statement, const VarDecl *Variable,
                         const BodyIndex &Body, const SourceText &Text) {
  const auto *Function = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const auto *Block =
      Statement ? dyn_cast_or_null<CompoundStmt>(Body.parentOf(Statement))
                : nullptr;
  // A constructor or destructor is several functions in the IR.
  if (!Block || !Function ||
      isa<CXXConstructorDecl, CXXDestructorDecl>(Function) ||
      Block->getLBracLoc().isMacroID() || Block->getRBracLoc().isMacroID())
    return TextRange();
  const Stmt *Outermost = Block;
  for (const Stmt *S = Block; S; S = Body.parentOf(S)) {
    if (!isStructured(S))
      return TextRange();
    Outermost = S;
  }
  if (Outermost != Function->getBody())
    return TextRange();
  return Text.tokens(Block->getLBracLoc(), Block->getRBracLoc())
      .value_or(TextRange());
}

void bankstripe::readDeclaration(Finding &F, const VarDecl *Variable,
                                 const DeclStmt *Statement,
                                 const BodyIndex &Body, ASTContext &Context,
                                 const SourceText &Text) {
  readType(F, Variable, Context, Text);
  if (F.Instances.empty())
    return;
  if (Variable->isImplicit()) {
    F.Obstacles.push_back(
        {Reason::DeclaratorShape, F.Where, "an anonymous union"});
    return;
  }
  if (auto Problem = readInitializer(F, Variable, Context))
    F.Obstacles.push_back({Problem->Why, F.Where, Problem->Detail});
  readText(F, Variable, Statement, Body, Text);
  F.Scope = scopeOf(Statement, Variable, Body, Text);
}
