#!/usr/bin/env bash
# test.sh - sets up, builds everything and runs the tests
#
#   scripts/test.sh                      a first part: twenty minutes on two cores, building included
#   scripts/test.sh --all                all tests
#   scripts/test.sh -R golden -V         what follows goes to ctest
#
# Left out without --all are most programs that run on the host under sanitizers,
# that nvcc compiles, and that are generated; CONTRIBUTING.md says more.
#
# The exit status is ctest's, and ctest's summary is the last thing printed.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tier=(--label-exclude '^thorough$')
if [ "${1:-}" = --all ]; then
  tier=(--label-exclude '^sample$')
  export BANKSTRIPE_THOROUGH=1
  shift
fi

"$root/scripts/setup.sh"

if ! find_nvcc >/dev/null; then
  note "No nvcc: the tests that compile or link CUDA are left out. They need the CUDA 13"
  note "toolkit: https://developer.nvidia.com/cuda-downloads"
fi
if ! have_gpu; then
  note "No GPU: nothing is run on one. tests/gpu holds the script for a machine that has one."
fi

heading "Building"
configure
build_targets all

heading "Testing"
cd "$build"
exec ctest -j "$(nproc 2>/dev/null || echo 2)" --output-on-failure --no-tests=error "${tier[@]}" "$@" </dev/null
