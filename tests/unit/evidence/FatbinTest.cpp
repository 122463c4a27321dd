//===-- FatbinTest.cpp - device code in what nvcc wrote -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects of nvcc itself: PtxasTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "evidence/Ptxas.h"
#include <gtest/gtest.h>

using namespace bankstripe;

namespace {

std::string number(uint64_t Value, unsigned Bytes) {
  std::string Text(Bytes, '\0');
  for (unsigned I = 0; I < Bytes; ++I)
    Text[I] = static_cast<char>(Value >> (8 * I));
  return Text;
}

std::string entry(unsigned Kind, unsigned Arch, const std::string &Payload,
                  uint64_t Flags = 0x11) {
  return number(Kind, 2) + number(257, 2) + number(64, 4) +
         number(Payload.size(), 8) + number(0, 8) + number(8, 2) +
         number(1, 2) + number(Arch, 4) + number(0, 8) + number(Flags, 8) +
         number(0, 8) + number(1000, 8) + Payload;
}

std::string fatbin(const std::string &Entries) {
  return "\x50\xed\x55\xba" + number(1, 2) + number(16, 2) +
         number(Entries.size(), 8) + Entries;
}

const std::string Elf = std::string(1, '\x7f') + "ELF";
const std::string Cubin = Elf + " of a kernel";

TEST(Fatbin, HasACubinForEachArchitecture) {
  const std::string Object =
      Elf + " of the host" +
      fatbin(entry(1, 90, "PTX") + entry(2, 80, Elf) + entry(2, 90, Cubin)) +
      "more of the host";
  EXPECT_EQ(findCubin(Object, "sm_90"), Cubin);
  EXPECT_EQ(findCubin(Object, "sm_80"), Elf);
  EXPECT_EQ(findCubin(Object, "sm_100"), "");
  EXPECT_EQ(findCubin(Object, "gfx90"), "");
}

TEST(Fatbin, TwoForOneArchitectureAreNone) {
  EXPECT_EQ(
      findCubin(fatbin(entry(2, 90, Cubin) + entry(2, 90, Cubin)), "sm_90"),
      "");
  EXPECT_EQ(
      findCubin(fatbin(entry(2, 90, "no zstd", 0x8011) + entry(2, 90, Cubin)),
                "sm_90"),
      "");
}

TEST(Fatbin, WhatIsNoneIsLeftAlone) {
  const std::string Whole = fatbin(entry(2, 90, Cubin));
  for (size_t Size = 0; Size < Whole.size(); ++Size)
    EXPECT_EQ(findCubin(Whole.substr(0, Size), "sm_90"), "") << Size;
  for (size_t At = 0; At < Whole.size() - Cubin.size(); ++At) {
    std::string Changed = Whole;
    Changed[At] = '\xff';
    (void)findCubin(Changed, "sm_90"); // Ends, whatever it finds.
  }
  EXPECT_EQ(findCubin(fatbin(entry(2, 90, "no zstd", 0x8011)), "sm_90"), "");
  EXPECT_EQ(findCubin(fatbin(entry(2, 90, "no cubin")), "sm_90"), "");
}

} // namespace
