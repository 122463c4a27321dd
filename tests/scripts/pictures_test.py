#!/usr/bin/env python3
"""Tests of the scripts that draw the pictures of the documents, and that the pictures are theirs.

    pictures_test.py [BANKSTRIPE]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import shutil
import sys
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "scripts" / "pictures"))
import make  # noqa: E402

TOOL = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None


class Pictures(unittest.TestCase):
    def is_drawn(self, name):
        picture = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
        self.assertEqual(picture, make.draw(name, TOOL), f"make it anew: scripts/pictures/make.py {name}")
        self.assertLess(len(picture), 60_000)
        xml.dom.minidom.parseString(picture)

    def test_are_what_scripts_draw(self):
        for file in PICTURES.glob("*.svg"):
            if file.stem != "terminal":
                with self.subTest(file.stem):
                    self.is_drawn(file.stem)

    def test_folders_of_the_pipeline_are_there(self):
        named = re.findall('class="name code".*?>(.*?)<', make.draw("pipeline"))
        self.assertEqual(len(named), 15)
        for folder in ", ".join(named).split(", "):
            self.assertTrue(any((ROOT / half / folder).is_dir() for half in ("rewriter", "runtime")), folder)

    @unittest.skipUnless(TOOL and shutil.which("nvcc"), "needs bankstripe and nvcc")
    def test_terminal_shows_what_is_printed(self):
        self.is_drawn("terminal")


if __name__ == "__main__":
    unittest.main()
