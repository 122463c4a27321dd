//===-- Capture.h - one launch with the memory it starts from ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it takes to launch one kernel again (docs/internals/recorder.md,
// "Captures"): a file of records (recording/Records.h). What records refer to
// comes before them. A file is complete when the last one is an End.
//
//     Program  device, capability, launch
//     Kernel   CapturedKernel::listFields()
//     Memory   CapturedMemory::listFields(); they count from 0
//     Page     1 for what was left, memory, page, its bytes or its word
//     Store    name of the file of pages beside it (PageStore)
//     Stored   1 for what was left, memory, page, its place there
//     Note     a text
//     End
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_CAPTURE_H
#define BANKSTRIPE_RECORDING_CAPTURE_H

#include "recording/Recording.h"
#include "recording/Records.h"
#include <fstream>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace bankstripe::runtime {

/// The version of the file format. A reader takes no other.
constexpr unsigned CaptureVersion = 6;

/// Bytes of a page; the last one of some memory may be shorter.
constexpr uint64_t CapturePageBytes = uint64_t(1) << 16;

constexpr uint64_t capturePages(uint64_t Bytes) {
  return (Bytes + CapturePageBytes - 1) / CapturePageBytes;
}

/// Where the launch took place.
struct CapturedProgram {
  std::string Device;     ///< Name of the GPU.
  std::string Capability; ///< Its compute capability, "9.0".
  unsigned Launch = 0;    ///< Index of the launch in its program.
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Device, Value.Capability, Value.Launch);
  }
};

/// A parameter of a kernel, as the driver lays parameters out.
struct CapturedParameter {
  uint64_t Offset = 0; ///< In the kernel's parameter buffer, in bytes.
  std::string Bytes;   ///< Its value.
  bool operator==(const CapturedParameter &) const = default;
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Offset, Value.Bytes);
  }
};

/// As a kernel's carveout: what the blocks need that the grid brings to an SM.
/// No program asks for that by itself.
constexpr int CarveoutOfGrid = -2;

/// A kernel and how it was launched.
struct CapturedKernel {
  std::string Symbol; ///< Mangled.
  std::string Image;  ///< The module: a cubin.
  Extent Grid, Block;
  unsigned DynamicSharedBytes = 0;
  bool IsCooperative = false;
  Extent Cluster{0, 0, 0}; ///< Blocks of a cluster; 0 where none was asked for.
  /// \name Attributes that the program may have set.
  /// @{
  int MostDynamicSharedBytes = 0; ///< Opted in for, in bytes.
  int Carveout =
      -1; ///< Shared memory in percent of what there is; -1: default.
  /// @}
  /// \name Limits of the context, in bytes.
  /// @{
  uint64_t StackBytes = 0; ///< Of a thread, for calls.
  uint64_t HeapBytes = 0;  ///< For device-side malloc.
  uint64_t PrintBytes = 0; ///< For device-side printf.
  /// @}
  std::vector<CapturedParameter> Parameters;
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Symbol, Value.Image, Value.Grid, Value.Block,
                   Value.DynamicSharedBytes, Value.IsCooperative, Value.Cluster,
                   Value.MostDynamicSharedBytes, Value.Carveout,
                   Value.StackBytes, Value.HeapBytes, Value.PrintBytes,
                   Value.Parameters);
  }
};

/// A page of memory.
struct CapturedPage {
  /// Its bytes; empty when it holds one word over and over.
  std::string_view Bytes;
  uint64_t Word = 0; ///< That word, from the page's first byte on.
  bool IsThere = false;
};

/// Memory that the kernel can reach.
struct CapturedMemory {
  uint64_t Address = 0;
  uint64_t Bytes = 0;  ///< More than 0.
  std::string Kind;    ///< As in Allocation; "constant" for `__constant__`.
  std::string Symbol;  ///< Of a variable, mangled; else empty.
  unsigned Number = 0; ///< Of the allocation in recordings; 0 for variables.
  /// What the launch found and, where that is something else, left.
  std::vector<CapturedPage> Before, After;

  bool isVariable() const { return !Symbol.empty(); }
  /// All but the pages.
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Address, Value.Bytes, Value.Kind, Value.Symbol,
                   Value.Number);
  }
};

/// Everything in a file.
struct Capture {
  CapturedProgram Program;
  CapturedKernel Original;
  std::vector<CapturedMemory> Memory;
  /// What is missing or cannot be put back, once each.
  std::vector<std::string> Notes;
  /// Keeps the bytes that the pages refer to.
  std::shared_ptr<const void> Storage;
};

