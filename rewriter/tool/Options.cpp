//===-- Options.cpp - the command line ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Options.h"
#include "tool/Version.h"
#include "clang/Basic/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
namespace cl = llvm::cl;

static cl::OptionCategory Category("bankstripe options");

static cl::SubCommand AnalyzeCommand("analyze",
                                     "Find private arrays and say what would "
                                     "become of them; changes nothing");
static cl::SubCommand RewriteCommand("rewrite",
                                     "Move private arrays into bank-striped "
                                     "shared memory; prints a diff by default");
static cl::SubCommand VerifyCommand("verify",
                                    "Rewrite one program, build and run it "
                                    "both ways on the GPU, compare and time");

#define ALL_COMMANDS                                                           \
  cl::cat(Category), cl::sub(AnalyzeCommand), cl::sub(RewriteCommand),         \
      cl::sub(VerifyCommand)

static cl::list<std::string> Paths(cl::Positional, cl::desc("PATH..."),
                                   ALL_COMMANDS);
static cl::opt<std::string>
    BuildPath("p", cl::value_desc("BUILD_DIR"),
              cl::desc("Folder with compile_commands.json"), ALL_COMMANDS);
static cl::list<std::string>
    ExtraArgs("extra-arg", cl::value_desc("ARG"),
              cl::desc("Argument to add at the end of the compile command"),
              ALL_COMMANDS);
static cl::list<std::string> ExtraArgsBefore(
    "extra-arg-before", cl::value_desc("ARG"),
    cl::desc("Argument to add at the start of the compile command"),
    ALL_COMMANDS);
static cl::opt<unsigned>
    Jobs("j", cl::Prefix, cl::value_desc("N"), cl::init(0),
         cl::desc("Process N files at a time (default: one per core)"),
         ALL_COMMANDS);
static cl::opt<std::string> GpuArch(
    "gpu-arch", cl::value_desc("sm_NN"),
    cl::desc("Target architecture (default: the command's, else sm_90)"),
    ALL_COMMANDS);
static cl::opt<std::string>
    CudaPath("cuda-path", cl::value_desc("DIR"),
             cl::desc("CUDA toolkit (default: CUDA_HOME, CUDA_PATH, nvcc on "
                      "PATH, /usr/local/cuda)"),
             ALL_COMMANDS);
static cl::opt<unsigned> BlockSize(
    "block-size", cl::value_desc("N"), cl::init(0),
    cl::desc("Largest block, in threads, of kernels whose launches do not "
             "tell; it is added to them as __launch_bounds__"),
    ALL_COMMANDS);
static cl::opt<double> MinSpeedup(
    "min-speedup", cl::value_desc("FACTOR"), cl::init(1.05),
    cl::desc("What a change must be predicted to be worth (default: 1.05); 0 "
             "moves whatever can move"),
    ALL_COMMANDS);
static cl::opt<unsigned> SharedLimit(
    "shared-limit", cl::value_desc("BYTES"), cl::init(0),
    cl::desc("Shared memory that a block may take when its launches bring it "
             "(default: what the architectures of the command have, 232448 on "
             "sm_90; 49152 where it names none or nothing is predicted)"),
    ALL_COMMANDS);
static cl::opt<std::string>
    Config("config", cl::value_desc("FILE"),
           cl::desc("Decisions to obey (default: the nearest .bankstripe.yaml "
                    "above each source)"),
           ALL_COMMANDS);
static cl::opt<bool> NoConfig("no-config", cl::desc("Obey no decisions"),
                              ALL_COMMANDS);
static cl::opt<Layout> DefaultLayout(
    "layout", cl::desc("What arrays without a decision become"),
    cl::init(Layout::Auto),
    cl::values(clEnumValN(Layout::Auto, "auto", "bankstripe chooses"),
               clEnumValN(Layout::Stripe, "stripe", "stripes where possible"),
               clEnumValN(Layout::Slot, "slot", "slots only"),
               clEnumValN(Layout::Keep, "keep", "nothing moves")),
    ALL_COMMANDS);
static cl::opt<std::string> DefaultCarveout(
    "carveout", cl::value_desc("auto|driver|PERCENT"),
    cl::desc("How much of the L1 becomes shared memory where launches can be "
             "edited: what the grid needs, what the driver chooses, or so much "
             "of the most there can be (default: auto where launches are "
             "edited anyway)"),
    ALL_COMMANDS);
static cl::list<std::string>
    Include("include", cl::value_desc("GLOB"),
            cl::desc("Only files that match (may be repeated)"), ALL_COMMANDS);
