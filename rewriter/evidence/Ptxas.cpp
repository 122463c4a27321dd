//===-- Ptxas.cpp - ask ptxas for a kernel's resources --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one file with nvcc as the user's own command would, as far as the
// device code is concerned, for one architecture, and reads ptxas' report.
//
// The report of one kernel, as CUDA 13 writes it:
//
//   ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'
//   ptxas info    : Function properties for _Z1kPi
//       256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 26 registers, used 1 barriers, 400 bytes smem
//
// Properties of the functions that a kernel may call, also through pointers,
// and that were not inlined follow it, each kernel's anew; they have no line of
// registers. Compiled apart from kernels, with -G or -rdc=true, each function
// comes once, anywhere (CUDA 12.4 to 13.0). Older versions give the shared
// memory as `400+16 bytes smem`, the second part being what the compiler itself
// reserves. Lines of other programs may stand anywhere.
//
//===----------------------------------------------------------------------===//

#include "evidence/Ptxas.h"
#include "contract/Process.h"
#include "contract/Symbols.h"
#include "frontend/NvccCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using support::ulittle16_t;
using support::ulittle32_t;
using support::ulittle64_t;

namespace bankstripe {
std::vector<std::string> nvccCommand(const CompileJob &Job, StringRef Nvcc,
                                     StringRef File,
                                     ArrayRef<std::string> ExtraArgs,
                                     StringRef Output, Sides Compiled) {
  std::vector<std::string> Command{Nvcc.str()};
  // First, since they may name rewritten copies of what the command includes.
  Command.insert(Command.end(), ExtraArgs.begin(), ExtraArgs.end());
  // A copy that lies elsewhere must find what the original includes from its
  // own folder.
  Command.push_back(("-I" + sys::path::parent_path(Job.path())).str());
  append_range(Command, optionsForNvcc(Job));
  if (sys::path::extension(File) != ".cu" && !is_contained(Command, "-x"))
    Command.insert(Command.end(), {"-x", "cu"});
  Command.insert(Command.end(), {Compiled == Sides::Both ? "-c" : "-cubin",
                                 "-Xptxas", "-v", "-o", Output.str(),
                                 File == Job.File ? Job.path() : File.str()});
  return Command;
}

namespace {

/// Collects the lines of a report. A kernel that is compiled for several
/// architectures gets the largest of each number.
class ReportReader {
public:
  /// Reads what is about \p Arch; empty: all.
  explicit ReportReader(StringRef Arch) : Arch(Arch) {}
  void read(StringRef Line);
  ResourceTable table();

private:
  void readProperties(StringRef Line);
  bool areFunctionsApart();

