"""Local objects of classes that hold an array.

Unlike the other shapes these bring their own array with them: an object has
its declaration and its uses in one item, which is added to a place.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from element_types import DOUBLE, FLOAT, INT, UCHAR, ULL, UNSIGNED
from tree import Helper, Item, indented

SIZES = [4, 5, 8, 9, 16, 24]


def method(name, parameters, body, result="void", tail=""):
    return [f"__device__ {result} {name}({parameters}){tail} {{", *indented(body), "}"]


class Object:
    """What all of them share: a class of one size and element type."""

    def __init__(self, context, stem):
        case = context.case
        self.case, self.context = case, context
        self.kind = context.rng.choice([INT, INT, UNSIGNED, FLOAT, FLOAT, DOUBLE, UCHAR, ULL])
        self.small, self.full = case.switch(), context.rng.choice(SIZES)
        self.object, self.type = case.local(stem.lower()), case.name(stem)
        self.name = self.object  # as arrays are named in statistics
        self.e, self.f = context.value(), context.value()
        self.i = case.local("i")
        self.helper = Helper(case, self.type, self.define)
        self.parts = [case.switch() for _ in range(6)]

    @property
    def n(self):
        return self.full if self.small else min(self.full, 3)

    def fold_all(self, member="items", thing=None):
        i = self.i
        return [f"for (int {i} = 0; {i} < {self.n}; ++{i})",
                "  " + self.case.fold(f"{thing or self.object}.{member}[{i}]")]


class Stack(Object):
    """push and pop, an own constructor or default member initialisers."""

    def __init__(self, context):
        super().__init__(context, "Stack")
        self.form = context.rng.randrange(4)
        self.templated = context.rng.random() < 0.25

    def define(self):
        t, n = ("T", "N") if self.templated else (self.kind.base, self.n)
        init = " = {}" if self.form != 1 else ""
        lines = [f"{t} items[{n}]{init};", f"int top{' = 0' if self.form in (0, 2) else ''};"]
        if self.form == 1:
            lines += [f"__device__ {self.type}() : top(0) {{", f"  for (int i = 0; i < {n}; ++i)",
                      "    items[i] = 0;", "}"]
        if self.form == 3:
            lines += [f"__device__ {self.type}(int first) : top(first) {{}}"]
        lines += method("push", f"{t} x", [f"if (top < {n})", "  items[top++] = x;"])
        lines += method("pop", "", [f"return top > 0 ? items[--top] : ({t})1;"], t)
        lines += method("at", "int i", [f"return items[i % {n}];"], f"{t} &")
        head = ["template <class T, int N>"] if self.templated else []
        return [*head, f"struct {self.type} {{", *indented(lines), "};"]

    def lines(self):
        name, o, fold = self.helper.use(), self.object, self.case.fold
        if self.templated:
            name += f"<{self.kind.base}, {self.n}>"
        lines = [f"{name} {o}{'(0)' if self.form == 3 else ''};",
                 f"for (int {self.i} = 0; {self.i} < (int)({self.e} & 7u); ++{self.i})",
                 f"  {o}.push({self.kind.value(f'({self.f} + (unsigned){self.i})')});"]
        if self.parts[0]:
            lines += [f"while ({o}.top > 2)", "  " + fold(f"{o}.pop()")]
        if self.parts[1]:
            lines += [f"{o}.at({self.e} & 31u) = {self.kind.value(self.f)};"]
        if self.parts[2]:
            lines += [f"{o}.items[{self.f} % {self.n}] = {self.kind.value(self.e)};"]
        if self.parts[3]:
            lines += ["{", f"  {name} copy = {o};", f"  {o}.at(1) = {self.kind.value(self.e)};",
                      "  " + fold(f"copy.at({self.f} & 15u)"), "}"]
        return lines + self.fold_all()


class Aggregate(Object):
    """A plain struct, copied, passed by value, by reference and by address."""

    def __init__(self, context):
        super().__init__(context, "Table")
        self.user = context.case.name("look")
        self.function = Helper(context.case, self.user, self.define_function)
        self.reference = context.rng.choice(["", "&", "*", "const &"])
        self.array_of = context.rng.random() < 0.2
        self.apart = context.rng.random() < 0.5

    def define(self):
        return [f"struct {self.type} {{", f"  int count;", f"  {self.kind.base} items[{self.n}];", "};"]

    def define_function(self):
        kind, pointer = self.reference, self.reference == "*"
        qualifier = "const " if kind.startswith("const") else ""
        access = "o->" if pointer else "o."
        body = [self.case.fold(f"{access}items[e % {self.n}]"), f"h += (unsigned){access}count;"]
        if kind in ("", "&", "*"):
            body.insert(0, f"{access}items[(e >> 4) % {self.n}] = {self.kind.value('e')};")
        head = "__device__ __noinline__" if self.apart and self.parts[4] else "__device__"
        return [f"{head} unsigned {self.user}(unsigned h, {qualifier}{self.type} "
                f"{kind.removeprefix('const ')}o, unsigned e) {{", *indented(body), "  return h;", "}"]

    def lines(self):
        name, fold = self.helper.use(), self.case.fold
        o = self.object
        if self.array_of:
            lines = [f"{name} {o}s[2] = {{}};"]
            o = f"{o}s[{self.e} & 1u]"
        else:
            lines = [f"{name} {o} = {{3}};"]
        lines += [f"for (int {self.i} = 0; {self.i} < {self.n}; ++{self.i})",
                  f"  {o}.items[{self.i}] = {self.kind.value(f'({self.f} + (unsigned){self.i})')};"]
        if self.parts[0]:
            lines += [f"{o}.count += 2;", fold(f"{o}.items[{self.e} % {self.n}]")]
        if self.parts[1]:
            address = "&" if self.reference == "*" else ""
            lines += [f"h = {self.function.use()}(h, {address}{o}, {self.e});"]
        if self.parts[2]:
            lines += ["{", f"  {name} copy = {o};", f"  copy.items[0] = {self.kind.value(self.f)};",
                      f"  {o} = copy;", "}"]
        return lines + self.fold_all(thing=o)


class Nested(Object):
    """The array lies in a member of a member, and a method has an array of
    its own."""

    def __init__(self, context):
        super().__init__(context, "Outer")
        self.base = context.rng.random() < 0.4

    def define(self):
        t, n = self.kind.base, self.n
        inner = [f"struct {self.type}_inner {{", f"  {t} items[{n}];", "};"]
        body = [f"{t} scratch[{n}];", f"for (int i = 0; i < {n}; ++i)",
                f"  scratch[i] = {self.kind.value('e + (unsigned)i')};",
                f"for (int i = 0; i < {n}; ++i) {{", "  h = mix(h, digest(scratch[(e >> i) % N]));"
                .replace("% N", f"% {n}"), "}", "return h;"]
        compute = method("compute", "unsigned h, unsigned e", body, "unsigned", " const")
        if self.base:
            return [*inner, f"struct {self.type} : {self.type}_inner {{", *indented(compute), "};"]
        return [*inner, f"struct {self.type} {{", f"  {self.type}_inner part;", *indented(compute), "};"]

    def lines(self):
        name, o = self.helper.use(), self.object
        member = "items" if self.base else "part.items"
        lines = [f"{name} {o};", f"for (int {self.i} = 0; {self.i} < {self.n}; ++{self.i})",
                 f"  {o}.{member}[{self.i}] = {self.kind.value(f'({self.f} ^ (unsigned){self.i})')};"]
        if self.parts[0]:
            lines += [f"h = {o}.compute(h, {self.e});"]
        if self.parts[1]:
            lines += [f"{o}.{member}[{self.e} % {self.n}] = {self.kind.value(self.f)};"]
        return lines + self.fold_all(member)


class FunctionObject(Object):
    """operator() and operator[], private members."""

    def __init__(self, context):
        super().__init__(context, "Window")

    def define(self):
        t, n = self.kind.base, self.n
        return [f"class {self.type} {{", f"  {t} data[{n}];", "  int next = 0;", "", "public:",
                *indented([f"__device__ explicit {self.type}({t} x) {{",
                           f"  for ({t} &slot : data)", "    slot = x;", "}"]),
                *indented(method("operator[]", "unsigned i", [f"return data[i % {n}];"], f"{t} &")),
                *indented(method("operator()", f"{t} x", [f"{t} old = data[next];", "data[next] = x;",
                                                         f"next = next + 1 == {n} ? 0 : next + 1;",
                                                         "return old;"], t)),
                *indented(method("begin", "", ["return data;"], f"const {t} *", " const")),
                *indented(method("end", "", [f"return data + {n};"], f"const {t} *", " const")), "};"]

    def lines(self):
        name, o, fold = self.helper.use(), self.object, self.case.fold
        lines = [f"{name} {o}({self.kind.value(self.f)});"]
        if self.parts[0]:
            lines += [f"for (int {self.i} = 0; {self.i} < (int)({self.e} & 15u); ++{self.i})",
                      "  " + fold(f"{o}({self.kind.value(f'({self.f} * 3u + (unsigned){self.i})')})")]
        if self.parts[1]:
            lines += [f"{o}[{self.e}] = {self.kind.value(self.f)};"]
        return [*lines, f"for ({self.kind.base} x : {o})", "  " + fold("x")]


def add_object(context):
    """An object of one of these classes, with its uses."""
    chosen = context.rng.choice([Stack, Stack, Aggregate, Aggregate, Nested, FunctionObject])(context)
    context.case.note(f"class-{type(chosen).__name__.lower()}", chosen)
    for place in context.places:
        context.case.note(f"in-{place}", chosen)
    context.body.add(Item(context.case, lambda: ["{", *indented(chosen.lines()), "}"]
                          if chosen.parts[5] else chosen.lines()))
