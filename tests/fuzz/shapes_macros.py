"""Macros around the uses of arrays, some of which say something else to the host;
what counts expansions and lines, and the names of functions and of storage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from shape import shape, writable
from texts import HOST, filled
from tree import Helper

# An element of the row A, as the device and as the host spell it.
SPELLINGS = ["A[I]", "(A)[I]", "*(A + (I))", "(I)[A]", "A[(I) + 0]", "(&A[I])[0]", "A[0]", "*A"]


def macro(context, stem, parameters, text):
    """A macro at file scope."""
    case = context.case
    name = case.name(stem)
    return Helper(case, name, lambda: [f"#define {name}{parameters} {text}"])


def last_index(context, array):
    return context.index(array.extent(array.rank - 1))


@shape(5, plain=True, fits=lambda a: not a.kind.flags)
def spelled_by_architecture(context, array):
    """A subscript that the two compilers of a file read in two ways. What the
    host says runs nowhere."""
    if context.on_host:
        return None
    case, rng = context.case, context.rng
    name = case.name("AT")
    device = rng.choice(SPELLINGS[:3] + SPELLINGS[:1] * 3)
    other = rng.choice([s for s in SPELLINGS if s != device])
    asks = rng.choice(["#ifdef __CUDA_ARCH__", "#if __CUDA_ARCH__ >= 700", "#if defined __CUDA_ARCH__"])
    helper = Helper(case, name, lambda: [asks, f"#define {name}(A, I) {device}", "#else",
                                         f"#define {name}(A, I) {other}", "#endif"])
    row, index, e = array.row(context), last_index(context, array), context.value()
    writes = array.writable and rng.random() < 0.5

    def lines():
        at = f"{helper.use()}({row()}, {index()})"
        return [f"{at} = {array.kind.value(e)};"] * writes + [case.fold(at)]
    return lines


@shape(4, plain=True, fits=lambda a: not a.kind.flags)
def statement_by_architecture(context, array):
    """A whole statement that is another one for the host, or none."""
    if context.on_host:
        return None
    case, rng = context.case, context.rng
    element, other = array.element(context), array.element(context)
    what = rng.choice(["", f"h += {rng.randrange(9)}u;", "fold"])

    def lines():
        rest = case.fold(other()) if what == "fold" else what
        return ["#ifdef __CUDA_ARCH__", case.fold(element()), *(["#else", rest] if rest else []), "#endif"]
    return lines


# Macros with parameters: what they are defined as, and a use of the row A at I and J
# that means the element X; M is the macro.
AROUND = [
    ("(A, I) ((A)[I])", "FOLD(M(A, I))"), ("(I) [I]", "FOLD(A M(I))"), ("(A) A", "FOLD(M(A)[I])"),
    ("(...) __VA_ARGS__", "M(FOLD(A[I]) FOLD(A[J]))"), ("(X) X X", "M(FOLD(A[I]))"),
    ("(X, ...) do { X; __VA_ARGS__; } while (0)", "M(FOLD(A[I]), FOLD(A[J]));"),
    ("(A, N) for (int M_k = 0; M_k < N; ++M_k) h = mix(h, digest(A[M_k]))", "M(A, N);"),
    ("(X) (digest(X) + (unsigned)sizeof(#X))", "h = mix(h, M(A[3 % N]));"),
    ("(A, I) A[(I) < 0 ? 0 : (I)]", "FOLD(M(A, (int)(I)))"),
    ("(A, I) (0 ? A[0] : A[I])", "FOLD(M(A, I))"), ("() A", "FOLD(M()[I])"),
    ("(A, I) M_2(A, I)\n#define M_2(A, I) A[I]", "FOLD(M(A, I))"),
    ("(X) M_2(X)\n#define M_2(X) FOLD(X)", "M(A[I])"),
]


@shape(6, plain=True, fits=lambda a: a.rank == 1 and not a.kind.flags)
def macros_around(context, array):
    case, name = context.case, context.case.name("M")
    text, use = context.rng.choice(AROUND)
    i, j = last_index(context, array), last_index(context, array)

    def define():
        # The macro without parameters means this very array.
        words = {"M": name} | ({"A": array.name} if text.startswith("()") else {})
        return filled(case, f"#define M{text}", words)
    helper = Helper(case, name, define)
    return lambda: filled(case, use, {"M": helper.use(), "A": array.name, "I": i(), "J": j(),
                                      "N": str(array.length())})


@shape(3, plain=True, fits=lambda a: writable(a) and not a.kind.flags)
def macro_that_sets(context, array):
    case, rng = context.case, context.rng
    helper = macro(context, "SET", "(X, E)", rng.choice(
        ["X = (E)", "((X) = (E))", "do { X = E; } while (0)", "if (1) X = E; else h += 1u"]))
    element, e = array.element(context), context.value()
    return lambda: [f"{helper.use()}({element()}, {array.kind.value(e)});"]


@shape(2, plain=True)
def pasted_name(context, array):
    """The name of the array comes into being by ##."""
    helper = macro(context, "PASTE", "(X, Y)", "X##Y")
    index = [context.index(array.extent(d)) for d in range(array.rank)]
    at = context.rng.randrange(1, len(array.name))
    return lambda: [("h = mix(h, {} ? 3u : 5u);" if array.kind.flags else context.case.fold("{}")).format(
        f"{helper.use()}({array.name[:at]}, {array.name[at:]})" + "".join(f"[{i()}]" for i in index))]


