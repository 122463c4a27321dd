"""How a folder of a suite of CUDA programs is compiled, as its Makefile says.

`make -n` prints the commands; those that compile CUDA are kept, one per file,
with what matters to a compiler of device code. The architecture is ours. A
folder without a Makefile that works is taken as a set of .cu files.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess

ARCHITECTURE = "sm_90"
# The oldest standard that the headers of CUDA 13 accept.
OLDEST_STANDARD = "c++17"

TAKES_VALUE = {"I", "D", "U", "include", "isystem", "std", "x", "maxrregcount", "default-stream",
               "fmad", "ftz", "prec-div", "prec-sqrt", "rdc", "Xcompiler", "Xptxas", "o", "arch",
               "gencode", "L", "l", "ccbin", "Xlinker", "odir", "MF", "MT", "G", "t",
               "generate-code", "gpu-architecture", "relocatable-device-code", "compiler-bindir"}
KEPT = {"I", "D", "U", "include", "isystem", "maxrregcount", "default-stream", "fmad", "ftz",
        "prec-div", "prec-sqrt", "rdc", "relocatable-device-code", "use_fast_math",
        "expt-relaxed-constexpr", "expt-extended-lambda", "extended-lambda"}


@dataclasses.dataclass(frozen=True)
class Unit:
    """One translation unit: nvcc's arguments, without phase, output and architecture."""
    directory: str
    file: str  # absolute
    arguments: tuple

    def command(self):
        return ["nvcc", *self.arguments, f"-arch={ARCHITECTURE}", "-c", self.file]


def split_arguments(arguments):
    """Those of a script, and those behind `--`, which are for the tool."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:end], arguments[end + 1:]


def hash_of(*parts):
    """A name for a combination of strings, bytes and lists of strings."""
    state = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else json.dumps(part).encode()
        state.update(b"%d:" % len(data) + data)
    return state.hexdigest()[:24]


def hash_of_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:24]


def make_commands(folder):
    """(directory, words) of every command that `make` would run."""
    if not any((folder / name).exists() for name in ("Makefile", "makefile", "GNUmakefile")):
        return
    try:
        done = subprocess.run(["make", "-n", "-B", "-k", "-w", f"ARCH={ARCHITECTURE}"], cwd=folder,
                              capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return
    directories = [str(folder)]
    for line in done.stdout.decode(errors="replace").replace("\\\n", " ").splitlines():
        entered = re.match(r"make\S*: Entering directory '(.*)'", line)
        if entered:
            directories.append(entered[1])
            continue
        if re.match(r"make\S*: Leaving directory", line):
            directories.pop()
            continue
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            continue  # Not a command, but what one prints.
        directory, command = directories[-1], []
        for word in words + [";"]:
            if not set(word) <= set(";&|"):
                command.append(word)
                continue
            if command[:1] == ["cd"] and len(command) == 2:
                directory = os.path.join(directory, command[1])
            elif command:
                yield directory, command
            command = []


def read_options(words):
    """(kept arguments, inputs, language) of the words after the compiler's name."""
    kept, inputs, language, standard = [], [], None, OLDEST_STANDARD
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if name in TAKES_VALUE and not equals:
            value = words[position] if position < len(words) else ""
            position += 1
        elif not word.startswith("--") and name[:1] in "IDUlL" and name not in KEPT:
            name, value = word[1], word[2:]
        if name == "std":
            newer = re.fullmatch(r"(?:c|gnu)(\+\+[1-8]\w)", value)
            standard = max(standard, f"c{newer[1]}") if newer else standard
        elif name == "x":
            language = value
        elif name == "dc":
            kept.append("-rdc=true")
        elif name == "Xcompiler" and "-fopenmp" in value:
            kept.append("-Xcompiler=-fopenmp")
        elif name in ("I", "D", "U"):
            kept.append(f"-{name}{value}")
        elif name in KEPT:
            kept.append(f"-{name}={value}" if value else f"-{name}")
    return list(dict.fromkeys([f"-std={standard}", *kept])), inputs, language


def units_of(folder):
    """The CUDA translation units of a folder, each file once."""
    units = {}
    for directory, words in make_commands(folder):
        compiler = os.path.basename(words[0])
        if compiler not in ("nvcc", "nvc++"):
            continue
        arguments, inputs, language = read_options(words[1:])
        for name in inputs:
            path = os.path.realpath(os.path.join(directory, name))
            if not os.path.isfile(path) or not (name.endswith(".cu") or (
                    language == "cu" and re.search(r"\.(c|cc|cpp|cxx)$", name))):
                continue
            extra = [] if name.endswith(".cu") else ["-x=cu"]
            units.setdefault(path, Unit(os.path.realpath(directory), path,
                                        tuple(arguments + extra)))
    if not units:
        units = {unit.file: unit for unit in guess_units(folder)}
    return [units[path] for path in sorted(units)]


def guess_units(folder):
    """For want of a Makefile: every .cu that no other file includes."""
    texts = {path: path.read_text(errors="replace") for path in sorted(folder.rglob("*"))
             if path.suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp") and path.is_file()}
    included = {os.path.basename(name) for text in texts.values()
                for name in re.findall(r'#\s*include\s*["<]([^">]+)', text)}
    headers = {path.parent for path in texts if path.suffix in (".h", ".hpp", ".cuh")}
    includes = [f"-I{path}" for path in sorted({folder, folder.parent / "include", *headers})]
    return [Unit(str(folder), os.path.realpath(path), (f"-std={OLDEST_STANDARD}", *includes))
            for path in texts if path.suffix == ".cu" and path.name not in included]


def write_database(units, place):
    """compile_commands.json in the folder `place`."""
    pathlib.Path(place).mkdir(parents=True, exist_ok=True)
    entries = [{"directory": u.directory, "file": u.file, "arguments": u.command()}
               for u in units]
    (pathlib.Path(place) / "compile_commands.json").write_text(json.dumps(entries, indent=1))
