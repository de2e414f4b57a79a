#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/compile_fail/expect_error.py fails when it should, and passes when it should."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "compile_fail" / "expect_error.py"
BAD = 'static_assert(sizeof(int) == 1, "tiny int");\n'


class ExpectError(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "program.cpp")
            source.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, source, "--", "c++", "-std=c++20"], text=True,
                                  capture_output=True, check=False)

    def assert_fails(self, message, text):
        result = self.run_on(text)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)

    def test_expected_error(self):
        self.assertEqual(self.run_on("// EXPECT: tiny int\n" + BAD).returncode, 0)

    def test_template_is_instantiated(self):
        text = ('// EXPECT: tiny char\ntemplate <class T> void f() { static_assert(sizeof(T) > 4, "tiny char"); }\n'
                "int main() { f<char>(); }\n")
        self.assertEqual(self.run_on(text).returncode, 0)

    def test_program_that_compiles(self):
        self.assert_fails("compiles, but should fail", "// EXPECT: tiny int\nint main() {}\n")

    def test_other_error(self):
        self.assert_fails("does not match: large int", "// EXPECT: large int\n" + BAD)

    def test_expected_error_comes_second(self):
        self.assert_fails("does not match", "// EXPECT: tiny int\nint f() { return unknown; }\n" + BAD)

    def test_no_expectation(self):
        self.assert_fails("needs exactly one line", BAD)


if __name__ == "__main__":
    unittest.main()
