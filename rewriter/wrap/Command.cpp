//===-- Command.cpp - what kind of command a launcher is given ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not understood is left alone, so a launcher never stands in the way
// of a build.
//
//===----------------------------------------------------------------------===//

#include "wrap/Command.h"
#include "frontend/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

/// Reads the arguments one after the other.
class Reader {
public:
  explicit Reader(CompilerCommand &Command) : Command(Command) {}

  void run(Dialect WrittenFor);

private:
  void read(const CompilerOption &Option);
  void finish();
  void findOutput();
  void findDepfiles();
  bool isCuda(StringRef File) const;

  CompilerCommand &Command;
  std::vector<std::string> Inputs;
  std::string Language, OutputFolder, Depfile, Suffix = ".o";
  bool WritesDepfile = false, Links = true;
};

} // namespace

void Reader::read(const CompilerOption &Option) {
  const std::string &Value = Option.Value;
  switch (Option.Meaning) {
  case OptionMeaning::Input:
    Inputs.push_back(Value);
    break;
  case OptionMeaning::Include:
    for (std::string &Folder : Command.IsNvcc ? splitAtCommas(Value)
                                              : std::vector<std::string>{Value})
      Command.Folders.Any.push_back(std::move(Folder));
    break;
  case OptionMeaning::QuoteInclude:
    Command.Folders.Quote.push_back(Value);
    break;
  case OptionMeaning::Language:
    Language = Value;
    break;
  case OptionMeaning::NoCompile:
    Command.WhyNot = "'" + Option.Words.front() + "' asks for no compile";
    break;
  case OptionMeaning::Module:
    Suffix = "." + Value;
    Links = false;
    break;
  case OptionMeaning::Assembly:
    Suffix = ".s";
    Links = false;
    break;
  case OptionMeaning::NotLinked:
  // Libraries may hold device code that is linked to the program's.
  case OptionMeaning::Relocatable:
  case OptionMeaning::RelocatableObject:
    Links = false;
    break;
  case OptionMeaning::Output:
    Command.Output = Value;
    break;
  case OptionMeaning::OutputFolder:
    OutputFolder = Value;
    break;
  case OptionMeaning::WritesDependencies:
    WritesDepfile = true;
    break;
  case OptionMeaning::DependencyFile:
    Depfile = Value;
    break;
  default:
    break;
  }
}

bool Reader::isCuda(StringRef File) const {
  return Language == "cu" || Language == "cuda" ||
         (Language.empty() && path::extension(File) == ".cu");
}

// Objects and libraries may stand beside the one file.
static bool isLinked(StringRef File) {
  return llvm::is_contained({".o", ".obj", ".a", ".so", ".lo", ".lib"},
                            path::extension(File));
}

void Reader::findOutput() {
  if (!Command.Output.empty())
    return;
  llvm::SmallString<256> Path(OutputFolder);
  path::append(Path, path::stem(Command.Input) + Suffix);
  Command.Output = std::string(Path);
}

void Reader::findDepfiles() {
  if (!WritesDepfile)
    return;
  if (!Depfile.empty()) {
    Command.Depfiles = {Depfile};
    return;
  }
  llvm::SmallString<256> Path(Command.Output);
  path::replace_extension(Path, ".d");
  Command.Depfiles = {std::string(Path), Command.Output + ".d",
                      (path::stem(Command.Input) + ".d").str()};
}

void Reader::finish() {
  if (!Command.WhyNot.empty())
    return;
  std::vector<std::string> Sources;
  for (const std::string &File : Inputs)
    if (!isLinked(File))
      Sources.push_back(File);
  if (llvm::is_contained(Sources, "-"))
    Command.WhyNot = "the source is read from standard input";
  else if (llvm::none_of(Sources, [&](StringRef F) { return isCuda(F); }))
    Command.WhyNot = "no CUDA source is compiled";
  else if (Sources.size() > 1)
    Command.WhyNot = "it compiles several sources at once; give each a command";
  if (!Command.WhyNot.empty())
    return;
  Command.Input = Sources.front();
  Command.WholeProgram = Links && Inputs.size() == 1;
  findOutput();
  findDepfiles();
}

void Reader::run(Dialect WrittenFor) {
  for (const CompilerOption &Option : readOptions(WrittenFor, Command.AllArgs))
    read(Option);
  Command.MakesModule = Suffix != ".o";
  finish();
}

std::vector<std::string> bankstripe::splitWords(StringRef Text) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 8> Found;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Found);
  return {Found.begin(), Found.end()};
}

CompilerCommand bankstripe::readCompilerCommand(std::vector<std::string> Words,
                                                StringRef Directory,
                                                StringRef Before,
                                                StringRef After) {
  CompilerCommand Command;
  CommandLine Line = readCommandLine(Words, Directory);
  Command.Words = std::move(Words);
  Command.Args = std::move(Line.Args);
  auto Found = llvm::find(Command.Words, Line.Compiler);
  if (Line.Compiler.empty() || Found == Command.Words.end()) {
    Command.WhyNot = "it names no compiler";
    return Command;
  }
  if (Line.IsNvcc)
    Command.AllArgs = splitWords(Before);
  llvm::append_range(Command.AllArgs, Command.Args);
  if (Line.IsNvcc)
    llvm::append_range(Command.AllArgs, splitWords(After));
  Command.Compiler = Found - Command.Words.begin();
  Command.IsNvcc = Line.IsNvcc;
  StringRef Name = path::filename(Line.Compiler);
  // A wrapper of another name is taken for what its arguments are written for.
  if (!Line.IsNvcc && !Name.contains("clang") &&
      !looksLikeClang(Command.AllArgs))
    Command.WhyNot = ("'" + Name + "' is neither nvcc nor Clang").str();
  else
    Reader(Command).run(Line.dialect());
  return Command;
}

std::vector<std::string>
bankstripe::compileInstead(const CompilerCommand &Command, StringRef Copy,
                           llvm::ArrayRef<std::string> Extra) {
  const auto AfterCompiler = Command.Words.begin() + Command.Compiler + 1;
  std::vector<std::string> Result(Command.Words.begin(), AfterCompiler);
  llvm::append_range(Result, Extra);
  // An input that a response file names.
  const bool Named = std::find(AfterCompiler, Command.Words.end(),
                               Command.Input) != Command.Words.end();
  const size_t First = Result.size();
  if (Named)
    Result.insert(Result.end(), AfterCompiler, Command.Words.end());
  else
    llvm::append_range(Result, Command.Args);
  // The last one, where options are no inputs.
  const llvm::ArrayRef<std::string> Args =
      llvm::ArrayRef(Result).drop_front(First);
  size_t Last = Result.size();
  for (const CompilerOption &Option :
       readOptions(Command.IsNvcc ? Dialect::Nvcc : Dialect::Clang, Args))
    if (Option.Meaning == OptionMeaning::Input && Option.Value == Command.Input)
      Last = Option.Words.data() - Result.data();
  if (Last != Result.size())
    Result[Last] = Copy.str();
  return Result;
}
