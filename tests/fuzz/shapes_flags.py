"""Uses of small sets of flags: arrays of bool that can become bits. A digest by
an overloaded function would keep them from it, so each use has its own.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from shape import shape, writable
from tree import Helper, indented


def flags(array):
    return array.kind.flags


def changing(array):
    return flags(array) and writable(array)


def row_of(array):
    return flags(array) and array.rank == 1 and not array.qualifier


def condition(context):
    a, b = context.varying(), context.uniform()
    return context.rng.choice([f"({a} & 5u)", f"{a} % 7u > 2u", f"{a} > {b}", f"0.5f * ({a} & 3u)",
                               "true", "0"])


@shape(5, plain=True, fits=flags)
def flag_read(context, array):
    one, two, three = (array.element(context) for _ in range(3))
    form = context.rng.choice(["h = mix(h, {0} ? 3u : 4u);", "h = mix(h, {0} + 2 * {1} - ~{2});",
                               "h += {0};", "h ^= (unsigned){0} << 3 | !{1};",
                               "h = mix(h, {0} == {1} ? 7u : 9u);",
                               "if ({0} && !{1}) h += 11u; else if ({2} || v > 9u) h ^= 5u;"])
    return lambda: [form.format(one(), two(), three())]


@shape(5, plain=True, fits=changing)
def flag_write(context, array):
    one, two, e, c = (array.element(context), array.element(context), context.value(),
                      condition(context))
    form = context.rng.choice(["{0} = {3};", "{0} = {1};", "{0} = !{1};", "{0} |= {2};",
                               "{0} &= {2};", "{0} ^= {2};", "{0} ^= {1};", "{0} = {1} = {3};",
                               "h += ({0} |= {2} & 2u) ? 3u : 1u;", "({0}) = {3}, h += 1u;",
                               "const bool was = {0} = {3}; h += was;",
                               "auto now = {0} = {3}; h += now;"])
    return lambda: ["{", "  " + form.format(one(), two(), e, c), "}"]


@shape(4, plain=True, fits=changing)
def flag_loop(context, array):
    """Tests and sets, as in a search."""
    case = context.case
    i, steps = case.local("i"), context.rng.randrange(3, 40)
    inner = context.inside(context.body, loops=[i])
    element = array.element(inner)

    def lines():
        text = element()
        return [f"for (int {i} = 0; {i} < {steps}; ++{i}) {{", "  v = v * 1664525u + 77u;",
                f"  if ({text})", f"    h = mix(h, {i}), {text} = false;", "  else",
                f"    {text} = true;", "}"]
    return lines


@shape(3, plain=True, fits=flags)
def flag_variable(context, array):
    one, two, x = array.element(context), array.element(context), context.case.local("x")
    return lambda: ["{", f"  const bool {x}_1 = {one()};", f"  int {x}_2({two()}), {x}_3 = {one()};",
                    f"  {x}_2 += {one()};", f"  h = mix(h, {x}_1 + {x}_2 * 2 + {x}_3);", "}"]


@shape(3, plain=True, fits=flags)
def flag_argument(context, array):
    case, element = context.case, array.element(context)
    kind, name = context.rng.choice(["bool", "int", "unsigned"]), case.name("weigh")
    helper = Helper(case, name, lambda: [
        f"__host__ __device__ unsigned {name}({kind} x, unsigned h) {{ return mix(h, x + 3u); }}"])
    return lambda: [f"h = {helper.use()}({element()}, h);"]


@shape(3, plain=True, fits=changing)
def flag_macro(context, array):
    case, element = context.case, array.element(context)
    name = case.name("TOGGLE")
    helper = Helper(case, name, lambda: [f"#define {name}(X) X = !(X)"])
    return lambda: [f"{helper.use()}({element()});"]


@shape(4, plain=True, fits=row_of)
def flag_callee(context, array):
    """A function that clears, turns or counts them, by subscripts or steps."""
    case, rng = context.case, context.rng
    name, what = case.name("turn"), rng.choice(["clear", "turn", "count", "walk", "pass"])
    const = "const " if what == "count" else ""
    body = {"clear": ["for (int i = 0; i < n; ++i)", "  p[i] = false;"],
            "turn": ["for (int i = n - 1; i >= 0; --i)", "  p[i] ^= h >> (i & 31) & 1u;"],
            "count": ["for (int i = 0; i < n; ++i)", "  h = mix(h, p[i] ? 3u : 1u);"],
            "walk": ["for (bool *end = p + n; p != end; ++p)", "  *p = !*p;"],
            "pass": ["while (n--)", "  *p++ = h >> (n & 31) & 1u;"]}[what]
    helper = Helper(case, name, lambda: [
        f"__device__ unsigned {name}({const}bool *p, int n, unsigned h) {{", *indented(body),
        "  return h;", "}"])
    return lambda: [f"h = {helper.use()}({array.name}, {array.length()}, h);"]


@shape(2, plain=True, fits=row_of)
def flag_pointer(context, array):
    p, e = context.case.local("p"), context.value()
    return lambda: [f"for (bool *{p} = {array.name}; {p} < {array.name} + {array.length()}; ++{p})",
                    f"  if (*{p} == (({e} & 1u) != 0))", f"    *{p} ^= 1;"]


@shape(2, plain=True, fits=lambda array: row_of(array))
def flag_clear(context, array):
    return lambda: [f"memset({array.name}, 0, sizeof({array.name}));"]
