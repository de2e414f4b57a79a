#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that fails, is stuck, or is told to end by a signal, ends on all ranks within a second, says
so once, and leaves its trace and its recorded loads (R2).

usage: check_endings.py [--sanitized] WORLD PROGRAM [LAUNCHER...]

WORLD is threads, simulated, mpi or ucx; LAUNCHER is mpiexec with its options up to the number of ranks. A sanitizer makes all slow, and has an
idea of memory of its own.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

RANKS = 2
# What a busy machine adds to the second that the runtime promises: the start of processes' ends.
SLACK_SECONDS = 2.0
SANITIZED_SLACK_SECONDS = 10.0


class Job:
    """One run in a folder of its own; a process or, over UCX, one for each rank."""

    def __init__(self, world, program, launcher, way):
        self.world = world
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        command = [program, way, "--roam-workers", "1", f"--roam-trace={self.path}/trace.json",
                   f"--roam-lb-data={self.path}/loads", f"--roam-stuck-graph={self.path}/stuck.dot"]
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PMI", "OMPI_COMM"))}
        if world == "threads":
            self.processes = [self._start(command + ["--roam-ranks", str(RANKS)], plain)]
        elif world == "simulated":
            self.processes = [self._start(command[:2] + command[4:] + [
                f"--roam-simulate=ranks={RANKS},workers=1"], plain)]
        elif world == "mpi":
            self.processes = [self._start([*launcher, str(RANKS), *command], os.environ)]
        else:
            root = f"127.0.0.1:{random.randrange(10000, 30000)}"
            self.processes = [
                self._start(command, plain | {"ROAM_UCX_RANK": str(rank), "ROAM_UCX_SIZE": str(RANKS),
                                              "ROAM_UCX_ROOT": root}) for rank in range(RANKS)]
        self.said = [""] * len(self.processes)
        self.is_ready = threading.Event()
        self.readers = [threading.Thread(target=self._read, args=(i,), daemon=True)
                        for i in range(len(self.processes))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _start(command, environment):
        return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def _read(self, index):
        for line in self.processes[index].stdout:
            self.said[index] += line
            if "ready" in line:
                self.is_ready.set()

    def wait(self, seconds):
        """Statuses of the processes (None: did not end), and what they said."""
        end = time.monotonic() + seconds
        for process in self.processes:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
        statuses = [process.poll() for process in self.processes]
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        for reader in self.readers:
            reader.join(2)
        return statuses, "".join(self.said)


class Checker:
    def __init__(self, is_sanitized, world, program, launcher):
        self.is_sanitized = is_sanitized
        self.slack = SANITIZED_SLACK_SECONDS if is_sanitized else SLACK_SECONDS
        self.world, self.program, self.launcher = world, program, launcher
        self.problems = []

    def check(self, name, is_right, details=""):
        if not is_right:
            self.problems.append(f"{self.world}, {name}: {details}")

    def records(self, job, name, said):
        """Trace and loads of all ranks are there, whole and readable."""
        ranks = set()
        for path in [*job.path.glob("trace.json"), *job.path.glob("trace.json.rank?")]:
            root = json.loads(path.read_text())["roam"]
            ranks |= {entry["rank"] for entry in root["ranks_detail"]}
            self.check(name, root.get("ended_by"), f"{path.name} does not say why the job ended")
            self.check(name, root["workers"][0]["busy_seconds"] > 0, f"{path.name}: nobody was busy")
        self.check(name, ranks == set(range(RANKS)), f"traces of ranks {ranks} alone; said: {said}")
        self.check(name, (job.path / "trace.json").exists(), "rank 0 left no trace.json")
        for rank in range(RANKS):
            path = job.path / "loads" / f"data.{rank}.json"
            if not path.exists():
                self.check(name, False, f"no {path.name}; said: {said}")
                continue
            phases = json.loads(path.read_text())["phases"]
            self.check(name, len(phases) >= 3, f"{path.name} has {len(phases)} phases")

    def ending(self, way, number=None, statuses=(), words=(), leaves_records=True, late=0.0):
        """Runs a job that ends so, by a signal if a number is given, and looks at its end."""
        name = way if number is None else f"{way}, {signal.Signals(number).name}"
        job = Job(self.world, self.program, self.launcher, way)
        self.check(name, job.is_ready.wait(60), f"the job did not start: {''.join(job.said)}")
        start = time.monotonic()
        if number is not None:
            time.sleep(0.1)
            start = time.monotonic()
            # As a batch system or a terminal does: every process, or the launcher of all.
            for process in job.processes:
                process.send_signal(number)
        ended, said = job.wait(20)
        took = time.monotonic() - start
        self.check(name, None not in ended, f"it did not end; said: {said}")
        self.check(name, took < 1 + self.slack + late, f"it took {took:.2f} s; said: {said}")
        for status in ended:
            self.check(name, status in statuses, f"status {status}, not one of {statuses}; said: {said}")
        for word in words:
            self.check(name, said.count(word) >= 1, f"nobody said \"{word}\": {said}")
        if leaves_records:
            self.records(job, name, said)
        job.folder.cleanup()
        print(f"{self.world}, {name}: {took:.2f} s, status {ended}", flush=True)

    def all(self):
        is_mpi = self.world == "mpi"
        self.ending("error", statuses=(1,), words=["it fails on purpose"])
        self.ending("stuck", statuses=(1,), words=["stuck", "barrier"])
        for number in (signal.SIGTERM, signal.SIGINT):
            # A launcher has a status of its own.
            statuses = (128 + number,) if not is_mpi else range(-100, 256)
            words = [] if is_mpi else ["to end by " + signal.Signals(number).name]
            self.ending("endless", number, statuses, words)
        self.ending("long", signal.SIGTERM, (128 + signal.SIGTERM,) if not is_mpi else range(-100, 256))
        if not is_mpi:
            self.ending("own", signal.SIGTERM, (3,), ["the program's own handler"], leaves_records=False)
        if self.world != "simulated" and not self.is_sanitized:
            # In one process it is rank 0 that asks first: its program, for what it means to send.
            words = ["out of memory (" if self.world == "threads" else
                     "rank 1, while making progress: out of memory: "]
            self.ending("memory", statuses=range(1, 126), words=["its limit (ulimit -v)", *words], late=3)


def main():
    arguments = sys.argv[1:]
    is_sanitized = arguments[0] == "--sanitized"
    world, program, *launcher = arguments[1:] if is_sanitized else arguments
    checker = Checker(is_sanitized, world, program, launcher)
    checker.all()
    print("\n".join(checker.problems))
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
