//===-- Overview.cpp - what --help begins with ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tool does, examples, and exit codes; the man page has them, too.
//
//===----------------------------------------------------------------------===//

#include "tool/Describe.h"

llvm::StringRef bankstripe::overviewText() {
  return R"(bankstripe moves private CUDA arrays from local memory into bank-striped shared memory

  A PATH is a CUDA file, or a folder: every .cu file in it, or with -p the
  entries of BUILD_DIR/compile_commands.json that lie in it. What follows -- is
  handed to the compiler, for nvcc or Clang alike.

  What a project has decided about its arrays stands in .bankstripe.yaml, in the
  folder of a source or above it; see docs/decisions.md.

EXAMPLES:
  bankstripe analyze src/                     what would happen, and why
  bankstripe rewrite src/kernel.cu            the change as a diff
  bankstripe rewrite --in-place -p build src/ make it
  bankstripe rewrite --check src/             for continuous integration
  bankstripe analyze --format=sarif src/      for code hosts (docs/ci.md)
  bankstripe rewrite --export-fixes=fixes/bankstripe.yaml src/
  bankstripe rewrite --output-dir=build/striped src/
  bankstripe rewrite --layout=slot src/       every array that moves gets a slot
  bankstripe analyze --no-config src/         as if nothing had been decided
  bankstripe analyze a.cu -- -std=c++17 -Iinclude -arch=sm_90
  bankstripe verify a.cu -- -O3               prove and time it on the GPU
  bankstripe verify -- ./app 9 --vs ./new 9   two commands: bankstripe-verify
  bankstripe replay wrong.capture             one launch again: bankstripe-replay
  bankstripe tune a.cu b.cu -- -O3            measure what is best, and keep it
  bankstripe tune --build=make --program=app src/

  A large tree in pieces, on many machines (docs/facts.md):
  bankstripe facts -o a.json -p build --scope=src src/a.cu      and so on
  bankstripe merge-facts -o all.json a.json b.json
  bankstripe rewrite --facts=all.json --output-dir=striped src/a.cu

  Before the compiler of a build, which rewrites on the way (docs/wrap.md):
  bankstripe wrap nvcc -c a.cu -o a.o

EXIT CODES:
  0 done   1 --check found changes, or verification failed   2 bad usage
  3 some file could not be processed (the others still were)
)";
}
