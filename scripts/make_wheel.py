#!/usr/bin/env python3
"""Makes a Python wheel of a build with BANKSTRIPE_STATIC_LLVM.

Usage: make_wheel.py BUILD_FOLDER OUTPUT_FOLDER

The wheel holds what `cmake --install` installs, so that `pip install` puts the
program into the environment's bin, with all else where it looks for it. The
Python package in it (python/) calls the program. Its tag says which glibc it
needs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

# The same content makes the same file.
DATE = (1980, 1, 1, 0, 0, 0)

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "bankstripe"

SUMMARY = "Moves per-thread CUDA arrays from local memory into shared memory"

# What comes first in its description.
ABOUT = ("This wheel has `analyze`, `rewrite` and `wrap`. `verify`, `tune` and `replay` also need the programs of the "
         "Debian package `bankstripe-verify`.\n\n")


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def tag(programs):
    """manylinux_2_36_x86_64, as the newest symbol of glibc that is used says."""
    versions = [tuple(map(int, found)) for program in programs
                for found in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", program))]
    needed = {library for program in programs
              for library in re.findall(r"NEEDED +(\S+)", output("objdump", "-p", program))}
    foreign = {name for name in needed if not re.match(r"(libc|libm|libdl|libpthread|ld-linux.*)\.so", name)}
    if foreign:
        sys.exit(f"make_wheel: needs {', '.join(sorted(foreign))}; build with BANKSTRIPE_STATIC_LLVM")
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


class Wheel:
    def __init__(self, path, name):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.name = name
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, DATE)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        name = f"{self.name}.dist-info/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,", ""]).encode())
        self.archive.close()


def make(stage, folder, version):
    programs = sorted((stage / "bin").iterdir())
    platform_tag = tag(programs)
    name = f"bankstripe-{version}"
    path = folder / f"{name}-py3-none-{platform_tag}.whl"
    wheel = Wheel(path, name)
    readme = (stage / "share/doc/bankstripe/README.md").read_text(encoding="utf-8")
    wheel.add(f"{name}.dist-info/METADATA", (
        f"Metadata-Version: 2.1\nName: bankstripe\nVersion: {version}\nSummary: {SUMMARY}\n"
        "License: Apache-2.0 WITH LLVM-exception\nDescription-Content-Type: text/markdown\n\n"
        + ABOUT + readme).encode())
    wheel.add(f"{name}.dist-info/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{platform_tag}\n").encode())
    wheel.add(f"{name}.dist-info/LICENSE", (stage / "share/doc/bankstripe/LICENSE").read_bytes())
    for file in sorted(path for path in PACKAGE.iterdir() if path.is_file()):
        wheel.add(f"bankstripe/{file.name}", file.read_bytes())
    for file in sorted(path for path in stage.rglob("*") if path.is_file()):
        inside = file.relative_to(stage)
        if inside.parts[:2] == ("share", "lintian"):  # For Debian's package alone.
            continue
        if inside.parts[0] == "bin":
            wheel.add(f"{name}.data/scripts/{inside.name}", file.read_bytes(), 0o755)
        else:
            wheel.add(f"{name}.data/data/{inside}", file.read_bytes())
    wheel.close()
    return path


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as place:
        stage = pathlib.Path(place)
        subprocess.run(["cmake", "--install", build, "--prefix", stage, "--strip",
                        "--component", "tool"], check=True, stdout=subprocess.DEVNULL)
        version = output(stage / "bin/bankstripe", "--version").split()[1]
        path = make(stage, folder, version)
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
