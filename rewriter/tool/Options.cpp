//===-- Options.cpp - the command line ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Options.h"
#include "arch/ArchInfo.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "tool/Usage.h"
#include "workers/Workers.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
namespace cl = llvm::cl;

namespace {
/// Names the good values when it is given a bad one.
template <class T> struct NamedValues : cl::parser<T> {
  using cl::parser<T>::parser;
  bool parse(cl::Option &O, llvm::StringRef, llvm::StringRef Text, T &Value) {
    std::string Good;
    for (const auto &V : this->Values) {
      if (V.Name == Text) {
        Value = V.V.getValue();
        return false;
      }
      Good += (Good.empty() ? "" : ", ") + V.Name.str();
    }
    return O.error("'" + Text + "' is none of " + Good);
  }
};

template <class T> struct Number : cl::parser<T> {
  using cl::parser<T>::parser;
  bool parse(cl::Option &O, llvm::StringRef, llvm::StringRef Text, T &Value) {
    if constexpr (std::is_integral_v<T>)
      return Text.getAsInteger(10, Value) &&
             O.error("'" + Text + "' is not a whole number");
    else
      return !llvm::to_float(Text, Value) &&
             O.error("'" + Text + "' is not a number");
  }
};
} // namespace

/// What the options below write into.
static ToolOptions Parsed;
static ReadingOptions &Reading = Parsed.Reading;
static FrontendOptions &Frontend = Reading.Frontend;
static PlanOptions &Wanted = Parsed.Planning.Wanted;
static ProgramOptions &Built = Parsed.Program;
template <class T>
using Option = cl::opt<
    T, /*ExternalStorage=*/true,
    std::conditional_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                       Number<T>, cl::parser<T>>>;
using List = cl::list<std::string, std::vector<std::string>>;

static cl::OptionCategory Category("bankstripe options");

static cl::SubCommand AnalyzeCommand("analyze",
                                     "Report which arrays would move, "
                                     "and why; change nothing");
static cl::SubCommand
    RewriteCommand("rewrite", "Move per-thread arrays into shared memory; "
                              "print a diff");
static cl::SubCommand
    VerifyCommand("verify", "Run a program as it is and rewritten, or any two; "
                            "compare");
static cl::SubCommand TuneCommand("tune",
                                  "Measure which layouts are fastest; write "
                                  ".bankstripe.yaml");
// These read their words themselves (main.cpp); here they are for --help.
static cl::SubCommand WrapCommand("wrap",
                                  "Compile a rewritten copy, with options of "
                                  "'rewrite'");
static cl::SubCommand StatsCommand("stats",
                                   "Sum up what 'wrap' did to the files "
                                   "of a build");
static cl::SubCommand
    ReasonCommand("reason", "Explain a reason that messages name; without one, "
                            "list all");
static cl::SubCommand UndoCommand("undo",
                                  "Take back the last 'rewrite --in-place' of "
                                  "files or folders");
static cl::SubCommand
    ReplayCommand("replay", "Launch a kernel again that bankstripe-verify "
                            "--survey captured");

#define READING_COMMANDS                                                       \
  cl::cat(Category), cl::sub(AnalyzeCommand), cl::sub(RewriteCommand),         \
      cl::sub(VerifyCommand), cl::sub(TuneCommand)
#define ALL_COMMANDS READING_COMMANDS, cl::sub(WrapCommand)
#define RUNNING_COMMANDS                                                       \
  cl::cat(Category), cl::sub(VerifyCommand), cl::sub(TuneCommand)

static List Paths(cl::Positional, cl::location(Reading.Paths),
                  cl::desc("PATH..."), READING_COMMANDS);
static cl::list<std::string> Compiler(cl::Positional,
                                      cl::desc("COMPILER ARG..."),
                                      cl::cat(Category), cl::sub(WrapCommand));
static cl::list<std::string> StatsFolder(cl::Positional, cl::desc("[FOLDER]"),
                                         cl::cat(Category),
                                         cl::sub(StatsCommand));
static cl::opt<std::string>
    StatsChoices("choices", cl::value_desc("file"), cl::cat(Category),
                 cl::sub(StatsCommand),
                 cl::desc("Instead, print what programs chose, which "
                          "BANKSTRIPE_CHOICES=file collected"));
