#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code in README and guide is the code of the examples, which are compiled and run."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def code(path):
    """An example without its licence line."""
    return "\n".join((ROOT / path).read_text(encoding="utf-8").splitlines()[1:]).strip()


class Snippets(unittest.TestCase):
    def test_the_first_program_in_the_readme_is_the_example(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        shown = re.search(r"<!-- examples/hello.cpp -->\n```cpp\n(.*?)\n```", text, re.DOTALL)
        self.assertIsNotNone(shown)
        self.assertEqual(shown.group(1).strip(), code("examples/hello.cpp"))
        self.assertLess(len(shown.group(1).splitlines()), 40)

    def test_the_guide_shows_the_compiled_snippets(self):
        self.check_snippets("docs/guide.md", "examples/guide.cpp")

    def test_the_page_on_remote_memory_shows_the_compiled_snippets(self):
        self.check_snippets("docs/remote_memory.md", "examples/remote_memory.cpp")

    def test_the_page_on_large_arrays_shows_the_compiled_snippets(self):
        self.check_snippets("docs/large_arrays.md", "examples/large_arrays.cpp")

    def test_the_page_on_testing_shows_the_compiled_snippets(self):
        self.check_snippets("docs/testing.md", "examples/test_with_schedules.cpp")

    def test_the_page_on_tasks_shows_the_compiled_snippets(self):
        self.check_snippets("docs/flow.md", "examples/flow.cpp", 8)

    def test_the_page_on_offloading_shows_the_example(self):
        text = (ROOT / "docs/offloading.md").read_text(encoding="utf-8")
        shown = re.search(r"<!-- examples/offloading.cpp -->\n```cpp\n(.*?)\n```", text, re.DOTALL)
        self.assertIsNotNone(shown)
        self.assertEqual(shown.group(1).strip(), code("examples/offloading.cpp"))
        for name, file in (("group", "examples/offload_groups.cpp"), ("method", "examples/offload_methods.cpp"),
                           ("cost", "tests/offload/stated_costs_test.cpp"), ("strategy", "tests/plugins/libraries/library.cpp")):
            part = re.search(rf"<!-- {name} -->\n```cpp\n(.*?)\n```", text, re.DOTALL).group(1)
            lines = [line.strip() for line in code(file).splitlines()]
            begin, end = (i for i, line in enumerate(lines) if line == f"// [{name}]")
            self.assertEqual([line.strip() for line in part.splitlines()], lines[begin + 1:end])

    def test_the_page_on_balancing_shows_the_compiled_snippets(self):
        self.check_snippets("docs/balancing.md", "examples/own_strategy.cpp", 1)

    def test_the_tutorials_are_short_and_show_the_compiled_snippets(self):
        for what, snippets in (("strategy", 3), ("policy", 3), ("load_model", 3), ("scheduler", 2), ("backend", 2),
                               ("library", 1), ("options", 5)):
            page = f"docs/own_{what}.md"
            self.check_snippets(page, f"examples/own_{what}.cpp", snippets)
            lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
            self.assertLess(len(lines), 100, page)

    def test_the_tutorial_is_short_and_shows_the_compiled_snippets(self):
        pages = sorted((ROOT / "docs/tutorial").glob("*.md"))
        self.assertEqual(len(pages), 7)
        shown = 0
        for page in pages:
            self.check_snippets(page.relative_to(ROOT), "examples/tutorial.cpp", 0)
            text = page.read_text(encoding="utf-8")
            shown += text.count("```cpp")
            self.assertLess(len(text.splitlines()), 60, page)
        self.assertEqual(shown, 4)

    def check_snippets(self, page, example, least=3):
        text = (ROOT / page).read_text(encoding="utf-8")
        source = (ROOT / example).read_text(encoding="utf-8")
        shown = re.findall(r"<!-- (\w+) -->\n```cpp\n(.*?)\n```", text, re.DOTALL)
        self.assertGreaterEqual(len(shown), least)
        self.assertEqual(len(shown), text.count("```cpp"), "a snippet that nobody compiles")
        for name, snippet in shown:
            compiled = re.search(rf"// \[{name}\]\n(.*?)\n// \[{name}\]", source, re.DOTALL)
            self.assertIsNotNone(compiled, name)
            self.assertEqual(snippet.strip(), compiled.group(1).strip(), name)


if __name__ == "__main__":
    unittest.main()
