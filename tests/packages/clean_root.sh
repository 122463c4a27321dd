#!/usr/bin/env bash
# clean_root.sh - the packages on a machine that has nothing
#
# Makes a Debian of the packages that every Debian has, in a folder, installs
# the Debian package there, and rewrites a kernel: no LLVM, no CUDA, no compiler.
# Then the same with the wheel, of which pip needs Python, but the program not.
#
# Usage: clean_root.sh BUILD_FOLDER [ROOT]
#
# BUILD_FOLDER is where the targets `package` and `wheel` left their files. ROOT
# is a root that debootstrap made before; without it one is made, which takes a
# minute and 210 MB, from the mirror in BANKSTRIPE_MIRROR if that is set. Needs root.
#
# Exit status: 0 all of it works, 1 something does not, 3 it cannot be tried here
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail

build=$(cd "$1" && pwd)
mirror=${BANKSTRIPE_MIRROR:-} # Otherwise the one that debootstrap takes.
release=bookworm

# Whose header the tool brings along itself; others would need a C++ library.
kernel='#include <cuda_runtime.h>
__global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}
void launch(const int *in, int *out) { count<<<1, 128>>>(in, out); }'

cannot() {
  echo "clean_root: $*" >&2
  exit 3
}

fail() {
  echo "clean_root: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || cannot "it needs root, for chroot"
command -v debootstrap >/dev/null || cannot "debootstrap is missing"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
if [ $# -gt 1 ]; then
  cp -a "$2" "$root"
elif ! debootstrap --variant=minbase "$release" "$root" ${mirror:+"$mirror"} >"$work/log" 2>&1; then
  tail -n 5 "$work/log" >&2
  cannot "debootstrap failed"
fi

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# try PROGRAM - looks at a kernel and rewrites it, as its author would.
try() {
  local program=$1
  inside "$program" --version | grep -E '^bankstripe [0-9.]+ \(Clang [0-9.]+\)$' ||
    fail "$program does not say its version"
  rm -rf "$root/srv/sample"
  mkdir -p "$root/srv/sample"
  printf '%s\n' "$kernel" >"$root/srv/sample/kernel.cu"
  inside "$program" analyze /srv/sample/kernel.cu >"$work/analyze" 2>&1 ||
    fail "analyze fails: $(cat "$work/analyze")"
  grep -q 'stripe' "$work/analyze" || fail "analyze finds nothing: $(cat "$work/analyze")"
  inside "$program" rewrite --quiet --in-place /srv/sample/kernel.cu || fail "rewrite fails"
  grep -q '__shared__' "$root/srv/sample/kernel.cu" || fail "rewrite changes nothing"
  [ -s "$root/srv/sample/bankstripe.cuh" ] || fail "rewrite leaves no helper"
  inside "$program" rewrite --check --quiet /srv/sample/kernel.cu ||
    fail "rewriting again would change something"
}

for file in "$build"/bankstripe_*.deb "$build"/bankstripe-*.whl; do
  [ -e "$file" ] || fail "there is no $file; make the targets package and wheel"
done

inside sh -c 'command -v clang || command -v gcc || command -v nvcc' && fail "the root is not clean"
cp "$build"/bankstripe_*.deb "$root/srv/bankstripe.deb"
inside dpkg -i /srv/bankstripe.deb
try bankstripe
inside bankstripe-verify --version 2>/dev/null && fail "the package holds more than it should"
cp "$build"/bankstripe-verify_*.deb "$root/srv/verify.deb"
inside dpkg -i /srv/verify.deb
inside bankstripe-verify --version
inside dpkg -r bankstripe-verify bankstripe
[ ! -e "$root/usr/lib/bankstripe" ] || fail "the package leaves files behind"

python3 -m venv "$root/opt/environment"
"$root/opt/environment/bin/pip" install --quiet --no-index --disable-pip-version-check \
  "$build"/bankstripe-*.whl
try /opt/environment/bin/bankstripe
"$root/opt/environment/bin/pip" uninstall --quiet -y bankstripe
[ ! -e "$root/opt/environment/bin/bankstripe" ] || fail "pip leaves the program behind"
echo "clean_root: the packages work"
