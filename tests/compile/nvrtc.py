#!/usr/bin/env python3
"""Compiles kernels with NVRTC as `bankstripe rewrite -` prints them.

    nvrtc.py --tool=BANKSTRIPE [FILE.cu...]

Of each FILE, by default all of test_inputs/*.cu but one, the device code is what a program that
compiles it while it runs would hold: all functions of the host are cut out. It goes through
`bankstripe rewrite -` with everything moved, and then through each NVRTC that is there: in the
folders that BANKSTRIPE_NVRTC lists, in those of the packages nvidia-cuda-nvrtc* of this Python, and
in the toolkit.

Exit status: 0 all compile, 1 not, 77 there is no NVRTC.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import ctypes
import glob
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
HOST_IN_NAMESPACE = "early_return.cu"  # Where it is not cut out.
STAYS = re.compile(r"__global__|__device__|__constant__|\b(?:struct|class|union|enum|namespace|using|typedef|"
                   r"constexpr|static_assert)\b|^\s*(?:static )?const\b")
TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*>")


def libraries():
    """Paths of the NVRTC libraries, each file once."""
    folders = os.environ.get("BANKSTRIPE_NVRTC", "").split(os.pathsep)
    folders += glob.glob(f"{sysconfig.get_path('purelib')}/nvidia/*/lib")
    folders += [f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/lib64"]
    found = {os.path.realpath(path) for folder in folders if folder
             for path in glob.glob(f"{folder}/libnvrtc.so*")}
    return sorted(path for path in found if ".alt." not in path)


class Compiler:
    """One NVRTC."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def problem(self, source, *options):
        """What it says against a source; nothing when that compiles."""
        call, program, size = self.library, ctypes.c_void_p(), ctypes.c_size_t()
        call.nvrtcCreateProgram(ctypes.byref(program), source.encode("latin-1"), b"kernel.cu", 0, None, None)
        words = [option.encode() for option in options]
        status = call.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
        call.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        call.nvrtcGetProgramLog(program, log)
        call.nvrtcDestroyProgram(ctypes.byref(program))
        return log.value.decode("latin-1") or f"status {status}" if status else ""


def top_level(text):
    """The declarations and directives of a source, in order."""
    tokens = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^#(?:\\\r?\n|[^\n])*|.',
                        re.DOTALL | re.MULTILINE)
    piece, depth = "", 0
    for token in tokens.findall(text):
        piece += token
        depth += (token == "{") - (token == "}")
        if depth == 0 and (token in ";}" or (token.startswith("#"))):
            yield piece
            piece = ""
    yield piece


def device_code(text):
    """The source without functions and variables of the host, and without standard headers."""
    kept = ""
    for piece in top_level(text):
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", piece, flags=re.DOTALL)
        if code.strip().startswith("#"):
            kept += "" if re.search(r"#\s*include\s*<", code) else piece
        elif STAYS.search(TEMPLATE.sub("", code.split("{")[0])) or code.strip() in (";", ""):
            kept += piece
    return kept


def rewritten(tool, source, folder):
    done = subprocess.run([tool, "rewrite", "--no-cache", "--quiet", "--no-confirm", "--min-speedup=0", "-", "--",
                           "-std=c++17"], input=source.encode("latin-1"), capture_output=True, cwd=folder)
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def check(tool, files, compilers):
    problems, moved = [], 0
    for path in files:
        source = device_code(path.read_bytes().decode("latin-1"))
        flags = ["-std=c++17", "-arch=compute_80", f"-I{path.parent}"]
        said = compilers[-1].problem(source, *flags)
        if said:
            problems.append(f"{path.name}, before it is rewritten: NVRTC {compilers[-1].version}:\n{said}")
            continue
        status, text, errors = rewritten(tool, source, path.parent)
        if status:
            problems.append(f"{path.name}: bankstripe exits with {status}:\n{errors}")
            continue
        moved += text != source
        for compiler in compilers:
            said = compiler.problem(text, *flags)
            if said and not compiler.problem(source, *flags):
                problems.append(f"{path.name}: NVRTC {compiler.version}:\n{said}")
    print(f"{len(files)} programs, {moved} rewritten, with NVRTC {', '.join(c.version for c in compilers)}; "
          f"{len(problems)} problems")
    return problems, moved


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE.cu")
    parser.add_argument("--tool", required=True, help="the bankstripe executable")
    options = parser.parse_args()
    compilers = {compiler.version: compiler for compiler in map(Compiler, libraries())}
    compilers = [compilers[version] for version in sorted(compilers)]
    if not compilers:
        print("nvrtc: skipped: there is no NVRTC; it comes with the toolkit, or `pip install nvidia-cuda-nvrtc`")
        return SKIPPED
    files = [pathlib.Path(f).resolve() for f in options.files] or sorted(
        path for path in (ROOT / "test_inputs").glob("*.cu") if path.name != HOST_IN_NAMESPACE)
    problems, moved = check(options.tool, files, compilers)
    for problem in problems:
        print(f"nvrtc: {problem}", file=sys.stderr)
    return 1 if problems or not moved else 0


if __name__ == "__main__":
    sys.exit(main())
