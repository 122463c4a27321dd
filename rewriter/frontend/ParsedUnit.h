//===-- ParsedUnit.h - a parse that can be replayed -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front-end action behind parseUnit. It notes what the parser tells its
// consumer, one pointer per event, and can tell it again later:
//
//   Sema => RecordedParse => (find/ looks at the syntax tree) => replay()
//                                                             => code generator
//
// Most files hold no private array. Code generation, which costs several times
// as much as the notes, is then never run.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_PARSEDUNIT_H
#define BANKSTRIPE_FRONTEND_PARSEDUNIT_H

#include "frontend/Frontend.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Frontend/FrontendAction.h"
#include <vector>

namespace bankstripe {

/// What the parser told its consumer, in order.
class RecordedParse {
public:
  enum class Kind : unsigned char {
    TopLevelDecl,
    InterestingDecl,
    DeclInContainer,
    InlineFunction,
    TagDefinition,
    RequiredTagDefinition,
    ImplicitInstantiation,
    ImplicitImport,
    TentativeDefinition,
    ExternalDeclaration,
    InheritanceModel,
    StaticMemberInstantiation,
    VTable,
  };
  void add(Kind K, const void *Subject) { Events.push_back({Subject, K}); }

  /// Tells \p Consumer all of it.
  void replay(clang::ASTConsumer &Consumer) const;

private:
  struct Event {
    const void *Subject; ///< A declaration, or an opaque DeclGroupRef.
    Kind What;
  };
  static void tell(clang::ASTConsumer &Consumer, const Event &E);

  std::vector<Event> Events;
};

/// Parses and then calls \p Action, unless there were errors.
class ParseAction final : public clang::ASTFrontendAction {
public:
  /// \p Watch may be nobody.
  ParseAction(llvm::function_ref<void(ParsedUnit &)> Action, ParseWatch *Watch)
      : Action(Action), Watch(Watch) {}

  bool succeeded() const { return Succeeded; }

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &Compiler,
                    llvm::StringRef File) override;
  void ExecuteAction() override;

private:
  llvm::function_ref<void(ParsedUnit &)> Action;
  ParseWatch *Watch;
  RecordedParse Parse;
  bool Succeeded = false;
};

} // namespace bankstripe

#endif
