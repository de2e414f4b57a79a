# SPDX-License-Identifier: Apache-2.0
"""Runs of Roam's programs, with progress; what has been run is kept, so that a study goes on where it was stopped."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from . import ROOT

_LINE = re.compile(r"^(\S.*?) {2,}(-?[\d.]+(?:e[+-]?\d+)?)\b")


class Failure(Exception):
    """A program that did not do what it should; the text says which and why."""


def program(name, build):
    path = os.path.join(build, "bin", name)
    if not os.access(path, os.X_OK):
        raise Failure(f"{path} is not there: cmake --build {os.path.relpath(build)} --target {name}")
    return path


def figures_of(output):
    """Lines of a name, two spaces or more and a number."""
    found = (_LINE.match(line) for line in output.splitlines())
    return {match.group(1).strip(): float(match.group(2)) for match in found if match}


class Runs:
    """The runs of one study. `folder` keeps their results; `total`: how many there will be, 0: that is not known."""

    def __init__(self, folder, build, total):
        self._kept = os.path.join(folder, "runs")
        os.makedirs(self._kept, exist_ok=True)
        self._build = build
        self._total = total
        self._done = 0
        self._begin = time.monotonic()

    def run(self, name, *arguments, launcher=(), with_json=False, read=figures_of, again=0):
        """The figures that the program prints, as `read` finds them, or writes to --json; `again` tells repeats apart."""
        self._done += 1
        shown = " ".join([*launcher, name, *arguments])
        place = os.path.join(self._kept, hashlib.sha256(f"{shown} {again}".encode()).hexdigest()[:16] + ".json")
        if os.path.exists(place):
            with open(place, encoding="utf-8") as file:
                return json.load(file)["figures"]
        self._tell(shown)
        begin = time.monotonic()
        figures = self._figures([*launcher, program(name, self._build), *arguments], shown, with_json, read)
        with open(place, "w", encoding="utf-8") as file:
            json.dump({"command": shown, "seconds": time.monotonic() - begin, "figures": figures}, file, indent=1)
        return figures

    def _tell(self, shown):
        spent = time.monotonic() - self._begin
        of_all = f"/{self._total}" if self._total else ""
        print(f"[{self._done}{of_all}, {spent:.0f} s] {shown}", file=sys.stderr, flush=True)

    @staticmethod
    def _figures(command, shown, with_json, read):
        with tempfile.TemporaryDirectory() as folder:
            written = os.path.join(folder, "figures.json")
            extra = ["--json", written] if with_json else []
            done = subprocess.run([*command, *extra], capture_output=True, text=True, cwd=ROOT)
            if done.returncode != 0:
                raise Failure(f"{shown}: exit status {done.returncode}\n{done.stderr.strip()}")
            if not with_json:
                return read(done.stdout)
            with open(written, encoding="utf-8") as file:
                return json.load(file)
