#!/usr/bin/env bash
# setup.sh - installs what building bankstripe needs, on Debian and Ubuntu
#
# demo.sh and test.sh call it first. It looks before it acts: where everything
# is there it says nothing and takes a moment; otherwise it installs exactly
# the packages that are missing, without questions. It never installs CUDA.
#
# Exit status:
#   0  everything that the build needs is there
#   1  a package that should have been installable was not
#   3  something has to be added by hand first; the message says what
#
# Environment:
#   BANKSTRIPE_SKIP_SETUP=1     do nothing (the packages come from elsewhere)
#   BANKSTRIPE_THOROUGH=1       install what the thorough tests want, too
#   BANKSTRIPE_BUILD_ONLY=1     leave out what some tests compare with
#   BANKSTRIPE_OS_RELEASE=FILE  read FILE in place of /etc/os-release
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail
export LC_ALL=C

# What is needed, as Debian names it. The compiler's runtime library is for the
# tests that run under the sanitizers; clang-format checks the formatting; the
# last line is for the recorder and the verifier.
packages=(
  cmake ninja-build g++ python3
  clang-22 llvm-22-dev libclang-22-dev libclang-rt-22-dev clang-format-22
  libgmock-dev libgtest-dev libeigen3-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev
)
# What some tests compare with; they are left out where it is missing.
wanted=(clang-tools-22 nodejs python3-yaml ccache sccache mkdocs mkdocs-material)
[ "${BANKSTRIPE_THOROUGH:-}" != 1 ] || wanted+=(chromium)
[ "${BANKSTRIPE_BUILD_ONLY:-}" != 1 ] || wanted=()
# A program on PATH will do for these, wherever it comes from.
declare -A program_of=(
  [cmake]=cmake [ninja-build]=ninja [g++]=g++ [python3]=python3 [nodejs]=node
)
cmake_minimum=3.25

say() { printf 'setup: %s\n' "$*" >&2; }

# give_up STATUS LINE... - prints the lines and ends.
give_up() {
  local status=$1
  shift
  say "$1"
  shift
  if [ $# -gt 0 ]; then
    printf '       %s\n' "$@" >&2
  fi
  exit "$status"
}

# version_at_least HAVE WANTED
version_at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

# Prints those of the given packages that are neither installed nor stood in
# for by a program on PATH.
find_missing() {
  local installed package program
  installed=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' \
    "$@" 2>/dev/null || true)"
  for package in "$@"; do
    program=${program_of[$package]:-}
    if [ -n "$program" ]; then
      command -v "$program" >/dev/null 2>&1 || printf '%s\n' "$package"
    elif [[ $installed != *" $package=installed "* ]]; then
      printf '%s\n' "$package"
    fi
  done
}

# Prints those of the given packages that no configured repository offers.
without_candidate() {
  local offered package
  offered=" $(apt-cache policy "$@" 2>/dev/null | awk '
    /^[^ ]/ { sub(/:.*/, ""); name = $0 }
    $1 == "Candidate:" && $2 != "(none)" { printf "%s ", name }')"
  for package in "$@"; do
    [[ $offered == *" $package "* ]] || printf '%s\n' "$package"
  done
}

# What runs apt-get: nothing for root, else sudo, where it works.
privilege=()
privileged=0
find_privilege() {
  if [ "$(id -u)" = 0 ]; then
    return
  fi
  # Without a terminal nobody can type a password.
  if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    privilege=(sudo)
    return
  fi
  return 1
}

log=
keep_log=0
trap '[ -z "$log" ] || [ "$keep_log" = 1 ] || rm -f "$log"' EXIT
start_log() {
  [ -n "$log" ] || log=$(mktemp "${TMPDIR:-/tmp}/bankstripe-setup.XXXXXX")
}
run_apt() {
  "${privilege[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}

read_os_release() {
  local file=${BANKSTRIPE_OS_RELEASE:-/etc/os-release}
  if [ -r "$file" ]; then
    # shellcheck disable=SC1090
    . "$file"
  fi
}

# Tells how to add LLVM 22 where the configured repositories lack it.
explain_llvm() (
  read_os_release
  codename=${UBUNTU_CODENAME:-${DEBIAN_CODENAME:-${VERSION_CODENAME:-}}}
  lines=("bankstripe needs LLVM 22: older ones cannot parse the headers of CUDA 13.")
  if [ "$codename" = bookworm ]; then
    lines+=("Debian 12 carries it in the suite bookworm-security. If that is not among"
      "your apt sources, add it, or the LLVM project's own repository:")
  else
    lines+=("Add the LLVM project's own repository:")
  fi
  case $codename in
  '') lines+=("see https://apt.llvm.org for the line for your release") ;;
  sid | forky) suite="unstable/ llvm-toolchain-22" ;;
  *) suite="$codename/ llvm-toolchain-$codename-22" ;;
  esac
  if [ -n "${suite:-}" ]; then
    lines+=("" "  sudo apt-get install -y ca-certificates wget"
      "  wget -qO- https://apt.llvm.org/llvm-snapshot.gpg.key | sudo tee /etc/apt/trusted.gpg.d/apt.llvm.org.asc >/dev/null"
      "  echo 'deb https://apt.llvm.org/$suite main' | sudo tee /etc/apt/sources.list.d/llvm-22.list"
      "  sudo apt-get update" "" "then run this again")
  fi
  give_up 3 "no configured repository offers: $*" "${lines[@]}"
)

