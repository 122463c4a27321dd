#!/usr/bin/env bash
# build.sh - builds the programs of the sweep
#
#   tests/gpu/sweep/build.sh FOLDER [NAME...]
#
# Writes the kernels into FOLDER (generate.py) and compiles all programs, or
# those that are named, to FOLDER/bin, as many at a time as there are
# processors. Environment: ARCH, the architecture to compile for (default:
# native); JOBS, how many at a time.
#
# Exit status: 0 all is well, 1 something failed, 2 bad usage.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# = 0 ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
folder=$1
shift
mkdir -p "$folder/bin"
mapfile -t names < <("$here/generate.py" "$folder")
if [ $# != 0 ]; then
  names=("$@")
fi

options=(-O3 -std=c++17 -arch="${ARCH:-native}" -I"$here" -I"$here/../../../runtime/device")
nvcc "${options[@]}" -c -o "$folder/driver.o" "$here/driver.cu"
printf '%s\n' "${names[@]}" |
  xargs -P "${JOBS:-$(nproc)}" -I NAME \
    nvcc "${options[@]}" -o "$folder/bin/NAME" "$folder/programs/NAME.cu" "$folder/driver.o" ||
  exit 1
