//===-- Capture.cpp - one launch with the memory it starts from -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per type of record. No number is used as an index before it was
// compared, whatever the checksum says.
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

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
  bool add(std::string_view Record) {
    ByteReader From(Record.substr(1));
    HasEnded = false;
    switch (static_cast<CaptureRecord>(Record.front())) {
    case CaptureRecord::Program:
      return addProgram(From);
    case CaptureRecord::Kernel:
      return addKernel(From);
    case CaptureRecord::Memory:
      return addMemory(From);
    case CaptureRecord::Bytes:
      return addPages(From, Record, /*IsWord=*/false);
    case CaptureRecord::Word:
      return addPages(From, Record, /*IsWord=*/true);
    case CaptureRecord::Note:
      return addNote(From);
    case CaptureRecord::End:
      HasEnded = true;
      return From.finished();
    }
    return false;
  }

  Capture Result;
  bool HasProgram = false, HasOriginal = false, HasEnded = false;

private:
  bool addProgram(ByteReader &From) {
    HasProgram = true;
    return From.fields(Result.Program) && From.finished();
  }

  bool addKernel(ByteReader &From) {
    const bool IsRewritten = From.number<unsigned>() != 0;
    CapturedKernel K;
    From.fields(K);
    const auto Count = From.number<uint64_t>();
    for (uint64_t I = 0; I < Count && !From.failed(); ++I) {
      CapturedParameter P;
      From.fields(P);
      K.Parameters.push_back(std::move(P));
    }
    if (!From.finished())
      return false;
    if (IsRewritten)
      Result.Rewritten = std::move(K);
    else
      Result.Original = std::move(K);
    HasOriginal |= !IsRewritten;
    return true;
  }

  bool addMemory(ByteReader &From) {
    // Of all memory together. More than any GPU has; it bounds what the pages
    // take.
    constexpr uint64_t MostBytes = uint64_t(1) << 40;
    CapturedMemory M;
    if (!From.fields(M) || !From.finished() || M.Bytes == 0 ||
        M.Bytes > MostBytes - AllBytes || M.Address + M.Bytes < M.Address)
      return false;
    AllBytes += M.Bytes;
    M.Before.resize(capturePages(M.Bytes));
    M.After.resize(M.Before.size());
    Result.Memory.push_back(std::move(M));
    return true;
  }

  bool addPages(ByteReader &From, std::string_view Record, bool IsWord) {
    const bool IsAfter = From.number<unsigned>() != 0;
    const auto Number = From.number<uint64_t>();
    const auto First = From.number<uint64_t>();
    const auto Count = IsWord ? From.number<uint64_t>() : 1;
    if (From.failed() || Number >= Result.Memory.size())
      return false;
    CapturedMemory &M = Result.Memory[Number];
    std::vector<CapturedPage> &Pages = IsAfter ? M.After : M.Before;
    if (First >= Pages.size() || Count > Pages.size() - First)
      return false;
    CapturedPage Page;
    Page.IsThere = true;
    if (IsWord) {
      std::vector<uint64_t> Word;
      From.digests(1, Word);
      if (!From.finished())
        return false;
      Page.Word = Word.front();
    } else {
      Page.Bytes = Record.substr(Record.size() - From.left());
      if (Page.Bytes.size() !=
          std::min(CapturePageBytes, M.Bytes - First * CapturePageBytes))
        return false;
    }
    std::fill_n(Pages.begin() + static_cast<std::ptrdiff_t>(First), Count,
                Page);
    return true;
  }

  // Two programs that were captured apart may lack the same.
  bool addNote(ByteReader &From) {
    std::string Note(From.text());
    std::vector<std::string> &Notes = Result.Notes;
    if (std::find(Notes.begin(), Notes.end(), Note) == Notes.end())
      Notes.push_back(std::move(Note));
    return From.finished();
  }

  uint64_t AllBytes = 0; ///< Of the memory so far.
};

} // namespace

// What every capture has to have.
static std::string whatIsMissing(const Records &Read) {
  if (!Read.HasEnded)
    return "it is not complete";
  if (!Read.HasProgram || !Read.HasOriginal)
    return "it holds no launch of an original program";
  for (const CapturedMemory &M : Read.Result.Memory)
    for (const CapturedPage &Page : M.Before)
      if (!Page.IsThere)
        return "it lacks a page of memory";
  return "";
}

std::variant<Capture, CaptureError>
bankstripe::runtime::readCapture(const std::string &Path) {
  const MappedFile File = mapFile(Path);
  if (!File.Problem.empty())
    return CaptureError{File.Problem};
  Records Read;
  std::string Problem = readRecords(
      File.Bytes, CaptureFile, /*MayBeCutOff=*/false,
      [&Read](std::string_view Record) {
        return Read.add(Record) ? "" : "the fields are not those of its type";
      });
  if (Problem.empty())
    Problem = whatIsMissing(Read);
  if (!Problem.empty())
    return CaptureError{Problem};
  Read.Result.Storage = File.Storage;
  return std::move(Read.Result);
}

