//===-- BridgeTable.cpp - what to do about each of Clang's errors ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/BridgeTable.h"

#include "frontend/CompilerOptions.h"
#include "frontend/LeftOut.h"
#include "frontend/SideBridges.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticAST.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace bankstripe;
using namespace clang;
using llvm::StringRef;

FileOffset bankstripe::placeOf(const SourceManager &SM, SourceLocation Loc) {
  const auto [File, Offset] = SM.getDecomposedSpellingLoc(Loc);
  const auto Entry = SM.getFileEntryRefForID(File);
  return {Entry ? Entry->getName().str() : "", Offset};
}

// `k<< <grid, block >> >(x)`: the angles around the token become one, in front
// of the blanks between them.
static bool joinAngles(const Fault &F, Bridges &B) {
  const char Angle = F.text().front();
  auto IsAngle = [&](size_t I) {
    return F.Tokens[I].Text.find_first_not_of(Angle) == StringRef::npos;
  };
  if (Angle != '<' && Angle != '>')
    return false;
  size_t First = F.Index, Last = F.Index;
  while (First > 0 && IsAngle(First - 1))
    --First;
  while (Last + 1 < F.Tokens.size() && IsAngle(Last + 1))
    ++Last;
  const unsigned Begin = F.Tokens[First].Offset,
                 End = F.Tokens[Last].Offset + F.Tokens[Last].Text.size();
  Bridges::Correction &C = B.Texts[F.File];
  const std::string Written = C.Corrected.substr(Begin, End - Begin);
  std::string Blanks = Written;
  llvm::erase(Blanks, Angle);
  if (Blanks.size() + 3 != Written.size() || !StringRef(Blanks).trim().empty())
    return false;
  C.Corrected.replace(Begin, End - Begin, std::string(3, Angle) + Blanks);
  return true;
}

// `k<<<{2}, {w, 1, 1}, {}, {}>>>`.
static bool nameLaunchArgument(const Fault &F, Bridges &B) {
  if (F.text() != "{" || F.Index == 0)
    return false;
  const StringRef Before = F.Tokens[F.Index - 1].Text;
  if (Before != "<<<" && Before != ",")
    return false;
  size_t Depth = 0, Argument = 0;
  for (size_t I = F.Index; I-- > 0 && F.Tokens[I].Text != "<<<";) {
    const StringRef Text = F.Tokens[I].Text;
    Depth += Text == ")" || Text == "}" || Text == "]";
    Depth -= Depth && (Text == "(" || Text == "{" || Text == "[");
    Argument += !Depth && Text == ",";
  }
  constexpr const char *Types[] = {"dim3", "dim3", "size_t", "cudaStream_t"};
  if (Argument >= std::size(Types))
    return false;
  B.Behind[F.at(F.Index - 1)] = {Types[Argument], F.at(F.Index).second};
  return true;
}

// `#define UNROLL #pragma unroll`: nvcc reads the preprocessed text again, and
// finds the directive. A macro of ours, with a name that fits into the space,
// says the same by `_Pragma`.
static bool spellAsOperator(const Fault &F, Bridges &B) {
  if (F.text() != "#" || F.Index + 2 >= F.Tokens.size() ||
      F.Tokens[F.Index + 1].Text != "pragma")
    return false;
  std::string &Text = B.Texts[F.File].Corrected;
  const unsigned Begin = F.at(F.Index).second;
  const size_t LineEnd = std::min(Text.find('\n', Begin), Text.size());
  size_t Last = F.Index + 1;
  while (Last + 1 < F.Tokens.size() && F.at(Last + 1).second < LineEnd)
    ++Last;
  const unsigned End = F.at(Last).second + F.Tokens[Last].Text.size();
  const std::string Name = pragmaName(B.Pragmas.size());
  if (Last < F.Index + 2 || End > LineEnd || Begin + Name.size() > End)
    return false;
  B.Pragmas.push_back(Text.substr(Begin, End - Begin));
  Text.replace(Begin, End - Begin,
               Name + std::string(End - Begin - Name.size(), ' '));
  return true;
}

