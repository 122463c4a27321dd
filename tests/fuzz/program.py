"""Whole cases and files of cases.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random
import re

import context as context_module
from context import standard_of
from element_types import PRELUDE
from kernels import HEADS, Kernel, Tile, other_kernel, random_instances
from launches import Site, threads_of
from places import Room
from shapes_host import hidden_sites
from shapes_macros import chosen_by_compiler
from shapes_waits import watch
from tree import indented
from turns import add_turns

BLOCKS = [(32,), (33,), (48,), (64,), (64,), (64,), (96,), (100,), (128,), (31,), (1,), (160,),
          (8, 4), (7, 5), (16, 4), (33, 2), (5, 13), (16, 8), (4, 3, 5), (2, 2, 9), (8, 2, 3)]

MAIN = "// ===== main file ====="

# What the host does around a launch; the same in all files.
HARNESS = r"""
// The input of a case: the same words for every one of its launches.
static void begin(unsigned seed, int count, unsigned **in, unsigned **out) {
  unsigned words[64];
  for (unsigned i = 0; i < 64; ++i)
    words[i] = (seed * 977u + i) * 2654435761u ^ i << 7;
  cudaDeviceSetLimit(cudaLimitStackSize, 16384); // for what calls itself
  cudaMalloc(in, sizeof words);
  cudaMalloc(out, count * sizeof(unsigned));
  cudaMemcpy(*in, words, sizeof words, cudaMemcpyHostToDevice);
  cudaMemset(*out, 0, count * sizeof(unsigned));
}

