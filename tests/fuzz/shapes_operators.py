"""The user's own operators, which a program never calls: for pointers and
elements of built-in types there are built-in ones. Whoever puts a class in the
place of a pointer, an array or a bit lets them in.

They stand in a namespace that a block uses, in the one of the element type, at
file scope, or are friends of the element type; they are templates, take what can
be made of anything, or are constrained.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from shape import shape
from shapes_hostile import bring
from texts import filled
from tree import Helper, indented

# Uses of a row A with N elements of type T, at the indices I and J, and the
# operators that would change what they say. R is an element as an unsigned value.
POINTER_USES = [
    ("for (const T *P = A; P != A + N; ++P)\n  FOLD(*P)", ["!=", "+", "++", "*"]),
    ("for (const T *P = A, *P_end = A + N; P < P_end; P++)\n  FOLD(*P)", ["<", "+", "++", "*"]),
    ("for (const T *P = A + N; P > A;)\n  FOLD(*--P)", [">", "+", "--", "*"]),
    ("for (T *P = A; P <= A + I; P += 1)\n  FOLD(*P)", ["<=", "+", "+=", "*"]),
    ("const T *P = A + I;\nwhile (P >= A + 1)\n  P -= 1;\nFOLD(*P)", [">=", "-=", "*"]),
    ("h += (unsigned)((A + I) - A);", ["+", "-"]),
    ("h += A == A + I ? 3u : 5u;", ["==", "+"]),
    ("h += !A ? 1u : 2u;", ["!"]),
    ("FOLD(*(A + I))", ["+", "*"]),
    ("FOLD(*(I + A))", ["+", "*"]),
    ("FOLD((A + 0)[I])", ["+"]),
    ("T *P = A;\nP += I;\nFOLD(*P)\nP -= P - A;\nFOLD(P[0])", ["+=", "-=", "-", "*"]),
    ("const T *P = A;\nif (P && P <= A + I)\n  FOLD(*P)", ["&&", "<=", "+", "*"]),
    ("h += (unsigned)(&A[I] - A) + (&A[I] == A + I);", ["-", "==", "&"]),
    ("auto P = A + I;\nFOLD(*P)\nh += P != nullptr;", ["+", "!=", "*"]),
    ("T *P = A, *P_end = A + N;\nwhile (P != P_end && P - A < 40)\n  FOLD(*P++)", ["!=", "-", "<", "&&"]),
    ("h += (A, 3u);", [","]),
]
ELEMENT_USES = [
    ("h = mix(h, A[I] == A[J] ? 3u : 5u);", ["==", "+"]), ("h += A[I] < A[J];", ["<"]),
    ("h += A[I] != A[J] || !A[I];", ["!=", "||", "!"]), ("A[I] |= A[J];\nFOLD(A[I])", ["|=", "|"]),
    ("A[I] ^= A[J];", ["^=", "^"]), ("h ^= (unsigned)(A[I] & A[J]);", ["&"]),
    ("A[I] = A[J];\nh += (unsigned)(A[I] >> 3);", [">>"]), ("h += A[I] && A[J];", ["&&"]),
]
BIT_USES = [
    ("h += A[I] | 2;", ["|"]), ("h = mix(h, !A[I] ? 5u : 9u);", ["!"]),
    ("h += A[I] == A[J] ? 3u : 5u;", ["=="]), ("h += A[I] && A[J];", ["&&"]),
    ("h += A[I] + A[J];", ["+"]), ("h += (A[I] & A[J]) * 3;", ["&", "*"]),
    ("h += A[I] != (v & 1u);", ["!="]), ("h += A[I] < A[J];", ["<"]),
    ("h += A[I] << 3;", ["<<"]), ("h += 7 - A[I];", ["-"]), ("h += A[I] ? -A[J] : +A[J];", ["-", "+"]),
    ("h ^= A[I] ^ (v >> 3 & 1u);", ["^"]), ("h += A[I] || A[J];", ["||"]), ("h += (A[I], 3u);", [","]),
]
BIT_CHANGES = [
    ("A[I] |= A[J];", ["|=", "|"]), ("A[I] &= !A[J];", ["&=", "!"]), ("A[I] ^= A[J];", ["^="]),
    ("A[I] = A[J] | (v & 1u);", ["|"]), ("A[I] = A[I] == A[J];", ["=="]),
]
UNARY = {"!": "true", "*": "77u", "~": "1", "&": "nullptr", "++": None, "--": None, "-": "9", "+": "9"}
ASSIGNMENTS = ("+=", "-=", "|=", "&=", "^=")
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
HEAD = "__host__ __device__ inline"


def result(operator):
    """What an operator of two gives that is wrong wherever it is taken."""
    return ("bool", "false") if operator in COMPARISONS else ("unsigned", "5u")


def unary(rng, operator, x, everywhere):
    given = UNARY[operator]
    if given is None:
        return [f"template <class {x}> {HEAD} {x} &operator{operator}({x} &a) {{ return a; }}"]
    taken = rng.choice([f"const {x} &", x] if everywhere else [f"const {x} &", f"{x} &&", x])
    kind = "auto" if given != "nullptr" else "std::nullptr_t"
    return [f"template <class {x}> {HEAD} {kind} operator{operator}({taken}) {{ return {given}; }}"]


def binary(rng, operator, name, std, everywhere):
    """An operator of two that takes everything. Those for any reference are better
    than what other cases have, so they do not stand at file scope."""
    kind, given = result(operator)
    end = f"{{ return {given}; }}"
    if operator in ASSIGNMENTS:
        first = rng.choice(["X &a", "X &&a"])
        return [f"template <class X, class Y> {HEAD} auto &operator{operator}({first}, const Y &) "
                "{ return a; }"]
    op = f"{HEAD} {kind} operator{operator}"
    forms = [
        [f"template <class X, class Y> {op}(const X &, const Y &) {end}"],
        [f"template <class X, class Y> {op}(X, Y) {end}"],
        [f"template <class X, class Y> {op}(X &&, Y &&) {end}"],
        [f"template <class X> {op}(const X &, int) {end}", f"template <class X> {op}(X, unsigned) {end}",
         f"template <class X> {op}(const X &, const X &) {end}"],
        [f"template <class X, class Y, class = std::enable_if_t<std::is_class<X>::value>>",
         f"{op}(const X &, const Y &) {end}"],
        [f"template <template <class...> class X, class... Y, class Z>", f"{op}(const X<Y...> &, const Z &) {end}"],
        [f"struct {name}_any {{", f"  template <class X> __host__ __device__ {name}_any(const X &) {{}}", "};",
         f"{op}({name}_any, {rng.choice(['int', 'unsigned', name + '_any'])}) {end}"],
        [f"struct {name}_any {{", f"  template <class X> __host__ __device__ {name}_any(X &&) {{}}", "};",
         f"{op}({name}_any, {name}_any) {end}"],
    ]
    if std == "c++20":
        forms += [[f"{op}(const auto &, const auto &) {end}"],
                  [f"template <class X, class Y>", "requires(sizeof(X) > 0)", f"{op}(const X &, Y) {end}"]]
    return rng.choice([f for f in forms if not everywhere or " &&" not in "".join(f).replace("operator&&", "")])


class Operators:
    """Some operators of a case, in a namespace or at file scope."""

    def __init__(self, context, wanted):
        case, rng = context.case, context.rng
        self.case, self.name = case, case.name("ops")
        # At file scope they are seen by all cases behind, so few files have them.
        self.everywhere = case.seed // 20 % 8 == 3 and rng.random() < 0.5
        self.lines, self.names = [], []
        # Other cases take addresses, and have commas of their own.
        left = ("&", ",") if self.everywhere else ()
        for number, operator in enumerate(dict.fromkeys(o for o in wanted if o not in left)):
            one = operator in UNARY and (operator in ("!", "~", "++", "--") or rng.random() < 0.3)
            self.names.append(operator)
            self.lines += (unary(rng, operator, "X", self.everywhere) if one else
                           binary(rng, operator, f"{self.name}_{number}", case.std, self.everywhere))
        self.single = rng.random() < 0.25
        self.helper = Helper(case, self.name, self.define)

    def define(self):
        known = [f"using namespace {self.name};"] if self.everywhere else []
        return [f"namespace {self.name} {{", *self.lines, "}", *known]

    def use(self):
        """What makes them known in a block."""
        name = self.helper.use()
        if self.everywhere:
            return []
        return [f"using {name}::operator{o};" for o in self.names] if self.single \
            else [f"using namespace {name};"]


def with_operators(context, array, table, most):
    """Some of these uses, in a block that knows operators for them."""
    case, rng = context.case, context.rng
    uses = rng.sample(table, rng.randint(1, most))
    known = [o for _, operators in uses for o in operators if o != "&" or array.scalar]
    operators = Operators(context, rng.sample(known, min(len(known), rng.randint(1, 3))))
    chosen = []
    for text, _ in uses:
        chosen.append((text, context.index(array.extent(array.rank - 1)),
                       context.index(array.extent(array.rank - 1)), case.local("p"),
                       array.row(context)))

    def lines():
        body = operators.use()
        for text, i, j, p, row in chosen:
            words = {"A": row(), "I": f"({i()})", "J": f"({j()})", "N": str(array.length()), "P": p,
                     "T": array.kind.spell()}
            body += ["{", *indented(filled(case, text, words)), "}"]
        return ["{", *indented(body), "}"]
    return lines


def row_of_elements(array):
    return array.rank == 1 and not array.qualifier and not array.kind.star and not array.kind.flags


@shape(7, fits=row_of_elements)
def pointer_operators(context, array):
    return with_operators(context, array, POINTER_USES, 3)


@shape(3, plain=True, fits=lambda a: a.rank == 1 and not a.qualifier and a.kind.kind in ("int", "unsigned"))
def element_operators(context, array):
    return with_operators(context, array, ELEMENT_USES, 3)


@shape(5, plain=True, fits=lambda a: a.kind.flags and a.rank == 1)
def flag_operators(context, array):
    table = BIT_USES + (BIT_CHANGES if array.writable else [])
    if "volatile" in array.qualifier:
        return None
    return with_operators(context, array, table, 4)


# Arrays whose element type brings the operators with it: found by what the
# arguments are, as friends, or in the namespace of the type.
LOOPS = ("A[I].x += E;\nfor (const B *A_p = A; A_p != A + 4; ++A_p)\n  h = mix(h, A_p->x);\n"
         "for (B *A_p = A + 4; A_p > A;)\n  h = mix(h, (*--A_p).x);\n"
         "h = mix(h, (unsigned)(&A[1] - A) + (A == A + 1) + !A);\nh = mix(h, A[D & 3u].x);")
START = "B A[4] = {{1u}, {E}, {3u}, {D}};\n"
ELEMENT_TYPES = {
    "namespace_of_elements": (
        "namespace T_space {\nstruct T { unsigned x; };\n"
        "template <class X, class Y> __host__ __device__ bool operator!=(const X &, const Y &) { return false; }\n"
        "template <class X> __host__ __device__ unsigned operator+(const X &, int) { return 5u; }\n}",
        "T_space::T"),
    "greedy_minus_of_elements": (
        "namespace T_space {\nstruct T { unsigned x; };\n"
        "template <class X> __host__ __device__ int operator-(X, X) { return 77; }\n"
        "template <class X> __host__ __device__ bool operator>(X &&, X &&) { return false; }\n}",
        "T_space::T"),
    "any_of_elements": (
        "namespace T_space {\nstruct T { unsigned x; };\n"
        "struct T_any { template <class X> __host__ __device__ T_any(const X &) {} };\n"
        "__host__ __device__ inline bool operator!=(T_any, T_any) { return false; }\n"
        "__host__ __device__ inline bool operator!(T_any) { return true; }\n}", "T_space::T"),
    "friends_of_elements": (
        "namespace T_space {\nstruct T {\n  unsigned x;\n"
        "  template <class X> friend __host__ __device__ bool operator!=(const X &, const X &) { return false; }\n"
        "  template <class X> friend __host__ __device__ bool operator==(const X &, const X &) { return true; }\n};\n}",
        "T_space::T"),
    "friend_steps_of_elements": (
        "namespace T_space {\nstruct T {\n  unsigned x;\n"
        "  template <class X> friend __host__ __device__ X &operator++(X &a) { return a; }\n"
        "  template <class X> friend __host__ __device__ X &operator--(X &a) { return a; }\n};\n}",
        "T_space::T"),
    "inner_type_of_elements": (
        "namespace T_space {\nstruct T_outer { struct T { unsigned x; }; };\n"
        "template <class X> __host__ __device__ bool operator!=(const X &, const X &) { return false; }\n"
        "template <class X> __host__ __device__ unsigned operator*(const X &) { return 5u; }\n}",
        "T_space::T_outer::T"),
}
for NAME, (BEFORE, TYPE) in ELEMENT_TYPES.items():
    # Steps of a friend's that compare and deref nothing would not end.
    bring(NAME, BEFORE, (START + LOOPS).replace("B ", TYPE + " "))

# Elements with operators of their own, which the program does call.
OWN_OPERATORS = {
    "elements_that_add": (
        "struct T {\n  unsigned x;\n"
        "  __host__ __device__ T operator+(const T &o) const { return {x * 3u + o.x}; }\n"
        "  __host__ __device__ T &operator+=(unsigned y) { x += y; return *this; }\n"
        "  __host__ __device__ T &operator++() { x += 7u; return *this; }\n"
        "  __host__ __device__ bool operator==(const T &o) const { return (x & 3u) == (o.x & 3u); }\n"
        "  __host__ __device__ unsigned operator[](int i) const { return x >> i; }\n"
        "  __host__ __device__ unsigned operator*() const { return x + 1u; }\n"
        "  __host__ __device__ bool operator!() const { return x & 1u; }\n};",
        "T A[4] = {{1u}, {E}};\nA[I] += D;\n++A[D & 3u];\nA[1] = A[I] + A[D & 3u];\n"
        "h = mix(h, A[I][3] + *A[D & 3u] + !A[1] + (A[I] == A[2] ? 3u : 5u));"),
    "elements_that_convert": (
        "struct T {\n  unsigned x;\n  T() = default;\n"
        "  template <class X> __host__ __device__ T(const X &y) : x((unsigned)y * 3u) {}\n"
        "  template <class X> __host__ __device__ T &operator=(const X &y) { x = (unsigned)y + 1u; return *this; }\n"
        "  __host__ __device__ operator unsigned() const { return x; }\n};",
        "T A[4];\nfor (unsigned A_j = 0; A_j < 4u; ++A_j)\n  A[A_j] = E + A_j;\nA[I] = A[D & 3u];\n"
        "A[1] = D;\nunsigned A_x = A[I], A_y(A[D & 3u]);\nh = mix(h, A_x + A_y * 3u);"),
    "elements_with_commas": (
        "struct T {\n  unsigned x;\n"
        "  template <class X> __host__ __device__ unsigned operator,(const X &y) const { return x + 9u; }\n"
        "  __host__ __device__ T *operator&() { return this + (x & 0u); }\n"
        "  __host__ __device__ const T *operator->() const { return this; }\n};",
        "T A[4] = {{1u}, {E}};\nA[I].x += D;\nh = mix(h, (A[I], 5u) + A[D & 3u]->x + (&A[1])->x);"),
}
for NAME, (BEFORE, TEXT) in OWN_OPERATORS.items():
    bring(NAME, BEFORE, TEXT)
