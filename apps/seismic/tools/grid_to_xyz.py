#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A grid of elevations as GMT writes it (netCDF 3 or 4) as the lines `x y elevation` that seismic reads.

usage: grid_to_xyz.py GRID.grd OUT.xyz [--variable NAME] [--shift X Y] [--box X0 X1 Y0 Y1] [--every N]

Coordinates and elevations must be in m (those in degrees are projected by `gmt grdproject`); --shift is added to x and y, before
--box keeps what lies in it, and --every keeps each N-th point of both axes. Needs netCDF4 (on Debian: apt install
python3-netcdf4). ESRI ASCII grids, `gmt grdconvert GRID.grd OUT.asc=ef`, seismic reads as they are."""
import argparse
import sys

try:
    import netCDF4
    import numpy
except ImportError as error:
    sys.exit(f"grid_to_xyz.py: {error} (on Debian: apt install python3-netcdf4)")


def variable_of(data, name):
    if name:
        if name not in data.variables:
            raise ValueError(f"no variable {name}")
        return data.variables[name]
    surfaces = [variable for variable in data.variables.values() if variable.ndim == 2]
    if len(surfaces) != 1:
        names = ", ".join(variable.name for variable in surfaces) or "none"
        raise ValueError(f"it must have one variable of two dimensions, or --variable say which: {names}")
    return surfaces[0]


def axis_of(data, name):
    """The coordinates along a dimension, m."""
    if name not in data.variables:
        raise ValueError(f"dimension {name} has no coordinates")
    axis = data.variables[name]
    if "degree" in getattr(axis, "units", "") or name in ("lon", "lat"):
        raise ValueError(f"{name} is in degrees: project the grid first (gmt grdproject)")
    values = numpy.asarray(axis[:], dtype=float)
    return values * (1000.0 if getattr(axis, "units", "") in ("km", "kilometers") else 1.0)


def convert(options):
    with netCDF4.Dataset(options.grid) as data:
        surface = variable_of(data, options.variable)
        y, x = (axis_of(data, name) for name in surface.dimensions)  # COARDS: y comes first
        values = numpy.ma.masked_invalid(surface[:]).astype(float)
    x, y = x + options.shift[0], y + options.shift[1]
    if options.box:
        columns = (x >= options.box[0]) & (x <= options.box[1])
        rows = (y >= options.box[2]) & (y <= options.box[3])
        x, y, values = x[columns], y[rows], values[rows][:, columns]
    x, y, values = x[::options.every], y[::options.every], values[::options.every, ::options.every]
    if values.size == 0:
        raise ValueError("nothing of it lies in the box")
    if numpy.ma.is_masked(values):
        row, column = numpy.argwhere(numpy.ma.getmaskarray(values))[0]
        raise ValueError(f"no elevation at ({x[column]:g}, {y[row]:g})")
    with open(options.output, "w", encoding="ascii") as file:
        file.write("# x y elevation, m\n")
        for row, at in enumerate(y):
            file.writelines(f"{east:.10g} {at:.10g} {values[row, column]:.7g}\n" for column, east in enumerate(x))
    return values.size


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("grid")
    parser.add_argument("output")
    parser.add_argument("--variable")
    parser.add_argument("--shift", nargs=2, type=float, default=(0.0, 0.0), metavar=("X", "Y"))
    parser.add_argument("--box", nargs=4, type=float, metavar=("X0", "X1", "Y0", "Y1"))
    parser.add_argument("--every", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if options.every < 1:
        parser.error("--every must be 1 or more")
    try:
        print(f"{convert(options)} points")
    except (OSError, ValueError) as error:
        sys.exit(f"grid_to_xyz.py: {options.grid}: {error}")


if __name__ == "__main__":
    main()
