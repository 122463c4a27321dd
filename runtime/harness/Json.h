//===-- Json.h - results as JSON --------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_JSON_H
#define BANKSTRIPE_HARNESS_JSON_H

#include "contract/Results.h"
#include "recording/Optional.h"
#include <nlohmann/json.hpp>

namespace bankstripe::runtime {

using Json = nlohmann::ordered_json;

/// \p Value as JSON: a struct that lists its fields (contract/Results.h), a
/// list or an optional one of these, or what the library knows.
template <class T> Json jsonOf(const T &Value);
template <class T> Json jsonOf(const std::optional<T> &Value);
template <class T> Json jsonOf(const std::vector<T> &Values);
inline Json jsonOf(const Interval &Range) { return {Range.Low, Range.High}; }
inline Json jsonOf(ResultVerdict Verdict) { return textOf(Verdict); }

/// Writes the fields that a struct lists.
class FieldWriter {
public:
  template <class T> void field(const char *Name, const T &Value) {
    Fields[Name] = jsonOf(Value);
  }
  template <class T> void derived(const char *Name, const T &Value) {
    field(Name, Value);
  }
  Json Fields = Json::object();
};

template <class T> Json jsonOf(const std::optional<T> &Value) {
  return Value ? jsonOf(*Value) : Json();
}
template <class T> Json jsonOf(const std::vector<T> &Values) {
  Json List = Json::array();
  for (const T &Value : Values)
    List.push_back(jsonOf(Value));
  return List;
}
template <class T> Json jsonOf(const T &Value) {
  if constexpr (requires(FieldWriter With) { T::listFields(With, Value); }) {
    FieldWriter With;
    T::listFields(With, Value);
    return std::move(With.Fields);
  } else {
    return Value;
  }
}

/// The text of a file with \p Value. What programs print need not be UTF-8.
inline std::string jsonText(const Json &Value) {
  return Value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_JSON_H
