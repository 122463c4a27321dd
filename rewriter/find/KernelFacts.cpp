//===-- KernelFacts.cpp - kernels and the functions they reach ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its bounds, and the text that a row and a version beside it need. They stand
// in the scope of the kernel.
//
//===----------------------------------------------------------------------===//

#include "find/KernelFacts.h"
#include "find/Constants.h"
#include "find/Versions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"

using namespace bankstripe;
using namespace clang;

// The text of the bound can be repeated in the body when no name in it means
// something else there.
static std::string repeatable(const Expr *Bound, const FunctionDecl *Function,
                              const BodyIndex &Body, const SourceText &Text) {
  auto Written = Text.written(Bound->getSourceRange());
  const SourceRange Behind(
      Text.sources().getExpansionLoc(Bound->getEndLoc()),
      Text.sources().getExpansionLoc(Function->getEndLoc()));
  if (!Written || Written->find('\n') != std::string::npos ||
      Text.counts(Bound->getSourceRange()) ||
      Text.anyIdentifier(*Written, [&](const IdentifierInfo &Name) {
        return Body.LocalNames.contains(&Name) ||
               Text.isRedefined(Name, Behind);
      }))
    return "";
  return *Written;
}

// The attribute of a kernel that launch bounds cannot stand beside (CUDA
// programming guide, "Maximum number of registers per thread" and
// "__block_size__"). Clang does not know them, so they are looked for in the
// text, from the end of what is declared before.
static std::string excludesBounds(const FunctionDecl *Declared,
                                  const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  std::string Found;
  const SourceLocation NameLoc = SM.getExpansionLoc(Declared->getLocation());
  const unsigned NameAt = SM.getFileOffset(NameLoc);
  const StringRef Buffer = Text.buffer(NameLoc);
  const size_t Before = Buffer.take_front(NameAt).find_last_of(";{}");
  const size_t Begin = Before == StringRef::npos ? 0 : Before + 1;
  Text.anyIdentifier(Buffer.slice(Begin, Buffer.find_first_of(";{", NameAt)),
                     [&](const IdentifierInfo &Name) {
                       for (StringRef Each : std::initializer_list<StringRef>{
                                "__maxnreg__", "maxnreg", BlockSizeAttribute})
                         if (Name.isStr(Each))
                           Found = Each.str();
                       return !Found.empty();
                     });
  return Found;
}

static std::optional<LaunchBounds> readBounds(const FunctionDecl *Function,
                                              const BodyIndex &Body,
                                              const SourceText &Text) {
  // Any declaration can carry the attribute; it is inherited by later ones.
  const auto *Bounds = Function->getAttr<CUDALaunchBoundsAttr>();
  const Expr *Threads = Bounds ? Bounds->getMaxThreads() : nullptr;
  const auto Bound =
      Threads ? constantOf(Threads, Text.context()) : std::nullopt;
  if (!Bound || *Bound <= 0 || *Bound > 1024)
    return std::nullopt;
  const auto *Pattern = patternOf(Function)->getAttr<CUDALaunchBoundsAttr>();
  return LaunchBounds{
      static_cast<unsigned>(*Bound),
      Bounds->isInherited() ? std::string()
                            : repeatable(Threads, Function, Body, Text),
      whyNotFixed(Threads, Text.context()).empty(),
      !Pattern || Pattern->getMaxThreads()->isInstantiationDependent()};
}

static SourceLocation beginOf(const FunctionDecl *Declared) {
  const auto *Template = Declared->getDescribedFunctionTemplate();
  return Template ? Template->getBeginLoc() : Declared->getBeginLoc();
}

// What it stands in, without `extern "C" { }` around it.
static const DeclContext *scopeOf(const FunctionDecl *Declared) {
  const DeclContext *Scope = Declared->getLexicalDeclContext();
  while (isa<LinkageSpecDecl>(Scope))
    Scope = Scope->getLexicalParent();
  return Scope;
}

// The `extern "C"` that is of this declaration alone; null without one.
static const LinkageSpecDecl *ownLinkage(const FunctionDecl *Declared) {
  const auto *Linkage =
      dyn_cast<LinkageSpecDecl>(Declared->getLexicalDeclContext());
  return Linkage && !Linkage->hasBraces() ? Linkage : nullptr;
}

