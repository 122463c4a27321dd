//===-- ModuleVariables.cpp - variables of a device image -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is in the sections `.nv.global` (zeros) and `.nv.global.init`;
// constant memory, which no kernel writes, is elsewhere. Symbols that start
// with `$` are string literals.
//
//===----------------------------------------------------------------------===//

#include "recorder/ModuleVariables.h"
#include <cstring>
#include <elf.h>
#include <optional>

using namespace bankstripe::runtime;

namespace {

// Bounds-checked reads from an image.
class Bytes {
public:
  Bytes(const void *Data, size_t Size)
      : Data(static_cast<const char *>(Data)), Size(Size) {}

  template <class T> std::optional<T> at(uint64_t Offset) const {
    if (Offset > Size || Size - Offset < sizeof(T))
      return std::nullopt;
    T Value;
    std::memcpy(&Value, Data + Offset, sizeof(T));
    return Value;
  }

  // The text at `Offset`, which must end inside the image.
  std::string text(uint64_t Offset) const {
    if (Offset >= Size)
      return {};
    const void *End = std::memchr(Data + Offset, 0, Size - Offset);
    return End ? std::string(Data + Offset, static_cast<const char *>(End))
               : std::string();
  }

private:
  const char *Data;
  size_t Size;
};

} // namespace

static std::optional<Elf64_Shdr>
section(const Bytes &Image, const Elf64_Ehdr &Header, unsigned Index) {
  if (Index >= Header.e_shnum || Header.e_shentsize < sizeof(Elf64_Shdr))
    return std::nullopt;
  return Image.at<Elf64_Shdr>(Header.e_shoff +
                              uint64_t(Index) * Header.e_shentsize);
}

static bool isGlobalMemory(const Bytes &Image, const Elf64_Ehdr &Header,
                           unsigned Index) {
  const auto Names = section(Image, Header, Header.e_shstrndx);
  const auto Section = section(Image, Header, Index);
  return Names && Section &&
         Image.text(Names->sh_offset + Section->sh_name)
             .starts_with(".nv.global");
}

std::vector<std::string> bankstripe::runtime::variableSymbols(const void *Data,
                                                              size_t Size) {
  std::vector<std::string> Found;
  const Bytes Image(Data, Size);
  const auto Header = Image.at<Elf64_Ehdr>(0);
  if (!Header || std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return Found;
  for (unsigned Index = 0; Index < Header->e_shnum; ++Index) {
    const auto Symbols = section(Image, *Header, Index);
    if (!Symbols || Symbols->sh_type != SHT_SYMTAB ||
        Symbols->sh_entsize < sizeof(Elf64_Sym))
      continue;
    const auto Strings = section(Image, *Header, Symbols->sh_link);
    if (!Strings)
      continue;
    for (uint64_t At = 0; At < Symbols->sh_size; At += Symbols->sh_entsize) {
      const auto Symbol = Image.at<Elf64_Sym>(Symbols->sh_offset + At);
      if (!Symbol)
        return Found;
      if (ELF64_ST_TYPE(Symbol->st_info) != STT_OBJECT || !Symbol->st_size ||
          !isGlobalMemory(Image, *Header, Symbol->st_shndx))
        continue;
      const std::string Name = Image.text(Strings->sh_offset + Symbol->st_name);
      if (!Name.empty() && Name[0] != '$')
        Found.push_back(Name);
    }
  }
  return Found;
}