  StringRef Arch;
  ResourceTable Table;
  /// Of each kernel, the bytes of all frames at once, if that is said.
  std::map<std::string, unsigned> Cumulative;
  bool BeginsWithFunction = false;
  bool Skips = false;               ///< The last kernel was for another one.
  KernelResources *Entry = nullptr; ///< Of the last "Compiling entry function".
  std::string EntryName;
  std::string FunctionName; ///< Of the last properties.
};

void keepLargest(unsigned &Known, unsigned New) {
  Known = std::max(Known, New);
}

/// The number before \p Unit, such as ` registers`; 0 if there is none. Of
/// `400+16 bytes smem` it is the sum.
unsigned amountOf(StringRef Line, StringRef Unit) {
  const size_t End = Line.find(Unit);
  if (End == StringRef::npos)
    return 0;
  Line = Line.take_front(End);
  unsigned Sum = 0;
  for (StringRef Part :
       split(Line.substr(Line.find_last_of(", \t") + 1), '+')) {
    unsigned Number = 0;
    Part.getAsInteger(10, Number);
    Sum += Number;
  }
  return Sum;
}

bool ReportReader::areFunctionsApart() {
  return BeginsWithFunction || any_of(Cumulative, [&](const auto &Kernel) {
           const KernelResources &R = Table[Kernel.first];
           return Kernel.second > R.StackFrame + R.calleeFrames();
         });
}

// Where nothing tells which kernel calls which function, each may call all.
ResourceTable ReportReader::table() {
  if (!areFunctionsApart())
    return std::move(Table);
  std::map<std::string, CalleeFrame> All;
  for (const auto &[Name, R] : Table)
    if (R.StackFrame && !Cumulative.count(Name))
      All[Name] = {R.StackFrame, R.SpillStores};
  for (const auto &[Name, Bytes] : Cumulative)
    Table[Name].Callees = All;
  return std::move(Table);
}

// Also of a function: of the last kernel's, if it is one that it calls.
void ReportReader::readProperties(StringRef Line) {
  KernelResources &Of = Table[FunctionName];
  keepLargest(Of.StackFrame, amountOf(Line, " bytes stack frame"));
  keepLargest(Of.SpillStores, amountOf(Line, " bytes spill stores"));
  keepLargest(Of.SpillLoads, amountOf(Line, " bytes spill loads"));
  const unsigned Bytes = amountOf(Line, " bytes stack frame");
  if (!Entry || FunctionName == EntryName || !Bytes)
    return;
  CalleeFrame &Frame = Entry->Callees[FunctionName];
  keepLargest(Frame.Bytes, Bytes);
  keepLargest(Frame.SpillStores, amountOf(Line, " bytes spill stores"));
}

void ReportReader::read(StringRef Line) {
  Line = Line.trim();
  const bool IsLinked = Line.starts_with("nvlink");
  if (IsLinked || Line.starts_with("ptxas"))
    Line = Line.split(':').second.ltrim();
  if (Line.consume_front("Compiling entry function '")) {
    EntryName = Line.split('\'').first.str();
    Skips =
        !Arch.empty() && Line.split("' for '").second.split('\'').first != Arch;
    Entry = Skips ? nullptr : &Table[EntryName];
    if (Entry)
      Cumulative[EntryName];
    FunctionName = EntryName;
  } else if (Line.consume_front("Function properties for ")) {
    FunctionName = Line.trim(" ':").str();
    BeginsWithFunction |= !IsLinked && EntryName.empty();
  } else if (IsLinked && Line.starts_with("used ")) {
    KernelResources &Kernel = Table[FunctionName];
    keepLargest(Kernel.Registers, amountOf(Line, " registers"));
    keepLargest(Kernel.SharedBytes, amountOf(Line, " bytes smem"));
    keepLargest(Kernel.StackFrame, amountOf(Line, " stack"));
  } else if (Line.contains("bytes stack frame")) {
    if (!Skips && !FunctionName.empty())
      readProperties(Line);
  } else if (Entry && Line.starts_with("Used ")) {
    keepLargest(Entry->Registers, amountOf(Line, " registers"));
    keepLargest(Entry->SharedBytes, amountOf(Line, " bytes smem"));
    keepLargest(Cumulative[EntryName],
                amountOf(Line, " bytes cumulative stack size"));
  }
}

} // namespace

ResourceTable parsePtxasReport(StringRef Text, StringRef Arch) {
  ReportReader Reader(Arch);
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Reader.read(Line);
    Text = Rest;
  }
  return Reader.table();
}

std::string withoutPtxasReport(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    const auto [Line, Rest] = Text.split('\n');
    // Remarks that are printed anyway have a number in parentheses.
    const bool IsReport = Line.starts_with("ptxas info") &&
                          !Line.split(':').second.ltrim().starts_with("(");
    if (!IsReport && !Line.contains(" bytes stack frame, "))
      Result += Text.drop_back(Rest.size());
    Text = Rest;
  }
  return Result;
}

