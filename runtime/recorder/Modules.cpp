//===-- Modules.cpp - the device code that was loaded ---------------------===//
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

#include "recorder/Modules.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>

using namespace bankstripe::runtime;

// Of a symbol's st_other: the function can be launched.
constexpr unsigned char EntryFlag = 0x10;

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

static std::string sectionName(const Bytes &Image, const Elf64_Ehdr &Header,
                               unsigned Index) {
  const auto Names = section(Image, Header, Header.e_shstrndx);
  const auto Section = section(Image, Header, Index);
  return Names && Section ? Image.text(Names->sh_offset + Section->sh_name)
                          : std::string();
}

namespace {

struct Symbol {
  Elf64_Sym Entry;
  uint64_t Name; ///< Its offset in the image.
  unsigned char type() const { return ELF64_ST_TYPE(Entry.st_info); }
};

} // namespace

// Visits the symbols of an image until there is no more, or `Visit` has enough
// and returns false.
template <class Function>
static void forEachSymbol(const Bytes &Image, const Elf64_Ehdr &Header,
                          Function Visit) {
  for (unsigned Index = 0; Index < Header.e_shnum; ++Index) {
    const auto Table = section(Image, Header, Index);
    if (!Table || Table->sh_type != SHT_SYMTAB ||
        Table->sh_entsize < sizeof(Elf64_Sym))
      continue;
    const auto Strings = section(Image, Header, Table->sh_link);
    if (!Strings)
      continue;
    for (uint64_t At = 0; At < Table->sh_size; At += Table->sh_entsize) {
      const auto Entry = Image.at<Elf64_Sym>(Table->sh_offset + At);
      if (!Entry || !Visit(Symbol{*Entry, Strings->sh_offset + Entry->st_name}))
        return;
    }
  }
}

static std::optional<Elf64_Ehdr> header(const Bytes &Image) {
  const auto Header = Image.at<Elf64_Ehdr>(0);
  if (!Header || std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  return Header;
}

// The objects in the sections whose names start with `Section`.
static std::vector<std::string> objectsIn(const Bytes &Image,
                                          const std::string &Section) {
  std::vector<std::string> Found;
  const auto Header = header(Image);
  if (!Header)
    return Found;
  forEachSymbol(Image, *Header, [&](const Symbol &S) {
    if (S.type() != STT_OBJECT || !S.Entry.st_size ||
        !sectionName(Image, *Header, S.Entry.st_shndx).starts_with(Section))
      return true;
    std::string Name = Image.text(S.Name);
    if (!Name.empty() && Name[0] != '$')
      Found.push_back(std::move(Name));
    return true;
  });
  return Found;
}

std::vector<std::string> bankstripe::runtime::variableSymbols(const void *Image,
                                                              size_t Size) {
  return objectsIn({Image, Size}, ".nv.global");
}

std::vector<std::string> bankstripe::runtime::constantSymbols(const void *Image,
                                                              size_t Size) {
  return objectsIn({Image, Size}, ".nv.constant");
}

std::vector<std::string> bankstripe::runtime::kernelSymbols(const void *Data,
                                                            size_t Size) {
  std::vector<std::string> Found;
  const Bytes Image(Data, Size);
  const auto Header = header(Image);
  if (!Header)
    return Found;
  forEachSymbol(Image, *Header, [&](const Symbol &S) {
    if (S.type() != STT_FUNC || !(S.Entry.st_other & EntryFlag))
      return true;
    std::string Name = Image.text(S.Name);
    if (sectionName(Image, *Header, S.Entry.st_shndx) == ".text." + Name)
      Found.push_back(std::move(Name));
    return true;
  });
  return Found;
}

bool bankstripe::runtime::callsOutside(const void *Data, size_t Size,
                                       const std::string &Name) {
  bool IsFound = false;
  const Bytes Image(Data, Size);
  const auto Header = header(Image);
  if (!Header)
    return false;
  forEachSymbol(Image, *Header, [&](const Symbol &S) {
    IsFound = S.type() == STT_FUNC && S.Entry.st_shndx == SHN_UNDEF &&
              Image.text(S.Name) == Name;
    return !IsFound;
  });
  return IsFound;
}

std::string ModuleImages::find(const std::string &Symbol,
                               std::vector<std::string> Neighbours,
                               std::string &Image) const {
  std::sort(Neighbours.begin(), Neighbours.end());
  std::vector<const std::string *> Defining, Alike;
  for (const std::string &One : Images) {
    std::vector<std::string> Kernels = kernelSymbols(One.data(), One.size());
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
