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
#include "llvm/Support/Path.h"
#include <set>

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
  void readHandedOn(StringRef Word);
  void finish();
  void findDepfiles();
  bool isCuda(StringRef File) const;

  CompilerCommand &Command;
  std::vector<std::string> Inputs;
  std::string Language, OutputFolder, Depfile, Suffix = ".o";
  bool WritesDepfile = false, Links = true, Alone = true;
};

} // namespace

// Objects and libraries may stand beside the one file.
static bool isLinked(StringRef File) {
  return isAmong(path::extension(File), ".o .obj .a .so .lo .lib") ||
         File.contains(".so.");
}

// Whether the library is of the toolkit or the system, and so knows no kernel
// of the program's.
static bool isOfSystem(StringRef Library) {
  Library.consume_back("_static");
  return Library.starts_with("npp") ||
         isAmong(Library,
                 "cuda cudart cudadevrt cublas cublasLt cudnn cufft cufftw "
                 "cufile cupti curand cusolver cusolverMg cusparse culibos "
                 "nccl nvidia-ml nvJitLink nvjpeg nvrtc nvToolsExt "
                 "c m dl rt gomp pthread stdc++ gcc_s z mpi GL GLU glut GLEW "
                 "X11 png jpeg fftw3 fftw3f");
}

// A word for the linker, or for the host's compiler, which may hand it on.
void Reader::readHandedOn(StringRef Word) {
  if (llvm::is_contained(
          {"-shared", "-r", "-c", "-S", "--relocatable", "-Bshareable"}, Word))
    Links = false;
  else if (Word.consume_front("-l"))
    Alone &= isOfSystem(Word);
  else
    Alone &= !isLinked(Word);
}

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
  case OptionMeaning::Library:
    for (const std::string &Name : splitAtCommas(Value))
      Alone &= isOfSystem(Name);
    break;
  case OptionMeaning::HostOptions:
    for (const CompilerOption &Item :
         readOptions(Dialect::Host, splitHandedOn(Value)))
      if (Item.Meaning == OptionMeaning::Include ||
          Item.Meaning == OptionMeaning::QuoteInclude)
        read(Item);
    [[fallthrough]];
  case OptionMeaning::LinkerOptions:
    for (const std::string &List : splitHandedOn(Value))
      for (StringRef Word : llvm::split(List, ','))
        readHandedOn(Word);
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

// Kokkos' nvcc_wrapper says `-x cu` to nvcc for each source.
bool Reader::isCuda(StringRef File) const {
  const StringRef Compiler = Command.Words[Command.Compiler];
  return Language == "cu" || Language == "cuda" ||
         (Language.empty() &&
          (path::extension(File) == ".cu" ||
           (path::filename(Compiler) == "nvcc_wrapper" &&
            isAmong(path::extension(File), ".cpp .cxx .cc .C") &&
            !llvm::is_contained(Command.Args, "--host-only"))));
}

static std::string outputOf(StringRef Source, StringRef Folder,
                            StringRef Suffix) {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, path::stem(Source) + Suffix);
  return std::string(Path);
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
  std::set<StringRef> Names, Parents;
  Alone &= Inputs.size() == 1;
  for (const std::string &File : Inputs) {
    if (isLinked(File))
      continue;
    Parents.insert(path::parent_path(File));
    if (!isCuda(File))
      continue;
    Command.Sources.push_back(File);
    Names.insert(path::stem(File));
  }
  Command.OneFolder = Parents.size() == 1;
  if (Command.Sources.empty())
    Command.WhyNot = "no CUDA source is compiled";
  else if (llvm::is_contained(Command.Sources, "-"))
    Command.WhyNot = "it is read from standard input; give a file";
  else if (Names.size() != Command.Sources.size())
    Command.WhyNot = "two sources of the command have the same name; compile "
                     "each by a command of its own";
  else if (Command.Sources.size() > 1 && WritesDepfile)
    Command.WhyNot = "the command writes the dependencies of several sources; "
                     "compile each by a command of its own";
  if (!Command.WhyNot.empty())
    return;
  Command.Input = Command.Sources.front();
  if (Language.empty() && llvm::any_of(Command.Sources, [](StringRef Source) {
        return path::extension(Source) != ".cu";
      }))
    Command.AllArgs.insert(Command.AllArgs.begin(), {"-x", "cu"});
  Command.WholeProgram = Links && Alone;
  if (Command.Output.empty())
    Command.Output = outputOf(Command.Input, OutputFolder, Suffix);
  findDepfiles();
}

