#!/usr/bin/env bash
# verify_all.sh - everything that needs a GPU, for all test inputs
#
#   tests/gpu/verify_all.sh [--verify=PATH] [--runs=N] [--skip=STEP,...] PAIRS OUTPUT
#
# PAIRS is what prepare.sh made, OUTPUT a folder for all raw results. The steps:
#
#   verify      original against rewritten, launch by launch (bankstripe-verify)
#   seeds       the same for each index pattern of the seeds, and the rewritten
#               seed against the one that was striped by hand
#   sanitizer   compute-sanitizer's memcheck and racecheck on the rewritten programs
#   conflicts   shared bank conflicts of the rewritten seeds, from ncu
#   beyond      a launch with a larger block than the rewritten kernel is made for
#
# Needs nvcc, python3 and, for the steps that use them, compute-sanitizer and
# ncu. bankstripe-verify is looked for in build-runtime/bin and build/bin.
# Environment: ARCH, the architecture to compile for (default: native).
#
# Exit status: 0 all is well, 1 something is not, 2 bad usage, 3 there is no GPU.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Some functions are only called by name, through in_parallel.
# shellcheck disable=SC2317

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
arch=${ARCH:-native}

verify='' runs=9 skip=,
while [[ ${1:-} == --* ]]; do
  case $1 in
  --verify=?*) verify=${1#*=} ;;
  --runs=[0-9]*) runs=${1#*=} ;;
  --skip=?*) skip=,${1#*=}, ;;
  *)
    echo "verify_all: no such option: $1" >&2
    exit 2
    ;;
  esac
  shift
