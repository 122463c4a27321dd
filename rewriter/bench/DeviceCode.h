//===-- DeviceCode.h - compiles kernels alone -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device code of a version is compiled without its program: the unit of the
// kernel alone, or, where that calls functions of others, linked with these.
//
//   changed sources => a cubin per unit => linked, where one calls another
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_DEVICECODE_H
#define BANKSTRIPE_BENCH_DEVICECODE_H

#include "bench/Program.h"
#include "cache/Answers.h"
#include "tune/Attempts.h"

namespace bankstripe {

/// The kernels of a unit, in one version.
struct DeviceCode {
  std::string Cubin; ///< The path; empty where nvcc failed.
  std::string Problem;
  ResourceTable Used; ///< As ptxas says, or nvlink of what was linked.
  /// Tells from what it was made; nothing where that cannot be told.
  std::optional<std::string> Key;
};

/// Of what was said of \p Kernels, which are as in \p P, that of a kernel's
/// version, if that stands beside it, else of it.
ResourceTable forVersions(const ResourceTable &Reply,
                          const std::vector<Kernel> &Kernels, const Plan &P);

class DeviceCodes {
public:
  /// Kernels of \p Units, with the arrays as \p Arrays says.
  struct Request {
    std::set<const UnitRecord *> Units;
    const Arrangement *Arrays = nullptr;
    llvm::ArrayRef<ChangedFile> Changes;
  };

  /// All references outlive this. \p Known may be nothing. \p Architecture is
  /// the one of this GPU, for which everything is compiled and for nothing
  /// else.
  DeviceCodes(const std::vector<UnitRecord> &Units, const Program &P,
              Answers *Known, std::string Architecture)
      : Units(Units), P(P), Known(Known),
        Architecture(std::move(Architecture)) {}

  /// Compiles what has not been, several units at a time.
  void compile(llvm::ArrayRef<Request> Requests);

  /// Device code depends on the arrays alone. It must have been compiled.
  const DeviceCode &codeOf(const UnitRecord &Unit,
                           const Arrangement &Arrays) const;

private:
  /// A call of nvcc.
  struct Step {
    DeviceCode *Into = nullptr;
    std::vector<std::string> Command;
    std::string Directory, Cubin, Failure;
  };
  /// A folder with the changed files of one version, and what includes them.
  struct CopiedTree {
    std::string Folder;
    std::string Problem; ///< Why they are not all there; else empty.
  };
  const UnitRecord *definerOf(llvm::StringRef Function) const;
  std::vector<const UnitRecord *> linkedWith(const UnitRecord &Unit) const;
  std::string architectureFor(const CompileJob &Job) const;
  std::vector<std::string> commandFor(const NvccQuestion &Asked, bool IsLinked,
                                      llvm::StringRef Cubin) const;
  const CopiedTree &treeFor(const Request &V);
  DeviceCode &piece(const UnitRecord &Unit, const Request &V, bool IsLinked,
                    std::vector<Step> &Steps);
  void link(const UnitRecord &Unit, llvm::ArrayRef<const DeviceCode *> Pieces,
            DeviceCode &Into, std::vector<Step> &Steps);
  void run(const std::vector<Step> &Steps) const;
  std::string newPath();

  const std::vector<UnitRecord> &Units;
  const Program &P;
  Answers *Known;
  std::string Architecture;
  std::map<std::pair<const UnitRecord *, Arrangement>, DeviceCode> Codes;
  /// A unit compiled by itself, and whether it is to be linked.
  std::map<std::tuple<const UnitRecord *, Arrangement, bool>, DeviceCode>
      Pieces;
  std::map<Arrangement, CopiedTree> Trees;
  unsigned Paths = 0; ///< That were given out.
};

} // namespace bankstripe

#endif