static cl::list<std::string> ReasonName(cl::Positional, cl::desc("[REASON]"),
                                        cl::cat(Category),
                                        cl::sub(ReasonCommand));
static cl::list<std::string> UndoPaths(cl::Positional, cl::desc("PATH..."),
                                       cl::cat(Category), cl::sub(UndoCommand));
static Option<std::string>
    BuildPath("p", cl::location(Frontend.DatabaseDirectory),
              cl::value_desc("BUILD_DIR"),
              cl::desc("Folder with compile_commands.json"), READING_COMMANDS);
static Option<bool> TrustCommands(
    "trust-commands", cl::location(Frontend.TrustsCommands),
    cl::desc("Run, and write to, what compile_commands.json names"),
    READING_COMMANDS);
static List
    ExtraArgs("extra-arg", cl::location(Frontend.ExtraArgs),
              cl::value_desc("ARG"),
              cl::desc("Argument to add at the end of the compile command"),
              ALL_COMMANDS);
static Option<unsigned>
    Jobs("j", cl::location(Reading.Work.Limits.Processes), cl::Prefix,
         cl::value_desc("N"),
         cl::desc("Process N files at a time (default: one per core, as far as "
                  "there is memory)"),
         ALL_COMMANDS);
static Option<unsigned> TimeLimit(
    "time-limit", cl::location(Reading.Work.Limits.Seconds),
    cl::value_desc("SECONDS"),
    cl::desc("Leave out a file that takes longer to read (default: 600; 0: "
             "wait for it)"),
    ALL_COMMANDS);
static Option<bool>
    NoCache("no-cache", cl::location(Reading.NoCache),
            cl::desc("Read all files anew and ask nvcc again; see "
                     "docs/guide/build.md"),
            ALL_COMMANDS);
static Option<std::string> GpuArch(
    "gpu-arch", cl::location(Frontend.GpuArch), cl::value_desc("sm_NN"),
    cl::desc("Target architecture (default: the command's, else sm_90)"),
    ALL_COMMANDS);
static Option<std::string>
    CudaPath("cuda-path", cl::location(Frontend.CudaPath),
             cl::value_desc("DIR"),
             cl::desc("CUDA toolkit (default: CUDA_HOME, CUDA_PATH, nvcc on "
                      "PATH, /usr/local/cuda)"),
             ALL_COMMANDS);
static Option<unsigned> BlockSize(
    "block-size", cl::location(Wanted.BlockSize), cl::value_desc("N"),
    cl::desc("Largest block, in threads, of kernels whose launches are "
             "not known: in a whole program as __launch_bounds__, else of "
             "versions"),
    ALL_COMMANDS);
static Option<double> MinSpeedup(
    "min-speedup", cl::location(Wanted.MinSpeedup), cl::value_desc("FACTOR"),
    cl::desc("Least predicted speedup at which arrays move (default: 1.05); 0 "
             "moves whatever can move"),
    ALL_COMMANDS);
static cl::opt<unsigned, false, Number<unsigned>> SharedLimit(
    "shared-limit", cl::init(0), cl::value_desc("BYTES"),
    cl::desc("Shared memory that a block may take when its launches bring it "
             "(default: what the architectures of the command have, 232448 on "
             "sm_90; 49152 where it names none)"),
    ALL_COMMANDS);
static cl::opt<bool> WholeProgram(
    "whole-program",
    cl::desc("Assume that no other file launches the kernels of the given "
             "files (the default where a folder is given)"),
    READING_COMMANDS);
static cl::opt<bool> Versions(
    "versions",
    cl::desc("Assume that other files launch the kernels of the given files, "
             "too, so that arrays move in versions beside them (the default "
             "where files are given)"),
    ALL_COMMANDS);
static Option<bool> Choose(
    "choose", cl::location(Wanted.Choose),
    cl::desc("Where no prediction is sure, keep the kernel beside its "
             "rewritten version: the program times both when it runs, and goes "
             "on with the faster one; see docs/guide/build.md"),
    cl::cat(Category), cl::sub(AnalyzeCommand), cl::sub(RewriteCommand),
    cl::sub(VerifyCommand), cl::sub(WrapCommand));
static Option<std::string>
    Config("config", cl::location(Reading.Config.Named), cl::value_desc("FILE"),
           cl::desc("Decisions to obey (default: the nearest .bankstripe.yaml "
                    "above each source)"),
           ALL_COMMANDS);