// `asm("..." : "+r"(a) "=r"(b))`.
static bool separateOperands(const Fault &F, Bridges &B) {
  if (!F.text().starts_with("\"") || F.Index == 0 ||
      F.Tokens[F.Index - 1].Text != ")")
    return false;
  size_t First = F.Index;
  while (!StringRef(";{}").contains(F.Tokens[First].Text) && First > 0 &&
         !F.Tokens[First].Text.contains("asm"))
    --First;
  if (!isAmong(F.Tokens[First].Text, "asm __asm __asm__"))
    return false;
  B.Behind[F.at(F.Index - 1)] = {",", F.at(F.Index).second};
  return true;
}

// A function with the name of one of Clang's own, such as `__rdtsc`.
static bool forgetBuiltin(const Fault &F, Bridges &B) {
  const bool IsReserved = F.text().starts_with("_");
  if (IsReserved)
    B.NoBuiltins.insert(F.text().str());
  return IsReserved;
}

// `enum { M = std::size(a) }`: an object of a's type serves as well, of which
// the value is not known, and which is none of the function's around it.
static bool nameOnlyType(const Fault &F, Bridges &B) {
  if (F.Index == 0)
    return false;
  const unsigned Offset = F.at(F.Index).second;
  B.Behind[F.at(F.Index - 1)] = {"::bankstripe_any<decltype(", Offset};
  B.Behind[F.at(F.Index)] = {")>", Offset};
  return true;
}

// Whether the name says already where it is looked for.
static bool isQualified(const Fault &F, size_t Name) {
  const StringRef Before = F.Tokens[Name - 1].Text;
  return Before == "." || Before == "->" || Before == "::";
}

// `free(p)` in device code below `using namespace std`, where Clang has one
// too.
static bool nameGlobally(const Fault &F, Bridges &B) {
  if (F.Index == 0 || (F.text() != "free" && F.text() != "malloc") ||
      isQualified(F, F.Index))
    return false;
  B.Behind[F.at(F.Index - 1)] = {"::", F.at(F.Index).second};
  return true;
}

// `float r[bins.N]` where N is a constant and bins a reference, of which the
// value is not known. Before C++23 that is no constant for Clang.
static bool nameTypesInBound(const Fault &F, Bridges &B) {
  if (F.text() != "[")
    return false;
  bool Found = false;
  for (size_t I = F.Index + 1;
       I + 1 < F.Tokens.size() && F.Tokens[I].Text != "]"; ++I) {
    if (F.Tokens[I + 1].Text != "." || isQualified(F, I) ||
        !isAsciiIdentifierStart(F.Tokens[I].Text.front()))
      continue;
    const unsigned Offset = F.at(I).second;
    B.Behind[F.at(I - 1)] = {"::bankstripe_any<__remove_cvref(decltype(",
                             Offset};
    B.Behind[F.at(I)] = {"))>", Offset};
    Found = true;
  }
  return Found;
}

// `x = {}` where x, a `half2`, has several assignment operators.
static bool nameAssignedType(const Fault &F, Bridges &B) {
  if (F.text() != "=" || F.Index + 1 == F.Tokens.size() ||
      F.Tokens[F.Index + 1].Text != "{")
    return false;
  std::string Target;
  for (const RawToken &T :
       llvm::reverse(llvm::ArrayRef(F.Tokens).take_front(F.Index))) {
    if (T.Text.find_first_of(";{}") != StringRef::npos)
      break;
    Target = (T.Text + " " + Target).str();
  }
  B.Behind[F.at(F.Index)] = {"(__remove_cvref(decltype(" + Target + ")))",
                             F.at(F.Index + 1).second};
  return true;
}

// `f(auto x)` before C++20, of which there is only advice.
static bool isAuto(const Fault &F, Bridges &) { return F.text() == "auto"; }

