//===-- Edit.cpp - from a plan to changed files ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "edit/Edit.h"
#include "edit/EditInternal.h"
#include "edit/LineNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace bankstripe;
using llvm::StringRef;

StringRef bankstripe::lineEndingOf(StringRef Code) {
  size_t Newline = Code.find('\n');
  return Newline != StringRef::npos && Newline > 0 && Code[Newline - 1] == '\r'
             ? "\r\n"
             : "\n";
}

StringRef bankstripe::indentationAt(StringRef Code, unsigned Offset) {
  size_t Newline = Code.rfind('\n', Offset);
  StringRef Line =
      Code.drop_front(Newline == StringRef::npos ? 0 : Newline + 1);
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
}

// What stands behind the last line ending, be it nothing, is a line as well.
static size_t countLines(StringRef Text) { return Text.count('\n') + 1; }

// For each line of the text of \p E the line of \p Code that it stands for.
static std::vector<unsigned> linesOf(const TextEdit &E, const FileText &Code) {
  if (!E.Lines.empty())
    return E.Lines;
  return std::vector<unsigned>(countLines(E.Text), Code.lineAt(E.Offset));
}

namespace {

/// Puts a text together, and remembers whose line each line is: that of the
/// piece with its first character.
class LineCollector {
public:
  /// \p Line: whose line the text is if it stays empty.
  explicit LineCollector(unsigned Line) { Result.Lines = {Line}; }

  /// \p Lines: one for each line of \p Text.
  void add(StringRef Text, llvm::ArrayRef<unsigned> Lines) {
    if (Text.empty())
      return;
    if (Result.Text.empty() || StringRef(Result.Text).ends_with("\n"))
      Result.Lines.back() = Lines.front();
    llvm::append_range(Result.Lines, Lines.drop_front());
    Result.Text += Text;
  }
  EditedText take() { return std::move(Result); }

private:
  EditedText Result;
};

} // namespace

static void sortEdits(EditList &Edits) {
  llvm::sort(Edits);
  Edits.erase(llvm::unique(Edits), Edits.end());
}

llvm::Expected<EditedText> bankstripe::applyEdits(const FileText &Code,
                                                  unsigned Begin, unsigned End,
                                                  EditList Edits) {
  sortEdits(Edits);
  unsigned At = Begin, Line = Code.lineAt(Begin);
  LineCollector Result(Line);
  auto Keep = [&](unsigned Until) {
    const StringRef Kept = Code.slice(At, Until);
    std::vector<unsigned> Lines(countLines(Kept));
    std::iota(Lines.begin(), Lines.end(), Line);
    Result.add(Kept, Lines);
    Line = Lines.back();
  };
  for (const TextEdit &E : Edits) {
    if (E.Offset < Begin || E.end() > End)
      continue;
    if (E.Offset < At)
      return llvm::createStringError("edits overlap at offset " +
                                     llvm::Twine(E.Offset));
    Keep(E.Offset);
    Result.add(E.Text, linesOf(E, Code));
    At = E.end();
    Line += Code.slice(E.Offset, At).count('\n');
  }
  Keep(End);
  return Result.take();
}

EditList bankstripe::joined(EditList Edits, const FileText &Code) {
  sortEdits(Edits);
  EditList Joined;
  for (TextEdit &E : Edits) {
    if (Joined.empty() || Joined.back().end() != E.Offset) {
      Joined.push_back(std::move(E));
      continue;
    }
    TextEdit &Last = Joined.back();
    if (!Last.Lines.empty() || !E.Lines.empty()) {
      std::vector<unsigned> Lines = linesOf(Last, Code),
                            More = linesOf(E, Code);
      if (StringRef(Last.Text).ends_with("\n"))
        Lines.back() = More.front();
      Lines.insert(Lines.end(), More.begin() + 1, More.end());
      Last.Lines = std::move(Lines);
    }
    Last.Length += E.Length;
    Last.Text += E.Text;
  }
  return Joined;
}

