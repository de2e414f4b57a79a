# SPDX-License-Identifier: Apache-2.0
"""Where the programs written in C++ are that belong to the tools."""
import glob
import os


def find_program(name, folder):
    """The program beside the tool in folder, else the one built last in the source tree, or None."""
    beside = os.path.join(folder, name)
    if _runs(beside):
        return beside
    built = glob.glob(os.path.join(glob.escape(folder), "..", "build", "*", "bin", name))
    return max(filter(_runs, built), key=os.path.getmtime, default=None)


def _runs(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)
