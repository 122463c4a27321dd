//===-- Undo.cpp - bankstripe undo ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Undo.h"
#include "contract/Process.h"
#include "copies/Copies.h"
#include "edit/Edit.h"
#include "facts/Archive.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "report/Terminal.h"
#include "tool/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

UndoStore::UndoStore(const std::string &Folder)
    : Kept(Folder, usualCacheLimits()),
      Lock(std::make_unique<FolderLocks>(std::set{Folder})) {}

static llvm::Error cannotKeep(const llvm::Twine &Why) {
  return llvm::createStringError(
      "cannot keep files for 'bankstripe undo': " + Why +
      "; BANKSTRIPE_CACHE_DIR names another folder");
}

llvm::Expected<UndoStore> UndoStore::open() {
  const std::string Cache = usualCacheFolder();
  if (Cache.empty())
    return cannotKeep("there is no folder for the cache");
  const std::string Folder = Cache + "/undo";
  std::error_code EC =
      fs::create_directories(Folder, /*IgnoreExisting=*/true, fs::owner_all);
  if (!EC)
    EC = fs::access(Folder, fs::AccessMode::Write);
  if (EC)
    return cannotKeep("'" + Folder + "': " + EC.message());
  return UndoStore(realPath(Folder));
}

llvm::Expected<std::string>
UndoStore::keep(const std::vector<WrittenFile> &Files) {
  using namespace std::chrono;
  uint64_t Now = uint64_t(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch())
          .count());
  if (const auto Keys = Kept.keys(); !Keys.empty()) { // The clock may go back.
    uint64_t Last = 0;
    (void)StringRef(*Keys.rbegin()).getAsInteger(16, Last);
    Now = std::max(Now, Last + 1);
  }
  const std::string Key = llvm::formatv("{0:x-16}", Now);
  const std::string Value = toBytes(Files);
  llvm::pruneCache(folder(), usualCacheLimits());
  Kept.put(Key, Value);
  if (!Kept.get(Key, [&](StringRef There) { return There == Value; }))
    return cannotKeep("'" + folder() + "' cannot be written");
  return Key;
}

void UndoStore::replace(StringRef Key, const std::vector<WrittenFile> &Rest) {
  Kept.remove(Key);
  if (!Rest.empty())
    Kept.put(Key, toBytes(Rest));
}

std::map<std::string, std::vector<WrittenFile>, std::greater<>>
UndoStore::runs() {
  std::map<std::string, std::vector<WrittenFile>, std::greater<>> Runs;
  for (const std::string &Key : Kept.keys()) {
    std::optional<std::vector<WrittenFile>> Files;
    Kept.get(Key, [&](StringRef Value) {
      Files = fromBytes<std::vector<WrittenFile>>(Value);
      return Files.has_value();
    });
    if (Files)
      Runs[Key] = std::move(*Files);
  }
  return Runs;
}

namespace {

/// Chooses what is undone, and then does all of it.
class Undo {
public:
  explicit Undo(UndoStore &Store) : Store(Store), Runs(Store.runs()) {}

  /// Chooses what lies at or below \p Path of the last run that changed
  /// something there. Error: there is no such run.
  llvm::Error choose(const std::string &Path);
  /// Error: a file has changed since, or cannot be written. Then nothing is
  /// undone.
  llvm::Error carryOut();

private:
  struct Contents {
    std::optional<std::string> Now, Then;
  };

  std::set<std::string> folders() const;
  llvm::Error checkSources();
  void chooseHelpers();
  llvm::Error write();
  void forget();

  UndoStore &Store;
  std::map<std::string, std::vector<WrittenFile>, std::greater<>> Runs;
  std::set<const WrittenFile *> Chosen;
  std::map<std::string, Contents> Files; ///< What is there, and will be.
};

} // namespace

static void say(StringRef File, StringRef What) {
  llvm::errs() << "bankstripe: " << printable(displayName(File)) << ": " << What
               << '\n';
}

llvm::Error Undo::choose(const std::string &Path) {
  const GivenFiles Given({Path});
  for (const auto &[Key, Written] : Runs) {
    std::set<const WrittenFile *> Found;
    for (const WrittenFile &File : Written)
      if (!File.IsHelper && Given(File.Path))
        Found.insert(&File);
    Chosen.insert(Found.begin(), Found.end());
    if (!Found.empty())
      return llvm::Error::success();
  }
  return llvm::createStringError("there is nothing to undo at '" + Path +
                                 "'; what was replaced is kept in '" +
                                 Store.folder() + "'");
}

