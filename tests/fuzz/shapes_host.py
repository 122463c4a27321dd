"""Host functions whose first launch has a literal block, while a call or a change
that is not seen at first glance brings larger ones; and functions with arrays that
host code calls, too.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

from launches import Site
from shape import shape
from texts import HOST
from tree import Helper, indented

# Ways to call the function NAME with the label L and B threads: what stands at file
# scope behind NAME, and the call.
CALLS = {
    "generic-lambda": ([], "auto NAME_all = [&](auto n) { NAME(L, n); };\nNAME_all(B);"),
    "lambda-in-lambda": ([], "[](auto f) { f(B); }([](auto n) { NAME(L, n); });"),
    "template": (["template <class X> static void NAME_with(const char *name, X n) { NAME(name, n); }"],
                 "NAME_with(L, B);"),
    "template-of-number": (["template <int N> static void NAME_fixed(const char *name) { NAME(name, N); }"],
                           "NAME_fixed<B>(L);"),
    "pack": (["template <class... X> static void NAME_pack(const char *name, X... n) {",
              "  (NAME(name, n), ...);", "}"], "NAME_pack(L, B);"),
    "for-each": ([], "const int NAME_sizes[] = {B};\n"
                     "std::for_each(NAME_sizes, NAME_sizes + 1, [](int n) { NAME(L, n); });"),
    "pointer": ([], "void (*NAME_f)(const char *, int) = NAME;\nNAME_f(L, B);"),
    "table": (["static void (*const NAME_table[])(const char *, int) = {NAME, &NAME};"],
              "NAME_table[hidden(1)](L, B);"),
    "reference": ([], "auto &NAME_r = NAME;\nNAME_r(L, B);"),
    "argument": (["template <class F> static void NAME_apply(F f, const char *name, int n) { f(name, n); }"],
                 "NAME_apply(NAME, L, B);"),
    "function-of-std": ([], "std::function<void(const char *, int)> NAME_f = NAME;\nNAME_f(L, B);"),
    "bind": ([], "std::bind(NAME, L, std::placeholders::_1)(B);"),
    "apply": ([], "std::apply(NAME, std::make_tuple(L, B));"),
    "alias": (['extern "C" void NAME_alias(const char *, int) __attribute__((alias("NAME_impl")));'],
              "NAME_alias(L, B);"),
    "asm-name": (['extern "C" void NAME_again(const char *, int) asm("NAME_impl");'], "NAME_again(L, B);"),
    "member-pointer": (["struct NAME_thing {", "  int n;",
                        "  void go(const char *name) const { NAME(name, n); }", "};"],
                       "auto NAME_m = &NAME_thing::go;\n(NAME_thing{B}.*NAME_m)(L);"),
    "virtual": (["struct NAME_base {", "  virtual void go(const char *name, int n) { NAME(name, n); }",
                 "  virtual ~NAME_base() {}", "};",
                 "struct NAME_more : NAME_base {",
                 "  void go(const char *name, int n) override { NAME_base::go(name, n * 2); }", "};"],
                "NAME_more NAME_o;\nstatic_cast<NAME_base &>(NAME_o).go(L, (B) / 2);"),
    "default-argument": (["static void NAME_default(const char *name, int n = B) { NAME(name, n); }"],
                         "NAME_default(L);"),
    "constructor": (["struct NAME_run {", "  NAME_run(const char *name, int n) { NAME(name, n); }", "};"],
                    "NAME_run NAME_o(L, B);"),
    "member-of-class": (["struct NAME_last {", "  int n = B;", "  ~NAME_last() { NAME(name, n); }",
                         "  const char *name;", "};"], "NAME_last NAME_p;\nNAME_p.name = L;"),
    "recursion": (["static void NAME_grow(const char *name, int n) {",
                   "  n >= B ? NAME(name, B) : NAME_grow(name, n * 2);", "}"], "NAME_grow(L, 8);"),
    "overload": (["static void NAME(const char *name, long n) { NAME(name, (int)n + 1); }"],
                 "NAME(L, (B) - 1L);"),
    "macro": (["#define NAME_GO(L_, N_) NAME(L_, N_)"], "NAME_GO(L, B);"),
    "operator": (["struct NAME_to { int n; };",
                  "static void operator>>(const char *name, NAME_to to) { NAME(name, to.n); }"],
                 "L >> NAME_to{B};"),
    "conversion": (["struct NAME_block { operator int() const { return B; } };"], "NAME(L, NAME_block());"),
    "integer-of-pointer": ([], "auto NAME_p = (unsigned long long)&NAME;\n"
                               "((void (*)(const char *, int))NAME_p)(L, B);"),
    "overload-of-template": (["template <class X> static void NAME_any(const char *name, X n) { NAME(name, n); }",
                              "template <> void NAME_any(const char *name, long n) { NAME(name, (int)n + 1); }"],
                             "NAME_any(L, (B) - 1L);"),
}
# A function whose name is told to the assembler.
NAMED_FOR_ASSEMBLER = ("alias", "asm-name")

# Ways by which a block of 32 becomes one of B: what stands before the launch, and the
# block and its threads.
CHANGES = {
    "swap": ("dim3 one(32), two(B);\nstd::swap(one, two);", "one", "one.x"),
    "exchange": ("int n = 32;\nstd::exchange(n, B);", "n", "n"),
    "const-cast": ("int n = 32;\nconst int &m = n;\nconst_cast<int &>(m) = B;", "n", "n"),
    "const-cast-of-dim3": ("dim3 block(32);\nconst dim3 &same = block;\nconst_cast<dim3 &>(same).x = B;",
                           "block", "block.x"),
    "reference": ("dim3 block(32);\nauto &r = block;\nr.x = B;", "block", "block.x"),
    "member-reference": ("dim3 block(32);\nunsigned &x = block.x;\nx = B;", "block", "block.x"),
    "pointer": ("dim3 block(32);\ndim3 *p = &block;\np->x = B;", "block", "block.x"),
    "binding": ("dim3 block(32);\nauto &[x, y, z] = block;\nx = B;", "block", "block.x"),
    "memcpy": ("dim3 block(32), more(B);\nstd::memcpy(&block, &more, sizeof block);", "block", "block.x"),
    "words": ("dim3 block(32);\nreinterpret_cast<unsigned *>(&block)[0] = B;", "block", "block.x"),
    "lambda": ("int n = 32;\nauto grow = [&] { n = B; };\ngrow();", "n", "n"),
    "lambda-of-reference": ("int n = 32;\n[](int &m) { m = B; }(n);", "n", "n"),
    "generic-lambda": ("dim3 block(32);\n[](auto &b) { b.x = B; }(block);", "block", "block.x"),
    "range-for": ("dim3 block(32);\nfor (unsigned *e : {&block.x})\n  *e = B;", "block", "block.x"),
    "loop": ("int n = 32;\nwhile (n < B)\n  n += 32;\nn = n > B ? B : n;", "n", "n"),
    "shift": ("int n = 32;\nn <<= 1;\nn += B - 64;", "n", "n"),
    "scanf": ('int n = 32;\nstd::sscanf("B", "%d", &n);', "n", "n"),
    "member-pointer": ("dim3 block(32);\nauto m = &dim3::x;\nblock.*m = B;", "block", "block.x"),
    "assignment": ("dim3 block(32);\nblock = {B, 1, 1};", "block", "block.x"),
    "assembly": ('int n = 32, m = B;\nasm volatile("" : "+r"(n), "+r"(m));\nn = m;', "n", "n"),
    "union": ("union {\n  int n;\n  unsigned m;\n};\nn = 32;\nm = B;", "m", "m"),
    "static-member": ("struct Held {\n  static int &size() { static int n = 32; return n; }\n};\n"
                      "Held::size() = B;", "Held::size()", "Held::size()"),
    "comma": ("int n = 32;\nint m = (n = B, n);", "m", "m"),
    "array": ("unsigned sides[3] = {32, 1, 1};\n*sides = B;", "dim3(sides[0], sides[1])", "sides[0]"),
    "tie": ("int n = 32, m = 1;\nstd::tie(n, m) = std::make_pair(B, 2);", "n", "n"),
    "for-each": ("int n = 32;\nconst int sizes[] = {8, B};\n"
                 "std::for_each(sizes, sizes + 2, [&](int m) { n = m; });", "n", "n"),
    "goto": ("int n = 32, turn = 0;\nagain:\nif (turn++ == 0) {\n  n = B;\n  goto again;\n}", "n", "n"),
    "switch": ("int n = 32;\nswitch (hidden(1)) {\ncase 0:\n  n = 31;\n  break;\ncase 1:\n  n = B;\n}", "n", "n"),
    "transform": ("int n = 32;\nstd::transform(&n, &n + 1, &n, [](int m) { return m + B - 32; });", "n", "n"),
}


class HiddenSite(Site):
    """A launch site with these ways instead of forms."""

    def __init__(self, case, kernel, rng, number, most):
        super().__init__(case, kernel, rng, number, most)
        self.grid, self.grid_text, self.also = 1, "1", ""
        self.changes = rng.random() < 0.4
        table = CHANGES if self.changes else CALLS
        self.ways = rng.sample(list(table), rng.choice([1, 1, 2]))
        if "overload" in self.ways:
            self.ways = ["overload"]  # The name alone says nothing then.
        self.large = rng.choice([48, 64, 65, 96, 128, 100])
        self.small = rng.choice([32, 32, 16, 1])
        self.first = rng.random() < 0.8
        for way in self.ways:
            case.note(f"block-by-{way}" if self.changes else f"call-by-{way}")

    def fill(self, text, name="", label=""):
        words = {"B": str(self.large), "L": label}
        return re.sub(r"\b[BL]\b", lambda m: words[m.group()], text.replace("NAME", name)).split("\n")

    def of_changes(self, name, instance):
        """A function for each way."""
        lines = []
        for number, way in enumerate(self.ways):
            before, block, threads = CHANGES[way]
            lines += [f"static void {name}_{number}(const char *name) {{",
                      *indented([*self.fill(before), *self.launch(instance, block, threads, "name")]), "}"]
        return lines

    def of_calls(self, name, instance):
        """The function that launches, and what leads to it."""
        named = any(way in NAMED_FOR_ASSEMBLER for way in self.ways)
        lines = [f'__attribute__((used)) static void {name}(const char *, int) asm("{name}_impl");'] if named else []
        lines += [f"static void {name}(const char *name, int threads) {{",
                  *indented(self.launch(instance, "threads", "threads", "name")), "}"]
        return lines + [line for way in self.ways
                        for line in self.fill("\n".join(CALLS[way][0]), name) if line]

    def definition(self):
        make = self.of_changes if self.changes else self.of_calls
        return [line for number, instance in enumerate(self.kernel.instances)
                for line in make(f"{self.name}_{number}", instance)]

    def calls(self, label):
        lines = []
        for number, _ in enumerate(self.kernel.instances):
            name = f"{self.name}_{number}"
            if self.changes:
                lines += [f"{name}_{n}({label()});" for n in range(len(self.ways))]
                continue
            lines += [f"{name}({label()}, {self.small});"] if self.first else []
            for way in self.ways:
                lines += ["{", *indented(self.fill(CALLS[way][1], name, label())), "}"]
        return lines


def hidden_sites(case, kernel, rng, first, most):
    """Sites with such launches, for a kernel without bounds of its own."""
    if kernel.bounds or "block_size" in kernel.attribute or most < 128:
        return []
    return [HiddenSite(case, kernel, rng, first, most)]


@shape(3, plain=True)
def flags_on_both_sides(context, array):
    """A function with an array of flags or numbers that main calls, too; not on the
    host, which has only the device's view of it, and no launch around the call."""
    case, rng = context.case, context.rng
    name, size, k = case.name("sieve"), rng.choice([8, 16, 33, 64]), rng.randrange(3, 30)
    kind = rng.choice(["bool", "bool", "unsigned char", "int"])
    head = rng.choice(["__host__ __device__", "__host__ __device__ inline", "static __host__ __device__"])
    helper = Helper(case, name, lambda: [
        f"{head} unsigned {name}(unsigned h, unsigned e) {{", f"  {kind} seen[{size}] = {{}};",
        f"  for (unsigned i = 0; i < {k}u; ++i) {{", f"    const unsigned at = (e * (i + 1u) ^ h >> 3) % {size}u;",
        "    h = h * 31u + (seen[at] ? 3u : 5u);", "    seen[at] = !seen[at];", "  }",
        f"  for (int i = 0; i < {size}; ++i)", "    h = h * 17u + seen[i];", "  return h;", "}"])
    element, e = array.element(context), context.value()

    def lines():
        case.at_run[name] = [f"#ifndef {HOST}", f'std::printf("host {case.seed} {name}: %u\\n", {helper.use()}(7u, 5u));',
                             "#endif"]
        return [f"h = {helper.use()}(h ^ ({element()} ? 3u : 5u), {e});" if array.kind.flags else
                f"h = {helper.use()}(h ^ digest({element()}), {e});"]
    return lines
