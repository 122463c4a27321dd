#!/usr/bin/env python3
"""What bankstripe decides about the kernels of the sweep: decide.py [OPTION...] TOOL FOLDER

Writes the kernels into FOLDER (generate.py), has TOOL analyse the originals once for each size of a
block, and leaves what it prints, as JSON, in FOLDER/decisions-BLOCK.json, for analyse.py. Holds it
to what must be so, whatever it decides: each array is seen, resident in local memory, and its index
uniform where the kernel says so.

  --blocks=N,...  sizes of blocks (default: those of the sweep)
  --every=N       only each Nth file
  --no-confirm    do not ask ptxas
  --arch=sm_NN    (default: sm_90)

Exit status: 0 all is well, 1 an array is not seen as it is, 2 bad usage or TOOL fails.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import subprocess
import sys

import generate

HERE = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    parser.add_argument("--blocks", default=",".join(map(str, generate.BLOCKS)))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--no-confirm", action="store_true")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    return parser.parse_args()


def chosen(every):
    """Kernels, as generate.points() has them."""
    names = [configuration.name for configuration in generate.configurations()][::every]
    return {kernel: point for kernel, point in generate.points().items() if point[0].name in names}


def write_launches(folder, block, every):
    """Programs that launch the originals with blocks of that many threads, so that launches can
    bring the memory."""
    launches = {}
    for kernel, (configuration, _) in chosen(every).items():
        number = generate.TYPES[configuration.type].number
        launches.setdefault(configuration.name, []).append(
            f"  {kernel}<<<1, {block}>>>(Job<{number}>());")
    for name, lines in launches.items():
        original = (folder / "originals" / f"{name}.cu").read_text(encoding="utf-8")
        text = "\n".join([original, "void launch() {", *lines, "}"])
        generate.write(folder / f"launches-{block}" / f"{name}.cu", text + "\n")


def decide(options, block):
    """What the tool prints for blocks of that many threads."""
    write_launches(options.folder, block, options.every)
    command = [options.tool, "analyze", "--no-cache", "--format=json",
               *(["--no-confirm"] if options.no_confirm else []), "--whole-program",
               options.folder / f"launches-{block}", "--", "-std=c++17",
               f"-arch={options.arch}", f"-I{HERE}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"decide: {options.tool} ends with status {done.returncode}", file=sys.stderr)
        sys.exit(2)
    return done.stdout


def mistakes(decided, every):
    """Kernels whose array is not seen as it is."""
    seen = {kernel: array for array in decided["arrays"] for kernel in array["kernels"]}
    for kernel, (configuration, elements) in chosen(every).items():
        expected = ([elements], generate.TYPES[configuration.type].bytes, "local memory",
                    "uniform" if configuration.uniform else "non-uniform")
        array = seen.get(kernel)
        found = array and (array["extents"], array["elementBytes"], array["residency"],
                           array["index"])
        if found != expected:
            yield f"{kernel}: {found} instead of {expected}"


def main():
    options = arguments()
    generate.generate(options.folder)
    status = 0
    for block in options.blocks.split(","):
        text = decide(options, block)
        (options.folder / f"decisions-{block}.json").write_text(text, encoding="utf-8")
        wrong = list(mistakes(json.loads(text), options.every))
        kernels = len(chosen(options.every))
        print(f"blocks of {block}: {kernels - len(wrong)} of {kernels} arrays are seen as they are")
        for line in wrong:
            print(f"  {line}")
        status = status or bool(wrong)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
