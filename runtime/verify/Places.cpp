//===-- Places.cpp - where in the source an allocation is made ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Places.h"
#include "verify/Child.h"
#include "verify/Options.h"
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

using namespace bankstripe::runtime;

// A large program's line information takes its time.
constexpr double SymbolizerSeconds = 30;

// The templates around cudaMalloc and the like are not what a person looks for.
static bool isOfToolkit(const std::string &Place) {
  const auto Has = [&Place](const char *Part) {
    return Place.find(Part) != std::string::npos;
  };
  return Has("/cuda_runtime.h:") || Has("/cuda/include/") ||
         (Has("/targets/") && Has("-linux/include/"));
}

std::optional<std::string>
bankstripe::runtime::readPlace(const std::string &Printed) {
  std::istringstream Lines(Printed);
  std::string Function, Place;
  while (std::getline(Lines, Function) && std::getline(Lines, Place)) {
    // "file:12 (discriminator 3)"
    Place = Place.substr(0, Place.find(" ("));
    if (Place.empty() || Place.starts_with("??") || Place.ends_with(":0") ||
        Place.ends_with(":?") || isOfToolkit(Place))
      continue;
    return Function.empty() || Function == "??"
               ? Place
               : fmt::format("{} ({})", Place, Function);
  }
  return std::nullopt;
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
    return Command{std::move(Path), {"-f", "-C", "-i", "-e"}};
  if (std::string Path = findProgram("llvm-symbolizer", SearchPath);
      !Path.empty())
    return Command{std::move(Path),
                   {"--output-style=GNU", "-f", "-C", "-i", "-e"}};
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