void Reader::run(Dialect WrittenFor) {
  for (const CompilerOption &Option : readOptions(WrittenFor, Command.AllArgs))
    read(Option);
  Command.MakesModule = Suffix != ".o";
  finish();
}

CompilerCommand bankstripe::readCompilerCommand(std::vector<std::string> Words,
                                                StringRef Directory,
                                                StringRef Before,
                                                StringRef After) {
  CompilerCommand Command;
  CommandLine Line = readCommandLine(Words, Directory);
  Command.Words = std::move(Words);
  Command.Args = std::move(Line.Args);
  if (Line.Compiler.empty()) {
    Command.WhyNot = "it names no compiler";
    return Command;
  }
  if (Line.IsNvcc)
    Command.AllArgs = splitWords(Before);
  llvm::append_range(Command.AllArgs, Command.Args);
  if (Line.IsNvcc)
    llvm::append_range(Command.AllArgs, splitWords(After));
  Command.Compiler = Line.Place;
  Command.IsNvcc = Line.IsNvcc;
  StringRef Name = path::filename(Line.Compiler);
  // A wrapper of another name is taken for what its arguments are written for.
  const bool IsOther = !Line.IsNvcc && !Name.contains("clang") &&
                       !looksLikeClang(Command.AllArgs);
  Reader(Command).run(Line.dialect());
  if (IsOther)
    Command.WhyNot = ("'" + Name + "' is neither nvcc nor Clang").str();
  return Command;
}

static llvm::ArrayRef<std::string>
argumentsIn(llvm::ArrayRef<std::string> Words, const CompilerCommand &Command) {
  return Words.drop_front(Command.Compiler + 1);
}

static std::vector<CompilerOption> optionsIn(llvm::ArrayRef<std::string> Args,
                                             const CompilerCommand &Command) {
  return readOptions(Command.IsNvcc ? Dialect::Nvcc : Dialect::Clang, Args);
}

std::vector<CompilerCommand>
bankstripe::oneBySource(const CompilerCommand &Command) {
  std::vector<CompilerCommand> Result;
  for (const std::string &Source : Command.Sources) {
    CompilerCommand &Single = Result.emplace_back(Command);
    Single.Input = Source;
    Single.Sources = {Source};
    if (Command.Sources.size() > 1)
      Single.Output += ("." + path::stem(Source)).str();
    // Else they would be read as well.
    std::set<const std::string *> Others;
    for (const CompilerOption &Option : optionsIn(Command.AllArgs, Command))
      if (Option.Meaning == OptionMeaning::Input && Option.Value != Source &&
          !isLinked(Option.Value))
        Others.insert(Option.Words.data());
    Single.AllArgs.clear();
    for (const std::string &Word : Command.AllArgs)
      if (!Others.count(&Word))
        Single.AllArgs.push_back(Word);
  }
  return Result;
}

std::vector<std::string>
bankstripe::compileInstead(const CompilerCommand &Command,
                           const std::map<std::string, std::string> &Copies,
                           llvm::ArrayRef<std::string> Extra) {
  const auto Given = argumentsIn(Command.Words, Command);
  std::vector<std::string> Result(Command.Words.begin(),
                                  Command.Words.end() - Given.size());
  llvm::append_range(Result, Extra);
  // Response files may name inputs.
  const bool Named = llvm::all_of(Copies, [&](const auto &Each) {
    return llvm::is_contained(Given, Each.first);
  });
  const size_t First = Result.size();
  llvm::append_range(Result, Named ? Given : llvm::ArrayRef(Command.Args));
  // The last one of each, where options are no inputs.
  std::map<std::string, size_t> Places;
  for (const CompilerOption &Option :
       optionsIn(llvm::ArrayRef(Result).drop_front(First), Command))
    if (Option.Meaning == OptionMeaning::Input && Copies.count(Option.Value))
      Places[Option.Value] = Option.Words.data() - Result.data();
  for (const auto &[Input, Place] : Places)
    Result[Place] = Copies.at(Input);
  return Result;
}
