# SPDX-License-Identifier: Apache-2.0
"""What LOH.1's reference seismograms have in common: the source of inputs/loh1.toml and the sampling, in s."""
SIGMA, CENTER = 0.06, 0.36  # of the Gaussian moment rate
INTERVAL, END = 0.008, 9.0