static Option<bool> NoConfig("no-config", cl::location(Reading.Config.None),
                             cl::desc("Obey no decisions"), ALL_COMMANDS);
static cl::opt<Layout, false, NamedValues<Layout>> DefaultLayout(
    "layout", cl::desc("What arrays without a decision become"),
    cl::init(Layout::Auto),
    cl::values(clEnumValN(Layout::Auto, "auto", "bankstripe chooses"),
               clEnumValN(Layout::Stripe, "stripe", "stripes where possible"),
               clEnumValN(Layout::Slot, "slot", "slots only"),
               clEnumValN(Layout::Split, "split", "splits where possible"),
               clEnumValN(Layout::Bits, "bits", "bits where possible"),
               clEnumValN(Layout::Keep, "keep", "nothing moves")),
    ALL_COMMANDS);
static cl::opt<std::string> DefaultCarveout(
    "carveout", cl::value_desc("auto|driver|PERCENT"),
    cl::desc("How much of the L1 becomes shared memory where kernels can have "
             "rows: what the grid needs, what the driver chooses, or a "
             "percentage of the maximum (default: auto where they have rows "
             "anyway)"),
    ALL_COMMANDS);
static List
    Exclude("exclude", cl::location(Frontend.Exclude), cl::value_desc("GLOB"),
            cl::desc("Leave out files that match, such as '*_test.cu' or "
                     "'third_party/*' (may be repeated)"),
            ALL_COMMANDS);
static cl::opt<OutputFormat, true, NamedValues<OutputFormat>>
    Format("format", cl::location(Parsed.Report.Format),
           cl::desc("Output format"),
           cl::values(clEnumValN(OutputFormat::Text, "text", "for people"),
                      clEnumValN(OutputFormat::Json, "json",
                                 "for machines; see docs/reference/json.md"),
                      clEnumValN(OutputFormat::Sarif, "sarif",
                                 "for code hosts; see docs/guide/ci.md")),
           cl::cat(Category), cl::sub(AnalyzeCommand), cl::sub(RewriteCommand),
           cl::sub(VerifyCommand), cl::sub(TuneCommand));
static cl::opt<Colours, false, NamedValues<Colours>>
    Colour("color", cl::desc("When to print colours"), cl::init(Colours::Auto),
           cl::values(clEnumValN(Colours::Auto, "auto",
                                 "on a terminal, unless NO_COLOR is set"),
                      clEnumValN(Colours::Always, "always", "always"),
                      clEnumValN(Colours::Never, "never", "never")),
           ALL_COMMANDS);
static cl::opt<bool>
    Quiet("quiet", cl::desc("Print no report, and with --check no diff"),
          ALL_COMMANDS);
static cl::opt<bool>
    Verbose("verbose",
            cl::desc("Also print what stays in registers, the compiler's "
                     "arguments that were dropped, and every kernel"),
            ALL_COMMANDS);
static cl::opt<bool>
    NoConfirm("no-confirm",
              cl::desc("Do not ask nvcc's ptxas about the rewrite"),
              ALL_COMMANDS);

static Option<bool> DryRun("dry-run", cl::location(Parsed.MeasuresNothing),
                           cl::desc("Print a unified diff (the default); of "
                                    "'tune', what it would measure"),
                           cl::cat(Category), cl::sub(RewriteCommand),
                           cl::sub(TuneCommand));
static cl::opt<bool> InPlace("in-place",
                             cl::desc("Replace the files: all, or none where "
                                      "one cannot be read or written; 'undo' "
                                      "takes it back"),
                             cl::cat(Category), cl::sub(RewriteCommand));
static Option<bool>
    AllowDirty("allow-dirty", cl::location(Parsed.AllowDirty),
               cl::desc("With --in-place, also replace files with changes that "
                        "are not committed in git, or where 'undo' has no "
                        "place for the originals"),
               cl::cat(Category), cl::sub(RewriteCommand));
static Option<bool>
    KeepGoing("keep-going", cl::location(Parsed.KeepGoing),
              cl::desc("With --in-place and --output-dir, write the others "
                       "where some file cannot be read (default: nothing)"),
              cl::cat(Category), cl::sub(RewriteCommand));
