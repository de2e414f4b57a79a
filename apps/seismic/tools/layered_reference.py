#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LOH.1's semi-analytic seismograms at the surface for the source of inputs/loh1.toml, by pyprop8 (PyPI; GPL-3,
so it is a tool and no part of anything here): how reference/*.csv were made.

usage: layered_reference.py X Y OUT.csv [X Y OUT.csv ...]    (m; 9 s of samples, 0.008 s apart; some minutes)"""
import sys

import numpy
import pyprop8

import loh1
import traces

COUNT = round(loh1.END / loh1.INTERVAL) + 1


def source_spectrum(w):
    """The spectrum of a Gaussian moment rate, times i w, so that the results are velocities."""
    return 1j * w * numpy.exp(-0.5 * (w * loh1.SIGMA) ** 2 - 1j * w * loh1.CENTER)


def main():
    if len(sys.argv) < 4 or len(sys.argv) % 3 != 1:
        sys.exit(__doc__.split("\n\n")[1])
    x, y = (numpy.array(sys.argv[first::3], dtype=float) for first in (1, 2))
    model = pyprop8.LayeredStructureModel([(1.0, 4.0, 2.0, 2.6), (numpy.inf, 6.0, 3.464, 2.7)])
    moment = numpy.zeros((3, 3))
    moment[0, 1] = moment[1, 0] = 1.0  # 1e18 N m, with lengths in km and densities in g/cm3
    source = pyprop8.PointSource(0.0, 0.0, 2.0, moment, numpy.zeros((3, 1)), 0.0)
    receivers = pyprop8.ListOfReceivers(x / 1000, y / 1000, 0.0, geometry="cartesian")
    # The default wave numbers end too early for this source: errors of 90 %.
    time, velocities = pyprop8.compute_seismograms(model, source, receivers, COUNT, loh1.INTERVAL,
                                                   source_time_function=source_spectrum,
                                                   stencil_kwargs={"kmin": 0, "kmax": 40, "nk": 2400})
    for velocity, file in zip(1000.0 * velocities.reshape(len(x), 3, COUNT), sys.argv[3::3]):
        velocity[2] *= -1.0  # it counts upwards
        traces.write(file, time, velocity)


if __name__ == "__main__":
    main()
