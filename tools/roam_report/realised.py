# SPDX-License-Identifier: Apache-2.0
"""What decisions brought, beside what they were predicted to bring.

A policy says how long the object's work would have waited had it stayed; it gained what its work
began earlier than that, but no more than the work itself, as in predictions. A strategy's gain is
that of its phase: how much shorter the longest rank's work is in the next one than it was expected
to be had nothing moved. Of that each object has the share that it has of what was predicted.
"""
from bisect import bisect_left


def note_realised_gains(run):
    moved = [d for d in run.decisions if d.outcome == "moved"]
    starts = _starts(run, {d.object for d in moved if d.stay is not None})
    ends = [p.time for p in run.phases]
    for decision in moved:
        if decision.stay is not None:
            decision.realised = _of_object(decision, starts.get(decision.object, []))
        elif ends:
            decision.realised = _share(decision, run.phases, bisect_left(ends, decision.time))


def phase_gain(phases, index):
    """The gain of the moves at the end of that phase; None if it was the last."""
    if index + 1 >= len(phases):
        return None
    return phases[index].expected_max - phases[index + 1].max_load


def _share(decision, phases, index):
    gain = phase_gain(phases, index)
    if gain is None or not phases[index].gain:
        return None
    return gain * decision.gain / phases[index].gain


def _starts(run, objects):
    """{object: when its handlers began, in order}"""
    starts = {name: [] for name in objects}
    if run.spans is not None:
        for name, start in zip(run.spans.objects, run.spans.start.tolist()):
            if name in starts:
                starts[name].append(start)
    for times in starts.values():
        times.sort()
    return starts


def _of_object(decision, starts):
    first = bisect_left(starts, decision.time)
    if first == len(starts):
        return None
    return min(decision.stay - (starts[first] - decision.time), decision.load)
