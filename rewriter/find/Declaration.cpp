//===-- Declaration.cpp - how arrays are declared -------------------------===//
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
#include "find/ArrayType.h"
#include "find/Constants.h"
#include "find/Initializer.h"
#include "find/Parameters.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

unsigned bankstripe::declaredAlignment(const VarDecl *Variable) {
  return Variable->getMaxAlignment() / Variable->getASTContext().getCharWidth();
}

// Whether the object that E names, or whose `this` it is, is indexed as if its
// members were an array: `(&v.x)[i]`.
static bool isIndexed(const Expr *E, const BodyIndex &Body) {
  const Stmt *Part = Body.outermost<ParenExpr, MemberExpr>(E);
  const auto *Address = dyn_cast_or_null<UnaryOperator>(Body.parentOf(Part));
  if (Address ? Address->getOpcode() != UO_AddrOf : !isa<CXXThisExpr>(Part))
    return false;
  const Stmt *Pointer =
      Body.outermost<ParenExpr, CastExpr>(Address ? Address : Part);
  const auto *Subscript =
      dyn_cast_or_null<ArraySubscriptExpr>(Body.parentOf(Pointer));
  return Subscript && Subscript->getBase() == Pointer &&
         !Subscript->getIdx()->isValueDependent() &&
         !constantOf(Subscript->getIdx(), Body.Context);
}

// The method that is called for the object that E names, or for a part of it.
static const CXXMethodDecl *methodCalledFor(const Expr *E,
                                            const BodyIndex &Body) {
  const Stmt *Object = E, *Parent = Body.parentOf(E);
  // What a pointer in the object points to is no part of it.
  auto IsPart = [](const Stmt *S) {
    const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(S);
    return Cast ? Cast->isGLValue() : isa_and_nonnull<ParenExpr, MemberExpr>(S);
  };
  for (; IsPart(Parent); Parent = Body.parentOf(Object))
    Object = Parent;
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  const bool IsFor =
      Call && Object == (isa<CXXOperatorCallExpr>(Call) ? Call->getArg(0)
                                                        : Call->getCallee());
  return IsFor ? dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee())
               : nullptr;
}

bool bankstripe::isIndexedObject(const VarDecl *Variable, const BodyIndex &Body,
                                 BodyIndexCache &Bodies) {
  return llvm::any_of(Body.references(Variable), [&](const DeclRefExpr *Named) {
    const BodyIndex *Method = Bodies.get(methodCalledFor(Named, Body));
    return isIndexed(Named, Body) ||
           (Method && llvm::any_of(Method->This, [&](const Expr *This) {
              return isIndexed(This, *Method);
            }));
  });
}

