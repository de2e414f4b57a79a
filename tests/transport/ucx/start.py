#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program as several ranks that meet over TCP, without a launcher.

usage: start.py [--kill RANK:SECONDS | --dies RANK [--survives]] RANKS PROGRAM [ARGUMENT...]

Exits with the first status that is not 0. --kill ends one rank by a signal that many seconds after all have said
that they run; then all others must end within 5 seconds more, with a status other than 0, and one name the lost rank. --dies
waits until the rank is killed or stopped by a signal of its own, for 60 seconds at most; a rank that has
stopped is killed a little later. With --survives all others must end with status 0 then, within 60 seconds, and
one name the lost helper.
"""
import argparse
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time

import running_ranks


def free_port():
    """Below the range the system hands out by itself: a program of several jobs uses it again and again."""
    while True:
        port = random.randrange(10000, 30000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def start(ranks, command, errors, more=None):
    root = f"127.0.0.1:{free_port()}"
    processes = []
    for rank in range(ranks):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PMI")}
        environment |= {"ROAM_UCX_RANK": str(rank), "ROAM_UCX_SIZE": str(ranks), "ROAM_UCX_ROOT": root, **(more or {})}
        processes.append(subprocess.Popen(command, env=environment, stderr=errors, text=True))
    return processes


def wait_for_all(processes):
    """The first bad status; whoever is left after it is ended."""
    while processes:
        for process in list(processes):
            status = process.poll()
            if status is None:
                continue
            processes.remove(process)
            if status != 0:
                time.sleep(2)
                for other in processes:
                    other.kill()
                return status if status > 0 else 128 - status
        time.sleep(0.01)
    return 0


def kill_one(ranks, command, rank, seconds):
    with tempfile.TemporaryDirectory() as folder:
        processes = start(ranks, command, subprocess.PIPE, running_ranks.environment(folder))
        problems = []
        if running_ranks.wait_for_ranks(pathlib.Path(folder), processes):
            time.sleep(seconds)
        else:
            problems.append("not all ranks began to run")
        processes[rank].kill()
        return look_at_the_others(processes, rank, problems)


def wait_until_ended_or_stopped(process, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT | os.WNOHANG) is not None:
            return True
        time.sleep(0.01)
    return False


def see_one_die(processes, rank, survives):
    problems = []
    if wait_until_ended_or_stopped(processes[rank], 60):
        time.sleep(0.2)
    else:
        problems.append(f"rank {rank} did not die")
    processes[rank].kill()
    if processes[rank].wait() >= 0:
        problems.append(f"rank {rank} ended with status {processes[rank].returncode}, by no signal")
    return look_at_the_others(processes, rank, problems, survives)


def look_at_the_others(processes, rank, problems, survives=False):
    """0 if all others end in time and one of them says which rank was lost."""
    end = time.monotonic() + (60 if survives else 5)
    said = ""
    for other, process in enumerate(processes):
        if other == rank:
            continue
        try:
            said += process.communicate(timeout=max(0.0, end - time.monotonic()))[1]
            if survives and process.returncode != 0:
                problems.append(f"rank {other} ended with status {process.returncode}")
            if not survives and process.returncode == 0:
                problems.append(f"rank {other} ended as if nothing had happened")
        except subprocess.TimeoutExpired:
            process.kill()
            said += process.communicate()[1]
            problems.append(f"rank {other} did not end")
    if (f"helper {rank} was lost: " if survives else f"rank {rank} can no longer be reached") not in said:
        problems.append(f"nobody named rank {rank}")
    print(said + "\n".join(problems))
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kill")
    parser.add_argument("--dies", type=int)
    parser.add_argument("--survives", action="store_true")
    parser.add_argument("ranks", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.kill is not None:
        rank, seconds = arguments.kill.split(":")
        return kill_one(arguments.ranks, arguments.command, int(rank), float(seconds))
    dies = arguments.dies is not None
    processes = start(arguments.ranks, arguments.command, subprocess.PIPE if dies else None)
    return see_one_die(processes, arguments.dies, arguments.survives) if dies else wait_for_all(processes)


if __name__ == "__main__":
    sys.exit(main())
