"""What `bankstripe wrap` does not know it compiles as it is first, where no text says that an array moves: ptxas
tells whether a kernel could gain. Else one compile tells of the original and of the copy.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import unittest

from headers import LOCAL
from support import PLAIN
from wrap_test import COUNT, NVCC, STAND_IN, WrapTest

# The compiler of the other tests, which also says what ptxas would under -v.
REPORTS = STAND_IN.replace('print("err"', """if "-Xptxas=-v" in words or "--ptxas-options=-v" in words:
    print("ptxas info    : Compiling entry function 'k' for 'sm_90'\\\\nptxas info    : Function properties for k\\\\n"
          f"    {os.environ['FRAME']} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\\\\n"
          "ptxas info    : Used 8 registers, 1024 bytes smem", file=sys.stderr)
print("err\"""".replace("\\\\n", "\\n"))
NO_KERNELS = STAND_IN.replace('print("err"', 'print("ptxas info    : 0 bytes gmem\\nerr"')

COMPILE = ("-c", "src/a.cu", "-o", "obj/a.o")

# No text says that its array moves: what indexes it seems to count in a loop.
HIDDEN = COUNT.replace("""  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7] + LOCAL;
""", """  for (int i = 0, k = 0; i < 50; ++i, k = in[i] & 7)
    last[k] += in[i];
  for (int k = in[threadIdx.x] & 7; k >= 0; k -= 8)
    out[threadIdx.x] = last[k] + LOCAL;
""")


