//===-- FunctionTexts.cpp - what copies of functions need -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version of a kernel can call versions of its functions: copies with another
// name, whose blocks are those of the kernel (plan/FunctionCopies.h). Here it
// is read which functions lead to per-thread arrays, by which names they call
// each other, and what stands against a second definition of each:
//
//     __device__ int rounds(const int *w) { int t[16]; ... }
//     static __device__ int rounds_striped(const int *w) { ... }
//
// A call that no name spells, as of a constructor or an operator, keeps all
// that it leads to as it is. Of linked device code, other units know what a
// function that is only declared here leads to.
//
//===----------------------------------------------------------------------===//

#include "find/FunctionTexts.h"
#include "find/KernelFacts.h"
#include "find/Versions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace bankstripe;
using namespace clang;

// The text of the own name of Declared at Loc, where it was found as Found.
// Invalid where it is known by another, comes from a macro, or was made visible
// by a using-declaration for this name alone.
static TextRange ownName(const NamedDecl *Declared, const NamedDecl *Found,
                         SourceLocation Loc, const SourceText &Text) {
  // The name of a template's parameter may stand for it.
  if (isa<UsingShadowDecl>(Found) || !Declared->getIdentifier() ||
      Text.written(Loc) != Declared->getName().str())
    return {};
  return Text.writtenRange(Loc).value_or(TextRange());
}

/// What makes a function one for the host, of which copies are none.
static constexpr StringRef Host = "__host__";

namespace {

/// A function that is named in a body.
struct Mention {
  const FunctionDecl *Named = nullptr; ///< The definition, as it is written.
  TextRange Name; ///< Invalid where no other name can stand there.
  SourceLocation Loc;
  bool IsCall = true;
};

/// One run of readFunctionTexts.
class CallReader {
public:
  CallReader(const llvm::DenseSet<const FunctionDecl *> &Holders,
             BodyIndexCache &Bodies, const SourceText &Text,
             llvm::function_ref<bool(StringRef)> MayEdit)
      : Bodies(Bodies), Text(Text), MayEdit(MayEdit) {
    for (const FunctionDecl *Holder : Holders)
      Leading.insert(Holder);
  }

  void readBody(const FunctionDecl *Function);
  std::vector<FunctionText> texts();

private:
  void addMention(const FunctionDecl *By, const NamedDecl *Declared,
                  const NamedDecl *Found, SourceLocation Loc, bool IsCall);
  bool isBefore(const FunctionDecl *Named, const FunctionDecl *By,
                SourceLocation Loc) const;
  std::string repeated(const FunctionDecl *Declared,
                       const FunctionDecl *By) const;
  std::set<std::string> declarationsFor(const Mention &M,
                                        const FunctionDecl *By) const;
  std::string problemOf(const Mention &M, const FunctionDecl *By) const;
  std::vector<NamedCall> callsOf(const FunctionDecl *By) const;
  std::string problemOf(const FunctionDecl *Definition,
                        const std::optional<TextRange> &Whole) const;
  FunctionText textOf(const FunctionDecl *Definition) const;

  BodyIndexCache &Bodies;
  const SourceText &Text;
  llvm::function_ref<bool(StringRef)> MayEdit;
  /// Functions that hold arrays, or lead to some.
  llvm::SetVector<const FunctionDecl *> Leading;
  llvm::MapVector<const FunctionDecl *, std::vector<Mention>> Mentions;
};

} // namespace

static const FunctionDecl *writtenDefinition(const FunctionDecl *Function) {
  const FunctionDecl *Pattern = patternOf(Function);
  const FunctionDecl *Definition = nullptr;
  return Pattern->hasBody(Definition) ? Definition : Pattern;
}

static bool isForDevice(const FunctionDecl *Function) {
  return Function->hasAttr<CUDADeviceAttr>() ||
         Function->hasAttr<CUDAGlobalAttr>();
}

// Whether a copy of it can be declared, and called, where it is.
static bool isLinked(const FunctionDecl *Function) {
  return isStrong(Function) && Function->hasAttr<CUDADeviceAttr>() &&
         !Function->isCXXClassMember();
}

static std::string symbolOf(const FunctionDecl *Function) {
  return ASTNameGenerator(Function->getASTContext()).getName(Function);
}

static bool isLinkedElsewhere(const FunctionDecl *Function) {
  return isLinked(Function) && !Function->hasBody();
}