static Option<std::string>
    OutputDirectory("output-dir", cl::location(Reading.OutputDirectory),
                    cl::value_desc("DIR"),
                    cl::desc("Write copies of all files below DIR"),
                    cl::cat(Category), cl::sub(RewriteCommand));
static cl::opt<bool> Check("check",
                           cl::desc("Exit with 1 if something would change"),
                           cl::cat(Category), cl::sub(RewriteCommand));
static Option<bool>
    EmbedHelper("embed-helper", cl::location(Parsed.Planning.EmbedHelper),
                cl::desc("Put the helper into each changed file instead of "
                         "bankstripe.cuh beside it"),
                cl::cat(Category), cl::sub(RewriteCommand),
                cl::sub(VerifyCommand), cl::sub(TuneCommand));

static Option<unsigned> Runs("runs", cl::location(Built.TimedRuns),
                             cl::value_desc("N"),
                             cl::desc("Timing runs of each program"),
                             RUNNING_COMMANDS);
static Option<std::string>
    Html("html", cl::location(Parsed.Report.Html), cl::value_desc("FILE"),
         cl::desc("Write the result there as a page, with the changes and the "
                  "reasons for them, or of 'tune', all that was tried; see "
                  "docs/guide/report.md"),
         cl::cat(Category), cl::sub(VerifyCommand), cl::sub(TuneCommand));
static Option<std::string>
    VerifyProgram("verify-program", cl::location(Built.Verifier),
                  cl::value_desc("PATH"),
                  cl::desc("bankstripe-verify (default: beside this program)"),
                  RUNNING_COMMANDS);
static List
    ProgramArgs("program-arg", cl::location(Built.Arguments),
                cl::value_desc("ARG"),
                cl::desc("Argument for the program when it is run (may be "
                         "repeated)"),
                RUNNING_COMMANDS);
static Option<bool> Keep("keep", cl::location(Built.KeepFiles),
                         cl::desc("Keep the rewritten sources and programs "
                                  "and say where they are"),
                         RUNNING_COMMANDS);
static Option<std::string>
    BuildCommand("build", cl::location(Built.BuildCommand),
                 cl::value_desc("COMMAND"),
                 cl::desc("Shell command that builds the program in a copy of "
                          "--tree (default: nvcc makes one of the files)"),
                 RUNNING_COMMANDS);
static Option<std::string>
    Tree("tree", cl::location(Built.Tree), cl::value_desc("DIR"),
         cl::desc("The source tree that --build needs (default: this folder)"),
         RUNNING_COMMANDS);
static Option<std::string> BuiltProgram(
    "program", cl::location(Built.Executable), cl::value_desc("PATH"),
    cl::desc("What --build makes, as a path in the tree"), RUNNING_COMMANDS);

static Option<double> MostCaptured(
    "max-capture", cl::location(Built.MostCaptured), cl::value_desc("GB"),
    cl::desc("Gigabytes of the program's memory that 'tune' may keep, to "
             "launch its kernels again (default: 16)"),
    cl::cat(Category), cl::sub(TuneCommand));

static Option<double> MostSeconds(
    "time", cl::location(Built.MostSeconds), cl::value_desc("SECONDS"),
    cl::desc("End 'tune' after so many seconds, with the best so far, or up to "
             "a quarter later if its comparison has begun (default: 120; 0: "
             "when all is tried)"),
    cl::cat(Category), cl::sub(TuneCommand));
static cl::opt<Accepted, true, NamedValues<Accepted>> Accepts(
    "accept", cl::location(Built.Accepts),
    cl::desc("Which results, besides the original's, 'tune' accepts (default: "
             "none)"),
    cl::values(clEnumValN(Accepted::Fusing, "fmad",
                          "those that only fusing a*b+c changes")),
    cl::cat(Category), cl::sub(TuneCommand));

static Option<std::string> Choices(
    "from", cl::location(Parsed.Choices), cl::value_desc("FILE"),
    cl::desc("Run nothing: write decisions from FILE, to which a program "
             "built with --choose wrote what it timed "
             "(BANKSTRIPE_CHOICES=FILE)"),
    cl::cat(Category), cl::sub(TuneCommand));

static bool usageError(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: " << Message << "; see bankstripe --help\n";
  return false;
}

