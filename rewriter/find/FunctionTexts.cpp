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
// that it leads to as it is.
//
//===----------------------------------------------------------------------===//

#include "find/FunctionTexts.h"
#include "find/KernelFacts.h"
#include "find/Versions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace bankstripe;
using namespace clang;

TextRange bankstripe::ownName(const NamedDecl *Declared, const NamedDecl *Found,
                              SourceLocation Loc, const SourceText &Text) {
  // The name of a template's parameter may stand for it.
  if (isa<UsingShadowDecl>(Found) || !Declared->getIdentifier() ||
      Text.written(Loc) != Declared->getName().str())
    return {};
  return Text.writtenRange(Loc).value_or(TextRange());
}

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
// The bodies in a class know all of it.
bool CallReader::isBefore(const FunctionDecl *Named, const FunctionDecl *By,
                          SourceLocation Loc) const {
  return Named == By || Named->isCXXClassMember() ||
         (Named->hasBody() && Text.sources().isBeforeInTranslationUnit(
                                  Named->getBody()->getEndLoc(), Loc));
}

// Why no name of a copy can stand where M is in By; empty if one can.
std::string CallReader::problemOf(const Mention &M,
                                  const FunctionDecl *By) const {
  const std::string Who = "'" + By->getQualifiedNameAsString() + "'";
  if (!M.IsCall)
    return "its address is taken in " + Who;
  if (!M.Name.isValid())
    return Who + " calls it without its name";
  return isBefore(M.Named, By, M.Loc) ? ""
                                      : Who + " calls it before its definition";
}

std::vector<NamedCall> CallReader::callsOf(const FunctionDecl *By) const {
  const auto Known = Mentions.find(By);
  if (Known == Mentions.end())
    return {};
  using NameAndProblem = std::pair<TextRange, std::string>;
  std::map<NameAndProblem, std::set<Place>> ByName;
  std::set<NameAndProblem> Leads;
  for (const Mention &M : Known->second) {
    const std::string Problem = problemOf(M, By);
    const NameAndProblem Name = {Problem.empty() ? M.Name : TextRange(),
                                 Problem};
    if (Leading.contains(M.Named))
      Leads.insert(Name);
    if (Leading.contains(M.Named) || Problem.empty())
      ByName[Name].insert(Text.place(M.Named->getLocation()));
  }
  std::vector<NamedCall> Calls;
  for (const NameAndProblem &Name : Leads)
    Calls.push_back(
        {Name.first,
         std::vector<Place>(ByName[Name].begin(), ByName[Name].end()),
         Name.second});
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
         llvm::all_of(Definition->redecls(), [&](const FunctionDecl *Other) {
           return Other->getFriendObjectKind() == Decl::FOK_None &&
                  Other->getStorageClass() != SC_Extern;
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
    if (isShared(*Variable)
            ? !Variable->hasExternalStorage()
            : Variable->isStaticLocal() && !Variable->isConstexpr() &&
                  !Variable->getType().isConstQualified())
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
  if (!MayEdit(Whole->File) || Text.mayBeReadForHost(Definition))
    return "its file is not for this compiler alone";
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
      !Code.take_until([](char C) { return C == '{'; }).contains("__host__"))
    return "a macro makes it one for the host as well";
  return whyNotTwice(Code, *Whole, Text);
}

FunctionText CallReader::textOf(const FunctionDecl *Definition) const {
  FunctionText Result;
  Result.Where = Text.place(Definition->getLocation());
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
  if (!Definition->isCXXClassMember() &&
      Definition->getStorageClass() != SC_Static)
    Result.StaticPlace = Text.point(Definition->getBeginLoc());
  return Result;
}

std::vector<FunctionText> CallReader::texts() {
  llvm::DenseMap<const FunctionDecl *, std::vector<const FunctionDecl *>> By;
  for (const auto &[Function, Named] : Mentions)
    for (const Mention &M : Named)
      By[M.Named].push_back(Function);
  for (unsigned I = 0; I < Leading.size(); ++I)
    for (const FunctionDecl *Caller : By.lookup(Leading[I]))
      Leading.insert(Caller);
  std::vector<FunctionText> Result;
  for (const FunctionDecl *Function : Leading)
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
  if (Holders.empty())
    return {};
  for (const FunctionDecl *Function : Functions)
    if (!Function->isDependentContext() && !isOfSystem(Function))
      Reader.readBody(Function);
  return Reader.texts();
}
