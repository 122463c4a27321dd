"""Compiles translation units with nvcc and reads what ptxas says of local memory.

A result is kept in a folder under a name made of everything that it depends
on, so that nothing is compiled twice.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from suite_commands import hash_of, hash_of_file

TIMEOUT = 900  # seconds for one translation unit
HELPERS = ("bankstripe.cuh", "bankstripe_launch.cuh", "bankstripe_choose.cuh")


class Cache:
    """JSON values by name; written so that a run that is cut off leaves no half of one."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def get(self, kind, key, make):
        path = self.folder / kind / f"{key}.json"
        if path.exists():
            return json.loads(path.read_text())
        value = make()
        if value is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
                json.dump(value, file)
            os.replace(file.name, path)
        return value


def read_report(text):
    """{function as mangled: bytes of stack frame} of what `ptxas -v` prints."""
    return {name: int(frame) for name, frame in
            re.findall(r"Function properties for (\S+)\s+(\d+) bytes stack frame", text)}


def compile_unit(unit, directory, file, before=(), after=()):
    """{"compiles", "frames", "errors"} of one unit, as `file` in `directory`."""
    # What the host's compiler makes of it is not looked at, so it may be quick.
    command = ["nvcc", *before, *unit.arguments, *after, "-arch=sm_90", "-Xptxas=-v",
               "-Xcompiler=-O0", "-Xcompiler=-w", "-w", "-c", file, "-o"]
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run([*command, scratch + "/object.o"], cwd=directory,
                                  capture_output=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return {"compiles": False, "frames": {}, "errors": "nvcc takes too long"}
    text = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
    errors = [line for line in text.splitlines() if re.search(r"error\b", line, re.I)]
    return {"compiles": done.returncode == 0, "frames": read_report(text),
            "errors": "" if done.returncode == 0 else "\n".join(errors[:5] or [text[-400:]])}


def original(cache, unit):
    key = hash_of(list(unit.arguments), unit.file, hash_of_file(unit.file))
    return cache.get("original", key,
                     lambda: compile_unit(unit, unit.directory, unit.file))


def mirror(root, changes, place):
    """A copy of the suite `root` in which `changes` {path below root: text} are made.

    Folders without a change are links, files without one hard links or copies.
    """
    changed = {pathlib.Path(path).parts[0] for path in changes}
    place = pathlib.Path(place)
    for entry in root.iterdir():
        if entry.name in changed:
            shutil.copytree(entry, place / entry.name, symlinks=True, copy_function=link_or_copy)
        else:
            (place / entry.name).symlink_to(entry)
    for path, text in changes.items():
        target = place / path
        target.unlink(missing_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def rewritten(cache, root, unit, changes):
    """As original(), with `changes`, which include the helper."""
    key = hash_of(list(unit.arguments), unit.file, hash_of_file(unit.file), sorted(changes.items()))

    def make():
        with tempfile.TemporaryDirectory() as place:
            mirror(root, changes, place)

            def moved(path):
                return os.path.join(place, os.path.relpath(path, root))
            arguments = tuple(moved_option(a, moved, root) for a in unit.arguments)
            return compile_unit(type(unit)(unit.directory, unit.file, arguments),
                                moved(unit.directory), moved(unit.file))
    return cache.get("rewritten", key, make)


def moved_option(argument, moved, root):
    """An -I with an absolute path into the suite names the copy."""
    path = argument[2:]
    if argument.startswith("-I") and path.startswith(str(root) + "/"):
        return "-I" + moved(path)
    return argument


def plain_name(name):
    """A demangled or qualified name without parameters, template arguments and the
    names of unnamed and internal namespaces."""
    name = name.replace("(anonymous namespace)::", "")
    depth, plain = 0, ""
    for character in name.replace("operator()", "operator\0"):
        depth += character in "<("
        if not depth:
            plain += character
        depth -= character in ">)" and depth > 0
    plain = re.sub(r"_INTERNAL_\w+::|_GLOBAL__N_\w+::", "", plain.replace("\0", "()"))
    return plain.split("[")[0].strip().split(" ")[-1]


def demangled(names):
    names = list(names)
    if not names:
        return {}
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True)
    return {name: plain_name(line) for name, line in zip(names, done.stdout.splitlines())}


def largest_frames(results):
    """{plain name: the largest stack frame of any function of that name}."""
    frames = {}
    for result in results:
        for name, plain in demangled(result["frames"]).items():
            frames[plain] = max(frames.get(plain, 0), result["frames"][name])
    return frames