std::string firstErrorIn(StringRef Said) {
  StringRef First;
  for (StringRef Line : split(Said, '\n')) {
    Line = Line.trim();
    if (Line.contains_insensitive("error") ||
        Line.contains_insensitive("fatal"))
      return Line.str();
    if (First.empty())
      First = Line;
  }
  return First.str();
}

ResourceTable forKernels(const ResourceTable &Reported,
                         const std::vector<Kernel> &Kernels,
                         const std::set<std::string> &OfVersions,
                         ArrayRef<DeviceFunction> Linked) {
  std::map<std::string, const KernelResources *> ByName, Versions;
  for (const auto &[Symbol, Resources] : Reported) {
    ByName[canonicalName(Symbol, demangle)] = &Resources;
    if (isVersion(Symbol, demangle))
      Versions[kernelName(Symbol, demangle)] = &Resources;
  }
  ResourceTable Result;
  auto Add = [&](const std::string &Id, bool OfVersion) {
    const std::string Name = canonicalName(Id, demangle);
    // An instance of a template that no launch names any more is not compiled.
    const KernelResources *Beside = OfVersion ? Versions[Name] : nullptr;
    Result.erase(Id);
    if (const KernelResources *Found = Beside ? Beside : ByName[Name]) {
      KernelResources &Into = Result[Id] = *Found;
      if (!Linked.empty())
        Into.Callees.clear();
    }
  };
  // Versions of kernels call copies of functions.
  for (const DeviceFunction &F : Linked)
    if (F.Defined)
      Add(F.Id, /*OfVersion=*/true);
  for (const Kernel &K : Kernels)
    Add(K.Id, OfVersions.contains(K.Id));
  return Result;
}

// A fatbin is a header and entries, one for each cubin and each PTX text:
//
//   header | entry header, payload | entry header, payload | ...
//
// NVIDIA does not document it. The fields below were seen in objects of CUDA
// 13.0. What does not look like that is passed over. A cubin lies there as it
// is, or compressed by zstd, as with -rdc=true.
namespace {

constexpr StringLiteral FatbinMagic = "\x50\xed\x55\xba";

struct FatbinHeader {
  ulittle32_t Magic;
  ulittle16_t Version, HeaderSize;
  ulittle64_t Size; ///< Of all entries.
};

struct FatbinEntry {
  static constexpr unsigned IsCubin = 2;
  static constexpr unsigned IsCompressed = 0x8000; ///< By zstd.

  ulittle16_t Kind, Version;
  ulittle32_t HeaderSize;
  ulittle64_t Size; ///< Of the payload.
  ulittle32_t CompressedSize, Unused;
  ulittle16_t Minor, Major;
  ulittle32_t Arch; ///< 90 for sm_90.
  ulittle32_t NameOffset, NameSize;
  ulittle64_t Flags, Zero;
  ulittle64_t FullSize; ///< Of what is compressed.
};
static_assert(sizeof(FatbinHeader) == 16 && sizeof(FatbinEntry) == 64);

/// The largest cubin that is unpacked.
constexpr uint64_t MostBytes = uint64_t(1) << 28;

} // namespace

// The cubin in Payload; empty if it cannot be read.
static std::string unpack(const FatbinEntry &E, StringRef Payload) {
  if (!(E.Flags & FatbinEntry::IsCompressed))
    return Payload.starts_with(ELF::ElfMagic) ? Payload.str() : "";
  SmallVector<uint8_t> Full;
  if (!compression::zstd::isAvailable() || E.CompressedSize > Payload.size() ||
      E.FullSize > MostBytes)
    return "";
  if (Error Problem = compression::zstd::decompress(
          arrayRefFromStringRef(Payload.take_front(E.CompressedSize)), Full,
          E.FullSize)) {
    consumeError(std::move(Problem));
    return "";
  }
  return toStringRef(Full).str();
}

