//===-- Decisions.cpp - the decisions file of a project -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's YAML traits read and write with one description, and report what they
// do not know with its line. A decision that is misspelt would be one that is
// not obeyed, so whatever is not understood is an error. Files are compared by
// their real paths.
//
//===----------------------------------------------------------------------===//

#include "decisions/Decisions.h"
#include "arch/ArchInfo.h"
#include "edit/Edit.h"
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace yaml = llvm::yaml;

// The version of the format that this program reads and writes.
static constexpr unsigned CurrentVersion = 1;
static constexpr unsigned NoVersion = ~0U;

namespace {

/// The file that is being read.
struct Reading {
  StringRef Path;
  llvm::SourceMgr Lines;
  std::set<
      std::tuple<std::string, std::string, std::string, unsigned, std::string>>
      Seen;
  std::set<std::tuple<std::string, std::string, std::string>> SeenKernels;
};

/// A whole file with its version.
struct VersionedFile {
  unsigned Version = NoVersion;
  DecisionsFile File;
};

} // namespace

// Where the node that is being read begins.
static Place placeOf(yaml::IO &IO, const Reading &From) {
  const yaml::Node *Node = static_cast<yaml::Input &>(IO).getCurrentNode();
  const auto [Line, Column] =
      From.Lines.getLineAndColumn(Node->getSourceRange().Start);
  return {From.Path.str(), Line, Column};
}

LLVM_YAML_IS_SEQUENCE_VECTOR(bankstripe::ArrayDecision)
LLVM_YAML_IS_SEQUENCE_VECTOR(bankstripe::KernelDecision)

