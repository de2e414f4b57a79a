#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_program.py PROGRAM runs|balances|refuses: runs the program on a small input and looks at what it wrote, or
at what balancing took the loads for, or gives it wrong input and expects one line, exit status 2, and nothing written."""
import importlib.util
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "apps/seismic/tools"

GOOD = """
[solver]
order = 3
end = 0.3
[mesh]
cell = 500.0
cells = [4, 4, 4]
refinement = 2
refine = [{ lower = [0, 0, 0], upper = [2000, 2000, 500] }]
[boundaries]
x_lower = "antisymmetric"
x_upper = "absorbing"
y_lower = "antisymmetric"
y_upper = "absorbing"
z_lower = "free"
z_upper = "absorbing"
damping = 500.0
[[material]]
density = 2700.0
p_speed = 6000.0
s_speed = 3464.0
[[source]]
position = [0.0, 0.0, 700.0]
moment = [0, 0, 0, 1e18, 0, 0]
rate = { kind = "gaussian", sigma = 0.02, center = 0.1 }
[[receiver]]
name = "near"
position = [300.0, 400.0, 0.0]
[output]
folder = "out"
sampling = 0.01
frames = 0.1
pixel = 250.0
snapshots = 0.15
"""

WRONG = [
    ("order = 3", "order = 12", ":3: order"),
    ("[[material]]", "[[rock]]", "[[material]] is missing"),
    ("position = [0.0, 0.0, 700.0]", "position = [0.0, 0.0, 7000.0]", "outside"),
    ("position = [300.0, 400.0, 0.0]", "position = [300.0, 400.0, -10.0]", "outside"),
    ("end = 0.3", "end = nan", ":4: end must be a finite number"),
    ("end = 0.3", "end = ", ":4: "),
    ('folder = "out"', 'folder = "/proc/none"', "no folder"),
]


def run(program, folder, text, *options):
    path = folder / "input.toml"
    path.write_text(text, encoding="utf-8")
    return subprocess.run([program, str(path), *options], cwd=folder, capture_output=True, text=True, timeout=50)


def runs(program, folder):
    done = run(program, folder, GOOD, "--roam-ranks", "2", "--roam-workers", "1", "--report-steps", "20")
    assert done.returncode == 0 and done.stderr == "", done
    assert "cells             176" in done.stdout, done.stdout
    lines = (folder / "out" / "near.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "time,vx,vy,vz" and len(lines) == 32, lines
    rows = [tuple(map(float, line.split(","))) for line in lines[1:]]
    assert abs(rows[-1][0] - 0.3) < 1e-9 and 0.01 < max(abs(row[1]) for row in rows) < 1000.0, rows
    data = (folder / "out" / "near.npy").read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + size) % 64 == 0 and b"(31, 4)" in data[:10 + size]
    values = struct.unpack("<124d", data[10 + size:])
    assert [tuple(values[k:k + 4])[1:] for k in range(0, 124, 4)] == [row[1:] for row in rows]
    check_pictures(folder / "out")
    check_page(folder / "out")
    check_region(program, folder)
    check_elevations(folder)
    check_step_responses(folder)
    check_grids(folder)


def balances(program, folder):
    """The work that waits for a piece is known: `auto` takes none for more than the longest step of a piece."""
    done = run(program, folder, GOOD, "--roam-simulate", "ranks=4,workers=1", "--roam-balancer", "auto", "--roam-offload", "none",
               "--partition", "roots", "--pieces", "32", "--phase-steps", "5", "--roam-trace", "trace.json")
    assert done.returncode == 0, done
    trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    longest = max(event["dur"] for event in trace["traceEvents"] if "go_on" in event["name"]) * 1e-6
    loads = [one["load_seconds"] for one in trace["roam"]["decisions"] if one["reason"].startswith("auto: work left")]
    assert loads and max(loads) < 1.5 * longest, (longest, loads)
    # Phases may be as long as the run: the first ones are short, so that pieces move early.
    done = run(program, folder, GOOD, "--roam-simulate", "ranks=4,workers=1", "--roam-balancer", "refine", "--roam-offload", "none",
               "--partition", "roots", "--pieces", "32", "--phase-steps", "1000", "--roam-trace", "trace.json")
    assert done.returncode == 0, done
    phases = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["roam"]["phases"]
    moving = [one for one in phases if one["moved_objects"] > 0]
    assert moving and moving[0]["time_seconds"] < 0.5 * phases[-1]["time_seconds"], phases


def has_modules(*names):
    return all(importlib.util.find_spec(name) is not None for name in names)


def tool(name, *arguments):
    done = subprocess.run([sys.executable, TOOLS / name, *arguments], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done


def check_region(program, folder):
    """Where NumPy is: the program takes what the tool makes: elevations, materials, receivers on the surface."""
    if not has_modules("numpy"):
        print("no NumPy: no region is made")
        return
    region = folder / "region"
    tool("make_region.py", region)
    text = (region / "region.toml").read_text(encoding="utf-8")
    assert "end = 8.0" in text and "sampling = 0.02" in text
    text = text.replace("end = 8.0", "end = 0.004").replace("sampling = 0.02", "sampling = 0.004")
    (region / "region.toml").write_text(text, encoding="utf-8")
    done = subprocess.run([program, region / "region.toml", "--order", "1", "--sequential", "--folder", region / "waves"],
                          capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0 and "cells             1176\n" in done.stdout, done
    assert (region / "waves" / "valley.csv").stat().st_size > 0


def check_grids(folder):
    """Where netCDF4 is: elevations as GMT writes them come out as lines, thinned and shifted; degrees are refused."""
    if not has_modules("netCDF4"):
        print("no netCDF4: no grid of GMT's is converted")
        return
    import netCDF4
    for kind, names in (("NETCDF4", ("x", "y")), ("NETCDF3_CLASSIC", ("x", "y")), ("NETCDF4", ("lon", "lat"))):
        grid, lines = folder / "some.grd", folder / "some.xyz"
        with netCDF4.Dataset(grid, "w", format=kind) as data:
            for name, values in zip(names, ([0.0, 10.0, 20.0], [5.0, 15.0])):
                data.createDimension(name, len(values))
                data.createVariable(name, "f8", (name,))[:] = values
            data.createVariable("z", "f4", names[::-1])[:] = [[1, 2, 3], [4, 5, 6]]
        if names[0] == "x":
            tool("grid_to_xyz.py", grid, lines, "--shift", "100", "0", "--every", "2")
            assert lines.read_text(encoding="ascii").splitlines()[1:] == ["100 5 1", "120 5 3"]
            continue
        try:
            tool("grid_to_xyz.py", grid, lines)
        except AssertionError as error:
            assert "in degrees" in str(error), error
        else:
            raise AssertionError("degrees were taken for metres")


def check_elevations(folder):
    """Where NumPy is: both forms of a file are the same elevations for the page; half of a grid is refused."""
    if not has_modules("numpy"):
        print("no NumPy: no elevations are read")
        return
    sys.path.insert(0, str(TOOLS))
    import elevations
    grid, lines = folder / "some.asc", folder / "some.xyz"
    grid.write_text("ncols 3\nnrows 2\nxllcenter 10\nyllcorner 0\ndx 10\ndy 20\n4 5 6\n1 2 3\n", encoding="ascii")
    points = ["30 30 6", "10 10 1", "20 10 2", "30 10 3", "10 30 4", "20 30 5"]
    lines.write_text("# x y z\n" + "\n".join(points), encoding="ascii")
    expected = [[10, 20, 30], [10, 30], [[1, 2, 3], [4, 5, 6]]]
    for file in (grid, lines):
        assert [part.tolist() for part in elevations.read(file)] == expected, file
    lines.write_text("\n".join(points[1:]), encoding="ascii")
    try:
        elevations.read(lines)
    except ValueError as error:
        assert "5 points at 3 x and 2 y" in str(error), error
    else:
        raise AssertionError("half of a grid was taken")


def check_step_responses(folder):
    """Where NumPy is: a response that jumps to its last value at once comes out as the source's integral."""
    if not has_modules("numpy"):
        print("no NumPy: no step responses are convolved")
        return
    import numpy
    for name, value in (("Time", numpy.arange(1200) * 0.008), ("V-Radial", 1), ("V-Transverse", 2), ("V-Vertical", 3)):
        numpy.save(folder / f"jump-{name}.npy", value if name == "Time" else numpy.full(1200, value * 1e-5))
    tool("step_responses.py", folder / "jump-", folder / "jump.csv")
    trace = numpy.loadtxt(folder / "jump.csv", delimiter=",", skiprows=1)
    assert trace.shape == (1126, 4) and abs(trace[45, 0] - 0.36) < 1e-9, trace.shape
    assert abs(trace[0, 1:]).max() < 1e-5 and abs(trace[45, 1:] * 2 / trace[-1, 1:] - 1).max() < 0.02, trace[45]
    assert abs(trace[-1, 1:] - [-1, 2, -3]).max() < 1e-3, trace[-1]


