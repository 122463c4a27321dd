//===-- ApplyPlan.cpp - from a plan to changed files ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file is edited on its own. Where the text of an array stays beside what
// it becomes (a version, lines for the device), edits are sorted into both.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "model/Helper.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Edits of a file, some of which are taken out. In order, so that no search
/// looks at all of them.
class EditPool {
public:
  explicit EditPool(EditList Edits) : Edits(std::move(Edits)) {
    sortEdits(this->Edits);
    IsGone.resize(this->Edits.size());
  }

  /// The edits between two offsets that are still there.
  EditList inside(unsigned Begin, unsigned End) const;
  /// The same, which are gone afterwards. With \p KeepEnd insertions at \p End
  /// stay.
  EditList remove(unsigned Begin, unsigned End, bool KeepEnd = false);
  /// All that are still there.
  EditList rest();

private:
  std::vector<size_t> find(unsigned Begin, unsigned End) const;

  EditList Edits;
  std::vector<bool> IsGone; ///< By edit.
};

/// All edits of one file.
class FileEditor {
public:
  FileEditor(const Plan &P, const std::string &Path, StringRef Text)
      : P(P), Path(Path), Code(Text, P.NumberedFiles.count(Path)),
        Rows(rowsOf(P)) {}

  /// \returns whether the file changes.
  llvm::Expected<bool> collect();
  llvm::Expected<ChangedFile> apply(bool EmbedHelper);

private:
  void collectNames();
  void collectPointers();
  void collectStatements();
  bool goesAlong(const TextEdit &Name) const;
  void collectBounds();
  std::string embeddedHelper(const EditList &Edits) const;
  std::string includeText(unsigned Place, const EditList &Edits,
                          bool EmbedHelper) const;

  bool moves(const PlannedArray &A) const {
    return A.Verdict.changesSource() && A.Array.Where.File == Path;
  }
  llvm::Error addCopy(const FunctionText &F, EditPool &Moves, EditPool &Others,
                      EditPool &Common, EditPool &Device, EditList &To) const;
  llvm::Expected<EditList> allEdits() const;
  llvm::Error splitLines(const EditList &DeviceAlone, EditPool &Moves,
                         EditList &Others) const;
  llvm::Expected<EditList> addVersions(EditList Edits) const;

  const Plan &P;
  const std::string &Path;
  FileText Code;
  const std::map<TextRange, KernelRow> Rows; ///< By the kernels' definitions.
  EditList Names; ///< Of functions that have copies, where these are called.
  EditList PointerEdits;
  EditList OtherEdits;
  EditList MoveEdits; ///< Of statements from which arrays move.
  NeededHelpers Needs;
  EditList CommonEdits; ///< Of what moves wherever it stands.
  EditList DeviceEdits; ///< Of what the host finds where it was.
};

} // namespace

std::vector<size_t> EditPool::find(unsigned Begin, unsigned End) const {
  std::vector<size_t> Found;
  for (size_t I =
           std::ranges::lower_bound(Edits, Begin, {}, &TextEdit::Offset) -
           Edits.begin();
       I < Edits.size() && Edits[I].Offset <= End; ++I)
    if (!IsGone[I] && Edits[I].end() <= End)
      Found.push_back(I);
  return Found;
}

EditList EditPool::inside(unsigned Begin, unsigned End) const {
  EditList Result;
  for (size_t I : find(Begin, End))
    Result.push_back(Edits[I]);
  return Result;
}

EditList EditPool::remove(unsigned Begin, unsigned End, bool KeepEnd) {
  EditList Result;
  for (size_t I : find(Begin, End)) {
    if (KeepEnd && Edits[I].Offset == End)
      continue;
    Result.push_back(Edits[I]);
    IsGone[I] = true;
  }
  return Result;
}

EditList EditPool::rest() {
  EditList Result;
  for (auto [E, Gone] : llvm::zip(Edits, IsGone))
    if (!Gone)
      Result.push_back(std::move(E));
  return Result;
}

void FileEditor::collectNames() {
  auto Add = [&](const TextRange &Name) {
    if (Name.File == Path)
      Names.push_back(versionNameAt(Name, Code));
  };
  llvm::for_each(P.CallsOfCopies, Add);
  for (const FunctionText &F : P.Copies)
    for (const NamedCall &C : F.Calls)
      Add(C.Name);
  sortEdits(Names);
}

// Whether the text around Name moves, which then has it.
bool FileEditor::goesAlong(const TextEdit &Name) const {
  auto It = llvm::upper_bound(
      MoveEdits, Name.Offset,
      [](unsigned Offset, const TextEdit &E) { return Offset < E.Offset; });
  while (It != MoveEdits.begin())
    if ((--It)->Length)
      return Name.end() <= It->end();
  return false;
}

