#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The deliberate faults still fit the sources, and each is a change."""
import pathlib
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Mutants(unittest.TestCase):
    def setUp(self):
        self.mutants = tomllib.loads((ROOT / "scripts/mutants.toml").read_text(encoding="utf-8"))["mutant"]

    def test_there_are_twenty_with_names_of_their_own(self):
        names = [mutant["name"] for mutant in self.mutants]
        self.assertGreaterEqual(len(names), 20)
        self.assertEqual(len(names), len(set(names)))

    def test_each_applies_once(self):
        for mutant in self.mutants:
            text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
            for old, new in [[mutant["replace"], mutant["by"]], *mutant.get("also", [])]:
                self.assertEqual(text.count(old), 1, f"{mutant['name']}: {old!r} in {mutant['file']}")
                self.assertNotEqual(old, new)
                text = text.replace(old, new)

    def test_each_names_a_promise(self):
        for mutant in self.mutants:
            self.assertRegex(mutant["breaks"], r"^[MOBF]\d+$")


if __name__ == "__main__":
    unittest.main()
