# SPDX-License-Identifier: Apache-2.0
"""Waits for a job of endless.cpp to be under way."""
import time

LONGEST_START = 60  # seconds


def environment(folder):
    """What tells the program where to say that it runs."""
    return {"TEST_RUNNING": str(folder)}


def wait_for_ranks(folder, processes):
    """Until all ranks have said that they run. False if they do not, or one has ended."""
    end = time.monotonic() + LONGEST_START
    while not all((folder / f"running{rank}").exists() for rank in range(len(processes))):
        if time.monotonic() > end or any(process.poll() is not None for process in processes):
            return False
        time.sleep(0.01)
    return True