// The point before a declaration, with its template header.
static TextRange pointBefore(const FunctionDecl *Declared,
                             const SourceText &Text) {
  const LinkageSpecDecl *Linkage = ownLinkage(Declared);
  return Text.point(
      Linkage ? Text.sources().getExpansionLoc(Linkage->getExternLoc())
              : beginOf(Declared));
}

// What stands in Range, with what it includes in the place of each #include
// that would do the same there a second time; others stay.
static std::string readThrough(const TextRange &Range, SourceLocation Loc,
                               const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  const StringRef Buffer = Text.buffer(Loc);
  std::string Code;
  unsigned Done = Range.Offset;
  for (SourceLocation Start : Text.includedIn(SM.getFileID(Loc))) {
    const unsigned At = SM.getFileOffset(SM.getIncludeLoc(SM.getFileID(Start)));
    const StringRef Included = Text.buffer(Start);
    if (At < Range.Offset || At >= Range.end() ||
        Text.anyIdentifier(
            Included,
            [](const IdentifierInfo &Name) {
              return Name.getName().starts_with("include") ||
                     Name.isStr("static");
            }) ||
        !whyNotTwice(Included, {Text.file(Start), 0, unsigned(Included.size())},
                     Text)
             .empty())
      continue;
    Code += Buffer.slice(Done, Buffer.rfind('#', At));
    Code += ("\n" + Included + "\n").str();
    Done = At;
  }
  return Code + Buffer.slice(Done, Range.end()).str();
}

// What the preprocessor does in Code, which stands from Begin to End, that it
// would not do the same twice. It does so if macros are at the end what they
// were at the beginning; and one that is defined there once and for all, and is
// not used before, means the same when it is defined again.
static std::string readDirectives(StringRef Code, SourceRange Whole,
                                  const SourceText &Text) {
  std::string Problem, Seen;
  unsigned Depth = 0;
  bool AfterHash = false, Defines = false, IsPragma = false, InMacro = false;
  Text.forEachToken(Code, [&](const Token &Tok) {
    const bool Directive =
        std::exchange(AfterHash, Tok.is(tok::hash) && Tok.isAtStartOfLine());
    IsPragma &= !Tok.isAtStartOfLine();
    InMacro &= !Tok.isAtStartOfLine();
    if (Tok.isNot(tok::raw_identifier) || !Problem.empty())
      return;
    const StringRef Name = Tok.getRawIdentifier();
    IsPragma |= Directive && Name == "pragma";
    if (std::exchange(Defines, false) &&
        !Text.isSameMacro(Name, Whole.getBegin(), Whole.getEnd()) &&
        (!Text.isDefinedOnce(Name) || Text.mentions(Seen, Name)))
      Problem = (Name + " is another macro at its end").str();
    if (!InMacro)
      Seen += (" " + Name).str();
    if (IsPragma && (Name == "once" || Name.ends_with("_macro")))
      Problem = ("it mentions " + Name).str();
    else if (!Directive)
      return;
    else if (Name.starts_with("include"))
      Problem = "it has an #include";
    else if (Name == "define" || Name == "undef")
      Defines = InMacro = true;
    else if (Name.starts_with("if"))
      ++Depth;
    else if ((Name.starts_with("el") || Name == "endif") && Depth == 0)
      Problem = ("it begins before an #" + Name).str();
    else if (Name == "endif")
      --Depth;
  });
  return Problem.empty() && Depth ? "it ends inside an #if" : Problem;
}

std::optional<TextRange>
bankstripe::definitionText(const FunctionDecl *Definition,
                           const SourceText &Text, std::string *WhyNotTwice) {
  const SourceManager &SM = Text.sources();
  SourceLocation Begin = SM.getExpansionLoc(beginOf(Definition));
  SourceLocation End = Definition->getEndLoc();
  if (Definition->getLocation().isMacroID() || End.isMacroID())
    return std::nullopt;
  auto Whole = Text.tokens(Begin, End);
  if (!Whole)
    return std::nullopt;
  if (WhyNotTwice)
    *WhyNotTwice =
        readDirectives(readThrough(*Whole, Begin, Text), {Begin, End}, Text);
  else if (Text.holdsDirective(Text.text(*Whole, Begin)))
    return std::nullopt;
  return Whole;
}

