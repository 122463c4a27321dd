//===-- Sarif.cpp - the plan as a SARIF log -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written by hand, since clang::SarifDocumentWriter knows no suppressions, no
// notifications and no names relative to a folder, and needs a SourceManager
// for each place. What is done is the same otherwise: one run, all rules in the
// driver, results that name theirs by id and index.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// Braces are placeholders, and "](" is a link.
static json::Object sarifMessage(StringRef Text) {
  std::string Escaped;
  for (char C : Text) {
    if (C == '(' && StringRef(Escaped).ends_with("]"))
      Escaped += ' ';
    Escaped += C;
    if (C == '{' || C == '}')
      Escaped += C;
  }
  return json::Object{{"text", jsonText(Escaped)}};
}

// With a capital letter and a period.
static std::string asSentence(StringRef Text) {
  std::string Result = Text.str() + ".";
  Result.front() = llvm::toUpper(Result.front());
  return Result;
}

// `warning` where something should be done, `note` where something could be,
// `none` where all is well.
static StringRef levelOf(Reason R) {
  const VerdictKind Verdict = infoOf(R).Verdict;
  // An access outside an array is a mistake, whatever becomes of the array.
  if (Verdict == VerdictKind::Unchanged || Verdict == VerdictKind::Unsupported)
    return R == Reason::OutOfBounds ? "warning" : "note";
  return Verdict == VerdictKind::Registers && R != Reason::UnrolledLoop
             ? "none"
             : "warning";
}

// What would change the verdict, as a sentence to append; empty when nothing
// would.
static std::string adviceOn(Reason R) {
  const ReasonInfo &Info = infoOf(R);
  if (Info.Advice.empty())
    return "";
  const bool Stays = Info.Verdict == VerdictKind::Unchanged ||
                     Info.Verdict == VerdictKind::Unsupported;
  if (Stays || Info.Verdict == VerdictKind::Slot)
    return ((Stays ? " To move it: " : " For a stripe: ") + Info.Advice + ".")
        .str();
  return " " + asSentence(Info.Advice);
}

// `dynamic-index` as `DynamicIndex`.
static std::string ruleName(StringRef Id) {
  std::string Name;
  for (StringRef Word : llvm::split(Id, '-')) {
    Name += llvm::toUpper(Word.front());
    Name += Word.drop_front();
  }
  return Name;
}

// The documents are not beside the log, so links between them lead nowhere.
static std::string withoutLinks(StringRef Text) {
  static llvm::Regex Link(R"(\[([^]]*)\]\((#[^)]*|[^)]*\.md[^)]*)\))");
  std::string Result = Text.str();
  while (Link.match(Result))
    Result = Link.sub("\\1", Result);
  return Result;
}

// The section of docs/verdicts.md, without its title.
static std::string sectionAbout(StringRef Id) {
  StringRef Rest = verdictsText().split(("\n### `" + Id + "`\n").str()).second;
  for (StringRef Next : {"\n### ", "\n## "})
    Rest = Rest.split(Next).first;
  return withoutLinks(Rest.trim());
}

// A verdict is a proposal while nothing has changed, hence "can".
static std::string title(const ReasonInfo &Info) {
  StringRef Text = outcomeOf(Info.R);
  return (Text.consume_front("moves ") ? "can move " : "") + Text.str();
}

static json::Object rule(const ReasonInfo &Info, StringRef DocumentsUrl) {
  const std::string Short = asSentence(
      ("per-thread array " + title(Info) + ": " + Info.Summary.str()));
  const std::string Full = Short + adviceOn(Info.R);
  json::Object Result{
      {"id", Info.Id},
      {"name", ruleName(Info.Id)},
      {"shortDescription", json::Object{{"text", Short}}},
      {"fullDescription", json::Object{{"text", Full}}},
      {"help",
       json::Object{{"text", Full}, {"markdown", sectionAbout(Info.Id)}}},
      {"defaultConfiguration", json::Object{{"level", levelOf(Info.R)}}},
      {"properties", json::Object{{"tags", json::Array{"performance", "cuda"}},
                                  {"verdict", nameOf(Info.Verdict)}}}};
  if (!DocumentsUrl.empty())
    Result["helpUri"] =
        (DocumentsUrl.rtrim('/') + "/verdicts.md#" + Info.Id).str();
  return Result;
}

