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
    "binding": (["struct NAME_parts {", "  unsigned h, depth;",
                 "  template <std::size_t I> __device__ unsigned get() const {",
                 "    return I ? depth : NAME(h, depth);", "  }", "};",
                 "template <> struct std::tuple_size<NAME_parts> {",
                 "  static constexpr std::size_t value = 2;", "};",
                 "template <std::size_t I> struct std::tuple_element<I, NAME_parts> {",
                 "  using type = unsigned;", "};"],
                "auto [x, y] = NAME_parts{h, depth - 1u}; h = x * 3u + y;"),
    "new": (["struct NAME_room {", "  unsigned x;",
             "  __device__ static void *operator new(std::size_t, void *p, unsigned &h, unsigned depth) {",
             "    h = NAME(h, depth);", "    return p;", "  }",
             "  __device__ static void operator delete(void *, void *, unsigned &, unsigned) {}", "};"],
            "unsigned room, x = (new (&room, h, depth - 1u) NAME_room{depth})->x; h += x;"),
    "range": (["struct NAME_steps {", "  unsigned h, depth;",
               "  __device__ NAME_steps begin() const { return *this; }",
               "  __device__ NAME_steps end() const { return {h, 0u}; }",
               "  __device__ bool operator!=(NAME_steps o) const { return depth != o.depth; }",
               "  __device__ void operator++() { --depth; }",
               "  __device__ unsigned operator*() const { return NAME(h, depth - 1u); }", "};"],
              "for (unsigned x : NAME_steps{h, depth}) h = h * 3u + x;"),
}
# From C++20 on.
NEW_WAYS = {
    "rewritten-operator": (["struct NAME_word {", "  unsigned h, depth;",
                            "  __device__ bool operator==(const NAME_word &o) const {",
                            "    return NAME(h, depth) == o.h;", "  }", "};"],
                           "h += NAME_word{h, depth - 1u} != NAME_word{h, 0u};"),
    "spaceship": (["struct NAME_key { unsigned h, depth; };",
                   "__device__ inline int operator<=>(NAME_key a, NAME_key b) {",
                   "  return (int)(NAME(a.h, a.depth) & 15u) - (int)(b.h & 15u);", "}"],
                  "h ^= NAME_key{h, depth - 1u} < NAME_key{h, 0u};"),
}


@shape(4)
def hidden_call(context, array):
    case, rng = context.case, context.rng
    ways = {**WAYS, **NEW_WAYS} if case.std == "c++20" else WAYS
    way = rng.choice(list(ways))
    before, again = ways[way]
    case.note(f"again-by-{way}")
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
                "__device__ inline unsigned NAME_once(unsigned h, unsigned depth, unsigned,",
                "                                     const unsigned *) {",
                "  depth &= 3u;", "  if (depth) {", "    " + again, "  }", "  return h;", "}"]
        return [line.replace("NAME", name) for line in text]

    helper, e = Helper(case, name, define), context.value()
    if returns:
        return lambda: [f"h = {helper.use()}(h, {e} & 3u);"]
    case.functions.append((helper, "_once"))
    return lambda: [f"h = {helper.use()}_once(h, {e}, n, in);"]
