#!/usr/bin/env bash
# setup_test.sh - scripts/setup.sh and scripts/common.sh on invented machines
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
  libclang-rt-22-dev clang-format-22 libgtest-dev libcli11-dev
  libfmt-dev nlohmann-json3-dev
  clang-tools-22 nodejs python3-yaml"

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
expect_no_output() { [ -z "$output" ] || fail "expected no output"; }
expect_call() { grep -qF -- "$1" "$machine/calls" || fail "expected a call of apt-get with: $1"; }
expect_no_call() { [ ! -s "$machine/calls" ] || fail "expected no call of apt-get"; }
expect_calls() { [ "$(wc -l <"$machine/calls")" = "$1" ] || fail "expected $1 calls of apt-get"; }
expect_no_files() { [ -z "$(ls -A "$machine/tmp")" ] || fail "files were left behind"; }

new_machine "says and does nothing where everything is there"
setup
expect_status 0
expect_no_output
expect_no_call

new_machine "installs just what is missing, without questions"
without libgtest-dev clang-22
setup
expect_status 0
expect_calls 1
expect_call "install --no-install-recommends clang-22 libgtest-dev; frontend noninteractive"
expect_no_files

new_machine "takes programs from elsewhere"
without cmake ninja-build g++ python3
setup
expect_status 0
expect_no_output
expect_no_call

new_machine "installs a program that is not there"
rm "$machine/bin/ninja"
fake apt-get <<<'
  echo "$*; frontend $DEBIAN_FRONTEND" >>"$MACHINE/calls"
  cp "$MACHINE/bin/g++" "$MACHINE/bin/ninja"'
setup
expect_status 0
expect_calls 1
expect_call "install --no-install-recommends ninja-build;"

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
  expect_call "update"
  expect_output "no configured repository offers: llvm-22-dev libclang-22-dev"
  expect_no_files
}

new_machine "says which lines add LLVM 22 on Ubuntu"
llvm_missing ID=ubuntu VERSION_CODENAME=noble UBUNTU_CODENAME=noble
expect_output "deb https://apt.llvm.org/noble/ llvm-toolchain-noble-22 main"
expect_output "apt.llvm.org/llvm-snapshot.gpg.key"

new_machine "says which lines add LLVM 22 on Debian 12"
llvm_missing ID=debian VERSION_CODENAME=bookworm
expect_output "deb https://apt.llvm.org/bookworm/ llvm-toolchain-bookworm-22 main"
expect_output "bookworm-security"

new_machine "says which lines add LLVM 22 on Debian unstable"
llvm_missing ID=debian VERSION_CODENAME=sid
expect_output "deb https://apt.llvm.org/unstable/ llvm-toolchain-22 main"

new_machine "looks through to the release that a derivative is made from"
llvm_missing ID=linuxmint VERSION_CODENAME=wilma UBUNTU_CODENAME=noble
expect_output "llvm-toolchain-noble-22"

new_machine "points to the list of releases when it does not know its own"
llvm_missing ID=debian
expect_output "see https://apt.llvm.org"

new_machine "names universe when another package is not offered"
without libgtest-dev
sed -i /libgtest-dev/d "$machine/offered" "$machine/fetched"
setup
expect_status 3
expect_output "no configured repository offers: libgtest-dev"
expect_output "universe"

new_machine "tells a user without sudo what root has to type"
without libgtest-dev
fake id <<<'echo 1000'
setup
expect_status 3
expect_output "apt-get install -y --no-install-recommends libgtest-dev"
expect_no_call
expect_no_files

new_machine "does not wait for a password without a terminal"
without libgtest-dev
fake id <<<'echo 1000'
fake sudo <<<'[ "$1" != -n ] || exit 1; echo "sudo asked" >>"$MACHINE/calls"'
setup
expect_status 3
expect_no_call

