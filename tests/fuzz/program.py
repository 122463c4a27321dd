"""Whole cases and files of cases.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

import context as context_module
from element_types import ARGUMENTS, PRELUDE
from places import Room, fill
from tree import Body, Item, indented

BLOCKS = [(32,), (33,), (48,), (64,), (64,), (64,), (96,), (100,), (128,), (31,), (1,), (160,),
          (8, 4), (7, 5), (16, 4), (33, 2), (5, 13), (16, 8), (4, 3, 5), (2, 2, 9), (8, 2, 3)]

# What the host does around a launch; the same in all files.
HARNESS = r"""
// The input of a case: the same words for every one of its launches.
static void begin(unsigned seed, int count, unsigned **in, unsigned **out) {
  unsigned words[64];
  for (unsigned i = 0; i < 64; ++i)
    words[i] = (seed * 977u + i) * 2654435761u ^ i << 7;
  cudaMalloc(in, sizeof words);
  cudaMalloc(out, count * sizeof(unsigned));
  cudaMemcpy(*in, words, sizeof words, cudaMemcpyHostToDevice);
  cudaMemset(*out, 0, count * sizeof(unsigned));
}

// Prints a digest of what the launch has left, or why it failed.
static void end(const char *name, int count, unsigned *in, unsigned *out) {
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess)
    status = cudaDeviceSynchronize();
  unsigned *words = new unsigned[count];
  cudaMemcpy(words, out, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  unsigned long long digest = 14695981039346656037ull;
  for (int i = 0; i < count; ++i)
    digest = (digest ^ words[i]) * 1099511628211ull;
  delete[] words;
  cudaFree(in);
  cudaFree(out);
  if (status == cudaSuccess)
    std::printf("%s %016llx\n", name, digest);
  else
    std::printf("%s %s\n", name, cudaGetErrorString(status));
  std::fflush(stdout);
}
""".strip("\n").split("\n")


class Program:
    """One case: a kernel, the functions and classes that it uses, and a host
    function that launches it."""

    def __init__(self, seed):
        case = self.case = context_module.Case(seed)
        rng = case.rng
        self.block = rng.choice(BLOCKS)
        self.grid = rng.choice([1, 1, 2, 3])
        warps = -(-self.threads // 32)
        # Most cases fit into 48 KB.
        case.bytes_left = int(49152 // (32 * warps) * (0.9 if rng.random() < 0.9 else 3))
        case.bytes_left = min(case.bytes_left, 1024)
        self.template = case.seed % 6 == 5
        self.instances = [(rng.choice(ARGUMENTS), rng.choice([3, 5, 8, 16]))
                          for _ in range(rng.choice([1, 1, 2]))] if self.template else [None]
        self.bounds = case.chance(0.4)
        self.bounds_text = rng.choice([str(self.threads), str(self.threads), str(self.threads + 7),
                                       f"{self.threads}, 1"])
        self.launch_form = rng.randrange(5)
        self.head = rng.choices(["__global__ void {b}{k}", "static __global__ void {b}{k}",
                                 "{b}__global__ void {k}"], [6, 1, 1])[0]
        self.guard = case.chance(0.3)
        self.second = case.chance(0.15)
        self.body = Body()
        self.kernel = f"kernel_{seed}"
        place = context_module.Context(case, self.kernel, self.body, places=[
            "kernel-template" if self.template else "kernel"])
        place.ending = "{ out[t] = h; return; }"
        room = Room(rng.choice([1, 1, 2, 2, 3, 4]), rng.randrange(3, 10))
        fill(place, room, ["N", "T"] if self.template else ())
        case.note(f"block-{len(self.block)}d")
        self.look_alike = case.chance(0.2)

    @property
    def threads(self):
        product = 1
        for extent in self.block:
            product *= extent
        return product

    # --- Text ---------------------------------------------------------------

    def kernel_lines(self):
        bounds = f"__launch_bounds__({self.bounds_text}) " if self.bounds else ""
        lines = ["template <class T, int N>"] if self.template else []
        signature = self.head.format(b=bounds, k=self.kernel)
        lines += [f"{signature}(const unsigned *in, unsigned *out, unsigned n, unsigned limit) {{",
                  "  const unsigned size = blockDim.x * blockDim.y * blockDim.z;",
                  "  const unsigned t = blockIdx.x * size + threadIdx.x +",
                  "                     blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"]
        if self.guard:
            lines += ["  if (t >= limit)", "    return;"]
        lines += ["  unsigned v = in[t & 63u] + t * 2654435761u, h = t;",
                  *self.body.lines(), "  out[t] = h;", "}"]
        return lines

    def launch_lines(self):
        """The host function; what the block size is, is said in several ways."""
        case, k = self.case, f"{self.case.seed}"
        lines, count = [f"static void run_{k}() {{"], self.grid * self.threads
        block = ", ".join(map(str, self.block))
        configuration = f"dim3({block})" if len(self.block) > 1 else block
        if self.launch_form == 1:
            lines.append(f"  dim3 block({block});")
            configuration = "block"
        elif self.launch_form == 2 and len(self.block) == 1:
            lines.append(f"  const int threads = {block};")
            configuration = "threads"
        elif self.launch_form == 3:
            lines.append(f"  constexpr dim3 block({block});")
            configuration = "block"
        if self.look_alike:
            lines += ["  int a1[16] = {1, 2}, buf1[4] = {}, stack1[8] = {};",
                      "  for (int i = 0; i < 4; ++i)", "    a1[i] += buf1[i] + stack1[i] + i;",
                      f'  std::printf("host {k} %d\\n", a1[3]);']
        limit = count - 3 if self.guard and count > 8 else count
        configurations = [configuration]
        if self.second and len(self.block) == 1 and self.threads > 8:
            configurations.append(str(self.threads - 5))
        lines += ["  unsigned *in, *out;"]
        for number, instance in enumerate(self.instances):
            name = self.kernel + (f"<{instance[0]}, {instance[1]}>" if instance else "")
            for second, config in enumerate(configurations):
                used = limit if not second else min(limit, self.grid * (self.threads - 5))
                lines += [f"  begin({k}u, {count}, &in, &out);",
                          f"  {name}<<<{self.grid}, {config}>>>(in, out, {2 + case.seed % 4}u, {used}u);",
                          f'  end("case {k}.{number}{second}:", {used}, in, out);']
        return [*lines, "}"]

    def lines(self, off=frozenset()):
        """The text of the case, without the parts in `off`."""
        case = self.case
        case.off, case.asked = frozenset(off), {}
        case.used.clear()
        case.printed.clear()
        kernel = self.kernel_lines()
        return [line for text in [*case.printed, kernel, self.launch_lines()] for line in [*text, ""]]


def prelude_of(text):
    """The shared functions that `text` uses."""
    wanted = [name for name in PRELUDE if re.search(rf"\b{name}\b", text)]
    if "digest" in wanted and "mix" not in wanted:
        wanted.insert(0, "mix")
    return [line for name in PRELUDE if name in wanted for line in PRELUDE[name]]


def file_of(parts, title):
    """A complete program. `parts` are pairs of a seed and the lines of a case."""
    text = "\n".join(line for _, lines in parts for line in lines)
    lines = [f"// {title}", "#include <cstdio>", "#include <cstring>", "", *prelude_of(text), "",
             *HARNESS, ""]
    for seed, case_lines in parts:
        lines += [f"// ===== case {seed} =====", *case_lines]
    return "\n".join([*lines, "int main() {", *(f"  run_{seed}();" for seed, _ in parts),
                      "  return 0;", "}", ""])


def batch(seeds):
    """The text of a file with these cases, and the cases."""
    programs = [Program(seed) for seed in seeds]
    return file_of([(p.case.seed, p.lines()) for p in programs],
                   f"cases {seeds[0]} to {seeds[-1]}"), programs
