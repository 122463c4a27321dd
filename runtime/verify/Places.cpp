//===-- Places.cpp - where in the source an allocation is made ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Places.h"
#include "verify/Child.h"
#include "verify/Commands.h"
#include <cstdlib>
#include <fmt/format.h>

using namespace bankstripe::runtime;

// A large program's line information takes its time.
constexpr double SymbolizerSeconds = 30;

std::optional<std::string>
bankstripe::runtime::readPlace(const std::string &Printed) {
  const size_t End = Printed.find('\n');
  if (End == std::string::npos)
    return std::nullopt;
  const std::string Function = Printed.substr(0, End);
  std::string Place = Printed.substr(End + 1);
  // "file:12 (discriminator 3)"
  Place = Place.substr(0, Place.find_first_of(" \n"));
  if (Place.empty() || Place.starts_with("??") || Place.ends_with(":0") ||
      Place.ends_with(":?"))
    return std::nullopt;
  return Function.empty() || Function == "??"
             ? Place
             : fmt::format("{} ({})", Place, Function);
}

static bool isOfCuda(const StackFrame &Frame) {
  const std::string Name = Frame.Module.substr(Frame.Module.rfind('/') + 1);
  return Name.starts_with("libcuda") || Name.starts_with("libbankstripe");
}

// The program to ask, with what comes before the file and the offset.
static std::optional<Command> findSymbolizer() {
  const char *Variable = std::getenv("PATH");
  const std::string SearchPath = Variable ? Variable : "";
  if (std::string Path = findProgram("addr2line", SearchPath); !Path.empty())
    return Command{std::move(Path), {"-f", "-C", "-e"}};
  if (std::string Path = findProgram("llvm-symbolizer", SearchPath);
      !Path.empty())
    return Command{std::move(Path),
                   {"--output-style=GNU", "--no-inlines", "-f", "-C", "-e"}};
  return std::nullopt;
}

std::string bankstripe::runtime::placeOf(const CallStack &Stack) {
  const auto Symbolizer = findSymbolizer();
  const StackFrame *Fallback = nullptr;
  for (const StackFrame &Frame : Stack) {
    if (isOfCuda(Frame))
      continue;
    Fallback = Fallback ? Fallback : &Frame;
    if (!Symbolizer)
      break;
    ChildRequest Request;
    Request.Program = Symbolizer->Program;
    Request.Arguments = Symbolizer->Arguments;
    Request.Arguments.push_back(Frame.Module);
    Request.Arguments.push_back(fmt::format("0x{:x}", Frame.Offset));
    Request.TimeoutSeconds = SymbolizerSeconds;
    if (const auto Place = readPlace(runChild(Request).Output))
      return *Place;
  }
  if (!Fallback)
    return "";
  return Fallback->Symbol.empty()
             ? fmt::format("{}+0x{:x}", Fallback->Module, Fallback->Offset)
             : fmt::format("{}+0x{:x} ({})", Fallback->Module, Fallback->Offset,
                           canonicalName(Fallback->Symbol));
}
