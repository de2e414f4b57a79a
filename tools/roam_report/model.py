# SPDX-License-Identifier: Apache-2.0
"""What one trace file says, as arrays. All times are in seconds, all sizes in bytes."""
from dataclasses import dataclass, field

import numpy as np

from .flow import Flow
from .offload import Offloading
from .offload_trips import Trips

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
    objects: list  # the object that ran, or None


@dataclass
class Phase:
    """The end of a phase; loads are of a rank, its work shared by its workers."""
    number: int
    time: float  # when the next one began
    length: float
    max_load: float
    mean_load: float
    expected_max: float  # of the next if nothing moved, as load models have it
    expected_mean: float
    predicted_max: float  # of the next, after what was moved
    moved: int
    gain: float  # of the next gain_phases together
    gain_phases: int
    cost: float
    decision: float  # 0: none was made

    @property
    def imbalance(self):
        return self.max_load / self.mean_load - 1 if self.mean_load > 0 else 0.0

    @property
    def predicted(self):
        """The imbalance of the next phase."""
        return self.predicted_max / self.expected_mean - 1 if self.expected_mean > 0 else 0.0

    @property
    def expects_another(self):
        """True if load models predict that the next phase differs from this one."""
        return (self.expected_max, self.expected_mean) != (self.max_load, self.mean_load)


@dataclass
class Refused:
    """Requests for work that got none, since moves would have cost too much."""
    times: int
    gain: float  # of the move that would have gained most
    cost: float


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
    stay: float = None  # predicted wait, had it stayed
    took: float = None  # the move, measured
    realised: float = None  # gain; see realised.py


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
    refused: Refused
    decisions: list
    ended_by: str = ""  # why the job failed
    label: str = ""
    spans: Spans = None
    moves: Moves = None
    traffic: list = field(default_factory=list)  # (from, to, messages, bytes)
    levels: list = field(default_factory=list)  # of the network, with what was sent: levels.Share
    phases: list = field(default_factory=list)
    offload: Offloading = field(default_factory=Offloading)
    trips: Trips = field(default_factory=Trips)
    flow: Flow = field(default_factory=Flow)
    results: dict = field(default_factory=dict)  # the application's own figures

    @property
    def off(self):
        return self.balancer in ("", "none")

    @property
    def has_load_models(self):
        """True if the models predicted anything but that each phase will be like the last."""
        return any(p.expects_another for p in self.phases)