@shape(3, plain=True, fits=lambda a: not a.kind.flags)
def counted_expansions(context, array):
    """__COUNTER__ in a kernel; an enumeration behind all kernels tells how often
    it was expanded."""
    case, rng = context.case, context.rng
    first = case.name("First")
    start = case.once("counter", lambda: Helper(case, first, lambda: [
        f"constexpr int {first} = __COUNTER__;"]))
    texts = ["__COUNTER__", "(__COUNTER__)", "(__COUNTER__ * 3 + __COUNTER__)"]
    count = macro(context, "COUNT", "", rng.choice(texts))
    inner = macro(context, "NEXT", "()", f"{count.name}")
    kind = rng.randrange(4)
    element = array.element(context)

    def lines():
        begin = start.use()
        text = "__COUNTER__" if kind == 0 else count.use()
        text = f"{inner.use()}()" if kind == 2 else text
        case.footer[f"Count_{case.seed}"] = [f"enum {{ Count_{case.seed} = __COUNTER__ - {begin} }};"]
        case.at_run[f"Count_{case.seed}"] = [
            f'std::printf("count {case.seed}: %d\\n", (int)Count_{case.seed});']
        value = f"(unsigned)({text} - {begin})"
        if kind == 3:
            return ["{", f"  const unsigned counted[2] = {{{value}, {value}}};",
                    f"  h = mix(h, digest({element()}) + counted[h & 1u]);", "}"]
        return [f"h = mix(h, digest({element()}) + {value});"]
    return lines


LINES = [([], "__LINE__"), (["#define T_LINE __LINE__"], "T_LINE"),
         (["#define T_NAME(L) T_##L", "#define T_ID(L) T_NAME(L)"], "LABEL")]


@shape(3, plain=True, fits=lambda a: not a.kind.flags)
def lines_of_many_kinds(context, array):
    """The number of the line, by what is no word of the text. Few files have it."""
    case = context.case
    if case.seed // 20 % 4:
        return None
    before, text = context.rng.choice(LINES[1:])
    name, element = case.name("Here"), array.element(context)
    helper = Helper(case, name, lambda: [line.replace("T_", name + "_") for line in before])

    def lines():
        if before:
            helper.use()
        if text == "LABEL":
            return ["{", f"  unsigned {name}_ID(__LINE__) = digest({element()}), here = __LINE__;",
                    "  h = mix(h, here);", "}"]
        return [f"h = mix(h, digest({element()}) + {text.replace('T_', name + '_')});"]
    return lines


