"""Uses of a whole array, or of a row of it, where it stands: pointers,
references, casts, lambdas, macros, the preprocessor.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from context import named
from shape import in_words, others, scalar, shape, writable, writable_scalar
from tree import Helper, indented


def one_dimension(array):
    return array.rank == 1


def bytes_comparable(array):
    """All bytes have values: no padding, no addresses."""
    return (array.qualifier != "volatile" and not array.kind.star
            and not array.kind.base.startswith("Record"))


@shape(4)
def walk(context, array):
    """A pointer counts through the array."""
    case = context.case
    row, p, end, i = array.row(context), case.local("p"), case.local("end"), case.local("i")
    kind = context.rng.randrange(5)
    e = context.value()
    change = array.kind.change(context, f"(*{p})", e) if array.writable else case.fold(f"*{p}")
    pointee = array.pointee

    def lines():
        n = array.length()
        declare = f"{pointee()} *{p} = {row()}"
        # The star of the second declarator, and those of its element type.
        stars = declare[declare.index("*"):declare.index(p)]
        if kind == 0:
            return [f"for ({declare}, {stars}{end} = {p} + {n}; {p} < {end}; ++{p}) {{", "  " + change,
                    "  " + case.fold(f"*{p}"), "}"]
        if kind == 1:
            return ["{", f"  {declare};", f"  for (int {i} = 0; {i} < {n}; ++{i})",
                    "    " + case.fold(f"*{p}++"), "}"]
        if kind == 2:
            return ["{", f"  {declare};", f"  {p} += {n} - 1;",
                    f"  for (int {i} = 0; {i} < {n}; ++{i})", "    " + case.fold(f"{p}[-{i}]"), "}"]
        if kind == 3:
            return ["{", f"  {declare};", f"  {pointee()} *{end} = {p} + {e} % {n};",
                    f"  h = mix(h, (unsigned)({end} - {p}) + (unsigned)({end} > {p}));",
                    "  " + case.fold(f"*{end}"), "}"]
        return [case.fold(f"*({row()} + {e} % {n})")]
    return lines


@shape(2)
def dereference(context, array):
    row, e = array.row(context), context.value()
    kind = context.rng.randrange(3)

    def lines():
        e_text = [f"*{row()}", f"({e} % {array.length()})[{row()}]", f"(&{row()}[0])[0]"][kind]
        return [context.case.fold(e_text)]
    return lines


@shape(3)
def alias(context, array):
    """Another name for the array, and perhaps for a second one; they may be
    exchanged."""
    case = context.case
    other = next(iter(others(context, array, same_kind=True)), array)
    one, two = array.row(context), other.row(context)
    p, q, t = case.local("p"), case.local("q"), case.local("t")
    swaps, e, f = context.rng.random() < 0.5, context.value(), context.value()
    change = (array.kind.change(context, f"{p}[{e} % NN]", f) if array.writable
              else case.fold(f"{p}[{e} % NN]"))

    def lines():
        n = array.length()
        if other is not array:
            n = 1 if named(n) or named(other.length()) else min(n, other.length())
        body = [f"{array.pointee()} *{p} = {one()};", f"{array.pointee()} *{q} = {two()};",
                change.replace("NN", str(n)), case.fold(f"{q}[{f} % {n}]")]
        if swaps:
            body += [f"if ({e} & 1u) {{", f"  {array.pointee()} *{t} = {p};", f"  {p} = {q};",
                     f"  {q} = {t};", "}", change.replace("NN", str(n)),
                     case.fold(f"{q}[{f} % {n}]"), f"h += {p} == {q};"]
        return ["{", *indented(body), "}"]
    return lines, [other]


@shape(2)
def conditional_pointer(context, array):
    case = context.case
    candidates = others(context, array, same_kind=True)
    if not candidates:
        return None
    other = context.rng.choice(candidates)
    one, two, p, e = array.row(context), other.row(context), case.local("p"), context.varying()
    kind = context.rng.randrange(2)

    def lines():
        if kind:
            return [case.fold(f"({e} & 1u ? {one()} : {two()})[0]")]
        return ["{", f"  {array.pointee()} *{p} = nullptr;", f"  if ({e} & 2u)", f"    {p} = {one()};",
                f"  if ({p})", "    " + case.fold(f"*{p}"),
                f"  {array.pointee()} *rows[2] = {{{one()}, {two()}}};",
                "  " + case.fold(f"rows[{e} & 1u][0]"), "}"]
    return lines, [other]


@shape(2, fits=lambda a: a.rank >= 2)
def row_pointer(context, array):
    """A pointer to rows, or a reference to one."""
    case, r = context.case, context.case.local("r")
    i, j = context.index(array.extent(0)), context.index(array.extent(1))
    rest = [context.index(array.extent(d)) for d in range(2, array.rank)]
    reference = context.rng.random() < 0.5

    def lines():
        tail = "".join(f"[{x()}]" for x in rest)
        dimensions = "".join(f"[{e}]" for e in array.extents()[1:])
        if reference:
            return ["{", f"  {array.pointee()} (&{r}){dimensions} = {array.name}[{i()}];",
                    "  " + case.fold(f"{r}[{j()}]{tail}"), "}"]
        return ["{", f"  {array.pointee()} (*{r}){dimensions} = {array.name};",
                "  " + case.fold(f"{r}[{i()}][{j()}]{tail}"), "}"]
    return lines


@shape(2)
def whole_reference(context, array):
    case, r, e = context.case, context.case.local("r"), context.value()
    element = array.element(context)
    by_auto = context.rng.random() < 0.4
    text = array.kind.change(context, "@", e) if array.writable else case.fold("@")

    def lines():
        dimensions = "".join(f"[{x}]" for x in array.extents())
        head = (f"auto &{r} = {array.name};" if by_auto
                else f"{array.pointee()} (&{r}){dimensions} = {array.name};")
        return ["{", "  " + head, "  " + text.replace("@", element().replace(array.name, r, 1)),
                "  " + case.fold(element().replace(array.name, r, 1)), "}"]
    return lines


@shape(2, fits=lambda a: one_dimension(a) and bytes_comparable(a) and a.kind.base != "T")
def cast(context, array):
    """Looks at the bytes through another type."""
    case, q = context.case, context.case.local("q")
    e, c_style = context.value(), context.rng.random() < 0.4
    words = in_words(context, array)

    def lines():
        count = f"({array.length()} * {array.kind.size // (4 if words else 1)})"
        kind = "const unsigned *" if words else "const unsigned char *"
        value = f"({kind}){array.name}" if c_style else f"reinterpret_cast<{kind}>({array.name})"
        return ["{", f"  {kind}{q} = {value};", "  " + case.fold(f"{q}[{e} % {count}]"), "}"]
    return lines


@shape(1, fits=lambda a: a.alignment and bytes_comparable(a) and a.kind.base in ("int", "float")
       and a.rank == 1 and not named(a.length()))
def vector_load(context, array):
    case, e = context.case, context.value()
    vector = f"{array.kind.base}2" if array.kind.base == "int" else "float4"
    width = 2 if vector == "int2" else 4

    def lines():
        count = array.length() // width
        if not count:
            return []
        return [case.fold(f"reinterpret_cast<const {vector} *>({array.name})[{e} % {count}]")]
    return lines


@shape(2, fits=lambda a: a.writable and bytes_comparable(a) and a.kind.base != "T"
       and not a.kind.base.startswith("Level") and a.kind.kind != "bool")
def memory_functions(context, array):
    """memcpy and memset of the whole array, or between two."""
    case = context.case
    row, t = array.row(context), case.local("t")
    kind = context.rng.randrange(3)
    whole = array.rank == 1 and context.rng.random() < 0.5
    candidates = others(context, array, same_kind=True)
    other = candidates[0] if candidates else array
    source = other.row(context)
    element = array.element(context)

    def lines():
        n = array.length()
        if kind == 0:
            size = f"sizeof({array.name})" if whole else f"{n} * sizeof({array.kind.spell()})"
            return [f"memset({row()}, 0, {size});", case.fold(element())]
        if kind == 1 and other is not array and not named(n) and not named(other.length()):
            n = min(n, other.length())
            return [f"memcpy({row()}, {source()}, {n} * sizeof({array.kind.spell()}));",
                    case.fold(element())]
        return ["{", f"  {array.kind.spell()} {t}[{n}];", f"  memcpy({t}, {row()}, sizeof {t});",
                "  " + case.fold(f"{t}[{n} - 1]"), "}"]
    return lines, ([other] if other is not array else [])


@shape(2)
def range_for(context, array):
    case, x = context.case, context.case.local("x")
    row, e = array.row(context), context.value()
    by_reference = array.writable and context.rng.random() < 0.5
    text = array.kind.change(context, x, e)

    def lines():
        if by_reference:
            return [f"for (auto &{x} : {row()}) {{", "  " + text, "  " + case.fold(x), "}"]
        return [f"for ({array.kind.spell()} {x} : {row()})", "  " + case.fold(x)]
    return lines


@shape(2)
def lambda_by_reference(context, array):
    case, f, e = context.case, context.case.local("f"), context.value()
    element = array.element(context)
    text = array.kind.change(context, "@", "e") if array.writable else "h += e;"
    explicit = context.rng.random() < 0.3

    def lines():
        capture = f"=, &{array.name}, &h" if explicit else "&"
        return ["{", f"  auto {f} = [{capture}](unsigned e) {{",
                *indented(indented([text.replace("@", element()), case.fold(element())])), "  };",
                f"  {f}({e});", f"  {f}({e} + 1u);", "}"]
    return lines


@shape(2, fits=lambda a: a.qualifier != "volatile")
def lambda_by_copy(context, array):
    """The copy keeps what the array held when it was captured."""
    case, f, e = context.case, context.case.local("f"), context.value()
    one, two = array.element(context), array.element(context)
    text = array.kind.change(context, "@", e) if array.writable else "h += 3u;"
    return lambda: ["{", f"  auto {f} = [=] {{ return digest({one()}); }};",
                    "  " + text.replace("@", two()), f"  h = mix(h, {f}());", "}"]


@shape(2)
def size_of_array(context, array):
    case, i = context.case, context.case.local("i")
    element = array.element(context)
    kind = context.rng.randrange(4)

    def lines():
        if kind == 0:
            return [f"h = mix(h, (unsigned)sizeof({array.name}));", case.fold(element())]
        if kind == 1:
            zeros = "[0]" * (array.rank - 1)
            return [f"for (unsigned {i} = 0; {i} < sizeof({array.name}) / sizeof({array.name}[0]); "
                    f"++{i})", "  " + case.fold(f"{array.name}[{i}]{zeros}")]
        if kind == 2:
            return [f"h = mix(h, (unsigned)sizeof {array.name});", case.fold(element())]
        return ["{", f"  decltype({array.name}) *{i} = &{array.name};",
                "  " + case.fold(element().replace(array.name, f"(*{i})", 1)), "}"]
    return lines


@shape(2)
def macro_body(context, array):
    """The name stands in the body of a macro."""
    case, name = context.case, context.case.name("GET")
    inner = [context.index(array.extent(d)) for d in range(1, array.rank)]
    first = context.index(array.extent(0))
    helper = Helper(case, name, lambda: [
        f"#define {name}(I) {array.name}[(I)]" + "".join(f"[{i()}]" for i in inner)])
    change = array.writable and context.rng.random() < 0.5
    text = array.kind.change(context, "@", context.value()) if change else ""
    return lambda: [case.fold(f"{helper.use()}({first()})"),
                    *([text.replace("@", f"{helper.use()}({first()})")] if change else [])]


@shape(1)
def macro_name_argument(context, array):
    """The name is an argument of a macro, perhaps of one that pastes."""
    case, name = context.case, context.case.name("AT")
    first = context.index(array.extent(0))
    rest = [context.index(array.extent(d)) for d in range(1, array.rank)]
    pastes = context.rng.random() < 0.3
    cut = len(array.name) - 1
    helper = Helper(case, name, lambda: [
        f"#define {name}(A, B, I) A##B[(I)]" if pastes else f"#define {name}(A, I) A[(I)]"])

    def lines():
        tail = "".join(f"[{i()}]" for i in rest)
        names = f"{array.name[:cut]}, {array.name[cut:]}" if pastes else array.name
        return [case.fold(f"{helper.use()}({names}, {first()}){tail}")]
    return lines


@shape(2)
def skipped_code(context, array):
    """A branch that is not taken names the array."""
    element, row = array.element(context), array.row(context)
    kind = context.rng.randrange(3)

    def lines():
        condition = ["#if 0", "#ifdef FUZZ_NEVER_DEFINED", "#if defined(FUZZ_NEVER_DEFINED)"][kind]
        return [condition, f"  consume({row()});", "#else", context.case.fold(element()), "#endif"]
    return lines


@shape(2)
def architecture(context, array):
    """Code under __CUDA_ARCH__: one branch on the device, one on the host."""
    one, two = array.element(context), array.element(context)
    condition = context.rng.choice(["#ifdef __CUDA_ARCH__", "#if __CUDA_ARCH__ >= 700"])
    return lambda: [condition, context.case.fold(one()), "#else", "h += 1u;",
                    context.case.fold(two()), "#endif"]


@shape(1, fits=lambda a: writable_scalar(a) and writable(a) and scalar(a))
def stored_pointer(context, array):
    """The pointer lies in a local object, with the length beside it."""
    case, view = context.case, context.case.local("view")
    row, e = array.row(context), context.value()
    text = array.kind.change(context, f"{view}.data[{e} % {view}.size]", context.value())
    return lambda: ["{", "  struct {", f"    {array.pointee()} *data;", "    int size;",
                    f"  }} {view} = {{{row()}, {array.length()}}};", "  " + text,
                    "  " + case.fold(f"{view}.data[{e} % {view}.size]"), "}"]
