"""Per-thread arrays: how they are declared, filled, and read at last.

Every element has a value before anything else may read it. At the end of its
scope the whole array goes into the digest, so that no damage stays unseen.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from context import named
from element_types import ParameterType
from tree import Helper, Item, indented

COMMON_SIZES = [1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 16, 17, 24, 32, 32, 33, 48, 64]


class Array:
    """One per-thread array. Other items that use it name it among their needs."""

    def __init__(self, case, name, kind, extents, qualifier=""):
        self.case, self.name, self.kind, self.qualifier = case, name, kind, qualifier
        self.full_extents, self.small = extents, case.switch()
        self.switch, self.line = case.switch(), None
        self.plain = False       # only subscripts, so that it can be striped
        self.alignment = 0
        self.places = set()

    def live(self):
        return self.line.live() and bool(self.switch)

    @property
    def readable(self):
        return True

    @property
    def writable(self):
        return "const" not in self.qualifier

    @property
    def scalar(self):
        return self.kind.scalar and self.qualifier != "volatile"

    def extents(self):
        """Smaller ones when the case is being reduced."""
        if self.small:
            return self.full_extents
        return [e if named(e) else min(e, 3) for e in self.full_extents]

    def extent(self, dimension):
        return lambda: self.extents()[dimension]

    @property
    def rank(self):
        return len(self.full_extents)

    def bytes(self):
        size = self.kind.size
        for extent in self.full_extents:
            size *= 16 if named(extent) else extent
        return size

    def pointee(self):
        return self.kind.spell(self.qualifier)

    def element(self, context):
        """The text of one element at random indices, made when printed."""
        indices = [context.index(self.extent(d)) for d in range(self.rank)]
        return lambda: self.name + "".join(f"[{i()}]" for i in indices)

    def row(self, context):
        """The text of a pointer to consecutive elements: the array, or one row
        of it; `self.length` tells how many."""
        indices = [context.index(self.extent(d)) for d in range(self.rank - 1)]
        return lambda: self.name + "".join(f"[{i()}]" for i in indices)

    def length(self):
        return self.extents()[-1]

    def over_all(self, stem, statement):
        """Nested loops over all elements; `statement` gets the counters and
        the element."""
        counters = [f"{stem}_{d}" for d in range(self.rank)]
        element = self.name + "".join(f"[{c}]" for c in counters)
        lines = [statement(counters, element)]
        for counter, extent in reversed(list(zip(counters, self.extents()))):
            head = f"for (int {counter} = 0; {counter} < {extent}; ++{counter})"
            lines = [head, *indented(lines)]
        return lines


# ---------------------------------------------------------------------------
# Declarations
# ---------------------------------------------------------------------------

class Line:
    """A declaration statement: one or two arrays of one type, and perhaps
    other variables of that type and pointers to it."""

    def __init__(self, context, arrays, forms):
        case = context.case
        self.case, self.arrays, self.forms = case, arrays, forms
        base = arrays[0].kind
        plain_base = base.scalar and not base.star and base.kind != "enum"
        self.scalar = case.chance(0.25) if plain_base else False
        self.pointer = case.chance(0.15) if plain_base else False
        self.names = case.local("x"), case.local("p")
        self.pointer_first = case.rng.random() < 0.5
        self.attribute = False
        if not arrays[0].qualifier:
            self.attribute = case.chance(0.06)
            if self.attribute:
                for array in arrays:
                    array.alignment = 16
        self.attribute_text = case.rng.choice(["alignas(16) ", "__align__(16) "])
        self.item = Item(case, self.print)
        for array in arrays:
            array.line = self.item

    def print(self):
        arrays = [a for a in self.arrays if a.switch]
        if not arrays:
            return []
        first = arrays[0]
        first.kind.use()
        base, star = first.kind.base, first.kind.star
        qualifier, prefix = first.qualifier, ""
        if qualifier and star:
            star += " " + qualifier + " "
        elif qualifier:
            prefix = qualifier + " "
        declarators, after = [], []
        for array in arrays:
            form = self.forms[array.name]
            if form.alias(array):
                continue
            declarators.append(f"{star}{array.name}{form.dimensions(array)}{form.initialiser(array)}")
        x, p = self.names
        if self.scalar and declarators:
            declarators.insert(len(declarators) // 2, f"{x} = {first.kind.constant(7)}")
            after.append(self.case.fold(x))
        if self.pointer and declarators:
            at = 0 if self.pointer_first else len(declarators)
            declarators.insert(at, f"*{p} = nullptr")
            after.append(f"h += {p} == nullptr;")
        lines = [line for a in arrays for line in self.forms[a.name].before(a)]
        if declarators:
            attribute = self.attribute_text if self.attribute else ""
            lines.append(f"{attribute}{prefix}{base} {', '.join(declarators)};")
        for array in arrays:
            lines += self.forms[array.name].after(array)
        return lines + after


class Form:
    """How one array is declared and how its elements get their values."""

    def __init__(self, context, array):
        case, rng = context.case, context.rng
        self.case = case
        self.number = rng.randrange(100)
        self.style = self.pick_style(array, rng)
        self.values = [context.value() for _ in range(4)]
        self.fill_value = context.value()
        # The two views of a file may disagree about what is left away on the host.
        self.spelling = rng.choices(["number", "product", "macro", "constexpr", "local", "view"],
                                    [8, 1, 2, 2, 1, 0 if case.gpu else 1])[0]
        self.extent_name = case.name("Extent")
        self.extent_macro = case.name("EXTENT")
        self.helper = Helper(case, self.extent_name, self.define_extent)
        self.array = array
        self.is_alias = (case.chance(0.04) if not array.qualifier and self.style == "fill"
                         and not array.kind.star else False)
        self.alias_name = case.name("Block")
        self.fill_kind = rng.choices(["up", "down", "while"], [6, 1, 1])[0]
        self.equals = rng.choice([" = ", " = ", ""])
        self.counter = case.local("i")

    @staticmethod
    def pick_style(array, rng):
        if array.kind.star:
            return "fill" if array.writable else "full"
        if not array.writable:
            return rng.choice(["full", "partial", "values", "empty"])
        if isinstance(array.kind, ParameterType):
            return rng.choices(["fill", "empty", "partial"], [5, 2, 1])[0]
        return rng.choices(["fill", "empty", "zero", "partial", "full", "values", "touched"],
                           [10, 3, 2, 2, 2, 2, 2])[0]

    # --- Extents ------------------------------------------------------------

    def define_extent(self):
        extent = self.array.extents()[0]
        if self.spelling == "macro":
            return [f"#define {self.extent_macro} {extent}"]
        if self.spelling == "view":
            return ["#ifdef __CUDA_ARCH__", f"#define {self.extent_macro} {extent}", "#else",
                    f"#define {self.extent_macro} {extent} + 1", "#endif"]
        return [f"constexpr int {self.extent_name} = {extent};"]

    def dimensions(self, array):
        texts = [str(e) for e in array.extents()]
        if not named(array.extents()[0]):
            extent = array.extents()[0]
            if self.spelling == "product" and extent % 2 == 0:
                texts[0] = f"{extent // 2} * 2"
            elif self.spelling in ("macro", "view"):
                self.helper.use()
                texts[0] = self.extent_macro
            elif self.spelling == "constexpr":
                texts[0] = self.helper.use()
            elif self.spelling == "local":
                texts[0] = f"{array.name}_size"
        return "".join(f"[{t}]" for t in texts)

    def before(self, array):
        extent = array.extents()[0]
        if self.spelling == "local" and not named(extent):
            return [f"const int {array.name}_size = {extent};"]
        return []

    def alias(self, array):
        return bool(self.is_alias)

    # --- Values -------------------------------------------------------------

    def listed(self, array, count):
        """A flat list; braces of rows may be left out."""
        count = max(1, count)
        if self.style == "values":
            return ", ".join(array.kind.value(self.values[i % 4]) for i in range(min(count, 8)))
        return ", ".join(array.kind.constant(self.number + 5 * i) for i in range(count))

    def nested(self, array, extents):
        if len(extents) == 1 or named(extents[0]):
            count = 1 if named(extents[-1]) else extents[-1]
            return "{" + self.listed(array, count) + "}"
        return "{" + ", ".join(self.nested(array, extents[1:]) for _ in range(extents[0])) + "}"

    def initialiser(self, array):
        extents = array.extents()
        total = 1
        for extent in extents:
            total *= 1 if named(extent) else extent
        if self.style in ("fill", "touched"):
            return ""
        if self.style == "zero" and array.kind.scalar and array.kind.kind != "enum":
            return f"{self.equals}{{0}}"
        if self.style in ("empty", "zero"):
            return f"{self.equals}{{}}"
        if array.kind.scalar and self.number % 2:
            count = total if self.style == "full" else max(1, total // 2)
            # The rest becomes zero, which a pointer must not be.
            most = total if array.kind.star else 80
            return f"{self.equals}{{{self.listed(array, min(count, most))}}}"
        if self.style == "full" and (total <= 80 or array.kind.star) and not any(map(named, extents)):
            return f"{self.equals}{self.nested(array, extents)}"
        if array.rank == 1:
            count = 1 if named(extents[0]) else max(1, extents[0] // 2)
            return f"{self.equals}{{{self.listed(array, count)}}}"
        first = self.nested(array, [1, *(1 if not named(e) else e for e in extents[1:])])
        return f"{self.equals}{first}"

    def after(self, array):
        lines = []
        if self.is_alias:
            dimensions = "".join(f"[{e}]" for e in array.extents())
            lines += [f"typedef {array.kind.base} {self.alias_name}{dimensions};",
                      f"{'alignas(16) ' if array.alignment else ''}{self.alias_name} {array.name};"]
        if self.style not in ("fill", "touched"):
            return lines
        if self.fill_kind == "up" or array.rank > 1:
            return lines + array.over_all(self.counter, lambda counters, element: self.set(
                array, element, counters))
        i, extent = self.counter, array.extents()[0]
        element = f"{array.name}[{i}]"
        if self.fill_kind == "down":
            return [*lines, f"for (int {i} = {extent} - 1; {i} >= 0; --{i})",
                    "  " + self.set(array, element, [i])]
        return [*lines, f"unsigned {i} = 0;", f"while ({i} < {extent}) {{",
                "  " + self.set(array, element, [i]), f"  ++{i};", "}"]

    def set(self, array, element, counters):
        e = " + ".join([self.fill_value, *(f"(unsigned){c} * {3 + 2 * d}u"
                                           for d, c in enumerate(counters))])
        return f"{element} = {array.kind.value(e)};"


# ---------------------------------------------------------------------------
# Random arrays
# ---------------------------------------------------------------------------

def random_extents(rng, budget):
    rank = rng.choices([1, 2, 3, 4, 5], [70, 18, 6, 3, 3])[0]
    for _ in range(20):
        sizes = COMMON_SIZES if rank == 1 else [1, 2, 3, 4, 4, 5, 8] if rank == 2 else [1, 2, 3, 4]
        extents = [rng.choice(sizes) for _ in range(rank)]
        total = 1
        for extent in extents:
            total *= extent
        if total <= budget:
            return extents
    return [rng.randrange(1, 5)]


def declare(context, kind, count=1, parameters=()):
    """Adds a line with `count` new arrays; `parameters` are the names of
    template parameters that can be extents."""
    case, rng = context.case, context.rng
    qualifier = rng.choices(["", "const", "volatile"], [90, 6, 4 if kind.scalar else 0])[0]
    if isinstance(kind, ParameterType):
        qualifier = ""
    arrays, forms = [], {}
    for _ in range(count):
        extents = random_extents(rng, max(1, case.bytes_left // kind.size))
        if parameters and rng.random() < 0.7:
            dimension = rng.randrange(len(extents))
            # All elements of a table of pointers stand in its initialiser.
            if not (kind.star and qualifier == "const"):
                extents[dimension] = parameters[0]
        array = Array(case, case.local(rng.choice(["a", "buf", "tab", "s", "counts", "stack"])),
                      kind, extents, qualifier)
        array.plain = rng.random() < 0.4 or kind.flags
        array.places = set(context.places)
        forms[array.name] = Form(context, array)
        case.bytes_left -= array.bytes()
        arrays.append(array)
        case.note(f"declare-{forms[array.name].style}", array)
        case.note(f"rank-{array.rank}", array)
        for place in context.places:
            case.note(f"in-{place}", array)
        if qualifier:
            case.note(qualifier, array)
    line = Line(context, arrays, forms)
    context.body.add(line.item)
    context.arrays += arrays
    return arrays


def finish(context, arrays):
    """The whole contents into the digest, at the end of the scope."""
    for array in arrays:
        i = context.case.local("i")
        context.body.add(Item(context.case, lambda array=array, i=i: array.over_all(
            i, lambda _, element: f"h = mix(h, {element} ? 3u : 5u);" if array.kind.flags
            else context.case.fold(element)), needs=[array]))