// `s.f<N>(x)` for `s.template f<N>(x)`, and `s.operator()<N>(x)`.
static bool addTemplateToMember(const Fault &F, Bridges &B) {
  if (F.Index == 0 || F.Index + 1 == F.Tokens.size() ||
      !isQualified(F, F.Index) ||
      (F.Tokens[F.Index + 1].Text != "<" && F.text() != "operator"))
    return false;
  B.Behind[F.at(F.Index - 1)] = {"template", F.at(F.Index).second};
  return true;
}

// `S<T>::f<N>(x)` for `S<T>::template f<N>(x)`.
static bool addTemplate(const Fault &F, Bridges &B) {
  bool Found = false;
  int Depth = 0;
  for (size_t I = F.Index; I + 2 < F.Tokens.size(); ++I) {
    const StringRef Text = F.Tokens[I].Text;
    if (Depth == 0 && (Text == "(" || Text == ";"))
      break;
    Depth += int(Text.count('<')) - int(Text.count('>'));
    if (Depth != 0 || Text != "::" || F.Tokens[I + 2].Text != "<")
      continue;
    B.Behind[F.at(I)] = {"template", F.at(I + 1).second};
    Found = true;
  }
  return Found;
}

// `S<T>::type(x)` for `typename S<T>::type(x)`.
static bool addTypename(const Fault &F, Bridges &B) {
  if (F.Index > 0)
    B.Behind[F.at(F.Index - 1)] = {"typename", F.at(F.Index).second};
  return F.Index > 0;
}

// `f(x)` for `this->f(x)`, where f is a member of a base that depends on T.
static bool addThis(const Fault &F, Bridges &B) {
  if (F.Index > 0)
    B.Behind[F.at(F.Index - 1)] = {"this->", F.at(F.Index).second};
  return F.Index > 0;
}

// `case 0: int x = 3; break; case 1:`. Braces end the scope before the label.
static bool braceCase(const Fault &F, Bridges &B) {
  auto IsLabel = [&](size_t I) {
    return isAmong(F.Tokens[I].Text, "case default");
  };
  auto DepthOf = [&](size_t I) {
    return int(F.Tokens[I].Text == "{") - int(F.Tokens[I].Text == "}");
  };
  size_t First = F.Index, Colon = 0, Next = F.Index;
  for (int Depth = 0; First > 0 && (Depth != 0 || !IsLabel(First)); --First) {
    Depth -= DepthOf(First);
    if (Depth < 0)
      return false;
  }
  for (Colon = First; Colon < F.Index && F.Tokens[Colon].Text != ":";)
    ++Colon;
  for (int Depth = 0; Next < F.Tokens.size() && (Depth != 0 || !IsLabel(Next));
       ++Next)
    Depth += DepthOf(Next);
  if (First == 0 || Colon == F.Index || Next == F.Tokens.size())
    return false;
  B.Behind[F.at(Colon)] = {"{", F.at(Colon).second};
  B.Behind[F.at(Next - 1)] = {"}", F.at(Next - 1).second};
  return true;
}

// `(int)p` where p is a pointer.
static bool castInSteps(const Fault &F, Bridges &B) {
  size_t I = F.Index;
  while (F.text() == "(" && I < F.Tokens.size() && F.Tokens[I].Text != ")")
    ++I;
  if (I == F.Index || I == F.Tokens.size())
    return false;
  B.Behind[F.at(I)] = {"(unsigned long)", F.at(I).second};
  return true;
}

// `auto [x, y, z] = threadIdx`, which is a `uint3`, and in Clang a class of its
// own that cannot be copied.
static bool readRegisters(const Fault &F, Bridges &B) {
  llvm::SmallString<128> Message;
  F.Diag.FormatDiagnostic(Message);
  if (!Message.str().contains("__cuda_builtin_"))
    return false;
  for (size_t I = 0; I + 1 < F.Tokens.size(); ++I) {
    const bool IsIndex = isAmong(F.Tokens[I].Text, "threadIdx blockIdx");
    if ((IsIndex || isAmong(F.Tokens[I].Text, "blockDim gridDim")) &&
        F.Tokens[I + 1].Text != ".")
      B.Behind[F.at(I)] = {IsIndex ? ".operator ::uint3()"
                                   : ".operator ::dim3()",
                           F.at(I).second};
  }
  // What is bound to a reference is a copy then.
  if (F.Index > 0 && F.text() == "[" && F.Tokens[F.Index - 1].Text == "&")
    B.Texts[F.File].Corrected[F.at(F.Index - 1).second] = ' ';
  return true;
}

