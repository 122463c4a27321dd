#!/usr/bin/env bash
# Versions of kernels (docs/guide/build.md) against their originals, for launches that are
# out of sight: from other files, with blocks of all sizes, in a graph, by name from PTX.
#
#   versions.sh build BANKSTRIPE FOLDER    builds all, with and without -rdc=true (needs nvcc)
#   versions.sh run FOLDER                 runs them and compares what they print (needs a GPU)
#
# `inside` has versions that kernels choose themselves, since their addresses are taken; in
# `beside` they stand behind the kernels, and more storage is allowed, so that launches ask for it.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

source=$(cd "$(dirname "$0")" && pwd)/versions
arch=${ARCH:-sm_90}
wrap=(wrap --min-speedup=0 --no-confirm)

build() {
  local tool=$1 folder=$2 form linked
  for linked in apart linked; do
    for form in original inside beside; do
      local at=$folder/$linked/$form
      mkdir -p "$at"
      local command=(nvcc "-arch=$arch" -lineinfo)
      [ $linked = apart ] || command+=(-rdc=true)
      case $form in
      inside) command=("$tool" "${wrap[@]}" "${command[@]}" -DTAKES_ADDRESSES) ;;
      beside) command=("$tool" "${wrap[@]}" --shared-limit=232448 "${command[@]}") ;;
      esac
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
    "$at/original/app" "$at/original/small.ptx" >"$at/original.txt"
    for form in inside beside; do
      "$at/$form/app" "$at/$form/small.ptx" >"$at/$form.txt"
      if cmp "$at/original.txt" "$at/$form.txt"; then
        echo "$linked, $form: $(wc -l <"$at/$form.txt") results are the same"
      else
        status=1
      fi
      for check in memcheck racecheck; do
        compute-sanitizer --tool=$check --error-exitcode=1 "$at/$form/app" "$at/$form/small.ptx" |
          tail -n 1 || status=1
      done
    done
  done
  return $status
}

"$@"
