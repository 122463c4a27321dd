"""Arrays that are passed to functions.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from context import named
from shape import change_in_callee, generic, in_words, others, shape
from tree import Helper, indented


class Callee:
    """A __device__ function that gets a pointer to consecutive elements:

        unsigned NAME(unsigned h, T *p, int count, unsigned e)
    """

    def __init__(self, context, array, body, head="__device__", stem="walk", parameter="{}p",
                 numbers=True):
        case = context.case
        self.name = case.name(stem)
        self.array, self.body, self.head, self.parameter = array, body, head, parameter
        self.helper = Helper(case, self.name, self.lines)
        # `digest` has overloads, so what calls it cannot become a template.
        numbers &= array.kind.kind in ("small", "int", "unsigned", "wide", "float")
        self.digest = ("(unsigned)(long long)(" if numbers and context.rng.random() < 0.7
                       else "digest(")

    def lines(self):
        p = self.parameter.format(f"{self.array.pointee()} *")
        body = [line.replace("digest(", self.digest) for line in self.body()]
        return [*generic(self.array), f"{self.head} unsigned {self.name}(unsigned h, {p}, int count, unsigned e) {{",
                *indented(body), "  return h;", "}"]

    def call(self, row, n, e):
        return f"{self.helper.use()}(h, {row}, {n}, {e})"


def head(context):
    return context.rng.choice(["__device__", "__device__", "__device__ __forceinline__",
                               "static __device__", "__device__ inline", "__host__ __device__",
                               "__device__ __noinline__"])


def subscripting(context, array):
    """A body that does nothing with p but subscripts it."""
    case = context.case
    change = change_in_callee(context, array, "p[(e + (unsigned)i) % count]", "(e ^ h)")
    kind = context.rng.randrange(3)

    def lines():
        if kind == 0:
            return ["for (int i = 0; i < count; ++i) {", "  " + change,
                    "  " + case.fold("p[(h >> 3) % count]"), "}"]
        if kind == 1:
            return ["int i = e % count;", change, case.fold("p[i]"), case.fold("p[count - 1]")]
        return ["for (int i = count - 1; i >= 0; i -= 2)", "  " + case.fold("p[i]"),
                "int i = 1;", change]
    return lines


def walking(context, array):
    """A body that counts with p."""
    case = context.case
    change = change_in_callee(context, array, "(*q)", "e")
    kind = context.rng.randrange(5)

    def lines():
        pointer = f"{array.pointee()} *"
        stars = pointer[pointer.index("*"):]
        return [
            [f"for ({pointer}q = p, {stars}end = p + count; q < end; ++q) {{", "  " + change,
             "  " + case.fold("*q"), "}"],
            ["while (count-- > 0)", "  " + case.fold("*p++")],
            [f"{pointer}q = p + e % count;", change, case.fold("*q"),
             "h = mix(h, (unsigned)(q - p));"],
            ["p += count - 1;", "for (int i = 0; i < count; ++i)", "  " + case.fold("*(p - i)")],
            [f"{pointer}q = &p[e % count];", change, "if (q != p)", "  " + case.fold("q[-1]"),
             "h += q >= p;"],
        ][kind]
    return lines


def pass_it(context, array, callee, extra=()):
    """The call: once, in a loop, or twice in an expression."""
    row, e = array.row(context), context.value()
    i = context.case.local("i")
    kind = context.rng.choices(range(3), [6, 1, 1])[0]

    def lines():
        call = callee.call(row(), array.length(), e)
        if kind == 1:
            return [f"for (int {i} = 0; {i} < 3; ++{i})", f"  h = {call};"]
        return [f"h = {call};"] if kind == 0 else [f"if ({e} & 1u)", f"  h = {call};"]
    return lines, list(extra)


@shape(6)
def callee_subscripts(context, array):
    return pass_it(context, array, Callee(context, array, subscripting(context, array),
                                          head(context), "sum"))


@shape(5)
def callee_walks(context, array):
    return pass_it(context, array, Callee(context, array, walking(context, array), head(context)))


@shape(2)
def callee_array_parameter(context, array):
    """The parameter is spelled as an array, or restrict, or const."""
    parameter = context.rng.choice(["{}__restrict__ p", "{}const p"])
    return pass_it(context, array, Callee(context, array, subscripting(context, array),
                                          head(context), "sum", parameter))


@shape(2)
def callee_of_callee(context, array):
    rng = context.rng
    inner = Callee(context, array, rng.choice([subscripting, walking])(context, array),
                   head(context), "inner")
    if inner.head.startswith("__host__"):
        inner.head = "__device__"
    offset = rng.random() < 0.4
    outer = Callee(context, array, lambda: (
        ["int half = count / 2;", "if (half > 0)",
         f"  h = {inner.call('p + half', 'count - half', 'e')};"] if offset else
        [f"h = {inner.call('p', 'count', 'e + 1u')};", f"h = {inner.call('p', 'count', 'h')};"]),
        "__device__", "outer")
    return pass_it(context, array, outer)


@shape(2)
def callee_keeps_pointer(context, array):
    """The callee stores the pointer in an object, or returns it."""
    case, name = context.case, context.case.name("pick")
    row, e = array.row(context), context.value()
    if context.rng.random() < 0.5:
        body = lambda: [f"struct View {{ {array.pointee()} *data; }};", "View view;",
                        "view.data = p;", case.fold("view.data[e % count]")]
        return pass_it(context, array, Callee(context, array, body, "__device__", "view"))
    helper = Helper(case, name, lambda: [
        *generic(array), f"__device__ {array.pointee()} *{name}({array.pointee()} *p, int count, unsigned e) {{",
        "  return p + e % count;", "}"])
    text = array.kind.change(context, "@", e) if array.writable else "h += 2u;"

    def lines():
        call = f"{helper.use()}({row()}, {array.length()}, {e})"
        return [text.replace("@", f"(*{call})") if "{" not in text else "h += 1u;",
                case.fold("*" + call)]
    return lines


@shape(2, fits=lambda a: a.qualifier != "volatile" and not a.kind.star
       and not a.kind.base.startswith("Record") and a.kind.base != "T")
def callee_casts(context, array):
    case = context.case
    unit = "unsigned" if in_words(context, array) else "unsigned char"
    body = lambda: [f"const {unit} *raw = (const {unit} *)p;",
                    f"for (int i = 0; i < count * (int)(sizeof(*p) / sizeof({unit})); ++i)",
                    "  " + case.fold("raw[i]")]
    return pass_it(context, array, Callee(context, array, body, "__device__", "raw"))


@shape(2, fits=lambda a: a.alignment and a.rank == 1 and a.kind.base in ("int", "float", "double")
       and a.qualifier != "volatile")
def callee_vector_loads(context, array):
    case = context.case
    vector = {"int": "int2", "float": "float4", "double": "double2"}[array.kind.base]
    width = 4 if vector == "float4" else 2
    body = lambda: [f"const {vector} *wide = (const {vector} *)p;",
                    f"for (int i = 0; i < count / {width}; ++i)", "  " + case.fold("wide[i]")]
    return pass_it(context, array, Callee(context, array, body, "__device__", "wide", numbers=False))


@shape(3, fits=lambda a: a.kind.base != "T")
def callee_two_arrays(context, array):
    """Two arrays, or the same one twice."""
    case = context.case
    candidates = [a for a in others(context, array)
                  if not named(a.length()) and a.kind.base != "T"]
    if named(array.length()):
        return None
    other = context.rng.choice(candidates) if candidates and context.rng.random() < 0.8 else array
    one, two = array.row(context), other.row(context)
    name, e = case.name("both"), context.value()
    change = change_in_callee(context, array, "p[(e + (unsigned)i) % count]", "digest(q[i])")
    helper = Helper(case, name, lambda: [
        *generic(array), f"__device__ unsigned {name}(unsigned h, {array.pointee()} *p, {other.pointee()} *q, "
        "int count, unsigned e) {", "  for (int i = 0; i < count; ++i) {", "    " + change,
        "    " + case.fold("q[i]"), "  }", "  return h;", "}"])

    def lines():
        n = min(array.length(), other.length())
        return [f"h = {helper.use()}(h, {one()}, {two()}, {n}, {e});"]
    return lines, [other] if other is not array else []


@shape(2)
def callee_overloaded(context, array):
    """Two functions of one name; the type of the array chooses."""
    case = context.case
    name = case.name("over")
    row, e = array.row(context), context.value()
    body = subscripting(context, array)
    decoy = "double" if array.kind.base != "double" else "float"
    helper = Helper(case, name, lambda: [
        f"__device__ unsigned {name}(unsigned h, const {decoy} *p, int count, unsigned e) {{",
        "  return h + digest(p[e % count]);", "}",
        *generic(array),
        f"__device__ unsigned {name}(unsigned h, {array.pointee()} *p, int count, unsigned e) {{",
        *indented(body()), "  return h;", "}"])
    return lambda: [f"h = {helper.use()}(h, {row()}, {array.length()}, {e});"]


@shape(3)
def callee_template(context, array):
    """The element type, or the size, or both are deduced."""
    case = context.case
    name = case.name("any")
    e, kind = context.value(), context.rng.randrange(4)
    row = array.row(context)
    walks = ["for (int i = 0; i < count; ++i)", "  " + case.fold("*p++")]
    counts = ["for (int i = 0; i < count; ++i)", "  " + case.fold("p[(i + e) % count]")]
    body = context.rng.choice([walks, counts])

    def definition():
        if kind == 0:
            first = ["template <class T>", f"__device__ unsigned {name}(unsigned h, T *p, int count, "
                     "unsigned e) {"]
        elif kind == 1:
            first = ["template <class T, int N>",
                     f"__device__ unsigned {name}(unsigned h, T (&a)[N], unsigned e) {{",
                     "  const int count = N;"]
            return [*first, *indented([line.replace("p[", "a[") for line in counts]),
                    "  return h;", "}"]
        elif kind == 2:
            first = ["template <int N, class T>",
                     f"__device__ unsigned {name}(unsigned h, T *p, unsigned e) {{", "  int count = N;"]
        else:
            first = ["template <class P>", f"__device__ unsigned {name}(unsigned h, P p, int count, "
                     "unsigned e) {"]
        return [*first, *indented(body), "  return h;", "}"]
    helper = Helper(case, name, definition)

    def lines():
        f, n = helper.use(), array.length()
        return ["h = " + [f"{f}(h, {row()}, {n}, {e})", f"{f}(h, {row()}, {e})",
                          f"{f}<{n}>(h, {row()}, {e})", f"{f}(h, {row()}, {n}, {e})"][kind] + ";"]
    return lines


@shape(2, fits=lambda a: not any(map(named, a.full_extents)))
def callee_reference_parameter(context, array):
    """T (&a)[N][M]: the whole array, all extents fixed."""
    case, name, e = context.case, context.case.name("whole"), context.value()
    element = array.element(context)
    text = change_in_callee(context, array, "@", "e")
    pointer = array.rank >= 2 and context.rng.random() < 0.5

    def definition():
        inner = element().replace(array.name, "a", 1)
        dimensions = "".join(f"[{x}]" for x in array.extents())
        parameter = (f"{array.pointee()} (*a){''.join(f'[{x}]' for x in array.extents()[1:])}"
                     if pointer else f"{array.pointee()} (&a){dimensions}")
        return [*generic(array), f"__device__ unsigned {name}(unsigned h, {parameter}, unsigned v, unsigned n, "
                "const unsigned *in, unsigned e) {", "  " + text.replace("@", inner),
                "  " + case.fold(inner), "  return h;", "}"]
    helper = Helper(case, name, definition)
    # The element's text names counters of loops, which the function lacks.
    if context.loops:
        return None
    return lambda: [f"h = {helper.use()}(h, {array.name}, v, n, in, {e});"]


@shape(2, fits=lambda a: a.kind.base != "T")
def callee_also_elsewhere(context, array):
    """The callee is called with other memory as well."""
    case = context.case
    callee = Callee(context, array, context.rng.choice([subscripting, walking])(context, array),
                    "__device__", "shared")
    lines, extra = pass_it(context, array, callee)
    if array.kind.base != "unsigned" or array.kind.star:
        x, value = case.local("x"), context.value()
        return (lambda: [*lines(), "{",
                         f"  {array.kind.spell()} {x} = {array.kind.value(value)};",
                         f"  h = {callee.call('&' + x, 1, value)};", "}"]), extra
    if array.writable:
        return lines, extra
    return (lambda: [*lines(), f"h = {callee.call('in + 3', 5, 'v')};"]), extra


@shape(1)
def callee_recursive(context, array):
    case = context.case
    callee = Callee(context, array, lambda: [
        "if (count <= 1)", "  return mix(h, digest(*p) + e);",
        f"h = {callee.name}(h, p, count / 2, e);",
        f"return {callee.name}(h, p + count / 2, count - count / 2, e);"], "__device__", "divide")
    return pass_it(context, array, callee)


@shape(1, fits=lambda a: a.kind.base != "T")
def callee_through_pointer(context, array):
    """The callee's address is taken."""
    case, f = context.case, context.case.local("f")
    callee = Callee(context, array, subscripting(context, array), "__device__", "sum")
    row, e = array.row(context), context.value()
    return lambda: ["{", f"  unsigned (*{f})(unsigned, {array.pointee()} *, int, unsigned) = "
                    f"{callee.helper.use()};", f"  h = {f}(h, {row()}, {array.length()}, {e});", "}"]


