//===-- PageStore.cpp - pages that captures share -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/PageStore.h"
#include "recording/Capture.h"
#include <fcntl.h>
#include <unistd.h>

using namespace bankstripe::runtime;

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
