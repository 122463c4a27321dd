//===-- LaunchEdits.cpp - launches that bring the storage -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose arrays lie in dynamic shared memory gets a function behind its
// definition that says how much of it a launch asks for, allows more than 48
// KB, and sees to the carveout:
//
//     static inline size_t count_shared_bytes(dim3 block, size_t own) {
//       return ::bankstripe::shared_bytes<2048>(block, own);
//     }
//
//     count<<<grid, block, count_shared_bytes(block, 0)>>>(in, out);
//     cudaLaunchKernelEx(::bankstripe::configured(&config, count_shared_bytes),
//                        count, in, out);
//
// Each other declaration of the kernel gets one of the function before it, so
// that whoever can launch the one can call the other. Questions how many blocks
// can be resident call it, too. Where it has to name an instance of a template,
// it is a template itself.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// The function of one kernel; instances of a template share it.
struct KernelFunction {
  const KernelText *Text = nullptr;
  bool Redirected = false;
  uint64_t WarpBytes = 0;
  bool OptIn = false;
  Carveout Carved;

  bool takesGrid() const { return Carved.How == Carveout::Rule::Auto; }
  bool setsCarveout() const { return Carved.How != Carveout::Rule::Driver; }
  bool isTemplate() const {
    return (OptIn || setsCarveout()) && !Text->TemplateHead.empty();
  }
  std::string nameOf(const std::string &Kernel) const {
    return Redirected ? versionName(Kernel) : Kernel;
  }
  std::string specifiers() const;
  std::string signature() const;
  std::vector<std::string> body() const;
  std::string definition(StringRef NewLine) const;
};

using KernelFunctions = std::map<TextRange, KernelFunction>; ///< By definition.

} // namespace

// A definition in a header stands in several units. What nothing declares is of
// its unit alone: another one may have a kernel of this name, of other types.
std::string KernelFunction::specifiers() const {
  const StringRef Extension = llvm::sys::path::extension(Text->Definition.File);
  const bool InSource = Extension == ".cu" || Extension == ".cpp" ||
                        Extension == ".cc" || Extension == ".cxx" ||
                        Extension == ".c";
  if (Text->Internal || Redirected || Text->Declarations.empty())
    return "static inline ";
  return InSource && !isTemplate() ? "" : "inline ";
}

std::string KernelFunction::signature() const {
  return specifiers() + "size_t " + sharedBytesName(nameOf(Text->Name)) +
         (takesGrid() ? "(dim3 grid, dim3 block, size_t own)"
                      : "(dim3 block, size_t own)");
}

std::vector<std::string> KernelFunction::body() const {
  const std::string Kernel = "(const void *)" + nameOf(Text->Name) +
                             (isTemplate() ? Text->TemplateArguments : "");
  std::vector<std::string> Lines;
  std::string Bytes = "own";
  if (WarpBytes)
    Bytes =
        llvm::formatv("::bankstripe::shared_bytes<{0}>(block, own)", WarpBytes);
  if (OptIn) {
    Lines.emplace_back("static ::bankstripe::allowance allowed;");
    Bytes = llvm::formatv(
        "::bankstripe::shared_bytes<{0}>(allowed, {1}, block, own)", WarpBytes,
        Kernel);
  }
  if (setsCarveout()) {
    Lines.emplace_back("static ::bankstripe::carveout carved;");
    Lines.push_back("const size_t bytes = " + Bytes + ";");
    Lines.push_back("carved." +
                    (takesGrid() ? "fit(" + Kernel + ", grid, block, bytes);"
                                 : "set(" + Kernel + ", " +
                                       std::to_string(Carved.Percent) + ");"));
    Bytes = "bytes";
  }
  Lines.push_back("return " + Bytes + ";");
  return Lines;
}

std::string KernelFunction::definition(StringRef NewLine) const {
  std::string Result = "// What a launch asks for that needs `own` bytes of "
                       "dynamic shared memory itself." +
                       NewLine.str();
  if (isTemplate())
    Result += Text->TemplateHead + NewLine.str();
  Result += signature() + " {" + NewLine.str();
  for (const std::string &Line : body())
    Result += "  " + Line + NewLine.str();
  return Result + "}";
}

static KernelFunctions functionsOf(const Plan &P) {
  KernelFunctions Result;
  for (const KernelPlan &K : P.Kernels) {
    if (!K.editsLaunches())
      continue;
    auto [It, New] = Result.try_emplace(K.Facts.Text.Definition);
    KernelFunction &F = It->second;
    F.Text = &K.Facts.Text;
    F.Redirected = K.Redirected;
    F.WarpBytes = std::max(F.WarpBytes, K.WarpBytes);
    F.OptIn |= K.OptIn;
    F.Carved = New || F.Carved == K.Carved ? K.Carved : Carveout();
  }
  return Result;
}

// The place after a definition, with a blank line on both sides.
static TextEdit behind(const TextRange &Definition, StringRef Code,
                       const std::string &Text, StringRef LineEnding) {
  std::string Result = (LineEnding + LineEnding).str() + Text;
  if (codeFollows(Code, Definition.end()))
    Result += LineEnding;
  return {Definition.end(), 0, std::move(Result)};
}

// `::bankstripe::WHAT<decltype(k<16>), k<16>, k_striped<16>>`. Three brackets
// in a row would end a launch's configuration.
static std::string choiceOf(StringRef What, const LaunchText &Text) {
  const std::string Kernel = Text.Kernel + Text.Arguments;
  const std::string Version = versionName(Text.Kernel) + Text.Arguments;
  return llvm::formatv("::bankstripe::{0}<decltype({1}), {1}, {2}{3}>", What,
                       Kernel, Version,
                       StringRef(Version).ends_with(">>") ? " " : "");
}

