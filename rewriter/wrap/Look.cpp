//===-- Look.cpp - whether there can be anything to rewrite ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `type name[`, at the level of statements, declares an array. It counts in the
// body of a function that is marked for the device, in a class (whose objects
// may be private), in a typedef, and in the text of a macro.
//
// Most kernels can be launched by any file with blocks of any size. Without
// words that take that from them, only tables of constants can move.
//
//===----------------------------------------------------------------------===//

#include "wrap/Look.h"
#include "wrap/Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;
namespace tok = clang::tok;

namespace {

enum class ScopeKind { Namespace, Class, Host, Device };

/// Follows the scopes and statements of one file.
class Scanner {
public:
  Scanner(const std::string &Text, const std::set<std::string> &Marks,
          ArrayKind Wanted)
      : Tokens(Text), Marks(Marks), Wanted(Wanted) {}

  bool findsArray();

private:
  /// What was seen of the statement, or of what stands before a `{`.
  struct Head {
    bool Marked = false, Class = false, Namespace = false, Elsewhere = false,
         Alias = false, Expression = false, Declares = false, Array = false;
    unsigned Parens = 0, Angles = 0;
    bool InTemplateHead = false;
    /// The two tokens before: identifiers, or else their text.
    std::string Last, BeforeLast;
    bool LastIsName = false, BeforeLastIsName = false;
  };

  bool skipDirective();
  bool readToken();
  void noteName(StringRef Name);
  void notePunctuation();
  bool opensArray() const;
  bool matters() const;
  bool opensInitializer() const;
  void open();

  TokenReader Tokens;
  const std::set<std::string> &Marks;
  ArrayKind Wanted;
  std::vector<ScopeKind> Scopes{ScopeKind::Namespace};
  Head Now;
};

} // namespace

static bool isMark(StringRef Name, const std::set<std::string> &Marks) {
  if (Name == "constexpr" || Marks.count(Name.str()))
    return true;
  // Macros of headers that are not looked into.
  if (!Name.starts_with("__") && llvm::any_of(Name, llvm::isLower))
    return false;
  for (StringRef Part :
       {"dev", "global", "kernel", "cuda", "gpu", "func", "hd"})
    if (Name.contains_insensitive(Part))
      return true;
  return false;
}

// `return a[i]` declares nothing.
static bool isOperatorLike(StringRef Name) {
  return llvm::is_contained({"return", "else", "do", "new", "delete", "throw",
                             "case", "goto", "operator", "sizeof", "auto",
                             "co_return", "co_yield", "and", "or", "not"},
                            Name);
}

// Classes of libraries that hold arrays.
static bool holdsArray(StringRef Name) {
  return Name == "array" || Name.starts_with("curandState");
}

// Whether the `[` that comes now belongs to a declarator.
bool Scanner::opensArray() const {
  if (!Now.LastIsName || isOperatorLike(Now.Last) || Now.Parens)
    return false;
  if (Now.BeforeLastIsName)
    return !isOperatorLike(Now.BeforeLast);
  if (Now.BeforeLast == ">" || Now.BeforeLast == ">>")
    return true;
  if (Now.BeforeLast == "*" || Now.BeforeLast == "&")
    return !Now.Expression;
  if (Now.BeforeLast == "=" && Now.Alias)
    return true;
  return Now.BeforeLast == "," && Now.Declares;
}

// Whether a declaration here can be one of a private array.
bool Scanner::matters() const {
  switch (Scopes.back()) {
  case ScopeKind::Namespace:
  case ScopeKind::Host:
    return Now.Alias;
  case ScopeKind::Class:
  case ScopeKind::Device:
    return !Now.Elsewhere;
  }
  return true;
}

// Whether the token begins the values of an array.
bool Scanner::opensInitializer() const {
  return Now.Array && Scopes.back() == ScopeKind::Device && !Now.Parens &&
         (Tokens.is(tok::equal) || Tokens.is(tok::l_brace));
}

void Scanner::noteName(StringRef Name) {
  if (!Now.InTemplateHead)
    Now.Class |= Name == "struct" || Name == "class" || Name == "union";
  Now.Namespace |= Name == "namespace" || Name == "enum";
  Now.Elsewhere |= llvm::is_contained(
      {"__shared__", "__constant__", "extern", "static"}, Name);
  Now.Alias |= Name == "typedef" || Name == "using";
  Now.Marked |= isMark(Name, Marks);
  Now.Declares |= Now.LastIsName && !isOperatorLike(Now.Last) &&
                  !Now.Expression && !isOperatorLike(Name);
  if (Name == "template")
    Now.InTemplateHead = true;
}

void Scanner::notePunctuation() {
  const StringRef Text = Tokens.text();
  if (Now.InTemplateHead) {
    Now.Angles += Text == "<";
    if (Text.starts_with(">"))
      Now.Angles -= std::min<unsigned>(Now.Angles, Text.size());
    Now.InTemplateHead = Now.Angles != 0 || Text != ">";
    if (Now.Angles == 0)
      Now.InTemplateHead = false;
    return;
  }
  if (Text == "(" || Text == "[")
    ++Now.Parens;
  else if ((Text == ")" || Text == "]") && Now.Parens)
    --Now.Parens;
  Now.Expression |= !llvm::is_contained(
      {"<", ">", ">>", "::", "*", "&", ",", "(", ")"}, Text);
  // Of `name(`, which may be a call or an attribute.
  Now.Expression |= Text == "(" && !Now.Marked;
}