static cl::list<std::string>
    Exclude("exclude", cl::value_desc("GLOB"),
            cl::desc("No files that match (may be repeated)"), ALL_COMMANDS);
static cl::opt<OutputFormat>
    Format("format", cl::desc("Output format"), cl::init(OutputFormat::Text),
           cl::values(clEnumValN(OutputFormat::Text, "text", "for people"),
                      clEnumValN(OutputFormat::Json, "json",
                                 "for machines; see docs/json.md")),
           ALL_COMMANDS);
static cl::opt<bool> Quiet("quiet", cl::desc("Print errors only"),
                           ALL_COMMANDS);
static cl::opt<bool>
    Verbose("verbose",
            cl::desc("Also print what stays in registers, the commands that "
                     "were dropped, and every kernel"),
            ALL_COMMANDS);
static cl::opt<bool>
    NoConfirm("no-confirm",
              cl::desc("Do not ask nvcc's ptxas to confirm the rewrite"),
              ALL_COMMANDS);

static cl::opt<bool> DryRun("dry-run",
                            cl::desc("Print a unified diff (the default)"),
                            cl::cat(Category), cl::sub(RewriteCommand));
static cl::opt<bool> InPlace("in-place", cl::desc("Replace the files"),
                             cl::cat(Category), cl::sub(RewriteCommand));
static cl::opt<std::string>
    OutputDirectory("output-dir", cl::value_desc("DIR"),
                    cl::desc("Write the files below DIR, tree kept"),
                    cl::cat(Category), cl::sub(RewriteCommand));
static cl::opt<bool> Check("check",
                           cl::desc("Exit with 1 when something would change"),
                           cl::cat(Category), cl::sub(RewriteCommand));
static cl::opt<bool>
    EmbedHelper("embed-helper",
                cl::desc("Put the helper into each changed file instead of "
                         "bankstripe.cuh beside it"),
                cl::cat(Category), cl::sub(RewriteCommand),
                cl::sub(VerifyCommand));

static cl::opt<unsigned> Runs("runs", cl::value_desc("N"), cl::init(5),
                              cl::desc("Timing runs of each program"),
                              cl::cat(Category), cl::sub(VerifyCommand));
static cl::opt<std::string>
    VerifyProgram("verify-program", cl::value_desc("PATH"),
                  cl::desc("bankstripe-verify (default: beside this program)"),
                  cl::cat(Category), cl::sub(VerifyCommand));
static cl::list<std::string>
    ProgramArgs("program-arg", cl::value_desc("ARG"),
                cl::desc("Argument for the program when it is run (may be "
                         "repeated)"),
                cl::cat(Category), cl::sub(VerifyCommand));
static cl::opt<bool> Keep("keep",
                          cl::desc("Keep the rewritten sources and programs "
                                   "and say where they are"),
                          cl::cat(Category), cl::sub(VerifyCommand));

static constexpr llvm::StringLiteral Overview =
    R"(bankstripe moves private CUDA arrays from local memory into bank-striped shared memory

  A PATH is a CUDA file, or a folder: every .cu file in it, or with -p the
  entries of BUILD_DIR/compile_commands.json that lie in it. What follows -- is
  handed to the compiler, for nvcc or Clang alike.

  What a project has decided about its arrays stands in .bankstripe.yaml, in the
  folder of a source or above it; see docs/decisions.md.

EXAMPLES:
  bankstripe analyze src/                     what would happen, and why
  bankstripe rewrite src/kernel.cu            the change as a diff
  bankstripe rewrite --in-place -p build src/ make it
  bankstripe rewrite --check src/             for continuous integration
  bankstripe rewrite --output-dir=build/striped src/
  bankstripe rewrite --layout=slot src/       every array that moves gets a slot
  bankstripe analyze --no-config src/         as if nothing had been decided
  bankstripe analyze a.cu -- -std=c++17 -Iinclude -arch=sm_90
  bankstripe verify a.cu -- -O3               prove and time it on the GPU

EXIT CODES:
  0 done   1 --check found changes, or verification failed   2 bad usage
  3 some file could not be processed (the others still were)
)";

static void printVersion(llvm::raw_ostream &OS) {
  OS << "bankstripe " << BANKSTRIPE_VERSION << " (Clang "
     << CLANG_VERSION_STRING << ")\n";
}

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

