# SPDX-License-Identifier: Apache-2.0
"""The traceEvents of a trace file into Spans and Moves; quick at a million events."""
import numpy as np

from .check import Field
from .model import HANDLER, MOVED, RUNTIME, Moves, Spans

_NUMBER = (int, float)


def read_events(field, run):
    """Spans and Moves of the run; either is None where the trace holds no such event."""
    if not isinstance(field.value, list):
        field.fail("expected a list")
    spans, moves = [], []
    for index, event in enumerate(field.value):
        if not isinstance(event, dict) or "ph" not in event:
            Field(field.file, f"{field.name}[{index}]", event).fail("not a trace event (no ph)")
        phase, category = event["ph"], event.get("cat")
        if phase == "X" and category in ("handler", "runtime"):
            spans.append(_span(field, index, event))
        elif phase == "i" and category == "migration":
            moves.append(_move(Field(field.file, f"{field.name}[{index}]", event), run))
    moves = _moves(moves) if moves else None
    return (_spans(spans, moves, run) if spans else None), moves


def _span(field, index, event):
    for key in ("ts", "dur", "pid", "tid"):
        value = event.get(key)
        if type(value) not in _NUMBER or not -1e300 < value < 1e300:
            _explain(Field(field.file, f"{field.name}[{index}]", event), key)
    args = event.get("args")
    moved = args.get("object") if isinstance(args, dict) else None
    return (event["pid"], event["tid"], event["ts"] * 1e-6, event["dur"] * 1e-6,
            event["cat"] == "runtime", event.get("name", ""), moved)


def _explain(event, key):
    event.get(key).real()
    event.fail(f"{key} is not usable")


def _move(event, run):
    args = event.get("args")
    ends = []
    for key in ("from", "to"):
        rank = args.get(key).count()
        if rank >= run.ranks:
            args.get(key).fail(f"rank {rank} in a run of {run.ranks}")
        ends.append(rank)
    return (event.get("ts").real() * 1e-6, ends[0], ends[1], args.get("bytes").count(),
            str(args.get("object").value))


def _moves(rows):
    time, source, target, size, objects = zip(*sorted(rows))
    return Moves(np.array(time), np.array(source), np.array(target), np.array(size, dtype=float),
                 list(objects))


def _spans(rows, moves, run):
    """The Spans of workers; events of other threads (communication) are left out."""
    lanes = {(r, w): i for i, (r, w) in enumerate(zip(run.rank.tolist(), run.worker.tolist()))}
    arrivals = set()
    if moves is not None:
        arrivals = set(zip(moves.objects, moves.target.tolist()))
    lane, start, end, kind, names, objects = [], [], [], [], [], []
    for pid, tid, ts, dur, runtime, name, object_id in rows:
        index = lanes.get((pid, tid))
        if index is None:
            continue
        lane.append(index)
        start.append(ts)
        end.append(ts + max(dur, 0.0))
        came = (object_id, pid) in arrivals and not str(object_id).startswith(f"{pid}:")
        kind.append(RUNTIME if runtime else MOVED if came else HANDLER)
        names.append(f"{name} {object_id}" if object_id else str(name))
        objects.append(object_id)
    if not lane:
        return None
    return Spans(np.array(lane), np.array(start), np.array(end), np.array(kind), names,
                 objects)
