"""Kernels that hold other blocks up or ask about shared memory, so that more of it
must not be taken behind their back: what the tool says of them is looked at, too.

A host runs one block after the other, and no assembly. So the grid has one block,
and the assembly is left out there.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

from texts import HOST
from tree import Helper, Item

# What moves into shared memory. Of a kernel that waits, it may do so in a version, which runs
# where all blocks are resident.
SHARED = ("stripe", "slot", "split")

# Statements that wait until all blocks have come, in a kernel; COUNT is a variable
# of the device.
WAITS = {
    "add": "atomicAdd(&COUNT, 1u);\nwhile (atomicAdd(&COUNT, 0u) < gridDim.x)\n  ;",
    "volatile": "atomicAdd(&COUNT, 1u);\nwhile (*(volatile unsigned *)&COUNT < gridDim.x)\n  ;",
    "exchange": "atomicAdd(&COUNT, 1u);\nwhile (atomicCAS(&COUNT, gridDim.x, gridDim.x) < gridDim.x)\n  ;",
    "or": "atomicAdd(&COUNT, 1u);\ndo {\n} while (atomicOr(&COUNT, 0u) < gridDim.x);",
    "for": "atomicAdd(&COUNT, 1u);\nfor (;;)\n  if (atomicMax(&COUNT, 0u) >= gridDim.x)\n    break;",
    "function": "WAIT(&COUNT, gridDim.x);",
    "fence": "atomicAdd(&COUNT, 1u);\n__threadfence();\nfor (unsigned seen = 0; seen < gridDim.x;) {\n"
             "  __threadfence();\n  seen = COUNT;\n}",
    "lock": "while (atomicCAS(&COUNT, 0u, 1u) != 0u)\n  ;\natomicExch(&COUNT, 0u);",
    "semaphore": "atomicAdd(&COUNT, 1u);\nwhile ((int)atomicSub(&COUNT, 1u) <= 0)\n  atomicAdd(&COUNT, 1u);",
    "turn": "atomicAdd(&COUNT, gridDim.x);\nfor (unsigned at = 0, left = gridDim.x; left; at = (at + 1) % gridDim.x)\n"
            "  if ((&(volatile unsigned &)COUNT)[at])\n    --left;",
    "limit": "atomicAdd(&COUNT, 1u);\nfor (int i = 0; i < 1000 && *(volatile unsigned *)&COUNT < gridDim.x; ++i)\n  ;",
    "goto": "atomicAdd(&COUNT, 1u);\nagain:\nif (*(volatile unsigned *)&COUNT < gridDim.x)\n  goto again;",
}
ASKS = ["dynamic_smem_size", "total_smem_size"]


class Watched:
    """What the tool must not do to the arrays that a kernel reaches: says which
    kinds of moves are wrong."""

    def __init__(self, kernel, note, wrong):
        self.kernel, self.note, self.wrong = kernel.full_name, note, wrong

    def complaint(self, array, rewritten):
        """Why the verdict of `array` is wrong in this text, or None."""
        reached = any(name.split("<")[0] == self.kernel for name in array.get("kernels", ()))
        if reached and self.wrong(array, rewritten):
            return (f"{array['name']} of {array['function']} is {array['verdict']} "
                    f"[{array['reason']}] although its kernel {self.note}")
        return None


def add_barrier(case, rng, kernel):
    """A barrier of the program's own, in a kernel of one block."""
    way, count, wait = rng.choice(list(WAITS)), case.name("arrived"), case.name("await")
    helper = Helper(case, count, lambda: [f"__device__ unsigned {count};"])
    function = Helper(case, wait, lambda: [
        f"__device__ inline void {wait}(unsigned *count, unsigned all) {{", "  atomicAdd(count, 1u);",
        "  while (*(volatile unsigned *)count < all)", "    ;", "}"])

    def lines():
        text = WAITS[way].replace("COUNT", helper.use())
        text = text.replace("WAIT", function.use()) if way == "function" else text
        text = text.replace("again", f"again_{case.seed}")
        return ["if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {",
                *("  " + line for line in text.split("\n")), "}"]
    kernel.body.items.insert(rng.randrange(len(kernel.body.items) + 1), Item(case, lines, fixed=True))
    case.note(f"waits-by-{way}")
    row = re.compile(rf'\("(?:\w+::)*{kernel.name}", [^;]*, ::bankstripe::may_wait')
    return Watched(kernel, "waits for other blocks",
                   lambda array, rewritten: array["verdict"] in SHARED and not row.search(rewritten))


def add_question(case, rng, kernel):
    """Assembly that asks how much shared memory there is."""
    word, name = rng.choice(ASKS), case.local("bytes")
    case.note(f"asks-{word}")

    def lines():
        return [f"unsigned {name} = 0;", f"#ifndef {HOST}",
                f'asm("mov.u32 %0, %%{word};" : "=r"({name}));', "#endif", f"h += {name};"]
    kernel.body.items.insert(0, Item(case, lines, fixed=True))
    if word == "total_smem_size":
        return Watched(kernel, "asks how much shared memory it has", lambda array, _: array["verdict"] in SHARED)
    return Watched(kernel, "asks how much dynamic shared memory it has",
                   lambda array, _: array.get("storage") == "dynamic")


def watch(case, rng, kernel):
    """One of these for the kernel of a case, or None."""
    kinds = [add_barrier, add_barrier] + [add_question] * (not case.gpu)
    return rng.choice(kinds)(case, rng, kernel)