// `__shared__ T x;` where T has a constructor: nvcc warns that it does not run.
// A reference to as much shared memory serves as well. Of several variables in
// one declaration, those that are no such objects would be shared no more.
static bool referToShared(const Fault &F, Bridges &B) {
  auto Text = [&](size_t I) { return F.Tokens[I].Text; };
  size_t First = F.Index, Last = F.Index;
  for (; Text(First) != "__shared__"; --First)
    if (First == 0 || StringRef(";{}").contains(Text(First - 1)))
      return false;
  int Depth = 0;
  for (size_t I = First; Text(I) != ";"; ++I) {
    if (I + 1 == F.Tokens.size() ||
        (I > F.Index && Depth == 0 && Text(I) != "["))
      return false;
    for (const char C : Text(I))
      Depth += int(StringRef("<([").contains(C)) - StringRef(">)]").contains(C);
    if (Depth == 0 && Text(I) == ",")
      return false;
    Last = I;
  }
  leaveOut(F, B, First, First);
  const unsigned At = F.at(F.Index).second;
  B.Behind[F.at(F.Index - 1)] = {"(&", At};
  B.Behind[F.at(F.Index)] = {")", At};
  B.Behind[F.at(Last)].At = At;
  B.Behind[F.at(Last)].Text +=
      "= ::bankstripe_shared<" + std::to_string(At) + ">()";
  return true;
}

// The first and the last token of what Clang underlines; not of what a macro
// gets as an argument, which is read twice.
static std::optional<std::pair<size_t, size_t>> underlined(const Fault &F,
                                                           unsigned Range) {
  if (Range >= F.Diag.getNumRanges())
    return std::nullopt;
  const SourceManager &SM = F.Diag.getSourceManager();
  auto Find = [&](SourceLocation Loc) -> size_t {
    const FileOffset Place = placeOf(SM, Loc);
    const auto It =
        std::ranges::lower_bound(F.Tokens, Place.second, {}, &RawToken::Offset);
    return Place.first == F.File && !SM.isMacroArgExpansion(Loc) &&
                   It != F.Tokens.end() && It->Offset == Place.second
               ? It - F.Tokens.begin()
               : 0;
  };
  const size_t First = Find(F.Diag.getRange(Range).getBegin());
  const size_t Last = Find(F.Diag.getRange(Range).getEnd());
  if (First == 0 || Last < First)
    return std::nullopt;
  return std::pair(First, Last);
}

// `p + 4` where p is a `void *`: it points at bytes.
static bool pointAtBytes(const Fault &F, Bridges &B) {
  bool Found = false;
  for (unsigned Range = 0; Range < F.Diag.getNumRanges(); ++Range)
    if (const auto Operand = underlined(F, Range)) {
      const auto [First, Last] = *Operand;
      const unsigned At = F.at(First).second;
      B.Behind[F.at(First - 1)] = {"::bankstripe_bytes(", At};
      B.Behind[F.at(Last)] = {")", At};
      Found = true;
    }
  return Found;
}

// `void *p = &f` where f is a function.
static bool castFunction(const Fault &F, Bridges &B) {
  const auto Value = underlined(F, 0);
  const auto To = QualType::getFromOpaquePtr((void *)F.Diag.getRawArg(1));
  const auto From = QualType::getFromOpaquePtr((void *)F.Diag.getRawArg(3));
  if (!Value || !To->isVoidPointerType() ||
      (!From->isFunctionType() && !From->isFunctionPointerType()))
    return false;
  const unsigned At = F.at(Value->first).second;
  B.Behind[F.at(Value->first - 1)] = {"(void *)(", At};
  B.Behind[F.at(Value->second)] = {")", At};
  return true;
}