@shape(3, plain=True, fits=lambda a: not a.kind.flags)
def name_of_function(context, array):
    element, word = array.element(context), context.rng.choice(["__func__", "__FUNCTION__"])
    if "lambda" in context.places:
        return None
    c = context.case.local("c")
    return lambda: [f"for (const char *{c} = {word}; *{c}; ++{c})", f"  h = mix(h, *{c});",
                    context.case.fold(element())]


@shape(2, plain=True)
def storage_is_a_macro(context, array):
    """Names that storage would have are macros already."""
    case, rng = context.case, context.rng
    name = case.name("taken")
    tails = rng.sample(["_stripes", "_slots", "_bits", "_shared", "_storage"], 3)
    in_header = rng.random() < 0.3
    helper = Helper(case, name, lambda: [line for tail in tails for line in [
        f"#ifndef {array.name}{tail}", f"#define {array.name}{tail} h", "#endif"]], in_header)
    element = array.element(context)

    def lines():
        helper.use()
        return [f"h = mix(h, {element()} ? 3u : 5u);" if array.kind.flags else case.fold(element())]
    return lines


# What nvcc 13 with g++ says to a condition; other compilers that read a file may
# see it otherwise.
CONDITIONS = {
    "__GNUC__ >= 9": True, "defined(__OPTIMIZE__)": False, "defined(__clang__)": False,
    "defined(CUDA_VERSION)": False, "defined(__NVCC__)": True, "defined(__has_feature)": False,
    "defined(__llvm__)": False, "defined(__CUDA__)": False, "defined(__USE_FAST_MATH__)": False,
    "defined(__STRICT_ANSI__)": True, "__CUDACC_VER_MAJOR__ >= 12": True, "defined(CUDART_VERSION)": True,
    "defined(_GNU_SOURCE)": True, "defined(__NO_INLINE__)": True, "defined(NDEBUG)": False,
    "__GXX_ABI_VERSION >= 1013": True, "defined(__DEC32_MANT_DIG__)": True, "defined(__CUDACC_RDC__)": False,
    "__GCC_IEC_559 > 1": True, "__has_include(<cuda.h>)": True, "defined(__EXCEPTIONS)": True,
    "__clang_major__ > 3": False, "defined(__building_module)": False, "defined(__CUDACC__)": True,
    "__GNUC__ == 4": False, "!defined(__OPTIMIZE__) && defined(__NVCC__)": True,
}


# What a function of the host may ask about one of the device.
QUESTIONS = [
    "std::is_invocable_v<NAME, unsigned>",
    "std::is_same_v<decltype(std::declval<NAME>()(0u)), unsigned>",
]


def chosen_by_template(rng, name, wanted, other):
    """The same by a question, to which it makes no difference for nvcc who asks."""
    asked = f"Asked_{name}"
    return [f"  struct {asked} {{",
            "    __device__ unsigned operator()(unsigned x) const { return x; }",
            "  };",
            f"  constexpr int {name} = {rng.choice(QUESTIONS).replace('NAME', asked)} ? {wanted} : {other};"]


def chosen_by_compiler(rng, name, wanted, other):
    """Lines that give the constant `name` the number `wanted`, for nvcc. The host
    is told what nvcc would say."""
    if rng.random() < 0.3:
        return chosen_by_template(rng, name, wanted, other)
    condition, holds = rng.choice(list(CONDITIONS.items()))
    first, second = (wanted, other) if holds else (other, wanted)
    if rng.random() < 0.3:
        constant = lambda number: f"#define {name} {number}"
    else:
        constant = lambda number: f"  constexpr int {name} = {number};"
    return [f"#if defined({HOST})", constant(wanted), f"#elif {condition}", constant(first), "#else",
            constant(second), "#endif"]
