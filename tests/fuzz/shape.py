"""The registry of shapes: the ways in which an array is used.

A shape is a function of a context and an array. It decides at once what it
will say and returns a function that says it, as lines; or that function and
the other arrays that it uses.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections

from tree import Item

Shape = collections.namedtuple("Shape", "name make weight plain fits")
SHAPES = []


def shape(weight, plain=False, fits=lambda array: True):
    """Registers a shape. `plain` ones use nothing but single elements; `fits`
    tells which arrays a shape can be used on."""
    def register(function):
        name = function.__name__.replace("_", "-")
        SHAPES.append(Shape(name, function, weight, plain, fits))
        return function
    return register


def writable(array):
    return array.writable


def scalar(array):
    return array.scalar


def writable_scalar(array):
    return array.writable and array.scalar


def integer(array):
    return array.scalar and array.kind.kind in ("int", "unsigned")


def generic(array):
    """What comes before a function whose parameters name the element type."""
    return ["template <class T>"] if array.kind.base == "T" else []


def change_in_callee(context, array, lvalue, e):
    """A statement for a function that has no `in` to point into."""
    if array.writable and not array.kind.star:
        return array.kind.change(context, lvalue, e)
    return f"h += {e};"


def in_words(context, array):
    """Whether its bytes may be looked at as words. nvcc counts on it that a float
    is read as no integer, a host compiler is told not to."""
    return array.kind.align >= 4 and (not context.case.gpu or array.kind.kind in ("int", "unsigned"))


def others(context, array, fits=lambda array: True, same_kind=False):
    """Other arrays in sight that can be used like this one."""
    return [a for a in context.arrays
            if a is not array and not a.kind.flags and not (array.plain and not a.plain) and fits(a)
            and not (a.plain and not array.plain)
            and (not same_kind or (a.kind is array.kind and a.qualifier == array.qualifier))]


def use(context, array):
    """Adds one random use of `array`."""
    rng = context.rng
    choices = [s for s in SHAPES if s.fits(array) and (s.plain or not array.plain)]
    if array.kind.flags and rng.random() < 0.93:
        choices = [s for s in choices if s.name.startswith("flag-")]
    # An array that is not plain gets unusual uses half of the time.
    plain = [s for s in choices if s.plain]
    unusual = [s for s in choices if not s.plain]
    pool = unusual if unusual and (not plain or rng.random() < 0.55) else plain
    for _ in range(10):
        chosen = rng.choices(pool, [s.weight for s in pool])[0]
        made = chosen.make(context, array)
        if made is not None:
            break
    else:
        return
    lines, needs = made if isinstance(made, tuple) else (made, [])
    context.case.note(chosen.name, array, *needs)
    context.body.add(Item(context.case, lines, needs=[array, *needs]))
