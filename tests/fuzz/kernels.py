"""Kernels: their heads, their bodies, and the shared memory that they ask for
themselves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from context import Context
from element_types import ARGUMENTS, DOUBLE, FLOAT, SHORT, UCHAR, ULL, UNSIGNED
from places import Room, call_item, fill
from tree import Body, Item, indented

PARAMETERS = "const unsigned *in, unsigned *out, unsigned n, unsigned limit"
HEADS = ["__global__ void {b}{k}", "static __global__ void {b}{k}", "{b}__global__ void {k}"]


class Own:
    """The `extern __shared__` memory of a kernel: two elements per thread. One
    is written at once and read by a neighbour behind a barrier, the other is
    the thread's alone and is changed among the uses of the per-thread arrays, so
    that nobody else's data can lie on either unseen."""

    def __init__(self, case, rng, body):
        self.case = case
        self.kind = rng.choice([UNSIGNED, UNSIGNED, DOUBLE, UCHAR, SHORT, ULL])
        self.raw = rng.random() < 0.3
        self.name, self.mine = case.name("own"), case.local("mine")
        self.step = rng.randrange(1, 40)
        for _ in range(rng.randrange(1, 4)):
            value = rng.choice(["h", "v", "(h ^ n)", "(v >> 5)"])
            item = Item(case, lambda value=value: [
                case.fold(self.mine), f"{self.mine} = {self.kind.value(value)};"])
            body.items.insert(rng.randrange(len(body.items) + 1), item)

    def bytes(self, threads):
        """What a launch asks for."""
        return f"2 * {threads} * sizeof({self.kind.base})"

    def first_lines(self):
        base, name = self.kind.base, self.name
        lines = [f"extern __shared__ {base} {name}[];"]
        if self.raw:
            lines = [f"extern __shared__ unsigned char {name}_bytes[];",
                     f"{base} *{name} = ({base} *){name}_bytes;"]
        return [*lines, "const unsigned inBlock = t - blockIdx.x * size;",
                f"{base} &{self.mine} = {name}[size + inBlock];",
                f"{name}[inBlock] = {self.kind.value('in[t & 63u]')};",
                f"{self.mine} = {self.kind.value('t')};", "__syncthreads();"]

    def last_lines(self):
        return [self.case.fold(self.mine),
                self.case.fold(f"{self.name}[(inBlock + {self.step}u) % size]")]


