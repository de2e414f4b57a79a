#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links between the pages of the documentation lead somewhere, and pages that name a promise (A3) link to it."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(page for pattern in ("*.md", "docs/**/*.md", "src/*/README.md", "apps/*/README.md", "studies/README.md")
               for page in ROOT.glob(pattern))
PROMISES = ROOT / "docs/promises.md"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PROMISE = re.compile(r"(?<![\w#-])([ABMR]\d{1,2})\b")


def text_of(page):
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors_of(page):
    """What a link may name behind #: headings as GitHub writes them, and ids."""
    text = text_of(page)
    anchors = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        anchors.add(words.replace(" ", "-"))
    return anchors


class Links(unittest.TestCase):
    def test_lead_to_files_and_headings_that_exist(self):
        wrong = []
        for page in PAGES:
            for target in LINK.findall(re.sub(r"`[^`\n]*`", "code", text_of(page))):
                if "://" in target or target.startswith("mailto:"):
                    continue
                path, _, anchor = target.partition("#")
                there = (page.parent / path).resolve() if path else page
                if not there.exists():
                    wrong.append(f"{page.relative_to(ROOT)}: {target}")
                elif anchor and there.suffix == ".md" and anchor not in anchors_of(there):
                    wrong.append(f"{page.relative_to(ROOT)}: {target}: no such heading")
        self.assertEqual(wrong, [])

    def test_pages_that_name_a_promise_link_to_it(self):
        wrong = []
        for page in ROOT.glob("docs/**/*.md"):
            if page == PROMISES:
                continue
            text = text_of(page)
            lists_them = "](promises.md)" in text  # a page with tables of them
            for name in sorted(set(PROMISE.findall(text))):
                if not lists_them and f"promises.md#{name.lower()})" not in text:
                    wrong.append(f"{page.relative_to(ROOT)}: {name}")
        self.assertEqual(wrong, [])


class Promises(unittest.TestCase):
    def test_that_tests_name_are_explained(self):
        anchors = anchors_of(PROMISES)
        named = set()
        for test in ROOT.glob("tests/**/*_test.cpp"):
            for name in re.findall(r"^TEST\w*\(\w+,\s*((?:[ABMR]\d{1,2}_?)+)", test.read_text(encoding="utf-8"), re.MULTILINE):
                named.update(re.findall(r"[ABMR]\d{1,2}", name))
        self.assertGreater(len(named), 15)
        self.assertEqual(sorted(name for name in named if name.lower() not in anchors), [])


if __name__ == "__main__":
    unittest.main()
