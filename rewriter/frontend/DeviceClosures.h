//===-- DeviceClosures.h - closures in device code --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_DEVICECLOSURES_H
#define BANKSTRIPE_FRONTEND_DEVICECLOSURES_H

namespace clang {
class ASTContext;
class SourceLocation;
} // namespace clang

namespace bankstripe {

/// Whether \p Where is in a closure of device code. To Clang it is for both
/// sides, as those of the host are.
bool isInDeviceClosure(const clang::ASTContext &Context,
                       clang::SourceLocation Where);

} // namespace bankstripe

#endif
