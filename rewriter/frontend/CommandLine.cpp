//===-- CommandLine.cpp - reading compilers' command lines ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler, which may stand behind launchers, and its arguments, some of
// which may stand in files.
//
//===----------------------------------------------------------------------===//

#include "frontend/CommandLine.h"
#include "frontend/Frontend.h"
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// Files that name one another are given up on at this depth.
constexpr unsigned DeepestOptionsFile = 16;

/// nvcc's `--options-file=a,b` and `--options-file a,b` become `@a @b`.
/// \returns whether there was one.
bool nameOptionsFiles(std::vector<std::string> &Args) {
  std::vector<std::string> Result;
  for (size_t I = 0; I != Args.size(); ++I) {
    const auto [Option, List] = StringRef(Args[I]).split('=');
    if (!Option.starts_with("-") ||
        !is_contained({"options-file", "optf"}, Option.ltrim('-')))
      Result.push_back(Args[I]);
    else if (Option != Args[I] || I + 1 != Args.size())
      for (const std::string &File :
           splitAtCommas(Option != Args[I] ? List : StringRef(Args[++I])))
        Result.push_back("@" + File);
  }
  const bool Changed = Result != Args;
  Args = std::move(Result);
  return Changed;
}

/// Puts the content of response files in their place; those that cannot be
/// read stay.
void expandResponseFiles(std::vector<std::string> &Args, StringRef Directory) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 32> Expanded;
  for (const std::string &Arg : Args)
    Expanded.push_back(Saver.save(Arg).data());
  const auto Disk = openDisk(/*WithPipes=*/false);
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine, Disk.get());
  Context.setCurrentDir(Directory);
  consumeError(Context.expandResponseFiles(Expanded));
  Args.assign(Expanded.begin(), Expanded.end());
}

bool isNamed(StringRef Program, StringRef Names) {
  StringRef Name = sys::path::filename(Program);
  Name.consume_back(".exe");
  return isAmong(Name, Names);
}

/// Whether \p Word is nvcc or Clang, of some version, or a wrapper that is
/// named after nvcc.
bool namesCompiler(StringRef Word) {
  if (Word.starts_with("-") || // And `env CUDACXX=/usr/bin/nvcc` starts none.
      (Word.contains('=') && !Word.starts_with("/")))
    return false;
  StringRef Name = sys::path::filename(Word);
  Name.consume_back(".exe");
  Name = Name.rtrim("0123456789.-");
  return Name.ends_with("clang") || Name.ends_with("clang++") ||
         (Name.contains("nvcc") && !Name.contains('.'));
}

/// The place of the compiler: of the first word that names nvcc or Clang,
/// whatever starts it. What follows a source, or an option that takes a path,
/// is an argument of another compiler, which is the first word behind
/// Launchers.
size_t findCompiler(ArrayRef<std::string> Args) {
  constexpr StringLiteral Launchers =
      "ccache sccache distcc icecc time nice env --";
  constexpr StringLiteral TakePaths =
      "-o -I -isystem -include -ccbin --compiler-bindir";
  if (!Args.empty() && StringRef(Args[0]).starts_with("-") && Args[0] != "--")
    return 0;
  for (size_t I = 0; I != Args.size(); ++I) {
    if (namesCompiler(Args[I]) && !(I && isAmong(Args[I - 1], TakePaths)))
      return I;
    if (isAmong(sys::path::extension(Args[I]), ".cu .cpp .cc .cxx .c .C"))
      break;
  }
  return find_if(Args,
                 [&](StringRef Arg) { return !isNamed(Arg, Launchers); }) -
         Args.begin();
}

} // namespace

CommandLine readCommandLine(ArrayRef<std::string> Args, StringRef Directory) {
  CommandLine Command;
  const size_t Words = Args.size();
  if (Args.size() > 1 && isNamed(Args[0], "bankstripe") && Args[1] == "wrap") {
    Args = Args.drop_front(2); // A build may have been recorded with it.
    while (!Args.empty() && StringRef(Args[0]).starts_with("-"))
      Args = Args.drop_front();
  }
  Args = Args.drop_front(findCompiler(Args));
  Command.Place = Words - Args.size();
  if (!Args.empty() && !StringRef(Args.front()).starts_with("-")) {
    Command.Compiler = Args.front();
    Args = Args.drop_front();
    Command.IsNvcc = sys::path::filename(Command.Compiler).contains("nvcc");
  } else {
    Command.IsNvcc = !looksLikeClang(Args);
  }
  Command.Args = Args;
  for (unsigned Depth = 0; Depth != DeepestOptionsFile; ++Depth) {
    expandResponseFiles(Command.Args, Directory);
    if (!Command.IsNvcc || !nameOptionsFiles(Command.Args))
      break;
  }
  return Command;
}

CommandLine commandOf(const CompileJob &Job) {
  return readCommandLine(Job.OriginalArgs, Job.Directory);
}

std::vector<std::string> splitWords(StringRef Text) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 8> Found;
  cl::TokenizeGNUCommandLine(Text, Saver, Found);
  return {Found.begin(), Found.end()};
}

bool looksLikeClang(ArrayRef<std::string> Args) {
  constexpr StringLiteral OnlyClang =
      "--cuda-gpu-arch --offload-arch --cuda-path --cuda-device-only "
      "--cuda-host-only -nocuda -fcuda -fgpu -Xclang -resource-dir -xcuda "
      "--cuda-feature";
  for (size_t I = 0; I != Args.size(); ++I)
    if (startsWithAny(Args[I], OnlyClang) ||
        (Args[I] == "-x" && I + 1 != Args.size() && Args[I + 1] == "cuda"))
      return true;
  return false;
}

bool compilesCuda(const CommandLine &Command) {
  return any_of(readOptions(Command.dialect(), Command.Args),
                [](const CompilerOption &Option) {
                  return Option.Meaning == OptionMeaning::Language &&
                         isAmong(Option.Value, "cu cuda");
                });
}

std::vector<std::string> splitAtCommas(StringRef List) {
  std::vector<std::string> Items(1);
  bool Quoted = false;
  for (size_t I = 0; I != List.size(); ++I) {
    if (List[I] == '\\' && I + 1 != List.size() && List[I + 1] == ',') {
      Items.back() += List[++I];
      continue;
    }
    if (List[I] == '"')
      Quoted = !Quoted;
    if (List[I] == ',' && !Quoted)
      Items.emplace_back();
    else
      Items.back() += List[I];
  }
  erase_if(Items, [](const std::string &Item) { return Item.empty(); });
  return Items;
}

std::vector<std::string> splitHandedOn(StringRef List) {
  std::vector<std::string> Items;
  for (const std::string &Item : splitAtCommas(List))
    for (StringRef Word : split(Item, ' '))
      if (!Word.empty())
        Items.push_back(Word.trim("\"'").str());
  return Items;
}

} // namespace bankstripe
