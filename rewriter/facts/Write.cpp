//===-- Write.cpp - facts as JSON -----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paths and mangled names come again and again, so every text is a number: its
// index in one list, which the file ends with. A struct is the list of its
// values; what they are is said once for all.
//
//===----------------------------------------------------------------------===//

#include "facts/Fields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace bankstripe;
namespace json = llvm::json;

namespace {

class Writer {
public:
  json::Value write(bool V) { return V; }
  json::Value write(double V);
  json::Value write(const std::string &V);
  json::Value write(Reason V) { return write(infoOf(V).Id.str()); }
  /// The texts are those of the files.
  json::Value write(const std::map<std::string, std::string> &Contents);

  template <class T>
    requires std::is_integral_v<T>
  json::Value write(T V) {
    return V;
  }
  template <class T>
    requires std::is_enum_v<T>
  json::Value write(T V) {
    return static_cast<unsigned>(V);
  }
  template <class T> json::Value write(const std::optional<T> &V) {
    return V ? write(*V) : json::Value(nullptr);
  }
  template <class T> json::Value write(const std::vector<T> &V) {
    return list(V);
  }
  template <class T> json::Value write(const std::set<T> &V) { return list(V); }
  template <class K, class V> json::Value write(const std::map<K, V> &Map) {
    json::Array Result;
    for (const auto &[Key, Value] : Map)
      Result.push_back(json::Array{write(Key), write(Value)});
    return Result;
  }
  template <HasFields T> json::Value write(const T &V) {
    return visitFields(V, [&](llvm::StringRef Struct, llvm::StringRef Names,
                              const auto &...Field) {
      Fields[Struct] = Names;
      return json::Value(json::Array{write(Field)...});
    });
  }

  json::Value takeFields() { return std::move(Fields); }
  json::Value takeTexts() { return std::move(Texts); }

private:
  template <class T> json::Value list(const T &Values) {
    json::Array Result;
    for (const typename T::value_type &V : Values)
      Result.push_back(write(V));
    return Result;
  }

  std::map<std::string, unsigned> Index;
  json::Array Texts;
  json::Object Fields; ///< Their names, by the name of the struct.
};

} // namespace

// JSON has no infinity, which endless loops around loops could come to.
json::Value Writer::write(double V) {
  return std::isfinite(V) ? json::Value(V) : json::Value(std::to_string(V));
}

// JSON is UTF-8; source text need not be. Other bytes stand there as digits.
json::Value Writer::write(const std::string &V) {
  auto [It, New] = Index.try_emplace(V, Texts.size());
  if (New && json::isUTF8(V))
    Texts.push_back(V);
  else if (New)
    Texts.push_back(json::Array{llvm::toHex(V)});
  return It->second;
}

json::Value Writer::write(const std::map<std::string, std::string> &Contents) {
  json::Array Result;
  for (const auto &[Path, Text] : Contents)
    Result.push_back(write(Path));
  return Result;
}

void bankstripe::writeFacts(llvm::raw_ostream &OS, const ProgramFacts &Facts,
                            llvm::StringRef Tool) {
  Writer W;
  json::OStream J(OS);
  J.object([&] {
    J.attribute("format", FactsFormat);
    J.attribute("tool", Tool);
    J.attribute("confirmed", Facts.Confirmed);
    J.attribute("withdrawn", W.write(Facts.Withdrawn));
    J.attribute("codeGrowth", W.write(Facts.CodeGrowth));
    J.attributeArray("units", [&] {
      for (const UnitRecord &Unit : Facts.Units)
        J.value(W.write(Unit));
    });
    J.attribute("fields", W.takeFields());
    J.attribute("texts", W.takeTexts());
  });
  OS << '\n';
}
