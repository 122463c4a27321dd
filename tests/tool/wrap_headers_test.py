"""Headers of sources that `bankstripe wrap` works on.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
import unittest

from headers import LOCAL, WEIGH
from wrap_test import COUNT, WrapTest


class Headers(WrapTest):
    """Arrays in files that the source includes."""

    def setUp(self):
        super().setUp()
        self.write("src/weigh.cuh", WEIGH)
        self.include("weigh.cuh")

    def include(self, name):
        self.write("src/a.cu", COUNT.replace("local.h", name).replace("+ LOCAL", "+ weigh(in) + LOCAL"))

    def compile(self, *words, uncopied="", said=""):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", *words)
        if uncopied:
            said = f"bankstripe: warning: 'src/a.cu' is compiled as it is: 'src/a.cu' cannot be copied: {uncopied}\n"
        self.assertEqual((done.returncode, done.stderr), (0, said + "err\n"))
        return [p.read_text() for p in self.folder.glob("obj/a.o.bankstripe/headers/*/*")]

    def test_are_copied_with_their_header(self):
        copies = self.compile()
        self.assertEqual(len(copies), 1)
        self.assertIn("auto table = ::bankstripe::column(table_stripes)", copies[0])
        self.assertTrue(copies[0].startswith('#line 1 "src/weigh.cuh"\n'))
        self.assertRegex(self.copy(), r'#include "headers/0/weigh.cuh"')

    def test_are_copied_with_what_includes_their_header(self):
        self.write("src/between.cuh", '#pragma once\n#include "weigh.cuh"\n')
        self.include("between.cuh")
        copies = self.compile()
        self.assertEqual(len(copies), 2)
        self.assertEqual(sum("../../headers/1/weigh.cuh" in c for c in copies), 1)

    def test_with_kernels_bring_what_their_rows_need(self):
        self.write("src/count.cuh", COUNT.replace("static __global__", "__global__"))
        self.write("src/a.cu", '#include "count.cuh"\n')
        self.assertIn('#include "../../bankstripe_launch.cuh"', "".join(self.compile()))
        self.assertIn("namespace bankstripe", self.read("obj/a.o.bankstripe/bankstripe_launch.cuh"))

    def test_are_found_in_the_folders_of_the_command(self):
        (self.folder / "src/weigh.cuh").unlink()
        self.write("include/weigh.cuh", WEIGH)
        self.write("include/local.h", LOCAL)
        self.write("src/a.cu", self.read("src/a.cu").replace('"weigh.cuh"', "<weigh.cuh>"))
        copies = self.compile("-Iinclude")
        self.assertIn("auto table = ::bankstripe::column(table_stripes)", copies[0])

    def test_of_two_checkouts_have_the_same_copies(self):
        for name in ("weigh.cuh", "local.h"):
            (self.folder / "src" / name).unlink()
        self.write("include/weigh.cuh", WEIGH)
        self.write("include/local.h", LOCAL)
        copies = []
        for checkout in ("one", "two"):
            for folder in ("src", "include", "obj"):
                shutil.copytree(self.folder / folder, self.folder / checkout / folder)
            done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", "-Iinclude", folder=checkout)
            self.assertEqual((done.returncode, done.stderr), (0, "err\n"))
            shadow = self.folder / checkout / "obj/a.o.bankstripe"
            copies.append({p.relative_to(shadow): p.read_bytes() for p in shadow.rglob("*") if p.is_file()})
        self.assertEqual(len(copies[0]), 3)
        self.assertEqual(copies[0], copies[1])

    def test_are_kept_where_a_macro_names_what_the_header_includes(self):
        self.write("src/weigh.cuh", WEIGH.replace('"local.h"', "WHAT").replace(
            "#include", '#define WHAT "local.h"\n#include'))
        self.assertEqual(self.compile(said="bankstripe: warning: arrays in headers of 'src/a.cu' stay: 'src/weigh.cuh' "
                                           "cannot be copied: a macro names a file that it includes\n"), [])
        self.assertIn("auto last = ::bankstripe::column(last_stripes)", self.copy())

    def test_are_kept_where_a_header_is_included_by_the_command(self):
        self.write("src/a.cu", COUNT)
        self.write("src/weigh.cuh", WEIGH.replace("return table", "return LOCAL + table"))
        self.assertEqual(self.compile("-include", "src/weigh.cuh"), [])

    def test_are_not_mistaken_for_files_beside_the_copy(self):
        self.write("local.h", LOCAL)
        self.write("obj/local.h", "#error this one is another\n")
        self.write("src/a.cu", COUNT.replace("local.h", "../local.h"))
        self.compile()
        self.assertIn(f'#include "{self.folder}/src/../local.h"', self.copy())

    def test_above_the_folder_are_found_as_before(self):
        self.write("local.h", LOCAL)
        self.write("src/a.cu", COUNT.replace("local.h", "../local.h"))
        self.compile()
        self.assertIn('#include "../local.h"', self.copy())

    def test_that_a_macro_names_are_found_as_before(self):
        self.write("src/a.cu", COUNT.replace('#include "local.h"', '#define WHAT "local.h"\n#include WHAT'))
        self.compile()
        self.assertIn("#include WHAT", self.copy())
        self.assertEqual(self.calls()[-1][0], "-Xcompiler=-iquote,src")

    def test_that_a_macro_names_above_the_folder_stop_the_copy(self):
        self.write("local.h", LOCAL)
        self.write("src/a.cu", COUNT.replace('#include "local.h"', '#define WHAT "../local.h"\n#include WHAT'))
        self.compile(uncopied="a macro may name a file above its folder")
        self.assertEqual(self.calls()[-1][:2], ["-c", "src/a.cu"])

    def test_a_second_header_of_the_name_stops_the_copy(self):
        self.write("lib/deep.h", '#include "local.h"\n')
        self.write("lib/include/local.h", "#pragma once\n")
        self.write("src/a.cu", COUNT.replace('"local.h"', '"local.h"\n#include "../lib/deep.h"'))
        self.compile("-Ilib/include", uncopied="its folder has another 'local.h' than the one that 'src/../lib/deep.h' includes")
        self.assertEqual(self.calls()[-1][:2], ["-c", "src/a.cu"])


if __name__ == "__main__":
    unittest.main()