void FileEditor::collectPointers() {
  for (const PlannedArray &A : P.Arrays)
    if (moves(A) && A.Verdict.hasForm() && A.Array.Trail) {
      EditList Edits = editsOfPointers(*A.Array.Trail, A.Verdict);
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
    EditList Edits = editsOfStatement(Code, Arrays, PointerEdits, Names);
    llvm::append_range(MoveEdits, Edits);
    if (llvm::any_of(Arrays,
                     [](auto *A) { return A->Verdict.Storage.DeviceOnly; }))
      llvm::append_range(DeviceEdits, Edits);
    llvm::erase_if(Arrays,
                   [](auto *A) { return A->Verdict.Storage.standsBeside(); });
    if (!Arrays.empty())
      llvm::append_range(CommonEdits, editsOfStatement(Code, Arrays, {}, {}));
  }
  sortEdits(MoveEdits);
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
    Needs.Helper = true;
    OtherEdits.push_back(firstInBody(Code, K.Facts.BodyBegin.Offset,
                                     "::bankstripe::assume_block_of_at_most<" +
                                         asArgument(K.AssumedBlock) + ">();"));
  }
}

llvm::Expected<bool> FileEditor::collect() {
  Needs.Helper = llvm::any_of(P.Arrays, [&](const PlannedArray &A) {
    return A.Verdict.usesHelper() &&
           llvm::is_contained(A.Array.Function.Files, Path);
  });
  collectNames();
  collectPointers();
  collectStatements();
  collectBounds();
  for (const TextRange &Name : P.CallsOfCopies)
    if (const TextEdit E = versionNameAt(Name, Code);
        Name.File == Path && !goesAlong(E))
      OtherEdits.push_back(E);
  auto OfCallees = editsOfCallees(P, Path, Code, Needs.Helper);
  if (!OfCallees)
    return OfCallees.takeError();
  llvm::append_range(OtherEdits, *OfCallees);
  for (const auto &[Where, Row] : Rows) {
    if (Where.File != Path)
      continue;
    Needs.Launch = true;
    Needs.Choice |= Row.Chooses;
    if (!Row.HasVersion)
      OtherEdits.push_back(behindDefinition(Where, Code, Row.definition()));
  }
  return Needs.Helper || Needs.Launch || !OtherEdits.empty() ||
         !MoveEdits.empty() ||
         llvm::any_of(P.Copies, [&](const FunctionText &F) {
           return F.Definition.File == Path;
         });
}

// The copy of F takes what moves in it.
llvm::Error FileEditor::addCopy(const FunctionText &F, EditPool &Moves,
                                EditPool &Others, EditPool &Common,
                                EditPool &Device, EditList &To) const {
  const unsigned Begin = F.Definition.Offset, End = F.Definition.end();
  EditList Own = Moves.remove(Begin, End);
  EditList Both = Others.inside(Begin, End);
  llvm::erase_if(Both, [&](const TextEdit &E) { return E.Offset == End; });
  llvm::append_range(Own, Both);
  llvm::append_range(To, Common.inside(Begin, End));
  EditList Remaining = Common.inside(F.Name.Offset, End);
  llvm::copy_if(Both, std::back_inserter(Remaining),
                [&](const TextEdit &E) { return E.Offset > F.Name.Offset; });
  auto Original = applyEdits(Code, F.Name.Offset, End, std::move(Remaining));
  if (!Original)
    return Original.takeError();
  Device.remove(Begin, End);
  llvm::append_range(Own, editsWithoutHost(F.Definition, Code));
  std::set<std::string> Declarations;
  for (const NamedCall &C : F.Calls) {
    if (const TextEdit E = versionNameAt(C.Name, Code); !goesAlong(E))
      Own.push_back(E);
    Declarations.insert(C.Declarations.begin(), C.Declarations.end());
  }
  declareBefore(Begin, Own, Declarations, Code);
  auto Copy = copyBehind(F.Definition, F.Name, F.StaticPlace, "static", Code,
                         std::move(Own),
                         (SameAsText + textDigest(Original->Text) +
                          ", with arrays in shared memory, for kernels whose "
                          "blocks fit.")
                             .str(),
                         /*Row=*/"", F.MayBeReadForHost);
  if (!Copy)
    return Copy.takeError();
  To.push_back(std::move(*Copy));
  return llvm::Error::success();
}

// What moves in a copy alone is edited there; all else that is edited is edited
// in both.
llvm::Expected<EditList> FileEditor::allEdits() const {
  EditList All = MoveEdits;
  llvm::append_range(All, PointerEdits);
  EditPool Moves(std::move(All)), Others(OtherEdits), Common(CommonEdits),
      Device(DeviceEdits);
  EditList Result = OtherEdits;
  for (const FunctionText &F : P.Copies)
    if (F.Definition.File == Path)
      if (llvm::Error E = addCopy(F, Moves, Others, Common, Device, Result))
        return E;
  if (llvm::Error E = splitLines(Device.rest(), Moves, Result))
    return E;
  llvm::append_range(Result, Moves.rest());
  return addVersions(std::move(Result));
}