std::set<std::string> Undo::folders() const {
  std::set<std::string> Folders;
  for (const WrittenFile *File : Chosen) {
    Folders.insert(path::parent_path(File->Path).str());
    for (const std::string &Helper : File->Helpers)
      Folders.insert(path::parent_path(Helper).str());
  }
  return Folders;
}

// One that holds what it held before, as git restores it, is right already.
llvm::Error Undo::checkSources() {
  std::vector<std::string> Changed;
  for (const WrittenFile *File : Chosen) {
    Contents &C = Files[File->Path] = {readText(File->Path), File->Before};
    if (C.Now != File->After && C.Now != File->Before)
      Changed.push_back(File->Path);
  }
  llvm::sort(Changed);
  return Changed.empty()
             ? llvm::Error::success()
             : llvm::createStringError(
                   "nothing is undone, for " + namesOf(Changed) +
                   " has changed since; name the files to undo without it");
}

// Those that no other file needs: one that a run wrote is needed by what this
// run and later ones changed. So the newest come first. Where somebody changed
// one since, it stays.
void Undo::chooseHelpers() {
  std::set<std::string> Ours, Needed;
  for (const WrittenFile *File : Chosen)
    Ours.insert(File->Helpers.begin(), File->Helpers.end());
  for (const auto &[Key, Written] : Runs) {
    for (const WrittenFile &File : Written)
      if (!Chosen.contains(&File) && readText(File.Path) != File.Before)
        Needed.insert(File.Helpers.begin(), File.Helpers.end());
    for (const WrittenFile &File : Written) {
      if (!File.IsHelper || !Ours.contains(File.Path) ||
          Needed.contains(File.Path))
        continue;
      const auto Now = readText(File.Path);
      Contents &C = Files.try_emplace(File.Path, Now, Now).first->second;
      Chosen.insert(&File);
      if (C.Then == File.After)
        C.Then = File.Before;
    }
  }
}

// Nobody needs a helper any more when it is removed.
llvm::Error Undo::write() {
  const HeldSignals Held;
  std::vector<NewContents> All;
  for (const auto &[Path, C] : Files)
    if (C.Now != C.Then && C.Then)
      All.push_back({Path, *C.Then, StringRef(*C.Now)});
  if (llvm::Error E = replaceFiles(All))
    return E;
  llvm::Error Problems = llvm::Error::success();
  for (const auto &[Path, C] : Files)
    if (C.Now != C.Then && !C.Then)
      if (std::error_code EC = fs::remove(Path))
        Problems = joinErrors(std::move(Problems),
                              llvm::createStringError("cannot remove '" + Path +
                                                      "': " + EC.message()));
  forget();
  return Problems;
}

void Undo::forget() {
  for (const auto &[Key, Written] : Runs) {
    std::vector<WrittenFile> Rest;
    llvm::copy_if(Written, std::back_inserter(Rest),
                  [&](const auto &File) { return !Chosen.contains(&File); });
    if (Rest.size() != Written.size())
      Store.replace(Key, Rest);
  }
}

llvm::Error Undo::carryOut() {
  const FolderLocks Locks(folders());
  if (llvm::Error E = checkSources())
    return E;
  chooseHelpers();
  if (llvm::Error E = write())
    return E;
  for (const auto &[Path, C] : Files)
    say(Path, C.Now == C.Then ? "stays as it is"
              : C.Then        ? "restored"
                              : "removed");
  return llvm::Error::success();
}

llvm::Expected<int> bankstripe::runUndo(llvm::ArrayRef<const char *> Paths) {
  // Behind it, a name may begin with a dash.
  if (!Paths.empty() && Paths.front() == StringRef("--"))
    Paths = Paths.drop_front();
  if (Paths.empty()) {
    llvm::errs() << "bankstripe: give at least one file or folder; see "
                    "bankstripe --help\n";
    return ExitUsage;
  }
  auto Store = UndoStore::open();
  if (!Store)
    return Store.takeError();
  Undo Choice(*Store);
  for (const char *Path : Paths)
    if (llvm::Error E = Choice.choose(Path))
      return std::move(E);
  if (llvm::Error E = Choice.carryOut())
    return std::move(E);
  return ExitDone;
}
