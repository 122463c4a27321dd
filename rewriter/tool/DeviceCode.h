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

#ifndef BANKSTRIPE_TOOL_DEVICECODE_H
#define BANKSTRIPE_TOOL_DEVICECODE_H

#include "tool/Nvcc.h"
#include "tool/Program.h"
#include "tune/Search.h"

namespace bankstripe {

/// The kernels of a unit, in one version.
struct DeviceCode {
  std::string Cubin; ///< The path; empty where nvcc failed.
  std::string Problem;
  ResourceTable Used; ///< As ptxas says, or nvlink of what was linked.
  /// Tells from what it was made; nothing where that cannot be told.
  std::optional<std::string> Key;
};

class DeviceCodes {
public:
  /// Kernels of \p Units, with the arrays as \p Arrays says.
  struct Version {
    std::set<const UnitRecord *> Units;
    const Arrangement *Arrays = nullptr;
    llvm::ArrayRef<ChangedFile> Changes;
  };

  /// All references outlive this. \p Architecture is the one of this GPU, for
  /// which everything is compiled and for nothing else.
  DeviceCodes(const ToolOptions &Options, const ReadResult &Read,
              const Program &P, std::string Architecture)
      : Options(Options), Read(Read), P(P),
        Architecture(std::move(Architecture)) {}

  /// Compiles what has not been, several units at a time.
  void compile(llvm::ArrayRef<Version> Versions);

  /// Device code depends on the arrays alone. It must have been compiled.
  const DeviceCode &of(const UnitRecord &Unit, const Arrangement &Arrays) const;

private:
  /// A call of nvcc.
  struct Step {
    DeviceCode *Into = nullptr;
    std::vector<std::string> Command;
    std::string Directory, Cubin, Failure;
  };
  const UnitRecord *definerOf(llvm::StringRef Function) const;
  std::vector<const UnitRecord *> linkedWith(const UnitRecord &Unit) const;
  std::string architectureFor(const CompileJob &Job) const;
  std::vector<std::string> commandFor(const NvccQuestion &Asked, bool IsLinked,
                                      llvm::StringRef Cubin) const;
  DeviceCode &piece(const UnitRecord &Unit, const Version &V, bool IsLinked,
                    std::vector<Step> &Steps);
  void link(const UnitRecord &Unit, llvm::ArrayRef<const DeviceCode *> Of,
            DeviceCode &Into, std::vector<Step> &Steps);
  void run(const std::vector<Step> &Steps) const;
  std::string place();

  const ToolOptions &Options;
  const ReadResult &Read;
  const Program &P;
  std::string Architecture;
  std::map<std::pair<const UnitRecord *, Arrangement>, DeviceCode> Codes;
  /// A unit compiled by itself, and whether it is to be linked.
  std::map<std::tuple<const UnitRecord *, Arrangement, bool>, DeviceCode>
      Pieces;
  std::map<Arrangement, std::string> Trees; ///< Folders with changed copies.
  unsigned Places = 0;
};

} // namespace bankstripe

#endif
