//===-- ModuleSymbols.cpp - what device images define ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is in the sections `.nv.global` (zeros) and `.nv.global.init`.
// Constant memory, which no kernel writes, is in `.nv.constant0` to
// `.nv.constant4`; only of variables there are objects. The code of each kernel
// has a section of its own. Symbols that start with `$` are string literals.
//
//===----------------------------------------------------------------------===//

#include "recording/ModuleSymbols.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>

using namespace bankstripe::runtime;

// Of a symbol's st_other: the function can be launched.
constexpr unsigned char EntryFlag = 0x10;

template <class T>
static std::optional<T> at(std::string_view Image, uint64_t Offset) {
  if (Offset > Image.size() || Image.size() - Offset < sizeof(T))
    return std::nullopt;
  T Value;
  std::memcpy(&Value, Image.data() + Offset, sizeof(T));
  return Value;
}

// The text at `Offset`, which must end inside the image.
static std::string textAt(std::string_view Image, uint64_t Offset) {
  const size_t End = Image.find('\0', Offset);
  return End == std::string_view::npos
             ? ""
             : std::string(Image.substr(Offset, End - Offset));
}

static void sortIn(ModuleSymbols &To, std::string Name,
                   const std::string &Section, const Elf64_Sym &Symbol) {
  const auto Type = ELF64_ST_TYPE(Symbol.st_info);
  if (Type == STT_FUNC && Symbol.st_shndx == SHN_UNDEF)
    To.Outside.push_back(std::move(Name));
  else if (Type == STT_FUNC && (Symbol.st_other & EntryFlag) &&
           Section == ".text." + Name)
    To.Kernels.push_back(std::move(Name));
  else if (Type != STT_OBJECT || !Symbol.st_size || Name.empty() ||
           Name[0] == '$')
    return;
  else if (Section.starts_with(".nv.global"))
    To.Variables.push_back(std::move(Name));
  else if (Section.starts_with(".nv.constant"))
    To.Constants.push_back(std::move(Name));
}

ModuleSymbols bankstripe::runtime::symbolsOf(std::string_view Image) {
  ModuleSymbols Found;
  // Each name stands there once; those of a file that nobody linked may
  // overlap.
  uint64_t MostText = 4 * Image.size();
  const auto Header = at<Elf64_Ehdr>(Image, 0);
  if (!Header || std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64 ||
      Header->e_shentsize < sizeof(Elf64_Shdr))
    return Found;
  const auto Section = [&](unsigned Index) {
    return Index < Header->e_shnum
               ? at<Elf64_Shdr>(Image,
                                Header->e_shoff +
                                    uint64_t{Index} * Header->e_shentsize)
               : std::nullopt;
  };
  const auto Names = Section(Header->e_shstrndx);
  for (unsigned Index = 0; Index < Header->e_shnum; ++Index) {
    const auto Table = Section(Index);
    if (!Table || Table->sh_type != SHT_SYMTAB ||
        Table->sh_entsize < sizeof(Elf64_Sym))
      continue;
    const auto Strings = Section(Table->sh_link);
    for (uint64_t At = 0; Strings && At < Table->sh_size;
         At += Table->sh_entsize) {
      const auto Symbol = at<Elf64_Sym>(Image, Table->sh_offset + At);
      if (!Symbol)
        return Found;
      const auto In = Section(Symbol->st_shndx);
      std::string Name = textAt(Image, Strings->sh_offset + Symbol->st_name);
      if (Name.size() > MostText)
        return Found;
      MostText -= Name.size();
      sortIn(Found, std::move(Name),
             Names && In ? textAt(Image, Names->sh_offset + In->sh_name) : "",
             *Symbol);
    }
  }
  return Found;
}

std::string bankstripe::runtime::findImage(const std::set<std::string> &Images,
                                           const std::string &Symbol,
                                           std::vector<std::string> Neighbours,
                                           std::string &Image) {
  std::sort(Neighbours.begin(), Neighbours.end());
  std::vector<const std::string *> Defining, Alike;
  for (const std::string &One : Images) {
    std::vector<std::string> Kernels = symbolsOf(One).Kernels;
    std::sort(Kernels.begin(), Kernels.end());
    if (!std::binary_search(Kernels.begin(), Kernels.end(), Symbol))
      continue;
    Defining.push_back(&One);
    if (Kernels == Neighbours)
      Alike.push_back(&One);
  }
  if (Defining.empty())
    return "no module that was loaded defines " + Symbol;
  if (Defining.size() > 1 && Alike.size() != 1)
    return std::to_string(Defining.size()) + " different modules define " +
           Symbol;
  Image = Defining.size() == 1 ? *Defining.front() : *Alike.front();
  return {};
}
