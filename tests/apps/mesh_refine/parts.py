# SPDX-License-Identifier: Apache-2.0
"""Small input files for the tests of the program."""
import math


def ellipsoid(steps=16):
    """A closed surface: points and triangles, counter-clockwise seen from outside."""
    axes = (3.0, 1.0, 0.8)
    points = [(0.0, 0.0, axes[2])]
    for i in range(1, steps // 2):
        polar = math.pi * i / (steps // 2)
        for j in range(steps):
            around = 2 * math.pi * j / steps
            points.append((axes[0] * math.sin(polar) * math.cos(around),
                           axes[1] * math.sin(polar) * math.sin(around), axes[2] * math.cos(polar)))
    points.append((0.0, 0.0, -axes[2]))

    def at(i, j):
        return 1 + (i - 1) * steps + j % steps
    rings, last = steps // 2 - 1, len(points) - 1
    triangles = [(0, at(1, j), at(1, j + 1)) for j in range(steps)]
    for i in range(1, rings):
        for j in range(steps):
            triangles += [(at(i, j), at(i + 1, j), at(i + 1, j + 1)),
                          (at(i, j), at(i + 1, j + 1), at(i, j + 1))]
    triangles += [(last, at(rings, j + 1), at(rings, j)) for j in range(steps)]
    return points, triangles


def off(points, triangles):
    lines = ["OFF", f"{len(points)} {len(triangles)} 0"]
    lines += [" ".join(f"{x:.9g}" for x in p) for p in points]
    lines += ["3 " + " ".join(map(str, t)) for t in triangles]
    return "\n".join(lines) + "\n"


def write(kind, folder):
    """Writes the file that `kind` names into the folder (a pathlib.Path); its path."""
    points, triangles = ellipsoid()
    texts = {
        "part": off(points, triangles),
        "open": off(points, triangles[:-1]),
        "format": "solid of another kind\n\x01\x02\x03",
        "empty": "",
        "nan": off([(math.nan, 0.0, 0.0)] + points[1:], triangles),
    }
    path = folder / f"{kind}.off"
    if kind == "unknown":
        path = folder / "part.step"
        path.write_text(texts["part"], encoding="ascii")
    elif kind != "missing":
        path.write_text(texts[kind], encoding="ascii")
    return path