// Everything behind the first `--` is the compiler's.
static std::vector<const char *> splitOff(int Argc, const char **Argv,
                                          std::vector<std::string> &Rest) {
  std::vector<const char *> Own;
  for (int I = 0; I < Argc; ++I) {
    if (llvm::StringRef(Argv[I]) == "--") {
      Rest.assign(Argv + I + 1, Argv + Argc);
      break;
    }
    Own.push_back(Argv[I]);
  }
  return Own;
}

static bool isArchitecture(llvm::StringRef Name) {
  return archInfo(Name) || clang::IsNVIDIAOffloadArch(
                               clang::StringToOffloadArch(Name.rtrim("af")));
}

static bool badArchitecture(llvm::StringRef Name) {
  std::string Good;
  for (const ArchInfo &A : allArchs())
    Good += (Good.empty() ? "" : ", ") + std::string(A.Name);
  return usageError("--gpu-arch: '" + Name + "' is none of " + Good);
}

// `tune -- PROGRAM ARGS`: a compile database lists the sources.
static void readProgram() {
  if (Parsed.Run != Command::Tune || !Reading.Paths.empty() ||
      Frontend.CompilerArgs.empty())
    return;
  Built.Executable = Frontend.CompilerArgs.front();
  Built.Arguments.assign(Frontend.CompilerArgs.begin() + 1,
                         Frontend.CompilerArgs.end());
  Frontend.CompilerArgs.clear();
  Frontend.DatabaseTells = true;
  if (Frontend.DatabaseDirectory.empty())
    Reading.Paths.emplace_back(".");
}

// `-p` alone means every file of the database, which is a program.
static bool completePaths() {
  // What nvcc makes of files alone is not built as a database says.
  Frontend.LooksForDatabase =
      Parsed.Run == Command::Analyze || Parsed.Run == Command::Rewrite ||
      !Built.Executable.empty() || !Parsed.Choices.empty();
  if (!Reading.Paths.empty())
    return true;
  if (Frontend.DatabaseDirectory.empty())
    return usageError("give at least one file or folder");
  auto Paths = databasePaths(Frontend.DatabaseDirectory);
  if (!Paths)
    return usageError(toString(Paths.takeError()));
  Reading.Paths = std::move(*Paths);
  if (!Versions)
    Parsed.Planning.Others = Outside::Nobody;
  return true;
}

// A folder says which files are the user's. Where files are given, headers are
// theirs as they are the launcher's, unless a copy of a tree is built.
// `rewrite` writes nothing that it was not given.
static void findOwnTree() {
  if (Parsed.Run == Command::Rewrite ||
      llvm::any_of(Reading.Paths, [](const std::string &Path) {
        return llvm::sys::fs::is_directory(Path);
      }))
    return;
  Reading.OwnTree = Built.BuildCommand.empty() ? "/"
                    : Built.Tree.empty()       ? "."
                                               : Built.Tree;
}

static bool isEmpty(const Option<std::string> &Asked) {
  return Asked.getNumOccurrences() && Asked.getValue().empty();
}

