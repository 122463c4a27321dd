#!/usr/bin/env bash
# Versions of kernels (docs/versions.md) against their originals, for launches that are
# out of sight: from other files, with blocks of all sizes, in a graph, by name from PTX.
#
#   versions.sh build BANKSTRIPE FOLDER    builds both, with and without -rdc=true (needs nvcc)
#   versions.sh run FOLDER                 runs them and compares what they print (needs a GPU)
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

source=$(cd "$(dirname "$0")" && pwd)/versions
arch=${ARCH:-sm_90}

build() {
  local tool=$1 folder=$2 form linked
  for linked in apart linked; do
    for form in original version; do
      local at=$folder/$linked/$form
      mkdir -p "$at"
      local command=(nvcc "-arch=$arch" -lineinfo)
      [ $linked = apart ] || command+=(-rdc=true)
      [ $form = original ] || command=("$tool" wrap "${command[@]}")
      for name in small large main; do
        "${command[@]}" -c "$source/$name.cu" -o "$at/$name.o"
      done
      "${command[@]}" -ptx "$source/small.cu" -o "$at/small.ptx"
      "${command[@]}" "$at"/*.o -lcuda -o "$at/app"
    done
  done
}

run() {
  local folder=$1 linked status=0
  for linked in apart linked; do
    local at=$folder/$linked
    for form in original version; do
      "$at/$form/app" "$at/$form/small.ptx" >"$at/$form.txt"
    done
    if cmp "$at/original.txt" "$at/version.txt"; then
      echo "$linked: $(wc -l <"$at/version.txt") results are the same"
    else
      status=1
    fi
    for check in memcheck racecheck; do
      compute-sanitizer --tool=$check --error-exitcode=1 "$at/version/app" "$at/version/small.ptx" |
        tail -n 1 || status=1
    done
  done
  return $status
}

"$@"
