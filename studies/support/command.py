# SPDX-License-Identifier: Apache-2.0
"""The command line that all studies have."""
import argparse
import os
import sys

from . import ROOT
from .runs import Failure


def count(text):
    """The type of an option: a number from 1 on."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def run(name, description, study, add_options=None):
    """Parses the options, calls study(options) and tells where its page is. Exit status 2: a wrong option or program."""
    parser = argparse.ArgumentParser(prog=f"studies/{name}", description=description)
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "studies", name),
                        help="folder for table, plot, page and what has been run (default: build/studies/%(prog)s)"
                        .replace("studies/%(prog)s", f"studies/{name}"))
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build folder with the programs")
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    try:
        page = study(options)
    except ImportError as error:
        print(f"studies/{name}: {error} (on Debian: apt install python3-matplotlib)", file=sys.stderr)
        return 2
    except Failure as failure:
        print(f"studies/{name}: {failure}", file=sys.stderr)
        return 2
    with open(os.path.join(options.output, "README.md"), encoding="utf-8") as file:
        print(file.read())
    print(f"page: {os.path.relpath(page)}")
    return 0
