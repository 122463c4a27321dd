//===-- Capture.cpp - one launch with the memory it starts from -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No number is used as an index before it was compared, whatever the checksum
// says.
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include "recording/DigestMix.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

std::string bankstripe::runtime::pageBytes(const CapturedPage &Page,
                                           uint64_t Bytes) {
  if (!Page.Bytes.empty())
    return std::string(Page.Bytes.substr(0, Bytes));
  std::string Filled(Bytes, '\0');
  for (uint64_t At = 0; At < Bytes; At += sizeof Page.Word)
    std::memcpy(Filled.data() + At, &Page.Word,
                std::min<uint64_t>(sizeof Page.Word, Bytes - At));
  return Filled;
}

namespace {

// Reads record after record. The steps return whether they succeeded.
class Records {
public:
  /// \param FileBytes of the file at \p Path.
  Records(const std::string &Path, uint64_t FileBytes)
      : Folder(std::filesystem::path(Path).parent_path()),
        MostPages(FileBytes / FewestPageBytes) {}

  bool add(std::string_view Record) {
    ByteReader From(Record.substr(1));
    const auto Type = static_cast<CaptureRecord>(Record.front());
    HasProgram |= Type == CaptureRecord::Program;
    HasKernel |= Type == CaptureRecord::Kernel;
    HasEnded = Type == CaptureRecord::End;
    // What is left of it is the page.
    return Type == CaptureRecord::Page
               ? addPage(From, Record)
               : addFields(Type, From) && From.finished();
  }

  Capture Result;
  bool HasProgram = false, HasKernel = false, HasEnded = false;

private:
  bool addFields(CaptureRecord Type, ByteReader &From) {
    switch (Type) {
    case CaptureRecord::Program:
      return From.fields(Result.Program);
    case CaptureRecord::Kernel:
      return From.fields(Result.Original);
    case CaptureRecord::Memory:
      return addMemory(From);
    case CaptureRecord::Store:
      return addStore(From);
    case CaptureRecord::Stored:
      return addStored(From);
    case CaptureRecord::Note:
      return From.fields(Result.Notes.emplace_back());
    case CaptureRecord::Page:
    case CaptureRecord::End:
      break;
    }
    return Type == CaptureRecord::End;
  }

  bool addMemory(ByteReader &From) {
    // Of all memory together, more than any GPU has.
    constexpr uint64_t MostBytes = uint64_t(1) << 40;
    CapturedMemory M;
    if (!From.fields(M) || M.Bytes == 0 || M.Bytes > MostBytes - AllBytes ||
        M.Address + M.Bytes < M.Address ||
        capturePages(M.Bytes) > MostPages - AllPages)
      return false;
    AllBytes += M.Bytes;
    AllPages += capturePages(M.Bytes);
    M.Before.resize(capturePages(M.Bytes));
    M.After.resize(M.Before.size());
    Result.Memory.push_back(std::move(M));
    return true;
  }

  // The page that a record is about, and how many bytes it has; null when there
  // is none.
  CapturedPage *pageOf(ByteReader &From, uint64_t &Bytes) {
    const bool IsAfter = From.number<unsigned>() != 0;
    const auto Number = From.number<uint64_t>();
    const auto Index = From.number<uint64_t>();
    if (From.failed() || Number >= Result.Memory.size())
      return nullptr;
    CapturedMemory &M = Result.Memory[Number];
    std::vector<CapturedPage> &Pages = IsAfter ? M.After : M.Before;
    if (Index >= Pages.size())
      return nullptr;
    Bytes = std::min(CapturePageBytes, M.Bytes - Index * CapturePageBytes);
    Pages[Index].IsThere = true;
    return &Pages[Index];
  }

  bool addPage(ByteReader &From, std::string_view Record) {
    uint64_t Expected = 0;
    CapturedPage *Page = pageOf(From, Expected);
    if (!Page)
      return false;
    const std::string_view Bytes = Record.substr(Record.size() - From.left());
    if (Bytes.size() == sizeof Page->Word)
      std::memcpy(&Page->Word, Bytes.data(), sizeof Page->Word);
    else
      Page->Bytes = Bytes;
    return Bytes.size() == sizeof Page->Word || Bytes.size() == Expected;
  }

  // It stands beside the capture. Pages of one would not outlive another.
  bool addStore(ByteReader &From) {
    const std::filesystem::path Name = From.text();
    if (!From.finished() || Name != Name.filename() || Name == ".." ||
        Result.Storage)
      return false;
    const MappedFile File = mapFile(Folder / Name);
    Store = File.Bytes;
    Result.Storage = File.Storage;
    return true;
  }

  bool addStored(ByteReader &From) {
    uint64_t Bytes = 0;
    CapturedPage *Page = pageOf(From, Bytes);
    const auto Place = From.number<uint64_t>();
    const uint64_t Held = Store.size();
    if (!Page || !From.finished() || Place > Held / CapturePageBytes ||
        Bytes > Held - Place * CapturePageBytes)
      return false;
    Page->Bytes = Store.substr(Place * CapturePageBytes, Bytes);
    return true;
  }

