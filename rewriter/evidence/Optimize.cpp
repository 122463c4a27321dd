//===-- Optimize.cpp - run the device's -O3 pipeline ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline that `clang++ -O3` runs for the device, inside this process:
// the same target machine, tuning and device library, so that what survives
// here survives there.
//
//===----------------------------------------------------------------------===//

#include "evidence/DeviceModule.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();

using namespace llvm;

namespace bankstripe {
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

Expected<std::unique_ptr<TargetMachine>>
makeTargetMachine(const Module &M, const clang::TargetOptions &Target,
                  StringRef GpuArch) {
  initializeTarget();
  std::string Problem;
  const llvm::Target *T =
      TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
  if (!T)
    return createStringError(Problem);
  // The PTX version of the command belongs to the command's architecture; for
  // another one LLVM's own choice is always a valid pair.
  std::string Features;
  if (Target.CPU == GpuArch)
    Features = join(Target.FeaturesAsWritten, ",");
  std::unique_ptr<TargetMachine> Machine(T->createTargetMachine(
      M.getTargetTriple(), GpuArch, Features, TargetOptions(), Reloc::Static,
      std::nullopt, CodeGenOptLevel::Aggressive));
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
    auto Library =
        getOwningLazyBitcodeModule(std::move(*Buffer), M.getContext());
    if (!Library) {
      consumeError(Library.takeError());
      continue;
    }
    if (Model != M.end())
      copyTargetAttributes(*Model, **Library);
    (*Library)->setTargetTriple(M.getTargetTriple());
    (*Library)->setDataLayout(M.getDataLayout());
    Linker::linkModules(M, std::move(*Library), Linker::LinkOnlyNeeded,
                        [](Module &Linked, const StringSet<> &Names) {
                          for (const auto &Name : Names.keys())
                            if (Function *F = Linked.getFunction(Name);
                                F && !F->isDeclaration())
                              F->setLinkage(GlobalValue::InternalLinkage);
                        });
  }
}

void runPipeline(Module &M, TargetMachine &Machine) {
  PipelineTuningOptions Tuning;
  Tuning.LoopUnrolling = true;
  Tuning.LoopInterleaving = true;
  Tuning.LoopVectorization = true;
  Tuning.SLPVectorization = true;
  PassBuilder Builder(&Machine, Tuning);
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(M, Modules);
}

} // namespace

Error optimize(Module &M, clang::CompilerInstance &Compiler, StringRef GpuArch,
               QuietContext &Context) {
  auto Machine = makeTargetMachine(M, Compiler.getTargetOpts(), GpuArch);
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