CaptureWriter::CaptureWriter(const std::string &Path)
    : File(std::fopen(Path.c_str(), "wbxe")) {
  if (!File)
    failed();
  write(CaptureFile.header());
}

CaptureWriter::~CaptureWriter() {
  if (File)
    std::fclose(File);
}

void CaptureWriter::write(std::string_view Bytes) {
  if (!File || std::fwrite(Bytes.data(), 1, Bytes.size(), File) == Bytes.size())
    return;
  failed();
}

// The first failure is the one to tell of.
void CaptureWriter::failed() {
  if (Problem.empty())
    Problem = errno ? std::strerror(errno) : "unknown error";
  if (File)
    std::fclose(File);
  File = nullptr;
}

void CaptureWriter::add(CaptureRecord Type, const ByteWriter &Fields,
                        std::string_view Bytes) {
  Framed.clear(); // Its room stays.
  addRecord(Framed, static_cast<unsigned char>(Type), Fields, Bytes);
  write(Framed);
}

void CaptureWriter::program(const CapturedProgram &Program) {
  add(CaptureRecord::Program, ByteWriter().fields(Program));
}

void CaptureWriter::kernel(const CapturedKernel &Kernel, bool IsRewritten) {
  ByteWriter Fields;
  Fields.fields(IsRewritten, Kernel, Kernel.Parameters.size());
  for (const CapturedParameter &P : Kernel.Parameters)
    Fields.fields(P);
  add(CaptureRecord::Kernel, Fields);
}

unsigned CaptureWriter::memory(const CapturedMemory &Of) {
  endRun();
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

// The word that the page holds over and over, the last time perhaps in part.
static std::optional<uint64_t> repeatedWord(std::string_view Page) {
  uint64_t Word = 0;
  if (Page.size() < sizeof Word)
    return std::nullopt;
  std::memcpy(&Word, Page.data(), sizeof Word);
  if (std::memcmp(Page.data(), Page.data() + sizeof Word,
                  Page.size() - sizeof Word) != 0)
    return std::nullopt;
  return Word;
}

void CaptureWriter::page(unsigned Number, CaptureMoment When, uint64_t Page,
                         std::string_view Bytes) {
  if (Number >= Sums.size() || Page >= Sums[Number].size())
    return;
  const uint64_t Sum = digestBytes(Bytes.data(), Bytes.size());
  if (When == CaptureMoment::Before)
    Sums[Number][Page] = Sum;
  else if (Sums[Number][Page] == Sum)
    return;
  if (const std::optional<uint64_t> Word = repeatedWord(Bytes))
    return addWord(Number, When, Page, *Word);
  endRun();
  ByteWriter Fields;
  Fields.number(When == CaptureMoment::After).number(Number).number(Page);
  add(CaptureRecord::Bytes, Fields, Bytes);
}

void CaptureWriter::addWord(unsigned Number, CaptureMoment When, uint64_t Page,
                            uint64_t Word) {
  if (Run.Pages == 0 || Run.Number != Number || Run.When != When ||
      Run.FirstPage + Run.Pages != Page || Run.Word != Word) {
    endRun();
    Run = {Number, When, Page, 0, Word};
  }
  ++Run.Pages;
}

void CaptureWriter::endRun() {
  if (Run.Pages == 0)
    return;
  ByteWriter Fields;
  Fields.number(Run.When == CaptureMoment::After)
      .number(Run.Number)
      .number(Run.FirstPage)
      .number(Run.Pages)
      .digests({Run.Word});
  add(CaptureRecord::Word, Fields);
  Run.Pages = 0;
}

void CaptureWriter::note(const std::string &Text) {
  add(CaptureRecord::Note, ByteWriter().text(Text));
}

bool CaptureWriter::end() {
  endRun();
  add(CaptureRecord::End, {});
  if (File && std::fclose(std::exchange(File, nullptr)) != 0)
    failed();
  return Problem.empty();
}

std::string bankstripe::runtime::appendCapture(const std::string &Path,
                                               const std::string &More) {
  std::ifstream From(More, std::ios::binary);
  std::string Header = CaptureFile.header();
  if (!From.read(Header.data(), static_cast<std::streamsize>(Header.size())))
    return "'" + More + "' cannot be read";
  std::ofstream To(Path, std::ios::binary | std::ios::app);
  To << From.rdbuf();
  To.close();
  return To.good() ? "" : "'" + Path + "' cannot be written";
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