// One reportingDescriptor per reason, in the order of the enumeration. A code
// host shows the short description as a title, and the help, which is the
// section of docs/verdicts.md, beside a result.
static json::Array rules(StringRef DocumentsUrl) {
  json::Array Rules;
  for (const ReasonInfo &Info : allReasons())
    Rules.push_back(rule(Info, DocumentsUrl));
  return Rules;
}

namespace {

/// Where things are. Places count bytes, as Clang does; SARIF counts UTF-16
/// code units.
class SarifPlaces {
public:
  /// \p Contents are what was read of some files; others are read anew.
  SarifPlaces(const std::map<std::string, std::string> &Contents,
              StringRef Root)
      : Contents(Contents), Root((Root.rtrim('/') + "/").str()) {}

  /// `src/a.cu`, percent-encoded; of a file elsewhere, its URI.
  std::string uri(StringRef File) const;
  /// An artifactLocation.
  json::Object location(StringRef File) const;
  /// A physicalLocation.
  json::Object physical(const Place &P);
  /// What the relative names are relative to.
  json::Object bases() const;

private:
  json::Object region(const Place &P);
  const std::vector<StringRef> &linesOf(const std::string &File);

  const std::map<std::string, std::string> &Contents;
  std::string Root;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Read;
  std::map<std::string, std::vector<StringRef>> Lines; ///< By file.
};

/// Makes one log.
class SarifWriter {
public:
  SarifWriter(const Plan &P, const SarifRun &Run);
  json::Object run();

private:
  bool isShown(const PlannedArray &A) const;
  json::Object result(unsigned Index);
  std::string message(const PlannedArray &A) const;
  json::Object location(const PlannedArray &A);
  json::Array related(const PlannedArray &A);
  json::Array suppressions(const PlannedArray &A);
  json::Object properties(const PlannedArray &A) const;
  json::Object invocation();
  json::Array notifications();
  json::Object driver() const;

  const Plan &P;
  const SarifRun &Run;
  SarifPlaces Places;
  std::vector<unsigned> Occurrence; ///< As in ArrayDecision.
};

} // namespace

static std::string percentEncoded(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (llvm::isAlnum(C) || StringRef("/-._~").contains(C))
      Result += C;
    else
      Result += "%" + llvm::toHex(StringRef(&C, 1));
  }
  return Result;
}

std::string SarifPlaces::uri(StringRef File) const {
  return File.consume_front(Root) ? percentEncoded(File)
                                  : "file://" + percentEncoded(File);
}

json::Object SarifPlaces::location(StringRef File) const {
  json::Object Result{{"uri", uri(File)}};
  if (File.starts_with(Root))
    Result["uriBaseId"] = "%SRCROOT%";
  return Result;
}

json::Object SarifPlaces::bases() const {
  return json::Object{
      {"%SRCROOT%", json::Object{{"uri", "file://" + percentEncoded(Root)}}}};
}

// A line ends with any of "\r\n", "\n" and "\r", as it does for Clang.
static std::vector<StringRef> splitLines(StringRef Text) {
  std::vector<StringRef> Lines;
  while (!Text.empty()) {
    const StringRef Line =
        Text.take_until([](char C) { return C == '\n' || C == '\r'; });
    Lines.push_back(Line);
    Text = Text.drop_front(Line.size());
    Text.consume_front("\r\n") || Text.consume_front("\n") ||
        Text.consume_front("\r");
  }
  return Lines;
}

const std::vector<StringRef> &SarifPlaces::linesOf(const std::string &File) {
  auto [It, New] = Lines.try_emplace(File);
  if (!New)
    return It->second;
  if (auto Known = Contents.find(File); Known != Contents.end()) {
    It->second = splitLines(Known->second);
  } else if (auto Buffer = llvm::MemoryBuffer::getFile(File)) {
    It->second = splitLines((*Buffer)->getBuffer());
    Read.push_back(std::move(*Buffer));
  }
  return It->second;
}

// Of what is not UTF-8 each byte counts; a byte order mark does not.
static size_t codeUnits(StringRef Text) {
  Text.consume_front("\xEF\xBB\xBF");
  llvm::SmallVector<llvm::UTF16, 128> Units;
  return llvm::convertUTF8ToUTF16String(Text, Units) ? Units.size()
                                                     : Text.size();
}

