//===-- Images.h - device images without a compiler --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_IMAGES_H
#define BANKSTRIPE_TESTS_RUNTIME_IMAGES_H

#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// A minimal ELF file: sections for global and constant memory and for the code
/// of a kernel, and a symbol table.
class Image {
public:
  /// \name Numbers of sections.
  /// @{
  static constexpr unsigned Undefined = 0, Global = 1, Constant = 2, Code = 3;
  /// @}

  explicit Image(const std::string &Kernel = "kernel") {
    Sections.resize(6);
    Strings.assign(1, '\0');
    for (const std::string &Name :
         {std::string(".nv.global.init"), std::string(".nv.constant3"),
          ".text." + Kernel}) {
      Sections[++Named].sh_name = static_cast<Elf64_Word>(Strings.size());
      Strings += Name + '\0';
    }
    Symbols.resize(1);
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
    Header.e_shstrndx = 5;
    std::string Body(sizeof Header, '\0');
    const auto Place = [&](Elf64_Shdr &Section, const void *Data, size_t Size) {
      Section.sh_offset = Body.size();
      Section.sh_size = Size;
      Body.append(static_cast<const char *>(Data), Size);
    };
    Sections[4].sh_type = SHT_SYMTAB;
    Sections[4].sh_entsize = sizeof(Elf64_Sym);
    Sections[4].sh_link = 5; // One table serves for all names.
    Place(Sections[4], Symbols.data(), Symbols.size() * sizeof(Elf64_Sym));
    Place(Sections[5], Strings.data(), Strings.size());
    Header.e_shoff = Body.size();
    Body.append(reinterpret_cast<const char *>(Sections.data()),
                Sections.size() * sizeof(Elf64_Shdr));
    std::memcpy(Body.data(), &Header, sizeof Header);
    return Body;
  }

private:
  std::string Strings;
  unsigned Named = 0;
  std::vector<Elf64_Shdr> Sections;
  std::vector<Elf64_Sym> Symbols;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_TESTS_RUNTIME_IMAGES_H