void CallReader::addMention(const FunctionDecl *By, const NamedDecl *Declared,
                            const NamedDecl *Found, SourceLocation Loc,
                            bool IsCall) {
  const auto *Function = dyn_cast<FunctionDecl>(Declared);
  if (Function && !isOfSystem(Function) && !Function->getBuiltinID())
    Mentions[By].push_back(
        {writtenDefinition(Function),
         IsCall ? ownName(Declared, Found, Loc, Text) : TextRange(), Loc,
         IsCall});
}

// Whether Name calls the function. A pointer to it may get to other kernels.
static bool isCallee(const DeclRefExpr *Name, const BodyIndex &Body) {
  const auto *Call = dyn_cast_or_null<CallExpr>(
      Body.around<ParenExpr, ImplicitCastExpr>(Name));
  return Call && Call->getCallee()->IgnoreParenImpCasts() == Name;
}

void CallReader::readBody(const FunctionDecl *Function) {
  const BodyIndex *Body = Bodies.get(Function);
  if (!Body || !isForDevice(Function))
    return;
  const FunctionDecl *By = writtenDefinition(Function);
  for (const DeclRefExpr *Name : Body->FunctionReferences)
    addMention(By, Name->getDecl(), Name->getFoundDecl(), Name->getLocation(),
               isCallee(Name, *Body));
  for (const CallExpr *Call : Body->Calls)
    if (const auto *Member =
            dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts()))
      addMention(By, Member->getMemberDecl(), Member->getFoundDecl().getDecl(),
                 Member->getMemberLoc(), /*IsCall=*/true);
}

// Whether a copy behind the definition of Named would be known at Loc in By.
// The bodies in a class know all of it, and instances of templates what their
// arguments lead to, which may be declared behind Loc.
bool CallReader::isBefore(const FunctionDecl *Named, const FunctionDecl *By,
                          SourceLocation Loc) const {
  const SourceManager &SM = Text.sources();
  return Named == By || Named->isCXXClassMember() ||
         (Named->hasBody() &&
          SM.isBeforeInTranslationUnit(Named->getBody()->getEndLoc(), Loc)) ||
         llvm::all_of(Named->redecls(), [&](const FunctionDecl *Declared) {
           return SM.isBeforeInTranslationUnit(Loc, Declared->getLocation());
         });
}

// The text of Declared, which comes before By, as the declaration of a copy
// before a copy of By; empty if it would mean something else there.
std::string CallReader::repeated(const FunctionDecl *Declared,
                                 const FunctionDecl *By) const {
  const DeclContext *Scope = Declared->getLexicalDeclContext();
  const SourceLocation Begin = Declared->getBeginLoc(), Here = By->getEndLoc();
  const auto Whole = definitionText(Declared, Text);
  if (!Whole || !Scope->isFileContext() ||
      !Text.sources().isBeforeInTranslationUnit(Begin, By->getBeginLoc()))
    return "";
  const auto Next = Text.next(Declared->getEndLoc());
  std::string Code = Text.text(*Whole, Declared->getLocation()).str();
  auto BeginsThere = [&](const Decl *D) { return D->getBeginLoc() == Begin; };
  auto ChangesBefore = [&](const IdentifierInfo &Name) {
    return !Text.isSameMacro(Name.getName(), Begin, Here);
  };
  const bool ForHost = StringRef(Code).contains(Host);
  if (!Next || Next->isNot(tok::semi) ||
      ForHost != Declared->hasAttr<CUDAHostAttr>() ||
      (Declared->getStorageClass() == SC_Extern && !isLinked(Declared)) ||
      !whyNotTwice(Code, *Whole, Text).empty() ||
      Text.anyIdentifier(Code, ChangesBefore) ||
      llvm::count_if(Scope->decls(), BeginsThere) > 1)
    return "";
  auto Insert = [&](SourceLocation Loc, StringRef Added) {
    Code.insert(Text.point(Loc).Offset - Whole->Offset, Added);
  };
  Insert(Declared->getLocation().getLocWithOffset(Declared->getName().size()),
         VersionEnding);
  if (Declared->getStorageClass() != SC_Static && !isLinked(Declared))
    Insert(Begin, "static ");
  for (size_t At; (At = Code.find(Host)) != std::string::npos;)
    Code.erase(At, Host.size() + (Code[At + Host.size()] == ' '));
  return Code + ";";
}

