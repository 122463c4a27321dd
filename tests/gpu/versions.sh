#!/usr/bin/env bash
# Versions of kernels (docs/guide/build.md) against their originals, for launches that are
# out of sight: from other files, with blocks of all sizes, in a graph, by name from PTX.
#
#   versions.sh build BANKSTRIPE FOLDER    builds all, with and without -rdc=true (needs nvcc)
#   versions.sh run FOLDER                 runs them and compares what they print (needs a GPU)
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

source=$(cd "$(dirname "$0")" && pwd)/versions
arch=${ARCH:-sm_90}
wrap=(wrap --min-speedup=0 --no-confirm)

build() {
  local tool=$1 folder=$2 form linked
  for linked in apart linked; do
    for form in original versions; do
      local at=$folder/$linked/$form
      mkdir -p "$at"
      local command=(nvcc "-arch=$arch" -lineinfo)
      [ $linked = apart ] || command+=(-rdc=true)
      [ $form = original ] || command=("$tool" "${wrap[@]}" "${command[@]}")
      for name in small large main; do
        "${command[@]}" -c "$source/$name.cu" -o "$at/$name.o"
      done
      "${command[@]}" -ptx "$source/small.cu" -o "$at/small.ptx"
      "${command[@]}" "$at"/*.o -lcuda -o "$at/app"
    done
  done
}

run() {
  local folder=$1 linked form check status=0
  for linked in apart linked; do
    local at=$folder/$linked
    for form in original versions; do
      "$at/$form/app" "$at/$form/small.ptx" >"$at/$form.txt"
    done
    if cmp "$at/original.txt" "$at/versions.txt"; then
      echo "$linked: $(wc -l <"$at/versions.txt") results are the same"
    else
      status=1
    fi
    for check in memcheck racecheck; do
      compute-sanitizer --tool=$check --error-exitcode=1 "$at/versions/app" "$at/versions/small.ptx" |
        tail -n 1 || status=1
    done
  done
  return $status
}

"$@"