@shape(1, fits=lambda a: a.kind.base != "T")
def callee_declared_first(context, array):
    """Declared, called, and defined behind its caller; one default argument."""
    case = context.case
    name, outer = case.name("later"), case.name("caller")
    body = context.rng.choice([subscripting, walking])(context, array)
    signature = f"unsigned {name}(unsigned h, {{}} *p, int count, unsigned e"
    helper = Helper(case, outer, lambda: [
        f"__device__ {signature.format(array.pointee())} = 3u);",
        f"__device__ unsigned {outer}(unsigned h, {array.pointee()} *p, int count) {{",
        f"  return {name}(h, p, count);", "}",
        f"__device__ {signature.format(array.pointee())}) {{", *indented(body()), "  return h;", "}"])
    row = array.row(context)
    return lambda: [f"h = {helper.use()}(h, {row()}, {array.length()});"]


@shape(1, fits=lambda a: a.kind.base != "T")
def callee_member(context, array):
    """A static or an ordinary member function, or one in a namespace."""
    case, name, e = context.case, context.case.name("Holder"), context.value()
    body = subscripting(context, array)
    kind = context.rng.randrange(3)
    row = array.row(context)

    def definition():
        head_text = ["struct", "struct", "namespace"][kind]
        prefix = ["static ", "", ""][kind]
        return [f"{head_text} {name} {{",
                f"  {prefix}__device__ unsigned sum(unsigned h, {array.pointee()} *p, int count, "
                f"unsigned e){' const' if kind == 1 else ''} {{",
                *indented(indented(body())), "    return h;", "  }", "};" if kind < 2 else "}"]
    helper = Helper(case, name, definition)
    return lambda: [f"h = {helper.use()}{['::', '().', '::'][kind]}sum(h, {row()}, "
                    f"{array.length()}, {e});"]


@shape(2, fits=lambda a: a.writable and not a.kind.star)
def callee_fills(context, array):
    """Output parameter: the callee writes what the caller reads."""
    case = context.case
    change = array.kind.value("(e + (unsigned)count)")
    body = (lambda: ["while (count > 0) {", "  --count;", f"  *p++ = {change};", "}"]) \
        if context.rng.random() < 0.5 else \
        (lambda: ["for (int i = 0; i < count; ++i)", f"  p[i] = {change};"])
    lines, extra = pass_it(context, array, Callee(context, array, body, "__device__", "fill"))
    element = array.element(context)
    return (lambda: [*lines(), case.fold(element())]), extra
