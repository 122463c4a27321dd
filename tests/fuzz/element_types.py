"""What the elements of a generated array can be, and how values of each type
are made from an unsigned number, changed, and folded back into one.

All arithmetic is defined for every value that occurs: signed numbers stay far
from their limits, and floating-point numbers are integers that are only added,
subtracted and negated, so that no contraction to a multiply-add can change them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from tree import Helper

# Functions that any case may use; `digest` has an overload per type. Order
# matters, later ones use earlier ones.
PRELUDE = {
    "mix": ["__host__ __device__ inline unsigned mix(unsigned h, unsigned x) {",
            "  return (h ^ x) * 16777619u + (h >> 15);", "}"],
    "digest": [
        "#define DIGEST(T, RESULT) \\",
        "  __host__ __device__ inline unsigned digest(T x) { return RESULT; }",
        "DIGEST(bool, x ? 77u : 5u)",
        "DIGEST(char, (unsigned)x)",
        "DIGEST(signed char, (unsigned)x)",
        "DIGEST(unsigned char, x)",
        "DIGEST(short, (unsigned)x)",
        "DIGEST(unsigned short, x)",
        "DIGEST(int, (unsigned)x)",
        "DIGEST(unsigned, x)",
        "DIGEST(long long, (unsigned)x ^ (unsigned)((unsigned long long)x >> 32))",
        "DIGEST(unsigned long long, (unsigned)x ^ (unsigned)(x >> 32))",
        # Whole numbers and halves, of moderate size: exact.
        "DIGEST(float, (unsigned)(int)(x + x))",
        "DIGEST(double, (unsigned)(long long)(x + x))",
        "DIGEST(const unsigned *, *x)",
        "DIGEST(int2, mix((unsigned)x.x, (unsigned)x.y))",
        "DIGEST(float2, mix(digest(x.x), digest(x.y)))",
        "DIGEST(float3, mix(mix(digest(x.x), digest(x.y)), digest(x.z)))",
        "DIGEST(double2, mix(digest(x.x), digest(x.y)))",
        "DIGEST(uchar4, x.x | x.y << 8 | x.z << 16 | (unsigned)x.w << 24)",
        "DIGEST(float4, mix(mix(digest(x.x), digest(x.y)), mix(digest(x.z), digest(x.w))))",
        "#undef DIGEST"],
    "make": ["template <class T> __host__ __device__ inline T make(unsigned x) {",
             "  return (T)(x & 127u);", "}"],
}


class ElementType:
    """`base` and `star` spell the type; `size` and `align` are in bytes."""

    scalar = True      # of a built-in type: may be volatile, cast, ...
    definition = None  # a Helper that has to be printed first
    flags = False      # Mostly used as what may become bits.
    members = ()       # (name, type) of what can be changed on its own

    def __init__(self, base, size, align=None, star="", kind="", bits=""):
        self.base, self.size, self.align, self.star = base, size, align or size, star
        self.kind, self.bits = kind, bits

    def spell(self, qualifier=""):
        """The type of an element, as it is pointed to."""
        self.use()
        if not qualifier:
            return f"{self.base} {self.star}".strip()
        return f"{self.base} {self.star}{qualifier}" if self.star else f"{qualifier} {self.base}"

    def use(self):
        if self.definition:
            self.definition.use()

    def value(self, e):
        """An expression of this type from the unsigned expression `e`."""
        self.use()
        if self.kind == "bool":
            return f"(({e}) & 1u) != 0"
        if self.kind == "pointer":
            return f"in + (({e}) & 63u)"
        if self.kind == "enum":
            return f"({self.base})(({e}) % 3u)"
        if self.kind == "wide":
            return f"({self.base})((({e}) * 0x100000001ull) >> 8)"
        return f"({self.base})(({e}){self.bits})" if self.bits else f"({self.base})({e})"

    def constant(self, number):
        """A constant expression for an initialiser list."""
        self.use()
        if self.kind == "bool":
            return "true" if number & 1 else "false"
        if self.kind == "pointer":
            return f"in + {number % 64}"
        if self.kind == "enum":
            return ("Low", "Middle", "High")[number % 3] + self.base.removeprefix("Level")
        if self.kind == "float":
            return f"{number % 100}.5f" if self.size == 4 else f"{number % 100}.25"
        return str(number % 100)

    def change(self, g, lvalue, e):
        """A statement that changes `lvalue`; `e` is an unsigned expression."""
        forms = [f"{lvalue} = {self.value(e)};"]
        if self.kind in ("small", "int", "unsigned", "wide", "float"):
            small = f"({self.base})(({e}) & 31u)"
            forms += [f"{lvalue} += {small};", f"{lvalue} -= {small};",
                      f"{lvalue}++;", f"--{lvalue};"]
        if self.kind in ("small", "unsigned", "wide", "int"):
            forms += [f"{lvalue} ^= {small};", f"{lvalue} |= {small};"]
        if self.kind == "unsigned":
            forms += [f"{lvalue} *= 3u;"]
            if "++" not in lvalue:
                forms += [f"{lvalue} = {lvalue} * 5u + {small};"]
        if self.kind == "bool":
            forms += [f"{lvalue} ^= {self.value(e)};", f"{lvalue} |= {e};", f"{lvalue} &= {e};"]
        return g.rng.choice(forms)


class ClassType(ElementType):
    """A vector type of CUDA, or a small struct of the case's own."""

    scalar = False

    def __init__(self, base, size, align, members, maker):
        super().__init__(base, size, align)
        self.members, self.maker = members, maker

    def value(self, e):
        self.use()
        parts = [t.value(f"({e}) + {3 * i}u") for i, (_, t) in enumerate(self.members)]
        return f"{self.maker}({', '.join(parts)})"

    def constant(self, number):
        self.use()
        return "{" + ", ".join(t.constant(number + 7 * i)
                               for i, (_, t) in enumerate(self.members)) + "}"

    def change(self, g, lvalue, e):
        if g.rng.random() < 0.4:
            return f"{lvalue} = {self.value(e)};"
        name, kind = g.rng.choice(self.members)
        return kind.change(g, f"{lvalue}.{name}", e)


