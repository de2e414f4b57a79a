# SPDX-License-Identifier: Apache-2.0
"""Who communicated with whom: messages and bytes between ranks."""
from . import units
from .matrix import matrix


def panels(run, name):
    messages = {(s, t): n for s, t, n, _ in run.traffic}
    sizes = {(s, t): size for s, t, _, size in run.traffic}
    return [matrix(messages, run.ranks, f"{run.label}: messages between ranks", "messages",
                   units.count, "busy", f"{name}m"),
            matrix(sizes, run.ranks, f"{run.label}: bytes between ranks", "bytes",
                   units.size, "busy", f"{name}b")]


def caption(run):
    """The caption, for a run with messages."""
    messages, size = sum(t[2] for t in run.traffic), sum(t[3] for t in run.traffic)
    pairs = run.ranks * (run.ranks - 1)
    s, t, n, b = max(run.traffic, key=lambda row: row[3])
    return (f"{units.plural(messages, 'message')} with {units.size(size)} over "
            f"{units.count(len(run.traffic))} of {units.count(pairs)} pairs of ranks, Roam's own "
            f"among them; the most went from rank {s} to rank {t}: "
            f"{units.plural(n, 'message')}, {units.size(b)}.{_by_level(run)}")


def _by_level(run):
    """How much of it went how far."""
    if not run.levels:
        return ""
    size = sum(share.size for share in run.levels) or 1
    parts = (f"{units.percent(share.size / size)} went across {share.name}" for share in run.levels)
    return " Of the bytes, " + ", ".join(parts) + "."
