//===-- ForeignCommand.cpp - what a project's command may do --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An option stays if it is known to do no harm; there are too many others to
// list, and each version of a compiler adds some. What nvcc does with them is
// in docs/internals/front-end.md; it calls the host's compiler to preprocess,
// so only what this sees matters.
//
//===----------------------------------------------------------------------===//

#include "frontend/ForeignCommand.h"

#include "frontend/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace bankstripe {
namespace {

using Strings = std::vector<std::string>;

/// A word that no program takes for an option or for a file of further ones,
/// and in which a shell sees nothing. \p Further characters may be in it.
bool isWord(StringRef Text, StringRef Further = "") {
  return !Text.starts_with("-") && !Text.starts_with("@") &&
         all_of(Text, [&](char C) {
           return isAlnum(C) || StringRef("_.:=/+%^~-").contains(C) ||
                  Further.contains(C);
         });
}

/// The same of what stands in double quotes, and is a list for nvcc.
bool isText(StringRef List, StringRef Further) {
  return all_of(split(List, ','), [&](StringRef Item) {
    Item = Item.ltrim(" \"'=");
    return !Item.starts_with("-") && !Item.starts_with("@") &&
           all_of(split(Item, '"'), isPlainInQuotes) &&
           (Further.contains('"') || !Item.contains('"'));
  });
}

// Options for the host's compiler, while it preprocesses.

constexpr StringLiteral HostFlags =
    "-ansi -pthread -trigraphs -nostdinc -nostdinc++ -undef -pedantic "
    "-pedantic-errors -pipe -w -pg -rdynamic -static -shared -no-pie -pie";

/// Such as `-fabi-version=11`.
constexpr StringLiteral HostValues =
    "-fabi-version -fcf-protection -fconstexpr-cache-depth "
    "-fconstexpr-depth -fconstexpr-loop-limit -fconstexpr-ops-limit "
    "-fdebug-prefix-map -fdiagnostics-color -fexcess-precision "
    "-fexec-charset -ffile-prefix-map -ffp-contract -finput-charset "
    "-fmacro-prefix-map -fmax-errors -fmessage-length -fno-sanitize -fopenmp "
    "-fsanitize -fstack-clash-protection -ftemplate-backtrace-limit "
    "-ftemplate-depth -ftls-model -fvisibility -ftrivial-auto-var-init "
    "-mabi -march -mcmodel -mcpu -mfpu -mtune -mprefer-vector-width -std "
    "--std --sysroot -stdlib";

/// Their values may be glued on, or follow.
constexpr StringLiteral HostFolders =
    "-idirafter -imacros -include -iprefix -iquote -isysroot -isystem "
    "-iwithprefix -D -I -U";

bool isHarmlessForHost(const CompilerOption &Option) {
  StringRef Name = Option.Words.front();
  if (!Name.starts_with("-") || !isWord(Name.ltrim('-')))
    return false;
  for (StringRef Folder : split(HostFolders, ' '))
    if (Name.starts_with(Folder) && !Name.starts_with("-include-pch"))
      return Option.Words.size() == 1
                 ? isWord(Name.drop_front(Folder.size()))
                 : Name == Folder && isWord(Option.Words[1]);
  if (Option.Words.size() != 1)
    return false;
  const auto [Key, Value] = Name.split('=');
  if (Key != Name)
    return isAmong(Key, HostValues) && isWord(Value);
  if (isAmong(Name, HostFlags))
    return true;
  if (Name.size() == 2)
    return isAmong(Name, "-O -g");
  return !Name.contains('/') && startsWithAny(Name, "-W -f -g -m -O") &&
         !startsWithAny(Name, "-fplugin -mllvm");
}

// Options for nvcc's own programs.

constexpr StringLiteral PtxasFlags =
    "O Ofc Ofast-compile opt-level v verbose w disable-warnings dlcm "
    "def-load-cache dscm def-store-cache flcm force-load-cache fscm "
    "force-store-cache warn-spills warn-on-spills warn-lmem-usage "
    "warn-on-local-memory-usage warn-double-usage "
    "warn-on-double-precision-use Werror warning-as-error maxrregcount "
    "func-maxrregcount device-function-maxrregcount fmad g device-debug "
    "allow-expensive-optimizations lineinfo generate-line-info "
    "preserve-relocs sp-bounds-check return-at-end ret-end regUsageLevel "
    "register-usage-level ewp extensible-whole-program pic no-bb-merge "
    "position-independent-code dont-merge-basicblocks split-compile "
    "suppress-async-bulk-multicast-advisory-warning suppress-debug-info "
    "suppress-double-demote-warning suppress-stack-size-warning "
    "suppress-sparse-mma-advisory-info";

/// \p OfHarmless: the one before was.
bool isHarmlessForPtxas(StringRef Item, bool OfHarmless) {
  if (!Item.starts_with("-")) // The value of the one before.
    return OfHarmless && all_of(Item, isAlnum);
  const auto [Name, Value] = Item.ltrim('-').split('=');
  return isWord(Value) &&
         (isAmong(Name, PtxasFlags) || isAmong(Name, "O0 O1 O2 O3 O4"));
}

bool isHarmlessForCudafe(StringRef Item) {
  const auto [Name, Value] = Item.split('=');
  return isWord(Name.ltrim('-')) && isWord(Value) &&
         (Name.starts_with("--diag_") ||
          isAmong(Name, "--display_error_number --no_display_error_number "
                        "--no_warnings --promote_warnings"));
}

/// What Clang, which does all in this process, makes of an option of its own.
bool isHarmlessForClang(ArrayRef<std::string> Words) {
  const StringRef Name = Words.front();
  if (Name.starts_with("-Xarch_") && Words.size() == 2) {
    const auto Inner = readOptions(Dialect::Clang, Words.drop_front());
    return Inner.front().ToClang && isHarmlessForClang(Inner.front().Words);
  }
  // They load code or serialised trees, write files, or hand options on.
  constexpr StringLiteral Harmful =
      "-Xclang -Xarch_ -B -ccc- -fprebuilt- -load -fplugin -fpass-";
  return !startsWithAny(Name, Harmful);
}

/// Whether nvcc can be given the program at \p Path wherever it runs, and the
/// files that are read do not bring it along.
bool isInstalled(StringRef Path) {
  SmallString<256> Here, Real;
  return sys::path::is_absolute(Path) && isWord(Path) &&
         !sys::fs::current_path(Here) && !sys::fs::real_path(Path, Real) &&
         !Path.starts_with((Here + "/").str()) &&
         !Real.starts_with((Here + "/").str());
}

/// The path of the host compiler \p Name, if the user's environment has the
/// same program for one: in a variable, or on PATH under its own name.
std::string usersCompiler(StringRef Name) {
  static const Regex Compiler("^((x86_64|aarch64)-linux-gnu-)?(cc|c\\+\\+|gcc|"
                              "g\\+\\+|clang|clang\\+\\+)(-[0-9.]+)?$");
  const StringRef Stem = sys::path::filename(Name);
  if (!isWord(Name) || (Stem != Name && !sys::path::is_absolute(Name)))
    return "";
  Strings Known;
  for (const char *Variable : {"CC", "CXX", "NVCC_CCBIN"})
    Known.push_back(sys::Process::GetEnv(Variable).value_or(""));
  if (Compiler.match(Stem))
    Known.push_back(Stem.str());
  for (const std::string &Program : Known)
    if (auto Path = sys::findProgramByName(Program);
        Path && isInstalled(*Path) &&
        (Stem == Name ? Stem == Program : sys::fs::equivalent(*Path, Name)))
      return *Path;
  return "";
}

/// Reads one command.
class Reader {
public:
  Reader(Dialect WrittenFor, ForeignCommand &Into)
      : WrittenFor(WrittenFor), Into(Into) {}