// Lines that are for the device alone stand beside those for the host, which
// lack what moves for the device.
llvm::Error FileEditor::splitLines(const EditList &DeviceAlone, EditPool &Moves,
                                   EditList &Others) const {
  EditPool Rest(std::move(Others)), Common(CommonEdits);
  EditList Added;
  for (const TextRange &Lines : linesAround(Code, DeviceAlone)) {
    EditList Device = Moves.remove(Lines.Offset, Lines.end());
    EditList Host = Common.inside(Lines.Offset, Lines.end());
    const EditList Shared = Rest.remove(Lines.Offset, Lines.end());
    llvm::append_range(Device, Shared);
    llvm::append_range(Host, Shared);
    auto Both = forDevice(Lines, Code, Device, Host);
    if (!Both)
      return Both.takeError();
    Added.push_back(std::move(*Both));
  }
  Others = Rest.rest();
  llvm::move(Added, std::back_inserter(Others));
  return llvm::Error::success();
}

// What is edited in a kernel that has a version beside it is edited there.
llvm::Expected<EditList> FileEditor::addVersions(EditList Edits) const {
  EditPool Pool(std::move(Edits));
  EditList Added;
  std::set<unsigned> Seen;
  for (const KernelPlan &K : P.Kernels) {
    const TextRange &Whole = K.Facts.Text.Definition;
    if (!K.HasVersion || Whole.File != Path ||
        !Seen.insert(Whole.Offset).second)
      continue;
    EditList Own = Pool.remove(Whole.Offset, Whole.end(), /*KeepEnd=*/true);
    if (auto Known = P.DeclaredCopies.find(K.Facts.Where);
        Known != P.DeclaredCopies.end())
      declareBefore(Whole.Offset, Own, Known->second, Code);
    auto Beside = versionBeside(Rows.at(Whole), Code, std::move(Own));
    if (!Beside)
      return Beside.takeError();
    llvm::move(*Beside, std::back_inserter(Added));
  }
  llvm::append_range(Added, Pool.rest());
  return Added;
}

// The parts of the helper that the file uses once it has \p Edits; nothing if
// it holds them already.
std::string FileEditor::embeddedHelper(const EditList &Edits) const {
  std::vector<StringRef> Texts{StringRef(Code)};
  for (const TextEdit &E : Edits)
    Texts.emplace_back(E.Text);
  std::string Helper = helperFor(Texts);
  return holdsParts(Code, Helper) ? "" : Helper;
}

std::string FileEditor::includeText(unsigned Place, const EditList &Edits,
                                    bool EmbedHelper) const {
  std::string Text;
  auto Add = [&](StringRef Name, const std::string &Helper) {
    if (!hasHelperInclude(Code, Name))
      Text += EmbedHelper ? Helper : ("#include \"" + Name + "\"\n").str();
  };
  if (Needs.Helper)
    Add(HelperFileName, EmbedHelper ? embeddedHelper(Edits) : "");
  if (Needs.Launch)
    Add(LaunchFileName, launchText().str());
  if (Needs.Choice)
    Add(ChoiceFileName, choiceText().str());
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
  auto Edits = allEdits();
  if (!Edits)
    return Edits.takeError();
  if (Needs.Helper || Needs.Launch) {
    unsigned Place = includePlace(Code);
    if (std::string Text = includeText(Place, *Edits, EmbedHelper);
        !Text.empty())
      Edits->insert(Edits->begin(), {Place, 0, std::move(Text)});
  }
  const auto Expanded = P.Expanded.find(Path);
  if (Expanded == P.Expanded.end())
    return changeFile(Path, Code, std::move(*Edits));
  // What nobody edits keeps its macro.
  auto OfWritten = editsWithMacros(std::move(*Edits), Code, Expanded->second);
  if (!OfWritten)
    return OfWritten.takeError();
  const std::string Written = withMacros(Code, Expanded->second);
  return changeFile(Path, FileText(Written, P.NumberedFiles.count(Path)),
                    std::move(*OfWritten));
}

char UnwritableFile::ID;

llvm::Expected<std::vector<ChangedFile>>
bankstripe::applyPlan(const Plan &P, bool EmbedHelper) {
  std::vector<ChangedFile> Changed;
  for (const auto &[Path, Code] : P.Contents) {
    FileEditor Editor(P, Path, Code);
    auto Fail = [&Path = Path](llvm::Error E) {
      return llvm::make_error<UnwritableFile>(Path, toString(std::move(E)));
    };
    llvm::Expected<bool> Changes = Editor.collect();
    if (!Changes)
      return Fail(Changes.takeError());
    if (!*Changes)
      continue;
    llvm::Expected<ChangedFile> File = Editor.apply(EmbedHelper);
    if (!File)
      return Fail(File.takeError());
    Changed.push_back(std::move(*File));
  }
  return Changed;
}