static bool readMode(ToolOptions &O) {
  unsigned Modes = DryRun + InPlace + Check + !OutputDirectory.empty();
  if (Modes > 1)
    return usageError("choose one of --dry-run, --in-place, --output-dir and "
                      "--check");
  if (OutputDirectory.getNumOccurrences() && OutputDirectory.empty())
    return usageError("--output-dir needs a folder");
  O.Mode = InPlace                    ? RewriteMode::InPlace
           : Check                    ? RewriteMode::Check
           : !OutputDirectory.empty() ? RewriteMode::OutputDirectory
                                      : RewriteMode::DryRun;
  O.OutputDirectory = OutputDirectory;
  return true;
}

static bool readArchitecture(ToolOptions &O) {
  llvm::StringRef Arch = GpuArch;
  unsigned Number = 0;
  if (!Arch.empty() &&
      (!Arch.consume_front("sm_") || Arch.rtrim("af").getAsInteger(10, Number)))
    return usageError("--gpu-arch needs a name such as sm_90, not '" + GpuArch +
                      "'");
  O.Frontend.GpuArch = GpuArch;
  return true;
}

static bool readRest(ToolOptions &O) {
  if (Paths.empty())
    return usageError("give at least one file or folder");
  if (O.Run == Command::Verify && Paths.size() != 1)
    return usageError("verify takes one file");
  if (BlockSize.getNumOccurrences() && (BlockSize < 1 || BlockSize > 1024))
    return usageError("--block-size must be from 1 to 1024");
  if (NoConfig && Config.getNumOccurrences())
    return usageError("choose one of --config and --no-config");
  if (Config.getNumOccurrences() && Config.empty())
    return usageError("--config needs a file");
  O.DefaultCarveout = parseCarveout(DefaultCarveout);
  if (DefaultCarveout.getNumOccurrences() && !O.DefaultCarveout)
    return usageError("--carveout must be auto, driver or from 0 to 100");
  if (Quiet && Verbose)
    return usageError("choose one of --quiet and --verbose");
  if (Runs < 1)
    return usageError("--runs must be at least 1");
  O.Paths.assign(Paths.begin(), Paths.end());
  O.Frontend.CudaPath = CudaPath;
  O.Frontend.DatabaseDirectory = BuildPath;
  O.Frontend.ExtraArgs.assign(ExtraArgs.begin(), ExtraArgs.end());
  O.Frontend.ExtraArgsBefore.assign(ExtraArgsBefore.begin(),
                                    ExtraArgsBefore.end());
  O.Frontend.Include.assign(Include.begin(), Include.end());
  O.Frontend.Exclude.assign(Exclude.begin(), Exclude.end());
  O.Jobs = Jobs ? unsigned(Jobs)
                : llvm::hardware_concurrency().compute_thread_count();
  O.BlockSize = BlockSize;
  O.SharedLimit = SharedLimit;
  O.MinSpeedup = MinSpeedup;
  O.Config = {NoConfig, Config};
  if (DefaultLayout.getNumOccurrences())
    O.DefaultLayout = DefaultLayout;
  O.Format = Format;
  O.Level = Quiet ? Detail::Quiet : Verbose ? Detail::Verbose : Detail::Normal;
  O.Confirm = !NoConfirm;
  O.EmbedHelper = EmbedHelper;
  O.Runs = Runs;
  O.VerifyProgram = VerifyProgram;
  O.ProgramArgs.assign(ProgramArgs.begin(), ProgramArgs.end());
  O.KeepFiles = Keep;
  return true;
}

std::optional<ToolOptions> bankstripe::parseCommandLine(int Argc,
                                                        const char **Argv) {
  ToolOptions O;
  std::vector<const char *> Own = splitOff(Argc, Argv, O.Frontend.CompilerArgs);
  cl::HideUnrelatedOptions(Category);
  for (cl::SubCommand *S : {&AnalyzeCommand, &RewriteCommand, &VerifyCommand})
    cl::HideUnrelatedOptions(Category, *S);
  cl::SetVersionPrinter(printVersion);
  std::string Errors;
  llvm::raw_string_ostream OS(Errors);
  if (!cl::ParseCommandLineOptions(Own.size(), Own.data(), Overview, &OS)) {
    llvm::errs() << Errors;
    return std::nullopt;
  }
  if (AnalyzeCommand)
    O.Run = Command::Analyze;
  else if (RewriteCommand)
    O.Run = Command::Rewrite;
  else if (VerifyCommand)
    O.Run = Command::Verify;
  else {
    usageError("give a command: analyze, rewrite or verify");
    return std::nullopt;
  }
  if (!readMode(O) || !readArchitecture(O) || !readRest(O))
    return std::nullopt;
  return O;
}
