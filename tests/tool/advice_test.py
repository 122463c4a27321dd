"""Every advice is tried: what it says is done to the example of its reason, and the verdict changes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import re
import subprocess
import unittest

from support import DONE, TOOL, ToolTest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "reasons"
REASONS = pathlib.Path(__file__).resolve().parents[2] / "rewriter" / "model" / "Reasons.def"

# What to change in the example of the page: (before, after)...
DONE_TO_EXAMPLES = {
    "class-object": [("Stack s", "int items[16]"), ("s.items[", "items[")],
    "element-type": [("text[6]", "text[8]")],
    "too-many-dimensions": [("[2][2][2][2][2][2]", "[4][16]"), ("[i & 1][1][0][1][0][1]", "[i & 3][5]"),
                            ("[i / 4 & 1][1][0][1][0][1]", "[i / 4 & 3][5]")],
    "qualified-type": [("volatile ", "")],
    "array-typedef": [("Row order", "int order[16]")],
    "passed-to-function": [("sort(order, 16)", "order[3] = order[i & 7]")],
    "pointer-taken": [("reinterpret_cast<float4 *>(order)", "nullptr"),
                      ("quads[i / 4 & 3].x", "order[i & 12]")],
    "element-address-escapes": [("pair[0] + pair[1]", "*pair")],
    "captured-by-lambda": [("[&](int at) { order[at & 15] = i; }", "[&](int at) { return at; }"),
                           ("put(3)", "order[put(3)] = i")],
    "range-for": [("int value : order", "int k = 0; k < 16; ++k"), ("+= value", "+= order[k & i]")],
    "reference-bound": [("int(&alias)[16] = order;", ""), ("alias[", "order[")],
    "partial-subscript": [("int *row = table[i & 3];", ""), ("row[i & 7]", "table[i & 3][i & 7]")],
    "index-type": [("order[i] = 1", "order[int(i)] = 1")],
    "sizeof": [("sizeof(order) / sizeof(order[0])", "16")],
    "skipped-code": [("#ifdef TRACE\n  trace(order);\n#endif\n", "")],
    "unknown-use": [("(i & 15)[order]", "order[i & 15]")],
    "constant-table": [("  float weights", "  static const float weights")],
    "nolint": [("// NOLINT(bankstripe)", "//")],
    "block-size-unknown": [("__global__ void", "__global__ void __launch_bounds__(128)")],
    "dynamic-shared-memory": [("128, bytes", "128, 512")],
    "out-of-bounds": [("<= 8", "< 8")],
    "no-kernel": [("$", "\n__global__ void user(const int *in, int *out) {\n"
                                       "  *out = middle(in, 3); }\n"
                                       "void run(const int *in, int *out) { user<<<1, 64>>>(in, out); }\n")],
    "not-instantiated": [("$", "\nvoid run(int *out) { kernel<<<1, 64>>>(out, 3); }\n")],
    "in-lambda": [("  auto pick = [=] {\n    int order[16];\n    order[i & 15] = i;\n"
                   "    return order[i / 2 & 15];\n  };\n", "  auto pick = [=] { return picked(i); };\n"),
                  ("__global__", "__device__ int picked(int i) {\n  int order[16];\n  order[i & 15] = i;\n"
                                 "  return order[i / 2 & 15];\n}\n__global__")],
    "recursive-function": [("return node ? depth(tree, path[tree[node] & 3]) : path[0];",
                            "for (; node; --node)\n    path[node & 3] = path[tree[node] & 3];\n"
                            "  return path[0];")],
    "constexpr-function": [("constexpr ", "")],
    "class-lifetime": [("  __device__ ~Log() { lines[0] = 0; }\n", "")],
    "const-elements": [("Fixed order", "const int order")],
    "over-aligned": [("alignas(128)", "alignas(16)")],
    "decltype": [("  using Order = decltype(order);\n", ""), ("(sizeof(Order) / 4)", "16")],
    "declaration-in-macro": [("\n#ifdef MORE\n      , more[16]\n#endif\n      ;", ";")],
    "declaration-place": [("for (int order[2] = {0, 1}; n > 0; --n)",
                           "int order[2] = {0, 1};\n  for (; n > 0; --n)")],
    "declarator-shape": [("__global__", "using Handler = int (*)(int);\n__global__"),
                         ("int(*handlers[4])(int)", "Handler handlers[4]")],
    "hidden-name": [("const int order = 16;", "const int size = 16;"), ("order[order]", "order[size]")],
    "goto": [("  if (i < 0)\n    goto end;\n", "  if (i < 0)\n    return;\n"), ("end:;\n", "")],
    "inline-assembly": [('asm volatile("prefetch.local.L1 [%0];" ::"l"(order));',
                         'asm volatile("// %0" ::"r"(order[i & 3]));')],
    "initializer": [("{0, 1, -1, 0}", "{{0, 1}, {-1, 0}}")],
    "over-budget": [("history[100]", "history[40]"), ("% 100", "% 40")],
}

# Where the example of the page is registers to the optimiser, or moves with a whole program.
OTHER_EXAMPLES = {
    "out-of-bounds": """__global__ void kernel(int *out, int i) {
  int order[8];
  for (int k = 0; k <= 8; ++k)
    order[k] = i + k;
  out[threadIdx.x] = order[out[0] & 7];
}
""",
}

# Of these, other tests show it, or there is nothing to do in a source.
ELSEWHERE = {
    "decided-slot": "decisions_test.py", "decided-split": "decisions_test.py",
    "decided-keep": "decisions_test.py", "byte-elements": "decisions_test.py",
    "block-size-conflict": "tests/unit/plan/BlockBoundTest.cpp",
    "version-outdated": "output_test.py",
    "unseen-callee": "units_test.py", "version-outdated": "output_test.py",
    "not-profitable": "test_of_predictions below", "polls-memory": "test_of_predictions below",
    "part-of-warp": "test_of_predictions below",
    "waits-for-blocks": "test_of_launches below", "kernel-in-macro": "test_of_launches below",
    "outside-paths": "test_of_paths below",
    "translation-units-differ": "test_of_paths below",
    "compile-failed": "a defect of ours", "no-evidence": "a message says why",
}

def example(reason):
    return (PAGES / f"{reason}.md").read_text(encoding="utf-8").split("```cuda\n")[1].split("```")[0]


def advised():
    """The reasons with an advice."""
    rows = re.findall(r"^REASON\((.*?)\)$", REASONS.read_text(encoding="utf-8"), re.M | re.S)
    for row in rows:
        texts = re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', row)
        if len(texts) > 2 and texts[2].strip() != '""':
            yield texts[0].strip().strip('"')


class Advice(ToolTest):
    def reasons(self, *words):
        """Of each array, by the scope of its function, or else by its file."""
        done = self.run_tool("analyze", "--format=json", *words)
        self.expect(DONE, done)
        found = json.loads(done.stdout)
        result = {}
        for array in found["arrays"]:
            scope, separator, _ = array["function"].partition("::")
            name = scope if separator else pathlib.Path(array["place"]["file"]).stem
            result.setdefault(name, []).append(array["reason"])
        return result

    def test_every_reason_with_an_advice_is_here(self):
        self.assertEqual(sorted(advised()), sorted([*DONE_TO_EXAMPLES, *ELSEWHERE]))

    def test_of_examples(self):
        before, after = "", ""
        scopes = {reason: reason.replace("-", "_") + "_" for reason in DONE_TO_EXAMPLES}
        for reason, changes in DONE_TO_EXAMPLES.items():
            text = OTHER_EXAMPLES.get(reason) or example(reason)
            if "<<<" not in text and reason != "not-instantiated":
                text = text.replace("__global__ void kernel", "__global__ void __launch_bounds__(64) kernel")
            before += f"namespace {scopes[reason]} {{\n{text}}}\n"
            for old, new in changes:
                if old == "$":
                    text += new
                    continue
                self.assertIn(old, text, reason)
                text = text.replace(old, new)
            after += f"namespace {scopes[reason]} {{\n{text}}}\n"
        self.write("before.cu", before)
        self.write("after.cu", after)
        before = self.reasons("--min-speedup=0", "before.cu")
        after = self.reasons("--min-speedup=0", "after.cu")
        for reason, scope in scopes.items():
            with self.subTest(reason):
                self.assertIn(reason, before[scope])
                self.assertNotIn(reason, after.get(scope, []))

    def test_of_unknown_blocks_is_what_helps(self):
        kernel = example("not-profitable").replace("100", "40").replace("__launch_bounds__(256) ", "")
        def advice(*words, text=kernel, **rest):
            done = subprocess.run([TOOL, "rewrite", "--no-confirm", "--min-speedup=0", *words, "-"], input=text, text=True,
                                  check=True, capture_output=True, **rest)
            found = re.findall(r"note: (write .*|give .*|change .*)", done.stderr)
            self.assertEqual("block-size-unknown" in done.stderr, bool(found))
            return found
        self.assertEqual(advice(), ["write the number into __launch_bounds__ of the kernel, or give --block-size, "
                                    "or give --versions"])
        self.assertEqual(advice("--block-size=64"), [])
        self.assertEqual(advice("--versions"), [])
        self.assertEqual(advice(text=kernel.replace("__global__", "__global__ __launch_bounds__(64)")), [])
        has_static = kernel.replace("{\n", "{\n  static int calls;\n  atomicAdd(&calls, 1);\n", 1)
        self.assertNotIn("--versions", "".join(advice(text=has_static)))

    def test_of_predictions(self):
        self.write("a.cu", example("not-profitable").replace("100", "40"))
        self.assertEqual(self.reasons("a.cu")["a"], ["not-profitable"])
        self.assertNotEqual(self.reasons("--min-speedup=0", "a.cu")["a"], ["not-profitable"])
        stays = self.run_tool("analyze", "a.cu").stdout
        self.assertRegex(stays, r"and occupancy falls from \d+ to \d+ warps per SM.*\[unchanged, not-profitable\]")
        self.assertIn("note: measure it with 'bankstripe tune'\n", stays)
        self.assertIn("  predicted speedup ", self.run_tool("analyze", "--min-speedup=0", "a.cu").stdout)
        self.write("b.cu", example("polls-memory"))
        self.assertEqual(self.reasons("b.cu")["b"], ["polls-memory"])
        self.write("b.cu", example("polls-memory").replace("!*found", "!*(volatile int *)found"))
        self.assertNotEqual(self.reasons("b.cu")["b"], ["polls-memory"])

        self.write("c.cu", example("part-of-warp"))
        self.assertEqual(self.reasons("c.cu")["c"], ["part-of-warp"])
        self.write("c.cu", example("part-of-warp").replace("1000, 2", "1000, 64"))
        self.assertNotEqual(self.reasons("c.cu")["c"], ["part-of-warp"])

    def test_of_launches(self):
        waits = example("waits-for-blocks")
        self.write("a.cu", waits)
        self.assertEqual(self.reasons("--min-speedup=0", "a.cu")["a"], ["waits-for-blocks"])
        self.write("a.cu", "__device__ unsigned arrived;\n" + waits.replace("  static unsigned arrived;", "  "))
        self.assertEqual(self.reasons("--min-speedup=0", "a.cu")["a"], ["dynamic-index"])
        macro = example("kernel-in-macro")
        self.write("a.cu", macro)
        self.assertEqual(self.reasons("--min-speedup=0", "a.cu")["a"], ["kernel-in-macro"])
        self.write("a.cu", macro.replace("KERNEL(kernel)", "__global__ void __launch_bounds__(128) kernel"))
        self.assertEqual(self.reasons("--min-speedup=0", "a.cu")["a"], ["dynamic-index"])

    def test_of_paths(self):
        header = example("translation-units-differ")
        self.write("library/kernel.cuh", header)
        for name, size in (("small", 8), ("large", 16)):
            self.write(f"{name}.cu", f'#define SIZE {size}\n#include "library/kernel.cuh"\n'
                                     "void run(int *out) { kernel<<<1, 64>>>(out, 3); }\n")
        words = ("--min-speedup=0", "small.cu", "large.cu")
        self.assertEqual(self.reasons(*words, "--exclude=library/*")["kernel"], ["outside-paths"])
        self.assertEqual(self.reasons(*words)["kernel"], ["translation-units-differ"])
        self.write("large.cu", self.read("large.cu").replace("16", "8"))
        self.assertEqual(self.reasons(*words)["kernel"], ["dynamic-index"])


if __name__ == "__main__":
    unittest.main()
