#!/usr/bin/env bash
# demo.sh - sets up, builds bankstripe and lets it loose on test_inputs/
#
#   scripts/demo.sh              the seeds
#   scripts/demo.sh FILE.cu...   files of your choice
#
# Shows the findings and the diff, with nvcc also what ptxas says before and
# after, and with a GPU the verified speedups. What it cannot do here it says.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bankstripe=$build/bin/bankstripe

relative() { realpath --relative-to="$PWD" "$1"; }

BANKSTRIPE_BUILD_ONLY=1 "$root/scripts/setup.sh"
have_nvcc=0
if find_nvcc >/dev/null; then
  have_nvcc=1
fi

note "Building (the first time takes some minutes)"
configure
targets=(bankstripe)
for target in bankstripe-recorder bankstripe-verify bankstripe-replay; do
  # They are there only with the toolkit.
  if grep -q "^build $target:" "$build/build.ninja"; then
    targets+=("$target")
  fi
done
build_targets "${targets[@]}"

status=0
files=("$@")
if [ $# = 0 ]; then
  files=("$root"/test_inputs/seeds/*.cu)
fi
for file in "${files[@]}"; do
  if [ ! -r "$file" ]; then
    echo "demo: cannot read $file" >&2
    exit 2
  fi
done

# Each of them is a program.
heading "Findings: bankstripe analyze"
"$bankstripe" analyze --whole-program "${files[@]}"

heading "Changes: bankstripe rewrite"
"$bankstripe" rewrite --whole-program "${files[@]}"

if [ $have_nvcc = 0 ]; then
  note "Without nvcc, ptxas says nothing of stack frames and registers. It comes with the"
  note "CUDA 13 toolkit: https://developer.nvidia.com/cuda-downloads"
fi

heading "Verified on the GPU: bankstripe verify"
if [ $have_nvcc = 0 ]; then
  note "Left out: it builds the programs with nvcc, and there is none."
elif ! have_gpu; then
  note "Left out: no GPU answers (nvidia-smi). On a machine with one, this runs each program"
  note "in both forms, compares all device memory after every launch, and times the kernels."
else
  for file in "${files[@]}"; do
    printf '%s%s%s\n' "$bold" "$(relative "$file")" "$plain"
    "$bankstripe" verify "$file" || status=$?
  done
fi

heading "Next"
echo "  $(relative "$bankstripe") analyze YOUR_SOURCES"
echo "  $(relative "$bankstripe") rewrite YOUR_SOURCES      (a diff; nothing is changed)"
exit $status
