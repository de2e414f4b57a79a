# SPDX-License-Identifier: Apache-2.0
"""Runs of apps/amr_steps on simulated machines, and what is read off them."""
import os
import statistics

from roam_report.offload import Step

from . import meshes

NONE, FIXED, HALF = "none", "diffusion:reinforcement=0", "diffusion:omega=0.5"
# Messages are this much shorter and the network this much slower than those of the paper's predictions (49 kB there, 92 kB
# back), and so are all limits in bytes: times are the same, and a simulation needs less memory and time. Victims have memory
# for as many tasks as come: the paper's have no limit.
SHRINK = 16
INPUT, OUTPUT = 49_000 // SHRINK, 92_000 // SHRINK
LIMITS = ("--roam-message-threshold", "1KiB", "--roam-offload-guest-memory", "64MiB", "--roam-high-water", "1MiB",
          "--roam-receive-memory", "512KiB")
NODE_BANDWIDTH, NETWORK_BANDWIDTH = 10e9, 6.8e9  # FDR14


class Run:
    """The result of one run, in the form that chart_waits needs."""

    def __init__(self, figures, label):
        self.figures, self.label = figures, label
        self.seconds = figures["step_seconds"]

    def step(self, number):
        known = {s["step"]: s for s in self.figures["offloading"]}
        if number not in known:
            return None
        s = known[number]
        return Step(number, s["time_seconds"], s["seconds"], s["relaxation"], s["critical"], s["victim"], s["tasks"],
                    s["offloaded"], s["allowed"], s["recomputed"], s["in_vain"], s["emergencies"], s["emergency_reasons"],
                    s["blacklisted"], s["blacklist_reasons"],
                    [tuple(e) for e in s["waits"]], [tuple(e) for e in s["flows"]], s["waits_left_out"], s["flows_left_out"])

    def sum_of(self, name):
        return sum(s[name] for s in self.figures["offloading"])

    def offloaded_in(self, number):
        return next((s["offloaded"] for s in self.figures["offloading"] if s["step"] == number), 0)

    def most_steps_blacklisted(self, rank):
        most = now = 0
        for step in self.figures["offloading"]:
            now = now + 1 if rank in step["blacklisted"] else 0
            most = max(most, now)
        return most


class Machines:
    def __init__(self, folder, runs):
        self._folder = os.path.join(folder, "machines")
        os.makedirs(self._folder, exist_ok=True)
        self._runs = runs

    def run(self, cells, strategy, steps, workers=1, node=28, task_seconds=2e-3, divisor=1, divided=False, master=False,
            graphs=False, spawn_seconds=0, optimistic=0, changes=(), delay=None, delay_seconds=1, task_bytes=None, options=()):
        """`divisor`: so many times fewer cells, each so many times as long; `divided`: they are so already;
        `task_bytes`: what a task takes and gives, if not the paper's predictions."""
        sizes = [str(max(8, size // SHRINK)) for size in task_bytes] if task_bytes else [str(INPUT), str(OUTPUT)]
        shown = cells if divided else meshes.scaled(cells, divisor)
        arguments = ["--roam-simulate", self._machine(len(cells), workers, node), "--roam-offload", strategy, *LIMITS,
                     "--steps", str(steps), "--warm-up", "0", "--cells", meshes.text(shown),
                     "--task-seconds", str(task_seconds * divisor), "--input-bytes", sizes[0], "--output-bytes", sizes[1]]
        for step, numbers in changes:
            arguments += ["--cells-from", f"{step}:{meshes.text(numbers)}"]
        if delay is not None:
            arguments += ["--delayed-rank", str(delay), "--delay-seconds", f"{delay_seconds:.4g}", "--delay-every", "10"]
        if master:
            arguments.append("--waits-for-master")
        if graphs:
            arguments += ["--roam-trace", "/dev/null"]  # graphs are kept where a trace is asked for
        if spawn_seconds:
            arguments += ["--spawn-seconds", str(spawn_seconds)]
        if optimistic:
            arguments += ["--optimistic", str(optimistic)]
        return Run(self._runs.run("amr_steps", *arguments, *options, with_json=True), strategy)

    def _machine(self, ranks, workers, node):
        """A machine whose nodes have that many ranks each, as a file, since it has more than one level."""
        name = os.path.join(self._folder, f"ranks_{ranks}_workers_{workers}_node_{node}.toml")
        lines = [f"ranks = {ranks}", f"workers = {workers}", "noise = 0.01"]
        if 1 < node < ranks:
            lines += ["[[network]]", 'name = "node"', f"group_ranks = {node}", "latency_seconds = 0.5e-6",
                      f"bandwidth_bytes_per_second = {NODE_BANDWIDTH / SHRINK:.6g}"]
        bandwidth = NODE_BANDWIDTH if node >= ranks else NETWORK_BANDWIDTH
        latency = 0.5e-6 if node >= ranks else 1.5e-6
        lines += ["[[network]]", 'name = "machine"', f"latency_seconds = {latency}",
                  f"bandwidth_bytes_per_second = {bandwidth / SHRINK:.6g}"]
        text = "\n".join(lines) + "\n"
        if not os.path.exists(name):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        return name

    @staticmethod
    def notes():
        return ["Tasks take 2 ms unless said otherwise, and 97 % of a step; a prediction has 49 kB of input and 92 kB of output. "
                f"Both, the network's bandwidth and all limits in bytes are divided by {SHRINK}, which changes no time. Handlers "
                "take up to 1 % longer at random.",
                "Victims have 1 GiB for tasks of others and the results of these, so that none is sent back for want of it: the "
                "paper's have no limit. With 64 MiB, which ranks have by default, diffusion reaches 0.919 and 0.946 of the possible "
                "in figure 5, with adaptive and with fixed omega: a victim without memory for a rank's only task is an emergency.",
                "Steps are timed by rank 0. Where it has no cells, one step now and then seems twice as long and the next ones next to "
                "nothing: other ranks' tasks go before its main program, which takes notice of the step's end only after them."]


def median_from(run, first):
    return statistics.median(run.seconds[first:])


def deviation(run, first):
    """The standard deviation of the steps from `first` on, relative to their mean."""
    return statistics.pstdev(run.seconds[first:]) / statistics.mean(run.seconds[first:])


def best_speedup(cells):
    return max(cells) * len(cells) / sum(cells)


def steps_until_within(run, seconds):
    """The first step from which on no step takes longer; None: the last one does."""
    late = [i for i, took in enumerate(run.seconds) if took > seconds]
    first = late[-1] + 1 if late else 0
    return first if first < len(run.seconds) else None


def steps_word(first):
    return "never" if first is None else str(first)


def share_of_quota(run):
    allowed = run.sum_of("allowed")
    return run.sum_of("offloaded") / allowed if allowed else 0.0