# Ends with an explanation if some of the given packages cannot be had.
require_candidates() {
  local lacking
  mapfile -t lacking < <(without_candidate "$@")
  if [ ${#lacking[@]} = 0 ]; then
    return
  fi
  # Lists that are missing or old know nothing; fetch them once.
  if [ "$privileged" = 1 ]; then
    say "no candidate yet for ${lacking[*]}; running apt-get update"
    run_apt update || say "apt-get update failed: $(tail -n 1 "$log")"
    mapfile -t lacking < <(without_candidate "$@")
  fi
  case "${lacking[*]}" in
  '') ;;
  *-22*) explain_llvm "${lacking[@]}" || exit $? ;;
  *)
    give_up 3 "no configured repository offers: ${lacking[*]}" \
      "On Ubuntu they stand in 'universe': sudo add-apt-repository -y universe" \
      "then run this again"
    ;;
  esac
}

check_cmake() {
  local have
  have=$(cmake_version)
  if ! version_at_least "${have:-0}" "$cmake_minimum"; then
    give_up 3 "CMake ${have:-of unknown version} is too old, $cmake_minimum or newer is needed" \
      "Get one from https://cmake.org/download and put it first in PATH," \
      "then run this again"
  fi
}

install_missing() {
  local missing still
  mapfile -t missing < <(find_missing "${packages[@]}")
  if [ ${#missing[@]} = 0 ]; then
    return
  fi
  if find_privilege; then
    privileged=1
  fi
  start_log
  require_candidates "${missing[@]}"
  if [ "$privileged" = 0 ]; then
    give_up 3 "missing: ${missing[*]}" "Installing them needs root. As root, type:" \
      "  apt-get install -y --no-install-recommends ${missing[*]}" "then run this again"
  fi
  say "installing ${missing[*]} (this can take a few minutes)"
  # A list that is out of date names files that are gone; then fetch new ones.
  if ! run_apt install --no-install-recommends "${missing[@]}"; then
    say "that failed; running apt-get update and trying once more"
    run_apt update || true
    if ! run_apt install --no-install-recommends "${missing[@]}"; then
      tail -n 30 "$log" >&2
      keep_log=1
      give_up 1 "apt-get could not install: ${missing[*]}" "the whole output is in $log"
    fi
  fi
  mapfile -t still < <(find_missing "${packages[@]}")
  if [ ${#still[@]} != 0 ]; then
    keep_log=1
    give_up 1 "still missing after the installation: ${still[*]}" "the whole output is in $log"
  fi
  say "done"
}

# Only what can be had without asking anybody for anything.
install_wanted() {
  local missing lacking package
  mapfile -t missing < <(find_missing "${wanted[@]}")
  if [ ${#missing[@]} = 0 ] || ! find_privilege; then
    return
  fi
  lacking=" $(without_candidate "${missing[@]}" | tr '\n' ' ')"
  local -a offered=()
  for package in "${missing[@]}"; do
    [[ $lacking == *" $package "* ]] || offered+=("$package")
  done
  if [ ${#offered[@]} = 0 ]; then
    return
  fi
  start_log
  say "installing ${offered[*]} for the tests"
  if ! run_apt install --no-install-recommends "${offered[@]}"; then
    say "that failed; the tests that need them are left out"
  fi
}

main() {
  if [ "${BANKSTRIPE_SKIP_SETUP:-0}" = 1 ]; then
    return
  fi
  if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    give_up 3 "this is not Debian or Ubuntu, so nothing can be installed from here" \
      "Needed are CMake $cmake_minimum, Ninja, g++, Python 3, and LLVM and Clang 22 with their" \
      "development files, GoogleTest, Eigen, CLI11, fmt and nlohmann-json. On Debian these are the packages:" \
      "  ${packages[*]}" \
      "Once they are there, run this again with BANKSTRIPE_SKIP_SETUP=1"
  fi
  install_missing
  install_wanted
  check_cmake
}

main "$@"
