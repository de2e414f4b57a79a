#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Misfits of a seismogram against a reference, as they stand: no shift, no scaling.

usage: compare_traces.py TRACE.csv REFERENCE.csv [--azimuth DEGREES] [--low-pass HZ] [--end SECONDS]

Both files have lines `time,vx,vy,vz` with equal sampling. Prints, for the radial, transverse and vertical
component (with --azimuth, from x to y; else for x, y, z) and for all, the relative L2 misfit, and with
ObsPy the envelope and phase misfit of Kristekova, Kristek, Moczo (Geophys. J. Int. 178, 2009)."""
import argparse
import sys

import traces


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("reference")
    parser.add_argument("--azimuth", type=float)
    parser.add_argument("--low-pass", type=float)
    parser.add_argument("--end", type=float, default=float("inf"))
    options = parser.parse_args()
    try:
        time, found, expected = traces.pair(options.trace, options.reference)
    except ValueError as error:
        sys.exit(f"compare_traces.py: {error}")
    interval = time[1] - time[0]
    if options.low_pass:
        found, expected = (traces.low_passed(v, options.low_pass, interval) for v in (found, expected))
    kept = time <= options.end
    found, names = traces.rotated(found[:, kept], options.azimuth)
    expected, _ = traces.rotated(expected[:, kept], options.azimuth)
    for k, name in enumerate(names):
        if abs(expected[k]).max() < 1e-6 * abs(expected).max():
            print(f"{name:<11} nothing in the reference; at most {abs(found[k]).max() / abs(expected).max():.1e} of its largest value here")
            continue
        more = traces.envelope_and_phase(found[k], expected[k], interval)
        print(f"{name:<11} relative L2 {traces.misfit(found[k], expected[k]):.4f}" +
              (f"   envelope {more[0]:.4f}   phase {more[1]:.4f}" if more else ""))
    print(f"{'all':<11} relative L2 {traces.misfit(found, expected):.4f}")


if __name__ == "__main__":
    main()
