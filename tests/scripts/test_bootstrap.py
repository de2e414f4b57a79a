#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bootstrap, with stand-ins for the programs it calls."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bootstrap"
ALL_THERE = 'shift 2; for p; do echo "installed $p"; done'
ONE_MISSING = 'shift 2; for p; do [ "$p" = ninja-build ] || echo "installed $p"; done; exit 1'
LOG_CALL = 'echo "$(basename "$0") $*" >>"$LOG"; '


class Bootstrap(unittest.TestCase):
    def run_with(self, user=0, **programs):
        """The finished process, and the lines of what it called."""
        stand_ins = {"id": f"echo {user}", "sudo": "exit 1", "apt-get": LOG_CALL} | programs
        with tempfile.TemporaryDirectory() as folder:
            for name, body in stand_ins.items():
                path = pathlib.Path(folder, name.replace("_", "-"))
                path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
                path.chmod(0o755)
            log = pathlib.Path(folder, "log")
            log.touch()
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", LOG=str(log))
            result = subprocess.run([SCRIPT], env=environment, text=True, capture_output=True, check=False)
            return result, log.read_text(encoding="utf-8").splitlines()

    def test_nothing_missing(self):
        result, calls = self.run_with(dpkg_query=ALL_THERE)
        self.assertEqual((result.returncode, result.stdout, result.stderr, calls), (0, "", "", []))

    def test_root_installs_what_is_missing_and_nothing_else(self):
        result, calls = self.run_with(dpkg_query=ONE_MISSING)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(calls), 1, calls)
        self.assertTrue(calls[0].startswith("apt-get install --yes"), calls)
        self.assertTrue(calls[0].endswith(" ninja-build"), calls)

    def test_lists_are_refreshed_when_the_package_is_not_found(self):
        fails_once = LOG_CALL + '[ "$(wc -l <"$LOG")" -gt 1 ]'
        result, calls = self.run_with(**{"dpkg_query": ONE_MISSING, "apt-get": fails_once})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([call.split()[1] for call in calls], ["install", "update", "install"])

    def test_failure_is_reported(self):
        result, _ = self.run_with(**{"dpkg_query": ONE_MISSING, "apt-get": "echo no network >&2; exit 100"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("no network", result.stderr)
        self.assertIn("could not install ninja-build", result.stderr)

    def test_without_root_the_command_is_printed(self):
        result, calls = self.run_with(user=1000, dpkg_query=ONE_MISSING)
        self.assertEqual((result.returncode, calls), (1, []))
        self.assertIn("apt-get install --no-install-recommends ninja-build", result.stderr)

    def test_sudo_is_used_when_it_asks_nothing(self):
        result, calls = self.run_with(user=1000, dpkg_query=ONE_MISSING, sudo='shift; exec "$@"')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(calls), 1, calls)


if __name__ == "__main__":
    unittest.main()