// The names inside the row of a template.
constexpr StringRef OwnNames[] = {"Here", "row", "both", "of", "type"};

// `<T, N>` for the parameters of a template; empty when one has no name.
static std::string argumentsOf(const TemplateParameterList &Parameters) {
  std::string Result;
  for (const NamedDecl *P : Parameters) {
    if (!P->getIdentifier() || llvm::is_contained(OwnNames, P->getName()))
      return "";
    Result += (Result.empty() ? "<" : ", ") + P->getName().str();
    if (P->isParameterPack())
      Result += "...";
  }
  return Result + ">";
}

// Another kernel that the same name could mean.
static bool isOverloaded(const FunctionDecl *Function) {
  const DeclContext *Scope = Function->getDeclContext()->getRedeclContext();
  const FunctionTemplateDecl *Template =
      Function->getDescribedFunctionTemplate();
  const Decl *Own = Template ? static_cast<const Decl *>(Template) : Function;
  return llvm::any_of(
      Scope->lookup(Function->getDeclName()), [&](const NamedDecl *Other) {
        return Other->getCanonicalDecl() != Own->getCanonicalDecl();
      });
}

// `template <class T, int N>`, without default arguments; nothing where a macro
// gives a part of it.
static std::optional<std::string>
headOf(const TemplateParameterList &Parameters, const SourceText &Text) {
  std::string Result;
  for (const NamedDecl *P : Parameters) {
    SourceLocation Default;
    if (P->isImplicit()) // `auto` of a parameter.
      return std::nullopt;
    if (const auto *Type = dyn_cast<TemplateTypeParmDecl>(P);
        Type && Type->hasDefaultArgument())
      Default = Type->getDefaultArgument().getSourceRange().getBegin();
    else if (const auto *Value = dyn_cast<NonTypeTemplateParmDecl>(P);
             Value && Value->hasDefaultArgument())
      Default = Value->getDefaultArgument().getSourceRange().getBegin();
    else if (isa<TemplateTemplateParmDecl>(P))
      return std::nullopt;
    std::optional<std::string> Written = Text.written(P->getSourceRange());
    if (Default.isValid() && Written) {
      const TextRange From = Text.point(P->getBeginLoc());
      const TextRange To = Text.point(Default);
      if (Default.isMacroID() || To.Offset < From.Offset)
        return std::nullopt;
      Written = StringRef(*Written)
                    .take_front(To.Offset - From.Offset)
                    .rtrim(" \t\r\n=")
                    .str();
    }
    if (!Written || Written->find("//") != std::string::npos ||
        Written->find("/*") != std::string::npos)
      return std::nullopt;
    Result += (Result.empty() ? "" : ", ") + *Written;
  }
  return "template <" + Result + ">";
}

// What stands against a row beside the kernel.
static const char *problemOf(const FunctionDecl *Definition) {
  if (Definition->getTemplateSpecializationKind() != TSK_Undeclared ||
      Definition->isFunctionTemplateSpecialization())
    return "it is a specialization of a template";
  if (!scopeOf(Definition)->isFileContext())
    return "it is not declared in a namespace";
  if (Definition->getQualifierLoc())
    return "it is defined outside its namespace";
  if (isOverloaded(Definition))
    return "its name is overloaded";
  const IdentifierTable &Names = Definition->getASTContext().Idents;
  auto IsMacro = [&](StringRef Name) {
    auto Found = Names.find(Name);
    return Found != Names.end() && Found->second->hadMacroDefinition();
  };
  if (llvm::any_of(OwnNames, IsMacro))
    return "a macro has a name of its row";
  if (Names.find(rowName(Definition->getName())) != Names.end())
    return "the name of its row is taken";
  return nullptr;
}

