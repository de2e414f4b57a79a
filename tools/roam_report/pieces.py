# SPDX-License-Identifier: Apache-2.0
"""The trace of a job that failed, of which each process has written its own ranks: RUN.json and beside
it RUN.json.rank<n>, n being the process's first rank."""
import glob
import os
import re

from .check import read_json

# A job ends on all ranks within seconds; older files belong to another job.
SECONDS_APART = 60
LISTS = ("workers", "ranks_detail", "decisions", "traffic", "phases", "offload_trips")
OF_ONE_JOB = ("program", "transport", "ranks", "workers_per_rank")


def _paths(path, ranks):
    found = []
    for piece in glob.glob(glob.escape(path) + ".rank*"):
        number = re.fullmatch(r"\.rank(\d+)", piece[len(path):])
        apart = abs(os.path.getmtime(piece) - os.path.getmtime(path))
        if number and int(number[1]) < ranks and apart < SECONDS_APART:
            found.append((int(number[1]), piece))
    return [piece for _, piece in sorted(found)]


def add_pieces(path, root):
    """Adds the other processes' traces to the one of rank 0, if that says that the job failed."""
    summary = root.get("roam")
    if not summary.has("ended_by"):
        return
    for piece_path in _paths(path, summary.get("ranks").count(low=1)):
        piece = read_json(piece_path)
        theirs = piece.get("roam")
        for name in OF_ONE_JOB:
            if theirs.get(name).value != summary.get(name).value:
                theirs.get(name).fail(f"not of the same job as {path}")
        if root.has("traceEvents") and piece.has("traceEvents"):
            root.get("traceEvents").items()
            piece.get("traceEvents").items()
            root.value["traceEvents"] += piece.value["traceEvents"]
        for name in LISTS:
            if theirs.has(name):
                theirs.get(name).items()
                summary.value.setdefault(name, []).extend(theirs.value[name])
        summary.value["makespan_seconds"] = max(summary.get("makespan_seconds").seconds(),
                                                theirs.get("makespan_seconds").seconds())


def note(run):
    """What a reader has to know about a run that failed; empty if there is nothing."""
    if not run.ended_by:
        return ""
    there = {int(rank) for rank in run.rank}
    missing = [str(rank) for rank in range(run.ranks) if rank not in there]
    text = f"This run did not come to its regular end: {run.ended_by.strip()}"
    if missing:
        shown = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        text += f" (No trace of rank{'s' if len(missing) > 1 else ''} {shown}.)"
    return text
