# SPDX-License-Identifier: Apache-2.0
"""The part whose mesh is refined."""
import os
import subprocess

from . import ROOT
from .runs import Failure


def add_option(parser):
    parser.add_argument("--part", help="surface or mesh to refine (default: the demo's)")


def path(options):
    if options.part:
        return options.part
    done = subprocess.run([os.path.join(ROOT, "scripts", "part")], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{done.stderr.strip()}; give another with --part")
    return done.stdout.strip()
