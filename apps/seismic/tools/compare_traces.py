#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Misfits of a seismogram against a reference, as they stand: no shift, no scaling.

usage: compare_traces.py TRACE.csv REFERENCE.csv [--azimuth DEGREES] [--low-pass HZ] [--end SECONDS]

Both files have lines `time,vx,vy,vz` with equal sampling. Prints, for the radial, transverse and vertical
component (with --azimuth, from x to y; else for x, y, z) and for all, the relative L2 misfit, and with
ObsPy the envelope and phase misfit of Kristekova, Kristek, Moczo (Geophys. J. Int. 178, 2009)."""
import argparse
import sys

import numpy


def read(path):
    values = numpy.loadtxt(path, delimiter=",", skiprows=1)
    return values[:, 0], values[:, 1:].T


def rotated(velocity, azimuth):
    if azimuth is None:
        return velocity, ("x", "y", "z")
    c, s = numpy.cos(numpy.radians(azimuth)), numpy.sin(numpy.radians(azimuth))
    return (numpy.vstack([c * velocity[0] + s * velocity[1], -s * velocity[0] + c * velocity[1], velocity[2]]),
            ("radial", "transverse", "vertical"))


def low_passed(velocity, frequency, interval):
    """By a Gaussian in the frequency domain, without a change of phase: half the amplitude at `frequency`."""
    count = 2 * velocity.shape[1]
    spectrum = numpy.fft.rfft(velocity, count)
    factor = 0.5 ** ((numpy.fft.rfftfreq(count, interval) / frequency) ** 2)
    return numpy.fft.irfft(spectrum * factor, count)[:, :velocity.shape[1]]


def misfit(found, expected):
    return float(numpy.sqrt(((found - expected) ** 2).sum() / (expected ** 2).sum()))


def envelope_and_phase(found, expected, interval):
    try:
        from obspy.signal import tf_misfit
    except ImportError:
        return ""
    options = {"dt": interval, "fmin": 0.13, "fmax": 5.0, "nf": 50}
    return (f"   envelope {tf_misfit.em(found, expected, **options):.4f}"
            f"   phase {tf_misfit.pm(found, expected, **options):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("reference")
    parser.add_argument("--azimuth", type=float)
    parser.add_argument("--low-pass", type=float)
    parser.add_argument("--end", type=float, default=float("inf"))
    options = parser.parse_args()
    time, found = read(options.trace)
    reference_time, expected = read(options.reference)
    count = min(len(time), len(reference_time))
    if numpy.abs(time[:count] - reference_time[:count]).max() > 1e-6:
        sys.exit("compare_traces.py: the two are not sampled alike")
    interval = time[1] - time[0]
    found, expected = found[:, :count], expected[:, :count]
    if options.low_pass:
        found, expected = (low_passed(v, options.low_pass, interval) for v in (found, expected))
    kept = time[:count] <= options.end
    found, names = rotated(found[:, kept], options.azimuth)
    expected, _ = rotated(expected[:, kept], options.azimuth)
    for k, name in enumerate(names):
        print(f"{name:<11} relative L2 {misfit(found[k], expected[k]):.4f}" +
              envelope_and_phase(found[k], expected[k], interval))
    print(f"{'all':<11} relative L2 {misfit(found, expected):.4f}")


if __name__ == "__main__":
    main()
