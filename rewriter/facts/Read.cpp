//===-- Read.cpp - facts from JSON ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that the writer writes has to be there, and nothing else: a plan
// that was made of half of the facts would be wrong without anybody noticing.
//
//===----------------------------------------------------------------------===//

#include "facts/Fields.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <limits>

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class Reader {
public:
  bool readTexts(const json::Value &V, json::Path P);
  bool readFields(const json::Value &V, json::Path P);

  bool read(const json::Value &V, bool &Out, json::Path P);
  bool read(const json::Value &V, double &Out, json::Path P);
  bool read(const json::Value &V, std::string &Out, json::Path P);
  bool read(const json::Value &V, Reason &Out, json::Path P);
  bool read(const json::Value &V, std::map<std::string, std::string> &Contents,
            json::Path P);

  template <class T>
    requires std::is_integral_v<T>
  bool read(const json::Value &V, T &Out, json::Path P) {
    return readNumber(V, Out, std::numeric_limits<T>::max(), P);
  }
  template <class T>
    requires std::is_enum_v<T>
  bool read(const json::Value &V, T &Out, json::Path P) {
    unsigned Number = 0;
    if (!readNumber(V, Number, static_cast<unsigned>(LastOf<T>), P))
      return false;
    Out = static_cast<T>(Number);
    return true;
  }
  template <class T>
  bool read(const json::Value &V, std::optional<T> &Out, json::Path P) {
    if (V.getAsNull())
      return true;
    return read(V, Out.emplace(), P);
  }
  template <class T>
  bool read(const json::Value &V, std::vector<T> &Out, json::Path P) {
    return readList(V, P, [&](const json::Value &Element, json::Path At) {
      T Value{};
      if (!read(Element, Value, At))
        return false;
      Out.push_back(std::move(Value));
      return true;
    });
  }
  template <class T>
  bool read(const json::Value &V, std::set<T> &Out, json::Path P) {
    return readList(V, P, [&](const json::Value &Element, json::Path At) {
      T Value{};
      return read(Element, Value, At) &&
             isNew(Out.insert(std::move(Value)).second, At);
    });
  }
  template <class K, class T>
  bool read(const json::Value &V, std::map<K, T> &Out, json::Path P) {
    return readList(V, P, [&](const json::Value &Element, json::Path At) {
      const json::Array *Pair = Element.getAsArray();
      K Key{};
      T Value{};
      if (!Pair || Pair->size() != 2) {
        At.report("expected a pair");
        return false;
      }
      if (!read((*Pair)[0], Key, At.index(0)) ||
          !read((*Pair)[1], Value, At.index(1)))
        return false;
      return isNew(Out.emplace(std::move(Key), std::move(Value)).second, At);
    });
  }
  template <HasFields T> bool read(const json::Value &V, T &Out, json::Path P) {
    return visitFields(
        Out, [&](StringRef Struct, StringRef Names, auto &...Field) {
          const json::Array *List = V.getAsArray();
          if (!checkFields(Struct, Names, P))
            return false;
          if (!List || List->size() != sizeof...(Field)) {
            P.report("expected as many values as there are fields");
            return false;
          }
          size_t I = 0;
          auto Next = [&](auto &F) {
            return read((*List)[I++], F, P.field(nextName(Names)));
          };
          return (Next(Field) && ...);
        });
  }

private:
  template <class T>
  bool readNumber(const json::Value &V, T &Out, T Last, json::Path P) {
    if constexpr (std::is_signed_v<T>) {
      if (std::optional<int64_t> Number = V.getAsInteger()) {
        Out = *Number;
        return true;
      }
    } else if (std::optional<uint64_t> Number = V.getAsUINT64();
               Number && *Number <= Last) {
      Out = *Number;
      return true;
    }
    P.report("expected a number in range");
    return false;
  }
  template <class Function>
  bool readList(const json::Value &V, json::Path P, Function ReadElement) {
    const json::Array *List = V.getAsArray();
    if (!List) {
      P.report("expected a list");
      return false;
    }
    for (size_t I = 0; I < List->size(); ++I)
      if (!ReadElement((*List)[I], P.index(I)))
        return false;
    return true;
  }
  static bool isNew(bool Inserted, json::Path P) {
    if (!Inserted)
      P.report("listed twice");
    return Inserted;
  }
  bool checkFields(StringRef Struct, StringRef Names, json::Path P);

  const json::Object *Fields = nullptr;
  llvm::DenseSet<StringRef> Checked; ///< Structs, by their names.
  std::vector<std::string> Texts;
};

} // namespace

bool Reader::readTexts(const json::Value &V, json::Path P) {
  return readList(V, P, [&](const json::Value &Element, json::Path At) {
    std::string Text;
    const json::Array *Digits = Element.getAsArray();
    if (auto Plain = Element.getAsString())
      Text = Plain->str();
    else if (!Digits || Digits->size() != 1 || !(*Digits)[0].getAsString() ||
             !llvm::tryGetFromHex(*(*Digits)[0].getAsString(), Text)) {
      At.report("expected a text, or its bytes in hexadecimal digits");
      return false;
    }
    Texts.push_back(std::move(Text));
    return true;
  });
}

