//===-- DeviceCode.h - compiles kernels alone -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device code of a variant is compiled without its program: the unit of the
// kernel alone, or, where that calls functions of others, linked with these.
//
//   changed sources => a cubin per unit => linked, where one calls another
//
// Nothing waits here: nextStep() gives what can be done by now, and receive()
// takes in what came of it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_DEVICECODE_H
#define BANKSTRIPE_BENCH_DEVICECODE_H

#include "bench/Program.h"
#include "cache/Answers.h"
#include "tune/Attempts.h"
#include "workers/Workers.h"
#include <deque>

namespace bankstripe {

/// Flags for nvcc with which ptxas makes nothing of the other kernels of a file
/// than these.
std::vector<std::string> flagsForOnly(llvm::ArrayRef<std::string> Symbols);

/// The kernels of a unit, for one variant.
struct DeviceCode {
  std::string Cubin; ///< The path; empty where nvcc failed.
  std::string Problem;
  ResourceTable Used; ///< As ptxas says, or nvlink of what was linked.
  /// Tells from what it was made; nothing where that cannot be told.
  std::optional<std::string> Key;
  double Seconds = 0; ///< That nvcc took.
  bool IsDone = false;
};

class DeviceCodes {
public:
  /// What machine code depends on besides its unit.
  struct Recipe {
    Arrangement Arrays;
    std::vector<std::string> Flags; ///< For nvcc.
    friend auto operator<=>(const Recipe &, const Recipe &) = default;
  };
  /// A call of nvcc.
  struct Step {
    DeviceCode *Into = nullptr;
    std::vector<std::string> Command;
    std::string Directory, Cubin, Failure;
  };

  /// All references outlive this. \p Known may be nothing. \p Architecture is
  /// the one of this GPU, for which everything is compiled and for nothing
  /// else.
  DeviceCodes(const std::vector<UnitRecord> &Units, const Program &P,
              Answers *Known, std::string Architecture)
      : Units(Units), P(P), Known(Known),
        Architecture(std::move(Architecture)) {}

  /// The code of a variant of \p Unit, which \p Changes make. It is done once
  /// all steps that were missing are; it stays where it is.
  const DeviceCode &codeOf(const UnitRecord &Unit, const Recipe &V,
                           llvm::ArrayRef<ChangedFile> Changes);
  /// Whether its code is linked with that of other units.
  bool isLinked(const UnitRecord &Unit) const {
    return linkedWith(Unit).size() > 1;
  }
  /// The next call of nvcc; nothing when all there are have begun.
  std::optional<Step> nextStep();
  /// Makes it, in a process of its own. \returns what receive() takes.
  std::string make(const Step &S) const;
  void receive(const Step &S, const WorkResult &Result);

private:
  /// A folder with the changed files of one variant, and what includes them.
  struct CopiedTree {
    std::string Folder;
    std::string Problem; ///< Why they are not all there; else empty.
  };
  const UnitRecord *definerOf(llvm::StringRef Function) const;
  std::vector<const UnitRecord *> linkedWith(const UnitRecord &Unit) const;
  std::string architectureFor(const CompileJob &Job) const;
  std::vector<std::string> commandFor(const NvccQuestion &Asked, bool IsLinked,
                                      llvm::StringRef Cubin) const;
  const CopiedTree &treeFor(const Recipe &V,
                            llvm::ArrayRef<ChangedFile> Changes);
  DeviceCode &piece(const UnitRecord &Unit, const Recipe &V,
                    llvm::ArrayRef<ChangedFile> Changes, bool IsLinked);
  struct Linking;
  void link(const Linking &L);
  void linkWhatIsDone();
  std::string newPath();

  const std::vector<UnitRecord> &Units;
  const Program &P;
  Answers *Known;
  std::string Architecture;
  /// What waits for its pieces.
  struct Linking {
    const UnitRecord *Unit;
    std::vector<const DeviceCode *> Pieces;
    DeviceCode *Into;
  };
  std::map<std::pair<const UnitRecord *, Recipe>, DeviceCode> Codes;
  /// A unit compiled by itself, and whether it is to be linked.
  std::map<std::tuple<const UnitRecord *, Recipe, bool>, DeviceCode> Pieces;
  std::vector<Linking> Waiting;
  std::deque<Step> Steps; ///< That have not begun.
  std::map<Arrangement, CopiedTree> Trees;
  unsigned Paths = 0; ///< That were given out.
};

} // namespace bankstripe

#endif
