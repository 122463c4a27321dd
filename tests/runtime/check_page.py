#!/usr/bin/env python3
"""Reads the HTML report with a strict XML parser and says what is wrong.

Usage: check_page.py PAGE

Beyond being well-formed, a page may not load anything, every table needs a
caption and every heading in it a scope, ids are unique, and links within the
page lead somewhere. Prints the text of the page, without the style and the
script, when all is well.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
import xml.etree.ElementTree as ET

XHTML = "{http://www.w3.org/1999/xhtml}"
VOID = {"meta", "br", "line", "rect", "circle"}
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
        if name in ("link", "img", "iframe", "object", "embed", "base", "use"):
            yield f"there is a <{name}>"
        if name == "table" and element.find(f"{XHTML}caption") is None:
            yield "a table has no caption"
        if name == "th" and not element.get("scope"):
            yield "a table heading has no scope"
        if name == "svg" and element.get("aria-hidden") != "true" and \
                element.find(f"{XHTML}title") is None:
            yield "a plot has no title"
        if len(name) == 2 and name[0] == "h" and name[1].isdigit():
            if int(name[1]) > headings[-1] + 1:
                yield f"<{name}> follows <h{headings[-1]}>"
            headings.append(int(name[1]))
    if headings.count(1) != 1:
        yield "there is not one <h1>"


def main():
    with open(sys.argv[1], "rb") as file:
        text = file.read()
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        line = text.splitlines()[error.position[0] - 1][:200]
        sys.exit(f"not well-formed: {error}\n{line}")
    found = list(problems(root))
    # What an HTML parser does not take for closed by itself.
    for piece in text.split(b"/>")[:-1]:
        name = piece[piece.rfind(b"<") + 1:].split()[0].decode()
        if name not in VOID:
            found.append(f"<{name}/> is not closed for HTML")
    for style in list(root.iter(f"{XHTML}style")) + list(
            root.iter(f"{XHTML}script")):
        if "://" in style.text or "url(" in style.text or \
                "@import" in style.text:
            found.append("the style or the script loads something")
        style.text = ""
    if found:
        sys.exit("\n".join(found))
    print("".join(root.itertext()))


main()