bool Reader::readFields(const json::Value &V, json::Path P) {
  Fields = V.getAsObject();
  if (!Fields)
    P.report("expected an object");
  return Fields;
}

// Whether the struct was the same when it was written.
bool Reader::checkFields(StringRef Struct, StringRef Names, json::Path P) {
  if (Checked.count(Struct))
    return true;
  if (Fields->getString(Struct) != Names) {
    P.report("written by a version with other fields");
    return false;
  }
  Checked.insert(Struct);
  return true;
}

bool Reader::read(const json::Value &V, bool &Out, json::Path P) {
  if (std::optional<bool> B = V.getAsBoolean()) {
    Out = *B;
    return true;
  }
  P.report("expected true or false");
  return false;
}

bool Reader::read(const json::Value &V, double &Out, json::Path P) {
  if (std::optional<double> Number = V.getAsNumber()) {
    Out = *Number;
    return true;
  }
  if (auto Text = V.getAsString(); Text && !Text->getAsDouble(Out))
    return true;
  P.report("expected a number");
  return false;
}

bool Reader::read(const json::Value &V, std::string &Out, json::Path P) {
  std::optional<uint64_t> Index = V.getAsUINT64();
  if (!Index || *Index >= Texts.size()) {
    P.report("expected the number of a text");
    return false;
  }
  Out = Texts[*Index];
  return true;
}

bool Reader::read(const json::Value &V, Reason &Out, json::Path P) {
  std::string Id;
  if (!read(V, Id, P))
    return false;
  for (const ReasonInfo &Info : allReasons())
    if (Info.Id == Id) {
      Out = Info.R;
      return true;
    }
  P.report("unknown reason");
  return false;
}

bool Reader::read(const json::Value &V,
                  std::map<std::string, std::string> &Contents, json::Path P) {
  return readList(V, P, [&](const json::Value &Element, json::Path At) {
    std::string Path;
    if (!read(Element, Path, At))
      return false;
    Contents[Path];
    return true;
  });
}

// Whether the work that was counted is that of arrays that are listed.
static bool checkWork(const std::vector<UnitRecord> &Units, json::Path P) {
  for (auto [I, Unit] : llvm::enumerate(Units))
    for (const auto &[Kernel, Work] : Unit.Unit.Evidence.Work)
      if (!Work.Arrays.empty() &&
          Work.Arrays.rbegin()->first >= Unit.Unit.Facts.Findings.size()) {
        P.index(I).report("counts accesses to an array that is not listed");
        return false;
      }
  return true;
}

// Whether the program that wrote Whole is this one.
static llvm::Error checkVersion(const json::Object &Whole, StringRef Name,
                                StringRef Tool) {
  std::optional<int64_t> Format = Whole.getInteger("format");
  std::optional<StringRef> Writer = Whole.getString("tool");
  if (!Format || !Writer)
    return llvm::createStringError("'" + Name +
                                   "' is no file of facts; 'bankstripe facts' "
                                   "writes them");
  if (*Format == FactsFormat && *Writer == Tool)
    return llvm::Error::success();
  return llvm::createStringError(
      "'" + Name + "' was written by " + *Writer + " in format " +
      llvm::Twine(*Format) + ", and this is " + Tool + ", which reads format " +
      llvm::Twine(FactsFormat) + "; run 'bankstripe facts' of this one again");
}

llvm::Expected<ProgramFacts>
bankstripe::parseFacts(StringRef Text, StringRef Name, StringRef Tool) {
  llvm::Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return llvm::createStringError(
        "'" + Name + "' is no file of facts, or not all of one: " +
        toString(Parsed.takeError()) + "; run 'bankstripe facts' again");
  const json::Object *Whole = Parsed->getAsObject();
  if (llvm::Error E = checkVersion(Whole ? *Whole : json::Object(), Name, Tool))
    return E;
  ProgramFacts Facts;
  Reader R;
  json::Path::Root Root(Name);
  const json::Path P(Root);
  auto Get = [&](StringRef Field, auto ReadValue) {
    if (const json::Value *V = Whole->get(Field))
      return ReadValue(*V, P.field(Field));
    P.field(Field).report("missing");
    return false;
  };
  auto Into = [&](auto &Field) {
    return [&](const json::Value &V, json::Path At) {
      return R.read(V, Field, At);
    };
  };
  if (Get("texts", [&](const json::Value &V,
                       json::Path At) { return R.readTexts(V, At); }) &&
      Get("fields", [&](const json::Value &V,
                        json::Path At) { return R.readFields(V, At); }) &&
      Get("confirmed", Into(Facts.Confirmed)) &&
      Get("withdrawn", Into(Facts.Withdrawn)) &&
      Get("codeGrowth", Into(Facts.CodeGrowth)) &&
      Get("units", Into(Facts.Units)) &&
      checkWork(Facts.Units, P.field("units")))
    return Facts;
  return llvm::createStringError(
      "cannot use the facts: " + toString(Root.getError()) +
      "; run 'bankstripe facts' again");
}

llvm::Expected<ProgramFacts> bankstripe::readFacts(StringRef Path,
                                                   StringRef Tool) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Buffer.getError().message());
  return parseFacts((*Buffer)->getBuffer(), Path, Tool);
}
