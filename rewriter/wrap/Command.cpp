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
#include "frontend/NvccOptions.h"
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

  void run();

private:
  unsigned readOption(llvm::ArrayRef<std::string> Args);
  unsigned readClangOption(llvm::ArrayRef<std::string> Args);
  void take(StringRef Name, StringRef Value);
  void readPhase(StringRef Name);
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

/// Options that make another thing of the command than a compile, in nvcc's
/// spellings and Clang's, without dashes.
static constexpr llvm::StringLiteral OtherPhases[] = {
    "M",
    "MM",
    "generate-dependencies",
    "generate-nonsystem-dependencies",
    "E",
    "preprocess",
    "dlink",
    "device-link",
    "lib",
    "dryrun",
    "optix-ir",
    "version",
    "V",
    "help",
    "h",
    "fsyntax-only",
    "fdevice-syntax-only",
    "list-gpu-arch",
    "arch-ls",
    "list-gpu-code",
    "code-ls",
    "clean",
    "clean-targets",
    "run",
    "cuda",
    "###"};

/// Options whose result is linked with something else.
static constexpr llvm::StringLiteral UnlinkedPhases[] = {
    "c",   "compile",  "dc",     "device-c", "dw",   "device-w",
    "ptx", "cubin",    "fatbin", "ltoir",    "S",    "shared",
    "r",   "fgpu-rdc", "link",   "lib",      "dlink"};

void Reader::readPhase(StringRef Name) {
  Links &= !llvm::is_contained(UnlinkedPhases, Name);
  if (llvm::is_contained(OtherPhases, Name))
    Command.WhyNot = ("'-" + Name + "' asks for no compile").str();
  if (Name == "ptx" || Name == "cubin" || Name == "fatbin" || Name == "ltoir")
    Suffix = ("." + Name).str();
  if (Name == "S")
    Suffix = ".s";
  Command.MakesModule |= Suffix != ".o";
  WritesDepfile |=
      llvm::is_contained({"MD", "MMD", "generate-dependencies-with-compile",
                          "generate-nonsystem-dependencies-with-compile"},
                         Name);
}

void Reader::take(StringRef Name, StringRef Value) {
  if (Name == "o" || Name == "output-file")
    Command.Output = Value.str();
  else if (Name == "odir" || Name == "output-directory")
    OutputFolder = Value.str();
  else if (Name == "MF" || Name == "dependency-output")
    Depfile = Value.str();
  else if (Name == "x" || Name == "language")
    Language = Value.str();
  else if (Name == "iquote")
    Command.QuoteFolders.push_back(Value.str());
  else if (Name == "I" || Name == "include-path")
    for (std::string &Folder : Command.IsNvcc
                                   ? splitAtCommas(Value)
                                   : std::vector<std::string>{Value.str()})
      Command.Folders.push_back(std::move(Folder));
}

unsigned Reader::readClangOption(llvm::ArrayRef<std::string> Args) {
  StringRef Arg = Args.front();
  const bool WithValue =
      clangTakesValue(Arg) || Arg == "-Xpreprocessor" || Arg == "-Xcompiler";
  if (WithValue && Args.size() > 1) {
    take(Arg.drop_front(), Args[1]);
    return 2;
  }
  for (StringRef Glued : {"-iquote", "-MF", "-I", "-o", "-x"})
    if (Arg.size() > Glued.size() && Arg.starts_with(Glued)) {
      take(Glued.drop_front(), Arg.drop_front(Glued.size()));
      return 1;
    }
  readPhase(Arg.ltrim('-'));
  return 1;
}

unsigned Reader::readOption(llvm::ArrayRef<std::string> Args) {
  if (!Command.IsNvcc)
    return readClangOption(Args);
  std::optional<NvccOption> Option = readNvccOption(Args);
  if (!Option)
    return readClangOption(Args);
  StringRef Name = StringRef(Args.front()).ltrim('-').split('=').first;
  if (Option->Meaning == NvccMeaning::Include)
    Name = "I"; // Which may have its value glued on.
  else if (Option->Arguments == 1 && Name.size() > 1 && Name[0] == 'o' &&
           Option->Value == Name.drop_front())
    Name = "o";
  // Libraries may hold device code that is linked to the program's.
  Links &= Option->Meaning != NvccMeaning::Relocatable &&
           Option->Meaning != NvccMeaning::RelocatableAlways;
  readPhase(Name);
  take(Name, Option->Value);
  return Option->Arguments;
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

void Reader::run() {
  llvm::ArrayRef<std::string> Args = Command.AllArgs;
  while (!Args.empty()) {
    unsigned Taken = 1;
    if (StringRef(Args.front()).starts_with("-") && Args.front() != "-")
      Taken = readOption(Args);
    else
      Inputs.push_back(Args.front());
    Args = Args.drop_front(std::min<size_t>(Taken, Args.size()));
  }
  finish();
}

static void appendWords(std::vector<std::string> &Into, StringRef Text) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 8> Found;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Found);
  llvm::append_range(Into, Found);
}

CompilerCommand bankstripe::readCompilerCommand(std::vector<std::string> Words,
                                                StringRef Directory,
                                                const EnvironmentArgs &Added) {
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
    appendWords(Command.AllArgs, Added.Before);
  llvm::append_range(Command.AllArgs, Command.Args);
  if (Line.IsNvcc)
    appendWords(Command.AllArgs, Added.After);
  Command.Compiler = Found - Command.Words.begin();
  Command.IsNvcc = Line.IsNvcc;
  StringRef Name = path::filename(Line.Compiler);
  // A wrapper of another name is taken for what its arguments are written for.
  if (!Line.IsNvcc && !Name.contains("clang") &&
      !looksLikeClang(Command.AllArgs))
    Command.WhyNot = ("'" + Name + "' is neither nvcc nor Clang").str();
  else
    Reader(Command).run();
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
  // The last one: an option before it may have the same value.
  for (size_t I = Result.size(); I-- > First;)
    if (Result[I] == Command.Input) {
      const bool IsValue =
          I > First && llvm::is_contained({"-o", "-MT", "-MQ", "-MF"},
                                          StringRef(Result[I - 1]));
      if (IsValue)
        continue;
      Result[I] = Copy.str();
      break;
    }
  return Result;
}
