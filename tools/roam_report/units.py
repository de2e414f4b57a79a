# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""


def seconds(value):
    size = abs(value)
    if size >= 0.9995 or size == 0:
        return f"{significant(value)} s"
    if size >= 0.9995e-3:
        return f"{significant(value * 1e3)} ms"
    return f"{significant(value * 1e6)} µs"


def significant(value, digits=3):
    """Three significant digits, never in exponent form for everyday sizes."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-6:
        return f"{value:.{digits - 1}e}"
    whole = len(str(int(size))) if size >= 1 else 0
    text = f"{value:.{max(digits - whole, 0)}f}" if size >= 1 else f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if whole > 3 else text


def size(value):
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or unit == "TiB":
            return f"{value:.0f} B" if unit == "B" else f"{significant(value)} {unit}"
        value /= 1024
    return ""


def count(value):
    return f"{int(value):,}"


def ratio(value):
    return f"{value:.3f}" if value < 10 else significant(value)


def times(value):
    return f"{value:.2f}×" if value < 100 else f"{value:.0f}×"


def percent(value):
    return f"{100 * value:.1f} %" if value < 1 else f"{100 * value:.0f} %"


def plural(number, noun):
    return f"{count(number)} {noun}" + ("" if number == 1 else "s")


def any_value(value):
    """A figure that the application gave us: text as it is, numbers with grouping."""
    if value is None:
        return "–"
    if isinstance(value, (str, bool)):
        return str(value)
    if isinstance(value, int):
        return count(value)
    return significant(value, 4)
