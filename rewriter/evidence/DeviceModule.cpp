//===-- DeviceModule.cpp - emit device IR, keep what matters, optimise ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimising device IR is cheap for a user's own kernels and dear for the
// hundreds that a header such as thrust/sort.h instantiates, so what has
// nothing to do with a finding is dropped before.
//
// It is optimised by the pipeline that `clang++ -O3` runs for the device, with
// the same target machine, tuning and device library, so that what survives
// here survives there.
//
//===----------------------------------------------------------------------===//

#include "evidence/DeviceModule.h"

#include "evidence/Waiting.h"
#include "frontend/Frontend.h"
#include "frontend/UserFiles.h"
#include "model/UnitFacts.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <mutex>

// NOLINTBEGIN(readability-identifier-naming): LLVM's own names.
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
// NOLINTEND(readability-identifier-naming)

using namespace llvm;

namespace bankstripe {
namespace {

class KeepFirstError final : public DiagnosticHandler {
public:
  explicit KeepFirstError(std::string &Text) : Text(Text) {}

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() == DS_Error && Text.empty()) {
      raw_string_ostream OS(Text);
      DiagnosticPrinterRawOStream Printer(OS);
      Info.print(Printer);
    }
    return true;
  }

private:
  std::string &Text;
};

/// The first error of \p Said with its place; empty when there is none.
std::string firstErrorIn(const clang::TextDiagnosticBuffer &Said,
                         const clang::SourceManager &Sources) {
  if (Said.err_begin() == Said.err_end())
    return "";
  const auto &[Where, Text] = *Said.err_begin();
  return Where.isValid() ? Where.printToString(Sources) + ": " + Text : Text;
}

constexpr StringLiteral SystemAttribute = "bankstripe-system";

/// Marks the functions of system headers and of the compiler itself, as
/// `operator new` that no header declares; not those
/// that a library has in another file, which nobody knows.
void markSystem(Module &M, clang::CodeGenerator &Generator,
                const clang::SourceManager &Sources,
                const GivenFolders &Given) {
  for (Function &F : M) {
    const clang::Decl *D = Generator.GetDeclForMangledName(F.getName());
    const auto *Declared = dyn_cast_or_null<clang::FunctionDecl>(D);
    if (!Declared || Declared->getBuiltinID() ||
        Declared->getLocation().isInvalid() ||
        (Sources.isInSystemHeader(
             Sources.getExpansionLoc(Declared->getLocation())) &&
         !(F.isDeclaration() &&
           Given.contain(Sources, Declared->getLocation()))))
      F.addFnAttr(SystemAttribute);
  }
}

/// What `-O3 -g` would have set, as far as code generation looks at it. The
/// parse itself does not depend on these.
void setCodeGenOptions(clang::CodeGenOptions &Options) {
  Options.OptimizationLevel = 3;
  Options.OptimizeSize = 0;
  Options.DisableO0ImplyOptNone = true;
  Options.UnrollLoops = true; // Without, each loop is marked as not to unroll.
  Options.VectorizeLoop = true;
  Options.VectorizeSLP = true;
  Options.DisableLifetimeMarkers = false;
  Options.DiscardValueNames = false;
  Options.setInlining(clang::CodeGenOptions::NormalInlining);
  Options.setDebugInfo(codegenoptions::LimitedDebugInfo);
  Options.DebugColumnInfo = true;
}

} // namespace

bool isOfSystem(const Function &F) { return F.hasFnAttribute(SystemAttribute); }