class CompiledFirst(WrapTest):
    def setUp(self):
        super().setUp()
        self.compiler.write_text(REPORTS)
        self.source(HIDDEN)

    def source(self, text):
        self.write("src/a.cu", text)

    def give_address(self, text=HIDDEN):
        """Since a header declares the kernel, the source gets a version in its function."""
        self.write("src/local.h", LOCAL + "__global__ void count(const int *in, int *out);\n")
        self.source(text.replace("static __global__", "__global__") + "#ifdef __CUDA_ARCH__\n#endif\n")

    def compile(self, *words, frame, code=0, **environment):
        done = self.wrap(self.compiler, *COMPILE, *words, FRAME=str(frame),
                         **{"BANKSTRIPE_FLAGS": "--min-speedup=0 --quiet"} | environment)
        self.assertEqual((done.returncode, done.stdout), (code, "out 1\n"))
        return done.stderr

    def assert_calls(self, *calls):
        self.assertEqual([[w for w in call if not w.startswith("-Xcompiler=-iquote")]
                          for call in self.calls()], [list(call) for call in calls])

    FIRST = ("-Xptxas=-v", *COMPILE)
    UNASKED = ("-c", "obj/a.o.bankstripe/a.cu", "-o", "obj/a.o")
    COPY = ("-Xptxas=-v", *UNASKED)

    def test_without_local_memory_a_file_is_compiled_once_and_not_parsed(self):
        self.source(HIDDEN + "#ifdef __clang__\n#error it is parsed\n#endif\n")
        self.assertEqual(self.compile(frame=0), "err\n")
        self.assert_calls(self.FIRST)

    def test_so_is_a_file_without_kernels(self):
        self.compiler.write_text(NO_KERNELS)
        self.source(HIDDEN + "#ifdef __clang__\n#error it is parsed\n#endif\n")
        self.assertEqual(self.compile(frame=32), "err\n")
        self.assert_calls(self.FIRST)

    def test_what_knows_no_option_more_is_run_as_it_is(self):
        start = self.write("bin/start", '#!/bin/sh\ncase "$*" in *-Xptxas*) echo "unknown -Xptxas" >&2; exit 1 ;; esac\n'
                                        'exec "$@"\n')
        start.chmod(0o755)
        done = self.wrap(start, self.compiler, *COMPILE, FRAME="32", BANKSTRIPE_FLAGS="--min-speedup=0")
        self.assertEqual((done.returncode, done.stdout), (0, "out 1\n"))
        self.assertEqual(done.stderr, "err\nbankstripe: warning: 'src/a.cu' is compiled as it is: "
                                      "with -Xptxas=-v it does not compile: unknown -Xptxas\n")

    def test_functions_for_other_files_may_gain_without_a_kernel(self):
        self.compiler.write_text(REPORTS.replace("Compiling entry function", "0 bytes gmem"))
        self.compile(frame=32)
        self.assert_calls(self.FIRST, self.COPY)

    def test_with_local_memory_the_copy_takes_the_place_of_the_object(self):
        self.assertEqual(self.compile(frame=32), "err\n")
        self.assert_calls(self.FIRST, self.COPY)

    def test_what_is_known_from_before_is_compiled_once(self):
        for _ in range(2):
            self.compile(frame=32, BANKSTRIPE_CACHE_DIR=str(self.folder / "cache"))
        self.assert_calls(self.FIRST, self.COPY, self.COPY)

    def test_what_was_rewritten_before_is_read_at_once(self):
        self.compile(frame=32)
        self.source(HIDDEN + "int other;\n")
        self.compile(frame=32)
        self.assert_calls(self.FIRST, self.COPY, self.COPY)

    def test_an_object_stays_where_nothing_moves(self):
        self.source(HIDDEN.replace("{0};", "{0}; // NOLINT(bankstripe)"))
        self.assertEqual(self.compile(frame=32), "err\n")
        self.assert_calls(self.FIRST)

    def test_shared_memory_of_its_own_does_not_count(self):
        self.source(HIDDEN.replace("int last[8] = {0};", "int last[8] = {0};\n  __shared__ int tile[32][32];"))
        self.compile(frame=0)
        self.assert_calls(self.FIRST)

    def test_an_error_is_the_compilers_alone(self):
        self.source(PLAIN + "int wrong[;\n")
        self.assertEqual(self.compile("--seven", frame=0, code=7), "err\n")
        self.assertEqual(len(self.calls()), 1)

    def test_who_asks_ptxas_hears_it_of_the_copy(self):
        self.assertIn("0 bytes stack frame", self.compile("--ptxas-options=-v", frame=0))
        self.assert_calls((*self.UNASKED, "--ptxas-options=-v"))

    def test_decisions_do_not_wait_for_ptxas(self):
        self.write(".bankstripe.yaml", "version: 1\narrays:\n  - file: src/a.cu\n    function: count\n"
                                       "    array: last\n    decision: stripe\n")
        self.compile(frame=0)
        self.assert_calls(self.COPY)

    def test_an_unconfirmed_rewrite_does_not_wait_for_ptxas(self):
        self.compile(frame=0, BANKSTRIPE_FLAGS="--no-confirm --min-speedup=0 --quiet")
        self.assert_calls(self.UNASKED)

    def test_versions_know_each_default_stream(self):
        self.give_address()
        self.compile("-default-stream=per-thread", frame=32)
        self.assertIn("count_striped", self.copy())

    def assert_first_object_stays(self):
        self.compiler.write_text(self.compiler.read_text().replace('write_text("object")', 'write_text(str(words))'))
        said = self.compile("--fail-on-copy", frame=32)
        self.assert_calls((*self.FIRST, "--fail-on-copy"), (*self.COPY, "--fail-on-copy"))
        self.assertIn(str([*self.FIRST, "--fail-on-copy"]), self.read("obj/a.o"))
        self.assertEqual((said.count("bankstripe: warning"), said.count("does not compile")), (1, 1))

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_a_copy_that_does_not_compile_leaves_the_first_object(self):
        self.assert_first_object_stays()

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_so_does_one_that_nvcc_was_asked_about_alone(self):
        self.give_address()
        self.assert_first_object_stays()

    def compile_with_nvcc(self, times=1, before_copies=":", after=":", of_copies="cat", words=(), said=""):
        """What nvcc is asked for. `after` is run behind each compile of the source; what is said of copies goes
        through `of_copies`."""
        log = self.write("log", "")
        self.compiler.write_text(
            f'#!/bin/sh\necho "$*" >> {log}\ncase "$*" in\n'
            f'  *.bankstripe/*) {before_copies}; {NVCC} "$@" 2> {log}.err; code=$?\n'
            f'    {of_copies} < {log}.err >&2; exit $code ;;\n'
            f'  *) {NVCC} "$@" && {after} ;;\nesac\n')
        for folder in ("nvvm", "include"):
            (self.folder / folder).symlink_to(pathlib.Path(NVCC).parent.parent / folder)
        environment = {"BANKSTRIPE_FLAGS": "--min-speedup=0 --quiet",
                       "BANKSTRIPE_CACHE_DIR": str(self.folder / "cache")}
        for _ in range(times):
            done = self.wrap(self.compiler, "-arch=sm_90", *COMPILE, *words, **environment)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", said))
        return [("cubin" if "-cubin" in call else "copy" if ".bankstripe/" in call else
                 "first" if "-Xptxas=-v" in call else "compile")
                for call in log.read_text().splitlines() if ".cu" in call and " -E " not in call]

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_nvcc_is_not_asked_again_about_what_it_compiled(self):
        self.assertEqual(self.compile_with_nvcc(times=2), ["first", "copy", "copy"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_the_first_object_stays_where_frames_do_not_shrink(self):
        keep = f'cp {self.folder}/obj/a.o {self.folder}/first.o && cp {self.folder}/obj/a.d {self.folder}/first.d'
        self.assertEqual(self.compile_with_nvcc(
            after=keep, of_copies="sed 's/[0-9]* bytes stack/512 bytes stack/'",
            words=("-MD", "-MF", "obj/a.d")), ["first", "copy"])
        for kind in ("o", "d"):
            self.assertEqual((self.folder / f"obj/a.{kind}").read_bytes(), (self.folder / f"first.{kind}").read_bytes())
        self.assertFalse((self.folder / "obj/a.o.bankstripe").exists())

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_what_is_asked_about_a_version_is_the_compile_of_the_copy(self):
        self.give_address()
        self.assertEqual(self.compile_with_nvcc(), ["first", "copy"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_the_first_object_stays_where_launches_pass_no_rows(self):
        self.give_address()
        # As if the stubs of this nvcc called what no helper knows.
        forget = "find obj -name bankstripe_launch.cuh -exec sed -i 's/^#ifdef __NVCC__$/#if 0/' {} +"
        said = ("bankstripe: warning: 'src/a.cu' is compiled as it is: with this nvcc, launches pass no row of "
                "'obj/a.o.bankstripe/a.cu'\n")
        keep = f"cp {self.folder}/obj/a.o {self.folder}/first.o"
        self.assertEqual(self.compile_with_nvcc(before_copies=forget, after=keep, said=said), ["first", "copy"])
        self.assertEqual((self.folder / "obj/a.o").read_bytes(), (self.folder / "first.o").read_bytes())

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_one_compile_tells_of_a_version_and_its_original(self):
        self.give_address(COUNT)
        self.assertEqual(self.compile_with_nvcc(times=2), ["copy", "copy"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_of_a_kernel_that_changes_in_place_nvcc_is_asked_alone(self):
        self.source(COUNT)
        self.assertEqual(self.compile_with_nvcc(), ["cubin", "copy"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_what_may_stay_is_compiled_as_it_is(self):
        self.source(COUNT.replace("{0};", "{0}; // NOLINT(bankstripe)"))
        self.assertEqual(self.compile_with_nvcc(), ["compile"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_a_version_that_gains_nothing_is_not_kept(self):
        self.give_address(COUNT)
        self.assertEqual(self.compile_with_nvcc(of_copies="sed 's/[0-9]* bytes stack/512 bytes stack/'"),
                         ["copy", "compile"])
        self.assertFalse((self.folder / "obj/a.o.bankstripe").exists())

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_nor_is_one_that_does_not_compile(self):
        self.give_address(COUNT)
        said = ("bankstripe: warning: 'src/a.cu' is compiled as it is: the rewritten copy 'obj/a.o.bankstripe/a.cu' "
                "does not compile: error: no copies\n")
        self.assertEqual(self.compile_with_nvcc(before_copies='echo "error: no copies" >&2; exit 1', said=said),
                         ["copy", "cubin", "compile"])

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_it_is_about_a_file_that_changed_meanwhile_which_is_not_copied(self):
        change = f'case "$*" in *-Xptxas=-v*) echo >> {self.folder}/src/a.cu ;; esac'
        said = ("bankstripe: warning: 'src/a.cu' is compiled as it is: "
                "'src/a.cu' cannot be copied: it has changed meanwhile\n")
        self.assertEqual(self.compile_with_nvcc(after=change, said=said), ["first", "cubin", "cubin"])


if __name__ == "__main__":
    unittest.main()
