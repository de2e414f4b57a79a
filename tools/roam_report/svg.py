# SPDX-License-Identifier: Apache-2.0
"""Small helpers for hand-made SVG. Colours come from the page's style sheet, by class."""
import base64
import math
import struct
import zlib
from html import escape

import numpy as np


def num(value):
    text = f"{value:.2f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def el(name, *children, **attributes):
    """An element; cls is class, an underscore in a name is a hyphen, children are markup."""
    parts = []
    for key, value in attributes.items():
        key = "class" if key == "cls" else key.replace("_", "-")
        value = escape(value) if isinstance(value, str) else num(value)
        parts.append(f' {key}="{value}"')
    inside = "".join(children)
    return f"<{name}{''.join(parts)}>{inside}</{name}>" if inside \
        else f"<{name}{''.join(parts)}/>"


def text(x, y, words, anchor="start", cls="tick"):
    return el("text", escape(words), x=x, y=y, text_anchor=anchor, cls=cls)


def line(x1, y1, x2, y2, cls):
    return el("line", x1=x1, y1=y1, x2=x2, y2=y2, cls=cls)


def rect(x, y, width, height, cls, tip=""):
    inside = el("title", escape(tip)) if tip else ""
    return el("rect", inside, x=x, y=y, width=max(width, 0), height=max(height, 0), cls=cls)


def drawing(width, height, label, *parts, cls=""):
    return el("svg", *parts, viewBox=f"0 0 {num(width)} {num(height)}", role="img",
              aria_label=label, cls=cls, xmlns="http://www.w3.org/2000/svg")


def ticks(top, about=5):
    """Round values from 0 to at most top."""
    if top <= 0:
        return [0.0]
    step = 10 ** math.floor(math.log10(top / about))
    step *= next(m for m in (1, 2, 5, 10) if top / (step * m) <= about)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def steps(x0, slot, base, low, high):
    """The area between two step curves; low and high are heights above base, one per slot."""
    def curve(values):
        for i, value in enumerate(values):
            yield f"{num(x0 + i * slot)},{num(base - value)}"
            yield f"{num(x0 + (i + 1) * slot)},{num(base - value)}"
    return "M" + " ".join(list(curve(high)) + list(curve(low))[::-1]) + "Z"


def gray_png(matrix):
    """A data URI of a grayscale picture of values in 0..1, row 0 on top."""
    pixels = np.clip(np.rint(matrix * 255), 0, 255).astype(np.uint8)
    height, width = pixels.shape
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels]).tobytes()

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + \
        chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def shaded(matrix, x, y, width, height, cls, name):
    """A rectangle in the colour of cls whose opacity is the matrix; so it follows the theme."""
    box = {"x": x, "y": y, "width": width, "height": height}
    picture = el("image", href=gray_png(matrix), preserveAspectRatio="none",
                 style="image-rendering:pixelated", **box)
    return el("mask", picture, id=name, maskUnits="userSpaceOnUse", **box) + \
        el("rect", cls=cls, mask=f"url(#{name})", **box)
