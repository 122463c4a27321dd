//===-- UnsureConstants.cpp - constants that are others for nvcc ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two questions get one answer from Clang and another one from nvcc:
//
//     sizeof(__PRETTY_FUNCTION__)   each compiler spells functions its own way
//     sizeof(f(1))                  where f(int) is for the device and
//                                   f(double) for the host: to Clang, the host
//                                   calls the latter; nvcc takes what fits best
//                                   and asks nobody, for nothing is called
//
// Numbers that the host computes may follow from either, by whatever way. The
// same goes for constant functions that are called, and for closures that the
// host has in wrappers of nvcc's. And one answer is wrong that a parse for the
// host gives right:
//
//     sizeof(long double)           8 for Clang, 16 for the host and for nvcc
//
//===----------------------------------------------------------------------===//

#include "find/UnsureConstants.h"
#include "find/BodyIndex.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Functions by their names. Of templates, which may have very many instances,
/// the pattern stands for all.
using FunctionTable =
    llvm::DenseMap<DeclarationName, llvm::SmallVector<const FunctionDecl *>>;

class FunctionLister : public RecursiveASTVisitor<FunctionLister> {
public:
  bool TraverseStmt(Stmt *) { return true; }
  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (!Function->isImplicit())
      Result[Function->getDeclName()].push_back(Function);
    return true;
  }

  FunctionTable Result;
};

