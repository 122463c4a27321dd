//===-- ParsedUnit.cpp - a parse that can be replayed ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recording and replaying of the parser's events. The order is kept, since the
// code generator numbers and defers in the order in which it is told.
//
//===----------------------------------------------------------------------===//

#include "frontend/ParsedUnit.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include <cassert>

using namespace llvm;

namespace bankstripe {
namespace {

using Kind = RecordedParse::Kind;

/// Notes the parser's events.
class Recorder final : public clang::ASTConsumer {
public:
  explicit Recorder(RecordedParse &Parse) : Parse(Parse) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    Parse.add(Kind::TopLevelDecl, Group.getAsOpaquePtr());
    return true;
  }
  void HandleInterestingDecl(clang::DeclGroupRef Group) override {
    Parse.add(Kind::InterestingDecl, Group.getAsOpaquePtr());
  }
  void HandleTopLevelDeclInObjCContainer(clang::DeclGroupRef Group) override {
    Parse.add(Kind::DeclInContainer, Group.getAsOpaquePtr());
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *D) override {
    Parse.add(Kind::InlineFunction, D);
  }
  void HandleTagDeclDefinition(clang::TagDecl *D) override {
    Parse.add(Kind::TagDefinition, D);
  }
  void HandleTagDeclRequiredDefinition(const clang::TagDecl *D) override {
    Parse.add(Kind::RequiredTagDefinition, D);
  }
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl *D) override {
    Parse.add(Kind::ImplicitInstantiation, D);
  }
  void HandleImplicitImportDecl(clang::ImportDecl *D) override {
    Parse.add(Kind::ImplicitImport, D);
  }
  void CompleteTentativeDefinition(clang::VarDecl *D) override {
    Parse.add(Kind::TentativeDefinition, D);
  }
  void CompleteExternalDeclaration(clang::DeclaratorDecl *D) override {
    Parse.add(Kind::ExternalDeclaration, D);
  }
  void AssignInheritanceModel(clang::CXXRecordDecl *D) override {
    Parse.add(Kind::InheritanceModel, D);
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *D) override {
    Parse.add(Kind::StaticMemberInstantiation, D);
  }
  void HandleVTable(clang::CXXRecordDecl *D) override {
    Parse.add(Kind::VTable, D);
  }
  // Bodies are only skipped where the command asks for it; none is here.
  bool shouldSkipFunctionBody(clang::Decl *) override { return false; }

private:
  RecordedParse &Parse;
};

class ParsedUnitImpl final : public ParsedUnit {
public:
  ParsedUnitImpl(clang::CompilerInstance &Compiler, const RecordedParse &Parse)
      : Compiler(Compiler), Parse(Parse) {}

  clang::CompilerInstance &compiler() override { return Compiler; }
  void replay(clang::ASTConsumer &Consumer) override {
    assert(!Replayed && "a parse can be replayed once");
    Replayed = true;
    Consumer.Initialize(Compiler.getASTContext());
    Parse.replay(Consumer);
    Consumer.HandleTranslationUnit(Compiler.getASTContext());
  }

private:
  clang::CompilerInstance &Compiler;
  const RecordedParse &Parse;
  bool Replayed = false;
};

/// Tells when the text of a source depends on the time.
class TimeNoticer final : public clang::PPCallbacks {
public:
  TimeNoticer(clang::Preprocessor &PP, ParseWatch &Watch) : Watch(Watch) {
    for (StringRef Name : {"__DATE__", "__TIME__", "__TIMESTAMP__"})
      Names.push_back(PP.getIdentifierInfo(Name));
  }
  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &,
                    clang::SourceRange, const clang::MacroArgs *) override {
    if (is_contained(Names, Name.getIdentifierInfo()))
      Watch.sawTime();
  }

private:
  SmallVector<const clang::IdentifierInfo *, 3> Names;
  ParseWatch &Watch;
};

template <class D> D *as(const void *Subject) {
  return static_cast<D *>(const_cast<void *>(Subject));
}

clang::DeclGroupRef asGroup(const void *Subject) {
  return clang::DeclGroupRef::getFromOpaquePtr(const_cast<void *>(Subject));
}

} // namespace

void RecordedParse::tell(clang::ASTConsumer &Consumer, const Event &E) {
  switch (E.What) {
  case Kind::TopLevelDecl:
    Consumer.HandleTopLevelDecl(asGroup(E.Subject));
    return;
  case Kind::InterestingDecl:
    Consumer.HandleInterestingDecl(asGroup(E.Subject));
    return;
  case Kind::DeclInContainer:
    Consumer.HandleTopLevelDeclInObjCContainer(asGroup(E.Subject));
    return;
  case Kind::InlineFunction:
    Consumer.HandleInlineFunctionDefinition(as<clang::FunctionDecl>(E.Subject));
    return;
  case Kind::TagDefinition:
    Consumer.HandleTagDeclDefinition(as<clang::TagDecl>(E.Subject));
    return;
  case Kind::RequiredTagDefinition:
    Consumer.HandleTagDeclRequiredDefinition(as<clang::TagDecl>(E.Subject));
    return;
  case Kind::ImplicitInstantiation:
    Consumer.HandleCXXImplicitFunctionInstantiation(
        as<clang::FunctionDecl>(E.Subject));
    return;
  case Kind::ImplicitImport:
    Consumer.HandleImplicitImportDecl(as<clang::ImportDecl>(E.Subject));
    return;
  case Kind::TentativeDefinition:
    Consumer.CompleteTentativeDefinition(as<clang::VarDecl>(E.Subject));
    return;
  case Kind::ExternalDeclaration:
    Consumer.CompleteExternalDeclaration(as<clang::DeclaratorDecl>(E.Subject));
    return;
  case Kind::InheritanceModel:
    Consumer.AssignInheritanceModel(as<clang::CXXRecordDecl>(E.Subject));
    return;
  case Kind::StaticMemberInstantiation:
    Consumer.HandleCXXStaticMemberVarInstantiation(
        as<clang::VarDecl>(E.Subject));
    return;
  case Kind::VTable:
    Consumer.HandleVTable(as<clang::CXXRecordDecl>(E.Subject));
    return;
  }
}

void RecordedParse::replay(clang::ASTConsumer &Consumer) const {
  for (const Event &E : Events)
    tell(Consumer, E);
}

std::unique_ptr<clang::ASTConsumer>
ParseAction::CreateASTConsumer(clang::CompilerInstance &, StringRef) {
  return std::make_unique<Recorder>(Parse);
}

// The callback runs here and not in EndSourceFileAction: Sema, which the code
// generator may still ask, and the diagnostics' source file are alive.
void ParseAction::ExecuteAction() {
  if (Watch) {
    clang::Preprocessor &PP = getCompilerInstance().getPreprocessor();
    PP.addPPCallbacks(std::make_unique<TimeNoticer>(PP, *Watch));
  }
  ASTFrontendAction::ExecuteAction();
  clang::CompilerInstance &Compiler = getCompilerInstance();
  if (Compiler.getDiagnostics().hasErrorOccurred())
    return;
  Succeeded = true;
  ParsedUnitImpl Unit(Compiler, Parse);
  Action(Unit);
}

} // namespace bankstripe
