"""Host functions whose launches have blocks that only the run knows.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections

from tree import indented

CONSTANT_BLOCKS = ["32", "33", "31", "64", "1", "48", "dim3(8, 4)", "dim3(7, 5)", "dim3(4, 3, 5)"]
BLOCKS = [(1,), (2,), (30,), (31,), (32,), (33,), (48,), (63,), (64,), (65,), (96,), (100,), (127,),
          (128,), (130,), (160,), (192,), (200,), (250,), (256,), (300,), (8, 4), (7, 5), (16, 4),
          (33, 2), (5, 13), (20, 10), (1, 40), (3, 70), (32, 3), (4, 3, 5), (2, 2, 9), (8, 2, 3),
          (3, 4, 11), (2, 1, 33)]

# How the block reaches a launch: the parameters of the host function, what
# stands before the launch, the block and the number of its threads, what the
# caller gives for a block of X, Y and Z, and how many dimensions that can have.
Form = collections.namedtuple("Form", "parameters before block threads given ranks")
PRODUCT = "block.x * block.y * block.z"
FORMS = [
    Form("dim3 block", [], "block", PRODUCT, "dim3({x}, {y}, {z})", 3),
    Form("dim3 block", [], "block", PRODUCT, "dim3({x}, {y}, {z})", 3),
    Form("const dim3 &block", [], "block", PRODUCT, "dim3({x}, {y}, {z})", 3),
    Form("int threads", [], "threads", "threads", "{x}", 1),
    Form("unsigned threads", [], "dim3(threads)", "threads", "{x}", 1),
    Form("int threads", ["const int most = threads < 1024 ? threads : 1024;"], "most", "most", "{x}", 1),
    Form("int threads", [], "(threads + 7) / 8 * 8", "(threads + 7) / 8 * 8", "{x}", 1),
    Form("int threads", ["dim3 block(threads, 2);"], "block", PRODUCT, "({x} + 1) / 2", 1),
    Form("int x, int y", [], "dim3(x, y)", "x * y", "{x}, {y}", 2),
    Form("int x, int y", ["dim3 block;", "block.x = x;", "block.y = y;"], "block", PRODUCT, "{x}, {y}", 2),
    Form("int x, int y, int z", ["const dim3 block(x, y, z);"], "block", PRODUCT, "{x}, {y}, {z}", 3),
    Form("const unsigned (&sides)[3]", [], "dim3(sides[0], sides[1], sides[2])",
         "sides[0] * sides[1] * sides[2]", "{{{x} + 0u, {y} + 0u, {z} + 0u}}", 3),
]
MEMBER = FORMS[0]


def threads_of(block):
    product = 1
    for extent in block:
        product *= extent
    return product


class Site:
    """A host function that launches one kernel, and the calls of it."""

    def __init__(self, case, kernel, rng, number, most):
        self.case, self.kernel = case, kernel
        self.grid = rng.choice([1, 1, 1, 2])
        self.grid_text = rng.choice([str(self.grid), str(self.grid), f"dim3({self.grid})"])
        self.holder = rng.choices(["function", "template", "member", "lambda", "class"],
                                  [8, 5 if kernel.template else 1, 1, 1, 1])[0]
        self.form = MEMBER if self.holder == "member" else rng.choice(FORMS)
        self.constant = rng.choice(CONSTANT_BLOCKS)
        # The block of another launch of the kernel beside the first.
        self.also = rng.choices(["", f"({self.form.threads} + 1) / 2", self.constant], [6, 2, 1])[0]
        self.stream = rng.choice(["", "", "", ", 0", ", 0, 0", ", 0, nullptr"])
        self.own_form = rng.randrange(4)
        self.name = f"launch{number}_{case.seed}"
        # Whoever reads the callers does not learn the block from them, either.
        self.hidden = rng.random() < 0.6
        self.blocks = []
        while most > 0 and len(self.blocks) < 3:
            rank = rng.randint(1, self.form.ranks)
            fit = [b for b in BLOCKS if len(b) == rank and threads_of(b) <= most] or BLOCKS[:1]
            self.blocks.append(rng.choice(fit))
            most -= threads_of(self.blocks[-1]) * self.grid * len(kernel.instances)

    # --- One launch -----------------------------------------------------------

    def shared(self, threads):
        """What follows the block in a launch, and a line before it."""
        if not self.kernel.own:
            return self.stream, []
        own, stream = self.kernel.own.bytes(f"({threads})"), self.stream.removeprefix(", 0")
        return [(f", {own}{stream}", []), (f", {own} + 5{stream}", []),
                (f", bytes{stream}", [f"const size_t bytes = {own};"]),
                (f", (unsigned)({own}){stream}", [])][self.own_form]

    def launch(self, instance, block, threads, label):
        """The lines of a launch with its own input and output."""
        shared, before = self.shared(threads)
        name = self.kernel.launched_name + (f"<{instance}>" if instance else "")
        used = "count > 8 ? count - 3 : count" if self.kernel.guard else "count"
        return ["{", *indented([
            f"const int count = {self.grid} * (int)({threads}), used = {used};",
            "unsigned *in, *out;", f"begin({self.case.seed}u, count, &in, &out);", *before,
            f"{name}<<<{self.grid_text}, {block}{shared}>>>(in, out, {2 + self.case.seed % 4}u, used);",
            f"end({label}, used, in, out);"]), "}"]

    def body(self, instance):
        form = self.form
        lines = [*form.before, *self.launch(instance, form.block, form.threads, "name")]
        if self.also:
            threads = self.also.removeprefix("dim3(").removesuffix(")").replace(", ", " * ") \
                if self.also == self.constant else self.also
            lines += self.launch(instance, self.also, threads, "other_name")
        return lines

    # --- The function -----------------------------------------------------------

    def function(self, name, instance):
        parameters = ["const char *name"]
        parameters += ["const char *other_name"] if self.also else []
        parameters += [self.form.parameters] if self.holder != "member" else []
        head = {"lambda": f"auto {name} = [&]", "member": f"void {name}"}.get(
            self.holder, f"static void {name}")
        end = "};" if self.holder == "lambda" else "}"
        return [f"{head}({', '.join(parameters)}) {{", *indented(self.body(instance)), end]

    def definition(self):
        """What stands at file scope: the function, once for each instance of
        the kernel unless it is a template itself."""
        if self.holder == "template":
            head, instance = (("template <class T, int N>", "T, N") if self.kernel.template
                              else ("template <int Unused>", ""))
            return [head, *self.function(self.name, instance)]
        lines = []
        for number, instance in enumerate(self.kernel.instances):
            function = self.function(f"{self.name}_{number}", instance)
            if self.holder == "member":
                function = [f"struct {self.name}_{number}_launcher {{", "  dim3 block;",
                            *indented(function), "};"]
            lines += function if self.holder in ("function", "member") else []
        return lines

    def calls(self, label):
        """The calls, and what is defined where they stand."""
        lines = []
        for number, instance in enumerate(self.kernel.instances):
            name = f"{self.name}_{number}"
            if self.holder == "lambda":
                lines += self.function(name, instance)
            elif self.holder == "class":
                lines += [f"struct {name}_class {{", *indented(self.function(name, instance)), "};"]
                name = f"{name}_class::{name}"
            elif self.holder == "template":
                name = f"{self.name}<{instance or '0'}>"
            for block in self.blocks:
                x, y, z = (f"hidden({side})" if self.hidden else side
                           for side in [*block, 1, 1][:3])
                given = self.form.given.format(x=x, y=y, z=z)
                labels = f"{label()}, {label()}" if self.also else label()
                lines.append(f"{name}_launcher{{{given}}}.{name}({labels});" if self.holder == "member"
                             else f"{name}({labels}, {given});")
        return lines
