//===-- LeftOut.cpp - text that nvcc takes and does not need --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/LeftOut.h"

#include "frontend/CompilerOptions.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;
using llvm::StringRef;

void bankstripe::leaveOut(const Fault &F, Bridges &B, size_t First,
                          size_t Last) {
  for (size_t I = First; I <= Last; ++I)
    B.Texts[F.File].Corrected.replace(F.at(I).second, F.Tokens[I].Text.size(),
                                      F.Tokens[I].Text.size(), ' ');
}

// `#pragma unroll` in front of what is no loop, or with a number that is none.
// nvcc goes on without it.
bool bankstripe::dropUnroll(const Fault &F, Bridges &B) {
  auto Text = [&](size_t I) { return F.Tokens[I].Text; };
  auto Blank = [&](size_t Begin, size_t End) {
    std::string &All = B.Texts[F.File].Corrected;
    All.replace(Begin, End - Begin, End - Begin, ' ');
    return true;
  };
  if (F.Index >= 4 && Text(F.Index - 4) == "_Pragma" &&
      Text(F.Index - 2).contains("unroll"))
    return Blank(F.at(F.Index - 4).second, F.at(F.Index - 1).second + 1);
  size_t First = F.Index;
  while (First > 0 && Text(First) != "#")
    --First;
  if (First + 2 >= F.Tokens.size() || Text(First) != "#" ||
      Text(First + 1) != "pragma" ||
      !isAmong(Text(First + 2), "unroll nounroll unroll_and_jam"))
    return false;
  const unsigned Begin = F.at(First).second;
  const StringRef All = B.Texts[F.File].Corrected;
  const size_t End = All.find('\n', Begin);
  const StringRef Before = All.take_front(Begin).rsplit('\n').second;
  return End != StringRef::npos && (First == 0 || Before.trim().empty()) &&
         (F.Index == First || F.at(F.Index - 1).second < End) &&
         Blank(Begin, End);
}

// `void C::f<T>(T x)` in the definition of a template.
bool bankstripe::dropArguments(const Fault &F, Bridges &B) {
  size_t First = F.Index + 1;
  while (First < F.Tokens.size() && F.Tokens[First].Text != "<")
    if (F.Tokens[First++].Text == ";")
      return false;
  int Depth = 0;
  for (size_t Last = First; Last < F.Tokens.size(); ++Last) {
    const StringRef Text = F.Tokens[Last].Text;
    Depth += int(Text.count('<')) - int(Text.count('>'));
    if (Depth > 0)
      continue;
    leaveOut(F, B, First, Last);
    return Depth == 0;
  }
  return false;
}

// `float a[n][3] = {};` on the host. Literals are no news to the device. (What
// a header says, another inclusion of it may say of the device's arrays.)
bool bankstripe::dropInitializer(const Fault &F, Bridges &B) {
  const auto List =
      F.Tokens.drop_front(F.Index)
          .drop_until([](const auto &T) { return isAmong(T.Text, "= { ;"); })
          .take_until([](const auto &T) {
            return T.Text == ";" || isAsciiIdentifierStart(T.Text.front());
          });
  const SourceLocation Where = F.Diag.getLocation();
  if (!F.IsForHost || !F.Diag.getSourceManager().isInMainFile(Where) ||
      Where.isMacroID() || List.end() == F.Tokens.end() ||
      List.end()->Text != ";" || List.begin()[-1].Text != "]")
    return false;
  const size_t First = List.begin() - F.Tokens.begin();
  leaveOut(F, B, First, First + List.size() - 1);
  return true;
}

// `asm("mov.u64 %0, %globaltimer;")` for `%%globaltimer`.
bool bankstripe::dropPercent(const Fault &F, Bridges &B) {
  std::string &Text = B.Texts[F.File].Corrected;
  const size_t At = Text.rfind('%', F.Offset);
  if (At == std::string::npos)
    return false;
  Text[At] = ' ';
  // The others in this string. A letter before a digit may be for the operand.
  for (size_t I = At; I + 2 < Text.size() && Text[I] != '"'; ++I)
    if (Text[I] == '%' && isLetter(Text[I + 1]) && !isDigit(Text[I + 2]))
      Text[I] = Text[I - 1] == '%' ? '%' : ' ';
  return true;
}

// `int __restrict__ *p`, which was meant to be `int *__restrict__ p`.
bool bankstripe::dropRestrict(const Fault &F, Bridges &B) {
  if (!F.text().contains("restrict"))
    return false;
  leaveOut(F, B, F.Index, F.Index);
  return true;
}

// Whether what Known lays out is laid out well for Own, too: integers of the
// same values, or records of the same size.
static bool isAlike(QualType Own, QualType Known, const ASTContext &Context) {
  if (Own->isDependentType() || Known->isDependentType() ||
      Own->isIncompleteType() || Known->isIncompleteType())
    return false;
  return Context.getTypeSize(Own) == Context.getTypeSize(Known) &&
         Context.getTypeAlign(Own) <= Context.getTypeAlign(Known) &&
         ((Own->isSignedIntegerType() && Known->isSignedIntegerType()) ||
          (Own->isUnsignedIntegerType() && Known->isUnsignedIntegerType()) ||
          (Own->isRecordType() && Known->isRecordType()));
}

// `typedef unsigned long long uint64_t;` in a source without headers, as those
// for NVRTC are. The system's, which Clang has read, serves as well if it lies
// alike; other names that the same declaration has would be missed.
bool bankstripe::dropTypedef(const Fault &F, Bridges &B) {
  const auto Type = [&](unsigned Arg) {
    return QualType::getFromOpaquePtr((void *)F.Diag.getRawArg(Arg));
  };
  if (!isAlike(Type(1), Type(2), F.Context))
    return false;
  size_t First = F.Index;
  for (int Depth = 0; F.Tokens[First].Text != "typedef" || Depth; --First) {
    const StringRef Text = F.Tokens[First].Text;
    Depth += int(Text == "}") - int(Text == "{");
    if (First == 0 || (isAmong(Text, "; ,") && Depth == 0))
      return false;
  }
  if (F.Index + 1 == F.Tokens.size() || F.Tokens[F.Index + 1].Text != ";")
    return false;
  leaveOut(F, B, First, F.Index + 1);
  return true;
}

// `s.template f(x)` where f is no template.
bool bankstripe::dropTemplate(const Fault &F, Bridges &B) {
  if (F.Index == 0 || F.Tokens[F.Index - 1].Text != "template")
    return false;
  leaveOut(F, B, F.Index - 1, F.Index - 1);
  return true;
}

// `alignas(64) T x;` where T asks for more.
bool bankstripe::dropAlignment(const Fault &F, Bridges &B) {
  size_t Last = F.Index;
  while (Last < F.Tokens.size() && F.Tokens[Last].Text != ")")
    ++Last;
  if (F.text() != "alignas" || Last == F.Tokens.size())
    return false;
  leaveOut(F, B, F.Index, Last);
  return true;
}