// `sizeof(void)` is 1.
static bool measureByte(const Fault &F, Bridges &B) {
  for (size_t I = F.Index; I < std::min(F.Index + 3, F.Tokens.size()); ++I)
    if (F.Tokens[I].Text == "void") {
      B.Texts[F.File].Corrected.replace(F.at(I).second, 4, "char");
      return true;
    }
  return false;
}

// `p > 0` where p is a pointer.
static bool compareWithPointer(const Fault &F, Bridges &B) {
  for (unsigned Range = 0; Range < F.Diag.getNumRanges(); ++Range)
    if (const auto Operand = underlined(F, Range))
      if (const auto [First, Last] = *Operand;
          First == Last && F.Tokens[First].Text == "0") {
        B.Behind[F.at(First - 1)] = {"(void *)", F.at(First).second};
        return true;
      }
  return false;
}

// `__cluster_dims__(16, 1, 1)`: Clang has room for 8. What the tool says of a
// kernel does not depend on its cluster.
static bool shrinkCluster(const Fault &F, Bridges &B) {
  auto Text = [&](size_t I) { return F.Tokens[I].Text; };
  size_t Open = F.Index;
  while (Open > 0 && Text(Open) != "(")
    --Open;
  if (Open == 0 || !Text(Open - 1).contains("cluster_dims"))
    return false;
  size_t First = F.Index, Last = F.Index;
  while (First > Open + 1 && Text(First - 1) != ",")
    --First;
  while (Last + 1 < F.Tokens.size() && Text(Last + 1) != "," &&
         Text(Last + 1) != ")")
    ++Last;
  const unsigned Begin = F.at(First).second;
  const unsigned End = F.at(Last).second + Text(Last).size();
  B.Texts[F.File].Corrected.replace(Begin, End - Begin,
                                    "8" + std::string(End - Begin - 1, ' '));
  return true;
}

static constexpr char PragmaAdvice[] =
    "write '_Pragma(\"...\")' instead of '#pragma' in the macro";

static constexpr char UnrollAdvice[] =
    "put '#pragma unroll' right before a loop, with a positive number or none";

static constexpr char RegisterAdvice[] =
    "name the type: uint3 for an index, dim3 for a size";

