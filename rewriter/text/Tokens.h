//===-- Tokens.h - the tokens of a text -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TEXT_TOKENS_H
#define BANKSTRIPE_TEXT_TOKENS_H

#include "clang/Lex/Lexer.h"
#include <string>

namespace bankstripe {

/// C++ as nvcc takes it, as far as tokens depend on that.
const clang::LangOptions &tokenOptions();

/// Reads the tokens of a text; comments are none, and what stands in a string
/// is one.
class TokenReader {
public:
  explicit TokenReader(const std::string &Text);

  bool atEnd() const { return Tok.is(clang::tok::eof); }
  bool is(clang::tok::TokenKind Kind) const { return Tok.is(Kind); }
  bool startsLine() const { return Tok.isAtStartOfLine(); }
  /// A directive begins here.
  bool startsDirective() const {
    return Tok.is(clang::tok::hash) && Tok.isAtStartOfLine();
  }
  size_t offset() const { return Offset; }
  llvm::StringRef text() const {
    return llvm::StringRef(Text).substr(Offset, Tok.getLength());
  }
  void next() {
    Raw.LexFromRawLexer(Tok);
    Offset = Raw.getCurrentBufferOffset() - Tok.getLength();
  }

private:
  const std::string &Text;
  clang::Lexer Raw;
  clang::Token Tok;
  size_t Offset = 0;
};

} // namespace bankstripe

#endif
