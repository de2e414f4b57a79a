# SPDX-License-Identifier: Apache-2.0
"""Cells of each rank for the meshes of the paper on reactive task offloading. The paper gives the grid, the total
numbers and few of the loads; what is assumed for the rest is said here and on the study's page."""

SIDE = 25
# The numbers of cells in the (9 + 8 + 8)^3 parts of a 25^3 grid, the largest first.
PARTS = [729] + [648] * 6 + [576] * 12 + [512] * 8
CHILDREN = 27  # a refined cell is cut in three along each axis
REFINED = 676  # 25^3 + 676 * 26 = 33,201, the number of tasks in table 2


def with_master():
    """28 ranks: a master without cells and the 27 parts (figures 5, 8, 9)."""
    return [0] + PARTS


def dealt(ranks):
    """The 27 parts on fewer ranks, consecutive ones together, as evenly as whole parts go; the first ranks have more."""
    few, more = divmod(len(PARTS), ranks)
    cells, begin = [], 0
    for rank in range(ranks):
        end = begin + few + (1 if rank < more else 0)
        cells.append(sum(PARTS[begin:end]))
        begin = end
    return cells


def overbooked(ranks=8, rank=1, parts=6):
    """Figure 3: one rank has twice as many parts as the others."""
    mean = SIDE**3 // len(PARTS)
    return [mean * (parts if r == rank else (len(PARTS) - parts) // (ranks - 1)) for r in range(ranks)]


def even(ranks, total=SIDE**3):
    return [total * (r + 1) // ranks - total * r // ranks for r in range(ranks)]


def refined_at_top(ranks, side=SIDE, refined=REFINED):
    """A regular grid cut into boxes of equal size, four deep (two, where ranks are few and four do not divide them); then the
    `refined` cells nearest to the surface are refined. Ranks for which there is no box have no cells."""
    depth = 4 if ranks % 4 == 0 or ranks > 100 else 2
    columns = ranks // depth
    layers = even(depth, side)
    top = even(columns, refined)
    area = even(columns, side * side)
    cells = []
    for layer, thickness in enumerate(layers):
        for column in range(columns):
            count = area[column] * thickness
            cells.append(count + (CHILDREN - 1) * top[column] if layer == 0 else count)
    return cells + [0] * (ranks - len(cells))


def scaled(cells, divisor):
    return [round(count / divisor) for count in cells]


def text(cells):
    return ",".join(map(str, cells))