INT = ElementType("int", 4, kind="int", bits=" & 0xffffffu")
UNSIGNED = ElementType("unsigned", 4, kind="unsigned")
FLOAT = ElementType("float", 4, kind="float", bits=" & 0xffffu")
DOUBLE = ElementType("double", 8, kind="float", bits=" & 0xfffffu")
UCHAR = ElementType("unsigned char", 1, kind="small")
SHORT = ElementType("short", 2, kind="small")
ULL = ElementType("unsigned long long", 8, kind="wide")
FLAGS = ElementType("bool", 1, kind="bool")
FLAGS.flags = True
POINTER = ElementType("const unsigned", 8, star="*", kind="pointer")

# Most arrays of real programs have elements of four bytes.
BUILT_IN = [
    (6, INT), (5, UNSIGNED), (6, FLOAT), (3, DOUBLE), (2, UCHAR),
    (1, ElementType("bool", 1, kind="bool")),
    (2, ElementType("char", 1, kind="small")),
    (1, ElementType("signed char", 1, kind="small")),
    (1, SHORT), (1, ElementType("unsigned short", 2, kind="small")),
    (1, ElementType("long long", 8, kind="wide")), (2, ULL), (1, POINTER), (6, FLAGS),
]


class ParameterType(ElementType):
    """The type parameter T of a template: any arithmetic type."""

    def __init__(self):
        super().__init__("T", 4, kind="parameter")

    def value(self, e):
        return f"make<T>({e})"

    def change(self, g, lvalue, e):
        return g.rng.choice([f"{lvalue} = make<T>({e});", f"{lvalue} += make<T>({e});",
                             f"{lvalue}++;"])


PARAMETER = ParameterType()
ARGUMENTS = ["int", "unsigned", "float", "double", "long long", "unsigned short"]


def vector(name, element, count, align):
    members = [(m, element) for m in "xyzw"[:count]]
    return ClassType(name, element.size * count, align, members, f"make_{name}")


VECTORS = [
    (1, vector("int2", INT, 2, 8)), (1, vector("float2", FLOAT, 2, 8)),
    (1, vector("float3", FLOAT, 3, 4)), (2, vector("float4", FLOAT, 4, 16)),
    (1, vector("double2", DOUBLE, 2, 16)), (1, vector("uchar4", UCHAR, 4, 4)),
]


def enumeration(case):
    suffix = f"_{case.seed}"
    kind = ElementType(f"Level{suffix}", 4, kind="enum")
    kind.definition = Helper(case, kind.base, lambda: [
        f"enum Level{suffix} {{ Low{suffix}, Middle{suffix}, High{suffix} }};",
        f"__host__ __device__ inline unsigned digest(Level{suffix} x) "
        "{ return 3u + (unsigned)x; }"])
    return kind


def structure(case):
    """A struct with two or three members, sometimes with padding."""
    suffix = f"_{case.seed}"
    kinds = case.rng.choice([[INT, FLOAT], [FLOAT, FLOAT, INT], [UCHAR, INT], [DOUBLE, INT],
                             [SHORT, UCHAR], [UNSIGNED, UNSIGNED, UNSIGNED]])
    align = max(k.align for k in kinds)
    size = 0
    for k in kinds:
        size = -(-size // k.align) * k.align + k.size
    size = -(-size // align) * align
    members = list(zip(["first", "second", "third"], kinds))
    kind = ClassType(f"Record{suffix}", size, align, members, f"record{suffix}")
    fold = "7u"
    for name, _ in members:
        fold = f"mix({fold}, digest(x.{name}))"
    parameters = ", ".join(f"{k.base} {name}" for name, k in members)
    names = ", ".join(name for name, _ in members)
    kind.definition = Helper(case, kind.base, lambda: [
        f"struct Record{suffix} {{ " + " ".join(f"{k.base} {name};" for name, k in members) + " };",
        f"__host__ __device__ inline Record{suffix} record{suffix}({parameters}) "
        f"{{ return {{{names}}}; }}",
        f"__host__ __device__ inline unsigned digest(Record{suffix} x) {{ return {fold}; }}"])
    return kind


def random_type(case):
    weighted = [*BUILT_IN, *VECTORS, (1, "enum"), (2, "struct")]
    kind = case.rng.choices([t for _, t in weighted], [w for w, _ in weighted])[0]
    if kind == "enum":
        return case.once("enum", lambda: enumeration(case))
    if kind == "struct":
        return case.once("struct", lambda: structure(case))
    return kind
