"""What all pictures share: their colours in a light and in a dark scheme, and the frame.

A picture takes the scheme that the reader's browser prefers. It is as wide as a page of the
documents, 700 pixels, so that no text in it becomes smaller than it is drawn.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from xml.sax.saxutils import escape

WIDTH = 700

# Selector: its rules, and those that differ in the dark scheme.
STYLE = {
    "text": ('font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328', "fill: #e6edf3"),
    ".title": ("font-size: 14px; font-weight: 600",),
    ".small": ("font-size: 11px",),
    ".faint": ("fill: #59636e", "fill: #9198a1"),
    ".code": ('font-family: ui-monospace, "DejaVu Sans Mono", monospace',),
    ".line": ("stroke: #8b949e; fill: none",),
    ".one": ("stroke: #57606a", "stroke: #b1bac4"),
    ".gain": ("fill: #0969da", "fill: #58a6ff"),
    ".same": ("fill: #6e7781", "fill: #8b949e"),
    ".loss": ("fill: #cf222e", "fill: #ff7b72"),
    ".box": ("fill: #f6f8fa; stroke: #d0d7de", "fill: #151b23; stroke: #3d444d"),
}


def text(x, y, words, kind="", anchor=""):
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{kind} x="{x:g}" y="{y:g}"{anchor}>{escape(words)}</text>'


def rect(x, y, width, height, kind, radius=0):
    radius = f' rx="{radius:g}"' if radius else ""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{radius}/>'


def circle(x, y, radius, kind):
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def path(way, kind):
    return f'<path class="{kind}" d="{way}"/>'


def picture(title, height, parts, style):
    """`style` is a picture's own, as STYLE; `title` is for those who cannot see it."""
    rules = {**STYLE, **style}
    light = "".join(f"  {name} {{ {rule[0]}; }}\n" for name, rule in rules.items())
    dark = "".join(f"    {name} {{ {rule[1]}; }}\n" for name, rule in rules.items() if len(rule) > 1)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{light}  @media (prefers-color-scheme: dark) {{\n{dark}  }}\n</style>",
        *parts, "</svg>"]) + "\n"
