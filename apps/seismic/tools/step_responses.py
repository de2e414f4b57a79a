#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LOH.1's semi-analytic seismogram at (6, 8) km out of the step responses that come with SeisSol's coseis
tools (LOH1-ProseFK-*.npy; BSD licence, not kept here), for the source of inputs/loh1.toml.

usage: step_responses.py FOLDER/LOH1-ProseFK- OUT.csv    (reads FOLDER/LOH1-ProseFK-Time.npy and -V-*.npy)

Velocities are stored for a moment that jumps from 0 to 1e18 N m, in 1e5 m/s, the vertical one upwards. They are
convolved with the Gaussian moment rate, at intervals of 1 ms between which they are linear."""
import sys

import numpy

import loh1
import traces

AZIMUTH = (0.6, 0.8)
SUBDIVISIONS = 8


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    prefix, out = sys.argv[1:]
    try:
        stored = numpy.load(prefix + "Time.npy").astype(float)
        steps = [1e5 * numpy.load(f"{prefix}V-{name}.npy").astype(float)
                 for name in ("Radial", "Transverse", "Vertical")]
    except (OSError, ValueError) as error:
        sys.exit(f"step_responses.py: {error}")
    if any(step.shape != stored.shape for step in steps) or stored.ndim != 1 or stored[-1] < loh1.END:
        sys.exit(f"step_responses.py: {prefix}*.npy are not vectors of one length that end after {loh1.END} s")
    interval = loh1.INTERVAL / SUBDIVISIONS
    fine = interval * numpy.arange(round(loh1.END / interval) + 1)
    rate = numpy.exp(-0.5 * ((fine - loh1.CENTER) / loh1.SIGMA) ** 2) / (loh1.SIGMA * numpy.sqrt(2 * numpy.pi))
    radial, transverse, up = (
        interval * numpy.convolve(numpy.interp(fine, stored, step, left=0), rate)[:len(fine):SUBDIVISIONS]
        for step in steps)
    c, s = AZIMUTH
    traces.write(out, fine[::SUBDIVISIONS], [c * radial - s * transverse, s * radial + c * transverse, -up])


if __name__ == "__main__":
    main()
