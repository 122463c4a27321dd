#!/usr/bin/env bash
# clean_root.sh - the packages on a machine that has nothing
#
# Makes a Debian of the packages that every Debian has, in a folder, installs
# the Debian package there, and takes the first steps of somebody new, as
# new_user/*.txt write them down: no LLVM, no CUDA, and of compilers g++ alone,
# whose headers the sample includes. Then with a copy of the CUDA toolkit of this
# machine, to compile what was rewritten.
# Last the wheel, of which pip needs Python, but the program not. From the package
# to the rewritten sample, g++ included, five minutes are allowed.
#
# Usage: clean_root.sh [--update] BUILD_FOLDER [RELEASE [ROOT]]
#
# BUILD_FOLDER is where the targets `package` and `wheel` left their files. RELEASE
# is Debian's, bookworm unless given. ROOT is a root that debootstrap made before;
# without it one is made, which takes a minute and 210 MB, from the mirror in
# BANKSTRIPE_MIRROR if that is set. g++ comes from the mirror that the root knows.
# Needs root. --update writes new_user/*.txt anew.
#
# Exit status: 0 all of it works, 1 something does not, 3 it cannot be tried here,
# also where all else works, but there is no toolkit
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
update=()
if [ "${1:-}" = --update ]; then
  update=(--update)
  shift
fi
build=$(cd "$1" && pwd)
mirror=${BANKSTRIPE_MIRROR:-} # Otherwise the one that debootstrap takes.
toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
release=${2:-bookworm}
longest=300 # Seconds.

cannot() {
  echo "clean_root: $*" >&2
  exit 3
}

fail() {
  echo "clean_root: $*" >&2
  exit 1
}

# step TITLE - what comes now, and when, in seconds since the start.
step() { printf 'clean_root: %4d s  %s\n' "$SECONDS" "$*"; }

[ "$(id -u)" = 0 ] || cannot "it needs root, for chroot"
command -v debootstrap >/dev/null || cannot "debootstrap is missing"
for file in "$build"/bankstripe_*.deb "$build"/bankstripe-*.whl; do
  [ -e "$file" ] || fail "there is no $file; make the targets package and wheel"
done

work=$(mktemp -d)
root=$work/root
# In some containers debootstrap leaves /proc mounted there.
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
step "a Debian $release"
if [ $# -gt 2 ]; then
  cp -a "$3" "$root"
elif ! debootstrap --variant=minbase "$release" "$root" ${mirror:+"$mirror"} >"$work/log" 2>&1; then
  tail -n 5 "$work/log" >&2
  cannot "debootstrap failed"
fi
# apt looks for a terminal, and there is none.
echo 'Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf.d/no-terminal"

environment=(DEBIAN_FRONTEND=noninteractive HOME=/root
  PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin:/sbin:/bin)
inside() { chroot "$root" /usr/bin/env -i -C /srv "${environment[@]}" "$@"; }

# follow NAME - the commands of new_user/NAME.txt, with what they have to print.
follow() {
  "$here/../scripts/transcript.py" "${update[@]}" "$here/new_user/$1.txt" \
    chroot "$root" /usr/bin/env -i -C /srv "${environment[@]}" || fail "new_user/$1.txt is not so"
}

# copy_toolkit - what nvcc needs of this machine's toolkit, where the root looks for it.
copy_toolkit() {
  mkdir -p "$root/usr/local/cuda"
  tar -C "$toolkit/" -ch bin nvvm include lib64/libcudart_static.a lib64/libcudadevrt.a |
    tar -C "$root/usr/local/cuda" -x
}

inside sh -c 'command -v clang || command -v gcc || command -v nvcc' && fail "the root is not clean"
cp "$build"/bankstripe_*.deb "$root/srv/"
step "the Debian package"
started=$SECONDS
follow install
inside apt-get install -qq --no-install-recommends g++ >"$work/log" 2>&1 ||
  { tail -n 5 "$work/log" >&2; cannot "g++ cannot be installed"; }
follow use
step "the first array is rewritten, $((SECONDS - started)) s after the package came"
[ $((SECONDS - started)) -le $longest ] || fail "that is more than $longest s"
inside bankstripe-verify --version 2>/dev/null && fail "the package holds more than it should"
cp "$build"/bankstripe-verify_*.deb "$root/srv/verify.deb"
inside dpkg -i /srv/verify.deb
inside bankstripe-verify --version

left_out=''
if [ ! -x "$toolkit/bin/nvcc" ]; then
  left_out="there is no nvcc in $toolkit, so nothing was compiled"
else
  copy_toolkit
  step "nvcc: $(du -sh "$root/usr/local/cuda" | cut -f 1) of $toolkit are copied"
  follow compile
fi

inside dpkg -r bankstripe-verify bankstripe
[ ! -e "$root/usr/lib/bankstripe" ] || fail "the package leaves files behind"

step "the wheel"
python3 -m venv "$root/opt/environment"
"$root/opt/environment/bin/pip" install --quiet --no-index --disable-pip-version-check \
  "$build"/bankstripe-*.whl
rm -rf "$root/srv/striped" "$root/usr/local/cuda"
environment[2]=PATH=/opt/environment/bin:/usr/sbin:/usr/bin:/sbin:/bin
follow use
# The package runs the program that pip put beside it.
env -u BANKSTRIPE "$root/opt/environment/bin/python" -I -c '
import bankstripe
text = bankstripe.rewrite("""extern "C" __global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}""", "--no-confirm")
assert "last_stripes" in text, text' || fail "the package of the wheel does not rewrite a string"
"$root/opt/environment/bin/pip" uninstall --quiet -y bankstripe
[ ! -e "$root/opt/environment/bin/bankstripe" ] || fail "pip leaves the program behind"
[ -z "$left_out" ] || cannot "$left_out; all else works"
step "the packages work"
