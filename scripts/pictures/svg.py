"""What all pictures share: their colours in a light and in a dark scheme, and the frame.

A picture takes the scheme that the reader's browser prefers. It is as wide as a page of the
documents, 700 pixels, so that no text in it becomes smaller than it is drawn.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from xml.sax.saxutils import escape

WIDTH = 700

STYLE = """
  text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-size: 14px; font-weight: 600; }
  .small { font-size: 11px; }
  .faint { fill: #59636e; }
  .code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
  .line { stroke: #8b949e; fill: none; }
  .one { stroke: #57606a; }
  .gain { fill: #0969da; }
  .same { fill: #6e7781; }
  .loss { fill: #cf222e; }
  .box { fill: #f6f8fa; stroke: #d0d7de; }
"""
DARK = """
    text { fill: #e6edf3; }
    .faint { fill: #9198a1; }
    .one { stroke: #b1bac4; }
    .gain { fill: #58a6ff; }
    .same { fill: #8b949e; }
    .loss { fill: #ff7b72; }
    .box { fill: #151b23; stroke: #3d444d; }
"""


def text(x, y, words, kind="", anchor=""):
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{kind} x="{x:g}" y="{y:g}"{anchor}>{escape(words)}</text>'


def rect(x, y, width, height, kind, radius=0):
    radius = f' rx="{radius:g}"' if radius else ""
    return (f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
            f'{radius}/>')


def path(way, kind):
    return f'<path class="{kind}" d="{way}"/>'


def picture(title, height, parts, style="", dark=""):
    """`style` and `dark` are a picture's own; `title` is for those who cannot see it."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}{style}  @media (prefers-color-scheme: dark) {{{DARK}{dark}  }}\n</style>",
        *parts, "</svg>"]) + "\n"
