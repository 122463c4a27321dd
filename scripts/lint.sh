#!/usr/bin/env bash
# lint.sh - formatting and clang-tidy over the project's own sources
#
#   scripts/lint.sh                    everything
#   scripts/lint.sh --changed[=REF]    only files that differ from REF (HEAD)
#   scripts/lint.sh --format-only      formatting alone: a second, no build needed
#   scripts/lint.sh --fix              format in place, apply clang-tidy's fixes
#
# clang-tidy needs build/compile_commands.json; where it is missing the project
# is configured and its precompiled headers are built first. It takes some ten
# seconds a file, most of them for Clang's headers.
#
# Exit status: 0 clean, 1 something to correct, 2 bad usage, 3 a tool is missing.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

changed='' format_only=0 fix=0
for argument; do
  case $argument in
  --changed) changed=HEAD ;;
  --changed=?*) changed=${argument#*=} ;;
  --format-only) format_only=1 ;;
  --fix) fix=1 ;;
  *)
    sed -n '2,/^#$/d; /^# *scripts/s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
  esac
done

require() {
  if ! command -v "$1" >/dev/null 2>&1; then
    echo "lint: $1 is missing; on Debian and Ubuntu: apt-get install $1" >&2
    exit 3
  fi
}

# Sources of the tool, its runtime and its tests. What stands in test_inputs/
# and in folders named inputs/ or expected/ is data: its form is part of a test.
list_sources() {
  if [ -n "$changed" ]; then
    {
      git diff --name-only --diff-filter=d "$changed" -- contract rewriter runtime tests
      git ls-files --others --exclude-standard -- contract rewriter runtime tests
    } | sort -u
  else
    find contract rewriter runtime tests -type f | sort
  fi | grep -E '\.(cpp|h|cuh)$' | grep -Ev '^tests/golden/|/(inputs|expected)/' || true
}

cd "$root"
mapfile -t sources < <(list_sources)
if [ ${#sources[@]} = 0 ]; then
  echo "lint: no sources to look at"
  exit 0
fi

status=0
require clang-format-22
if [ $fix = 1 ]; then
  clang-format-22 -i "${sources[@]}"
elif ! output=$(clang-format-22 --dry-run -Werror "${sources[@]}" 2>&1); then
  # The places are enough; the excerpts would fill pages.
  grep ': error:' <<<"$output" >&2 || printf '%s\n' "$output" >&2
  echo "lint: scripts/lint.sh --fix --format-only puts the formatting right" >&2
  status=1
fi
echo "lint: formatting of ${#sources[@]} files checked"
if [ $format_only = 1 ]; then
  exit $status
fi

require clang-tidy-22
if [ ! -e "$build/compile_commands.json" ]; then
  configure
fi
if grep -q '"command".*cmake_pch' "$build/compile_commands.json"; then
  # clang-tidy reads the precompiled headers that the commands name.
  build_targets bankstripe_pch bankstripe_test_pch
fi
# clang-tidy takes what the build compiles; it sees the headers from there.
units=()
for source in "${sources[@]}"; do
  if [[ $source == *.cpp ]] && grep -qF "$root/$source\"" "$build/compile_commands.json"; then
    units+=("$source")
  fi
done
if [ ${#units[@]} != 0 ]; then
  options=(--quiet -p "$build" '--warnings-as-errors=*')
  jobs=2
  if [ $fix = 1 ]; then
    # Two processes must not correct one header at the same time.
    options+=(--fix --format-style=file)
    jobs=1
  fi
  printf '%s\0' "${units[@]}" |
    xargs -0 -n 1 -P "$jobs" clang-tidy-22 "${options[@]}" || status=1
fi
echo "lint: clang-tidy went over ${#units[@]} files"
exit $status