template <> struct llvm::yaml::ScalarTraits<Carveout> {
  static void output(const Carveout &C, void *, raw_ostream &OS) {
    OS << textOf(C);
  }
  static StringRef input(StringRef Text, void *, Carveout &C) {
    const std::optional<Carveout> Read = parseCarveout(Text);
    C = Read.value_or(Carveout());
    return Read ? "" : "carveout must be auto, driver or from 0 to 100";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct llvm::yaml::ScalarTraits<Layout> {
  static void output(const Layout &L, void *, raw_ostream &OS) {
    OS << nameOf(L);
  }
  static StringRef input(StringRef Text, void *, Layout &L) {
    for (Layout Each : {Layout::Auto, Layout::Stripe, Layout::Slot,
                        Layout::Split, Layout::Bits, Layout::Keep})
      if (Text == nameOf(Each)) {
        L = Each;
        return "";
      }
    return "a layout is keep, stripe, slot, split, bits or auto";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

// The number of an architecture as `sm_90`; 0 for what is none.
static unsigned numberOf(StringRef Gpu) {
  unsigned Number = 0;
  return Gpu.consume_front("sm_") && !Gpu.consumeInteger(10, Number) &&
                 Gpu.size() < 2
             ? Number
             : 0;
}

namespace {

/// Who decided; the value of the key `by`.
enum class Author { Person, Tune };

} // namespace

template <> struct llvm::yaml::ScalarEnumerationTraits<Author> {
  static void enumeration(IO &IO, Author &A) {
    IO.enumCase(A, "tune", Author::Tune);
  }
};

static void mapOrigin(yaml::IO &IO, AnyDecision &D) {
  Author By = D.ByTune ? Author::Tune : Author::Person;
  IO.mapOptional("by", By, Author::Person);
  D.ByTune = By == Author::Tune;
  IO.mapOptional("gpu", D.Gpu, std::string());
  IO.mapOptional("why", D.Why, std::string());
}

static void mapFile(yaml::IO &IO, AnyDecision &D) {
  if (!IO.outputting())
    D.Where = placeOf(IO, *static_cast<Reading *>(IO.getContext()));
  IO.mapRequired("file", D.File);
}

// More of them in a row are none of a decision: the YAML reader calls itself
// for each.
static constexpr unsigned MostCommas = 1000;

static std::string check(const AnyDecision &D) {
  if (path::is_absolute(D.File))
    return "file must be relative to the folder of this file";
  return D.Gpu.empty() || numberOf(D.Gpu)
             ? ""
             : "gpu must be an architecture, as sm_90";
}

static std::string checkBlockSize(std::optional<unsigned> Threads) {
  if (Threads && (*Threads < 1 || *Threads > LargestBlock))
    return "block-size must be from 1 to 1024";
  return "";
}

template <> struct llvm::yaml::MappingTraits<FileDefaults> {
  static void mapping(IO &IO, FileDefaults &D) {
    IO.mapOptional("layout", D.Wanted, Layout::Auto);
    IO.mapOptional("block-size", D.BlockSize);
  }
  static std::string validate(IO &, FileDefaults &D) {
    return checkBlockSize(D.BlockSize);
  }
};

// LLVM prints a text only up to the first byte that is not UTF-8.
static bool areUTF8(std::initializer_list<StringRef> Texts) {
  return llvm::all_of(Texts,
                      [](StringRef Text) { return llvm::json::isUTF8(Text); });
}

static bool areLines(std::initializer_list<StringRef> Texts) {
  return llvm::none_of(Texts, [](StringRef Text) {
    return Text.find_first_of("\n\r") != StringRef::npos;
  });
}

static bool areShort(std::initializer_list<StringRef> Texts) {
  return llvm::all_of(
      Texts, [](StringRef Text) { return Text.count(',') <= MostCommas; });
}

template <> struct llvm::yaml::MappingTraits<ArrayDecision> {
  static void mapping(IO &IO, ArrayDecision &D) {
    mapFile(IO, D);
    IO.mapRequired("function", D.Function);
    IO.mapRequired("array", D.Array);
    IO.mapOptional("occurrence", D.Occurrence, 1U);
    IO.mapRequired("decision", D.Wanted);
    IO.mapOptional("first", D.First, 0U);
    mapOrigin(IO, D);
  }
  static std::string validate(IO &IO, ArrayDecision &D) {
    if (IO.outputting())
      return "";
    if (D.File.empty() || D.Function.empty() || D.Array.empty())
      return "file, function and array must not be empty";
    if (!areUTF8({D.File, D.Function, D.Array, D.Why}))
      return "a decision must be UTF-8";
    if (!areLines({D.File, D.Function, D.Array}))
      return "file, function and array must be of one line";
    if (!areShort({D.File, D.Function, D.Array, D.Gpu, D.Why}))
      return "a text must have 1000 commas at most";
    if (D.Occurrence < 1)
      return "occurrence counts from 1";
    if (D.Wanted == Layout::Auto)
      return "decision must be keep, stripe, slot, split or bits; for auto, "
             "remove the entry";
    if ((D.Wanted == Layout::Split) != (D.First != 0))
      return "a split, and nothing else, says how many elements come first";
    if (!static_cast<Reading *>(IO.getContext())
             ->Seen.insert(D.keyOnGpu())
             .second)
      return "this array has a decision above";
    return check(D);
  }
};

template <> struct llvm::yaml::MappingTraits<KernelDecision> {
  static void mapping(IO &IO, KernelDecision &D) {
    mapFile(IO, D);
    IO.mapRequired("kernel", D.Kernel);
    IO.mapOptional("carveout", D.Wanted);
    IO.mapOptional("block-size", D.BlockSize);
    mapOrigin(IO, D);
  }
  static std::string validate(IO &IO, KernelDecision &D) {
    if (IO.outputting())
      return "";
    if (D.File.empty() || D.Kernel.empty())
      return "file and kernel must not be empty";
    if (!areUTF8({D.File, D.Kernel, D.Why}))
      return "a decision must be UTF-8";
    if (!areLines({D.File, D.Kernel}))
      return "file and kernel must be of one line";
    if (!areShort({D.File, D.Kernel, D.Gpu, D.Why}))
      return "a text must have 1000 commas at most";
    if (!D.Wanted && !D.BlockSize)
      return "a carveout or a block-size must be there";
    if (!static_cast<Reading *>(IO.getContext())
             ->SeenKernels.insert(D.keyOnGpu())
             .second)
      return "this kernel has a decision above";
    const std::string Wrong = check(D);
    return Wrong.empty() ? checkBlockSize(D.BlockSize) : Wrong;
  }
};

template <> struct llvm::yaml::MappingTraits<VersionedFile> {
  static void mapping(IO &IO, VersionedFile &D) {
    IO.mapRequired("version", D.Version);
    // Where there is no version, there may be no node to point at either.
    if (D.Version != CurrentVersion && D.Version != NoVersion)
      return IO.setError("this program knows version 1 only");
    IO.mapOptional("defaults", D.File.Defaults, FileDefaults());
    IO.mapOptional("arrays", D.File.Arrays);
    IO.mapOptional("kernels", D.File.Kernels);
  }
};

// Whether it is nested deeper than decisions are, by far: yaml::Input calls
// itself for each level, and a node is parsed when somebody asks for it.
static bool nestsTooDeep(yaml::Node *Node, unsigned Level) {
  constexpr unsigned MostLevels = 64;
  if (Level > MostLevels)
    return true;
  if (auto *Sequence = llvm::dyn_cast_or_null<yaml::SequenceNode>(Node))
    for (yaml::Node &Each : *Sequence)
      if (nestsTooDeep(&Each, Level + 1))
        return true;
  if (auto *Mapping = llvm::dyn_cast_or_null<yaml::MappingNode>(Node))
    for (yaml::KeyValueNode &Each : *Mapping)
      if (nestsTooDeep(Each.getKey(), Level + 1) ||
          nestsTooDeep(Each.getValue(), Level + 1))
        return true;
  return false;
}

// Also for each comma that follows another one, behind which there may be a
// comment, if that is none in quotes.
static bool hasRowOfCommas(StringRef Text) {
  unsigned Row = 0;
  bool MayBeComment = false;
  for (const char C : Text) {
    MayBeComment = C != '\n' && (MayBeComment || C == '#');
    if (C == ',' && ++Row > MostCommas)
      return true;
    if (C != ',' && !llvm::isSpace(C) && !MayBeComment)
      Row = 0;
  }
  return false;
}

static bool nestsTooDeep(StringRef Text) {
  if (hasRowOfCommas(Text))
    return true;
  llvm::SourceMgr Lines;
  Lines.setDiagHandler([](const llvm::SMDiagnostic &, void *) {});
  yaml::Stream Documents(Text, Lines);
  return nestsTooDeep(Documents.begin()->getRoot(), 0);
}

llvm::Expected<DecisionsFile> bankstripe::parseDecisions(StringRef Text,
                                                         StringRef Path) {
  if (nestsTooDeep(Text))
    return llvm::createStringError(Path + ": error: it is nested too deeply");
  Reading From{Path, {}, {}, {}};
  From.Lines.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(Text, Path, false), {});
  std::string Problem;
  // After the first mistake, others are said of what was not read.
  auto Collect = [](const llvm::SMDiagnostic &D, void *Into) {
    auto &First = *static_cast<std::string *>(Into);
    llvm::raw_string_ostream OS(First);
    if (First.empty())
      D.print(/*ProgName=*/nullptr, OS, /*ShowColors=*/false);
  };
  VersionedFile D;
  yaml::Input Input(llvm::MemoryBufferRef(Text, Path), &From, Collect,
                    &Problem);
  Input >> D;
  if (Problem.empty() && (Input.error() || D.Version == NoVersion))
    Problem = Path.str() + ":1:1: error: a decisions file has the line "
                           "'version: 1'";
  else if (Problem.empty() && Input.nextDocument())
    Problem = Path.str() + ": error: more than one YAML document";
  if (!Problem.empty())
    return llvm::createStringError(StringRef(Problem).rtrim());
  return std::move(D.File);
}

void bankstripe::printDecisions(llvm::raw_ostream &OS,
                                const DecisionsFile &File) {
  VersionedFile D{CurrentVersion, File};
  std::ranges::sort(D.File.Arrays, {}, &ArrayDecision::keyOnGpu);
  std::ranges::sort(D.File.Kernels, {}, &KernelDecision::keyOnGpu);
  yaml::Output Out(OS);
  Out << D;
}

template <class Decision>
static void replaceEach(std::vector<Decision> &Old,
                        const std::vector<Decision> &New) {
  for (const Decision &D : New) {
    if (llvm::any_of(Old, [&](const Decision &Before) {
          return !Before.ByTune && Before.key() == D.key() &&
                 !Before.isForOther(D.Gpu);
        }))
      continue;
    llvm::erase_if(Old, [&](const Decision &Before) {
      return Before.key() == D.key() && !Before.isForOther(D.Gpu);
    });
    Old.push_back(D);
  }
}

void bankstripe::replaceTuned(DecisionsFile &File, const DecisionsFile &New) {
  replaceEach(File.Arrays, New.Arrays);
  // A kernel that needs no carveout any more has no new decision.
  llvm::erase_if(File.Kernels, [&](const KernelDecision &Old) {
    return Old.ByTune && llvm::any_of(New.Arrays, [&](const ArrayDecision &D) {
             return D.File == Old.File && !Old.isForOther(D.Gpu);
           });
  });
  replaceEach(File.Kernels, New.Kernels);
}

// The comments before the first key; what follows is printed anew.
static StringRef headComments(StringRef Text) {
  StringRef Rest = Text;
  while (Rest.starts_with("#") || Rest.starts_with("\n"))
    Rest = Rest.split('\n').second;
  return Text.drop_back(Rest.size());
}

llvm::Error bankstripe::updateDecisions(StringRef Path, DecisionsFile New) {
  const auto Known = readText(Path);
  if (!Known && fs::exists(Path))
    return llvm::createStringError("cannot read '" + Path + "'");
  auto File = Known ? parseDecisions(*Known, Path) : DecisionsFile();
  if (!File)
    return File.takeError();
  const std::string Folder = (path::parent_path(Path) + "/").str();
  std::string Stray, Unspeakable;
  New.forEach([&](auto &D) {
    if (!llvm::json::isUTF8(D.File))
      Unspeakable = D.File;
    if (StringRef(D.File).starts_with(Folder))
      D.File.erase(0, Folder.size());
    else
      Stray = D.File;
  });
  if (!Unspeakable.empty())
    return llvm::createStringError("the name of '" + Unspeakable +
                                   "' is not UTF-8, so no decisions file can "
                                   "name it; rename it");
  if (!Stray.empty())
    return llvm::createStringError("'" + Stray + "' lies outside of '" +
                                   Folder + "', so '" + Path +
                                   "' cannot speak for it");
  replaceTuned(*File, New);
  std::string Text = headComments(Known.value_or("")).str();
  llvm::raw_string_ostream OS(Text);
  printDecisions(OS, *File);
  return replaceFile(Path, Text, std::nullopt);
}

char BadDecisions::ID;

DecisionsLookup::DecisionsLookup(DecisionsChoice Choice)
    : Choice(std::move(Choice)) {
  if (!this->Choice.Named.empty())
    this->Choice.Named = realPath(this->Choice.Named);
}

std::string DecisionsLookup::pathFor(StringRef File) const {
  if (Choice.None)
    return "";
  if (!Choice.Named.empty())
    return Choice.Named;
  const std::string Real = realPath(File);
  for (StringRef Folder = path::parent_path(Real); !Folder.empty();
       Folder = path::parent_path(Folder)) {
    llvm::SmallString<256> Path(Folder);
    path::append(Path, DecisionsFileName);
    if (fs::exists(Path))
      return std::string(Path);
  }
  return "";
}

llvm::Error DecisionsLookup::readFor(StringRef File) {
  const std::string Path = pathFor(File);
  if (Path.empty() || Files.count(Path))
    return llvm::Error::success();
  const auto Bad = [](const llvm::Twine &Text) {
    return llvm::make_error<BadDecisions>(Text, llvm::inconvertibleErrorCode());
  };
  auto Buffer = readFile(Path);
  if (!Buffer)
    return Bad("cannot read '" + Path + "': " + Buffer.getError().message());
  auto Parsed = parseDecisions((*Buffer)->getBuffer(), Path);
  if (!Parsed)
    return Bad("cannot obey the decisions file\n" +
               toString(Parsed.takeError()));
  Parsed->Defaults.From = Path;
  Files[Path] = std::move(*Parsed);
  return llvm::Error::success();
}

FileDefaults DecisionsLookup::defaultsFor(StringRef File) const {
  auto It = Files.find(pathFor(File));
  return It == Files.end() ? FileDefaults() : It->second.Defaults;
}

// Makes the path absolute that D has in the decisions file Path.
template <class Decision>
void DecisionsLookup::resolve(Decision &D, StringRef Path) const {
  llvm::SmallString<256> Target(path::parent_path(Path));
  path::append(Target, D.File);
  D.File = realPath(Target);
  if (!fs::exists(D.File)) {
    D.Problem = "there is no such file";
    return;
  }
  const std::string Speaks = pathFor(D.File);
  if (Speaks.empty())
    D.Problem = "that file lies outside the folder of its decisions file";
  else if (Speaks != Path)
    D.Problem = "'" + Speaks + "' speaks for that file";
}

// How far D is from what was decided for the GPU with the number Wanted: a
// person's comes first, if it is for that one or for all, and then what was
// measured there; of others the next older GPU comes before the next newer one.
template <class Decision>
static unsigned distanceOf(const Decision &D, unsigned Wanted) {
  constexpr unsigned Other = 3, Newer = 1000, Last = 1000000;
  const unsigned Own = numberOf(D.Gpu);
  if (!Own)
    return D.ByTune ? Last : 1;
  if (Own == Wanted)
    return D.ByTune ? 2 : 0;
  return Other + (Own < Wanted ? Wanted - Own : Newer + Own - Wanted);
}

// Of several about the same, one stays.
template <class Decision>
static void keepNearest(std::vector<Decision> &All, StringRef Gpu) {
  const unsigned Wanted = numberOf(Gpu);
  std::map<decltype(All.front().key()), const Decision *> Nearest;
  for (const Decision &D : All) {
    const Decision *&Best = Nearest[D.key()];
    if (!Best || distanceOf(D, Wanted) < distanceOf(*Best, Wanted))
      Best = &D;
  }
  std::vector<Decision> Kept;
  llvm::copy_if(All, std::back_inserter(Kept),
                [&](const Decision &D) { return Nearest.at(D.key()) == &D; });
  All = std::move(Kept);
}

DecisionsFile DecisionsLookup::decisionsFor(StringRef Gpu) const {
  DecisionsFile All;
  for (const auto &[Path, File] : Files) {
    for (const ArrayDecision &Written : File.Arrays)
      resolve(All.Arrays.emplace_back(Written), Path);
    for (const KernelDecision &Written : File.Kernels)
      resolve(All.Kernels.emplace_back(Written), Path);
  }
  keepNearest(All.Arrays, Gpu);
  keepNearest(All.Kernels, Gpu);
  return All;
}
