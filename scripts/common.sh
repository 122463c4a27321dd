# common.sh - what demo.sh, test.sh and lint.sh share; sourced, not run
#
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The variables below are for the scripts that source this file.
# shellcheck disable=SC2034
build=$root/build

# Colours, for people: on a terminal that did not ask for none.
# shellcheck disable=SC2034
bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  # shellcheck disable=SC2034
  bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
fi

heading() { printf '\n%s== %s ==%s\n' "$bold" "$*" "$plain"; }
note() { printf '%s%s%s\n' "$dim" "$*" "$plain"; }

# Prints the path of nvcc, looking where bankstripe itself looks.
find_nvcc() {
  local place
  for place in "${CUDA_HOME:-}" "${CUDA_PATH:-}"; do
    if [ -n "$place" ] && [ -x "$place/bin/nvcc" ]; then
      printf '%s\n' "$place/bin/nvcc"
      return
    fi
  done
  command -v nvcc && return
  if [ -x /usr/local/cuda/bin/nvcc ]; then
    echo /usr/local/cuda/bin/nvcc
    return
  fi
  return 1
}

# Prints the path of the Python for the tests: the first with what setup.sh
# installs for it, which another one than Debian's does not see.
find_python() {
  local python
  for python in "$(command -v python3)" /usr/bin/python3; do
    if "$python" -c 'import yaml' >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  command -v python3
}

# True where a GPU and its driver answer.
have_gpu() { command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q GPU; }

# Jobs for the build: one compiler of Clang's headers takes up to 2 GiB.
build_jobs() {
  local cores gibibytes
  cores=$(nproc 2>/dev/null || echo 1)
  gibibytes=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null)
  local fitting=$(((${gibibytes:-4} + 1) / 2))
  [ "$fitting" -ge 1 ] || fitting=1
  echo $((cores < fitting ? cores : fitting))
}

# Configures build/ as the preset says. Its output is shown only on failure.
configure() {
  if [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ] && [ -z "${CCACHE_DISABLE:-}" ] &&
    command -v ccache >/dev/null 2>&1; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  local nvcc
  # Where nvcc lies outside PATH, CMake would not find it.
  if nvcc=$(find_nvcc); then
    PATH=$PATH:$(dirname "$nvcc")
  fi
  local output
  if ! output=$(cd "$root" && cmake --preset default "-DPython3_EXECUTABLE=$(find_python)" \
    2>&1 </dev/null); then
    printf '%s\n' "$output" >&2
    return 1
  fi
}

# build_targets [TARGET...] - builds them, or everything.
build_targets() {
  local options=(--build "$build" --parallel "$(build_jobs)")
  if [ $# -gt 0 ]; then
    options+=(--target "$@")
  fi
  # Without a terminal the progress would be a page of lines.
  [ -t 1 ] || options+=(-- --quiet)
  cmake "${options[@]}" </dev/null
}