  /// Of the record of a page: each page has one.
  static constexpr uint64_t FewestPageBytes = 6 + ChecksumBytes;

  std::filesystem::path Folder;
  std::string_view Store;
  uint64_t MostPages;
  uint64_t AllBytes = 0, AllPages = 0; ///< Of the memory so far.
};

} // namespace

// What every capture has to have.
static std::string whatIsMissing(const Records &Read) {
  if (!Read.HasEnded)
    return "it is not complete";
  if (!Read.HasProgram || !Read.HasKernel)
    return "it holds no launch";
  for (const CapturedMemory &M : Read.Result.Memory)
    for (const CapturedPage &Page : M.Before)
      if (!Page.IsThere)
        return "it lacks a page of memory";
  return "";
}

std::variant<Capture, ReadError>
bankstripe::runtime::readCapture(const std::string &Path) {
  const MappedFile File = mapFile(Path);
  if (!File.Problem.empty())
    return ReadError{File.Problem};
  Records Read(Path, File.Bytes.size());
  std::string Problem = readRecords(
      File.Bytes, CaptureFile, /*MayBeCutOff=*/false,
      [&Read](std::string_view Record) {
        return Read.add(Record) ? "" : "the fields are not those of its type";
      });
  if (Problem.empty())
    Problem = whatIsMissing(Read);
  if (!Problem.empty())
    return ReadError{Problem};
  Read.Result.Storage = std::make_shared<
      std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
      File.Storage, Read.Result.Storage);
  return std::move(Read.Result);
}

namespace {

// Bytes in which pointers count by what they point to.
class Unplaced {
public:
  explicit Unplaced(const Capture &Of) {
    for (const CapturedMemory &M : Of.Memory)
      Memory[M.Address] = {M.Address + M.Bytes, labelOf(M)};
  }

  // What tells the memory from all other of its capture, in each run.
  static uint64_t labelOf(const CapturedMemory &M) {
    std::string Known =
        ByteWriter().fields(M.Bytes, M.Kind, M.Symbol, M.Number).Out;
    erasePathDigests(Known);
    return mixPlaced(digestBytes(Known.data(), Known.size()) + Known.size());
  }

  std::string bytes(std::string Bytes) const {
    if (Memory.empty())
      return Bytes;
    const uint64_t First = Memory.begin()->first;
    const uint64_t Last = Memory.rbegin()->second.first;
    uint64_t Word = 0;
    for (size_t At = 0; At + sizeof Word <= Bytes.size(); At += sizeof Word) {
      std::memcpy(&Word, Bytes.data() + At, sizeof Word);
      if (Word < First || Word > Last)
        continue;
      // Pointers behind the last element are common.
      const auto [Begin, Rest] = *std::prev(Memory.upper_bound(Word));
      if (Word > Rest.first)
        continue;
      Word += Rest.second - Begin;
      std::memcpy(Bytes.data() + At, &Word, sizeof Word);
    }
    return Bytes;
  }

private:
  /// End and label, by the address.
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> Memory;
};

} // namespace

uint64_t bankstripe::runtime::digestOf(const Capture &Of) {
  const Unplaced In(Of);
  CapturedKernel Kernel = Of.Original;
  // Built in another folder, the same file has another digest.
  erasePathDigests(Kernel.Symbol);
  erasePathDigests(Kernel.Image);
  for (CapturedParameter &P : Kernel.Parameters)
    P.Bytes = In.bytes(std::move(P.Bytes));
  const std::string Launch = ByteWriter().fields(Kernel).Out;
  uint64_t Sum = digestBytes(Launch.data(), Launch.size()) + Launch.size();
  for (const CapturedMemory &M : Of.Memory)
    for (uint64_t Page = 0; Page < M.Before.size(); ++Page) {
      const std::string Bytes = In.bytes(pageBytes(
          M.Before[Page],
          std::min(CapturePageBytes, M.Bytes - Page * CapturePageBytes)));
      Sum += mixPlaced(mixWord(Unplaced::labelOf(M), Page) +
                       digestBytes(Bytes.data(), Bytes.size()));
    }
  return mixPlaced(Sum);
}

PageStore::PageStore(std::string Path, uint64_t MostBytes)
    : Path(std::move(Path)), MostPages(MostBytes / CapturePageBytes) {}

PageStore::~PageStore() {
  if (File != -1)
    ::close(File);
}