std::string findCubin(StringRef Bytes, StringRef Arch) {
  unsigned Number = 0;
  if (!Arch.consume_front("sm_") || Arch.consumeInteger(10, Number))
    return "";
  std::string Found;
  bool Any = false;
  for (size_t At = 0; (At = Bytes.find(FatbinMagic, At)) != StringRef::npos;
       ++At) {
    StringRef Rest = Bytes.substr(At);
    const auto *H = reinterpret_cast<const FatbinHeader *>(Rest.data());
    if (Rest.size() < sizeof(FatbinHeader) ||
        H->HeaderSize != sizeof(FatbinHeader))
      continue;
    Rest = Rest.substr(sizeof(FatbinHeader), H->Size);
    while (Rest.size() >= sizeof(FatbinEntry)) {
      const auto *E = reinterpret_cast<const FatbinEntry *>(Rest.data());
      if (E->HeaderSize < sizeof(FatbinEntry) || E->HeaderSize > Rest.size() ||
          E->Size > Rest.size() - E->HeaderSize)
        break;
      const StringRef Payload = Rest.substr(E->HeaderSize, E->Size);
      Rest = Rest.substr(E->HeaderSize + E->Size);
      if (E->Kind != FatbinEntry::IsCubin || E->Arch != Number)
        continue;
      if (Any) // sm_90 and sm_90a.
        return "";
      Any = true;
      Found = unpack(*E, Payload);
    }
  }
  return Found;
}

namespace {

/// Each kernel's code is a section `.text.NAME` of the cubin, which is an ELF
/// file. One that cannot be read tells nothing.
void addCodeBytes(StringRef Cubin, ResourceTable &Table) {
  auto File = object::ELFFile<object::ELF64LE>::create(Cubin);
  if (!File)
    return consumeError(File.takeError());
  auto Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError());
  for (const auto &Section : *Sections) {
    auto Name = File->getSectionName(Section);
    if (!Name)
      return consumeError(Name.takeError());
    if (!Name->consume_front(".text."))
      continue;
    if (auto Found = Table.find(Name->str()); Found != Table.end())
      Found->second.CodeBytes = Section.sh_size;
  }
}

} // namespace

Expected<ResourceTable> runPtxas(const CompileJob &Job, StringRef Nvcc,
                                 StringRef File,
                                 ArrayRef<std::string> ExtraArgs,
                                 Sides Compiled) {
  if (Error E = checkForNvcc(Job, File, ExtraArgs))
    return std::move(E);
  const bool Both = Compiled == Sides::Both;
  SmallString<128> Made;
  if (std::error_code EC = sys::fs::createTemporaryFile(
          "bankstripe", Both ? "o" : "cubin", Made))
    return createStringError(EC,
                             "cannot create a temporary file: " + EC.message());
  const FileRemover Remover(Made);
  const ProcessResult Ended =
      runProcess(nvccCommand(Job, Nvcc, File, ExtraArgs, Made, Compiled),
                 Output::Together, Job.Directory);
  if (!Ended.succeeded())
    return createStringError("nvcc failed on '" + File + "' (it " +
                             Ended.problem() +
                             "): " + StringRef(Ended.Out).rtrim());
  ResourceTable Table = parsePtxasReport(Ended.Out);
  if (auto Buffer = MemoryBuffer::getFile(Made)) {
    const StringRef Bytes = (*Buffer)->getBuffer();
    addCodeBytes(Both ? findCubin(Bytes, Job.GpuArch) : Bytes, Table);
  }
  return Table;
}

std::optional<ResourceTable> readCompile(const NvccCompile &Compile,
                                         StringRef Arch) {
  ResourceTable Table = parsePtxasReport(Compile.Report, Arch);
  auto Buffer = MemoryBuffer::getFile(Compile.Object);
  if (Table.empty() || !Buffer)
    return std::nullopt;
  const std::string Cubin = findCubin((*Buffer)->getBuffer(), Arch);
  if (Cubin.empty())
    return std::nullopt;
  addCodeBytes(Cubin, Table);
  return Table;
}

} // namespace bankstripe
