#!/usr/bin/env bash
# setup_test.sh - scripts/setup.sh on invented machines
#
# Each case builds a machine out of a folder: PATH holds nothing but links to a
# few plain tools and fakes of dpkg-query, apt-cache, apt-get, id and sudo, whose
# state is three files:
#
#   installed   packages that dpkg knows
#   offered     packages that the configured repositories offer
#   fetched     what `offered` becomes after `apt-get update`
#   calls       what apt-get was called with
#
# Usage: setup_test.sh SCRIPTS_FOLDER
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The fakes are programs: what they name is expanded when they run.
# shellcheck disable=SC2016,SC2001

set -uo pipefail
scripts=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
count=0

everything="cmake ninja-build g++ python3 clang-22 llvm-22-dev libclang-22-dev
  libclang-rt-22-dev clang-format-22 libgmock-dev libgtest-dev libeigen3-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev
  clang-tools-22 nodejs python3-yaml ccache sccache mkdocs mkdocs-material"

fake() { # fake NAME <<< body
  { echo '#!/bin/bash'; cat; } >"$machine/bin/$1"
  chmod +x "$machine/bin/$1"
}

# A machine as root, with Debian's tools, everything offered and installed.
new_machine() {
  name=$1
  count=$((count + 1))
  machine=$work/$count
  mkdir -p "$machine/bin" "$machine/tmp"
  local tool
  for tool in awk bash cat cp dirname env false grep head mktemp rm sed sort tail tr true; do
    ln -s "$(command -v "$tool")" "$machine/bin/$tool"
  done
  ln -sf /bin/bash "$machine/bin/bash"
  # shellcheck disable=SC2086
  printf '%s\n' $everything | tee "$machine/installed" "$machine/offered" >"$machine/fetched"
  : >"$machine/calls"
  echo 'VERSION_CODENAME=trixie' >"$machine/os-release"
  fake dpkg-query <<<'
    for package; do
      case $package in -*) continue ;; esac
      if grep -qx -- "$package" "$MACHINE/installed"; then printf "%s=installed " "$package"; fi
    done
    exit 1'
  fake apt-cache <<<'
    shift
    for package; do
      if grep -qx -- "$package" "$MACHINE/offered"; then
        printf "%s:\n  Installed: (none)\n  Candidate: 1.0\n" "$package"
      elif [ "$package" = llvm-22-dev ]; then
        printf "%s:\n  Installed: (none)\n  Candidate: (none)\n" "$package"
      fi
    done'
  fake apt-get <<<'
    echo "$*; frontend $DEBIAN_FRONTEND" >>"$MACHINE/calls"
    case " $* " in
    *" update "*) cp "$MACHINE/fetched" "$MACHINE/offered" ;;
    *" install "*)
      if [ -s "$MACHINE/install-fails" ]; then
        head -n 1 "$MACHINE/install-fails"
        sed -i 1d "$MACHINE/install-fails"
        exit 100
      fi
      for package; do
        case $package in -* | install) ;; *) echo "$package" >>"$MACHINE/installed" ;; esac
      done ;;
    esac'
  fake id <<<'echo 0'
  local program
  for program in ninja g++ python3 node; do fake "$program" <<<'exit 0'; done
  fake cmake <<<'echo "cmake version 3.25.1"'
}

without() { # without PACKAGE... - takes them off the machine
  local package
  for package in "$@"; do sed -i "/^$package\$/d" "$machine/installed"; done
}

setup() {
  output=$(env -i PATH="$machine/bin" MACHINE="$machine" TMPDIR="$machine/tmp" \
    BANKSTRIPE_OS_RELEASE="$machine/os-release" "$@" \
    /bin/bash "$scripts/setup.sh" 2>&1 </dev/null)
  status=$?
}

fail() {
  echo "FAILED: $name: $*"
  printf '  status %s, output:\n' "$status"
  sed 's/^/  | /' <<<"$output"
  sed 's/^/  apt-get /' "$machine/calls"
  failures=$((failures + 1))
}