  void read(const CompilerOption &Option) {
    // What names further options is known, or could not be read.
    if (any_of(Option.Words, [](StringRef W) { return W.starts_with("@"); }))
      append_range(Into.Refused, Option.Words);
    else if (std::string Path; Option.Meaning == OptionMeaning::HostCompiler &&
                               !(Path = usersCompiler(Option.Value)).empty())
      Into.Words.push_back("-ccbin=" + Path);
    else if (isList(Option))
      readList(Option);
    else
      sort(Option, isHarmless(Option), Into.Words, Into.Refused);
  }

private:
  bool isList(const CompilerOption &Option) const {
    return WrittenFor == Dialect::Nvcc &&
           (Option.Meaning == OptionMeaning::HostOptions ||
            Option.Use == ValueUse::ForPtxas ||
            Option.Use == ValueUse::ForCudafe);
  }

  /// Whether Clang can be given it.
  static bool isForClang(const CompilerOption &Option) {
    return Option.Use == ValueUse::Text ||
           (Option.ToClang && isHarmlessForClang(Option.Words));
  }

  /// Puts \p Option, which is \p Harmless for nvcc, where it belongs.
  void sort(const CompilerOption &Option, bool Harmless, Strings &Kept,
            Strings &Refused) {
    if (!Harmless && isForClang(Option))
      append_range(Into.OnlyForClang, Option.Words);
    append_range(Harmless || isForClang(Option) ? Kept : Refused, Option.Words);
  }

