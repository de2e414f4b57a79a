#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program as several ranks, each on a machine of its own, as far as a kernel can pretend.

usage: hosts.py [--cut RANK:AT | --kill RANK:AT] [--pause RANK:AT:FOR] [--stop RANK:AT:FOR]
                [--within SECONDS] RANKS PROGRAM [ARGUMENT...]

Every rank has a network, a host name, process numbers and a system's identity of its own, and a cable
(a pair of veth devices) to a switch (a bridge). AT seconds after all ranks run, which the program says by
files running0, running1, ... in the folder TEST_RUNNING, the cable of a rank is pulled for good (--cut) or
FOR seconds (--pause), or a rank is killed, or stopped for FOR seconds.

After --cut and --kill all other ranks must end within SECONDS, with a status other than 0, and name
the lost rank and its host; the one behind the cable names rank 0. Otherwise all must end well.

The namespaces have no names, so they go with the processes, and these go with this one however it
ends. Exits with 77, which says "skipped", where the system does not allow or lacks what it takes.
"""
import argparse
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import running_ranks

SKIPPED = 77
TOOLS = ("ip", "unshare", "nsenter", "mount", "hostname")
# The first thing that runs on a machine: takes its identity, waits for its cable, becomes the rank.
BOOT = 'hostname "$1"; mount --bind "$2" /proc/sys/kernel/random/boot_id; read cable; shift 2; exec "$@"'


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def spawn(command, **more):
    return subprocess.Popen(command, preexec_fn=die_with_parent, **more)


def inside(process, *command):
    """Runs a command in the network of a process. Returns what it prints."""
    return subprocess.run(["nsenter", f"--net=/proc/{process.pid}/ns/net", *command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def wait_for_network(process):
    """Until a process has a network of its own."""
    ours = os.readlink("/proc/self/ns/net")
    end = time.monotonic() + 10
    while os.readlink(f"/proc/{process.pid}/ns/net") == ours:
        if process.poll() is not None or time.monotonic() > end:
            sys.exit("a machine did not come up")
        time.sleep(0.005)


def wait_for_cable(process):
    """Until a machine's device is in use: UCX leaves out devices that are not when a process starts."""
    end = time.monotonic() + 10
    while " state UP " not in inside(process, "ip", "-o", "link", "show", "eth0"):
        if time.monotonic() > end:
            sys.exit("a cable did not come up")
        time.sleep(0.005)


def reason_to_skip():
    for tool in TOOLS:
        if shutil.which(tool) is None:
            return f"there is no {tool} (packages iproute2, util-linux, hostname)"
    probe = "mount --bind /proc/uptime /proc/sys/kernel/random/boot_id && ip link add type veth && hostname a"
    tried = subprocess.run(["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--mount-proc",
                            "sh", "-c", probe], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return "namespaces, which need root, are not to be had: " + tried.stderr.strip()
    return None


class Machines:
    def __init__(self, ranks, command, folder):
        self.switch = spawn(["unshare", "--net", "sleep", "infinity"])
        wait_for_network(self.switch)
        inside(self.switch, "ip", "link", "add", "switch", "type", "bridge")
        inside(self.switch, "ip", "link", "set", "switch", "up")
        self.ranks = [self._boot(rank, ranks, command, folder) for rank in range(ranks)]
        for process in self.ranks:
            wait_for_cable(process)
        for process in self.ranks:
            process.stdin.write("here it is\n")
            process.stdin.close()
            process.stdin = None

    def _boot(self, rank, ranks, command, folder):
        identity = folder / f"boot_id{rank}"
        identity.write_text(f"00000000-0000-4000-8000-{rank:012}\n")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PMI")}
        environment |= {"ROAM_UCX_RANK": str(rank), "ROAM_UCX_SIZE": str(ranks),
                        "ROAM_UCX_ROOT": "10.77.0.1:4711", "UCX_TLS": "tcp,self",
                        "TEST_ON_MACHINES": "1", **running_ranks.environment(folder)}
        process = spawn(["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child",
                         "--mount-proc", "sh", "-c", BOOT, "sh", f"machine{rank}", str(identity),
                         *command],
                        env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT)
        wait_for_network(process)
        inside(self.switch, "ip", "link", "add", f"port{rank}", "type", "veth", "peer", "name", "eth0",
               "netns", str(process.pid))
        inside(self.switch, "ip", "link", "set", f"port{rank}", "master", "switch", "up")
        inside(process, "ip", "link", "set", "lo", "up")
        inside(process, "ip", "address", "add", f"10.77.0.{rank + 1}/24", "dev", "eth0")
        inside(process, "ip", "link", "set", "eth0", "up")
        return process

    def cable(self, rank, state):
        inside(self.switch, "ip", "link", "set", f"port{rank}", state)

    def signal(self, rank, number):
        """To the rank, which is the one child of the process that made its machine."""
        parent = self.ranks[rank].pid
        child = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0]
        os.kill(int(child), number)

    def end(self):
        for process in [*self.ranks, self.switch]:
            process.kill()
            process.wait()