static std::string pathOf(StringRef Folder, StringRef File) {
  SmallString<256> Path(File);
  sys::path::make_absolute(Folder, Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

Place placeOf(const Function &F) {
  const DISubprogram *Declared = F.getSubprogram();
  if (!Declared)
    return {};
  return {pathOf(Declared->getDirectory(), Declared->getFilename()),
          Declared->getLine(), 1};
}

Place placeOf(const DbgVariableRecord &Record) {
  const DILocalVariable &Variable = *Record.getVariable();
  const DebugLoc &Where = Record.getDebugLoc();
  return {pathOf(Variable.getDirectory(), Variable.getFilename()),
          Variable.getLine(), Where ? Where.getCol() : 0};
}

StringRef sourceName(const Function &F) {
  const StringRef Name = F.getName();
  return Name.take_front(
      std::min(Name.find("__static__"), Name.find("__intern__")));
}

IrAnalyses::IrAnalyses(PassBuilder &Builder) {
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
}

QuietContext::QuietContext() {
  Context.setDiagnosticHandler(std::make_unique<KeepFirstError>(FirstError));
  Context.setDiscardValueNames(false);
}

Expected<std::unique_ptr<Module>> emitDeviceModule(ParsedUnit &Unit,
                                                   const UnitFacts &Facts,
                                                   QuietContext &Context) {
  clang::CompilerInstance &Compiler = Unit.compiler();
  setCodeGenOptions(Compiler.getCodeGenOpts());
  auto Generator =
      clang::CreateLLVMCodeGen(Compiler, Facts.MainFile, Context.get());
  // The user has asked for no code and is told nothing of how it is made.
  clang::DiagnosticsEngine &Engine = Compiler.getDiagnostics();
  clang::DiagnosticConsumer *Shown = Engine.getClient();
  clang::TextDiagnosticBuffer Said;
  Engine.setClient(&Said, /*ShouldOwnClient=*/false);
  Unit.replay(*Generator);
  Engine.setClient(Shown, /*ShouldOwnClient=*/false);
  if (Generator->GetModule())
    markSystem(*Generator->GetModule(), *Generator, Compiler.getSourceManager(),
               Unit.givenFolders());
  std::unique_ptr<Module> M(Generator->ReleaseModule());
  if (const std::string Problem =
          firstErrorIn(Said, Compiler.getSourceManager());
      !M || !Problem.empty())
    return createStringError("Clang could not emit the device code: " +
                             Problem);
  if (!M->getTargetTriple().isNVPTX())
    return createStringError("the code is not compiled for a GPU but for '" +
                             M->getTargetTriple().str() + "'");
  keepLoadsInAssembly(*M);
  return M;
}

static bool isByPointer(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->isIndirectCall();
}

void addCallers(SmallDenseSet<Function *> &Reached) {
  SmallVector<User *> Pending;
  SmallPtrSet<User *, 32> Seen;
  auto AddUsers = [&](Value &V) {
    for (User *U : V.users())
      if (Seen.insert(U).second)
        Pending.push_back(U);
  };
  // Whoever calls through a pointer may call what somebody else has put there.
  bool HasIndirect = false;
  auto AddUsersOf = [&](Function &F) {
    AddUsers(F);
    if (HasIndirect || !F.hasAddressTaken())
      return;
    HasIndirect = true;
    for (Function &Caller : *F.getParent())
      for (Instruction &I : instructions(Caller))
        if (isByPointer(I) && Seen.insert(&I).second)
          Pending.push_back(&I);
  };
  for (Function *F : SmallVector<Function *>(Reached.begin(), Reached.end()))
    AddUsersOf(*F);
  while (!Pending.empty()) {
    User *U = Pending.pop_back_val();
    auto *I = dyn_cast<Instruction>(U);
    if (!I)
      AddUsers(*U);
    else if (Reached.insert(I->getFunction()).second)
      AddUsersOf(*I->getFunction());
  }
}

void keepOnly(Module &M, const SmallDenseSet<Function *> &Holders) {
  SmallDenseSet<Function *> Roots;
  for (Function *Holder : Holders) {
    SmallDenseSet<Function *> Callers{Holder};
    addCallers(Callers);
    bool HasKernel = false;
    for (Function *Caller : Callers)
      if (Caller->getCallingConv() == CallingConv::PTX_Kernel) {
        Roots.insert(Caller);
        HasKernel = true;
      }
    if (!HasKernel)
      Roots.insert(Holder);
  }
  // "Keep this" lists would keep all.
  for (StringRef List : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *V = M.getGlobalVariable(List, true))
      V->eraseFromParent();
  // Variables stay as they are: the host may write them, so they must not
  // look as if nobody did.
  for (Function *Root : Roots)
    Root->setLinkage(GlobalValue::ExternalLinkage);
  internalizeModule(M, [&](const GlobalValue &V) {
    return !isa<Function>(V) || Roots.contains(cast<Function>(&V));
  });
  ModuleAnalysisManager Analyses;
  GlobalDCEPass().run(M, Analyses);
}

namespace {

/// Once per process: makes the target known, and sets the one option that the
/// Clang driver passes to LLVM for every device compilation (there is no
/// library to call, so copies may be formed without one).
void initializeTarget() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    auto &Options = cl::getRegisteredOptions();
    auto Found = Options.find("enable-memcpyopt-without-libcalls");
    if (Found != Options.end() && Found->second->getNumOccurrences() == 0)
      Found->second->addOccurrence(0, Found->second->ArgStr, "true");
  });
}

