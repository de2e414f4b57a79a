# SPDX-License-Identifier: Apache-2.0
"""Spans of time into a picture: what share of each bin a row of workers spent in them."""
import numpy as np


def occupancy(row, start, end, rows, bins, span):
    """A rows x bins matrix of seconds; row, start, end hold one entry per span of time.

    Linear in the number of spans: every span is the difference of two ramps, and the ramp that
    starts in bin k adds (k + 1 - start) there and a whole bin to each later one.
    """
    total = np.zeros((rows, bins))
    for sign, time in ((1.0, start), (-1.0, end)):
        at = np.clip(np.asarray(time) / span * bins, 0, bins)
        k = at.astype(np.int64)
        inside = k < bins
        cell = row[inside] * bins + k[inside]
        part = np.bincount(cell, weights=k[inside] + 1 - at[inside], minlength=rows * bins)
        later = np.bincount(cell, minlength=rows * bins).reshape(rows, bins)
        whole = np.cumsum(later, axis=1) - later
        total += sign * (part.reshape(rows, bins) + whole)
    return np.maximum(total, 0) * (span / bins)


def shares(run, kinds, rows, bins, span):
    """As occupancy, for the spans of these kinds, as a share of the workers' time in the row."""
    lanes = len(run.busy)
    pick = np.isin(run.spans.kind, kinds)
    row_of = np.arange(lanes) * rows // lanes
    seconds = occupancy(row_of[run.spans.lane[pick]], run.spans.start[pick], run.spans.end[pick],
                        rows, bins, span)
    room = np.bincount(row_of, minlength=rows)[:, None] * (span / bins)
    return np.minimum(seconds / room, 1.0)
