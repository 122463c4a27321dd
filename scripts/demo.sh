#!/usr/bin/env bash
# demo.sh - sets up, builds bankstripe and lets it loose on test_inputs/
#
#   scripts/demo.sh              the seeds
#   scripts/demo.sh FILE.cu...   files of your choice
#
# Shows the findings and the diff; with nvcc the stack frames before and after;
# with a GPU the verified speedups. What it cannot do here it says. Everything
# is written under build/demo; compiled results are kept there, so that the
# second time is quick.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

demo=$build/demo
gpu_arch=sm_90
bankstripe=$build/bin/bankstripe

# frames FILE FOLDER - what ptxas says of each kernel of FILE, which is compiled
# as if it lay in FOLDER: lines of `mangled-name stack-bytes shared-bytes`.
frames() {
  local file=$1 folder=$2 key kept
  key=$(cat "$file" "$folder"/*.h "$folder"/*.cuh "$(dirname "$file")"/*.cuh 2>/dev/null |
    sha256sum | cut -c 1-16)
  kept=$demo/frames/$(basename "$file").$key
  if [ ! -e "$kept" ]; then
    mkdir -p "$demo/frames"
    "$nvcc" -arch=$gpu_arch -cubin -Xptxas -v -I"$folder" -o "$kept.cubin" "$file" \
      >"$kept.log" 2>&1 || {
      echo "demo: nvcc failed on $file:" >&2
      tail -n 20 "$kept.log" >&2
      return 1
    }
    awk '
      function flush() { if (name != "") print name, stack, shared; name = "" }
      /Compiling entry function/ { flush(); split($0, part, "\047"); name = part[2]
                                   stack = shared = 0; next }
      /Function properties for/  { inside = ($NF == name); next }
      /bytes stack frame/        { if (inside) stack = $1; inside = 0 }
      /Used [0-9]+ registers/    { if (match($0, /[0-9]+ bytes smem/))
                                     shared = substr($0, RSTART, RLENGTH) + 0
                                   flush() }
      END { flush() }' "$kept.log" >"$kept.part"
    mv "$kept.part" "$kept"
    rm -f "$kept.cubin" "$kept.log"
  fi
  cat "$kept"
}

# table FILE - one line per kernel of FILE, before and after.
table() {
  local file=$1 folder before after copy name stack shared
  folder=$(dirname "$file")
  copy=$(copy_of "$file")
  before=$(frames "$file" "$folder")
  after=$(frames "$copy" "$folder")
  while read -r name stack shared; do
    local now
    now=$(awk -v name="$name" '$1 == name { print $2, $3 }' <<<"$after")
    local now_stack=${now% *} now_shared=${now#* } mark=''
    [ "${now_stack:-0}" -ge "$stack" ] || mark=$green
    printf '%-26s %-30s %s%6d > %-6d%s %6d > %d\n' "$(basename "$file")" \
      "$(c++filt -p "$name" | cut -c 1-30)" "$mark" "$stack" "${now_stack:-0}" "$plain" \
      "$shared" "${now_shared:-0}"
  done <<<"$before"
}

# Rewrites a copy of FILE and prints its path; where nothing changes, FILE's own.
copy_of() {
  local copy
  rm -rf "$demo/striped"
  "$bankstripe" rewrite --whole-program --quiet --output-dir="$demo/striped" "$1" >/dev/null
  copy=$(find "$demo/striped" -name "$(basename "$1")" -type f -print -quit 2>/dev/null)
  printf '%s\n' "${copy:-$1}"
}

relative() { realpath --relative-to="$PWD" "$1"; }

"$root/scripts/setup.sh"
if nvcc=$(find_nvcc); then
  have_nvcc=1
else
  have_nvcc=0
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
mkdir -p "$demo"

# Each of them is a program.
heading "Findings: bankstripe analyze"
"$bankstripe" analyze --whole-program "${files[@]}"

heading "Changes: bankstripe rewrite"
"$bankstripe" rewrite --whole-program "${files[@]}"

heading "Stack frames and shared memory, bytes, before > after ($gpu_arch)"
if [ $have_nvcc = 1 ]; then
  printf '%s%-26s %-30s %15s %15s%s\n' "$dim" file kernel "stack frame" "shared/block" "$plain"
  for file in "${files[@]}"; do table "$file"; done
  note "A stack frame is what a thread keeps in local memory."
else
  note "Left out: no nvcc. It comes with the CUDA 13 toolkit:"
  note "https://developer.nvidia.com/cuda-downloads"
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