expect_status() { [ "$status" = "$1" ] || fail "expected status $1"; }
expect_output() { [[ $output == *"$1"* ]] || fail "expected in the output: $1"; }
expect_nothing() { [ -z "$output" ] && [ ! -s "$machine/calls" ] || fail "expected nothing"; }
expect_call() { grep -qF -- "$1" "$machine/calls" || fail "expected a call of apt-get with: $1"; }
expect_no_call() { [ ! -s "$machine/calls" ] || fail "expected no call of apt-get"; }
expect_calls() { [ "$(wc -l <"$machine/calls")" = "$1" ] || fail "expected $1 calls of apt-get"; }
expect_no_files() { [ -z "$(ls -A "$machine/tmp")" ] || fail "files were left behind"; }

new_machine "says and does nothing where everything is there"
setup
expect_status 0
expect_nothing

new_machine "installs just what is missing, without questions"
without libgtest-dev clang-22
rm "$machine/bin/ninja"
fake apt-get <<<'
  echo "$*; frontend $DEBIAN_FRONTEND" >>"$MACHINE/calls"
  printf "%s\n" libgtest-dev clang-22 >>"$MACHINE/installed"
  cp "$MACHINE/bin/g++" "$MACHINE/bin/ninja"'
setup
expect_status 0
expect_calls 1
expect_call "install --no-install-recommends ninja-build clang-22 libgtest-dev; frontend noninteractive"
expect_no_files

new_machine "installs nothing for tests where only the build is asked for"
without clang-22 mkdocs
setup BANKSTRIPE_BUILD_ONLY=1
expect_status 0
expect_calls 1
expect_call "install --no-install-recommends clang-22; frontend noninteractive"

new_machine "fetches the lists only when a package has no candidate"
without libgtest-dev
: >"$machine/offered"
setup
expect_status 0
expect_calls 2
expect_call "update"
expect_call "install --no-install-recommends libgtest-dev"

llvm_missing() { # llvm_missing OS-RELEASE-LINE...
  without llvm-22-dev libclang-22-dev
  sed -i '/-22/d' "$machine/offered" "$machine/fetched"
  printf '%s\n' "$@" >"$machine/os-release"
  setup
  expect_status 3
  expect_calls 1
  expect_output "no configured repository offers: llvm-22-dev libclang-22-dev"
}

new_machine "says which lines add LLVM 22 on Debian 12"
llvm_missing ID=debian VERSION_CODENAME=bookworm
expect_output "deb https://apt.llvm.org/bookworm/ llvm-toolchain-bookworm-22 main"
expect_output "bookworm-security"

new_machine "says which lines add LLVM 22 on what is made from Ubuntu"
llvm_missing ID=linuxmint VERSION_CODENAME=wilma UBUNTU_CODENAME=noble
expect_output "deb https://apt.llvm.org/noble/ llvm-toolchain-noble-22 main"

new_machine "tells a user without sudo what root has to type, and waits for no password"
without libgtest-dev
fake id <<<'echo 1000'
fake sudo <<<'[ "$1" != -n ] || exit 1; echo "sudo asked" >>"$MACHINE/calls"'
setup
expect_status 3
expect_output "apt-get install -y --no-install-recommends libgtest-dev"
expect_no_call

new_machine "uses sudo where it works"
without libgtest-dev
fake id <<<'echo 1000'
fake sudo <<<'[ "$1" != -n ] || shift; echo "sudo $1" >>"$MACHINE/calls"; "$@"'
setup
expect_status 0
expect_call "sudo env"
expect_call "install --no-install-recommends libgtest-dev"

new_machine "fetches the lists, tries again, and shows what apt-get says then"
without libgtest-dev
printf 'first failure\ndisk is full\n' >"$machine/install-fails"
setup
expect_status 1
expect_calls 3
expect_output "disk is full"
expect_output "could not install: libgtest-dev"

new_machine "goes on when what only tests need cannot be installed"
without python3-yaml
echo "404 not found" >"$machine/install-fails"
setup
expect_status 0
expect_call "install --no-install-recommends python3-yaml;"
expect_output "the tests that need them are left out"

new_machine "stops on a CMake that is too old"
fake cmake <<<'echo "cmake version 3.22.1"'
setup
expect_status 3
expect_output "CMake 3.22.1 is too old, 3.25 or newer is needed"

new_machine "lists the packages on another distribution"
rm "$machine/bin/dpkg-query" "$machine/bin/apt-get"
setup
expect_status 3
expect_output "this is not Debian or Ubuntu"
expect_output "llvm-22-dev"
setup BANKSTRIPE_SKIP_SETUP=1
expect_status 0
expect_nothing

echo "$count machines, $failures failures"
[ "$failures" = 0 ]
