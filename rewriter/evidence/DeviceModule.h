//===-- DeviceModule.h - device IR of a translation unit --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ParsedUnit => llvm::Module => the same, optimised
//
// What cannot matter to the findings is not optimised.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_DEVICEMODULE_H
#define BANKSTRIPE_EVIDENCE_DEVICEMODULE_H

#include "model/Place.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace bankstripe {

class ParsedUnit;
struct UnitFacts;

/// Keeps what LLVM has to say about the code away from the user's terminal:
/// remarks and warnings are for whoever compiles the file in earnest. Errors
/// are kept as text.
class QuietContext {
public:
  QuietContext();
  llvm::LLVMContext &get() { return Context; }
  const std::string &firstError() const { return FirstError; }

private:
  std::string FirstError;
  llvm::LLVMContext Context;
};

/// Emits the device code of \p Unit as Clang does at -O3, before any
/// optimisation, with value names and debug information.
llvm::Expected<std::unique_ptr<llvm::Module>>
emitDeviceModule(ParsedUnit &Unit, const UnitFacts &Facts,
                 QuietContext &Context);

/// Whether \p F, of such a module, is of a system header or of the compiler. A
/// function of a library, which such a header only declares, is not.
bool isOfSystem(const llvm::Function &F);

/// Where \p F is declared, as far as debug information says.
Place placeOf(const llvm::Function &F);
/// The same of a variable; the column is 0 if unknown.
Place placeOf(const llvm::DbgVariableRecord &Record);

/// The name that the syntax tree has for \p F. With relocatable device code,
/// Clang adds to names of internal linkage that the host has to find.
llvm::StringRef sourceName(const llvm::Function &F);

/// Adds every function that can get to a member of \p Reached by calls or by
/// its address, however it is passed around, also in memory.
void addCallers(llvm::SmallDenseSet<llvm::Function *> &Reached);

/// Removes from \p M what can have no influence on the functions \p Holders:
/// all but them, the kernels that reach them, and what those need. What remains
/// and is no root gets internal linkage.
void keepOnly(llvm::Module &M,
              const llvm::SmallDenseSet<llvm::Function *> &Holders);

/// The analyses that LLVM has of modules.
struct IrAnalyses {
  explicit IrAnalyses(llvm::PassBuilder &Builder);

  llvm::LoopAnalysisManager Loops;
  llvm::FunctionAnalysisManager Functions;
  llvm::CGSCCAnalysisManager Components;
  llvm::ModuleAnalysisManager Modules;
};

/// Optimises \p M at -O3, after linking what it needs of the device library
/// that \p Compiler's command names.
llvm::Error optimize(llvm::Module &M, clang::CompilerInstance &Compiler,
                     QuietContext &Context);

} // namespace bankstripe

#endif