llvm::Expected<ChangedFile>
bankstripe::changeFile(StringRef Path, const FileText &Code, EditList Edits) {
  ChangedFile File{Path.str(), Code.str(), "", joined(std::move(Edits), Code)};
  if (Code.computesWithLines())
    File.Edits = keepLineNumbers(Code, std::move(File.Edits));
  for (const TextEdit &E : File.Edits)
    if (linesOf(E, Code).size() != countLines(E.Text))
      return llvm::createStringError(
          Path + ": an edit miscounts its lines at offset " +
          llvm::Twine(E.Offset));
  llvm::Expected<EditedText> After =
      applyEdits(Code, 0, Code.size(), File.Edits);
  if (!After)
    return llvm::createStringError(Path + ": " + toString(After.takeError()));
  File.After = std::move(After->Text);
  File.Lines = std::move(After->Lines);
  return File;
}

namespace {

/// Edits of a file, of which parts are given away. In order, so that no part
/// needs a look at all.
class EditPool {
public:
  explicit EditPool(EditList Edits) : Edits(std::move(Edits)) {
    sortEdits(this->Edits);
    Given.resize(this->Edits.size());
  }

  /// What is left between two offsets. With \p Gives it is not left any more,
  /// except for what is inserted at the end, if that stays.
  EditList inside(unsigned Begin, unsigned End, bool Gives = false,
                  bool EndStays = false);
  EditList rest();

private:
  EditList Edits;
  std::vector<bool> Given; ///< By edit.
};

/// All edits of one file.
class FileEditor {
public:
  FileEditor(const Plan &P, const std::string &Path, StringRef Text)
      : P(P), Path(Path), Code(Text, P.NumberedFiles.count(Path)) {}

  bool collect();
  llvm::Expected<ChangedFile> apply(bool EmbedHelper);

private:
  void collectPointers();
  void collectStatements();
  void collectBounds();
  std::string includeText(unsigned Place, bool EmbedHelper) const;

  bool moves(const PlannedArray &A) const {
    return A.Verdict.changesSource() && A.Array.Where.File == Path;
  }
  void collectVersions();
  EditList allEdits() const;
  void splitLines(const EditList &DeviceAlone, EditPool &Moves,
                  EditList &Others) const;
  void redirect(EditList &Edits) const;

  const Plan &P;
  const std::string &Path;
  FileText Code;
  EditList PointerEdits;
  EditList OtherEdits;
  EditList MoveEdits; ///< Of statements from which arrays move.
  bool NeedsHelper = false;
  EditList CommonEdits; ///< Of what moves wherever it stands.
  EditList DeviceEdits; ///< Of what the host finds where it was.
  std::map<unsigned, VersionedPart> Versions; ///< By their ends.
};

} // namespace

EditList EditPool::inside(unsigned Begin, unsigned End, bool Gives,
                          bool EndStays) {
  EditList Result;
  for (size_t I =
           std::ranges::lower_bound(Edits, Begin, {}, &TextEdit::Offset) -
           Edits.begin();
       I < Edits.size() && Edits[I].Offset <= End; ++I) {
    const TextEdit &E = Edits[I];
    if (Given[I] || E.end() > End ||
        (EndStays && E.Offset == End && E.Length == 0))
      continue;
    Result.push_back(E);
    Given[I] = Gives;
  }
  return Result;
}

EditList EditPool::rest() {
  EditList Result;
  for (auto [E, IsGiven] : llvm::zip(Edits, Given))
    if (!IsGiven)
      Result.push_back(std::move(E));
  return Result;
}

void FileEditor::collectPointers() {
  for (const PlannedArray &A : P.Arrays)
    if (moves(A) && A.Verdict.hasForm() && A.Array.Trail) {
      EditList Edits = editsOfPointers(*A.Array.Trail, A.Verdict.treatment());
      llvm::append_range(PointerEdits, Edits);
      if (!A.Verdict.Storage.standsBeside())
        llvm::append_range(CommonEdits, Edits);
      if (A.Verdict.Storage.DeviceOnly)
        llvm::append_range(DeviceEdits, Edits);
    }
  sortEdits(PointerEdits);
}