  bool isHarmless(const CompilerOption &Option) const {
    using M = OptionMeaning;
    const StringRef Quotes = Option.Meaning == M::Define ? "\"" : "";
    // Nobody is given it.
    if (Option.Meaning == M::Input || (!Option.ToClang && !Option.ToCubin))
      return true;
    if (WrittenFor == Dialect::Clang) // Some of them are for nvcc, too.
      return Option.ToClang || Option.Meaning != M::None
                 ? isText(Option.Value, Quotes) &&
                       isHarmlessForClang(Option.Words)
                 : true;
    switch (Option.Use) {
    case ValueUse::Word:
      return all_of(split(Option.Value, ','),
                    [](StringRef Item) { return isWord(Item, "[]"); });
    case ValueUse::Text:
      return isText(Option.Value, Quotes);
    case ValueUse::ForHost:
      return isHarmlessForHost(Option);
    default:
      return false;
    }
  }

  /// Takes the harmless ones of a list.
  void readList(const CompilerOption &Option) {
    const Strings Items = splitHandedOn(Option.Value);
    Strings Kept, Refused;
    if (Option.Use == ValueUse::ForHost)
      for (const CompilerOption &Item : readOptions(Dialect::Host, Items))
        sort(Item, isHarmlessForHost(Item), Kept, Refused);
    else
      for (bool Harmless = false; const std::string &Item : Items) {
        Harmless = Option.Use == ValueUse::ForPtxas
                       ? isHarmlessForPtxas(Item, Harmless)
                       : isHarmlessForCudafe(Item);
        (Harmless ? Kept : Refused).push_back(Item);
      }
    const StringRef Name = StringRef(Option.Words.front()).split('=').first;
    if (Refused.empty() && isWord(StringRef(Option.Value).ltrim('-'), ", "))
      append_range(Into.Words, Option.Words);
    else if (!Kept.empty())
      Into.Words.push_back((Name + "=" + join(Kept, ",")).str());
    if (!Refused.empty())
      Into.Refused.push_back((Name + "=" + join(Refused, ",")).str());
  }

  const Dialect WrittenFor;
  ForeignCommand &Into;
};

} // namespace

bool isPlainInQuotes(StringRef Text) {
  return none_of(Text, [](unsigned char C) {
    return C < ' ' || C == 0x7f || StringRef("$`\"\\").contains(C);
  });
}

ForeignCommand readForeignCommand(ArrayRef<std::string> Command,
                                  StringRef Directory) {
  const CommandLine Line = readCommandLine(Command, Directory);
  ForeignCommand Result;
  if (!Line.Compiler.empty())
    Result.Words.push_back(Line.Compiler);
  Reader Each(Line.dialect(), Result);
  for (const CompilerOption &Option : readOptions(Line.dialect(), Line.Args))
    Each.read(Option);
  return Result;
}

} // namespace bankstripe
