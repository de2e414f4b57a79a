#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seismograms of a run of seismic as MiniSEED or SAC, by ObsPy (PyPI).

usage: to_miniseed.py FOLDER [--format MSEED|SAC] [--network XX]

Writes beside each NAME.csv of FOLDER's run NAME.mseed with three channels, or NAME.X.sac, .Y and .Z: velocity in
m/s, from time 0 on (1970-01-01). Channels are called after the axes; z counts downwards, as in the run."""
import argparse
import json
import pathlib
import sys

try:
    import numpy
    from obspy import Stream, Trace
except ImportError as error:
    sys.exit(f"to_miniseed.py: {error} (pip install obspy)")

import traces


def stream_of(path, network):
    time, velocity = traces.read(path)
    station = "".join(c for c in path.stem.upper() if c.isalnum())[:5]
    interval = (time[-1] - time[0]) / (len(time) - 1)
    return Stream([Trace(numpy.ascontiguousarray(velocity[k]),
                         {"network": network, "station": station, "channel": f"BX{axis}", "delta": interval})
                   for k, axis in enumerate("XYZ")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--format", choices=("MSEED", "SAC"), default="MSEED")
    parser.add_argument("--network", default="XX")
    options = parser.parse_args()
    try:
        receivers = json.loads((options.folder / "run.json").read_text(encoding="utf-8"))["receivers"]
        for name in (receiver["name"] for receiver in receivers):
            stream = stream_of(options.folder / f"{name}.csv", options.network)
            if options.format == "MSEED":
                stream.write(str(options.folder / f"{name}.mseed"), format="MSEED", encoding="FLOAT64")
                continue
            for trace in stream:
                trace.data = trace.data.astype(numpy.float32)  # all that SAC has
                trace.write(str(options.folder / f"{name}.{trace.stats.channel[-1]}.sac"), format="SAC")
    except (OSError, ValueError) as error:
        sys.exit(f"to_miniseed.py: {error}")


if __name__ == "__main__":
    main()