bool bankstripe::isPrivateArray(const VarDecl *Variable, const BodyIndex &Body,
                                BodyIndexCache &Bodies) {
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
  if (!Record || Record->isLambda())
    return false;
  return isOrHoldsArray(Type) || isIndexedObject(Variable, Body, Bodies);
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
  std::optional<Reason> readSpecifiers();
  bool readDefinition(const TagDecl *Defined, SourceLocation Begin);
  void readConst(StringRef Specifiers);
  void readAttributes();
  std::optional<Reason> readDeclarators();
  std::optional<Reason> readOwnDeclarator();
  Reason comesFromMacro(SourceLocation Loc) {
    F.Text.Macro = Text.macroUse(Loc);
    return Reason::DeclarationInMacro;
  }

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

std::optional<Reason> DeclarationReader::read() {
  if (Variable->getLocation().isMacroID())
    return comesFromMacro(Variable->getLocation());
  if (Variable->getStorageClass() != SC_None)
    return Reason::DeclaratorShape; // `register` excludes __shared__.
  const SourceLocation Begin = outside(Statement->getBeginLoc(), false);
  const SourceLocation End = Statement->getEndLoc();
  if (End.isMacroID() || !Begin.isFileID() ||
      SM.getFileID(Begin) != SM.getFileID(End) ||
      SM.getFileID(Begin) != SM.getFileID(Variable->getLocation()))
    return comesFromMacro(End);
  Path = Text.file(Begin);
  F.Text.Statement = between(offset(Begin), endOf(End));
  StringRef Written = Text.text(F.Text.Statement, Begin);
  if (!Written.ends_with(";"))
    return Reason::DeclarationPlace;
  // A pragma needs a line of its own, and edits join lines.
  if (Text.holdsDirective(Written, /*PragmasToo=*/true))
    return Reason::DeclarationInMacro;

  // What asks for its line must stay there, with all that the line holds.
  const StringRef Buffer = Text.buffer(Begin);
  const size_t LineEnd = Buffer.find('\n', F.Text.Statement.end());
  const StringRef Line = Buffer.slice(offset(Begin), LineEnd);
  F.Text.KeepsLine = Text.mentions(Line, "__LINE__");
  const bool IsOneLine = !Written.contains('\n') && !Written.contains("//");
  if (Text.counts(Written, F.Text.Statement) ||
      (F.Text.KeepsLine && !IsOneLine))
    return Reason::HiddenName;
  if (auto Problem = readSpecifiers())
    return Problem;
  return readDeclarators();
}

// Those in front of the specifiers stay there. An alignment is part of the
// statement: what moves needs none, as its slot is aligned, and what stays
// repeats it where the statement is split.
void DeclarationReader::readAttributes() {
  bool IsAligned = false;
  if (Variable->hasAttrs())
    for (const Attr *A : Variable->attrs()) {
      if (A->isImplicit())
        continue;
      const bool IsInFront =
          offset(outside(A->getLocation(), false)) < F.Text.Specifiers.Offset;
      const bool IsServed =
          isa<AlignedAttr>(A) && declaredAlignment(Variable) <= WidestVector;
      if (!IsInFront || !(isa<UnusedAttr>(A) || IsServed))
        F.Obstacles.push_back({Reason::OverAligned, F.Where, A->getSpelling()});
      IsAligned |= isa<AlignedAttr>(A);
    }
  if (!IsAligned)
    F.Text.Statement =
        between(F.Text.Specifiers.Offset, F.Text.Statement.end());
}

// The last token of the macro at Begin, if all of its text is an attribute of
// Declared; else an invalid location.
static SourceLocation endOfAttributeMacro(const VarDecl &Declared,
                                          SourceLocation Begin,
                                          const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  auto IsFromIt = [&](SourceLocation Loc) {
    return Loc.isMacroID() && SM.getExpansionLoc(Loc) == Begin;
  };
  if (!Declared.hasAttrs() || IsFromIt(Declared.getTypeSpecStartLoc()))
    return SourceLocation();
  for (const Attr *A : Declared.attrs())
    if (const SourceLocation Loc = A->getLocation(); IsFromIt(Loc)) {
      const SourceLocation End = SM.getExpansionRange(Loc).getEnd();
      const auto Whole = Text.tokens(Begin, End);
      // What else there can be has no place in the tree.
      static constexpr StringRef Known[] = {
          "__attribute__", "__attribute", "alignas",
          "aligned",       "__aligned__", "unused",
          "maybe_unused",  "__unused__",  "gnu"};
      auto IsOther = [](const IdentifierInfo &Word) {
        return !Word.hadMacroDefinition() &&
               !llvm::is_contained(Known, Word.getName());
      };
      return Whole && !Text.anyIdentifier(Text.text(*Whole, Begin), IsOther)
                 ? End
                 : SourceLocation();
    }
  return SourceLocation();
}

SourceLocation bankstripe::behindAttributes(const DeclStmt *Statement,
                                            const SourceText &Text) {
  const auto *First = dyn_cast<VarDecl>(*Statement->decl_begin());
  SourceLocation Begin = Text.sources().getExpansionLoc(
      First ? First->getBeginLoc() : Statement->getBeginLoc());
  const StringRef Buffer = Text.buffer(Begin);
  for (;;) {
    const StringRef Rest =
        Buffer.drop_front(Text.sources().getFileOffset(Begin));
    const StringRef Word =
        Rest.take_while([](char C) { return isAsciiIdentifierContinue(C); });
    SourceLocation End =
        First ? endOfAttributeMacro(*First, Begin, Text) : SourceLocation();
    if (llvm::is_contained({"__attribute__", "__attribute", "alignas"}, Word)) {
      // To the parenthesis that closes.
      unsigned Depth = 0;
      for (auto Tok = Text.next(Begin); Tok && End.isInvalid();
           Tok = Text.next(Tok->getLocation())) {
        Depth += Tok->is(tok::l_paren);
        Depth -= Tok->is(tok::r_paren);
        if (Depth == 0)
          End = Tok->getLocation();
      }
    }
    const auto Behind = End.isValid() ? Text.next(End) : std::nullopt;
    if (!Behind)
      return Begin;
    Begin = Behind->getLocation();
  }
}

// A name for the class of Variable that means it wherever Variable is declared;
// empty if there is none.
static std::string nameOf(const VarDecl &Variable) {
  const QualType Type = Variable.getType().getUnqualifiedType();
  const Decl *Class = Type->getAsCXXRecordDecl();
  for (; Class; Class = dyn_cast<CXXRecordDecl>(Class->getDeclContext()))
    if (Class->getDeclContext()->isFunctionOrMethod() ||
        Class->getAccess() == AS_private || Class->getAccess() == AS_protected)
      return "";
  const ASTContext &Context = Variable.getASTContext();
  const std::string Name = TypeName::getFullyQualifiedName(
      Type.getCanonicalType(), Context, Context.getPrintingPolicy(),
      /*WithGlobalNsPrefix=*/true);
  // `(lambda at ...)`, `(Color)1`.
  return StringRef(Name).contains('(') ? "" : Name;
}

// `struct Item { int x; } a[4];`: the class stays where it is, and gets a name
// if it has none. Whether that is possible.
bool DeclarationReader::readDefinition(const TagDecl *Defined,
                                       SourceLocation Begin) {
  const SourceRange Braces = Defined->getBraceRange();
  const auto *Class = dyn_cast<CXXRecordDecl>(Defined);
  const auto *First = dyn_cast<VarDecl>(*std::next(Statement->decl_begin()));
  const auto Behind = Text.next(Braces.getEnd());
  if (!Defined->isThisDeclarationADefinition() ||
      Braces.getBegin().isMacroID() || Braces.getEnd().isMacroID() ||
      Defined->getInnerLocStart() != Begin || !First || Variable->hasAttrs() ||
      !Behind || isSpecifier(*Behind))
    return false;
  SpecifiersEnd = Braces.getEnd();
  F.Text.Members = between(offset(Braces.getBegin()), endOf(SpecifiersEnd));
  F.Text.Type = Defined->getName();
  if (!F.Text.Type.empty())
    return true;
  const std::string Name = (First->getName() + "_type").str();
  F.Text.Type = Name;
  for (unsigned I = 2; Text.mayMean(F.Text.Type); ++I)
    F.Text.Type = Name + "_" + std::to_string(I);
  return Class && Class->getNumBases() == 0;
}

// Without the word the elements must not be const any more.
void DeclarationReader::readConst(StringRef Specifiers) {
  QualType Element = Variable->getType();
  while (const auto *Array = Element->getAsArrayTypeUnsafe())
    Element = Array->getElementType();
  if (Variable->isConstexpr() || !Element.isLocalConstQualified() ||
      Element.getLocalUnqualifiedType().isConstQualified())
    return;
  // Behind these it may be that of something else.
  const StringRef Plain = Specifiers.take_until(
      [](char C) { return C == '<' || C == '(' || C == '/'; });
  auto IsPartOfWord = [&](size_t At) {
    return At < Plain.size() && isAsciiIdentifierContinue(Plain[At]);
  };
  constexpr StringRef Word = "const";
  for (size_t At = Plain.find(Word); At != StringRef::npos;
       At = Plain.find(Word, At + 1))
    if (!IsPartOfWord(At - 1) && !IsPartOfWord(At + Word.size()))
      F.Text.Const = {Path, F.Text.Specifiers.Offset + unsigned(At),
                      unsigned(Word.size())};
}

// The specifiers of the type, and the attributes in front of them.
std::optional<Reason> DeclarationReader::readSpecifiers() {
  const SourceLocation Begin = behindAttributes(Statement, Text);
  if (const auto *Deduced = Variable->getType()->getContainedDeducedType()) {
    const auto *Auto = dyn_cast<AutoType>(Deduced);
    if (!F.ElementDependent && Auto && !Auto->isDecltypeAuto())
      F.Text.Type = nameOf(*Variable);
    if (F.Text.Type.empty())
      return Reason::DeclaratorShape;
  }
  TypeLoc Base = Variable->getTypeSourceInfo()->getTypeLoc();
  for (;;) {
    if (auto Array = Base.getAs<ArrayTypeLoc>())
      Base = Array.getElementLoc();
    else if (auto Pointer = Base.getAs<PointerTypeLoc>()) {
      // `POINTER a[4], b;` where the star is of `a` alone.
      if (Pointer.getStarLoc().isMacroID())
        return comesFromMacro(Pointer.getStarLoc());
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
  if (const auto *Defined = dyn_cast<TagDecl>(*Statement->decl_begin());
      Defined && !readDefinition(Defined, Begin))
    return Reason::DeclaratorShape;
  if (SpecifiersEnd.isInvalid() || offset(SpecifiersEnd) < offset(Begin))
    return Reason::DeclaratorShape;
  for (auto Tok = Text.next(SpecifiersEnd); Tok && isSpecifier(*Tok);
       Tok = Text.next(SpecifiersEnd))
    SpecifiersEnd = Tok->getLocation();
  F.Text.Specifiers = between(offset(Begin), endOf(SpecifiersEnd));
  const StringRef Written = Text.text(F.Text.Specifiers, Begin);
  // They are repeated behind names that the statement declares.
  const bool IsDefined = F.Text.Members.isValid();
  for (const Decl *D : Statement->decls())
    if (const auto *Declared = dyn_cast<VarDecl>(D);
        Declared && (IsDefined ? Declared->getName() == F.Text.Type
                               : Text.mentions(Written, Declared->getName())))
      return Reason::HiddenName;
  if (!IsDefined)
    readConst(Written);
  readAttributes();
  return std::nullopt;
}

std::optional<Reason> DeclarationReader::readDeclarators() {
  SourceLocation Before = SpecifiersEnd;
  for (const Decl *D :
       llvm::drop_begin(Statement->decls(), F.Text.Members.isValid())) {
    const auto *Declarator = dyn_cast<VarDecl>(D);
    if (!Declarator)
      return Reason::DeclaratorShape;
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
  return readOwnDeclarator();
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
      return comesFromMacro(Array.getRBracketLoc());
    if (Open.isInvalid())
      Open = Array.getLBracketLoc();
    Close = Array.getRBracketLoc();
    StringRef Buffer = Text.buffer(Close);
    F.Text.ExtentTexts.push_back(
        Buffer.slice(endOf(Array.getLBracketLoc()), offset(Close))
            .trim()
            .str());
  }
  if (Open.isValid()) {
    const TextRange Extents = between(offset(Open), endOf(Close));
    // They are repeated behind the declarator.
    if (Text.mentions(Text.text(Extents, Open), Variable->getName()))
      return Reason::HiddenName;
  }
  const TextRange Declarator = F.Text.AllDeclarators[F.Text.IndexInStatement];
  F.Text.Name =
      between(offset(Variable->getLocation()), endOf(Variable->getLocation()));
  F.Text.Extents = Open.isValid()
                       ? between(offset(Open), endOf(Close))
                       : between(F.Text.Name.end(), F.Text.Name.end());
  F.Text.Declarator = between(Declarator.Offset, F.Text.Extents.end());
  StringRef Buffer = Text.buffer(Variable->getLocation());
  StringRef Stars =
      Buffer.slice(Declarator.Offset, F.Text.Name.Offset).trim(" \t*");
  if (!Stars.empty() ||
      !Buffer.slice(F.Text.Name.end(), F.Text.Extents.Offset).trim().empty())
    return Reason::DeclaratorShape;

  if (F.Init != InitializerKind::None)
    F.Text.Initializer = between(F.Text.Extents.end(), Declarator.end());
  // Pointers that it declares would have to be edited where it moves to.
  if (anyPart(Variable->getInit(),
              [](const Stmt *Part) { return isa<StmtExpr>(Part); }))
    return Reason::Initializer;
  if (F.Init == InitializerKind::Zero || F.Init == InitializerKind::List) {
    StringRef Init = Buffer.slice(F.Text.Extents.end(), Declarator.end());
    const size_t First = Init.find_first_not_of(" \t\r\n=");
    // A string, also by a macro, needs but braces.
    const bool IsString =
        Init.ltrim().starts_with("=") &&
        isa<StringLiteral>(Variable->getInit()->IgnoreImplicit());
    if (!IsString &&
        (!Init.substr(First).starts_with("{") || !Init.ends_with("}")))
      return Reason::Initializer;
    F.Text.Values = between(F.Text.Extents.end() + First, Declarator.end());
  }
  // `Board a` or `Board a[4]` where Board is itself an array.
  if (!F.IsObject && F.Text.ExtentTexts.size() != F.Shape.Extents.size())
    return Reason::ArrayTypedef;
  return std::nullopt;
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

// Whether a jump may lead from elsewhere to behind Statement in Block. It may
// pass an uninitialised array, but no reference and no statement.
static bool isPassedByJump(const DeclStmt *Statement, const Stmt *Block,
                           const BodyIndex &Body, const SourceManager &SM) {
  auto IsBehind = [&](SourceLocation Loc) {
    return SM.isBeforeInTranslationUnit(Statement->getEndLoc(), Loc) &&
           SM.isBeforeInTranslationUnit(Loc, Block->getEndLoc());
  };
  return llvm::any_of(Body.Gotos, [&](const GotoStmt *Goto) {
    return !Goto || (IsBehind(Goto->getLabel()->getLocation()) &&
                     !IsBehind(Goto->getGotoLoc()));
  });
}

static void readSpelling(Finding &F, const VarDecl *Variable,
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
    F.Obstacles.push_back(
        {*Problem, F.Where,
         *Problem == Reason::DeclaratorShape &&
                 Variable->getType()->getContainedDeducedType()
             ? "'auto' is a class that has no other name here"
             : ""});
  else if (Text.isIncludedInside(Variable->getLocation()))
    F.Obstacles.push_back({Reason::DeclarationPlace, F.Where,
                           "its file is included inside another declaration"});
  if (Parent && isPassedByJump(Statement, Parent, Body, Text.sources()))
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
  if (!Block || !Function || !Body.Gotos.empty() ||
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

bool bankstripe::readDeclaration(Finding &F, const VarDecl *Variable,
                                 const DeclStmt *Statement,
                                 const BodyIndex &Body,
                                 const SourceText &Text) {
  readArrayType(F, Variable, Text);
  if (F.Instances.empty())
    return false;
  if (const auto *Parameter = dyn_cast<ParmVarDecl>(Variable)) {
    readParameter(F, Parameter, Text);
    return false;
  }
  const bool IsConstant = readInitializer(F, Variable, Text.context());
  readSpelling(F, Variable, Statement, Body, Text);
  F.Scope = scopeOf(Statement, Variable, Body, Text);
  return IsConstant;
}
