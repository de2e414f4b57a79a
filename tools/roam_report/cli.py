# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import os
import sys

from . import flow_dot, offload_dot
from .check import ReportError
from .load import load_run
from .page import page
from .result import Result, load_picture, load_result
from .table import text_table

DESCRIPTIONS = {
    "report": "Draws what --roam-trace recorded: one self-contained HTML page (RUN.html beside the "
              "trace, unless --output says otherwise) and, with --table, the figures as text (a "
              "page then only with --output).",
    "compare": "Prints the figures of two runs that --roam-trace recorded and how the second "
               "differs, and draws both on one self-contained HTML page.",
}
TRACES = {
    "report": [("RUN.json", "trace of the run")],
    "compare": [("RUN1.json", "trace of the run to compare with"),
                ("RUN2.json", "trace of the run that changed")],
}

class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ReportError(f"{message} ({self.prog} --help shows the usage)")


def _parser(command):
    parser = _Parser(prog=f"roam {command}", description=DESCRIPTIONS[command])
    for name, words in TRACES[command]:
        parser.add_argument("traces", action="append", metavar=name, help=words)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the HTML page here")
    if command == "report":
        parser.add_argument("--table", action="store_true", help="print the figures as text")
        parser.add_argument("--offload-dot", metavar="STEP", type=int,
                            help="print who waited and who computed for whom in this step of "
                                 "offloading, for Graphviz (to --output, if given), and no page")
        parser.add_argument("--flow-dot", metavar="TASKS", type=int, nargs="?", const=500,
                            help="print tasks of flow programs, so many (500), with what they waited for and the longest "
                                 "chain, for Graphviz (to --output, if given), and no page")
    parser.add_argument("--result", metavar="FILE", help="figures of the application (JSON)")
    parser.add_argument("--picture", metavar="FILE", help="PNG or JPEG to show on the page")
    parser.add_argument("--title", help="title of the page")
    return parser


def _label(runs):
    for run in runs:
        run.label = "balancing off" if run.off else f"balancing on ({run.balancer})"
    if len(runs) > 1 and runs[0].label == runs[1].label:
        runs[0].label, runs[1].label = "before", "after"


def _page_beside(trace):
    """The name of the page for a trace: run.html for run.json. The trace is never overwritten."""
    stem, ending = os.path.splitext(trace)
    return (trace if ending in ("", ".html") else stem) + ".html"


def _write(path, text):
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise ReportError(f"{path}: cannot write: {error.strerror}") from None


def _dot(options):
    run = load_run(options.traces[0])
    if options.flow_dot is not None:
        text = flow_dot.dot(run, options.flow_dot)
    else:
        text = offload_dot.dot(run, options.offload_dot)
    if options.output:
        _write(options.output, text)
    else:
        sys.stdout.write(text)


def _report(command, arguments):
    options = _parser(command).parse_args(arguments)
    if command == "report" and (options.offload_dot is not None or options.flow_dot is not None):
        return _dot(options)
    table = command == "compare" or options.table
    output = options.output or (None if table else _page_beside(options.traces[0]))
    runs = [load_run(path) for path in options.traces]
    _label(runs)
    result = load_result(options.result, runs) if options.result else Result()
    picture = load_picture(options.picture) if options.picture else ""
    title = options.title or result.title or os.path.basename(runs[-1].program) or "Roam run"
    if output:
        _write(output, page(runs, result, title, picture))
    if output != options.output:
        print(f"wrote {output}")
    if table:
        sys.stdout.reconfigure(errors="replace")  # a terminal without × or µ
        sys.stdout.write(text_table(runs, title))


def main(command, arguments):
    """command: report or compare. Returns the exit status."""
    try:
        _report(command, arguments)
        return 0
    except ReportError as error:
        print(f"roam {command}: {error}", file=sys.stderr)
        return 2