// The name, or else the character, that begins at P; the line alone where the
// text has no such place.
json::Object SarifPlaces::region(const Place &P) {
  const std::vector<StringRef> &All = linesOf(P.File);
  const StringRef Line = P.Line - 1 < All.size() ? All[P.Line - 1] : "";
  if (P.Column - 1 >= Line.size())
    return json::Object{{"startLine", P.Line}};
  const StringRef Before = Line.take_front(P.Column - 1);
  const StringRef Name = Line.drop_front(Before.size()).take_while([](char C) {
    return llvm::isAlnum(C) || C == '_';
  });
  const StringRef Until =
      Line.take_front(Before.size() + std::max<size_t>(Name.size(), 1));
  return json::Object{{"startLine", P.Line},
                      {"startColumn", codeUnits(Before) + 1},
                      {"endLine", P.Line},
                      {"endColumn", codeUnits(Until) + 1}};
}

json::Object SarifPlaces::physical(const Place &P) {
  return json::Object{{"artifactLocation", location(P.File)},
                      {"region", region(P)}};
}

SarifWriter::SarifWriter(const Plan &P, const SarifRun &Run)
    : P(P), Run(Run), Places(P.Contents, Run.Root) {
  std::map<std::tuple<std::string, std::string, std::string>, unsigned> Count;
  for (const PlannedArray &A : P.Arrays)
    Occurrence.push_back(
        ++Count[{A.Array.Where.File, A.Array.Function, A.Array.Name}]);
}

bool SarifWriter::isShown(const PlannedArray &A) const {
  const StringRef Level = levelOf(A.Verdict.Why);
  return Level == "warning" ||
         (Level == "note" && Run.Level != Detail::Quiet) ||
         Run.Level == Detail::Verbose;
}

// The first sentence is all that is shown where there is little room.
std::string SarifWriter::message(const PlannedArray &A) const {
  const Verdict &V = A.Verdict;
  std::string Text = asSentence(headline(A));
  if (V.usesShared())
    Text += " " + asSentence(cost(A));
  if (!V.changesSource())
    Text += adviceOn(V.Why);
  if (V.usesShared())
    for (unsigned K : A.Kernels)
      if (const auto &Predicted = P.Kernels[K].Predicted)
        Text += llvm::formatv(
            " Predicted speedup of kernel '{0}': {1:F2} ({2:F2} to {3:F2}).",
            P.Kernels[K].Facts.Name, Predicted->Speedup, Predicted->Low,
            Predicted->High);
  return Text;
}

// The function, once for each instance that the compiler made of it.
json::Object SarifWriter::location(const PlannedArray &A) {
  json::Array Functions;
  auto Add = [&](StringRef Id) {
    json::Object Function{{"fullyQualifiedName", jsonText(A.Array.Function)},
                          {"kind", "function"}};
    if (!Id.empty())
      Function["decoratedName"] = jsonText(Id);
    Functions.push_back(std::move(Function));
  };
  for (const ArrayInstance &I : A.Array.Instances)
    Add(I.FunctionId);
  if (Functions.empty())
    Add(A.Array.FunctionId);
  return json::Object{{"physicalLocation", Places.physical(A.Array.Where)},
                      {"logicalLocations", std::move(Functions)}};
}

static std::string kernelText(const KernelPlan &K) {
  std::string Text = "kernel '" + K.Facts.Name + "'";
  if (K.BlockThreads)
    Text += llvm::formatv(", in blocks of up to {0} threads", K.BlockThreads);
  return Text;
}

json::Array SarifWriter::related(const PlannedArray &A) {
  json::Array Result;
  auto Add = [&](const Place &Where, StringRef Message) {
    if (Where.isValid())
      Result.push_back(
          json::Object{{"id", int64_t(Result.size() + 1)},
                       {"message", sarifMessage(asSentence(Message))},
                       {"physicalLocation", Places.physical(Where)}});
  };
  const Verdict &V = A.Verdict;
  if (!(V.Where == A.Array.Where))
    Add(V.Where, "why: " + infoOf(V.Why).Summary.str());
  for (unsigned K : A.Kernels)
    Add(P.Kernels[K].Facts.Where, kernelText(P.Kernels[K]));
  for (const CountedLoop &L : V.Unroll)
    Add(L.Where, "unrolling this loop of " + tripsText(L) + " helps to keep '" +
                     A.Array.Name + "' in registers");
  return Result;
}