std::optional<uint64_t> PageStore::add(uint64_t Sum, std::string_view Bytes) {
  if (const auto Known = BySum.find(Sum); Known != BySum.end()) {
    ++Pages[Known->second].Uses;
    return Known->second;
  }
  if (File == -1)
    File = ::open(Path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (Free.empty() && Pages.size() >= MostPages)
    return std::nullopt;
  const uint64_t Place = Free.empty() ? Pages.size() : Free.back();
  if (::pwrite(File, Bytes.data(), Bytes.size(),
               static_cast<off_t>(Place * CapturePageBytes)) !=
      static_cast<ssize_t>(Bytes.size()))
    return std::nullopt;
  if (Free.empty())
    Pages.emplace_back();
  else
    Free.pop_back();
  Pages[Place] = {Sum, 1};
  BySum[Sum] = Place;
  return Place;
}

void PageStore::drop(uint64_t Place) {
  if (--Pages[Place].Uses > 0)
    return;
  BySum.erase(Pages[Place].Sum);
  Free.push_back(Place);
}

CaptureWriter::CaptureWriter(const std::string &Path, PageStore *Shared)
    : Shared(Shared) {
  // Another process of the program may have a launch of that number, too.
  if (std::FILE *New = std::fopen(Path.c_str(), "wbx")) {
    std::fclose(New);
    File.open(Path, std::ios::binary);
  } else {
    Problem = std::strerror(errno);
  }
  write(CaptureFile.header());
  if (Shared)
    add(CaptureRecord::Store,
        ByteWriter().text(
            std::filesystem::path(Shared->path()).filename().string()));
}

// The first failure is the one to tell of.
void CaptureWriter::write(std::string_view Bytes) {
  if (Problem.empty() &&
      !File.write(Bytes.data(), static_cast<std::streamsize>(Bytes.size())))
    Problem = std::strerror(errno);
}

void CaptureWriter::add(CaptureRecord Type, const ByteWriter &Fields,
                        std::string_view Bytes) {
  Framed.clear(); // Its room stays.
  addRecord(Framed, static_cast<unsigned char>(Type), Fields, Bytes);
  write(Framed);
}

unsigned CaptureWriter::memory(const CapturedMemory &Of) {
  add(CaptureRecord::Memory, ByteWriter().fields(Of));
  Sums.emplace_back(capturePages(Of.Bytes));
  return static_cast<unsigned>(Sums.size() - 1);
}

void CaptureWriter::pages(unsigned Number, CaptureMoment When,
                          uint64_t FirstPage, std::string_view Bytes) {
  for (uint64_t At = 0; At < Bytes.size(); At += CapturePageBytes)
    page(Number, When, FirstPage + At / CapturePageBytes,
         Bytes.substr(At, CapturePageBytes));
}

// Whether the page holds its first word over and over, the last time perhaps in
// part.
static bool repeatsAWord(std::string_view Page) {
  constexpr size_t WordBytes = sizeof CapturedPage::Word;
  return Page.size() >= WordBytes &&
         std::memcmp(Page.data(), Page.data() + WordBytes,
                     Page.size() - WordBytes) == 0;
}

void CaptureWriter::page(unsigned Number, CaptureMoment When, uint64_t Page,
                         std::string_view Bytes) {
  if (!Problem.empty() || Number >= Sums.size() || Page >= Sums[Number].size())
    return;
  const uint64_t Sum = digestBytes(Bytes.data(), Bytes.size());
  if (When == CaptureMoment::Before)
    Sums[Number][Page] = Sum;
  else if (Sums[Number][Page] == Sum)
    return;
  if (repeatsAWord(Bytes)) {
    Bytes = Bytes.substr(0, sizeof CapturedPage::Word);
  } else if (Shared) {
    const auto Place = Shared->add(Sum + Bytes.size(), Bytes);
    if (!Place) {
      Problem = "there is no room for its memory";
      return;
    }
    Stored.push_back(*Place);
    return add(CaptureRecord::Stored,
               ByteWriter().fields(When == CaptureMoment::After, Number, Page,
                                   *Place));
  }
  add(CaptureRecord::Page,
      ByteWriter().fields(When == CaptureMoment::After, Number, Page), Bytes);
}

bool CaptureWriter::end() {
  add(CaptureRecord::End, ByteWriter());
  File.close();
  if (!File && Problem.empty())
    Problem = std::strerror(errno);
  return Problem.empty();
}

std::optional<std::vector<CapturedParameter>>
bankstripe::runtime::copyParameters(std::span<const ParameterPlace> Places,
                                    const void *const *Values,
                                    std::string_view Buffer) {
  std::vector<CapturedParameter> Parameters;
  for (const ParameterPlace &P : Places) {
    std::string_view Bytes;
    if (Values)
      Bytes = {static_cast<const char *>(*Values++), P.Bytes};
    else if (P.Offset <= Buffer.size() && P.Bytes <= Buffer.size() - P.Offset)
      Bytes = Buffer.substr(P.Offset, P.Bytes);
    else
      return std::nullopt;
    Parameters.push_back({P.Offset, std::string(Bytes)});
  }
  return Parameters;
}
