#!/usr/bin/env python3
"""Tests of what judges the verifier: how it reads copies of memory, and what it takes for right.

Usage: wrong_rewrites_test.py

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

# pylint: disable=wrong-import-position
import wrong_rewrites  # noqa: E402

ZEROS, ONES, TWOS = (bytes([value]) * 8 for value in (0, 1, 2))
LAUNCHES = b"launches 2\n"


class Mistakes(unittest.TestCase):
    def test_all_can_be_made(self):
        helper = wrong_rewrites.whole_text(wrong_rewrites.HELPER_SOURCE)
        for replaced in wrong_rewrites.MISTAKES.values():
            for right, _ in replaced:
                self.assertTrue(right in helper, right)

    def test_what_can_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "rewritten" / "k.cu"
            source.parent.mkdir()
            for text, expected in (("int a[8] = {};\n", []),
                                   ('#include "bankstripe.cuh"\n', ["index", "stride"]),
                                   ('#include "bankstripe.cuh"\n::bankstripe::clear(a);\n',
                                    ["index", "initialiser", "stride"])):
                source.write_text(text)
                self.assertEqual([mistake for mistake in wrong_rewrites.MISTAKES
                                  if wrong_rewrites.can_be_made(pathlib.Path(folder), "k", mistake)], expected)


class Dumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def dump(self, changes, end=LAUNCHES):
        """Of a program: what each launch leaves in which allocation."""
        path = self.folder / f"{len(list(self.folder.iterdir()))}.dump"
        path.write_bytes(b"".join(
            b"launch %d allocation %d bytes %d\n" % (launch, allocation, len(memory)) + memory
            for launch, allocation, memory in changes) + end)
        return path

    def truth(self, *wrong):
        return wrong_rewrites.truth(self.dump([(0, 1, ZEROS), (1, 1, ONES)]), self.dump(*wrong))

    def test_the_same_memory_is_no_difference(self):
        self.assertEqual(self.truth([(0, 1, ZEROS), (1, 1, ONES)]), {})

    def test_the_first_launch_and_byte_that_differ_are_found(self):
        true = self.truth([(0, 1, ZEROS), (1, 1, ONES[:5] + TWOS[5:])])
        self.assertEqual(true["launch"], 1)
        self.assertEqual(true["allocations"][1], {
            "byte": 5, "element": 1, "bytes": 3, "original": 0x01010101, "rewritten": 0x02020201})

    def test_a_launch_that_changes_nothing_differs_from_one_that_does(self):
        self.assertEqual(self.truth([(0, 1, ZEROS)])["launch"], 1)

    def test_a_launch_that_fails_is_a_difference(self):
        self.assertEqual(self.truth([(0, 1, ZEROS)], b"launch 1 fails\n"),
                         {"launch": 1, "fails": True})

    def test_a_dump_that_was_cut_off_tells_nothing(self):
        for end in (b"", b"launch 1 alloc"):
            self.assertIn("problem", self.truth([(0, 1, ZEROS)], end))


class Judgements(unittest.TestCase):
    """The verifier says launch 1, allocation 1, byte 4: values 0 and 7."""

    def judge(self, *truths, **found):
        place = {"firstByte": {"offset": 4},
                 "firstElements": [{"index": 1, "original": "0", "rewritten": "7"}]}
        result = {"verdict": "differs",
                  "difference": {"kind": "contents", "launch": 1, "allocation": 1, **place,
                                 **found}}
        case = wrong_rewrites.Case("program", "index")
        case.truth, case.truths = truths[0], list(truths) + list(truths[:1])
        check = wrong_rewrites.Check.__new__(wrong_rewrites.Check)
        check.given = argparse.Namespace()
        check.dump = lambda *_: None
        check.judge(case, "all", result)
        return case.problems

    @staticmethod
    def true(launch=1, allocation=1, byte=4):
        return {"launch": launch, "allocations": {allocation: {
            "byte": byte, "element": byte // 4, "bytes": 1, "original": 0, "rewritten": 7}}}

    def test_what_is_true_is_right(self):
        self.assertEqual(self.judge(self.true()), [])

    def test_another_place_is_wrong(self):
        for true in (self.true(launch=0), self.true(allocation=2), self.true(byte=0)):
            self.assertEqual(len(self.judge(true)), 1, true)

    def test_of_a_program_that_varies_the_place_may_be_that_of_another_run(self):
        self.assertEqual(self.judge(self.true(launch=0), self.true()), [])
        self.assertEqual(len(self.judge(self.true(launch=0), self.true(launch=2))), 1)

    def test_of_a_program_that_varies_any_byte_is_right_but_none_is_wrong(self):
        truths = self.true(byte=0), self.true(byte=8)
        self.assertEqual(self.judge(*truths), [])
        self.assertEqual(len(self.judge(*truths, **{"firstByte": None})), 1)


if __name__ == "__main__":
    unittest.main()
