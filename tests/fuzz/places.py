"""Where arrays are declared: the kernel, blocks, loops, lambdas, and __device__
functions of all kinds, and what a body is made of.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shapes_callee  # noqa: F401  they register themselves
import shapes_calls  # noqa: F401
import shapes_flags  # noqa: F401
import shapes_host  # noqa: F401
import shapes_hostile  # noqa: F401
import shapes_macros  # noqa: F401
import shapes_operators  # noqa: F401
import shapes_plain  # noqa: F401
import shapes_pointer  # noqa: F401
from arrays import declare, finish
from context import Context
from element_types import ARGUMENTS, PARAMETER, random_type
from shape import use
from shapes_class import add_object
from tree import Body, Helper, Item, indented


class Room:
    """How much may still be put into a case."""

    def __init__(self, arrays, uses):
        self.arrays, self.uses = arrays, uses


def fill(context, room, parameters=()):
    """Arrays, their uses, and nested places, until the room is used up."""
    rng, mine = context.rng, []
    nested = 0
    while room.arrays > 0 or (room.uses > 0 and context.arrays):
        choice = rng.random()
        if room.arrays > 0 and (not context.arrays or choice < 0.25):
            if rng.random() < 0.1 and not parameters:
                room.arrays -= 1
                add_object(context)
                continue
            kind = PARAMETER if parameters and rng.random() < 0.6 else random_type(context.case)
            count = 2 if room.arrays > 1 and rng.random() < 0.3 else 1
            room.arrays -= count
            mine += declare(context, kind, count, [p for p in parameters if p != "T"])
        elif choice < 0.4 and context.depth < 2 and nested < 3:
            nested += 1
            nest(context, room, parameters)
        elif choice < 0.44:
            steps = rng.randrange(1, 99)
            context.body.add(Item(context.case, lambda steps=steps: [f"v = v * 22695477u + {steps}u;"]))
        elif choice < 0.47:
            leave(context)
        elif context.arrays:
            room.uses -= 1
            # Those of this place are used more than those of outer ones.
            near = mine if mine and rng.random() < 0.7 else context.arrays
            use(context, rng.choice(near))
        else:
            nest(context, room, parameters)
        if context.depth and room.uses % 4 == 0 and mine and rng.random() < 0.5:
            break
    finish(context, mine)


def leave(context):
    """An early return, of some threads."""
    e, k = context.varying(), context.rng.randrange(16, 64)
    context.body.add(Item(context.case, lambda: [f"if (({e} & 63u) == {k}u)",
                                                 f"  {context.ending}"]))


def nest(context, room, parameters):
    rng = context.rng
    makers = [in_block, in_loop, in_loop, in_condition]
    if not context.on_host:
        makers += [in_function, in_function, in_function, in_template, in_lambda]
    # Rarely: nvcc does not come to an end with some recursive functions.
    make = in_recursion if not context.on_host and rng.random() < 0.03 else rng.choice(makers)
    make(context, room, parameters)


def child(context, place, body, loops=()):
    inner = context.inside(body, loops)
    inner.places.add(place)
    return inner


def in_block(context, room, parameters):
    body = Body()
    fill(child(context, "block", body), room, parameters)
    context.body.add(Item(context.case, lambda: ["{", *body.lines(), "}"]))


def in_loop(context, room, parameters):
    body, i = Body(), context.case.local("i")
    steps = context.rng.randrange(1, 6)
    bound = context.rng.choice([str(steps), f"(int)n + {steps}"])
    fill(child(context, "loop", body, [i]), room, parameters)
    context.body.add(Item(context.case, lambda: [
        f"for (int {i} = 0; {i} < {bound}; ++{i}) {{", *body.lines(), "}"]))


def in_condition(context, room, parameters):
    body, e = Body(), context.varying()
    fill(child(context, "condition", body), room, parameters)
    context.body.add(Item(context.case, lambda: [f"if ({e} & 1u) {{", *body.lines(), "}"]))


def function_context(context, body, place):
    return Context(context.case, place, body, depth=context.depth + 1, places=[place])


HEADS = ["__device__", "__device__", "__device__ __forceinline__", "static __device__ inline",
         "__device__ __noinline__", "inline __device__", "__host__ __device__"]
PARAMETERS = "unsigned h, unsigned v, unsigned n, const unsigned *in"


def in_function(context, room, parameters):
    """A __device__ function, or a member function, with arrays of its own."""
    case, rng, body = context.case, context.rng, Body()
    name = case.name("work")
    head, place = rng.choice(HEADS), "device-function"
    member = rng.random() < 0.2
    if member:
        head, place = "__device__", "member-function"
    inner = function_context(context, body, place)
    inner.on_host = head.startswith("__host__")
    inner.atomics &= not inner.on_host
    fill(inner, Room(rng.randrange(1, 3), rng.randrange(2, 5)))
    room.arrays -= 1

    def define():
        case.for_host = inner.on_host
        text = define_inside()
        case.for_host = False
        return text

    def define_inside():
        lines = [f"{head} unsigned {'operator()' if member else name}({PARAMETERS}) {{",
                 *body.lines(), "  return h;", "}"]
        return [f"struct {name} {{", *indented(lines), "};"] if member else lines
    call_item(context, Helper(case, name, define), "()" if member else "")


def in_template(context, room, parameters):
    """A function template with arrays, called with one or two instantiations."""
    case, rng, body = context.case, context.rng, Body()
    name = case.name("generic")
    place = function_context(context, body, "template-function")
    fill(place, Room(rng.randrange(1, 3), rng.randrange(2, 5)), ["N", "T"])
    if rng.random() < 0.2:
        # A smaller instance runs while the arrays of this one live.
        body.items.insert(len(body.items) * 2 // 3, Item(case, lambda: [
            "if constexpr (N > 3)", f"  h = {name}<T, N / 2>(h, v, n, in);"]))
        case.note("instance-in-instance")
    room.arrays -= 1
    helper = Helper(case, name, lambda: [
        "template <class T, int N>", f"__device__ unsigned {name}({PARAMETERS}) {{", *body.lines(),
        "  return h;", "}"])
    for _ in range(rng.choice([1, 2])):
        call_item(context, helper, f"<{rng.choice(ARGUMENTS)}, {rng.choice([3, 4, 7, 8, 16])}>")


def in_recursion(context, room, parameters):
    """A function that calls itself while its array lives."""
    case, rng, body = context.case, context.rng, Body()
    name = case.name("recurse")
    place = function_context(context, body, "recursive-function")
    place.atomics = False  # nvcc 13.0 crashes on those on arrays of recursive functions.
    mine = declare(place, random_type(case))
    call = Item(case, lambda: [f"if ((v & 3u) != 0 && n < 40u)",
                               f"  h = {name}(h, v >> 1 & 0xffffu, n + 9u, in);"])
    use(place, mine[0])
    body.add(call)
    use(place, mine[0])
    finish(place, mine)
    room.arrays -= 1
    call_item(context, Helper(case, name, lambda: [
        f"__device__ unsigned {name}({PARAMETERS}) {{", *body.lines(), "  return h;", "}"]))


def call_item(context, helper, arguments=""):
    """A call or two of a function with arrays."""
    if (helper, arguments) not in context.case.functions:
        context.case.functions.append((helper, arguments))
    i, e = context.case.local("i"), context.varying()
    kind = context.rng.choices(range(4), [5, 2, 2, 1])[0]

    def lines():
        f = helper.use() + arguments
        call = f"{f}(h, {e}, n, in)"
        return [[f"h = {call};"], [f"for (unsigned {i} = 0; {i} < 2u; ++{i})",
                                   f"  h += {f}(h ^ {i}, {e}, n, in);"],
                [f"h = {f}({call}, v, n, in);"], [f"if ({e} & 2u)", f"  h = {call};"]][kind]
    context.body.add(Item(context.case, lines))


def in_lambda(context, room, parameters):
    """A lambda with an array of its own, which may use outer ones."""
    case, body = context.case, Body()
    f, e = case.local("f"), context.varying()
    place = child(context, "lambda", body)
    place.ending = "return;"
    fill(place, Room(1, 2), parameters)
    room.arrays -= 1
    context.body.add(Item(case, lambda: [
        f"auto {f} = [&](unsigned e) {{", "  h ^= e;", *body.lines(), "};", f"{f}({e});"]))
