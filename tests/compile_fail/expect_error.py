#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a bad program is refused, and that the first error a user sees is the intended one.

usage: expect_error.py SOURCE -- COMPILER [FLAG...]

SOURCE starts with comments of which one is `// EXPECT: <regular expression>`, to be found in the first
line of the compiler's output that contains `error:`. Another, `// ERRORS: 1`, says how many there are.
"""
import os
import re
import subprocess
import sys

COUNT = re.compile(r"^// ERRORS: (\d+)$", re.MULTILINE)
EXPECT = re.compile(r"^// EXPECT: (.+)$", re.MULTILINE)


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        sys.exit(__doc__)
    source, compiler = sys.argv[1], sys.argv[3:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    expected, counts = EXPECT.findall(text), COUNT.findall(text)
    if len(expected) != 1:
        sys.exit(f"{source}: needs exactly one line `// EXPECT: <regular expression>`, has {len(expected)}")

    # Plain quotes in messages, and no cache that would answer from an earlier run.
    environment = dict(os.environ, LC_ALL="C", CCACHE_DISABLE="1")
    result = subprocess.run(compiler + ["-fsyntax-only", source], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode == 0:
        sys.exit(f"{source}: compiles, but should fail with: {expected[0]}")
    errors = [line for line in result.stdout.splitlines() if "error:" in line]
    if not errors:
        sys.exit(f"{source}: the compiler failed without an error message:\n{result.stdout}")
    print(f"first of {len(errors)} errors: {errors[0]}")
    if not re.search(expected[0], errors[0]):
        sys.exit(f"{source}: the first error does not match: {expected[0]}\n\n{result.stdout}")
    if counts and len(errors) != int(counts[0]):
        sys.exit(f"{source}: {len(errors)} errors, not {counts[0]}:\n\n{result.stdout}")


if __name__ == "__main__":
    main()
