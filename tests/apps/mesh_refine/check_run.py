#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs mesh_refine on a small part, in an empty directory, and checks what it does.

    check_run.py --checksum FILE [--write] [--expect PATTERN] COMMAND...
                                            the mesh is the one whose checksum is in FILE
    check_run.py --refused KIND COMMAND...  the broken input is refused, in one line
    check_run.py --interrupted SIGNAL COMMAND...
                                            a signal while TetGen runs leaves no process and no file behind

INPUT among the command's words stands for the input file.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import parts  # noqa: E402


def run(kind, command):
    """The finished process; nothing may be left in the directory it ran in."""
    with tempfile.TemporaryDirectory() as folder:
        path = parts.write(kind, pathlib.Path(folder))
        here = pathlib.Path(folder, "here")
        here.mkdir()
        words = [str(path) if word == "INPUT" else word for word in command]
        result = subprocess.run(words, cwd=here, text=True, capture_output=True, check=False)
        left = os.listdir(here)
    sys.stdout.write(result.stdout)
    sys.stderr.write(result.stderr)
    if left:
        sys.exit(f"left in the working directory: {', '.join(left)}")
    return result


def check_mesh(options):
    result = run("part", options.command)
    if result.returncode == 77:  # a launcher that cannot do here what it takes
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"exit status {result.returncode}")
    found = re.findall(r"^checksum +([0-9a-f]{16})$", result.stdout, re.MULTILINE)
    if len(found) != 1:
        sys.exit("expected one line with the checksum")
    if options.expect and not re.search(options.expect, result.stdout, re.MULTILINE):
        sys.exit(f"expected a line like '{options.expect}'")
    reference = pathlib.Path(options.checksum)
    if options.write:
        reference.write_text(found[0], encoding="ascii")
    elif found[0] != reference.read_text(encoding="ascii"):
        sys.exit(f"checksum {found[0]} instead of {reference.read_text(encoding='ascii')}")


def check_refused(options):
    result = run(options.refused, options.command)
    if result.returncode != 2:
        sys.exit(f"exit status {result.returncode} instead of 2")
    # A launcher may add words of its own.
    lines = [line for line in result.stderr.splitlines() if "mesh_refine: " in line]
    if len(lines) != 1 or "checksum" in result.stdout:
        sys.exit("expected one line that says what is wrong")
    if "found " not in lines[0] or "expected " not in lines[0]:
        sys.exit("the line does not say what was found and what was expected")
    is_alone = options.command[0].endswith("mesh_refine")
    if is_alone and (result.stdout or len(result.stderr.splitlines()) != 1):
        sys.exit("more is printed than that line")


def is_alive(process):
    """Whether a process runs, not only waits to be asked for its exit status."""
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition, what):
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited in vain until {what}")
        time.sleep(0.01)


def check_interrupted(options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tetgen, started, scratch = folder / "tetgen", folder / "started", folder / "scratch"
        scratch.mkdir()
        # It never ends by itself, and has its number written in one step.
        tetgen.write_text(f"#!/bin/sh\necho $$ >{started}.new\nmv {started}.new {started}\nexec sleep 600\n",
                          encoding="ascii")
        tetgen.chmod(0o700)
        environment = dict(os.environ, TMPDIR=str(scratch), PATH=f"{folder}:{os.environ['PATH']}")
        words = [str(parts.write("part", folder)) if word == "INPUT" else word for word in options.command]
        program = subprocess.Popen(words, env=environment, start_new_session=True)
        wait_until(started.exists, "TetGen runs")
        process = int(started.read_text(encoding="ascii"))
        # The keyboard interrupts the whole group; a batch system ends the program.
        send = os.killpg if options.interrupted == "SIGINT" else os.kill
        send(program.pid, getattr(signal, options.interrupted))
        program.wait(timeout=20)
        wait_until(lambda: not is_alive(process), "TetGen has ended")
        wait_until(lambda: not list(scratch.iterdir()), "the temporary files are gone")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checksum")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--expect")
    parser.add_argument("--refused")
    parser.add_argument("--interrupted")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.refused:
        check_refused(options)
    elif options.interrupted:
        check_interrupted(options)
    else:
        check_mesh(options)


if __name__ == "__main__":
    main()