// What declares a copy of what M calls in By before By, in whose scope that is
// or a namespace of it; nothing where it needs no declaration or can have none.
std::set<std::string>
CallReader::declarationsFor(const Mention &M, const FunctionDecl *By) const {
  if (isBefore(M.Named, By, M.Loc) ||
      (!M.Named->hasBody() && !isLinked(M.Named)))
    return {};
  std::string Opening, Closing;
  for (const DeclContext *Scope = M.Named->getDeclContext()->getRedeclContext();
       !By->getLexicalDeclContext()->Equals(Scope);
       Scope = Scope->getParent()) {
    const auto *Space = dyn_cast<NamespaceDecl>(Scope);
    if (!Space)
      return {};
    Opening = ("namespace " + Space->getName() + " { " + Opening).str();
    Closing += " }";
  }
  for (const FunctionDecl *Declared : M.Named->redecls())
    if (std::string Code = repeated(Declared, By); !Code.empty())
      return {(llvm::Twine(Opening) + Code + Closing).str()};
  return {};
}

// Why no name of a copy can stand where M is in By; empty if one can.
std::string CallReader::problemOf(const Mention &M,
                                  const FunctionDecl *By) const {
  const std::string Who = "'" + By->getQualifiedNameAsString() + "'";
  if (!M.IsCall)
    return "its address is taken in " + Who;
  if (!M.Name.isValid())
    return Who + " calls it without its name";
  if (M.Name.File != Text.file(By->getLocation()))
    return Who + " calls it in a file that it includes";
  return isBefore(M.Named, By, M.Loc) || !declarationsFor(M, By).empty()
             ? ""
             : Who + " calls it before its definition";
}

std::vector<NamedCall> CallReader::callsOf(const FunctionDecl *By) const {
  const auto *const Known = Mentions.find(By);
  if (Known == Mentions.end())
    return {};
  using NameAndProblem = std::pair<TextRange, std::string>;
  struct Called {
    std::set<Place> Here;
    std::set<std::string> Elsewhere, Declarations;
    bool Leads = false;
  };
  std::map<NameAndProblem, Called> ByName;
  for (const Mention &M : Known->second) {
    const std::string Problem = problemOf(M, By);
    if (!Leading.contains(M.Named) && !Problem.empty())
      continue;
    Called &C = ByName[{Problem.empty() ? M.Name : TextRange(), Problem}];
    C.Leads |= Leading.contains(M.Named);
    if (isLinkedElsewhere(M.Named))
      C.Elsewhere.insert(symbolOf(M.Named));
    else
      C.Here.insert(Text.place(M.Named->getLocation()));
    if (Problem.empty())
      C.Declarations.merge(declarationsFor(M, By));
  }
  std::vector<NamedCall> Calls;
  for (const auto &[Name, C] : ByName)
    if (C.Leads)
      Calls.push_back({Name.first,
                       {C.Here.begin(), C.Here.end()},
                       Name.second,
                       C.Declarations,
                       C.Elsewhere});
  return Calls;
}

// Whether it is declared in a class or namespace alone, as nothing but a member
// of that.
static bool isPlainlyDeclared(const FunctionDecl *Definition) {
  for (const DeclContext *Scope = Definition->getLexicalDeclContext(); Scope;
       Scope = Scope->getLexicalParent())
    if (Scope->isFunctionOrMethod())
      return false;
  return !Definition->getQualifierLoc() && !Definition->isExternC() &&
         llvm::all_of(Definition->redecls(), [](const FunctionDecl *Other) {
           return Other->getFriendObjectKind() == Decl::FOK_None;
         });
}

// Why another name cannot stand for it wherever it is called; empty if it can.
static std::string whyNotCalledByName(const FunctionDecl *Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  if (isa<CXXConstructorDecl, CXXDestructorDecl>(Function))
    return "it is a constructor or a destructor";
  if (!Function->getIdentifier())
    return Method && Method->getParent()->isLambda()
               ? "it is the body of a lambda"
               : "it is an operator";
  if (Method && Method->isVirtual())
    return "it is virtual";
  if (Function->isFunctionTemplateSpecialization() ||
      Function->getTemplateSpecializationKind() != TSK_Undeclared)
    return "it is a specialization of a template";
  return "";
}

// A variable that all calls of a function share would be two.
static const VarDecl *sharedVariable(const BodyIndex &Body) {
  for (auto [Variable, Declared] : Body.Variables)
    if (isChangedByAllCalls(*Variable) ||
        (isShared(*Variable) && !Variable->hasExternalStorage()))
      return Variable;
  return nullptr;
}