/// For the architecture of the parse. Clang's choice of a PTX version goes by
/// the toolkits that it knows and may be too old for the newest architectures;
/// LLVM's own is always valid.
Expected<std::unique_ptr<TargetMachine>>
makeTargetMachine(const Module &M, const clang::TargetOptions &Target) {
  initializeTarget();
  std::string Problem;
  const llvm::Target *T =
      TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
  if (!T)
    return createStringError(Problem);
  std::unique_ptr<TargetMachine> Machine(T->createTargetMachine(
      M.getTargetTriple(), Target.CPU, /*Features=*/"", TargetOptions(),
      Reloc::Static, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!Machine)
    return createStringError("LLVM has no code generator for " +
                             M.getTargetTriple().str());
  return Machine;
}

bool needsDeviceLibrary(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && F.getName().starts_with("__nv_") &&
           !F.use_empty();
  });
}

/// The library's functions say nothing of the architecture that they are for,
/// and code for different ones is not inlined into each other.
void copyTargetAttributes(const Function &From, Module &To) {
  for (Function &F : To)
    for (StringRef Name : {"target-cpu", "target-features"})
      if (Attribute A = From.getFnAttribute(Name); A.isValid())
        F.addFnAttr(A);
}

/// Links the needed part of the libraries that the command names. One that
/// cannot be read is passed over: calls into it then stay calls.
void linkDeviceLibrary(Module &M, clang::CompilerInstance &Compiler) {
  if (!needsDeviceLibrary(M))
    return;
  auto Model = find_if(M, [](const Function &F) { return !F.isDeclaration(); });
  for (const auto &Link : Compiler.getCodeGenOpts().LinkBitcodeFiles) {
    auto Buffer =
        Compiler.getVirtualFileSystem().getBufferForFile(Link.Filename);
    if (!Buffer)
      continue;
    auto Library = expectedToOptional(
        getOwningLazyBitcodeModule(std::move(*Buffer), M.getContext()));
    if (!Library)
      continue;
    if (Model != M.end())
      copyTargetAttributes(*Model, **Library);
    (*Library)->setTargetTriple(M.getTargetTriple());
    (*Library)->setDataLayout(M.getDataLayout());
    SmallPtrSet<const Function *, 32> Own;
    for (const Function &F : M)
      if (!F.isDeclaration())
        Own.insert(&F);
    Linker::linkModules(M, std::move(*Library), Linker::LinkOnlyNeeded);
    for (Function &F : M)
      if (!F.isDeclaration() && !Own.contains(&F))
        F.setLinkage(GlobalValue::InternalLinkage);
  }
}

void runPipeline(Module &M, TargetMachine &Machine) {
  PipelineTuningOptions Tuning;
  Tuning.SLPVectorization = true;
  PassBuilder Builder(&Machine, Tuning);
  IrAnalyses Analyses(Builder);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(M, Analyses.Modules);
}

} // namespace

Error optimize(Module &M, clang::CompilerInstance &Compiler,
               QuietContext &Context) {
  auto Machine = makeTargetMachine(M, Compiler.getTargetOpts());
  if (!Machine)
    return Machine.takeError();
  M.setDataLayout((*Machine)->createDataLayout());
  linkDeviceLibrary(M, Compiler);
  runPipeline(M, **Machine);
  if (!Context.firstError().empty())
    return createStringError("LLVM could not optimize the device code: " +
                             Context.firstError());
  return Error::success();
}

} // namespace bankstripe
