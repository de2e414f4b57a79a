# SPDX-License-Identifier: Apache-2.0
"""What the figures were measured on."""
import datetime
import os
import platform
import subprocess


def _first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip().partition("\n")[0]


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def load_average():
    return os.getloadavg()[0]


def describe(runner):
    source = os.path.dirname(os.path.abspath(__file__))
    mpiexec = next((part for part in runner.launcher if os.path.basename(part).startswith(("mpi", "prte"))),
                   runner.launcher[0])
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "processor": _processor(), "cores": len(os.sched_getaffinity(0)),
            "system": f"{platform.system()} {platform.release()}",
            "mpi": _first_line([mpiexec, "--version"]),
            "version": _first_line(["git", "-C", source, "describe", "--always", "--dirty", "--tags"]),
            "load_average_before": load_average()}