done
if [ $# != 2 ] || [ ! -r "$1/changed" ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
pairs=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

for candidate in "$root"/build-runtime/bin/bankstripe-verify "$root"/build/bin/bankstripe-verify; do
  if [ -z "$verify" ] && [ -x "$candidate" ]; then
    verify=$candidate
  fi
done
if [ ! -x "$verify" ]; then
  echo "verify_all: there is no bankstripe-verify; build runtime/ or give --verify=PATH" >&2
  exit 2
fi
if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "verify_all: no GPU answers (nvidia-smi)" >&2
  exit 3
fi
mapfile -t changed <"$pairs/changed"

wanted() { [[ $skip != *,$1,* ]]; }
have() { command -v "$1" >/dev/null 2>&1; }
# A program's name as a file name: seeds/data_dependent > seeds-data_dependent.
flat() { printf '%s\n' "${1//\//-}"; }
# run LOG COMMAND... - keeps what it prints in LOG and its status in LOG.status.
run() {
  local log=$1 status=0
  shift
  timeout 300 "$@" >"$log" 2>&1 || status=$?
  echo $status >"$log.status"
}
# Calls a function of this file for each line of standard input, N at a time.
in_parallel() {
  local most=$1 line
  shift
  while read -r line; do
    while [ "$(jobs -pr | wc -l)" -ge "$most" ]; do
      wait -n
    done
    "$@" "$line" </dev/null &
  done
  wait
}

{
  date -u
  nvidia-smi
  nvcc --version
  git -C "$root" log -1 --format='commit %H' 2>/dev/null
} >"$output/machine.txt" 2>&1

# --- build -------------------------------------------------------------------

# build_one FORM/NAME - FORM is original, rewritten or small: the rewritten form
# with small grids, for the sanitizer.
build_one() {
  local form=${1%%/*} name=${1#*/} tree flags=()
  tree=$form
  if [ "$form" = small ]; then
    tree=rewritten
    flags=(-DBANKSTRIPE_SMALL -lineinfo)
  fi
  mkdir -p "$bin/$form/$(dirname "$name")" "$output/build"
  run "$output/build/$form-$(flat "$name").txt" nvcc -O3 -std=c++17 "-arch=$arch" "${flags[@]}" \
    -Xptxas -v -o "$bin/$form/$name" "$pairs/$tree/$name.cu"
}

started=$SECONDS
{
  for name in "${changed[@]}"; do
    printf '%s\n' "original/$name" "rewritten/$name" "small/$name"
  done
  echo original/seeds/striped_by_hand
} | in_parallel "$(nproc)" build_one
echo "built in $((SECONDS - started)) s"

# --- verify ------------------------------------------------------------------

# verify_pair RESULT ORIGINAL REWRITTEN ARGS...
verify_pair() {
  local result=$1 original=$2 rewritten=$3
  shift 3
  mkdir -p "$(dirname "$result")"
  run "$result.txt" "$verify" --all "--runs=$runs" "--json=$result.json" \
    "$original" "$rewritten" "$@"
}

if wanted verify; then
  started=$SECONDS
  for name in "${changed[@]}"; do
    verify_pair "$output/verify/$(flat "$name")" "$bin/original/$name" "$bin/rewritten/$name"
  done
  echo "verified in $((SECONDS - started)) s"
fi

if wanted seeds; then
  started=$SECONDS
  seed=seeds/data_dependent
  for pattern in uniform random worst; do
    verify_pair "$output/seeds/$pattern-tool" "$bin/original/$seed" "$bin/rewritten/$seed" \
      -- $pattern
    verify_pair "$output/seeds/$pattern-hand" "$bin/original/seeds/striped_by_hand" \
      "$bin/rewritten/$seed" -- $pattern
  done
  echo "seeds measured in $((SECONDS - started)) s"
fi

# --- sanitizer ---------------------------------------------------------------

sanitize() {
  local tool=${1%%/*} name=${1#*/}
  run "$output/sanitizer/$(flat "$name").$tool.txt" compute-sanitizer --tool "$tool" \
    --error-exitcode 9 --print-limit 20 "$bin/small/$name"
}

if wanted sanitizer; then
  mkdir -p "$output/sanitizer"
  started=$SECONDS
  if have compute-sanitizer; then
    for name in "${changed[@]}"; do
      printf '%s\n' "memcheck/$name" "racecheck/$name"
    done | in_parallel 4 sanitize
  else
    echo "there is no compute-sanitizer" >"$output/sanitizer/missing"
  fi
  echo "sanitized in $((SECONDS - started)) s"
fi

# --- bank conflicts ----------------------------------------------------------

# The hardware's counter of bank conflicts is not zero even where no conflict is
# possible: it counts other arbitration for the data banks as well. What tells is
# the number of wavefronts that an instruction took beyond those that it needs,
# which the section SourceCounters counts exactly.
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
arbitration=l1tex__data_bank_conflicts_type_arbitration.sum

count_conflicts() {
  local form=${1%%/*} name=${1#*/} kernels=$2
  run "$output/conflicts/$form-$(flat "$name").csv" ncu --csv --page raw --clock-control none \
    --kernel-name "regex:$kernels" --section SourceCounters --metrics "$conflicts,$arbitration" \
    "$bin/$form/$name"
}

if wanted conflicts; then
  mkdir -p "$output/conflicts"
  started=$SECONDS
  if have ncu; then
    for name in original/seeds/striped_by_hand rewritten/seeds/data_dependent \
      rewritten/seeds/uniform_dynamic; do
      count_conflicts "$name" Updates
    done
    # The control: a kernel whose own shared memory has conflicts.
    count_conflicts original/several_kernels rankKeys
  else
    echo "there is no ncu" >"$output/conflicts/missing"
  fi
  echo "conflicts counted in $((SECONDS - started)) s"
fi

# --- beyond the bound ----------------------------------------------------------

if wanted beyond; then
  mkdir -p "$output/beyond"
  for form in original rewritten; do
    for threads in 128 256; do
      run "$output/beyond/$form-$threads.txt" "$bin/$form/beyond/launch_beyond" $threads
    done
  done
fi

python3 "$here/summarize.py" "$pairs" "$output" | tee "$output/summary.txt"
exit "${PIPESTATUS[0]}"
