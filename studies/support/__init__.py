# SPDX-License-Identifier: Apache-2.0
"""What the studies share: running programs, tables, plots, one page for each."""
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "bench")]
