#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check_protocol fails when it should, with stand-ins for Spin, the compiler and what they make."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_protocol"
MODEL = """/*
 *   explore: OBJECTS=2 CALLS=3
 *   explore fully: OBJECTS=1 CALLS=4
 */
#ifdef FAULT_ONE    /* OBJECTS=1 CALLS=1 */
#ifndef FAULT_TWO   /* OBJECTS=1 CALLS=2 */
"""
CLEAN = "echo 'depth reached 9, errors: 0'; echo '1234 states, stored'"
VIOLATED = "echo 'pan:1: assertion violated (a==(b)) (at depth 7)'; echo '5 states, stored'; touch m.trail"
FINDS_FAULTS = f"case $(cat defines) in *FAULT*) {VIOLATED} ;; *) {CLEAN} ;; esac"


class CheckProtocol(unittest.TestCase):
    def run_with(self, pan, *arguments, model=MODEL):
        stand_ins = {"spin": 'echo "$*" >defines', "cc": f"cat >pan <<'END'\n#!/bin/bash\n{pan}\nEND\nchmod +x pan"}
        with tempfile.TemporaryDirectory() as folder:
            for name, body in stand_ins.items():
                path = pathlib.Path(folder, name)
                path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
                path.chmod(0o755)
            path = pathlib.Path(folder, "model.pml")
            path.write_text(model, encoding="utf-8")
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
            return subprocess.run([sys.executable, SCRIPT, *arguments, path], env=environment, text=True,
                                  capture_output=True, check=False)

    def test_everything_in_order(self):
        result = self.run_with(FINDS_FAULTS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, "^model: 2 objects, 3 calls, 1,234 states, 0 s: no violation\n"
                                        "model: deliberate faults: 2 of 2 found\n$")

    def test_full_explores_more(self):
        self.assertIn("1 objects, 4 calls, 1,234 states", self.run_with(FINDS_FAULTS, "--full").stdout)

    def test_violation(self):
        result = self.run_with(VIOLATED)
        self.assertEqual(result.returncode, 1)
        self.assertIn("assertion violated (a==(b))\n  spin -p -g -k ", result.stdout)

    def test_fault_that_goes_unnoticed(self):
        result = self.run_with(FINDS_FAULTS.replace("*FAULT*", "*FAULT_ONE*"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 of 2 found\n  not FAULT_TWO\n", result.stdout)

    def test_exploration_that_was_cut_short(self):
        for sign in ("Warning: Search not completed", "error: max search depth too small"):
            result = self.run_with(FINDS_FAULTS.replace("*) echo", f"*) echo '{sign}'; echo"))
            self.assertEqual(result.returncode, 1)
            self.assertIn("not explored to the end: OBJECTS=2 CALLS=3", result.stderr)

    def test_model_without_faults(self):
        result = self.run_with(CLEAN, model=MODEL.replace("FAULT", "OTHER"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("names no settings or no faults", result.stderr)


if __name__ == "__main__":
    unittest.main()