def events_of(arguments, machines):
    """(when, what it says, what it does), in the order of time."""
    def numbers(text):
        rank, *times = text.split(":")
        return int(rank), *map(float, times)

    found = []
    for text in arguments.cut:
        rank, at = numbers(text)
        found.append((at, f"cable {rank} pulled", lambda r=rank: machines.cable(r, "down")))
    for text in arguments.kill:
        rank, at = numbers(text)
        found.append((at, f"rank {rank} killed", lambda r=rank: machines.signal(r, signal.SIGKILL)))
    for text in arguments.pause:
        rank, at, length = numbers(text)
        found.append((at, f"cable {rank} pulled", lambda r=rank: machines.cable(r, "down")))
        found.append((at + length, f"cable {rank} back", lambda r=rank: machines.cable(r, "up")))
    for text in arguments.stop:
        rank, at, length = numbers(text)
        found.append((at, f"rank {rank} stopped", lambda r=rank: machines.signal(r, signal.SIGSTOP)))
        found.append((at + length, f"rank {rank} goes on",
                      lambda r=rank: machines.signal(r, signal.SIGCONT)))
    return sorted(found, key=lambda event: event[0])


def cause(events, machines):
    """Makes events happen at their times. Returns what went wrong, in words."""
    start = time.monotonic()
    for at, what, act in events:
        time.sleep(max(0.0, start + at - time.monotonic()))
        if all(process.poll() is not None for process in machines.ranks):
            return f"the job had ended before: {what}"
        try:
            act()
        except (subprocess.CalledProcessError, OSError, IndexError) as error:
            return f"{what}: {error}"
        print(f"{time.monotonic() - start:.1f} s: {what}", flush=True)
    return ""


def outcome(machines, deadline):
    """Status (None: it did not end in time) and output of each rank."""
    results = []
    for process in machines.ranks:
        try:
            said = process.communicate(timeout=max(0.0, deadline - time.monotonic()))[0]
            results.append((process.returncode, said))
        except subprocess.TimeoutExpired:
            process.kill()
            results.append((None, process.communicate()[0]))
    return results


def problems_of(results, cut, killed):
    problems = []
    for rank, (status, said) in enumerate(results):
        if status is None:
            problems.append(f"rank {rank} did not end")
        elif cut is None and killed is None:
            if status != 0:
                problems.append(f"rank {rank} ended with status {status}")
        elif rank != killed and status == 0:
            problems.append(f"rank {rank} ended as if nothing had happened")
    lost = killed if cut is None else cut
    if lost is not None:
        # What a rank says that has been told by another stands there.
        rest = "".join(said for rank, (_, said) in enumerate(results) if rank != lost)
        if f"rank {lost} can no longer be reached" not in rest or f"host machine{lost}" not in rest:
            problems.append(f"nobody named rank {lost} and its host")
    if cut is not None and "has not answered" not in results[cut][1]:
        problems.append(f"rank {cut} did not say that others do not answer")
    return problems


def main():
    parser = argparse.ArgumentParser()
    for name in ("cut", "kill", "pause", "stop"):
        parser.add_argument(f"--{name}", action="append", default=[])
    parser.add_argument("--within", type=float, default=100)
    parser.add_argument("ranks", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if reason := reason_to_skip():
        print(f"skipped: {reason}")
        return SKIPPED
    victims = [int(text.split(":")[0]) for text in arguments.cut + arguments.kill]
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(arguments.ranks, arguments.command, pathlib.Path(folder))
        try:
            events = events_of(arguments, machines)
            early = ""
            if events:
                runs = running_ranks.wait_for_ranks(pathlib.Path(folder), machines.ranks)
                early = cause(events, machines) if runs else "not all ranks began to run"
            last = time.monotonic()
            results = outcome(machines, last + arguments.within)
            print(f"ended {time.monotonic() - last:.1f} s later")
        finally:
            machines.end()
    for rank, (status, said) in enumerate(results):
        print(f"--- rank {rank}, status {status}\n{said}", end="")
    cut, killed = (victims[0] if texts else None for texts in (arguments.cut, arguments.kill))
    problems = problems_of(results, cut, killed) + ([early] if early else [])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