std::string CallReader::problemOf(const FunctionDecl *Definition,
                                  const std::optional<TextRange> &Whole) const {
  const ASTContext &Context = Text.context();
  if (!Whole || Text.isIncludedInside(Definition->getLocation()))
    return "a macro or a directive gives a part of it";
  if (std::string Why = whyNotCalledByName(Definition); !Why.empty())
    return Why;
  if (!isPlainlyDeclared(Definition) || hasDefaultsElsewhere(Definition))
    return "a declaration of it says more";
  if (!MayEdit(Whole->File))
    return "it is outside the given paths";
  if (Definition->isCXXClassMember() && Definition->isExternallyVisible() &&
      Context.getLangOpts().GPURelocatableDeviceCode)
    return "other files may have another copy of it";
  if (Definition->getDeclaredReturnType()->getContainedDeducedType())
    return "its type is deduced";
  if (const VarDecl *Shared = sharedVariable(*Bodies.get(Definition)))
    return "its calls share '" + Shared->getNameAsString() + "'";
  if (Context.Idents.find(versionName(Definition->getName())) !=
      Context.Idents.end())
    return "the name of its copy is taken";
  const StringRef Code = Text.text(*Whole, Definition->getLocation());
  if (Definition->hasAttr<CUDAHostAttr>() &&
      !Code.take_until([](char C) { return C == '{'; }).contains(Host))
    return "a macro makes it one for the host as well";
  return whyNotTwice(Code, *Whole, Text);
}

FunctionText CallReader::textOf(const FunctionDecl *Definition) const {
  FunctionText Result;
  Result.Where = Text.place(Definition->getLocation());
  if (isLinked(Definition))
    Result.Symbol = symbolOf(Definition);
  Result.Title = Definition->getQualifiedNameAsString();
  Result.Calls = callsOf(Definition);
  if (Definition->hasAttr<CUDAGlobalAttr>()) {
    Result.Problem = "it is a kernel";
    return Result;
  }
  std::string Directives;
  const auto Whole = definitionText(Definition, Text, &Directives);
  Result.Definition = Whole.value_or(TextRange());
  Result.Problem = problemOf(Definition, Whole);
  if (Result.Problem.empty())
    Result.Problem = Directives;
  if (!Result.Problem.empty())
    return Result;
  Result.Name = Text.point(Definition->getLocation());
  Result.Name.Length = Definition->getName().size();
  Result.MayBeReadForHost = Text.mayBeReadForHost(Definition);
  if (!Definition->isCXXClassMember() && !isLinked(Definition) &&
      Definition->getStorageClass() != SC_Static)
    Result.StaticPlace = Text.point(Definition->getBeginLoc());
  return Result;
}

std::vector<FunctionText> CallReader::texts() {
  llvm::DenseMap<const FunctionDecl *, std::vector<const FunctionDecl *>> By;
  for (const auto &[Function, Named] : Mentions)
    for (const Mention &M : Named)
      By[M.Named].push_back(Function);
  for (const auto &[Named, Callers] : By)
    if (isLinkedElsewhere(Named))
      Leading.insert(Named);
  for (unsigned I = 0; I < Leading.size(); ++I)
    for (const FunctionDecl *Caller : By.lookup(Leading[I]))
      Leading.insert(Caller);
  std::vector<FunctionText> Result;
  for (const FunctionDecl *Function : Leading)
    if (!isLinkedElsewhere(Function))
      Result.push_back(textOf(Function));
  llvm::sort(Result, [](const FunctionText &A, const FunctionText &B) {
    return A.Where < B.Where;
  });
  return Result;
}

std::vector<FunctionText> bankstripe::readFunctionTexts(
    llvm::ArrayRef<const FunctionDecl *> Functions,
    const llvm::DenseSet<const FunctionDecl *> &Holders, BodyIndexCache &Bodies,
    const SourceText &Text, llvm::function_ref<bool(StringRef)> MayEdit) {
  CallReader Reader(Holders, Bodies, Text, MayEdit);
  if (Holders.empty() && !Text.language().GPURelocatableDeviceCode)
    return {};
  for (const FunctionDecl *Function : Functions)
    if (!Function->isDependentContext() && !isOfSystem(Function))
      Reader.readBody(Function);
  return Reader.texts();
}
