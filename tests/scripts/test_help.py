#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every script says what it does when it is asked for help, and does nothing else."""
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Help(unittest.TestCase):
    def test_each_script_answers_help(self):
        scripts = [path for path in (ROOT / "scripts").iterdir() if os.access(path, os.X_OK) and path.is_file()]
        self.assertGreater(len(scripts), 10)
        for script in scripts:
            with self.subTest(script.name):
                # What a script would work with is not to be had.
                answer = subprocess.run([script, "--help"], text=True, capture_output=True, check=False, timeout=20,
                                        env={"PATH": "/usr/bin:/bin", "CC": "/none", "CXX": "/none", "BUILD": "/none"})
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertIn(script.name, answer.stdout)
                self.assertGreater(len(answer.stdout.split()), 10)
                self.assertEqual(answer.stderr, "")

    def test_fuzz_refuses_what_it_does_not_know(self):
        for arguments in (["abc"], ["5", "nosuch"]):
            answer = subprocess.run([ROOT / "scripts/fuzz", *arguments], text=True, capture_output=True, check=False, timeout=20)
            self.assertEqual(answer.returncode, 2)
            self.assertIn(arguments[-1], answer.stderr)


if __name__ == "__main__":
    unittest.main()
