#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills one rank of a job under mpiexec: the whole job must then end, and say whom it lost.

usage: kill_rank.py RANK SECONDS LAUNCHER... RANKS PROGRAM [ARGUMENT...]

The rank is killed SECONDS after all ranks have been seen. Within 5 seconds more the launcher must end
with a status other than 0, no process of the job may be left, and a launcher that knows ranks
(Open MPI's) must have named the lost one.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

RANK = re.compile(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)\0")
START_SECONDS = 30
END_SECONDS = 5


def ranks_of(session):
    """Process of each rank started from this test: the test's own mark stands in the environment."""
    mark = f"KILL_RANK_TEST={session}\0".encode()
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # not ours, or just gone
            continue
        rank = RANK.search(environment)
        if mark in environment and rank:
            found[int(rank[1])] = int(folder.name)
    return found


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def end_all(job, session):
    """What is left of a job that went wrong."""
    for process in ranks_of(session).values():
        os.kill(process, signal.SIGKILL)
    job.kill()


def problems_after(job, session, rank):
    """What is wrong with how the job ends from now on, and what its launcher said."""
    try:
        said = job.communicate(timeout=END_SECONDS)[0]
    except subprocess.TimeoutExpired:
        left = sorted(ranks_of(session))
        end_all(job, session)
        return [f"the job did not end; ranks {left} were left"], job.communicate()[0]
    problems = []
    if job.returncode == 0:
        problems.append("the job ended as if nothing had happened")
    if not wait_until(lambda: not ranks_of(session), 1):
        problems.append(f"ranks {sorted(ranks_of(session))} outlived the job")
        end_all(job, session)
    if " noticed that process " in said:
        if not re.search(rf"process rank {rank} .*on signal 9", said):
            problems.append(f"nobody named rank {rank}")
    elif "BAD TERMINATION" not in said:
        problems.append("the launcher did not say what had happened")
    return problems, said


def main():
    rank, seconds, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    size = int(next(word for word in command if word.isdigit()))
    session = str(os.getpid())
    job = subprocess.Popen(command, env=os.environ | {"KILL_RANK_TEST": session}, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not wait_until(lambda: job.poll() is not None or len(ranks_of(session)) == size, START_SECONDS):
        end_all(job, session)
        print(job.communicate()[0] + "the job did not start")
        return 1
    time.sleep(seconds)
    victims = ranks_of(session)
    if job.poll() is not None or rank not in victims:
        end_all(job, session)
        print(job.communicate()[0] + "the job did not live until the kill")
        return 1
    start = time.monotonic()
    os.kill(victims[rank], signal.SIGKILL)
    problems, said = problems_after(job, session, rank)
    print(said + f"ended {time.monotonic() - start:.2f} s after the kill, status {job.returncode}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