static constexpr Bridge Table[] = {
    {diag::err_expected_expression, joinAngles,
     "write '<<<' and '>>>' without blanks"},
    {diag::err_expected_expression, nameLaunchArgument,
     "name the type of the list: dim3{...}"},
    {diag::err_expected_expression, spellAsOperator, PragmaAdvice},
    {diag::err_expected_unqualified_id, dropUnroll, UnrollAdvice},
    {diag::err_expected_unqualified_id, spellAsOperator, PragmaAdvice},
    {diag::err_expected_member_name_or_semi, spellAsOperator, PragmaAdvice},
    {diag::err_pragma_loop_precedes_nonloop, dropUnroll, UnrollAdvice},
    {diag::err_pragma_loop_compatibility, dropUnroll, UnrollAdvice},
    {diag::err_pragma_loop_invalid_argument_type, dropUnroll, UnrollAdvice},
    {diag::err_requires_positive_value, dropUnroll, UnrollAdvice},
    {diag::err_pragma_misplaced_in_decl, dropUnroll, UnrollAdvice},
    {diag::err_expected_statement, dropUnroll, UnrollAdvice},
    {diag::err_expected, separateOperands,
     "put ',' between the operands of 'asm'"},
    {diag::err_cuda_ovl_target, putOnBothSides,
     "repeat the '__host__ __device__' of the declaration"},
    {diag::err_ref_bad_target, allowHost,
     "make the function '__host__ __device__'"},
    {diag::note_ovl_candidate_bad_target, copyOnDevice,
     "make the constructors that copy its members '__host__ __device__'"},
    {diag::note_ovl_candidate_bad_target, putCandidateOnBothSides,
     "make the function '__host__ __device__'"},
    {diag::err_static_non_static, forgetBuiltin,
     "give the function another name, this one is Clang's"},
    {diag::err_builtin_definition, forgetBuiltin,
     "give the function another name, this one is Clang's"},
    {diag::err_reference_to_local_in_enclosing_context, nameOnlyType,
     "use a 'constexpr' variable instead of the enumerator"},
    {diag::err_cuda_vla, nameTypesInBound,
     "name the constant by its type: T::N instead of x.N"},
    {diag::err_ovl_ambiguous_call, nameGlobally, "write '::' before the name"},
    {diag::err_ovl_ambiguous_oper_binary, nameAssignedType,
     "name the type of the list: = T{...}"},
    {diag::err_template_kw_missing, addTemplateToMember,
     "put 'template' before the name of the member"},
    {diag::err_template_kw_missing, addTemplate,
     "put 'template' before the name of the member"},
    {diag::err_ovl_unresolvable, addTemplate,
     "put 'template' before the name of the member"},
    {diag::err_bound_member_function, addTemplateToMember,
     "put 'template' before the name of the member"},
    {diag::err_missing_dependent_template_keyword, addTemplateToMember,
     "put 'template' before the name of the member"},
    {diag::warn_missing_dependent_template_keyword, addTemplateToMember,
     "put 'template' before the name of the member"},
    {diag::err_auto_not_allowed, isAuto,
     "give -std=c++20, or make the function a template"},
    {diag::err_typename_missing, addTypename,
     "put 'typename' before the name of the type"},
    {diag::err_typecheck_pointer_arith_void_type, pointAtBytes,
     "cast the pointer to 'char *'"},
    {diag::err_sizeof_alignof_incomplete_or_sizeless_type, measureByte,
     "write 1 instead of 'sizeof(void)'"},
    {diag::err_typecheck_ordered_comparison_of_pointer_and_zero,
     compareWithPointer, "compare with '(void *)0'"},
    {diag::err_found_in_dependent_base, addThis,
     "put 'this->' before the name of the member"},
    {diag::err_function_template_spec_no_match, specializeOnBothSides,
     "repeat the '__host__ __device__' of the template"},
    {diag::err_function_template_partial_spec, dropArguments,
     "leave out the template arguments behind the name"},
    {diag::err_ovl_deleted_init, readRegisters, RegisterAdvice},
    {diag::err_decomp_decl_wrong_number_bindings, readRegisters,
     RegisterAdvice},
    {diag::err_typecheck_nonviable_condition, readRegisters, RegisterAdvice},
    {diag::err_typecheck_cond_incompatible_operands, readRegisters,
     RegisterAdvice},
    {diag::err_auto_different_deductions, readRegisters, RegisterAdvice},
    {diag::note_protected_by_variable_init, braceCase,
     "put braces around the statements behind a label"},
    {diag::err_bad_reinterpret_cast_small_int, castInSteps,
     "cast the pointer to 'size_t' first"},
    {diag::err_shared_var_init, referToShared,
     "declare bytes in shared memory, and construct the object in them"},
    {diag::err_typecheck_invalid_restrict_not_pointer, dropRestrict,
     "put '__restrict__' behind the '*'"},
    {diag::err_ice_too_large, shrinkCluster,
     "let the launch say how large a cluster of more than 8 blocks is"},
    {diag::err_variable_object_no_init, dropInitializer,
     "clear the array in a loop"},
    {diag::err_init_conversion_failed, castFunction, "cast it to 'void *'"},
    {diag::err_asm_invalid_escape, dropPercent,
     "write '%%' before the name of a register"},
    {diag::err_redefinition_different_typedef, dropTypedef,
     "include the header that declares it"},
    {diag::err_template_kw_refers_to_non_template, dropTemplate,
     "leave out 'template', no template has the name"},
    {diag::err_alignas_underaligned, dropAlignment,
     "leave out 'alignas', the type asks for more"},
};

llvm::ArrayRef<Bridge> bankstripe::knownBridges() { return Table; }
