# SPDX-License-Identifier: Apache-2.0
"""The active messages' benchmarks as one table: what is measured (measurements), with which limits
(targets), how a program is run (run), where its instructions go (instructions), and how all of it
is shown (table, plot, page)."""
