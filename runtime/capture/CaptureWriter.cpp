//===-- CaptureWriter.cpp - capture to file -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capture/CaptureWriter.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

using namespace bankstripe::runtime;

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