void Scanner::open() {
  const ScopeKind Outer = Scopes.back();
  ScopeKind Inner = Outer;
  if (Now.Class)
    Inner = ScopeKind::Class;
  else if (Now.Namespace)
    Inner = ScopeKind::Namespace;
  else if (Now.Marked)
    Inner = ScopeKind::Device;
  else if (Outer == ScopeKind::Class)
    Inner = ScopeKind::Host;
  else if (Outer == ScopeKind::Namespace && !Now.Last.empty() &&
           !StringRef(Now.Last).starts_with("\""))
    Inner = ScopeKind::Host;
  Scopes.push_back(Inner);
}

// The text of a macro can declare an array wherever it is used.
bool Scanner::skipDirective() {
  Tokens.next();
  const bool Defines = !Tokens.startsLine() && Tokens.text() == "define";
  const Head Outer = std::exchange(Now, Head());
  bool Found = false;
  for (unsigned Index = 0; !Tokens.atEnd() && !Tokens.startsLine();
       Tokens.next(), ++Index) {
    if (!Defines || Index < 2)
      continue;
    Now.Parens = 0; // A macro's parameters are declared by whoever uses it.
    Found |= (Tokens.is(tok::l_square) && opensArray()) ||
             (Tokens.is(tok::raw_identifier) && holdsArray(Tokens.text()));
    Now.BeforeLast = std::exchange(Now.Last, Tokens.text().str());
    Now.BeforeLastIsName =
        std::exchange(Now.LastIsName, Tokens.is(tok::raw_identifier));
    Now.Expression = true;
  }
  Now = Outer;
  return Found;
}

// Whether a wanted array is declared by the token.
bool Scanner::readToken() {
  if (Wanted == ArrayKind::Initialized && opensInitializer())
    return true;
  if (Tokens.is(tok::l_brace)) {
    open();
    Now = Head();
    return false;
  }
  if (Tokens.is(tok::r_brace) || Tokens.is(tok::semi)) {
    if (Tokens.is(tok::r_brace) && Scopes.size() > 1)
      Scopes.pop_back();
    // The head of a `for` is one statement.
    if (Tokens.is(tok::semi) && Now.Parens)
      return false;
    Now = Head();
    return false;
  }
  const bool IsName = Tokens.is(tok::raw_identifier);
  bool Found = Tokens.is(tok::l_square) && opensArray() && matters();
  Now.Array |= Found;
  if (IsName) {
    noteName(Tokens.text());
    Found |= holdsArray(Tokens.text()) && matters();
  } else {
    notePunctuation();
  }
  Found &= Wanted == ArrayKind::Any;
  Now.BeforeLast = std::exchange(Now.Last, Tokens.text().str());
  Now.BeforeLastIsName = std::exchange(Now.LastIsName, IsName);
  return Found;
}

bool Scanner::findsArray() {
  while (!Tokens.atEnd()) {
    if (Tokens.startsDirective()) {
      if (skipDirective())
        return true;
      continue;
    }
    if (readToken())
      return true;
    Tokens.next();
  }
  return false;
}

bool bankstripe::mayDeclareArray(const std::string &Text,
                                 const std::set<std::string> &Marks,
                                 ArrayKind Wanted) {
  return Scanner(Text, Marks, Wanted).findsArray();
}

// Whether words of Text may say how large the blocks of a kernel are, or keep
// other files from launching it: it is static, or in a namespace without a
// name, or is called with a lambda for the device.
static bool mayBoundKernels(const std::string &Text) {
  if (StringRef(Text).contains_insensitive("launch_bounds"))
    return true;
  bool Static = false, Global = false;
  std::string Last;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    const StringRef Word = Tokens.text();
    if (Last == "namespace" && Word == "{")
      return true;
    if (Last == "]" && (Word == "__device__" || Word == "__host__"))
      return true;
    if (Word == ";" || Word == "{" || Word == "}")
      Static = Global = false;
    Static |= Word == "static";
    Global |= Word == "__global__";
    if (Static && Global)
      return true;
    Last = Word.str();
  }
  return false;
}

// The macros of Text that stand for `__device__` or `__global__`.
static void findMarks(StringRef Text, std::set<std::string> &Marks) {
  for (size_t At = Text.find("define"); At != StringRef::npos;
       At = Text.find("define", At + 1)) {
    StringRef Line = Text.slice(At + 6, Text.find('\n', At)).ltrim();
    StringRef Name =
        Line.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
    if (Line.contains("__device__") || Line.contains("__global__"))
      Marks.insert(Name.str());
  }
}

// Whether a file of Tree may declare an array that is Wanted.
static bool mayDeclare(const IncludeTree &Tree, ArrayKind Wanted) {
  std::set<std::string> Marks;
  bool ForDevice = false;
  for (const auto &[Real, File] : Tree.Files) {
    StringRef Text = File.Text;
    ForDevice |= Text.contains("__global__") || Text.contains("__device__");
    findMarks(Text, Marks);
  }
  return ForDevice && llvm::any_of(Tree.Files, [&](const auto &Entry) {
           return mayDeclareArray(Entry.second.Text, Marks, Wanted);
         });
}

bool bankstripe::mayHoldPrivateArray(const IncludeTree &Tree) {
  return !Tree.Complete || mayDeclare(Tree, ArrayKind::Any);
}

bool bankstripe::mayMoveAlone(const IncludeTree &Tree) {
  return !Tree.Complete || llvm::any_of(Tree.Files, [](const auto &Entry) {
    return mayBoundKernels(Entry.second.Text);
  }) || mayDeclare(Tree, ArrayKind::Initialized);
}
