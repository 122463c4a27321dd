"""Uses of single elements: all that a striped array can serve.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from shape import change_in_callee, generic, integer, others, scalar, shape, writable, writable_scalar
from tree import Helper, indented


@shape(6, plain=True)
def read(context, array):
    element = array.element(context)
    return lambda: [context.case.fold(element())]


@shape(6, plain=True, fits=writable)
def write(context, array):
    element, e = array.element(context), context.value()
    return lambda: [f"{element()} = {array.kind.value(e)};"]


@shape(6, plain=True, fits=writable)
def change(context, array):
    element, e = array.element(context), context.value()
    text = array.kind.change(context, "@", e)
    return lambda: [text.replace("@", element())]


@shape(6, plain=True, fits=writable)
def loop(context, array):
    """Writes and reads at an index that depends on the counter and the lane."""
    case = context.case
    i, steps = case.local("i"), context.rng.randrange(2, 20)
    inner = context.inside(context.body, loops=[i])
    one, two = array.element(inner), array.element(inner)
    text = array.kind.change(context, "@", inner.value())
    step = context.rng.choice([f"v = v * 1664525u + {steps}u;", f"v += n + {steps}u;"])
    bound = context.rng.choice([str(steps), f"(int)n + {steps}", f"(int)(v & 7u) + {steps}"])
    # The bound must not follow v.
    return lambda: [f"for (int {i} = 0, {i}_end = {bound}; {i} < {i}_end; ++{i}) {{",
                    *indented([text.replace("@", one()), step, case.fold(two())]), "}"]


@shape(3, plain=True)
def nested_subscript(context, array):
    """a[b[i] % n]; the digest of an element is the index."""
    candidates = others(context, array) or [array]
    other = context.rng.choice(candidates)
    element = other.element(context)
    k = context.rng.randrange(array.rank)
    rest = [context.index(array.extent(d)) for d in range(array.rank)]

    def lines():
        indices = [i() for i in rest]
        indices[k] = f"digest({element()}) % {array.extents()[k]}"
        return [context.case.fold(array.name + "".join(f"[{i}]" for i in indices))]
    return lines, [other]


@shape(2, plain=True, fits=writable_scalar)
def swap_elements(context, array):
    one, two = array.element(context), array.element(context)
    t = context.case.local("t")
    return lambda: ["{", f"  {array.kind.spell()} {t} = {one()};", f"  {one()} = {two()};",
                    f"  {two()} = {t};", "}"]


@shape(2, plain=True, fits=writable)
def stack_top(context, array):
    """A stack: the index is counted up and down as a side effect."""
    case = context.case
    top, i = case.local("top"), case.local("i")
    rest = [context.index(array.extent(d)) for d in range(1, array.rank)]
    e, pushes = context.value(), context.rng.randrange(2, 12)

    def lines():
        tail = "".join(f"[{r()}]" for r in rest)
        return [f"int {top} = 0;",
                f"for (int {i} = 0; {i} < {pushes}; ++{i}) {{",
                f"  if ({top} < {array.extents()[0]})",
                f"    {array.name}[{top}++]{tail} = {array.kind.value(e)};",
                f"  if (v >> {i} & 1u && {top} > 0)",
                "    " + case.fold(f"{array.name}[--{top}]{tail}"), "}",
                f"while ({top} > 0)", "  " + case.fold(f"{array.name}[--{top}]{tail}")]
    return lines


@shape(2, plain=True, fits=writable)
def reference_to_element(context, array):
    element, e, r = array.element(context), context.value(), context.case.local("r")
    text = array.kind.change(context, r, e)
    return lambda: ["{", f"  {array.pointee()} &{r} = {element()};", "  " + text,
                    "  " + context.case.fold(r), "}"]


@shape(2, plain=True, fits=writable)
def pointer_to_element(context, array):
    element, e, p = array.element(context), context.value(), context.case.local("p")
    text = array.kind.change(context, f"(*{p})", e)
    return lambda: ["{", f"  {array.pointee()} *{p} = &{element()};", "  " + text,
                    "  " + context.case.fold(f"*{p}"), "}"]


@shape(3, plain=True, fits=lambda a: integer(a) and a.writable)
def atomic(context, array):
    if not context.atomics:
        return None
    element, e = array.element(context), context.value()
    name = context.rng.choice(["atomicAdd", "atomicXor", "atomicMax", "atomicExch", "atomicOr"])
    value = f"({array.kind.base})({e} & 1023u)"
    if context.rng.random() < 0.5:
        return lambda: [f"{name}(&{element()}, {value});"]
    return lambda: [context.case.fold(f"{name}(&{element()}, {value})")]


@shape(2, plain=True)
def conditional(context, array):
    candidates = others(context, array, lambda a: a.kind is array.kind) or [array]
    other = context.rng.choice(candidates)
    one, two, e = array.element(context), other.element(context), context.value()
    return (lambda: [context.case.fold(f"({e} & 1u ? {one()} : {two()})")]), [other]


@shape(2, plain=True, fits=lambda a: writable_scalar(a) and a.rank == 1
       and a.kind.kind in ("int", "unsigned", "float", "small", "wide"))
def insertion_sort(context, array):
    i, j, t = (context.case.local(s) for s in "ijt")
    name = array.name
    return lambda: [
        f"for (int {i} = 1; {i} < {array.extents()[0]}; ++{i}) {{",
        f"  {array.kind.base} {t} = {name}[{i}];", f"  int {j} = {i};",
        f"  for (; {j} > 0 && {name}[{j} - 1] > {t}; --{j})",
        f"    {name}[{j}] = {name}[{j} - 1];", f"  {name}[{j}] = {t};", "}"]


@shape(2, plain=True, fits=writable)
def element_by_reference(context, array):
    """One element goes to a function by reference or by address."""
    case, e = context.case, context.value()
    element, name = array.element(context), case.name("bump")
    by_pointer = context.rng.random() < 0.4
    text = change_in_callee(context, array, "(*x)" if by_pointer else "x", "e")
    parameter = f"{'*' if by_pointer else '&'}x"
    result = case.fold("*x" if by_pointer else "x")
    helper = Helper(case, name, lambda: [
        *generic(array),
        f"__device__ unsigned {name}(unsigned h, {array.pointee()} {parameter}, unsigned e) {{",
        f"  {text}", f"  {result}", "  return h;", "}"])
    return lambda: [f"h = {helper.use()}(h, {'&' if by_pointer else ''}{element()}, {e});"]


@shape(1, plain=True)
def element_by_value(context, array):
    case, element = context.case, array.element(context)
    name = case.name("twice")
    helper = Helper(case, name, lambda: [
        *generic(array), f"__device__ unsigned {name}({array.kind.spell()} x, unsigned h) {{",
        "  return mix(mix(h, digest(x)), digest(x));", "}"])
    return lambda: [f"h = {helper.use()}({element()}, h);"]


@shape(2, plain=True)
def macro_argument(context, array):
    case, element = context.case, array.element(context)
    name = case.name("FOLD")
    helper = Helper(case, name, lambda: [f"#define {name}(H, X) H = mix((H), digest((X)))"])
    return lambda: [f"{helper.use()}(h, {element()});"]


@shape(2, plain=True)
def initialiser_from(context, array):
    """An element initialises another variable of the same line."""
    one, two = array.element(context), array.element(context)
    x = context.case.local("x")
    return lambda: ["{", f"  const {array.kind.spell()} {x}_1 = {one()}, {x}_2({two()});"
                    if not array.kind.star else
                    f"  {array.kind.spell()}{x}_1 = {one()}, *{x}_2({two()});",
                    "  " + context.case.fold(f"{x}_1"), "  " + context.case.fold(f"{x}_2"), "}"]


@shape(1, plain=True)
def control_flow(context, array):
    """Elements in conditions: switch, while, the head of a for loop."""
    case, i = context.case, context.case.local("i")
    one, two = array.element(context), array.element(context)
    kind = context.rng.randrange(3)

    def lines():
        if kind == 0:
            return [f"switch (digest({one()}) & 3u) {{", "case 0:", "  " + case.fold(two()),
                    "  break;", "case 1: {", "  h += 5u;", "  break;", "}", "default:", "  h ^= 9u;",
                    "}"]
        if kind == 1:
            return [f"for (unsigned {i} = digest({one()}) & 7u; {i} < 9u + (digest({two()}) & 3u);"
                    f" ++{i})", f"  h = mix(h, {i});"]
        return [f"if (digest({one()}) > digest({two()}) && (digest({two()}) & 1u))", "  h += 3u;",
                "else", "  " + case.fold(one())]
    return lines


@shape(1, plain=True, fits=scalar)
def element_size(context, array):
    element = array.element(context)
    return lambda: [f"h = mix(h, (unsigned)sizeof({element()}));"]


@shape(2, plain=True, fits=writable)
def host_look_alikes(context, array):
    """The name in comments, in a string, and as another variable."""
    case, element = context.case, array.element(context)
    name, kind = array.name, context.rng.randrange(3)

    def lines():
        after = case.fold(element())
        if kind == 0:
            return [f"// {name}[0] = 1; int {name}[16]; &{name}", f"/* {name}[i] */ {after}"]
        if kind == 1:
            return ["{", f"  unsigned {name}[3] = {{h, v, n}};",
                    f"  h = mix(h, {name}[v % 3u]);", "}", after]
        return ["{", f"  const char *text = \"{name}[1] = {{{name}}}\";",
                f"  struct {{ unsigned {name}; }} s{name};", f"  s{name}.{name} = v;",
                f"  h = mix(h, s{name}.{name} + (unsigned)text[v & 3u]);", "}", after]
    return lines
