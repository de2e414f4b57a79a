#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public interface is what docs/api/ says, and each of its names has a description."""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import sources  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("api_reference", str(ROOT / "scripts/api_reference"))
reference = importlib.util.module_from_spec(importlib.util.spec_from_loader("api_reference", LOADER))
LOADER.exec_module(reference)

SKIPPED = 77  # by which CTest knows a test that was skipped
MADE_WITH = reference.NAMES.read_text(encoding="utf-8").split("Doxygen ", 1)[1].split()[0]

# The namespaces from which roam/balance/strategy.hpp and schedulers.hpp take names into roam::balance.
GIVEN_TO_BALANCE = ("placement", "plugin", "exec")
# The header that takes names of a room into roam itself.
GIVES_TO_ROAM = ROOT / "include" / "roam" / "am" / "reply.hpp"

SOURCE = """
    #pragma once
    /// A namespace.
    namespace roam {
    /// Counts.
    class Counter {
     public:
      Counter() = default;
      Counter(const Counter&) = delete;
      /// Adds.
      void add(int n);
      void add(double x);
      int forgotten() const;
      /// @cond
      int internal() const;
      /// @endcond
      bool operator==(const Counter&) const = default;
      int size() const;

     private:
      int secret() const;
    };
    namespace detail {
    struct Hidden {};
    }
    /// Reads --roam-ranks.
    template <class T>
    [[nodiscard]] T read();
    }
"""


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.public = reference.Public()
            cls.names, cls.problems = reference.examine(cls.public, pathlib.Path(folder))

    def test_every_public_name_has_a_description_and_doxygen_has_no_complaint(self):
        self.assertEqual(self.problems, [])
        self.assertGreater(len(self.names), 1000)

    def test_is_the_list_that_was_reviewed(self):
        self.assertEqual(reference.listing(self.names).splitlines(),
                         reference.NAMES.read_text(encoding="utf-8").splitlines(),
                         "the interface has changed: scripts/api_reference update, and a line in CHANGELOG.md")

    def test_makes_a_reference_with_a_page_for_each_class(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(reference.make_html(pathlib.Path(folder)), [])
            html = pathlib.Path(folder, "html")
            start = (html / "index.html").read_text(encoding="utf-8")
            for header in self.public.headers():
                self.assertIn(header, start)
            page = (html / "classroam_1_1am_1_1Reply.html").read_text(encoding="utf-8")
            self.assertIn("#include &lt;roam/roam.hpp&gt;", page)
            self.assertNotIn("PendingReply", page)

    def test_its_headers_are_listed_by_the_page(self):
        self.assertEqual(reference.page(self.public), reference.PAGE.read_text(encoding="utf-8"),
                         "scripts/api_reference update")

    def test_examples_name_nothing_else_in_roam(self):
        known = {name.name for name in self.names}
        known |= {name.replace(f"roam::{given}::", "roam::balance::") for name in known for given in GIVEN_TO_BALANCE}
        given = re.findall(r"^using (am::\w+);", GIVES_TO_ROAM.read_text(encoding="utf-8"), re.MULTILINE)
        known |= {name.replace("roam::am::", "roam::") for name in known for one in given if name.startswith(f"roam::{one}")}
        known |= {name.rsplit("::", 1)[0] for name in known}
        private = set()
        examples = [path for pattern in ("*.cpp", "*/*.c", "*/*.h") for path in (ROOT / "examples").glob(pattern)]
        for path in examples:
            for name in re.findall(r"\broam(?:::\w+)+", sources.without_comments(path.read_text(encoding="utf-8"))):
                if name not in known:
                    private.add(f"{path.name}: {name}")
        self.assertGreater(len(examples), 15)
        self.assertEqual(sorted(private), [])

    def test_each_header_has_a_group_and_a_sentence_and_names_what_it_offers(self):
        known = {name.name for name in self.names}
        for entry in self.public.entries:
            self.assertIn(entry["group"], self.public.groups, entry["name"])
            self.assertTrue(entry["what"].endswith("."), entry["name"])
            self.assertLessEqual(set(entry.get("names", [])), known, entry["name"])
            for shown in entry.get("shows", []):
                self.assertTrue((ROOT / "include" / shown).is_file(), shown)


class Finding(unittest.TestCase):
    """What Doxygen is made to say of a small header."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "counter.hpp")
            header.write_text(textwrap.dedent(SOURCE), encoding="utf-8")
            settings = {"INPUT": f'"{header}"', "GENERATE_XML": "YES", "GENERATE_HTML": "NO"}
            self.complaints = reference.doxygen(settings, pathlib.Path(folder))
            self.names = reference.read_names(pathlib.Path(folder, "xml"))

    def test_lists_what_is_public_and_nothing_else(self):
        self.assertEqual(self.complaints, [])
        self.assertEqual([name.line() for name in self.names],
                         ["class roam::Counter",
                          "function roam::Counter::Counter()=default",
                          "function roam::Counter::add(double x) -> void",
                          "function roam::Counter::add(int n) -> void",
                          "function roam::Counter::forgotten() const -> int",
                          "function roam::Counter::operator==(const Counter &) const =default -> bool",
                          "function roam::Counter::size() const -> int",
                          "function roam::read() -> T [class T]"])

    def test_a_name_without_words_is_a_problem_unless_the_language_gives_it_a_meaning(self):
        problems = reference.without_description(self.names)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("roam::Counter::forgotten is public and has no description", problems[0])


if __name__ == "__main__":
    if reference.version() != MADE_WITH:
        print(f"skipped: {reference.MISSING}" if reference.version() is None else
              f"skipped: docs/api/public_names.txt is of Doxygen {MADE_WITH}, this is {reference.version()}, which may "
              "write types in another way")
        sys.exit(SKIPPED)
    unittest.main()
