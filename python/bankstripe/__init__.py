"""Moves per-thread CUDA arrays from local memory into shared memory.

This calls the program `bankstripe`, for Python programs that hold kernels as strings:

    module = cupy.RawModule(code=bankstripe.rewrite(source))

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import os
import pathlib
import shutil
import subprocess
import sysconfig
from typing import Iterable, Optional

__all__ = ["Error", "program", "rewrite"]

_log = logging.getLogger("bankstripe")


class Error(RuntimeError):
    """The program could not process a source; the text is what it said."""


def program() -> str:
    """The path of the program: what $BANKSTRIPE names, else that of this package, else on PATH.

    Raises FileNotFoundError if there is none.
    """
    named = os.environ.get("BANKSTRIPE")
    if named:
        return named
    for scheme in (None, f"{os.name}_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = pathlib.Path(folder) / "bankstripe"
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("bankstripe")
    if not found:
        raise FileNotFoundError("there is no program 'bankstripe' on PATH, nor does BANKSTRIPE name one")
    return found


def rewrite(source: str, *options: str, compiler_options: Iterable[str] = (), cwd: Optional[str] = None) -> str:
    """Returns the CUDA source with its per-thread arrays moved, and with the helper in it.

    source: the text of a source, as NVRTC or nvcc would compile it. Its kernels are taken to be launched
        by name. Arrays move where launch bounds, or "--block-size=N" in options, bound the block.
    options: options of `bankstripe rewrite`, such as "--block-size=256" or "--gpu-arch=sm_90".
    compiler_options: options for the compiler, such as "-std=c++17", "-DN=8" or "-Iinclude".
    cwd: the folder that options and `#include "..."` are relative to; None: the current one.

    Where nothing would be gained, the source is returned as it is. What was done and why goes to the logger
    "bankstripe" (level INFO).

    Raises Error if the source cannot be read, FileNotFoundError if there is no program, and TypeError if
    compiler_options is a string instead of a list.
    """
    if isinstance(compiler_options, str):
        raise TypeError("compiler_options: a list of options is needed, such as ['-DN=8']")
    done = subprocess.run([program(), "rewrite", *options, "-", "--", *compiler_options], input=source.encode(),
                          capture_output=True, check=False, cwd=cwd)
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        raise Error(said.strip() or f"bankstripe ended with status {done.returncode}")
    _log.info("%s", said.rstrip())
    return done.stdout.decode()
