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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// Files that include one another are given up on at this depth.
constexpr unsigned DeepestResponseFile = 16;

/// Puts the arguments of one command line, and of the files that it names, in
/// a row.
class Expander {
public:
  Expander(bool IsNvcc, StringRef Directory, std::vector<std::string> &Out)
      : IsNvcc(IsNvcc), Directory(Directory), Out(Out) {}

  void expand(ArrayRef<std::string> Args, unsigned Depth) {
    for (size_t I = 0; I != Args.size(); ++I) {
      StringRef Arg = Args[I];
      if (Arg.size() > 1 && Arg.starts_with("@")) {
        if (!expandFile(Arg.drop_front(), Depth))
          Out.push_back(Args[I]);
      } else if (IsNvcc && isOptionsFile(Arg)) {
        // `--options-file=a,b` or `--options-file a,b`.
        const size_t Equals = Arg.find('=');
        StringRef List;
        if (Equals != StringRef::npos)
          List = Arg.substr(Equals + 1);
        else if (I + 1 != Args.size())
          List = Args[++I];
        for (const std::string &File : splitAtCommas(List))
          expandFile(File, Depth);
      } else {
        Out.push_back(Args[I]);
      }
    }
  }

private:
  static bool isOptionsFile(StringRef Arg) {
    StringRef Name = Arg.ltrim('-');
    return Name.size() != Arg.size() &&
           is_contained({"options-file", "optf"},
                        Name.take_until([](char C) { return C == '='; }));
  }

  bool expandFile(StringRef Name, unsigned Depth) {
    SmallString<256> Path(Name);
    sys::path::make_absolute(Directory, Path);
    auto File = MemoryBuffer::getFile(Path);
    if (!File || Depth == DeepestResponseFile)
      return false;
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *, 32> Tokens;
    cl::TokenizeGNUCommandLine((*File)->getBuffer(), Saver, Tokens);
    expand(std::vector<std::string>(Tokens.begin(), Tokens.end()), Depth + 1);
    return true;
  }

  bool IsNvcc;
  StringRef Directory;
  std::vector<std::string> &Out;
};

bool isNamed(StringRef Program, ArrayRef<StringRef> Names) {
  StringRef Name = sys::path::filename(Program);
  Name.consume_back(".exe");
  return is_contained(Names, Name);
}

bool isLauncher(StringRef Program) {
  return isNamed(
      Program, {"ccache", "sccache", "distcc", "icecc", "time", "nice", "env"});
}

} // namespace

CommandLine readCommandLine(ArrayRef<std::string> Args, StringRef Directory) {
  CommandLine Command;
  if (Args.size() > 1 && isNamed(Args[0], {"bankstripe"}) &&
      Args[1] == "wrap") {
    Args = Args.drop_front(2); // A build may have been recorded with it.
    while (!Args.empty() && StringRef(Args[0]).starts_with("-"))
      Args = Args.drop_front();
  }
  while (!Args.empty() && (isLauncher(Args.front()) || Args.front() == "--"))
    Args = Args.drop_front();
  if (!Args.empty() && !StringRef(Args.front()).starts_with("-")) {
    Command.Compiler = Args.front();
    Args = Args.drop_front();
    Command.IsNvcc = sys::path::filename(Command.Compiler).contains("nvcc");
  } else {
    Command.IsNvcc = !looksLikeClang(Args);
  }
  Expander(Command.IsNvcc, Directory, Command.Args).expand(Args, 0);
  return Command;
}

bool looksLikeClang(ArrayRef<std::string> Args) {
  constexpr StringLiteral OnlyClang[] = {
      "--cuda-gpu-arch",  "--offload-arch", "--cuda-path", "--cuda-device-only",
      "--cuda-host-only", "-nocuda",        "-fcuda",      "-fgpu",
      "-Xclang",          "-resource-dir",  "-xcuda",      "--cuda-feature"};
  for (size_t I = 0; I != Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (any_of(OnlyClang, [&](StringRef P) { return Arg.starts_with(P); }))
      return true;
    if (Arg == "-x" && I + 1 != Args.size() && Args[I + 1] == "cuda")
      return true;
  }
  return false;
}

bool compilesCuda(const CommandLine &Command) {
  return any_of(readOptions(Command.dialect(), Command.Args),
                [](const CompilerOption &Option) {
                  return Option.Meaning == OptionMeaning::Language &&
                         (Option.Value == "cu" || Option.Value == "cuda");
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

} // namespace bankstripe
