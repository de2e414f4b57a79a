# SPDX-License-Identifier: Apache-2.0
"""Running programs, with signs of life on the way."""
import json
import os
import subprocess
import sys
import time

from . import instructions, medians
from .measurements import INSTRUCTION_COUNTS, INSTRUCTIONS

LONGEST_SECONDS = 900


class Failed(Exception):
    """A measurement could not be made; says why."""


class Runner:
    """Runs the programs of one build, as the build's bench-am.json tells."""

    def __init__(self, build, output, quick):
        self.output, self.quick = output, quick
        path = os.path.join(build, "bench-am.json")
        try:
            with open(path, encoding="utf-8") as stream:
                told = json.load(stream)
        except (OSError, ValueError) as error:
            raise Failed(f"{path}: {error}; configure with the benchmarks and MPI on") from None
        self.launcher, self.programs = told["launcher"], told["programs"]
        self.step, self.steps = 0, 0

    def program(self, name):
        path = os.path.join(self.programs, f"bench_{name}")
        if not os.path.exists(path):
            raise Failed(f"{path} has not been built")
        return path

    def _call(self, title, command):
        """Runs a command to its end. A line tells what is on, and how long it has been."""
        self.step += 1
        head = f"[{self.step}/{self.steps}] {title}"
        live = sys.stdout.isatty()
        print(f"{head} ...", end="", flush=True)
        start = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace") as process:
            while True:
                try:
                    printed, _ = process.communicate(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    seconds = time.monotonic() - start
                    if live:
                        print(f"\r{head} ... {seconds:.0f} s", end="", flush=True)
                    if seconds > LONGEST_SECONDS:
                        process.kill()
                        raise Failed(f"{' '.join(command)}: no end after {seconds:.0f} s") from None
        print(f"\r{head} ..." if live else "", f"{time.monotonic() - start:.1f} s", flush=True)
        if process.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {process.returncode}\n{printed[-2000:]}")
        return printed

    def measure(self, measurement):
        """The results of a benchmark between two processes, one pair after the other."""
        pairs = 1 if self.quick else measurement.pairs
        return medians.over_pairs([self._measure_pair(measurement, pair, pairs)
                                   for pair in range(pairs)])

    def _measure_pair(self, measurement, pair, pairs):
        path = os.path.join(self.output, f"{measurement.name}.json")
        if os.path.exists(path):
            os.remove(path)
        self._call(measurement.title + (f", pair {pair + 1} of {pairs}" if pairs > 1 else ""),
                   self.launcher + [self.program(measurement.name)]
                   + measurement.arguments(self.quick) + ["--json", path])
        try:
            with open(path, encoding="utf-8") as stream:
                return json.load(stream)
        except (OSError, ValueError) as error:
            raise Failed(f"{path}: {error}") from None

    def count_instructions(self):
        profiles = []
        program = self.program(INSTRUCTIONS)
        for count in INSTRUCTION_COUNTS:
            path = os.path.join(self.output, f"callgrind.{count}")
            try:
                self._call(f"instructions of {count} messages",
                           ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}",
                            program, str(count)])
                with open(path, encoding="utf-8", errors="replace") as stream:
                    profiles.append(instructions.read_profile(stream))
                os.remove(path)
            except OSError as error:
                raise Failed(f"{error} (on Debian: apt install valgrind)") from None
        per_message = profiles[1].minus(profiles[0], INSTRUCTION_COUNTS[1] - INSTRUCTION_COUNTS[0])
        return instructions.breakdown(per_message)
