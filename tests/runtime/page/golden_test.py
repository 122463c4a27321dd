#!/usr/bin/env python3
"""Holds the text of made-up pages against the expected one.

Usage: golden_test.py NODE PAGE_SAMPLE [--update]

Node.js runs the scripts of each page, and a strict XML parser reads what they
make. Beyond being well-formed, it may not load anything, every table needs a
caption and every heading in it a scope, ids are unique, and links within the
page lead somewhere.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
PAGES = {"identical": ["plan.json"], "differs": [], "not-verified": []}
XHTML = "{http://www.w3.org/1999/xhtml}"
LOADING = {"src", "srcset", "data", "poster", "background", "xlink:href"}


def problems(root):
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    for name in {i for i in ids if ids.count(i) > 1}:
        yield f"the id '{name}' is not unique"
    headings = [0]
    for element in root.iter():
        name = element.tag.removeprefix(XHTML)
        for key, value in element.attrib.items():
            if key in LOADING or key.startswith("on"):
                yield f"<{name}> has the attribute {key}"
            if key == "href" and (value[:1] != "#" or value[1:] not in ids):
                yield f"<{name}> leads to '{value}'"
        if name in ("link", "img", "iframe", "object", "embed", "base", "use", "script"):
            yield f"there is a <{name}>"
        if name == "table" and element.find(f"{XHTML}caption") is None:
            yield "a table has no caption"
        if name == "th" and not element.get("scope"):
            yield "a table heading has no scope"
        if name == "svg" and element.get("aria-hidden") != "true" and \
                element.find(f"{XHTML}title") is None:
            yield "a plot has no title"
        if re.fullmatch("h[1-6]", name):
            if int(name[1]) > headings[-1] + 1:
                yield f"<{name}> follows <h{headings[-1]}>"
            headings.append(int(name[1]))
    if headings.count(1) != 1:
        yield "there is not one <h1>"
    style = root.find(f"{XHTML}head/{XHTML}style")
    if re.search(r"://|url\(|@import", style.text):
        yield "the style loads something"
    style.text = ""


# Each row of a table on a line of its own.
def text_of(root):
    for element in root.iter():
        name = element.tag.removeprefix(XHTML)
        end = " | " if name in ("td", "th", "dt", "title") else \
            "\n" if name in ("dd", "caption", "h2", "br", "tr") else ""
        element.tail = end + (element.tail or "")
    text = "".join(root.find(f"{XHTML}body").itertext())
    return re.sub(r"\n\s*\n+", "\n", re.sub(r"verify [0-9.]+\n", "verify VERSION\n", text)).strip() + "\n"


def page_of(node, sample, kind, plan):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_bytes(subprocess.run([sample, kind, *(HERE / name for name in plan)],
                                        check=True, stdout=subprocess.PIPE).stdout)
        return ET.fromstring(subprocess.run([node, HERE / "render.js", page],
                                            check=True, stdout=subprocess.PIPE).stdout)


def main():
    node, sample, *update = sys.argv[1:]
    same = True
    for kind, plan in PAGES.items():
        root = page_of(node, sample, kind, plan)
        found = list(problems(root))
        path = HERE / f"{kind}.txt"
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        actual = text_of(root)
        if update:
            path.write_text(actual, encoding="utf-8")
        else:
            found += difflib.unified_diff(expected.split("\n"), actual.split("\n"), f"expected {kind}",
                                          f"actual {kind}", lineterm="")
        print("\n".join(found))
        same = same and not found
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
