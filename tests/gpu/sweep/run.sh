#!/usr/bin/env bash
# run.sh - measures when moving a per-thread array into shared memory pays
#
#   tests/gpu/sweep/run.sh OUTPUT [OPTION...]
#
# Builds the programs of the sweep with nvcc and runs them, one at a time on
# each GPU. The file OUTPUT gets all figures (driver.cu says what they are, and
# which options the programs take); analyse.py makes tables of them.
# Environment: GPUS, how many GPUs of this machine to use (default: 1); PROGRAMS,
# a folder in which build.sh has put the programs already; NAMES, a regular
# expression for the names of the programs to take (default: all); ARCH and JOBS,
# see build.sh.
#
# Exit status: 0 all is well, 1 variants differ or something failed, 2 bad usage.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# = 0 ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
output=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=${PROGRAMS:-}
if [ -z "$programs" ]; then
  programs=$work
fi
mapfile -t names < <("$here/generate.py" "$work/sources" | grep -E "${NAMES:-}")
if [ "$programs" = "$work" ]; then
  "$here/build.sh" "$programs" "${names[@]}"
fi
mkdir "$work/parts"

# Long programs come first, so that GPUs finish at about the same time.
started=$SECONDS
export programs work
status=0
# shellcheck disable=SC2016
printf '%s\n' "${names[@]}" |
  xargs -P "${GPUS:-1}" --process-slot-var=SLOT -I NAME \
    bash -c 'CUDA_VISIBLE_DEVICES=$SLOT "$programs/bin/$0" "$@" >"$work/parts/$0" || exit 1' NAME "$@" ||
  status=1

{
  echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)," \
    "nvcc $(nvcc --version | grep -o 'V[0-9][0-9.]*'), ${GPUS:-1} at a time," \
    "$((SECONDS - started)) seconds"
  echo "# bytes | elements | pattern | multiply-adds | stream | block | grid | variant |" \
    "median ms | spread % | registers | local bytes | shared bytes | blocks per SM | same"
  for name in "${names[@]}"; do
    cat "$work/parts/$name" || status=1
  done
} >"$output"
exit $status
