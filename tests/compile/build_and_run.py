#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles sources with a compiler of one's own choice into one program, and runs it. They are compiled
together, since most of the time goes into the headers that all of them include.

usage: build_and_run.py SOURCE... -- COMPILER [FLAG...]
"""
import os
import subprocess
import sys
import tempfile


def main():
    if "--" not in sys.argv or sys.argv[-1] == "--":
        sys.exit(__doc__)
    at = sys.argv.index("--")
    sources, compiler = sys.argv[1:at], sys.argv[at + 1:]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        together = os.path.join(folder, "together.cpp")
        with open(together, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{os.path.abspath(source)}"\n' for source in sources)
        # The source before what it is linked with.
        subprocess.run(compiler[:1] + [together] + compiler[1:] + ["-o", program], check=True)
        sys.exit(subprocess.run([program, "--gtest_brief=1"], check=False).returncode)


if __name__ == "__main__":
    main()
