# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import json
import os
import sys

from . import machine, page, plot
from .measurements import INSTRUCTIONS, PROGRAMS
from .run import Failed, Runner
from .table import text_table
from .targets import outcomes


def _parser():
    parser = argparse.ArgumentParser(
        prog="bench-am",
        description="Measures active messages against raw MPI of the same library, in turn in one "
                    "pair of processes, counts their instructions, and compares with the targets. "
                    "Ends with 0 whether they are met or not, with 1 if something could not be "
                    "measured. Writes bench-am.json, bench-am.html and bench-am.png.")
    parser.add_argument("--build", default="build/release", metavar="DIR",
                        help="where the benchmarks are built (default: %(default)s)")
    parser.add_argument("--output", metavar="DIR", help="where results go (default: BUILD/bench-am)")
    parser.add_argument("--quick", action="store_true",
                        help="some seconds each: to see that all of it works")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        choices=[p.name for p in PROGRAMS] + [INSTRUCTIONS],
                        help="measure this alone (may be repeated) and take the rest from the "
                             "results of the last time")
    return parser


def _earlier(path, names):
    """Results of an earlier run that are not measured anew."""
    if not names or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        results = json.load(stream)["results"]
    return {name: result for name, result in results.items() if name not in names and "run" in result}


def _measure(runner, names):
    """(results by name, what failed)."""
    jobs = [(p.name, lambda p=p: runner.measure(p)) for p in PROGRAMS]
    jobs.append((INSTRUCTIONS, runner.count_instructions))
    jobs = [(name, job) for name, job in jobs if not names or name in names]
    pairs = {p.name: 1 if runner.quick else p.pairs for p in PROGRAMS}
    runner.steps = sum(2 if name == INSTRUCTIONS else pairs[name] for name, _ in jobs)
    results, failures = {}, []
    for name, job in jobs:
        try:
            results[name] = job()
        except Failed as error:
            print(f"bench-am: {error}", file=sys.stderr)
            failures.append(name)
    return results, failures


def _bench(options):
    output = options.output or os.path.join(options.build, "bench-am")
    os.makedirs(output, exist_ok=True)
    runner = Runner(options.build, output, options.quick)
    path = os.path.join(output, "bench-am.json")
    about = machine.describe(runner) | {"quick": options.quick}
    if about["load_average_before"] > 0.5:
        print(f"bench-am: the machine is busy (load {about['load_average_before']:.1f}); the times "
              "will spread", file=sys.stderr)
    results = _earlier(path, options.only)
    measured, failures = _measure(runner, options.only)
    for result in measured.values():
        result["run"] = dict(about)
    results |= measured
    # Of a quick run or another version, rows must not look as if they were of this run.
    runs = [result["run"] for result in results.values()]
    about["quick"] = any(run["quick"] for run in runs)
    about["dates"] = sorted({run["date"] for run in runs})
    about["versions"] = sorted({run["version"] for run in runs})
    done, missing = outcomes(results)
    about["load_average_after"] = machine.load_average()
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"machine": about, "results": results,
                   "table": [{"group": o.target.group, "what": o.target.what, "value": o.value,
                              "kind": o.target.kind, "limit": o.limit, "unit": o.target.unit,
                              "met": o.met} for o in done],
                   "not_measured": [f"{t.group}, {t.what}" for t in missing]}, stream, indent=1)
    print("\n" + text_table(done, missing), flush=True)
    if len(about["dates"]) > 1:
        print(f"from {len(about['dates'])} runs, of versions {', '.join(about['versions'])}")
    pictures = plot.draw(results, done, about, os.path.join(output, "bench-am.png"))
    with open(os.path.join(output, "bench-am.html"), "w", encoding="utf-8") as stream:
        stream.write(page.page(results, done, missing, about, pictures))
    print(f"{output}/bench-am.html, .png, .json")
    return 1 if failures or missing else 0


def main(arguments=None):
    sys.stdout.reconfigure(errors="replace")
    try:
        return _bench(_parser().parse_args(arguments))
    except Failed as error:
        print(f"bench-am: {error}", file=sys.stderr)
        return 1
