"""Valid code that a rewrite by text gets wrong easily: indices with operators
of their own, initialisers that look at the array, members with defaults,
mutable members, jumps past declarations, names that hide others.

Most of them bring an array of their own with them, beside the one they use.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

from shape import integer, shape, writable
from tree import Helper, indented


def axis(case):
    """An enumeration whose operators compute nonsense."""
    name = case.once("axis", lambda: case.name("Axis"))
    return case.once("axis helper", lambda: Helper(case, name, lambda: [
        f"enum {name} : unsigned char {{ First{name} }};",
        *[f"__host__ __device__ inline {name} operator{o}({name} a, int) {{ return a; }}"
          for o in "*+/%"],
        f"__device__ inline int operator,({name}, unsigned x) {{ return (int)x; }}"]))


@shape(2, plain=True)
def enum_index(context, array):
    helper = axis(context.case)
    indices = [context.index(array.extent(d)) for d in range(array.rank)]
    return lambda: [context.case.fold(
        array.name + "".join(f"[({helper.use()})({i()})]" for i in indices))]


@shape(2, plain=True)
def comma_index(context, array):
    helper, own = axis(context.case), context.rng.random() < 0.7
    indices = [context.index(array.extent(d)) for d in range(array.rank)]
    return lambda: [context.case.fold(array.name + "".join(
        f"[({helper.use()})0, (unsigned)({i()})]" if own else f"[v, {i()}]" for i in indices))]


@shape(2, plain=True, fits=writable)
def changing_indices(context, array):
    """Each index changes what the next one sees."""
    case, k, e = context.case, context.case.local("k"), context.value()
    start = context.varying()

    def lines():
        text = array.name + "".join(f"[{k}++ % {n}]" for n in array.extents())
        return ["{", f"  unsigned {k} = {start} & 15u;", f"  {text} = {array.kind.value(e)};",
                "  " + case.fold(text), f"  h = mix(h, {k});", "}"]
    return lines


@shape(1, plain=True, fits=lambda array: array.rank == 1)
def macro_repeats(context, array):
    """The argument of a macro, twice, once where its name is another array."""
    case, e, name = context.case, context.varying(), context.case.name("AGAIN")
    helper = Helper(case, name, lambda: [
        f"#define {name}(A, X) h = mix(h, digest(X)); "
        "{ unsigned A[1] = {h}; h = mix(h, digest(X)); }"])
    return lambda: [f"{helper.use()}({array.name}, {array.name}[{e} % 1u])"]


@shape(3, plain=True)
def line_number(context, array):
    """__LINE__ as a value. All of its file gets #line, so few files have it."""
    element = array.element(context)
    if context.case.seed // 20 % 4:
        return None
    return lambda: [f"h = mix(h, digest({element()}) + __LINE__);"]


@shape(8, fits=lambda a: integer(a) and a.rank == 1 and not a.qualifier)
def header_for_two_compilers(context, array):
    """Functions in a header that a compiler reads which knows nothing of CUDA,
    for the host as well or not. What tells the two apart is a macro of the
    compiler, of the program, or of another header."""
    case, name, e = context.case, context.case.name("both"), context.value()
    size, rng = context.rng.choice([4, 8, 16]), context.rng
    both, kind = f"BOTH{case.seed}", array.kind.base
    host = "__host__ " if context.on_host or rng.random() < 0.5 else ""
    guard = rng.choice(["#ifdef __CUDACC__", "#ifdef __NVCC__", "#if defined(USE_CUDA)", "#if USE_CUDA == 1"])
    guards = [guard, f"#define {both} {host}__device__", "#else", f"#define {both}", "#endif"]
    if rng.random() < 0.3:
        guards, both = [], "BOTH_OF_BASE"
    own, total = kind, [f"  return {name}_sum(own, {size}, own[(e >> 3) % {size}u]);"]
    if rng.random() < 0.4:
        own, total = "bool", ["  for (bool x : own)", "    h = h * 31u + (x ? 3u : 5u);", "  return h;"]
    helper = Helper(case, name, lambda: [
        *guards, f"{both} inline unsigned {name}_sum(const {kind} *p, int count, unsigned h) {{",
        "  for (int i = 0; i < count; ++i)", "    h = h * 31u + (unsigned)p[i];", "  return h;", "}",
        f"{both} inline unsigned {name}(unsigned h, unsigned e) {{", f"  {own} own[{size}];",
        f"  for (unsigned i = 0; i < {size}u; ++i)", "    own[i] = (h ^ i * e) & 0xfffeu;",
        f"  own[e % {size}u] = 7;", *total, "}"], in_header=True)
    return lambda: [f"h = {helper.use()}(h, {e});",
                    f"h = {helper.use()}_sum({array.name}, {array.length()}, h);"]


