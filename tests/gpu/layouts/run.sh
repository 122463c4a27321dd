#!/usr/bin/env bash
# run.sh - measures where per-thread arrays do best, on the GPU of this machine
#
#   tests/gpu/layouts/run.sh OUTPUT
#
# Builds the benchmarks beside this script with nvcc and runs them one after the
# other. The file OUTPUT gets all figures (bench.h says what they are), and
# tables of them are printed. Environment: ARCH, the architecture to compile for
# (default: native).
#
# Exit status: 0 all is well, 1 variants differ or something failed, 2 bad usage.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# != 1 ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
output=$1
questions=(tables slots small_elements records callees dimensions flags stacks)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

builds=()
for question in "${questions[@]}"; do
  nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -I"$here/../../../runtime/device" \
    -o "$bin/$question" "$here/$question.cu" &
  builds+=($!)
done
for build in "${builds[@]}"; do
  wait "$build"
done

{
  echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)," \
    "nvcc $(nvcc --version | grep -o 'V[0-9][0-9.]*')"
  echo "# question | case | pattern | variant | median ms | spread % | registers |" \
    "local bytes | shared bytes | blocks per SM | same"
} >"$output"
status=0
for question in "${questions[@]}"; do
  "$bin/$question" >>"$output" || status=1
done
python3 "$here/table.py" "$output"
exit $status
