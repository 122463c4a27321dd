#!/usr/bin/env bash
# prepare.sh - rewrites all test inputs, for a machine that has a GPU but no LLVM
#
#   tests/gpu/prepare.sh BANKSTRIPE FOLDER [OPTION...]
#
# BANKSTRIPE is the executable, and gets the options, such as --versions. FOLDER is made anew and then holds
#
#   original/    the programs of test_inputs/ and launch_beyond.cu
#   rewritten/   the same tree after `bankstripe rewrite --in-place`
#   changed      the names of the programs that were changed, one per line
#
# Take it to that machine and give it to verify_all.sh.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [ $# -lt 2 ] || [ ! -x "$1" ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
tool=$1 folder=$2
shift 2
if [ -e "$folder" ] && [ ! -e "$folder/changed" ]; then
  echo "prepare: $folder is there, and not made by this script" >&2
  exit 2
fi

rm -rf "$folder"
mkdir -p "$folder/original"
cp -R "$here/../../test_inputs/." "$folder/original/"
mkdir "$folder/original/beyond"
cp "$here/launch_beyond.cu" "$folder/original/beyond/"
cp -R "$folder/original" "$folder/rewritten"

# The bound of launch_beyond's kernel is known to nobody but us.
"$tool" rewrite --quiet --no-confirm --min-speedup=0 "$@" --in-place --block-size=128 "$folder/rewritten/beyond"
"$tool" rewrite --quiet --no-confirm --min-speedup=0 "$@" --in-place --exclude='*/beyond/*' "$folder/rewritten"

: >"$folder/changed"
(cd "$folder/original" && find . -name '*.cu' | sed 's|^\./||' | sort) | while read -r name; do
  cmp -s "$folder/original/$name" "$folder/rewritten/$name" || echo "${name%.cu}" >>"$folder/changed"
done
echo "prepare: $(wc -l <"$folder/changed") programs were changed, see $folder/changed"
