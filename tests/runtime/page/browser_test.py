#!/usr/bin/env python3
"""Opens made-up pages in headless Chromium: narrow and wide, light and dark.

Usage: browser_test.py CHROMIUM PAGE_SAMPLE

No page may say anything on the console, scroll sideways as a whole, or cut the columns of the table
of speedups up to the result (what follows scrolls into view); and dark pages are dark.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from golden_test import HERE, PAGES

WIDTHS = (420, 1280)
SCHEMES = {"dark": 0, "light": 1}  # As Blink numbers them.

# The page in a frame, since no window of Chromium is narrower than 500 pixels.
FRAME = """<meta name="color-scheme" content="light dark"><title></title>
<iframe style="border: 0; width: {}px; height: 900px" srcdoc="{}"></iframe>"""

# Runs behind the scripts of the page, and leaves what it finds in the title around it.
MEASURE = """<script>
window.addEventListener("load", () => {
  const cut = [];
  let tables = 0;
  for (const box of document.querySelectorAll(".scroll:has(> .speedup)")) {
    const column = [...box.querySelectorAll("thead th")].findIndex((head) => head.textContent === "result");
    tables += column > 0;
    for (const row of box.querySelectorAll("tr"))
      for (const cell of [...row.cells].slice(0, column + 1))
        if (cell.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
          cut.push(cell.textContent);
  }
  const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  parent.document.title = JSON.stringify({
    cut: [...new Set(cut)],
    tables,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    dark: red + green + blue < 3 * 128,
  });
});
</script>
</body>"""


def measure(chromium, page, text, width, scheme):
    page.write_text(FRAME.format(width, html.escape(text)), encoding="utf-8")
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
         "--window-size=1400,1000", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
         "--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, check=True, timeout=60)
    title = re.search("<title>(.*?)</title>", done.stdout, re.DOTALL).group(1)
    return json.loads(html.unescape(title)), re.findall(r"CONSOLE.*", done.stderr)


def problems(chromium, kind, page, text):
    for width in WIDTHS:
        for scheme in SCHEMES:
            found, console = measure(chromium, page, text, width, scheme)
            where = f"{kind}, {width} pixels, {scheme}"
            for line in console:
                yield f"{where}: {line}"
            if found["cut"]:
                yield f"{where}: cut: {', '.join(found['cut'][:5])}"
            if found["sideways"] > 0:
                yield f"{where}: the page is {found['sideways']} pixels too wide"
            if found["dark"] != (scheme == "dark"):
                yield f"{where}: the ground has the other scheme"
            if kind == "identical" and not found["tables"]:
                yield f"{where}: there is no table of speedups"


def main():
    chromium, sample = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for kind, plan in PAGES.items():
            text = subprocess.run([sample, kind, *(HERE / name for name in plan)],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout
            page = pathlib.Path(folder) / f"{kind}.html"
            for problem in problems(chromium, kind, page, text.replace("</body>", MEASURE)):
                failed = True
                print(problem)
    return failed


if __name__ == "__main__":
    sys.exit(main())