/// The first \p Bytes bytes of a page.
std::string pageBytes(const CapturedPage &Page, uint64_t Bytes);

/// Reads a complete capture. Its pages stay in the file, which is mapped: it
/// may be larger than the host's memory, and must not be changed meanwhile.
std::variant<Capture, ReadError> readCapture(const std::string &Path);

/// The same for two captures of the same launch with the same memory, wherever
/// that lies: its addresses, and pointers to it, are others in each run.
uint64_t digestOf(const Capture &Of);

// Writing one

constexpr FileKind CaptureFile{"\x89"
                               "bankstripe capture\n",
                               CaptureVersion};

/// What a record is: its first byte.
enum class CaptureRecord : unsigned char {
  Program = 1,
  Kernel,
  Memory,
  Page,
  Note,
  Store,
  Stored,
  End,
};

/// Launches of one program find much the same memory. Their captures refer to a
/// file of pages that stands beside them, where each page is once; what no
/// capture refers to any more is overwritten.
class PageStore {
public:
  /// Creates the file \p Path, for its owner only, when the first page comes.
  PageStore(std::string Path, uint64_t MostBytes);
  ~PageStore();
  PageStore(const PageStore &) = delete;
  PageStore &operator=(const PageStore &) = delete;

  const std::string &path() const { return Path; }

  /// \param Sum a digest of \p Bytes, at most a page.
  /// \returns its place, in pages of CapturePageBytes; none when there is no
  /// room for it.
  std::optional<uint64_t> add(uint64_t Sum, std::string_view Bytes);

  /// A capture that referred to \p Place is gone.
  void drop(uint64_t Place);

private:
  struct Page {
    uint64_t Sum = 0;
    unsigned Uses = 0;
  };

  std::string Path;
  uint64_t MostPages;
  int File = -1;
  std::vector<Page> Pages;
  std::unordered_map<uint64_t, uint64_t> BySum;
  std::vector<uint64_t> Free;
};

/// What the memory is that pages are written of.
enum class CaptureMoment { Before, After };

/// Writes a capture record by record. It lives inside foreign programs: it
/// throws nothing, and after a failed write everything it is told is ignored.
class CaptureWriter {
public:
  /// Creates the file \p Path, which must not be there yet.
  ///
  /// \param Shared where its pages go; without one they are in the file.
  explicit CaptureWriter(const std::string &Path, PageStore *Shared = nullptr);

  void program(const CapturedProgram &Of) {
    add(CaptureRecord::Program, ByteWriter().fields(Of));
  }
  void kernel(const CapturedKernel &Of) {
    add(CaptureRecord::Kernel, ByteWriter().fields(Of));
  }
  /// \param Of its pages do not count.
  /// \return its number; they count from 0.
  unsigned memory(const CapturedMemory &Of);
  /// Whole pages of the memory \p Number, from the page \p FirstPage on; the
  /// last page of the memory may be shorter. For CaptureMoment::After, pages
  /// that are as they were before are left out.
  void pages(unsigned Number, CaptureMoment When, uint64_t FirstPage,
             std::string_view Bytes);
  void note(const std::string &Text) {
    add(CaptureRecord::Note, ByteWriter().text(Text));
  }
  /// Says that nothing is missing.
  ///
  /// \return whether everything could be written.
  bool end();
  /// Why something could not be written; empty when nothing failed so far.
  const std::string &problem() const { return Problem; }
  /// The places of its pages in the store.
  std::vector<uint64_t> &stored() { return Stored; }

private:
  /// What stands in the file of the memory, to tell pages that changed.
  using PageSums = std::vector<uint64_t>;
  void page(unsigned Number, CaptureMoment When, uint64_t Page,
            std::string_view Bytes);
  /// \param Bytes what follows on the fields.
  void add(CaptureRecord Type, const ByteWriter &Fields,
           std::string_view Bytes = {});
  void write(std::string_view Bytes);

  std::ofstream File;
  PageStore *Shared;
  std::vector<uint64_t> Stored;
  std::string Problem;
  std::vector<PageSums> Sums;
  std::string Framed; ///< The record that is written.
};

/// Where a parameter lies in a kernel's parameter buffer.
struct ParameterPlace {
  uint64_t Offset = 0, Bytes = 0;
};

/// The parameters of a launch: \p Values points to each of them or, where there
/// is no such array, all lie in \p Buffer. None when it does not hold them all.
std::optional<std::vector<CapturedParameter>>
copyParameters(std::span<const ParameterPlace> Places,
               const void *const *Values, std::string_view Buffer);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_CAPTURE_H
