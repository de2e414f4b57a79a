# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import os
import sys

from .check import ReportError
from .load import load_run
from .page import page
from .result import Result, load_picture, load_result
from .table import text_table

USAGE = """roam-report RUN.json [-o report.html] [--table]
       roam-report --before OFF.json --after ON.json [-o report.html] [--table]"""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ReportError(f"{message} (roam-report --help shows the usage)")


def _parser():
    parser = _Parser(
        prog="roam-report", usage=USAGE,
        description="Draws what --roam-trace recorded: one self-contained HTML page and, with "
                    "--table, the same figures as text.")
    parser.add_argument("run", nargs="?", metavar="RUN.json", help="trace of a single run")
    parser.add_argument("--before", metavar="OFF.json", help="trace of the run to compare with")
    parser.add_argument("--after", metavar="ON.json", help="trace of the run that changed")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the HTML page here")
    parser.add_argument("--table", action="store_true", help="print the figures as text")
    parser.add_argument("--result", metavar="FILE", help="figures of the application (JSON)")
    parser.add_argument("--picture", metavar="FILE", help="PNG or JPEG to show on the page")
    parser.add_argument("--title", help="title of the page")
    return parser


def _paths(options):
    if options.run and (options.before or options.after):
        raise ReportError("give either RUN.json or --before and --after, not both")
    if bool(options.before) != bool(options.after):
        raise ReportError("--before and --after belong together")
    if not options.run and not options.before:
        raise ReportError("no trace given (roam-report --help shows the usage)")
    if not options.output and not options.table:
        raise ReportError("nothing to do: give -o FILE, --table or both")
    return [options.run] if options.run else [options.before, options.after]


def _label(runs):
    for run in runs:
        run.label = "balancing off" if run.off else f"balancing on ({run.balancer})"
    if len(runs) > 1 and runs[0].label == runs[1].label:
        runs[0].label, runs[1].label = "before", "after"


def _write(path, text):
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise ReportError(f"{path}: cannot write: {error.strerror}") from None


def _report(arguments):
    options = _parser().parse_args(arguments)
    runs = [load_run(path) for path in _paths(options)]
    _label(runs)
    result = load_result(options.result, runs) if options.result else Result()
    picture = load_picture(options.picture) if options.picture else ""
    title = options.title or result.title or os.path.basename(runs[-1].program) or "Roam run"
    if options.output:
        _write(options.output, page(runs, result, title, picture))
    if options.table:
        sys.stdout.reconfigure(errors="replace")  # a terminal without × or µ
        sys.stdout.write(text_table(runs, title))


def main(arguments=None):
    try:
        _report(arguments)
        return 0
    except ReportError as error:
        print(f"roam-report: {error}", file=sys.stderr)
        return 2