std::string bankstripe::whyNotTwice(StringRef Code, const TextRange &Whole,
                                    const SourceText &Text) {
  for (StringRef Word : {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})
    // The system's `assert` has it for the message of a program that fails.
    if (Text.mentions(Code, Word, /*But=*/"assert"))
      return ("it says " + Word).str();
  return Text.counts(Code, Whole) ? "it mentions __COUNTER__" : "";
}

bool bankstripe::hasDefaultsElsewhere(const FunctionDecl *Definition) {
  const FunctionDecl *Last = Definition->getMostRecentDecl();
  const auto *Template = Last->getDescribedFunctionTemplate();
  const TemplateParameterList *Parameters =
      Template ? Template->getTemplateParameters() : nullptr;
  return Last->getPreviousDecl() &&
         (Last->getMinRequiredArguments() < Last->getNumParams() ||
          (Parameters &&
           Parameters->getMinRequiredArguments() < Parameters->size()));
}

// Whether another declaration may say more than the definition.
static bool isCompletedElsewhere(const FunctionDecl *Definition,
                                 const SourceText &Text) {
  const FunctionDecl *Last = Definition->getMostRecentDecl();
  return hasDefaultsElsewhere(Definition) ||
         llvm::any_of(Definition->redecls(),
                      [&](const FunctionDecl *Declared) {
                        return Declared != Definition &&
                               !excludesBounds(Declared, Text).empty();
                      }) ||
         (Last->getPreviousDecl() &&
          llvm::any_of(Last->attrs(),
                       [](const Attr *A) { return !isa<CUDAGlobalAttr>(A); }));
}

// What stands before its name.
static StringRef specifiersOf(const FunctionDecl *Definition,
                              const TextRange &Whole, const SourceText &Text) {
  const SourceLocation Name = Definition->getLocation();
  return Text.text(Whole, Name)
      .take_front(Text.point(Name).Offset - Whole.Offset);
}

// What stands against a second definition of the kernel, with another name: it
// would have variables and a name of its own, and no other declarations.
static std::string versionProblemOf(const FunctionDecl *Definition,
                                    const BodyIndex &Body,
                                    const TextRange &Whole,
                                    const SourceText &Text) {
  const IdentifierTable &Names = Definition->getASTContext().Idents;
  if (Names.find(versionName(Definition->getName())) != Names.end())
    return "the name of its version is taken";
  const StorageClass Storage = Definition->getStorageClass();
  if (Storage != SC_None && Storage != SC_Static)
    return "its linkage is written";
  if (isCompletedElsewhere(Definition, Text))
    return "a declaration of it has defaults or attributes";
  // Its specifiers may say that it is static, as the version is.
  const StringRef Code =
      Text.text(Whole, Definition->getLocation())
          .drop_front(specifiersOf(Definition, Whole, Text).size());
  for (auto [Variable, Statement] : Body.Variables)
    if (isChangedByAllCalls(*Variable))
      return "its variable '" + Variable->getNameAsString() + "' is static";
  return whyNotTwice(Code, Whole, Text);
}

// What a version of a template needs besides.
static const char *readTemplate(const FunctionTemplateDecl &Template,
                                const FunctionDecl *Definition,
                                const SourceText &Text, KernelText &Result) {
  const TemplateParameterList &Parameters = *Template.getTemplateParameters();
  if (llvm::is_contained(OwnNames, Definition->getName()))
    return "its name means something else in its row";
  auto Head = headOf(Parameters, Text);
  Result.TemplateArguments = argumentsOf(Parameters);
  if (!Head || Result.TemplateArguments.empty() ||
      Text.counts(Parameters.getSourceRange()))
    return "its template parameters cannot be repeated";
  Result.TemplateHead = *Head;
  const SourceRange Type = Definition->getReturnTypeSourceRange();
  const auto Written = Text.written(Type);
  if (!Written || *Written != "void")
    return "its type is not written as void";
  Result.Type = Text.writtenRange(Type).value_or(TextRange());
  return nullptr;
}

