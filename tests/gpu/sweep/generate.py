#!/usr/bin/env python3
"""Writes the kernels of the sweep: generate.py FOLDER

sweep.h says what they do. FOLDER gets

    originals/NAME.cu   the kernels with their arrays where the language puts them, one for each
                        number of elements: ordinary CUDA sources, which bankstripe can read
    programs/NAME.cu    the same kernels with the array in shared memory, in each layout, and the
                        table that driver.cu works through; it includes the originals

and NAME tells the type of an element, whether indices are uniform, the multiply-adds of a step,
what a step loads from global memory, and what it does with an element, if not both:
`u8_varying_32_loads`, `f32_uniform_8_quiet_writes`. Files that would not change are
left alone. Prints the names, the ones that take longest first.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import pathlib
import sys
from typing import NamedTuple

ELEMENTS = (4, 8, 16, 32, 64, 128, 256, 400)
ARITHMETIC = (0, 8, 32)
# What a step loads beside: nothing, what the L2 answers, and what the L1 can hold (sweep.h).
STREAMS = ("loads", "quiet")
CACHED_STREAMS = ("rows", "table")
TABLE_BYTES = 64 * 1024  # TableFloats of sweep.h
CACHED_TYPES, CACHED_ARITHMETIC = ("f64", "f32"), (8, 0)
# What a step does with the element.
UPDATES, ONE_WAY, TWICE = "updates", ("reads", "writes"), "rereads"
ONE_WAY_TYPES, ONE_WAY_ARITHMETIC = ("f64", "f32", "u8"), (8, 0)
BLOCKS = (64, 128, 256, 512, 1024)


class Element(NamedTuple):
    bytes: int
    spelling: str
    number: str  # in which arithmetic is done


TYPES = {"f64": Element(8, "double", "double"),
         "f32": Element(4, "float", "float"),
         "u16": Element(2, "unsigned short", "unsigned"),
         "u8": Element(1, "unsigned char", "unsigned")}
TYPE_OF_BYTES = {element.bytes: name for name, element in TYPES.items()}


class Configuration(NamedTuple):
    """What one file is about."""
    type: str
    uniform: bool
    arithmetic: int
    stream: str
    use: str = UPDATES

    @property
    def name(self):
        use = [] if self.use == UPDATES else [self.use]
        return "_".join([self.type, "uniform" if self.uniform else "varying",
                         str(self.arithmetic), self.stream, *use])

    def kernel(self, variant, elements):
        return f"{variant}_{self.name}_{elements}"


def configurations():
    return [Configuration(*choice) for choice in itertools.chain(
        itertools.product(TYPES, (False, True), reversed(ARITHMETIC), STREAMS),
        itertools.product(CACHED_TYPES, (False, True), CACHED_ARITHMETIC, CACHED_STREAMS),
        itertools.product(ONE_WAY_TYPES, (False, True), ONE_WAY_ARITHMETIC, STREAMS, ONE_WAY),
        itertools.product(CACHED_TYPES, (False, True), ONE_WAY_ARITHMETIC, STREAMS, (TWICE,)))]


def points():
    """Kernel of the original => its configuration and number of elements."""
    return {configuration.kernel("original", elements): (configuration, elements)
            for configuration in configurations() for elements in ELEMENTS}


class Layout(NamedTuple):
    declaration: str  # of the array
    element: str      # the one with number I
    bytes: str        # of shared memory, per warp


def stripe(unit, rows):
    return Layout(f"auto &A = stripe<{unit}, {rows}>();", "bankstripe::begin(A)[I]",
                  f"stripeBytes<{unit}, {rows}>()")


def layouts(element, elements):
    """Variant => layout. The original comes first, then the stripe that the controls are about."""
    spelling = element.spelling
    result = {"original": Layout(f"{spelling} A[{elements}];", "A[I]", "0")}
    if element.bytes < 4:
        rows = (elements * element.bytes + 3) // 4
        result["word"] = stripe(f"bankstripe::word<{spelling}>", elements)
        result["packed"] = stripe(f"bankstripe::packed<{spelling}>", rows)
        result["unpacked"] = stripe(spelling, elements)
    else:
        result["stripe"] = stripe(spelling, elements)
    result["slot"] = Layout(f"auto &A = slot<{spelling}, {elements}>();", "A[I]",
                            f"slotBytes<{spelling}, {elements}>()")
    return result


def indented(lines, depth):
    return [" " * depth + line for line in lines]


LOADS = {"loads": ["const float Loaded =",
                   "    J.Stream[(Thread + Step * J.StreamStride) & J.StreamMask];"],
         "rows": ["const float Loaded =",
                  "    J.Stream[(Thread * 32 + Step % 32) & J.StreamMask];"],
         "table": ["Look = nextRandom(Look);",
                   "const float Loaded = J.Stream[(Look >> 8) % TableFloats];"]}


def step(configuration, elements, layout):
    """The body of the loop."""
    element = TYPES[configuration.type]
    if configuration.uniform:
        lines = [f"const unsigned I = (J.First + Step * J.Stride) % {elements};"]
    else:
        lines = ["Random = nextRandom(Random);",
                 f"const unsigned I = ((Random >> 16) + Offset) % {elements};"]
    digest = "Digest"
    if configuration.stream != "quiet":
        lines += LOADS[configuration.stream]
        digest = "Digest ^ bits(Loaded)"
    read = layout.element if configuration.use != "writes" else f"{element.number}(Digest % 256)"
    lines.append(f"{element.number} X = {read} + Own;")
    if configuration.arithmetic:
        lines += [f"for (int K = 0; K < {configuration.arithmetic}; ++K)",
                  "  X = multiplyAdd(X, J.Factor, J.Term);"]
    if configuration.use == TWICE:
        again = layout.element.replace("I", f"(I + 3) % {elements}")
        lines.append(f"X = X + {again};")
    if configuration.use != "reads":
        lines.append(f"{layout.element} = static_cast<{element.spelling}>(X);")
    return lines + [f"Digest = mix({digest}, bits(X));"]


def kernel(configuration, elements, variant, layout):
    element = TYPES[configuration.type]
    varying = [] if configuration.uniform else ["unsigned Random = J.Seeds[Thread].x;",
                                                "const unsigned Offset = J.Seeds[Thread].y;"]
    if configuration.stream == "table":
        varying.append("unsigned Look = Thread * 2654435761u;")
    over_array = f"#pragma unroll 1\n  for (unsigned I = 0; I < {elements}; ++I)"
    name = configuration.kernel(variant, elements)
    return [f"__global__ void {name}(Job<{element.number}> J) {{",
            *indented([layout.declaration,
                       "const unsigned Thread = globalThread();",
                       *varying,
                       f"const {element.number} Own = ownNumber(Thread);",
                       f"{element.number} Filling = Own;"], 2),
            f"{over_array} {{",
            f"    {layout.element} = static_cast<{element.spelling}>(Filling);",
            "    Filling = multiplyAdd(Filling, J.Factor, J.Term);",
            "  }",
            "  unsigned Digest = Thread;",
            "#pragma unroll 1",
            "  for (unsigned Step = 0; Step < J.Steps; ++Step) {",
            *indented(step(configuration, elements, layout), 4),
            "  }",
            over_array,
            f"    Digest = mix(Digest, bits(static_cast<{element.number}>({layout.element})));",
            "  J.Results[Thread] = Digest;",
            "}"]


def table(configuration, elements):
    entries = [f'    {{"{variant}", address({configuration.kernel(variant, elements)}), '
               f"{layout.bytes}}},"
               for variant, layout in layouts(TYPES[configuration.type], elements).items()]
    return [f"static const Variant Variants{elements}[] = {{", *entries, "};"]


def original_text(configuration):
    lines = ["// Written by generate.py.", "", '#include "sweep.h"']
    for elements in ELEMENTS:
        layout = layouts(TYPES[configuration.type], elements)["original"]
        lines += ["", *kernel(configuration, elements, "original", layout)]
    return "\n".join(lines) + "\n"


def program_text(configuration):
    element = TYPES[configuration.type]
    lines = ["// Written by generate.py.", "",
             f'#include "../originals/{configuration.name}.cu"', '#include "storage.h"']
    groups = []
    for elements in ELEMENTS:
        variants = layouts(element, elements)
        for variant, layout in variants.items():
            if variant != "original":
                lines += ["", *kernel(configuration, elements, variant, layout)]
        lines += ["", *table(configuration, elements)]
        groups.append(f"    {{{elements}, Variants{elements}, {len(variants)}}},")
    facts = ", ".join((str(element.bytes), str(configuration.uniform).lower(),
                       str(configuration.arithmetic), f'"{configuration.stream}"',
                       f'"{configuration.use}"'))
    lines += ["", "static const Group Groups[] = {", *groups, "};",
              f"const Program TheProgram = {{{facts}, Groups, {len(ELEMENTS)}}};"]
    return "\n".join(lines) + "\n"


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def generate(folder):
    for configuration in configurations():
        write(folder / "originals" / f"{configuration.name}.cu", original_text(configuration))
        write(folder / "programs" / f"{configuration.name}.cu", program_text(configuration))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    generate(pathlib.Path(sys.argv[1]))
    for configuration in configurations():
        print(configuration.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