new_machine "tells a user without sudo about LLVM first"
fake id <<<'echo 1000'
without llvm-22-dev
sed -i /llvm-22-dev/d "$machine/offered"
setup
expect_status 3
expect_output "llvm-toolchain-trixie-22"
expect_no_call

new_machine "uses sudo where it works"
without libgtest-dev
fake id <<<'echo 1000'
fake sudo <<<'[ "$1" != -n ] || shift; echo "sudo $1" >>"$MACHINE/calls"; "$@"'
setup
expect_status 0
expect_call "sudo env"
expect_call "install --no-install-recommends libgtest-dev"

new_machine "fetches the lists and tries again when an installation fails"
without libgtest-dev
echo "404 not found" >"$machine/install-fails"
setup
expect_status 0
expect_calls 3
expect_call "update"

new_machine "shows what apt-get said when it fails twice"
without libgtest-dev
printf 'first failure\ndisk is full\n' >"$machine/install-fails"
setup
expect_status 1
expect_output "disk is full"
expect_output "could not install: libgtest-dev"

new_machine "notices that an installation did not help"
without libgtest-dev
fake apt-get <<<'exit 0'
setup
expect_status 1
expect_output "still missing after the installation: libgtest-dev"

new_machine "installs what only tests need after all else"
without clang-tools-22 libgtest-dev
setup
expect_status 0
expect_calls 2
expect_call "install --no-install-recommends libgtest-dev;"
expect_call "install --no-install-recommends clang-tools-22;"
expect_no_files

new_machine "leaves out what only tests need where it is not offered"
without python3-yaml
: >"$machine/offered"
setup
expect_status 0
expect_no_output
expect_no_call

new_machine "goes on when what only tests need cannot be installed"
without python3-yaml
echo "404 not found" >"$machine/install-fails"
setup
expect_status 0
expect_calls 1
expect_output "the tests that need them are left out"

new_machine "asks nobody for what only tests need"
without python3-yaml
fake id <<<'echo 1000'
setup
expect_status 0
expect_no_output
expect_no_call

new_machine "stops on a CMake that is too old"
fake cmake <<<'echo "cmake version 3.22.1"'
setup
expect_status 3
expect_output "CMake 3.22.1 is too old, 3.25 or newer is needed"
expect_no_call

new_machine "takes a CMake with a larger minor number"
fake cmake <<<'echo "cmake version 3.100.0-rc1"'
setup
expect_status 0
expect_no_output

new_machine "lists the packages on another distribution"
rm "$machine/bin/dpkg-query" "$machine/bin/apt-get"
setup
expect_status 3
expect_output "this is not Debian or Ubuntu"
expect_output "llvm-22-dev"
setup BANKSTRIPE_SKIP_SETUP=1
expect_status 0
expect_no_output

common() { # common COMMAND [VARIABLE=VALUE...]
  output=$(env -i PATH="$machine/bin" MACHINE="$machine" "${@:2}" \
    /bin/bash -c ". '$scripts/common.sh'; $1" 2>&1 </dev/null)
  status=$?
}

new_machine "finds nvcc where the environment says"
mkdir -p "$machine/toolkit/bin"
cp "$machine/bin/g++" "$machine/toolkit/bin/nvcc"
common find_nvcc CUDA_HOME="$machine/toolkit"
expect_status 0
expect_output "$machine/toolkit/bin/nvcc"

new_machine "finds nvcc on PATH"
fake nvcc <<<'exit 0'
common find_nvcc CUDA_HOME="$machine/nowhere"
expect_status 0
expect_output "$machine/bin/nvcc"

new_machine "knows a GPU that answers"
fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200"'
common have_gpu
expect_status 0

new_machine "knows a driver without a GPU"
fake nvidia-smi <<<'echo "No devices were found"; exit 6'
common have_gpu
expect_status 1

new_machine "knows a machine without a driver"
common have_gpu
expect_status 1

echo "$count machines, $failures failures"
[ "$failures" = 0 ]
