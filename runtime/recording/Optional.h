//===-- Optional.h - optional values in JSON --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not there is null. The library of Debian 12 does not know of them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_OPTIONAL_H
#define BANKSTRIPE_RECORDING_OPTIONAL_H

#include <nlohmann/json.hpp>
#include <optional>

template <class T> struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json &To, const std::optional<T> &From) {
    To = From ? Json(*From) : Json();
  }
  template <class Json>
  static void from_json(const Json &From, std::optional<T> &To) {
    if (!From.is_null())
      To = From.template get<T>();
  }
};

#endif // BANKSTRIPE_RECORDING_OPTIONAL_H