static KernelText readKernelText(const FunctionDecl *Function,
                                 const BodyIndex *Body,
                                 const SourceText &Text) {
  KernelText Result;
  auto Fail = [&](std::string Why) {
    Result.Problem = std::move(Why);
    return Result;
  };
  const FunctionDecl *Definition = Function;
  if (Function->getTemplateSpecializationKind() == TSK_ImplicitInstantiation ||
      Function->getTemplateSpecializationKind() ==
          TSK_ExplicitInstantiationDefinition)
    Definition = Function->getTemplateInstantiationPattern();
  if (!Body || !Definition || !Definition->hasBody(Definition))
    return Fail("its definition was not seen");
  Result.Name = Definition->getNameAsString();
  Result.NamePlace = Text.point(Definition->getLocation());
  Result.Internal = !Definition->isExternallyVisible();
  if (const char *Problem = problemOf(Definition))
    return Fail(Problem);
  std::string Directives;
  auto Whole = definitionText(Definition, Text, &Directives);
  if (!Whole)
    return Fail("a macro gives a part of it");
  if (!Directives.empty())
    return Fail(Directives);
  if (Text.isIncludedInside(Definition->getLocation()))
    return Fail("its file is included inside another declaration");
  Result.Definition = *Whole;
  // nvcc gives a static function of C a name of C++, which would hide that the
  // version is one of this kernel. A macro may stand for all specifiers.
  const bool InC = Definition->isExternC();
  if (InC ? ownLinkage(Definition) != nullptr &&
                pointBefore(Definition, Text).Offset < Whole->Offset
          : !Text.mentions(specifiersOf(Definition, *Whole, Text), "static"))
    Result.Specifiers = Text.point(Definition->getBeginLoc());
  Result.Linkage = InC ? "extern \"C\"" : "static";
  Result.VersionProblem = versionProblemOf(Definition, *Body, *Whole, Text);
  if (const auto *Template = Definition->getDescribedFunctionTemplate())
    if (const char *Problem =
            readTemplate(*Template, Definition, Text, Result)) {
      Result.TemplateHead = "template <>"; // It is one.
      if (Result.VersionProblem.empty())
        Result.VersionProblem = Problem;
    }
  for (const FunctionDecl *Declared : Definition->redecls()) {
    auto IsInSpec = [](const FunctionDecl *Each) {
      return isa<LinkageSpecDecl>(Each->getLexicalDeclContext());
    };
    if (InC && (!ownLinkage(Declared) != !ownLinkage(Definition) ||
                IsInSpec(Declared) != IsInSpec(Definition)))
      return Fail("its declarations say in two ways that it is of C");
  }
  return Result;
}

Kernel bankstripe::readKernel(const FunctionDecl *Function,
                              BodyIndexCache &Bodies, const SourceText &Text,
                              llvm::function_ref<bool(StringRef)> MayEdit) {
  Kernel K;
  K.Id = ASTNameGenerator(Text.context()).getName(Function);
  // With template arguments, which tell instantiations apart.
  llvm::raw_string_ostream Name(K.Name);
  Function->getNameForDiagnostic(Name, Text.context().getPrintingPolicy(),
                                 /*Qualified=*/true);
  K.Where = Text.place(Function->getLocation());
  const BodyIndex *Body = Bodies.get(Function);
  if (Body)
    K.Bounds = readBounds(Function, *Body, Text);
  for (const FunctionDecl *Declared : Function->redecls())
    if (std::string By = excludesBounds(Declared, Text); !By.empty())
      K.BoundsExcludedBy = By;
  K.ClaimedAlignment = Bodies.claimedAlignment(Function);
  K.MayEdit = MayEdit(K.Where.File);
  K.Text = readKernelText(Function, Body, Text);
  if (Text.mayBeReadForHost(Function)) {
    K.Text.Problem = "a compiler for the host may read it";
    return K;
  }
  // Before the name, or before the qualifier of `space::name`.
  SourceLocation Begin = Function->getQualifierLoc()
                             ? Function->getQualifierLoc().getBeginLoc()
                             : Function->getLocation();
  if (Begin.isFileID())
    K.BoundsInsertion = Text.point(Begin);
  if (const auto *Block = dyn_cast_or_null<CompoundStmt>(Function->getBody());
      Block && Block->getLBracLoc().isFileID() &&
      !Text.isIncludedInside(Block->getLBracLoc()))
    K.BodyBegin = Text.point(Block->getLBracLoc().getLocWithOffset(1));
  return K;
}
