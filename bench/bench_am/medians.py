# SPDX-License-Identifier: Apache-2.0
"""One result of several runs of a program."""
from statistics import median


def _summary(parts):
    """Of what each run tells of its repeats: medians over the runs, and the extremes."""
    merged = {key: median(part[key] for part in parts)
              for key in ("median", "quartile_1", "quartile_3")}
    return merged | {"min": min(part["min"] for part in parts),
                     "max": max(part["max"] for part in parts)}


def over_pairs(runs):
    """The result of the only run, or one of the same form with medians over the runs."""
    if len(runs) == 1:
        return runs[0]
    rows = []
    for alike in zip(*(run["rows"] for run in runs), strict=True):
        row = dict(alike[0])
        for side in ("ratio", "roam", "yardstick"):
            row[side] = _summary([part[side] for part in alike])
        rows.append(row)
    return runs[0] | {"rows": rows, "pairs": len(runs)}