# Arrays that shapes bring with them: what stands before the function, and what
# in it. T is a new name, A the array, I an index, E and D what threads differ in.
OWN_ARRAYS = {
    "default_members": (
        "struct T { unsigned x, y = 5; };",
        "T A[4] = {{0u, 0u}, {0u, 0u}, {0u, 0u}, {0u, 0u}};\n"
        "A[I].x += E;\nh = mix(h, A[D & 3u].x + A[I].y);"),
    "const_members": (
        "struct T { const unsigned x; unsigned y; };",
        "T A[4] = {{1u, 2u}, {3u, E}, {5u, 6u}, {7u, 8u}};\n"
        "A[I].y += D;\nh = mix(h, A[D & 3u].x + A[I].y);"),
    "deleted_assignment": (
        "struct T { unsigned x, y; T &operator=(const T &) = delete; };",
        "T A[4] = {{1u, 2u}, {3u, E}, {5u, 6u}, {7u, 8u}};\n"
        "A[I].y += D;\nh = mix(h, A[D & 3u].x + A[I].y);"),
    "mutable_members": (
        "struct T { unsigned x; mutable unsigned y; };",
        "const T A[4] = {{1u, 0u}, {2u, 0u}, {3u, 0u}, {4u, 0u}};\n"
        "A[I].y += E;\nA[D & 3u].y += 3u;\nh = mix(h, A[I].x + A[D & 3u].y);"),
    "own_address": (
        "struct T { unsigned x, *y = &x; };",
        "T A[4] = {{1u}, {2u}, {3u}, {4u}};\n*A[I].y += E;\nh = mix(h, A[D & 3u].x);"),
    "named_like_its_type": (
        "struct T { unsigned x; };",
        "T T[4] = {{1u}, {E}};\nT[I].x += 3u;\nh = mix(h, T[D & 3u].x);"),
    "names_itself": (
        "", "unsigned A[4] = {E & 3u, A[0] + 1u, A[1] + D};\nA[I] += 3u;\n"
        "h = mix(h, A[D & 3u] + A[2]);"),
    "extent_named_like_it": (
        "", "const int A = 4;\n{ unsigned A[A] = {1u, E}; A[I] += D; h = mix(h, A[D & 3u]); }"),
    "length_in_constant": (
        "template <class E, int N> __host__ __device__ constexpr int T(E (&)[N]) { return N; }",
        "unsigned A[4] = {1u, E};\nconstexpr int A_n = T(A);\nA[I] += D;\n"
        "h = mix(h, A[D & 3u] + A_n);"),
    "object_named_like_its_type": (
        "struct T {\n  unsigned v[4];\n  __device__ T(unsigned x) {\n    for (unsigned &i : v)\n"
        "      i = x;\n  }\n};",
        "T T(E);\nT.v[I] += D;\nh = mix(h, T.v[D & 3u] + T.v[I]);"),
    "unions": (
        "union T { unsigned x; float f; };",
        "T A[4] = {{1u}, {E}};\nA[I].x += D;\nA[D & 3u].f = 2.0f;\nA[(D + 1u) & 3u].x = E;\n"
        "h = mix(h, A[(D + 1u) & 3u].x);"),
    "overloaded_address": (
        "struct T {\n  unsigned x;\n  __device__ unsigned operator&() const { return x; }\n};",
        "T A[4] = {{1u}, {E}};\nA[I].x += D + &A[1];\nh = mix(h, A[D & 3u].x);"),
    "table_of_builtins": (
        "", "const float A[4] = {copysignf(1.0f, -2.0f), fmaxf(2.0f, 0.5f), fabsf(-3.0f), 0.5f};\n"
        "h = mix(h, digest(A[I]) + digest(A[D & 3u]));"),
    "local_redeclaration": (
        "__device__ unsigned T(unsigned h, const unsigned *p) { return mix(h, p[1] + p[h & 3u]); }",
        "__device__ unsigned T(unsigned, const unsigned *);\nunsigned A[4] = {1u, E};\n"
        "A[I] += D;\nh = T(h, A);"),
    "discarded_labels": (
        "template <int N> __device__ unsigned T(unsigned h, const unsigned *p) {\n"
        "  if constexpr (N > 8) {\n  again:\n    const volatile unsigned *q = p;\n"
        "    if (q[h & 3u] & 1u) {\n      ++h;\n      goto again;\n    }\n    return h;\n  }\n"
        "  for (int i = 0; i < N; ++i)\n    h = mix(h, p[i]);\n  return h;\n}",
        "unsigned A[4] = {1u, E};\nA[I] += D;\nh = T<4>(h, A);"),
    "goto_past": (
        "", "unsigned A_q = D & 3u;\nif (A_q == 0u)\n  goto A_in;\n{\n  unsigned A[4];\n"
        "  A[A_q] = E;\n  h = mix(h, A[A_q]);\nA_in:\n"
        "  for (unsigned A_j = 0; A_j < 4u; ++A_j)\n    A[A_j] = A_q + A_j;\n"
        "  h = mix(h, A[I]);\n}"),
    "jump_past": (
        "", "unsigned A_q = D & 3u;\nswitch (A_q) {\ncase 0:\n  do {\n    unsigned A[4];\n"
        "    A[A_q & 3u] = E;\n    h = mix(h, A[A_q & 3u]);\n  default:\n"
        "    for (unsigned A_j = 0; A_j < 4u; ++A_j)\n      A[A_j] = A_q + A_j;\n"
        "    h = mix(h, A[I]);\n  } while (A_q-- > 1u && A_q < 4u);\n}"),
}


