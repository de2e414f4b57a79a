# SPDX-License-Identifier: Apache-2.0
"""A trace file into a Run."""
import numpy as np

from . import flow, levels, offload, offload_trips
from .check import read_json
from .events import read_events
from .model import Decision, Moves, Phase, Refused, Run
from .pieces import add_pieces
from .realised import note_realised_gains

COUNTERS = ("messages_sent", "bytes_sent", "messages_received", "migrations_out", "migrations_in",
            "migrated_bytes_out", "forwarded_calls")
FORMAT = 1


def load_run(path):
    root = read_json(path)
    if not root.has("roam"):
        root.fail("missing field roam; not a trace written by --roam-trace")
    summary = root.get("roam")
    version = summary.get("format").count()
    if version != FORMAT:
        summary.get("format").fail(f"format {version}; this tool reads format {FORMAT}")
    add_pieces(path, root)
    run = _summary(path, summary)
    if root.has("traceEvents"):
        run.spans, run.moves = read_events(root.get("traceEvents"), run)
    if run.moves is None:
        run.moves = _moves_of_decisions(run.decisions)
    note_realised_gains(run)
    return run


def _summary(path, summary):
    makespan = summary.get("makespan_seconds")
    if makespan.seconds() <= 0:
        makespan.fail("must be greater than zero")
    ranks = summary.get("ranks").count(low=1)
    with_helpers = ranks + (summary.get("helpers").count() if summary.has("helpers") else 0)
    traffic = [_traffic(t, ranks) for t in _optional(summary, "traffic")]
    return Run(
        path=path,
        program=summary.get("program").text(),
        transport=summary.get("transport").text(),
        balancer=summary.get("balancer").text(),
        ranks=ranks,
        workers_per_rank=summary.get("workers_per_rank").count(low=1),
        simulated=summary.get("simulated").flag(),
        makespan=makespan.seconds(),
        ended_by=summary.get("ended_by").text() if summary.has("ended_by") else "",
        counters=_counters(summary.get("ranks_detail"), ranks),
        refused=_refused(summary.get("ranks_detail")),
        decisions=[_decision(d) for d in summary.get("decisions").items()],
        traffic=traffic,
        levels=levels.read(summary, ranks, traffic),
        phases=[_phase(p) for p in _optional(summary, "phases")],
        offload=offload.read(summary, with_helpers),
        trips=offload_trips.read(summary, with_helpers),
        flow=flow.read(summary, ranks),
        **_workers(summary.get("workers"), ranks),
    )


def _rank(entry, ranks):
    field = entry.get("rank")
    rank = field.count()
    if rank >= ranks:
        field.fail(f"rank {rank} in a run of {ranks} rank{'s' if ranks > 1 else ''}")
    return rank


def _workers(field, ranks):
    rows = sorted(
        (_rank(w, ranks), w.get("worker").count(), w.get("busy_seconds").seconds(),
         w.get("idle_seconds").seconds(), w.get("overhead_seconds").seconds(),
         w.get("handlers_run").count())
        for w in field.items())
    if not rows:
        field.fail("lists no worker")
    for a, b in zip(rows, rows[1:]):
        if a[:2] == b[:2]:
            field.fail(f"lists worker {a[1]} of rank {a[0]} twice")
    names = ("rank", "worker", "busy", "idle", "overhead", "handlers")
    return {name: np.array(column) for name, column in zip(names, zip(*rows))}


def _counters(field, ranks):
    rows = sorted((_rank(r, ranks), *(r.get(name).count() for name in COUNTERS))
                  for r in field.items())
    columns = list(zip(*rows)) or [()] * (1 + len(COUNTERS))
    return {name: np.array(column, dtype=np.int64)
            for name, column in zip(("rank",) + COUNTERS, columns)}


def _refused(field):
    """The number of requests for work that got none, and gain and cost of the best move."""
    ranks = [(r.get("refused_gain_seconds").real(), r.get("refused_cost_seconds").real(),
              r.get("refused_requests").count())
             for r in field.items() if r.has("refused_requests")]  # older versions lack it
    gain, cost, _ = max(ranks, default=(0.0, 0.0, 0))
    return Refused(sum(times for _, _, times in ranks), gain, cost)


def _decision(field):
    return Decision(
        time=field.get("time_seconds").seconds(),
        policy=field.get("policy").text(),
        object=field.get("object").text(),
        source=field.get("from").count(low=-1),
        target=field.get("to").count(low=-1),  # -1: refused before a target was chosen
        load=field.get("load_seconds").real(),
        size=field.get("bytes").count(),
        gain=field.get("gain_seconds").real(),
        cost=field.get("cost_seconds").real(),
        outcome=field.get("outcome").text(),
        reason=field.get("reason").text(),
        stay=field.get("stay_seconds").seconds() if field.has("stay_seconds") else None,
        took=field.get("move_seconds").seconds() if field.has("move_seconds") else None,
    )


def _optional(summary, name):
    """Traces of older versions lack these lists."""
    return summary.get(name).items() if summary.has(name) else []


def _traffic(field, ranks):
    places = field.items()
    if len(places) != 4:
        field.fail("expected from, to, messages, bytes")
    row = tuple(place.count() for place in places)
    for place, rank in zip(places[:2], row):
        if rank >= ranks:
            place.fail(f"rank {rank} in a run of {ranks} rank{'s' if ranks > 1 else ''}")
    return row


def _phase(field):
    # Traces of older versions lack the predictions of load models.
    form = "expected_{}_seconds" if field.has("expected_max_seconds") else "{}_load_seconds"
    return Phase(
        number=field.get("phase").count(),
        time=field.get("time_seconds").seconds(),
        length=field.get("seconds").seconds(),
        max_load=field.get("max_load_seconds").seconds(),
        mean_load=field.get("mean_load_seconds").seconds(),
        expected_max=field.get(form.format("max")).seconds(),
        expected_mean=field.get(form.format("mean")).seconds(),
        predicted_max=field.get("predicted_max_seconds").seconds(),
        moved=field.get("moved_objects").count(),
        gain=field.get("gain_seconds").real(),
        gain_phases=field.get("gain_phases").count() if field.has("gain_phases") else 1,
        cost=field.get("cost_seconds").real(),
        decision=field.get("decision_seconds").seconds(),
    )


def _moves_of_decisions(decisions):
    moved = [d for d in decisions if d.outcome == "moved" and d.source >= 0 and d.target >= 0]
    return Moves(
        time=np.array([d.time for d in moved]),
        source=np.array([d.source for d in moved], dtype=np.int64),
        target=np.array([d.target for d in moved], dtype=np.int64),
        size=np.array([d.size for d in moved], dtype=float),
        objects=[d.object for d in moved],
    )
