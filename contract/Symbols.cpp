//===-- Symbols.cpp - how nvcc names kernels ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contract/Symbols.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

using namespace bankstripe;

// What stands before the file's digest and name.
static constexpr std::string_view StaticPrefix = "__nv_static_";
static constexpr std::string_view InternalMark = "_INTERNAL_";
static constexpr std::string_view AnonymousMark = "_GLOBAL__N__";
static constexpr size_t DigestDigits = 8;

// Reads a decimal number off the front of Text. \returns whether there is one.
static bool consumeNumber(std::string_view &Text, size_t &Number) {
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Error != std::errc())
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  return true;
}

std::string bankstripe::demangled(std::string_view Symbol) {
  int Status = 0;
  const std::string Text(Symbol);
  const std::unique_ptr<char, void (*)(void *)> Name(
      abi::__cxa_demangle(Text.c_str(), nullptr, nullptr, &Status), std::free);
  return Status == 0 && Name ? Name.get() : Text;
}

// `__nv_static_N_`, N characters and `_` stand before the symbol itself.
static std::string withoutStaticPrefix(const std::string &Symbol) {
  std::string_view Rest = Symbol;
  if (!Rest.starts_with(StaticPrefix))
    return Symbol;
  Rest.remove_prefix(StaticPrefix.size());
  size_t Length = 0;
  if (!consumeNumber(Rest, Length) || Rest.size() <= 2 ||
      Length >= Rest.size() - 2)
    return Symbol;
  return std::string(Rest.substr(Length + 2));
}

// The demangler prints an anonymous namespace as such, and this one's name.
static std::string withoutInternalNamespace(std::string Name) {
  for (size_t At = Name.find(InternalMark); At != std::string::npos;
       At = Name.find(InternalMark, At)) {
    const size_t End = Name.find("::", At);
    if (End == std::string::npos)
      break;
    Name.erase(At, End + 2 - At);
  }
  return Name;
}

// `void` for the type of a template's version, which names its row.
static void eraseRow(std::string &Name) {
  int Depth = 0;
  size_t End = 0;
  for (; End < Name.size() && (Depth > 0 || Name[End] != ' '); ++End)
    Depth += Name[End] == '<' || Name[End] == '('   ? 1
             : Name[End] == '>' || Name[End] == ')' ? -1
                                                    : 0;
  const std::string_view Type = std::string_view(Name).substr(0, End);
  if (End < Name.size() && Type.ends_with(">::type") &&
      Type.find(std::string(RowEnding) + "<") != std::string_view::npos)
    Name.replace(0, End, "void");
}

std::string bankstripe::canonicalName(const std::string &Symbol,
                                      Demangler Demangle) {
  std::string Plain = withoutStaticPrefix(Symbol);
  if (!Plain.starts_with("_Z"))
    return Plain;
  std::string Name = withoutInternalNamespace(Demangle(Plain));
  eraseRow(Name);
  return Name;
}

// Where the ending of a version stands in a canonical name; npos where it does
// not.
static size_t versionEnding(std::string_view Name) {
  constexpr std::string_view Ending = VersionEnding;
  size_t End = Name.find_first_of("<(");
  while (End < Name.size() &&
         Name.substr(End).starts_with("(anonymous namespace)"))
    End = Name.find_first_of("<(", End + 1);
  End = std::min(End, Name.size());
  return Name.substr(0, End).ends_with(Ending) ? End - Ending.size()
                                               : std::string_view::npos;
}

std::string bankstripe::kernelName(const std::string &Symbol,
                                   Demangler Demangle) {
  std::string Name = canonicalName(Symbol, Demangle);
  if (const size_t At = versionEnding(Name); At != std::string_view::npos)
    Name.erase(At, std::string_view(VersionEnding).size());
  return Name;
}

bool bankstripe::isVersion(const std::string &Symbol, Demangler Demangle) {
  return versionEnding(canonicalName(Symbol, Demangle)) !=
         std::string_view::npos;
}

// Of `..._5b2313b8_4_a_cu_...` it is `a_cu`. In each folder a file has another
// digest.
static std::string_view fileOf(std::string_view Symbol) {
  for (const std::string_view Mark :
       {InternalMark, AnonymousMark, StaticPrefix}) {
    size_t At = Symbol.find(Mark);
    if (At == std::string_view::npos)
      continue;
    At += Mark.size();
    if (Mark == StaticPrefix)
      At = std::min(Symbol.find("__", At), Symbol.size() - 2) + 2;
    Symbol.remove_prefix(std::min(At + DigestDigits + 1, Symbol.size()));
    size_t Length = 0;
    return consumeNumber(Symbol, Length) ? Symbol.substr(0, Length + 1)
                                         : std::string_view();
  }
  return {};
}

bool bankstripe::mayBeOfOneFile(const std::string &One,
                                const std::string &Other) {
  const std::string_view A = fileOf(One), B = fileOf(Other);
  return A.empty() || B.empty() || A == B;
}

void bankstripe::erasePathDigests(std::string &Text) {
  for (const std::string_view Mark : {AnonymousMark, InternalMark})
    for (size_t At = 0; (At = Text.find(Mark, At)) != std::string::npos;) {
      At += Mark.size();
      if (At + DigestDigits <= Text.size())
        Text.replace(At, DigestDigits, DigestDigits, '0');
    }
}

bool bankstripe::isInternal(std::string_view Symbol) {
  return Symbol.starts_with("_ZL") || Symbol.starts_with("_ZN12_GLOBAL__N_1");
}

// Where the bracket opens that closes at the end of Name; 0 where none does.
static size_t lastBracket(std::string_view Name, char Open, char Close) {
  if (!Name.ends_with(Close))
    return 0;
  size_t At = Name.size();
  int Depth = 0;
  do {
    --At;
    Depth += Name[At] == Close ? 1 : Name[At] == Open ? -1 : 0;
  } while (At > 0 && Depth > 0);
  return At;
}

std::string_view bankstripe::withoutParameters(std::string_view Name) {
  constexpr std::string_view Returned = "void ";
  if (const size_t At = lastBracket(Name, '(', ')'))
    Name = Name.substr(0, At);
  if (Name.starts_with(Returned))
    Name.remove_prefix(Returned.size());
  return Name;
}

std::string_view bankstripe::withoutTemplateArguments(std::string_view Name) {
  const size_t At = lastBracket(Name, '<', '>');
  return At ? Name.substr(0, At) : Name;
}

std::string_view bankstripe::lastName(std::string_view Name) {
  Name = withoutTemplateArguments(Name);
  return Name.substr(Name.rfind(':') + 1);
}
