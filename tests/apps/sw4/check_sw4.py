#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sw4.py refuses PROGRAM...: gives the programs wrong input and expects one line, exit status 2, and
nothing written.
check_sw4.py same PORT PLAIN INPUT MPIEXEC...: runs the plain program by that command and the port, and
expects the same bytes of both."""
import pathlib
import subprocess
import sys
import tempfile

GOOD = """
[solver]
end = 0.1
[grid]
spacing = 100.0
origin = [0.0, 0.0]
size = [2000.0, 2000.0, 1500.0]
layer = 300.0
[[material]]
density = 2700.0
p_speed = 6000.0
s_speed = 3464.0
[[source]]
position = [1000.0, 1000.0, 700.0]
moment = [0, 0, 0, 1e18, 0, 0]
rate = { kind = "gaussian", sigma = 0.02, center = 0.1 }
[[receiver]]
name = "near"
position = [800.0, 900.0, 0.0]
[output]
folder = "out"
sampling = 0.01
"""

WRONG = [
    ("end = 0.1", "end = nan", ":3: end must be a finite number"),
    ("end = 0.1", "end = ", ":3: "),
    ("end = 0.1", "end = 0.1\norder = 2", ":4: unknown key order"),
    ("end = 0.1", "end = 0.1\nstep_factor = 1.6", ":4: step_factor"),
    ("size = [2000.0", "size = [2050.0", "size must be a multiple of the spacing"),
    ("size = [2000.0", "size = [1e9", "size has more than 20000 points"),
    ("layer = 300.0", "layer = 900.0", "size leaves less than 12 points between layers"),
    ("[[material]]", "[[rock]]", "[[material]] is missing"),
    ("s_speed = 3464.0", "s_speed = 6000.0", "is no solid"),
    ("position = [1000.0, 1000.0, 700.0]", "position = [1000.0, 1000.0, 1400.0]", "in one of its layers"),
    ("position = [800.0, 900.0, 0.0]", "position = [800.0, 900.0, -10.0]", "outside of the grid"),
    ('folder = "out"', 'folder = "/proc/none"', "no folder"),
]


def expect_refused(done, name, words):
    assert done.returncode == 2, done
    assert done.stderr.startswith(f"{name}: ") and done.stderr.count("\n") == 1 and words in done.stderr, done
    assert done.stdout == "", done


def refuses(*programs):
    for program in map(pathlib.Path, programs):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)

            def run(*options):
                return subprocess.run([program, *options], cwd=folder, capture_output=True, text=True, timeout=50,
                                      check=False)

            expect_refused(run("none.toml"), program.name, "none.toml: cannot be read")
            assert run().returncode == 2
            # Both read by the same code; a process that starts MPI takes half a second.
            for old, new, words in WRONG if program.name == "sw4" else WRONG[:1]:
                assert old in GOOD, old
                (folder / "input.toml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
                expect_refused(run("input.toml"), program.name, words)
                assert [path.name for path in folder.iterdir()] == ["input.toml"], new


def same(port, plain, source, *mpiexec):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, command in {"plain": [*mpiexec, plain],
                              "port": [port, "--roam-ranks", "2", "--roam-workers", "1"]}.items():
            subprocess.run([*command, source, "--folder", name], cwd=folder, timeout=50, check=True)
        files = sorted(path.name for path in (folder / "plain").iterdir())
        assert files == ["deep.csv", "deep.npy", "surface.csv", "surface.npy"], files
        for name in files:
            assert (folder / "plain" / name).read_bytes() == (folder / "port" / name).read_bytes(), name


if __name__ == "__main__":
    {"refuses": refuses, "same": same}[sys.argv[1]](*sys.argv[2:])
