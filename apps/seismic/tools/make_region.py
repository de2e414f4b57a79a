#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A region to look at, as files for seismic: mountains of random shape around a valley with sediments.

usage: make_region.py FOLDER [--seed N]

Writes FOLDER/elevations.asc (an ESRI grid), FOLDER/ground.txt (materials on a grid) and FOLDER/region.toml, a copy of
inputs/region.toml with receivers set on the surface. Nothing of it is measured; heights, slopes and speeds are those of an Alpine
valley. Needs NumPy."""
import argparse
import pathlib
import re
import sys

try:
    import numpy
except ImportError as error:
    sys.exit(f"make_region.py: {error} (on Debian: apt install python3-numpy)")

SIZE = (24_000.0, 20_000.0)  # of the region, m: x to the north, y to the east
STEP = 250.0                 # of elevations
HIGHEST = 2400.0             # above the valley
ROUGHNESS = 2.2              # amplitudes of wavelengths fall with this power: mountains have 2 to 2.5
SHORTEST = 1500.0            # wavelength, m: what polynomials of degree 4 on root cells of 2 km follow
FILL = 700.0                 # greatest thickness of the sediments, m


def coordinates():
    return tuple(numpy.arange(0.0, length + STEP / 2, STEP) for length in SIZE)


def rough_surface(shape, generator):
    """Random waves with amplitudes that fall with their wave number, folded so that crests are sharp: from 0 to 1."""
    padded = tuple(2 * length for length in shape)
    noise = numpy.fft.rfft2(generator.standard_normal(padded))
    number = numpy.hypot(*numpy.meshgrid(numpy.fft.fftfreq(padded[0], STEP), numpy.fft.rfftfreq(padded[1], STEP), indexing="ij"))
    number[0, 0] = 1.0
    lowest = 1.0 / 8_000.0
    weight = numpy.maximum(number, lowest) ** -ROUGHNESS * numpy.exp(-(number * SHORTEST) ** 4)
    weight[0, 0] = 0.0
    surface = numpy.fft.irfft2(noise * weight, s=padded)[:shape[0], :shape[1]]
    surface = 1.0 - numpy.abs(surface) / numpy.abs(surface).max()
    return (surface - surface.min()) / (surface.max() - surface.min())


def valley_part(x, y):
    """How much of the mountains stands at a place: 0 on the valley's floor, 1 away from it."""
    axis = 9_700.0 + 1_500.0 * numpy.sin(2 * numpy.pi * x / 21_000.0)
    away = numpy.clip((numpy.abs(y - axis) - 900.0) / 4_000.0, 0.0, 1.0)
    return away * away * (3.0 - 2.0 * away)


def elevations(seed):
    """[x][y], m above the sea, and the coordinates."""
    x, y = coordinates()
    part = valley_part(x[:, None], y[None, :])
    rough = rough_surface((len(x), len(y)), numpy.random.default_rng(seed))
    floor = 450.0 + 8e-3 * x[:, None]
    return x, y, floor + HIGHEST * part * (0.15 + 0.85 * rough ** 1.5)


def material(depth, fill):
    """Density, P and S speed at a depth below the surface, where `fill` m of sediments lie on top."""
    rock = 3_600.0 - 1_400.0 * numpy.exp(-depth / 1_500.0)  # weathered and cracked near the surface
    s_speed = 1_300.0 + 0.6 * depth if depth < fill else rock
    p_speed = s_speed * (1.73 if depth >= fill else 1.9)
    return 1_740.0 * (p_speed / 1000.0) ** 0.25, p_speed, s_speed  # density: Gardner and others 1974


def write_elevations(path, x, y, heights):
    rows = "\n".join(" ".join(f"{value:.2f}" for value in heights[:, k]) for k in range(len(y) - 1, -1, -1))
    path.write_text(f"ncols {len(x)}\nnrows {len(y)}\nxllcenter 0\nyllcenter 0\ncellsize {STEP:g}\n{rows}\n", encoding="ascii")


def write_ground(path, x, y, heights):
    """Every second point; in depth every 200 m where it is rough, then coarser."""
    depths = [*numpy.arange(-3_000.0, 2_001.0, 200.0), 3_000.0, 4_000.0, 6_000.0, 9_000.0, 14_000.0]
    with open(path, "w", encoding="ascii") as file:
        file.write("# x y depth density p_speed s_speed\n")
        for i in range(0, len(x), 2):
            for k in range(0, len(y), 2):
                part = float(valley_part(x[i], y[k]))
                fill = FILL * max(0.0, 1.0 - part / 0.15)
                for z in depths:
                    values = material(max(0.0, z + heights[i, k]), fill)
                    file.write(f"{x[i]:g} {y[k]:g} {z:g} " + " ".join(f"{value:.1f}" for value in values) + "\n")


def write_input(path, x, y, heights):
    """Receivers lie on the surface, wherever that is: a little below, since the mesh follows it by polynomials."""
    text = (pathlib.Path(__file__).resolve().parents[1] / "inputs" / "region.toml").read_text(encoding="utf-8")

    def on_surface(match):
        i, k = (int(round(float(word) / STEP)) for word in match.groups())
        return f"position = [{match[1]}, {match[2]}, {30.0 - heights[i, k]:.1f}]"
    text = re.sub(r"position = \[([\d.]+), ([\d.]+), 0\.0\]", on_surface, text)
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    x, y, heights = elevations(options.seed)
    write_elevations(options.folder / "elevations.asc", x, y, heights)
    write_ground(options.folder / "ground.txt", x, y, heights)
    write_input(options.folder / "region.toml", x, y, heights)
    print(f"{options.folder / 'region.toml'}: elevations from {heights.min():.0f} to {heights.max():.0f} m")


if __name__ == "__main__":
    main()
