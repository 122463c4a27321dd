//===-- Capture.h - one launch with the memory it starts from ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture holds what it takes to launch one kernel again in a process of its
// own: the module, the launch, and all memory with its addresses, so that
// pointers stay valid; and what the launch left there. The recorder writes it
// (CaptureWriter.h), bankstripe-replay reads it.
//
// Memory lies in pages. One that holds a single 64-bit word over and over,
// which fresh and cleared memory does, is that word; of what the launch left,
// only pages that it changed are there.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CAPTURE_CAPTURE_H
#define BANKSTRIPE_CAPTURE_CAPTURE_H

#include "recording/Recording.h"
#include <memory>
#include <string_view>
#include <variant>

namespace bankstripe::runtime {

/// The version of the file format. A reader takes no other.
constexpr unsigned CaptureVersion = 3;

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
  static void listFields(auto &With, auto &Of) {
    With.fields(Of.Device, Of.Capability, Of.Launch);
  }
};

/// A parameter of a kernel, as the driver lays parameters out.
struct CapturedParameter {
  uint64_t Offset = 0; ///< In the kernel's parameter buffer, in bytes.
  std::string Bytes;   ///< Its value.
  bool operator==(const CapturedParameter &) const = default;
  static void listFields(auto &With, auto &Of) {
    With.fields(Of.Offset, Of.Bytes);
  }
};

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
  /// All but the parameters.
  static void listFields(auto &With, auto &Of) {
    With.fields(Of.Symbol, Of.Image, Of.Grid, Of.Block, Of.DynamicSharedBytes,
                Of.IsCooperative, Of.Cluster, Of.MostDynamicSharedBytes,
                Of.Carveout, Of.StackBytes, Of.HeapBytes, Of.PrintBytes);
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
  static void listFields(auto &With, auto &Of) {
    With.fields(Of.Address, Of.Bytes, Of.Kind, Of.Symbol, Of.Number);
  }
};

/// Everything in a file.
struct Capture {
  CapturedProgram Program;
  CapturedKernel Original;
  std::optional<CapturedKernel> Rewritten;
  std::vector<CapturedMemory> Memory;
  /// What is missing or cannot be put back, once each.
  std::vector<std::string> Notes;
  /// Keeps the bytes that the pages refer to.
  std::shared_ptr<const void> Storage;
};

/// The first \p Bytes bytes of a page.
std::string pageBytes(const CapturedPage &Page, uint64_t Bytes);

/// Why a file could not be read.
struct CaptureError {
  std::string Message;
};

/// Reads a complete capture. Its pages stay in the file, which is mapped: it
/// may be larger than the host's memory, and must not be changed meanwhile.
std::variant<Capture, CaptureError> readCapture(const std::string &Path);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_CAPTURE_CAPTURE_H
