"""Arrays of one element type that are alive in turns: in blocks, loops and
branches beside and inside each other, and in functions that call each other or
do not.

Each array is filled, then other arrays live and die, and at last all of it goes
into the digest. So whoever lets it share bytes with one of those is seen.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from tree import Body, Helper, Item

TYPES = ["int", "unsigned", "unsigned", "float", "double", "unsigned char", "short"]
SIZES = [3, 8, 12, 16, 24, 33, 40, 48, 64]
PARAMETERS = "unsigned h, unsigned v, unsigned n"


class Turns:
    """The arrays of one case, of which `left` more can be made."""

    def __init__(self, case, rng):
        self.case, self.rng = case, rng
        self.type, self.left, self.functions = rng.choice(TYPES), rng.randrange(4, 11), []

    def grow(self, body, depth):
        """Adds something that an array lives in to `body`."""
        rng = self.rng
        maker = rng.choice([self.scope, self.scope, self.scope, self.call, self.call])
        if self.functions and rng.random() < 0.3:
            body.add(self.call_of(rng.choice(self.functions)))
        else:
            maker(body, depth)

    def scope(self, body, depth):
        inner, i, k = Body(), self.case.local("i"), self.rng.randrange(1, 5)
        head = self.rng.choice(["{", "{", f"for (unsigned {i} = 0; {i} < {k}u; ++{i}) {{",
                                f"if (v >> {k} & 1u) {{"])
        self.live(inner, depth)
        body.add(Item(self.case, lambda: [head, *inner.lines(), "}"]))

    def call(self, body, depth):
        """A function, which can be called again later."""
        inner, name = Body(), self.case.name("turn")
        self.live(inner, depth)
        head = self.rng.choice(["__device__", "__device__ __noinline__", "static __device__ inline"])
        helper = Helper(self.case, name, lambda: [f"{head} unsigned {name}({PARAMETERS}) {{",
                                                  *inner.lines(), "  return h;", "}"])
        self.functions.append(helper)
        body.add(self.call_of(helper))

    def call_of(self, helper):
        e = self.rng.choice(["v", "(v >> 3)", "(v ^ h)", "(v + n)"])
        return Item(self.case, lambda: [f"h = {helper.use()}(h, {e}, n);"])

    def live(self, body, depth):
        """An array, and others while it is alive."""
        case, rng = self.case, self.rng
        self.left -= 1
        a, i, size = case.local("turn"), case.local("i"), rng.choice(SIZES)
        k, steps, whole = rng.randrange(1, 9), rng.randrange(2, 12), rng.random() < 0.25
        zero = rng.random() < 0.3
        case.note("in-turns")

        def begin():
            lines = [f"{self.type} {a}[{size}]{' = {}' if zero else ''};"]
            if not zero:
                lines += [f"for (int {i} = 0; {i} < {size}; ++{i})",
                          f"  {a}[{i}] = ({self.type})(((v >> {k}) + {i}) & 63u);"]
            return [*lines, f"for (unsigned {i} = 0; {i} < {steps}u + (v & 3u); ++{i})",
                    f"  {a}[(threadIdx.x + v + {i} * {k}u) % {size}u] = ({self.type})((h ^ {i}) & 63u);"]

        def end():
            head = f"for ({self.type} e : {a})" if whole else f"for (int {i} = 0; {i} < {size}; ++{i})"
            return [head, "  " + case.fold("e" if whole else f"{a}[{i}]")]
        first = body.add(Item(case, begin))
        while self.left > 0 and depth < 3 and rng.random() < 0.45:
            self.grow(body, depth + 1)
        body.add(Item(case, end, [first]))


def add_turns(case, rng, kernel):
    """Puts such arrays between what the kernel does."""
    turns, body = Turns(case, rng), Body()
    while turns.left > 0:
        turns.grow(body, 0)
    for item in body.items:
        kernel.body.items.insert(rng.randrange(len(kernel.body.items) + 1), item)
