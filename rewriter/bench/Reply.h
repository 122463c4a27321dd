//===-- Reply.h - results of processes that may fail ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a worker (workers/Workers.h) hands over a value or an error.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_REPLY_H
#define BANKSTRIPE_BENCH_REPLY_H

#include "facts/Archive.h"
#include "workers/Workers.h"

namespace bankstripe {

/// What a worker that computed \p Result answers.
template <class T> std::string replyWith(llvm::Expected<T> Result) {
  std::pair<std::string, T> Reply;
  if (Result)
    Reply.second = std::move(*Result);
  else
    Reply.first = toString(Result.takeError());
  return toBytes(Reply);
}

/// The result that a worker computed. Errors: its own, or it ended too early.
template <class T> llvm::Expected<T> readReply(const WorkResult &Work) {
  if (!Work.Problem.empty())
    return llvm::createStringError("the process for it " + Work.Problem);
  auto Reply = fromBytes<std::pair<std::string, T>>(Work.Answer);
  if (!Reply)
    return llvm::createStringError("the answer of its process cannot be read");
  if (!Reply->first.empty())
    return llvm::createStringError(Reply->first);
  return std::move(Reply->second);
}

} // namespace bankstripe

#endif