def bring(name, before, text, std=""):
    def own_array(context, array):
        # What a kernel in a namespace declares is of that namespace.
        if std not in ("", context.case.std) or (
                name == "local_redeclaration" and "device-function" not in context.places):
            return None
        case, element = context.case, array.element(context)
        own, t = case.local("own"), case.name("Own")
        index, e = context.index(lambda: 4), context.value()

        def filled(template):
            words = {"T": t, "A": own, "I": index(), "E": e, "D": f"digest({element()})"}
            return re.sub(r"\b([TAIED])(?=\b|_)",
                          lambda m: words[m.group(1)], template).split("\n")
        helper = Helper(case, t, lambda: re.sub(r"\bT(?=\b|_)", t, before).split("\n"))

        def lines():
            if before:
                helper.use()
            return ["{", *indented(filled(text)), "}"]
        return lines
    own_array.__name__ = name
    shape(1, plain=True)(own_array)


for NAME, (BEFORE, TEXT) in OWN_ARRAYS.items():
    bring(NAME, BEFORE, TEXT)
bring("auto_parameter",
      "__device__ unsigned T(unsigned h, auto *p, int n) {\n  while (n-- > 0)\n"
      "    h = mix(h, *p++);\n  return h;\n}",
      "unsigned A[4] = {1u, E};\nA[I] += D;\nh = T(h, A, 4);", "c++20")