// Values that make no sense, and options that need others or exclude them.
static bool check() {
  if (!Frontend.GpuArch.empty() && !isArchitecture(Frontend.GpuArch))
    return badArchitecture(Frontend.GpuArch);
  const bool HasBlockSize = BlockSize.getNumOccurrences() != 0;
  const bool Builds = !Built.BuildCommand.empty();
  const bool Rewrites = AnalyzeCommand || RewriteCommand;
  const std::pair<bool, const char *> Mistakes[] = {
      {DryRun + InPlace + Check + !Reading.OutputDirectory.empty() > 1,
       "choose one of --dry-run, --in-place, --output-dir and --check"},
      {isEmpty(OutputDirectory), "--output-dir needs a folder"},
      {isEmpty(Config), "--config needs a file"},
      {isEmpty(Html), "--html needs a file"},
      {llvm::is_contained(Reading.Paths, ""),
       "a PATH is empty, as a variable is that nothing set; '.' is this "
       "folder"},
      {Jobs.getNumOccurrences() && !Jobs, "-j must be at least 1"},
      {Wanted.MinSpeedup < 0, "--min-speedup must not be negative"},
      {HasBlockSize && (Wanted.BlockSize < 1 || Wanted.BlockSize > 1024),
       "--block-size must be from 1 to 1024"},
      {DefaultCarveout.getNumOccurrences() && !Wanted.DefaultCarveout,
       "--carveout must be auto, driver or from 0 to 100"},
      {Built.TimedRuns < 1, "--runs must be at least 1"},
      {!(Built.MostSeconds >= 0 && Built.MostSeconds <= 1e9),
       "--time must be from 0 to 1000000000"},
      {(Builds && Built.Executable.empty()) ||
           (BuiltProgram.getNumOccurrences() && !Builds),
       "--build and --program go together"},
      {!Built.Tree.empty() && !Builds, "--tree needs --build"},
      {Reading.Config.None && Config.getNumOccurrences(),
       "choose one of --config and --no-config"},
      {WholeProgram && Versions,
       "choose one of --whole-program and --versions"},
      {Quiet && Verbose, "choose one of --quiet and --verbose"},
      {Parsed.ReadsStandardInput &&
           (!RewriteCommand || Reading.Paths.size() > 1 ||
            Parsed.Mode != RewriteMode::DryRun ||
            Parsed.Report.Format != OutputFormat::Text),
       "'-' is the one source of 'rewrite', which prints it as text"},
      {Parsed.Report.Format == OutputFormat::Sarif && !Rewrites,
       "--format=sarif is for analyze and rewrite"}};
  for (const auto &[IsMade, Message] : Mistakes)
    if (IsMade)
      return usageError(Message);
  return true;
}

// Options whose values have another form in ToolOptions.
static void translate() {
  if (!Jobs.getNumOccurrences())
    Reading.Work.Limits.Processes = usualProcesses();
  if (DefaultLayout.getNumOccurrences())
    Wanted.DefaultLayout = DefaultLayout;
  Wanted.SharedLimit = SharedLimit;
  Wanted.DefaultCarveout = parseCarveout(DefaultCarveout);
  if (WholeProgram || Versions)
    Parsed.Planning.Others = WholeProgram ? Outside::Nobody : Outside::Files;
  setColours(Colour);
  Reading.Work.Level = Quiet     ? Detail::Quiet
                       : Verbose ? Detail::Verbose
                                 : Detail::Normal;
  Parsed.Planning.Confirm = !NoConfirm;
  Parsed.Mode = InPlace ? RewriteMode::InPlace
                : Check ? RewriteMode::Check
                : !Reading.OutputDirectory.empty()
                    ? RewriteMode::OutputDirectory
                    : RewriteMode::DryRun;
}

static std::optional<Command> chosenCommand() {
  for (const auto &[Asked, Name] :
       {std::pair(&AnalyzeCommand, Command::Analyze),
        {&RewriteCommand, Command::Rewrite},
        {&VerifyCommand, Command::Verify},
        {&TuneCommand, Command::Tune}})
    if (*Asked)
      return Name;
  cl::PrintHelpMessage();
  return std::nullopt;
}

std::optional<ToolOptions> bankstripe::parseCommandLine(int Argc,
                                                        const char **Argv) {
  std::vector<const char *> Own = splitOff(Argc, Argv, Frontend.CompilerArgs);
  // LLVM takes it for a -j.
  if (llvm::any_of(Own, [](llvm::StringRef Word) {
        return Word == "--json" || Word.starts_with("--json=");
      })) {
    (void)usageError("there is no --json; --format=json prints that on "
                     "standard output");
    return std::nullopt;
  }
  const std::string About = prepareHelp(Own, Category, Paths);
  cl::SetVersionPrinter(printVersion);
  std::string Errors;
  llvm::raw_string_ostream OS(Errors);
  const auto Disk = openDisk(/*WithPipes=*/false); // For `@file`.
  if (!cl::ParseCommandLineOptions(Own.size(), Own.data(), About, &OS,
                                   Disk.get())) {
    printMistake(OS.str(), Own);
    return std::nullopt;
  }
  const std::optional<Command> Chosen = chosenCommand();
  if (!Chosen)
    return std::nullopt;
  Parsed.Run = *Chosen;
  translate();
  readProgram();
  Parsed.ReadsStandardInput = llvm::is_contained(Reading.Paths, "-");
  if (!completePaths() || !check())
    return std::nullopt;
  findOwnTree();
  return Parsed;
}
