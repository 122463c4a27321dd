//===-- Archive.h - values as bytes -----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form in which values go to the cache, and from one process to another.
// One function for each kind of value both writes and reads, so the two cannot
// differ. Paths and mangled names come again and again: a text is written once,
// and then its number. Nothing says what the bytes are: whoever reads them is
// the program that wrote them, of the very same build.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FACTS_ARCHIVE_H
#define BANKSTRIPE_FACTS_ARCHIVE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace bankstripe {

/// A struct whose fields are all there is to it.
template <class T>
concept HasFields =
    std::is_aggregate_v<std::remove_const_t<T>> && std::is_class_v<T>;

/// Calls \p Visit with all fields of \p Value.
template <HasFields T, class Visitor>
auto visitFields(T &Value, Visitor &&Visit) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
  auto &[... Fields] = Value;
#pragma clang diagnostic pop
  return Visit(Fields...);
}

/// Each visit of a value writes it, or reads one in its place. \returns false
/// when what is read is no such value.
class Archive {
public:
  /// To write.
  Archive() = default;
  /// To read \p Written.
  explicit Archive(llvm::StringRef Written) : Rest(Written), Reads(true) {}

  std::string takeBytes() { return std::move(Bytes); }
  bool isAtEnd() const { return Rest.empty(); }

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  bool visit(T &V) {
    if (!Reads) {
      Bytes.append(reinterpret_cast<const char *>(&V), sizeof(V));
      return true;
    }
    bool IsNone = std::is_same_v<T, bool> && !Rest.empty() && Rest[0] & ~1;
    if (Rest.size() < sizeof(V) || IsNone)
      return false;
    std::memcpy(&V, takeRest(sizeof(V)).begin(), sizeof(V));
    return true;
  }
  bool visit(std::string &V) {
    if (!Reads) {
      auto [It, New] = Numbers.try_emplace(V, Numbers.size());
      return visit(It->second) && (!New || visitNew(V));
    }
    uint32_t Number = 0;
    if (!visit(Number) || Number > Texts.size() ||
        (Number == Texts.size() && !visitNew(V)))
      return false;
    V = Texts[Number].str();
    return true;
  }
  template <class T> bool visit(std::optional<T> &V) {
    bool Has = V.has_value();
    if (!visit(Has))
      return false;
    if (Reads && Has)
      V.emplace();
    return !Has || visit(*V);
  }
  template <class A, class B> bool visit(std::pair<A, B> &V) {
    return visit(const_cast<std::remove_const_t<A> &>(V.first)) &&
           visit(V.second);
  }
  template <class T> bool visit(std::vector<T> &V) { return visitList<T>(V); }
  bool visit(std::vector<bool> &V) {
    std::vector<char> Each(V.begin(), V.end());
    if (!visit(Each))
      return false;
    V.assign(Each.begin(), Each.end());
    return true;
  }
  template <class T> bool visit(std::set<T> &V) { return visitList<T>(V); }
  template <class K, class T> bool visit(std::map<K, T> &V) {
    return visitList<std::pair<K, T>>(V);
  }
  template <HasFields T> bool visit(T &V) {
    return visitFields(V,
                       [&](auto &...Field) { return (visit(Field) && ...); });
  }

private:
  llvm::StringRef takeRest(size_t Size) {
    llvm::StringRef Bytes = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return Bytes;
  }
  bool visitNew(llvm::StringRef V) {
    uint64_t Size = V.size();
    if (!visit(Size) || (Reads && Size > Rest.size()))
      return false;
    if (Reads)
      Texts.push_back(takeRest(Size));
    else
      Bytes += V;
    return true;
  }
  template <class Element, class List> bool visitList(List &V) {
    uint64_t Size = V.size();
    if (!visit(Size))
      return false;
    if (!Reads)
      return llvm::all_of(V, [&](auto &E) {
        return visit(const_cast<std::remove_cvref_t<decltype(E)> &>(E));
      });
    for (; Size > 0; --Size) {
      Element E{};
      if (!visit(E))
        return false;
      V.insert(V.end(), std::move(E));
    }
    return true;
  }
  std::string Bytes;    ///< What was written.
  llvm::StringRef Rest; ///< What is still to be read.
  bool Reads = false;
  llvm::StringMap<uint32_t> Numbers;  ///< Of the texts that were written.
  std::vector<llvm::StringRef> Texts; ///< Those that were read.
};

template <class T> std::string toBytes(const T &Value) {
  Archive A;
  A.visit(const_cast<T &>(Value)); // Nothing is read into it.
  return A.takeBytes();
}

/// What toBytes made \p Bytes of; nothing when it was something else.
template <class T> std::optional<T> fromBytes(llvm::StringRef Bytes) {
  Archive A(Bytes);
  T Value{};
  if (!A.visit(Value) || !A.isAtEnd())
    return std::nullopt;
  return Value;
}

} // namespace bankstripe

#endif