class ConstantReader : public RecursiveASTVisitor<ConstantReader> {
public:
  ConstantReader(const SourceManager &Sources, const GivenFolders &Given,
                 const FunctionTable &Functions)
      : Sources(Sources), Given(Given), Functions(Functions) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    llvm::SaveAndRestore Inside(IsAsked, true);
    const auto *Class = E->getTypeOfArgument()->getAsCXXRecordDecl();
    if (Class && Class->isLambda() && isWrapped(Class->getLambdaCallOperator()))
      note(E->getBeginLoc(), "the size of an extended lambda");
    return RecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(E);
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *E) {
    llvm::SaveAndRestore Inside(IsAsked, true);
    return RecursiveASTVisitor::TraverseCXXNoexceptExpr(E);
  }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc Type, bool Qualifier = true) {
    llvm::SaveAndRestore Inside(IsAsked, true);
    return RecursiveASTVisitor::TraverseDecltypeTypeLoc(Type, Qualifier);
  }
  // What runs gets a pointer to the text. Constant functions may count it.
  bool TraverseDecl(Decl *D) {
    const auto *Function = dyn_cast_or_null<FunctionDecl>(D);
    const auto *Variable = dyn_cast_or_null<VarDecl>(D);
    llvm::SaveAndRestore For(Around, Function ? sidesOf(Function) : Around);
    llvm::SaveAndRestore Inside(
        IsCounted, Function
                       ? Function->isConstexpr()
                       : IsCounted || (Variable && Variable->isConstexpr()));
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitPredefinedExpr(PredefinedExpr *Name) {
    if ((IsAsked || IsCounted) &&
        Name->getIdentKind() == PredefinedIdentKind::PrettyFunction)
      note(Name->getBeginLoc(), "the text of __PRETTY_FUNCTION__");
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Reference) {
    reach(Reference->getDecl());
    return checkSides(Reference->getDecl(), Reference->getBeginLoc());
  }
  bool VisitMemberExpr(MemberExpr *Member) {
    return checkSides(Member->getMemberDecl(), Member->getMemberLoc());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    return checkSides(E->getConstructor(), E->getBeginLoc());
  }
  bool VisitTypeLoc(TypeLoc Type) { return checkSize(Type.getType()); }
  bool VisitExpr(Expr *E) { return checkSize(E->getType()); }

  UnsureConstants Result;

private:
  void note(SourceLocation Where, std::string Asked) {
    if (Result.Where.isValid())
      return;
    Result.Where = Where;
    Result.Asked = std::move(Asked);
  }
  // Of the headers of libraries, only what the user's constants follow from.
  bool isGiven(const Decl *D) const {
    return Given.contain(Sources, D->getLocation());
  }
  bool isReached(const Decl *D) {
    return isOfSystem(D) && isGiven(D) && Reached.insert(D).second;
  }
  void reach(ValueDecl *D) {
    if (auto *Function = dyn_cast<FunctionDecl>(D)) {
      FunctionDecl *Body =
          Function->isConstexpr() ? Function->getDefinition() : nullptr;
      if (!Body)
        return;
      D = Body;
    } else if (!isa<VarDecl, EnumConstantDecl>(D)) {
      return;
    }
    llvm::SaveAndRestore Inside(IsAsked, false);
    if (isReached(D))
      TraverseDecl(D);
  }
  void reach(const CXXRecordDecl *Class) {
    if (!isReached(Class))
      return;
    for (FieldDecl *Field : Class->fields())
      TraverseDecl(Field);
    for (Attr *Each : Class->attrs())
      TraverseAttr(Each);
  }
  bool checkSides(const ValueDecl *Named, SourceLocation Where) {
    const auto *Function = dyn_cast<FunctionDecl>(Named);
    if (Function && !Result.Where.isValid() &&
        Compared
            .insert({Function, IsAsked + 2 * Around.Device + 4 * Around.Host})
            .second &&
        hasOtherOfOtherSide(Function))
      note(Where, "which '" + Function->getNameAsString() +
                      "' is meant, that of the host or of the device");
    return true;
  }
  bool checkSize(QualType Type) {
    if (!Result.HaveHostSizes && !Type.isNull() && hasHostSize(Type))
      Result.HaveHostSizes = true;
    return true;
  }

  // Whether nvcc puts the closure into an object of its own for the host: that
  // of a lambda that says it is for the device.
  static bool isWrapped(const CXXMethodDecl *Call) {
    const auto *Device = Call->getAttr<CUDADeviceAttr>();
    return Device && !Device->isImplicit();
  }

  // Whether Type is a long double, or holds one, or is a list of arguments.
  bool hasHostSize(QualType Type) {
    if (Type->isDependentType())
      return false;
    for (const auto *Name = Type->getAs<TypedefType>(); Name;
         Name = Name->desugar()->getAs<TypedefType>())
      if (Name->getDecl()->getName() == "__builtin_va_list")
        return true;
    if (const auto *Complex = Type->getAs<ComplexType>())
      Type = Complex->getElementType();
    const clang::Type *Element = Type->getBaseElementTypeUnsafe();
    if (Element->isSpecificBuiltinType(BuiltinType::LongDouble))
      return true;
    const CXXRecordDecl *Class = Element->getAsCXXRecordDecl();
    Class = Class ? Class->getDefinition() : nullptr;
    if (!Class || Class->isDependentContext() || Class->isInvalidDecl())
      return false;
    const auto [Known, IsNew] = Classes.try_emplace(Class, false);
    if (!IsNew)
      return Known->second;
    reach(Class);
    const bool Has = llvm::any_of(Class->bases(),
                                  [&](const CXXBaseSpecifier &Base) {
                                    return hasHostSize(Base.getType());
                                  }) ||
                     llvm::any_of(Class->fields(), [&](const FieldDecl *Field) {
                       return hasHostSize(Field->getType());
                     });
    return Classes[Class] = Has;
  }

  /// Which code calls a function, or is in it.
  struct Sides {
    bool Device, Host;
  };
  static Sides sidesOf(const FunctionDecl *Function) {
    const bool Device = Function->hasAttr<CUDADeviceAttr>() ||
                        Function->hasAttr<CUDAGlobalAttr>();
    return {Device, !Device || Function->hasAttr<CUDAHostAttr>()};
  }
  // Whether Clang leaves Function out where it chooses among overloads.
  bool isHidden(const FunctionDecl *Function) const {
    const Sides Own = sidesOf(Function);
    return (Around.Device && !Own.Device) || (Around.Host && !Own.Host);
  }

  static bool takeTheSame(const FunctionDecl *A, const FunctionDecl *B) {
    return llvm::equal(A->parameters(), B->parameters(),
                       [](const ParmVarDecl *X, const ParmVarDecl *Y) {
                         return X->getType().getCanonicalType() ==
                                Y->getType().getCanonicalType();
                       });
  }

  template <class Declared>
  static const Declared *patternOf(const Declared *Instance) {
    const Declared *Pattern = Instance->getTemplateInstantiationPattern();
    return (Pattern ? Pattern : Instance)->getCanonicalDecl();
  }

  // Whether Class has members of Base, also where both are templates.
  static bool inherits(const CXXRecordDecl *Class, const CXXRecordDecl *Base) {
    return patternOf(Class) == patternOf(Base) ||
           (Class->hasDefinition() &&
            !Class->forallBases([&](const CXXRecordDecl *Each) {
              return patternOf(Each) != patternOf(Base);
            }));
  }

  // Whether one call may mean either, by whatever lookup: what arguments or
  // using-declarations find, a base's, an operator that is no member.
  static bool mayCompete(const FunctionDecl *A, const FunctionDecl *B) {
    const auto *First = dyn_cast<CXXMethodDecl>(A);
    const auto *Second = dyn_cast<CXXMethodDecl>(B);
    if (!First || !Second)
      return (!First && !Second) || A->isOverloadedOperator();
    return inherits(First->getParent(), Second->getParent()) ||
           inherits(Second->getParent(), First->getParent());
  }

  // Whether another function of its name, for other arguments, is hidden where
  // that counts: where nothing is called, or a constant is.
  bool hasOtherOfOtherSide(const FunctionDecl *Function) const {
    if ((isOfSystem(Function) && !isGiven(Function)) ||
        Function->isImplicit() || Function->hasAttr<CUDAGlobalAttr>())
      return false;
    auto Differs = [&](const NamedDecl *Found) {
      const FunctionDecl *Other = Found->getAsFunction();
      return Other && isHidden(Other) && !Other->isImplicit() &&
             (IsAsked || Function->isConstexpr() || Other->isConstexpr()) &&
             patternOf(Other) != patternOf(Function) &&
             mayCompete(Function, Other) &&
             !takeTheSame(patternOf(Function), patternOf(Other));
    };
    const auto Known = Functions.find(Function->getDeclName());
    return llvm::any_of(Function->getDeclContext()->getRedeclContext()->lookup(
                            Function->getDeclName()),
                        Differs) ||
           (Known != Functions.end() && llvm::any_of(Known->second, Differs));
  }

  const SourceManager &Sources;
  const GivenFolders &Given;
  const FunctionTable &Functions;
  Sides Around = {/*Device=*/false, /*Host=*/true};
  bool IsAsked = false;   ///< Inside of what is not evaluated.
  bool IsCounted = false; ///< Inside of what constants are made by.
  llvm::DenseMap<const CXXRecordDecl *, bool> Classes; ///< With host sizes.
  llvm::DenseSet<const Decl *> Reached;                ///< Of system headers.
  /// Functions that were, and where: the three above, as bits.
  llvm::DenseSet<std::pair<const FunctionDecl *, unsigned>> Compared;
};

} // namespace

UnsureConstants bankstripe::findUnsureConstants(ASTContext &Context,
                                                const GivenFolders &Given) {
  FunctionLister Lister;
  auto TraverseUsers = [&](auto &Visitor) {
    for (Decl *D : Context.getTranslationUnitDecl()->decls())
      if (D->getLocation().isValid() && !isOfSystem(D))
        Visitor.TraverseDecl(D);
  };
  TraverseUsers(Lister);
  ConstantReader Reader(Context.getSourceManager(), Given, Lister.Result);
  TraverseUsers(Reader);
  return std::move(Reader.Result);
}
