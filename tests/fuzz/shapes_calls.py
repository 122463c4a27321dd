"""Functions with an array of their own that they enter again by a call that
stands nowhere in the text, or that a kernel reaches by one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from shape import shape
from tree import Helper, indented

# What leads back to the function NAME: what stands before it, and the statement
# that goes down once more.
WAYS = {
    "lambda": (["__device__ inline unsigned NAME_apply(unsigned (*g)(unsigned, unsigned),",
                "                                      unsigned h, unsigned depth) {",
                "  return g(h, depth);", "}"],
               "h = NAME_apply([](unsigned x, unsigned d) { return NAME(x, d); }, h, depth - 1u);"),
    "destructor": (["struct NAME_end {", "  unsigned &h, depth;",
                    "  __device__ ~NAME_end() { h = NAME(h, depth); }", "};"],
                   "NAME_end end{h, depth - 1u};"),
    "conversion": (["struct NAME_value {", "  unsigned h, depth;",
                    "  __device__ operator unsigned() const { return NAME(h, depth); }", "};"],
                   "h += NAME_value{h, depth - 1u};"),
    "operator": (["struct NAME_pair { unsigned h, depth; };",
                  "__device__ inline bool operator<(NAME_pair a, NAME_pair b) {",
                  "  return NAME(a.h, a.depth) < b.h;", "}"],
                 "h ^= NAME_pair{h, depth - 1u} < NAME_pair{h, 0u};"),
    "default": (["__device__ inline unsigned NAME_more(unsigned h, unsigned x = NAME(5u, 0u)) {",
                 "  return h * 3u + x;", "}"],
                "h = NAME_more(h);"),
    "member": (["struct NAME_held { unsigned x = NAME(7u, 0u); };"], "h += NAME_held().x;"),
}


@shape(1)
def hidden_call(context, array):
    case, rng = context.case, context.rng
    before, again = WAYS[rng.choice(list(WAYS))]
    name, size = case.name("again"), rng.choice([4, 8, 12])
    returns = rng.random() < 0.7  # Else it is only reached by such a call.

    def define():
        lines = [f"unsigned own[{size}];", f"for (unsigned i = 0; i < {size}u; ++i)",
                 "  own[i] = h * (i + 1u);", f"own[h % {size}u] ^= depth;"]
        if returns:
            lines += ["if (depth) {", "  " + again, "}"]
        lines += [f"for (unsigned i = 0; i < {size}u; ++i)", "  h = mix(h, own[i]);", "return h;"]
        text = ["__device__ unsigned NAME(unsigned h, unsigned depth);", *before,
                "__device__ unsigned NAME(unsigned h, unsigned depth) {", *indented(lines), "}",
                "__device__ inline unsigned NAME_once(unsigned h, unsigned depth) {",
                "  if (depth) {", "    " + again, "  }", "  return h;", "}"]
        return [line.replace("NAME", name) for line in text]

    helper, e = Helper(case, name, define), context.value()
    call = "" if returns else "_once"
    return lambda: [f"h = {helper.use()}{call}(h, {e} & 3u);"]