void FileEditor::collectStatements() {
  std::map<unsigned, std::vector<const PlannedArray *>> ByStatement;
  for (const PlannedArray &A : P.Arrays)
    if (moves(A))
      ByStatement[A.Array.Text.Statement.Offset].push_back(&A);
  for (auto &[Offset, Arrays] : ByStatement) {
    std::ranges::sort(Arrays, {}, [](const PlannedArray *A) {
      return A->Array.Text.IndexInStatement;
    });
    EditList Edits = editsOfStatement(Code, Arrays, PointerEdits);
    llvm::append_range(MoveEdits, Edits);
    if (llvm::any_of(Arrays,
                     [](auto *A) { return A->Verdict.Storage.DeviceOnly; }))
      llvm::append_range(DeviceEdits, Edits);
    llvm::erase_if(Arrays,
                   [](auto *A) { return A->Verdict.Storage.standsBeside(); });
    if (!Arrays.empty())
      llvm::append_range(CommonEdits, editsOfStatement(Code, Arrays, {}));
  }
}

// The parts of functions that get versions: from the first array that moves.
void FileEditor::collectVersions() {
  for (const PlannedArray &A : P.Arrays) {
    if (!moves(A) || !A.Verdict.Storage.InVersion)
      continue;
    const VersionText &V = A.Array.Version;
    const VersionedPart Part{V.Rest.Offset, V.Rest.end(),
                             A.Verdict.Storage.Threads,
                             A.Array.Function.HostDevice, V.Returns};
    auto [It, New] = Versions.try_emplace(Part.End, Part);
    It->second.Begin = std::min(It->second.Begin, Part.Begin);
    It->second.Threads = std::min(It->second.Threads, Part.Threads);
  }
}

// \p Statement as the first of the body that begins at \p Begin: in a line of
// its own if nothing stands in that of the brace.
static TextEdit firstInBody(StringRef Code, unsigned Begin,
                            const std::string &Statement) {
  const StringRef Line = Code.drop_front(Begin).take_until(
      [](char C) { return C == '\n' || C == '\r'; });
  if (!Line.trim().empty())
    return {Begin, 0, " " + Statement};
  const unsigned End = Begin + Line.size();
  const unsigned Next =
      std::min(Code.find_first_not_of(" \t\r\n", End), Code.size());
  return {End, 0,
          (lineEndingOf(Code) + indentationAt(Code, Next) + Statement).str()};
}

static std::string boundsText(unsigned Threads) {
  return "__launch_bounds__(" + std::to_string(Threads) + ") ";
}

void FileEditor::collectBounds() {
  for (const KernelPlan &K : P.Kernels) {
    if (K.AddLaunchBounds && K.Facts.BoundsInsertion.File == Path)
      OtherEdits.push_back(
          {K.Facts.BoundsInsertion.Offset, 0, boundsText(K.Block.ToAdd)});
    if (K.AssumedBlock.empty() || K.Facts.BodyBegin.File != Path)
      continue;
    NeedsHelper = true;
    OtherEdits.push_back(firstInBody(Code, K.Facts.BodyBegin.Offset,
                                     "::bankstripe::assume_block_of_at_most<" +
                                         asArgument(K.AssumedBlock) + ">();"));
  }
}

bool FileEditor::collect() {
  NeedsHelper = llvm::any_of(P.Arrays, [&](const PlannedArray &A) {
    return A.Verdict.usesHelper() &&
           llvm::is_contained(A.Array.Function.Files, Path);
  });
  collectPointers();
  collectStatements();
  collectVersions();
  collectBounds();
  llvm::append_range(OtherEdits, editsOfPadding(P, Path));
  llvm::append_range(OtherEdits, editsOfCallees(P, Path, Code, NeedsHelper));
  llvm::append_range(OtherEdits, editsOfLaunches(P, Path, Code, NeedsHelper));
  return NeedsHelper || !OtherEdits.empty() || !MoveEdits.empty();
}

// What moves in a version alone is edited there; all else that is edited is
// edited in both.
EditList FileEditor::allEdits() const {
  EditList All = MoveEdits;
  llvm::append_range(All, PointerEdits);
  EditPool Moves(std::move(All)), Others(OtherEdits), Common(CommonEdits),
      Device(DeviceEdits);
  EditList Result = OtherEdits;
  for (const auto &[End, Part] : Versions) {
    EditList Own = Moves.inside(Part.Begin, End, /*Gives=*/true);
    llvm::append_range(Own, Others.inside(Part.Begin, End));
    llvm::append_range(Result, Common.inside(Part.Begin, End));
    Device.inside(Part.Begin, End, /*Gives=*/true); // The version has them.
    Result.push_back(versionOf(Part, Code, std::move(Own)));
  }
  splitLines(Device.rest(), Moves, Result);
  llvm::append_range(Result, Moves.rest());
  redirect(Result);
  return Result;
}

