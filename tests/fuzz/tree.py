"""The tree of a generated case: what is random is decided once, what is
printed can still be switched off.

Every part of a case that can be left out without making the rest wrong has a
switch. A case prints itself anew for any set of switches that are off, which
is how reduce.py makes a failing case small.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


import re


class Switch:
    """On unless its case has it among those that are off."""

    def __init__(self, case, name):
        self.case, self.name = case, name

    def __bool__(self):
        self.case.asked.setdefault(self.name)
        return self.name not in self.case.off


class Item:
    """A part of a function's body. It is printed when its switch is on and
    everything that it needs (arrays, variables: other items) is."""

    def __init__(self, case, lines, needs=(), fixed=False):
        self.switch = True if fixed else case.switch()
        self.lines, self.needs = lines, tuple(needs)

    def live(self):
        return all(need.live() for need in self.needs) and bool(self.switch)

    def print(self):
        return self.lines() if self.live() else []


class Body:
    """A list of items: what stands between two braces."""

    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)
        return item

    def lines(self, indent=2):
        return [" " * indent + line if line and not line.startswith("#") else line
                for item in self.items for line in item.print()]


class Helper:
    """Something at file scope, printed before the first that uses it and only
    when something does."""

    def __init__(self, case, name, lines, in_header=False):
        self.case, self.name, self.lines, self.in_header = case, name, lines, in_header

    def use(self):
        """The name, and the promise that its definition stands above."""
        if self.name not in self.case.used:
            self.case.used[self.name] = None
            text = self.lines()
            if self.case.for_host:
                text = [re.sub(r"(?<!__host__ )__device__", "__host__ __device__", line)
                        for line in text]
            (self.case.header if self.in_header else self.case.printed).append(text)
        return self.name


def indented(lines):
    return ["  " + line if line and not line.startswith("#") else line for line in lines]
