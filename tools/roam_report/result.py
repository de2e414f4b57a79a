# SPDX-License-Identifier: Apache-2.0
"""The application's own figures (--result) and picture (--picture)."""
import base64
from dataclasses import dataclass, field

from . import units
from .check import ReportError, read_json

_PICTURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


@dataclass
class Result:
    title: str = ""
    caption: str = ""  # of the picture
    notes: list = field(default_factory=list)


def load_result(path, runs):
    """Gives every run its label and its rows; runs in the file stand in the order before, after."""
    root = read_json(path)
    entries = root.get("runs").items()
    if len(entries) != len(runs):
        root.get("runs").fail(f"describes {units.plural(len(entries), 'run')} for "
                              f"{units.plural(len(runs), 'trace')}")
    for run, entry in zip(runs, entries):
        if entry.has("label"):
            run.label = entry.get("label").text()
        run.results = {name: _scalar(value) for name, value in entry.get("rows").entries()}
    title, caption = (root.get(k).text() if root.has(k) else "" for k in ("title", "caption"))
    notes = [n.text() for n in root.get("notes").items()] if root.has("notes") else []
    return Result(title, caption, notes)


def _scalar(field):
    if isinstance(field.value, (str, bool)) or field.value is None:
        return field.value
    field.real()
    return field.value


def load_picture(path):
    """The picture as a data URI."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from None
    for magic, kind in _PICTURES:
        if data.startswith(magic):
            return f"data:{kind};base64,{base64.b64encode(data).decode()}"
    raise ReportError(f"{path}: not a PNG or JPEG picture")