// An empty list says that nothing is suppressed.
json::Array SarifWriter::suppressions(const PlannedArray &A) {
  if (A.Verdict.Why == Reason::Nolint)
    return json::Array{json::Object{{"kind", "inSource"}}};
  if (A.Verdict.Why != Reason::DecidedKeep)
    return {};
  json::Object Result{{"kind", "external"}};
  for (const DecisionOutcome &O : P.Outcomes)
    if (O.State == DecisionState::Used && O.Array == A.Array.Where) {
      Result["location"] =
          json::Object{{"physicalLocation", Places.physical(O.Decision.Where)}};
      if (!O.Decision.Why.empty())
        Result["justification"] = jsonText(O.Decision.Why);
    }
  return json::Array{std::move(Result)};
}

// As in docs/json.md, without places, which have names of absolute paths.
json::Object SarifWriter::properties(const PlannedArray &A) const {
  json::Object Result = arrayToJson(P, A);
  for (StringRef Name : {"place", "reasonPlace", "uses", "unroll", "reason",
                         "message", "advice"})
    Result.erase(Name);
  return Result;
}

json::Object SarifWriter::result(unsigned Index) {
  const PlannedArray &A = P.Arrays[Index];
  const StringRef Level = levelOf(A.Verdict.Why);
  const std::string Identity = Places.uri(A.Array.Where.File) + '\n' +
                               A.Array.Function + '\n' + A.Array.Name + '\n' +
                               std::to_string(Occurrence[Index]);
  json::Object Result{
      {"ruleId", infoOf(A.Verdict.Why).Id},
      {"ruleIndex", static_cast<unsigned>(A.Verdict.Why)},
      {"kind", Level == "none" ? "pass" : "fail"},
      {"level", Level},
      {"message", sarifMessage(message(A))},
      {"locations", json::Array{location(A)}},
      {"partialFingerprints",
       json::Object{{"bankstripeArray/v1", digestOf(Identity)}}},
      {"suppressions", suppressions(A)},
      {"properties", properties(A)}};
  if (json::Array Related = related(A); !Related.empty())
    Result["relatedLocations"] = std::move(Related);
  return Result;
}

json::Array SarifWriter::notifications() {
  json::Array Result;
  for (const Problem &Found : Run.Problems) {
    json::Object Notification{{"level", "error"},
                              {"message", sarifMessage(Found.Message)}};
    if (!Found.File.empty())
      Notification["locations"] = json::Array{json::Object{
          {"physicalLocation",
           json::Object{{"artifactLocation", Places.location(Found.File)}}}}};
    Result.push_back(std::move(Notification));
  }
  return Result;
}

json::Object SarifWriter::invocation() {
  return json::Object{{"executionSuccessful", Run.Succeeded},
                      {"exitCode", Run.ExitCode},
                      {"exitCodeDescription", Run.ExitText},
                      {"toolExecutionNotifications", notifications()}};
}

json::Object SarifWriter::driver() const {
  json::Object Result{{"name", "bankstripe"},
                      {"fullName", Run.FullName},
                      {"version", Run.Version},
                      {"semanticVersion", Run.Version},
                      {"rules", rules(Run.DocumentsUrl)}};
  if (!Run.DocumentsUrl.empty())
    Result["informationUri"] = Run.DocumentsUrl;
  return Result;
}

json::Object SarifWriter::run() {
  json::Array Results;
  for (unsigned I = 0; I < P.Arrays.size(); ++I)
    if (isShown(P.Arrays[I]))
      Results.push_back(result(I));
  json::Object Invocation = invocation();
  return json::Object{{"tool", json::Object{{"driver", driver()}}},
                      {"columnKind", "utf16CodeUnits"},
                      {"newlineSequences", json::Array{"\r\n", "\n", "\r"}},
                      {"originalUriBaseIds", Places.bases()},
                      {"invocations", json::Array{std::move(Invocation)}},
                      {"results", std::move(Results)}};
}

json::Value bankstripe::toSarif(const Plan &P, const SarifRun &Run) {
  return json::Object{
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                  "schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{SarifWriter(P, Run).run()}}};
}
