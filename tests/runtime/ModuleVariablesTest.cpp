//===-- ModuleVariablesTest.cpp - variables of a device image -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/ModuleVariables.h"
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

// A minimal ELF file: sections for global and constant memory, and a symbol
// table.
class Image {
public:
  Image() {
    Names.assign("\0.nv.global.init\0.nv.constant3\0", 31);
    Sections.resize(5);
    Sections[1].sh_name = 1;
    Sections[2].sh_name = 17;
    Symbols.resize(1);
    Strings.assign(1, '\0');
  }

  void symbol(const std::string &Name, unsigned Section, uint64_t Bytes,
              unsigned char Type = STT_OBJECT) {
    Elf64_Sym S{};
    S.st_name = static_cast<Elf64_Word>(Strings.size());
    S.st_info = ELF64_ST_INFO(STB_LOCAL, Type);
    S.st_shndx = static_cast<Elf64_Half>(Section);
    S.st_size = Bytes;
    Symbols.push_back(S);
    Strings += Name + '\0';
  }

  std::string bytes() {
    Elf64_Ehdr Header{};
    std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
    Header.e_ident[EI_CLASS] = ELFCLASS64;
    Header.e_shentsize = sizeof(Elf64_Shdr);
    Header.e_shnum = static_cast<Elf64_Half>(Sections.size());
    Header.e_shstrndx = 4;
    std::string Body(sizeof Header, '\0');
    const auto Place = [&](Elf64_Shdr &Section, const void *Data, size_t Size) {
      Section.sh_offset = Body.size();
      Section.sh_size = Size;
      Body.append(static_cast<const char *>(Data), Size);
    };
    Sections[3].sh_type = SHT_SYMTAB;
    Sections[3].sh_entsize = sizeof(Elf64_Sym);
    Sections[3].sh_link = 4;
    Place(Sections[3], Symbols.data(), Symbols.size() * sizeof(Elf64_Sym));
    // One table serves the names of sections and of symbols.
    const auto Shift = static_cast<Elf64_Word>(Names.size());
    Place(Sections[4], (Names + Strings).data(), Names.size() + Strings.size());
    auto *Placed =
        reinterpret_cast<Elf64_Sym *>(Body.data() + Sections[3].sh_offset);
    for (size_t I = 0; I < Symbols.size(); ++I)
      Placed[I].st_name += Shift;
    Header.e_shoff = Body.size();
    Body.append(reinterpret_cast<const char *>(Sections.data()),
                Sections.size() * sizeof(Elf64_Shdr));
    std::memcpy(Body.data(), &Header, sizeof Header);
    return Body;
  }

private:
  std::string Names, Strings;
  std::vector<Elf64_Shdr> Sections;
  std::vector<Elf64_Sym> Symbols;
};

std::vector<std::string> symbolsOf(const std::string &Bytes) {
  return variableSymbols(Bytes.data(), Bytes.size());
}

} // namespace

TEST(ModuleVariables, FindsObjectsInGlobalMemoryOnly) {
  Image I;
  I.symbol("table", 1, 400);
  I.symbol("constant", 2, 4);
  I.symbol("$str", 1, 12);
  I.symbol("kernel", 1, 128, STT_FUNC);
  I.symbol("empty", 1, 0);
  I.symbol("total", 1, 4);
  EXPECT_EQ(symbolsOf(I.bytes()), (std::vector<std::string>{"table", "total"}));
}

TEST(ModuleVariables, EveryTruncationIsHarmless) {
  Image I;
  I.symbol("table", 1, 400);
  const std::string Bytes = I.bytes();
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_TRUE(symbolsOf(std::string(Bytes, 0, Size)).size() <= 1);
  EXPECT_EQ(symbolsOf(Bytes).size(), 1u);
}

TEST(ModuleVariables, EveryBrokenByteIsHarmless) {
  Image I;
  I.symbol("table", 1, 400);
  const std::string Bytes = I.bytes();
  for (size_t At = 0; At < Bytes.size(); ++At) {
    std::string Broken = Bytes;
    Broken[At] = '\xff';
    EXPECT_LE(symbolsOf(Broken).size(), 100u);
  }
}

TEST(ModuleVariables, WhatIsNoElfFileHasNone) {
  EXPECT_TRUE(symbolsOf("").empty());
  EXPECT_TRUE(symbolsOf(std::string(500, 'x')).empty());
}
