# SPDX-License-Identifier: Apache-2.0
"""Seismograms: reading, turning to the direction from the source, filtering, misfits."""
import numpy


def read(path):
    """Reads times (s), and velocities of shape 3 x samples (m/s), from lines `time,vx,vy,vz`."""
    values = numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return values[:, 0], values[:, 1:].T


def write(path, time, velocity):
    """Writes what read() reads."""
    numpy.savetxt(path, numpy.vstack([time, velocity]).T, fmt=["%.6g"] + 3 * ["%.5e"], delimiter=",",
                  header="time,vx,vy,vz", comments="")


def rotated(velocity, azimuth):
    """Radial, transverse and vertical components for an azimuth in degrees from x to y, and their names;
    with None x, y and z."""
    if azimuth is None:
        return velocity, ("x", "y", "z")
    c, s = numpy.cos(numpy.radians(azimuth)), numpy.sin(numpy.radians(azimuth))
    return (numpy.vstack([c * velocity[0] + s * velocity[1], -s * velocity[0] + c * velocity[1], velocity[2]]),
            ("radial", "transverse", "vertical"))


def low_passed(velocity, frequency, interval):
    """Filters by a Gaussian in the frequency domain, without a change of phase: half the amplitude at `frequency`."""
    count = 2 * velocity.shape[1]
    spectrum = numpy.fft.rfft(velocity, count)
    factor = 0.5 ** ((numpy.fft.rfftfreq(count, interval) / frequency) ** 2)
    return numpy.fft.irfft(spectrum * factor, count)[:, :velocity.shape[1]]


def misfit(found, expected):
    """The relative misfit in the L2 norm."""
    return float(numpy.sqrt(((found - expected) ** 2).sum() / (expected ** 2).sum()))


def envelope_and_phase(found, expected, interval):
    """The misfits of Kristekova, Kristek, Moczo (Geophys. J. Int. 178, 2009); None without ObsPy."""
    try:
        from obspy.signal import tf_misfit
    except ImportError:
        return None
    options = {"dt": interval, "fmin": 0.13, "fmax": 5.0, "nf": 50}
    return tf_misfit.em(found, expected, **options), tf_misfit.pm(found, expected, **options)


def pair(trace, reference):
    """Both files' velocities over the time that they share, and its samples' times. Raises ValueError if
    they are not sampled alike."""
    time, found = read(trace)
    reference_time, expected = read(reference)
    count = min(len(time), len(reference_time))
    if count < 2 or numpy.abs(time[:count] - reference_time[:count]).max() > 1e-6:
        raise ValueError(f"{trace} and {reference} are not sampled alike")
    return time[:count], found[:, :count], expected[:, :count]
