#!/usr/bin/env python3
"""Builds the site of the documents; a warning is an error.

Usage: site_test.py PROJECT_FOLDER

Exit status: 0 it is built, 1 it is not, 3 MkDocs or its theme is not here.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    root = pathlib.Path(sys.argv[1])
    program = shutil.which("mkdocs")
    if not program:
        print("skipped: there is no mkdocs")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "build", "--strict", "--config-file",
                               root / "mkdocs.yml", "--site-dir", folder], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if "theme name: 'material'" in done.stdout:
            print("skipped: there is no theme Material for mkdocs (mkdocs-material)")
            return 3
        if done.returncode:
            print(done.stdout)
            return 1
        # A folder's README is its first page.
        pages = {page.relative_to(root / "docs")
                 .with_stem("index" if page.stem == "README" else page.stem).with_suffix(".html")
                 for page in (root / "docs").rglob("*.md")}
        missing = sorted(str(page) for page in pages if not (pathlib.Path(folder) / page).exists())
    print("not built: " + ", ".join(missing) if missing else f"{len(pages)} pages")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