def check_pictures(out):
    """Of the surface: 4 frames of 8 x 8 pixels. Of the mesh: 3 snapshots of 176 cells, 8 hexahedra each."""
    data = (out / "surface.npy").read_bytes()
    size = 10 + struct.unpack("<H", data[8:10])[0]
    assert b"'<f4'" in data[:size] and b"(4, 8, 8, 3)" in data[:size], data[:size]
    values = struct.unpack("<768f", data[size:])
    assert not any(values[:192]) and 0.01 < max(map(abs, values[576:])) < 1000.0
    series = (out / "waves.pvd").read_text(encoding="utf-8")
    assert series.count("<DataSet") == 3 and 'timestep="0.15" file="waves_00015.vtu"' in series, series
    bytes_ = (out / "waves_00030.vtu").read_bytes()
    head, raw = bytes_.split(b'encoding="raw">\n_')
    assert b'NumberOfPoints="4752" NumberOfCells="1408"' in head, head
    assert struct.unpack("<Q", raw[:8])[0] == 4752 * 3 * 4  # velocity comes first
    largest = max(map(abs, struct.unpack("<14256f", raw[8:8 + 14256 * 4])))
    assert 0.01 < largest < 1000.0, largest
    rows = (out / "mesh.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "x,y,z,size,level,piece,rank" and len(rows) == 177, rows[:2]
    assert {row.split(",")[6] for row in rows[1:]} == {"0", "1"}
    steps = (out / "steps.csv").read_text(encoding="utf-8").splitlines()
    assert len(steps) > 2 and len(steps) % 2 == 1, steps
    # Root cells in the order of the curve: the 16 of the upper layer have been divided.
    meshes = (out / "meshes.csv").read_text(encoding="utf-8").splitlines()
    cells = list(map(int, meshes[1].split(",")))
    assert len(meshes) == 2 and cells[0] == 0 and sorted(cells[1:]) == 48 * [1] + 16 * [8], meshes


def check_page(out):
    """Where matplotlib is: the page of a run beside itself has no misfit."""
    if not has_modules("matplotlib", "numpy"):
        print("no matplotlib: the page is not looked at")
        return
    hills = out / "hills.asc"
    hills.write_text("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1000\n0 10\n10 20\n", encoding="ascii")
    tool("waves_page.py", out, "--reference", f"near={out / 'near.csv'}", "--contours", hills)
    page = (out / "page.html").read_text(encoding="utf-8")
    for words in ("<td>near<td>radial<td>0.0000", "Motion of the surface", "176 cells of 500 m, 250 m", "<h2>Steps"):
        assert words in page, words
    assert all((out / name).stat().st_size > 10_000 for name in ("film.png", "mesh.png"))


def refuses(program, folder):
    for old, new, words in WRONG:
        assert old in GOOD, old
        text = GOOD.replace(old, new, 1)
        done = run(program, folder, text)
        line = done.stderr
        assert done.returncode == 2, (new, done)
        assert line.startswith("seismic: ") and line.count("\n") == 1 and words in line, (new, line)
        assert done.stdout == "" and [p.name for p in folder.iterdir()] == ["input.toml"], new
    done = subprocess.run([program, "none.toml"], cwd=folder, capture_output=True, text=True, timeout=50)
    assert done.returncode == 2 and done.stderr == "seismic: none.toml: cannot be read\n", done
    done = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=50)
    assert done.returncode == 2, done


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        {"runs": runs, "balances": balances, "refuses": refuses}[sys.argv[2]](sys.argv[1], pathlib.Path(temporary))
