"""What MkDocs calls when it builds the site (mkdocs.yml), so that pages can be read in the repository as well.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import posixpath
import re


def slug(heading, _separator):
    """The place of a heading, spelled as code hosts spell it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def on_page_markdown(markdown, page, config, **_):
    """Files outside of docs/ are not part of the site: the link becomes a name, or leads to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def lead(match):
        target = posixpath.normpath(posixpath.join("docs", folder, match[2]))
        if re.match(r"[a-z]+:|#", match[2]) or target.startswith("docs/"):
            return match[0]
        if config["repo_url"]:
            return f"[{match[1]}]({config['repo_url'].rstrip('/')}/blob/main/{target})"
        return f"{match[1]} (`{target.partition('#')[0]}`)"

    return re.sub(r"(?<!!)\[([^]]*)\]\(([^)\s]+)\)", lead, markdown)
