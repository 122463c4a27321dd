//===-- PageStore.h - pages that captures share -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of one program find much the same memory. Their captures refer to a
// file of pages that stands beside them, where each page is once; what no
// capture refers to any more is overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_PAGESTORE_H
#define BANKSTRIPE_RECORDING_PAGESTORE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bankstripe::runtime {

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

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_PAGESTORE_H
