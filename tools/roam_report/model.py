# SPDX-License-Identifier: Apache-2.0
"""What one trace file says, as arrays. All times are in seconds, all sizes in bytes."""
from dataclasses import dataclass, field

import numpy as np

# The kinds of a Span, and the CSS classes they are drawn with.
HANDLER, MOVED, RUNTIME = 0, 1, 2
KIND_CLASS = ("busy", "moved", "overhead")


@dataclass
class Moves:
    """Objects that went from one rank to another."""
    time: np.ndarray
    source: np.ndarray
    target: np.ndarray
    size: np.ndarray
    objects: list


@dataclass
class Spans:
    """What workers did when: one entry per complete event of a known worker."""
    lane: np.ndarray  # index into the worker arrays of Run
    start: np.ndarray
    end: np.ndarray
    kind: np.ndarray  # HANDLER; MOVED (a handler of an object that came from elsewhere); RUNTIME
    names: list


@dataclass
class Decision:
    time: float
    policy: str
    object: str
    source: int
    target: int
    load: float
    size: float
    gain: float
    cost: float
    outcome: str
    reason: str


@dataclass
class Run:
    path: str
    program: str
    transport: str
    balancer: str
    ranks: int
    workers_per_rank: int
    simulated: bool
    makespan: float
    # One entry per worker, sorted by rank, then worker.
    rank: np.ndarray
    worker: np.ndarray
    busy: np.ndarray
    idle: np.ndarray
    overhead: np.ndarray
    handlers: np.ndarray
    # Name of a counter -> one entry per rank; "rank" is among them.
    counters: dict
    decisions: list
    label: str = ""
    spans: Spans = None
    moves: Moves = None
    results: dict = field(default_factory=dict)  # the application's own figures

    @property
    def off(self):
        return self.balancer in ("", "none")