// The edits of a launch that chooses. Of its storage \p F says how much there
// is; it is null where launches ask for none.
static EditList choiceEdits(const LaunchText &Text, bool Predicted,
                            const KernelFunction *F) {
  std::string Choice =
      choiceOf("choose", Text) +
      llvm::formatv("({0}, {1}, {2}, {3}, {4}", Predicted ? "true" : "false",
                    Text.Choice.Grid, Text.Block,
                    Text.Shared.empty() ? "0" : Text.Shared, Text.Choice.Stream)
          .str();
  if (F)
    Choice += ", " + sharedBytesName(versionName(Text.Kernel)) +
              (F->isTemplate() ? Text.Arguments : "");
  Choice += ")";
  if (!Text.Replaced.Length)
    Choice.insert(0, ", ");
  return {{Text.Choice.Callee.Offset, Text.Choice.Callee.Length,
           choiceOf("chosen", Text) + "()"},
          {Text.Replaced.Offset, Text.Replaced.Length, std::move(Choice)}};
}

// The kernels, by definition, whose launches choose, and whether their versions
// are expected to be faster.
static std::map<TextRange, bool> choosingKernels(const Plan &P) {
  std::map<TextRange, bool> Result;
  for (const KernelPlan &K : P.Kernels)
    if (K.Chooses)
      Result.try_emplace(K.Facts.Text.Definition, true).first->second &=
          !K.Predicted || K.Predicted->Speedup >= 1;
  return Result;
}

static TextEdit launchEdit(const PlannedLaunch &L, const KernelFunction &F) {
  const LaunchText &Text = L.Text;
  std::string Result = sharedBytesName(F.nameOf(Text.Kernel));
  if (F.isTemplate())
    Result += Text.Arguments;
  if (!Text.Configuration.empty())
    return {Text.Replaced.Offset, Text.Replaced.Length,
            "::bankstripe::configured(" + Text.Configuration + ", " + Result +
                ")"};
  Result += "(";
  if (F.takesGrid())
    Result += (Text.Grid.empty() ? "0" : Text.Grid) + ", ";
  Result += Text.Block + ", ";
  Result += (Text.Shared.empty() ? "0" : Text.Shared) + ")";
  if (!Text.Replaced.Length)
    Result.insert(0, ", ");
  return {Text.Replaced.Offset, Text.Replaced.Length, std::move(Result)};
}

std::map<TextRange, std::string>
bankstripe::launchFunctions(const Plan &P, StringRef LineEnding) {
  std::map<TextRange, std::string> Result;
  for (const auto &[Where, F] : functionsOf(P))
    Result[Where] = F.definition(LineEnding);
  return Result;
}

// Whether compilers that know no CUDA read a header with \p Code, too: it sees
// to that. A directive can stand at \p Offset.
static bool isForHostsToo(StringRef Code, size_t Offset) {
  return (Code.contains("__CUDACC__") || Code.contains("__NVCC__") ||
          Code.contains("define __global__")) &&
         Code.take_front(Offset).rsplit('\n').second.trim().empty();
}

// The functions beside the kernels, and their declarations.
static EditList editsOfFunctions(const KernelFunctions &Functions,
                                 StringRef Path, StringRef Code) {
  EditList Edits;
  const StringRef LineEnding = lineEndingOf(Code);
  for (const auto &[Where, F] : Functions) {
    if (F.Redirected)
      continue;
    if (Where.File == Path)
      Edits.push_back(
          behind(Where, Code, F.definition(LineEnding), LineEnding));
    for (const TextRange &Declared : F.Text->Declarations) {
      if (Declared.File != Path)
        continue;
      const std::string NewLine =
          (LineEnding + indentationAt(Code, Declared.Offset)).str();
      const std::string Head = F.isTemplate() ? F.Text->TemplateHead + " " : "";
      const std::string Declaration = Head + F.signature() + ";";
      Edits.push_back({Declared.Offset, 0,
                       isForHostsToo(Code, Declared.Offset)
                           ? "#ifdef __CUDACC__" + NewLine + Declaration +
                                 NewLine + "#endif" + NewLine
                           : Declaration + NewLine});
    }
  }
  return Edits;
}

EditList bankstripe::editsOfLaunches(const Plan &P, StringRef Path,
                                     StringRef Code, NeededHelpers &Needs) {
  const KernelFunctions Functions = functionsOf(P);
  const std::map<TextRange, bool> Choosing = choosingKernels(P);
  Needs.Helper |= llvm::any_of(
      Functions, [&](const auto &Each) { return Each.first.File == Path; });
  EditList Edits = editsOfFunctions(Functions, Path, Code);
  for (const PlannedLaunch &L : P.Launches) {
    const KernelPlan &K = P.Kernels[L.Kernel];
    auto Function = Functions.find(K.Facts.Text.Definition);
    if (K.Chooses) {
      if (L.Text.Choice.Callee.File != Path)
        continue;
      llvm::append_range(
          Edits, choiceEdits(L.Text, Choosing.at(K.Facts.Text.Definition),
                             Function == Functions.end() ? nullptr
                                                         : &Function->second));
      Needs.Choice = true;
      continue;
    }
    if (K.Redirected && L.Text.Name.File == Path)
      Edits.push_back({L.Text.Name.Offset, L.Text.Name.Length,
                       versionName(K.Facts.Text.Name)});
    if (Function == Functions.end() || L.Text.Replaced.File != Path)
      continue;
    Edits.push_back(launchEdit(L, Function->second));
    Needs.Helper |= !L.Text.Configuration.empty();
  }
  return Edits;
}