class Tile:
    """A shared array of a fixed size that a kernel has of its own, filled by rows
    and read by columns behind a barrier."""

    def __init__(self, case, rng, columns):
        self.columns = columns
        self.kind = rng.choice([UNSIGNED, UNSIGNED, FLOAT, DOUBLE, UCHAR, SHORT, ULL])
        self.rows = max(2, min(rng.choice([4, 8, 16, 32]), 4096 // (columns * self.kind.align)))
        self.name, at = case.name("tile"), rng.randrange(columns)
        row = f"{self.name}[threadIdx.x % {self.rows}u]"
        self.reads = [case.fold(f"{row}[{at}]"),
                      case.fold(f"{row}[(threadIdx.x / {self.rows}u + {at}u) % {columns}u]")]

    def first_lines(self):
        return [f"__shared__ {self.kind.base} {self.name}[{self.rows}][{self.columns}];",
                "if (threadIdx.y + threadIdx.z == 0)",
                f"  for (int k = 0; k < {self.rows}; ++k)",
                f"    for (unsigned x = threadIdx.x; x < {self.columns}u; x += blockDim.x)",
                f"      {self.name}[k][x] = {self.kind.value('in[(k * 7u + x) & 63u]')};",
                "__syncthreads();"]


class Kernel:
    """One kernel. `instances` are its template arguments, as text, or [""].
    `functions` are calls that other kernels make as well: pairs of a helper and
    what stands behind its name."""

    def __init__(self, case, name, instances, room, functions=()):
        self.case, self.name, self.instances = case, name, instances
        self.template = instances != [""]
        self.own, self.tile, self.spaces, self.early, self.qualified = None, None, [], False, False
        self.bounds, self.bounds_text, self.guard = False, "", False
        self.attribute, self.redefined = "", False
        self.head, self.body, self.using = HEADS[0], Body(), False
        place = Context(case, name, self.body, places=[
            "kernel-template" if self.template else "kernel"])
        place.ending = "{ out[t] = h; return; }"
        for helper, arguments in functions:
            call_item(place, helper, arguments)
        fill(place, room, ["N", "T"] if self.template else ())

    def vary(self, rng):
        """Memory of its own, a namespace, and a declaration before the
        definition, which is then qualified or not."""
        if rng.random() < 0.35:
            self.own = Own(self.case, rng, self.body)
            self.case.note("own-dynamic-memory")
        self.early = rng.random() < 0.3
        if rng.random() < 0.25:
            self.spaces = rng.choice([["space"], ["space"], ["outer", "inner"], [""]])
            self.spaces = [space and f"{space}_{self.name}" for space in self.spaces]
        self.using = rng.random() < 0.3
        self.qualified = self.spaces != [""] and rng.random() < 0.4

    @property
    def full_name(self):
        return "::".join([*filter(None, self.spaces), self.name])

    @property
    def launched_name(self):
        return self.name if self.using else self.full_name

    def signature(self, name, bounds=""):
        head = ["template <class T, int N>"] if self.template else []
        return [*head, f"{self.head.format(b=bounds, k=name)}({PARAMETERS})"]

    def inside(self, lines):
        """The lines in the namespaces of the kernel."""
        for space in reversed(self.spaces):
            lines = [f"namespace {space} {{", *lines, "}"]
        return lines

    def using_lines(self):
        spaces = "::".join(filter(None, self.spaces))
        return [f"using namespace {spaces};"] if self.using and spaces else []

    def declaration(self):
        *lines, last = self.signature(self.name)
        return self.inside([*lines, last + ";"]) + self.using_lines()

    def definition(self):
        most = f"MOST_{self.name}" if self.redefined else self.bounds_text
        bounds = f"__launch_bounds__({most}) " if self.bounds else self.attribute
        redefined = self.redefined and self.bounds
        qualified = self.qualified and self.early
        *lines, last = self.signature(self.full_name if qualified else self.name, bounds)
        if redefined:
            lines.insert(0, f"#define {most} {self.bounds_text}")
        lines += [f"{last} {{", *([f"#undef {most}", f"#define {most} 7"] if redefined else []),
                  "  const unsigned size = blockDim.x * blockDim.y * blockDim.z;",
                  "  const unsigned t = blockIdx.x * size + threadIdx.x +",
                  "                     blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"]
        lines += indented(self.own.first_lines()) if self.own else []
        lines += indented(self.tile.first_lines()) if self.tile else []
        if self.guard:
            lines += ["  if (t >= limit)", "    return;"]
        lines += ["  unsigned v = in[t & 63u] + t * 2654435761u, h = t;", *self.body.lines()]
        lines += indented(self.own.last_lines()) if self.own else []
        lines += indented(self.tile.reads) if self.tile else []
        lines += ["  out[t] = h;", "}"]
        return lines if qualified else self.inside(lines) + ([] if self.early else self.using_lines())


def random_instances(rng):
    return [f"{rng.choice(ARGUMENTS)}, {rng.choice([3, 5, 8, 16])}"
            for _ in range(rng.choice([1, 1, 2]))]


def other_kernel(case, number, rng):
    """A kernel more, which calls some of the functions of the first."""
    functions = [f for f in case.functions if rng.random() < 0.7][:3]
    template = rng.random() < 0.2
    kernel = Kernel(case, f"other{number}_{case.seed}", random_instances(rng) if template else [""],
                    Room(rng.choice([0, 1, 1, 2]) if functions else 1, rng.randrange(2, 5)),
                    functions)
    kernel.head = rng.choice(HEADS)
    kernel.guard = case.chance(0.3)
    return kernel