// A number that only the run knows.
[[maybe_unused]] static int hidden(int number) {
  return number;
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
    """One case: kernels, the functions and classes that they use, and host
    functions that launch them."""

    def __init__(self, seed, gpu=False):
        case = self.case = context_module.Case(seed, gpu)
        rng = case.rng
        # What is new about launches must not change what else a seed gives.
        self.launch_rng = random.Random(f"launches of case {seed}")
        self.run_time = self.launch_rng.random() < 0.4
        self.block = rng.choice(BLOCKS)
        self.grid = rng.choice([1, 1, 2, 3])
        warps = -(-self.threads // 32)
        # Most cases fit into 48 KB.
        case.bytes_left = int(49152 // (32 * warps) * (0.9 if rng.random() < 0.9 else 3))
        case.bytes_left = min(case.bytes_left, 1024)
        if self.run_time:
            # As do blocks of any size with 48 bytes per thread.
            case.bytes_left = self.launch_rng.choice([40, 40, 70, 150, 210, 400])
        # Blocks that hide, and compilers that do not agree about a block.
        surprises = random.Random(f"surprises of case {seed}")
        self.hides = surprises.random() < 0.15
        self.by_compiler = not self.hides and surprises.random() < 0.12 and len(self.block) == 1
        if self.hides:
            case.bytes_left = surprises.choice([40, 70, 150, case.bytes_left])
        instances = [""]
        if case.seed % 6 == 5:
            instances = random_instances(rng)
        bounds = case.chance(0.4)
        bounds_text = rng.choice([str(self.threads), str(self.threads), str(self.threads + 7),
                                  f"{self.threads}, 1"])
        self.launch_form = rng.randrange(5)
        head = rng.choices(HEADS, [6, 1, 1])[0]
        guard = case.chance(0.3)
        self.second = case.chance(0.15)
        room = Room(rng.choice([1, 1, 2, 2, 3, 4]), rng.randrange(3, 10))
        kernel = Kernel(case, f"kernel_{seed}", instances, room)
        kernel.head, kernel.guard, kernel.bounds, kernel.bounds_text = head, guard, bounds, bounds_text
        self.kernels, self.sites = [kernel], []
        self.look_alike = case.chance(0.2)
        if self.run_time:
            self.launch_at_run_time()
        else:
            case.note(f"block-{len(self.block)}d")
        self.views(random.Random(f"views of case {seed}"), kernel)
        turn_rng = random.Random(f"turns of case {seed}")
        if turn_rng.random() < 0.3:
            add_turns(case, turn_rng, kernel)
        tile_rng = random.Random(f"tile of case {seed}")
        if tile_rng.random() < 0.4 and not self.run_time:
            kernel.tile = Tile(case, tile_rng, self.block[0])
        self.surprise(surprises, kernel)

    def surprise(self, rng, kernel):
        """Blocks that hide, and kernels whose verdicts are looked at."""
        self.watched = None
        if self.hides:
            self.sites += hidden_sites(self.case, kernel, rng, 50, 128)
        elif rng.random() < 0.1:
            self.grid = 1
            for site in self.sites:
                site.grid, site.grid_text = 1, "1"
            self.watched = watch(self.case, rng, kernel)
        self.by_compiler_lines = chosen_by_compiler(
            rng, f"CHOSEN_{self.case.seed}", self.threads, rng.choice([1, 32, self.threads + 64]))
        if self.by_compiler and not self.run_time:
            self.case.note("block-by-compiler")

    def views(self, rng, kernel):
        """What a compiler sees of the launches depends on whom it compiles for;
        and heads of the kernel that say more than its bounds, or less."""
        self.hidden_launch = rng.random() < 0.1 and not kernel.bounds and self.threads <= 96
        self.block_by_view = rng.random() < 0.1 and len(self.block) == 1
        kernel.redefined = rng.random() < 0.25
        kernel.attribute = rng.choices(["", "__maxnreg__(64) "], [12, 1])[0]
        if rng.random() < 0.1 and not (self.run_time or self.second or self.hidden_launch):
            block = [*self.block, 1, 1][:3]
            kernel.attribute = f"__block_size__(({', '.join(map(str, block))})) "
        notes = {"launch-hidden-from-device": self.hidden_launch, "block-by-view": self.block_by_view,
                 "bounds-redefined": kernel.redefined and kernel.bounds,
                 kernel.attribute[2:].split("__")[0]: kernel.attribute and not kernel.bounds}
        for note, happens in notes.items():
            if happens:
                self.case.note(note)

    def launch_at_run_time(self):
        """Host functions with blocks as parameters, and perhaps other kernels
        that share functions with the first."""
        case, rng = self.case, self.launch_rng
        case.note("block-of-the-run")
        for number in range(rng.choice([0, 0, 0, 1, 1, 2])):
            self.kernels.append(other_kernel(case, number, rng))
            case.note("kernel-beside")
        # The first or another one may keep a block that is known.
        self.fixed = rng.choices([None, *self.kernels], [3] + [1] * len(self.kernels))[0] \
            if len(self.kernels) > 1 else None
        most = 330 // len(self.kernels)
        for kernel in self.kernels:
            kernel.vary(rng)
            kernel.bounds, kernel.bounds_text = rng.random() < 0.12, "512"
            if kernel is not self.fixed:
                for _ in range(rng.choice([1, 1, 1, 2])):
                    self.sites.append(Site(case, kernel, rng, len(self.sites), most))

    @property
    def threads(self):
        return threads_of(self.block)

    # --- Text ---------------------------------------------------------------

    def constant_lines(self, kernel):
        """Launches with a block that is known; it is said in several ways."""
        lines, k = [], f"{self.case.seed}"
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
        if self.block_by_view:
            lines += ["#if defined(__CUDA_ARCH__) && !defined(BANKSTRIPE_TESTS_CPU_HOST_CUDA_H)",
                      "  const int seen = 32;", "#else", f"  const int seen = {block};", "#endif"]
            configuration = "seen"
        if self.by_compiler:
            lines += self.by_compiler_lines
            configuration = f"CHOSEN_{self.case.seed}"
        if self.look_alike:
            lines += ["  int a1[16] = {1, 2}, buf1[4] = {}, stack1[8] = {};",
                      "  for (int i = 0; i < 4; ++i)", "    a1[i] += buf1[i] + stack1[i] + i;",
                      f'  std::printf("host {k} %d\\n", a1[3]);']
        configurations = [(configuration, self.threads)]
        if self.second and len(self.block) == 1 and self.threads > 8:
            configurations.append((str(self.threads - 5), self.threads - 5))
        if self.hidden_launch:
            configurations.append((str(self.threads + 40), self.threads + 40))
        lines += ["  unsigned *in, *out;"]
        for number, instance in enumerate(kernel.instances):
            name = kernel.launched_name + (f"<{instance}>" if instance else "")
            for second, (config, threads) in enumerate(configurations):
                hidden = second == len(configurations) - 1 and self.hidden_launch
                count = self.grid * threads
                if hidden:
                    lines += ["#if !defined(__CUDA_ARCH__) || defined(BANKSTRIPE_TESTS_CPU_HOST_CUDA_H)"]
                used = count - 3 if kernel.guard and count > 8 else count
                shared = f", {kernel.own.bytes(threads)}" if kernel.own else ""
                lines += [f"  begin({k}u, {count}, &in, &out);",
                          f"  {name}<<<{self.grid}, {config}{shared}>>>(in, out, "
                          f"{2 + self.case.seed % 4}u, {used}u);",
                          f'  end("case {k}.{number}{second}:", {used}, in, out);']
                lines += ["#endif"] if hidden else []
        return lines

    def run_lines(self):
        numbers = itertools.count(100)  # of launches; smaller ones have a known block
        label = lambda: f'"case {self.case.seed}.{next(numbers)}:"'
        lines = [line for site in self.sites for line in site.calls(label)]
        fixed = self.fixed if self.run_time else self.kernels[0]
        names = [f"(const void *){k.launched_name}" + (f"<{i}>" if i else "")
                 for k in self.kernels for i in k.instances]
        taken = ["#ifdef TAKES_ADDRESSES", f"  const void *taken[] = {{{', '.join(names)}}};",
                 "  (void)taken;", "#endif"]
        return [f"static void run_{self.case.seed}() {{", *taken, *indented(lines),
                *(self.constant_lines(fixed) if fixed else []),
                *indented([line for text in self.case.at_run.values() for line in text]), "}"]

    def lines(self, off=frozenset()):
        """The text of the case, without the parts in `off`."""
        case = self.case
        case.off, case.asked = frozenset(off), {}
        for what in case.used, case.printed, case.header, case.footer, case.at_run:
            what.clear()
        # What is defined late is printed first, to know what it uses.
        kernels = [kernel.definition() for kernel in self.kernels]
        early = [kernel.declaration() for kernel in self.kernels if kernel.early]
        first = [site.definition() for site in self.sites if site.kernel.early]
        last = [site.definition() for site in self.sites if not site.kernel.early]
        parts = [*early, *first, *case.printed, *kernels, *last, *case.footer.values(), self.run_lines()]
        return [line for text in parts if text for line in [*text, ""]]

    def part(self, off=frozenset()):
        """What file_of() needs of the case."""
        lines = self.lines(off)
        return self.case.seed, lines, [line for text in self.case.header for line in text]


def prelude_of(text):
    """The shared functions that `text` uses."""
    wanted = [name for name in PRELUDE if re.search(rf"\b{name}\b", text)]
    if "digest" in wanted and "mix" not in wanted:
        wanted.insert(0, "mix")
    return [line for name in PRELUDE if name in wanted for line in PRELUDE[name]]


def includes_of(text):
    """The headers that only some cases need."""
    wanted = {"algorithm": r"std::(for_each|transform)\b", "functional": r"std::(function|bind)\b",
              "tuple": r"std::(tie|apply)\b", "type_traits": r"std::(enable_if_t|is_class)\b",
              "source_location": r"std::source_location\b", "cstddef": r"std::nullptr_t"}
    return [f"#include <{header}>" for header, words in wanted.items() if re.search(words, text)]


def file_of(parts, title):
    """A complete program. `parts` are seeds, the lines of their cases, and those of
    them that belong into a header, which comes first: see write()."""
    text = "\n".join(line for _, lines, _ in parts for line in lines)
    first = [line for seed, _, header in parts if header
             for line in [f"// ===== header of case {seed} =====", *header]]
    lines = [*first, *([MAIN] if first else []), f"// {title}", "#include <cstdio>",
             "#include <cstring>", "#include <utility>", *includes_of(text), "", *prelude_of(text), "", *HARNESS, ""]
    for seed, case_lines, _ in parts:
        lines += [f"// ===== case {seed} =====", *case_lines]
    return "\n".join([*lines, "int main() {", *(f"  run_{seed}();" for seed, *_ in parts),
                      "  return 0;", "}", ""])


BASE = """#pragma once
#if defined(__NVCC__) || defined(USE_CUDA)
#define BOTH_OF_BASE __host__ __device__
#else
#define BOTH_OF_BASE
#endif
"""


def write(text, path):
    """Writes a program into a file, and its header, if any, into another, which
    may take a macro from a third."""
    header, found, text = text.rpartition(MAIN + "\n")
    if found:
        if "BOTH_OF_BASE" in header:
            path.with_name(f"{path.stem}_base.h").write_text(BASE)
            header = f'#include "{path.stem}_base.h"\n{header}'
        path.with_suffix(".h").write_text(header)
        text = f'#define USE_CUDA 1\n#include "{path.stem}.h"\n{text}'
    path.write_text(text)


def batch(seeds, gpu=False):
    """The text of a file with these cases, and the cases."""
    programs = [Program(seed, gpu) for seed in seeds]
    return file_of([p.part() for p in programs],
                   f"cases {seeds[0]} to {seeds[-1]}, {standard_of(seeds[-1])}"), programs