// Lines that are for the device alone stand beside those for the host, which
// lack what moves for the device.
void FileEditor::splitLines(const EditList &DeviceAlone, EditPool &Moves,
                            EditList &Others) const {
  EditPool Rest(std::move(Others)), Common(CommonEdits);
  EditList Added;
  for (const TextRange &Lines : linesAround(Code, DeviceAlone)) {
    EditList Device = Moves.inside(Lines.Offset, Lines.end(), /*Gives=*/true);
    EditList Host = Common.inside(Lines.Offset, Lines.end());
    const EditList Both =
        Rest.inside(Lines.Offset, Lines.end(), /*Gives=*/true);
    llvm::append_range(Device, Both);
    llvm::append_range(Host, Both);
    Added.push_back(forDevice(Lines, Code, Device, Host));
  }
  Others = Rest.rest();
  llvm::move(Added, std::back_inserter(Others));
}

// What is edited in a kernel that has a version beside it is edited there.
void FileEditor::redirect(EditList &Edits) const {
  EditPool Pool(std::move(Edits));
  EditList Added;
  const auto Functions = launchFunctions(P, lineEndingOf(Code));
  std::set<unsigned> Seen;
  for (const KernelPlan &K : P.Kernels) {
    const TextRange &Whole = K.Facts.Text.Definition;
    if (!K.Redirected || Whole.File != Path ||
        !Seen.insert(Whole.Offset).second)
      continue;
    EditList Own = Pool.inside(Whole.Offset, Whole.end(), /*Gives=*/true,
                               /*EndStays=*/true);
    if (K.BoundsOfOriginal)
      Added.push_back(
          {K.Facts.BoundsInsertion.Offset, 0, boundsText(K.BoundsOfOriginal)});
    auto Function = Functions.find(Whole);
    Added.push_back(versionBehind(
        K.Facts.Text, K.Facts.BoundsInsertion.Offset, Code, std::move(Own),
        Function == Functions.end() ? "" : Function->second));
  }
  Edits = Pool.rest();
  llvm::move(Added, std::back_inserter(Edits));
}

std::string FileEditor::includeText(unsigned Place, bool EmbedHelper) const {
  std::string Text;
  if (!hasHelperInclude(Code))
    Text = EmbedHelper ? helperText().str()
                       : ("#include \"" + HelperFileName + "\"\n").str();
  if (Text.empty())
    return Text;
  // Apart from code that follows, together with an #include before it.
  bool AtEnd = Place >= Code.size();
  StringRef Next = Code.slice(Place, Code.find('\n', Place)).trim();
  if (!AtEnd && !Next.empty())
    Text += "\n";
  if (Place && Code[Place - 1] != '\n' && !Code.take_front(3).contains('\xEF'))
    Text = "\n" + Text;
  if (lineEndingOf(Code) == "\n")
    return Text;
  std::string WithReturns;
  for (char C : Text)
    WithReturns += C == '\n' ? std::string("\r\n") : std::string(1, C);
  return WithReturns;
}

llvm::Expected<ChangedFile> FileEditor::apply(bool EmbedHelper) {
  EditList Edits = allEdits();
  if (NeedsHelper) {
    unsigned Place = includePlace(Code);
    if (std::string Text = includeText(Place, EmbedHelper); !Text.empty())
      Edits.push_back({Place, 0, std::move(Text)});
  }
  return changeFile(Path, Code, std::move(Edits));
}

llvm::Expected<std::vector<ChangedFile>>
bankstripe::applyPlan(const Plan &P, bool EmbedHelper) {
  std::vector<ChangedFile> Changed;
  for (const auto &[Path, Code] : P.Contents) {
    FileEditor Editor(P, Path, Code);
    if (!Editor.collect())
      continue;
    llvm::Expected<ChangedFile> File = Editor.apply(EmbedHelper);
    if (!File)
      return File.takeError();
    Changed.push_back(std::move(*File));
  }
  return Changed;
}
