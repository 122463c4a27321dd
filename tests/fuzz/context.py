"""What can be said at one place of a case: the variables in sight, and random
expressions and indices made of them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import random

from tree import Switch


def named(extent):
    """Whether an extent is the name of a template parameter, not a number."""
    return isinstance(extent, str)


def standard_of(seed):
    """The language of a case; the same for 20 seeds on end."""
    return "c++20" if seed // 20 % 7 % 2 else "c++17"


class Context:
    """A place in a function. `names` are unsigned variables, `loops` the int
    counters of the loops around it. Every function with arrays has the
    variables h (the digest so far), v (differs from thread to thread), n (the
    same in all threads) and in (64 or more words to read)."""

    def __init__(self, case, function, body, arrays=(), loops=(), depth=0, places=()):
        self.case, self.function, self.body = case, function, body
        self.arrays, self.loops, self.depth = list(arrays), list(loops), depth
        self.places = set(places)  # what surrounds it: "kernel", "lambda", ...
        self.ending = "return h;"  # leaves the function early
        self.on_host = False       # the function is compiled for the host, too
        self.atomics = not case.gpu  # a GPU has none on local memory

    @property
    def rng(self):
        return self.case.rng

    def inside(self, body, loops=()):
        """A nested place that sees what this one sees."""
        inner = Context(self.case, self.function, body, self.arrays, [*self.loops, *loops],
                        self.depth + 1, self.places)
        inner.ending, inner.on_host, inner.atomics = self.ending, self.on_host, self.atomics
        return inner

    # --- Expressions: unsigned, free of side effects ------------------------

    def varying(self):
        """Differs from lane to lane. Reading threadIdx also lets other threads
        go on where a case runs on the host."""
        k = self.rng.randrange(1, 9)
        choices = ["v", f"(v >> {k})", f"(v ^ {k}u)", f"in[(v + {k}u) & 63u]", f"(h >> {k + 3})",
                   f"(v * {2 * k + 1}u >> 7)"]
        if not self.on_host:
            choices += [f"(v + threadIdx.x * {k}u)", "(threadIdx.x + v)", f"(v ^ threadIdx.x >> 1)"]
        return self.rng.choice(choices)

    def uniform(self):
        k = self.rng.randrange(1, 30)
        choices = ["n", f"{k}u", f"(n + {k}u)", f"in[{k}]", f"in[(n + {k}u) & 63u]"]
        if not self.on_host:
            choices.append("(blockIdx.x + n)")
        if self.loops:
            choices += [f"(unsigned){self.rng.choice(self.loops)}"] * 4
        return self.rng.choice(choices)

    def value(self):
        a, b = self.varying(), self.uniform()
        return self.rng.choice([a, b, f"({a} + {b})", f"({a} ^ {b})", f"({a} * 7u + {b})"])

    def index(self, extent):
        """An integer expression in [0, extent()); the extent is asked for when
        the case is printed."""
        kind = self.rng.choices(["varying", "uniform", "value", "constant", "last"],
                                [6, 3, 3, 1, 1])[0]
        if kind == "constant":
            number = self.rng.randrange(64)
            return lambda: f"{number} % {extent()}" if named(extent()) else str(number % extent())
        if kind == "last":
            e = self.varying()
            return lambda: f"{extent()} - 1 - (int)({e} % {extent()})"
        e = getattr(self, kind)()
        form = self.rng.choices(range(5), [6, 2, 1, 1, 1])[0]

        def text():
            bound = extent()
            if named(bound):
                masked = f"{e} % {bound}"
            else:
                masked = f"{e} & {bound - 1}u" if bound & (bound - 1) == 0 else f"{e} % {bound}u"
            return [masked, f"(int)({masked})", f"(unsigned char)({masked})",
                    f"(long long)({masked})", f"(({masked}) + 1) - 1"][form]
        return text


class Case:
    """One kernel and all that it needs, from a seed."""

    def __init__(self, seed, gpu=False):
        self.seed = seed
        self.gpu = gpu  # Only what a GPU does as a host does: see generate.py.
        self.rng = random.Random(f"case {seed}")
        self.std = standard_of(seed)
        self.off, self.asked, self.used = frozenset(), {}, {}
        self.printed, self.header = [], []  # At file scope, and in a header.
        self.footer, self.at_run = {}, {}   # Behind the kernels, and in what main calls.
        self.switches, self.counters, self.single = 0, collections.Counter(), {}
        self.for_host = False  # what is being printed is called by host code, too
        self.bytes_left = 512  # of per-thread arrays, per thread
        self.functions = []    # with arrays: (helper, what stands behind its name)
        # shape -> how often; array -> its shapes. For the statistics.
        self.shapes, self.shapes_of = collections.Counter(), collections.defaultdict(set)

    def switch(self):
        self.switches += 1
        return Switch(self, self.switches)

    def chance(self, probability):
        """A switch for something optional, or False."""
        return self.switch() if self.rng.random() < probability else False

    def name(self, stem):
        """A new name; the suffix keeps the cases of one file apart."""
        self.counters[stem] += 1
        return f"{stem}{self.counters[stem]}_{self.seed}"

    def local(self, stem):
        self.counters[stem] += 1
        return f"{stem}{self.counters[stem]}"

    def once(self, key, make):
        if key not in self.single:
            self.single[key] = make()
        return self.single[key]

    def note(self, shape, *arrays):
        self.shapes[shape] += 1
        for array in arrays:
            self.shapes_of[array.name].add(shape)

    def fold(self, e):
        """A statement that folds a value of any element type into h."""
        return f"h = mix(h, digest({e}));"
