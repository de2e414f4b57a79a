# SPDX-License-Identifier: Apache-2.0
"""Reading JSON that may be anything: each error names the file and the field."""
import json
import math


class ReportError(Exception):
    """One line for the user; cli.py prints it and exits with status 2."""


class Field:
    """A value inside a JSON file together with its path in the file."""

    def __init__(self, file, name, value):
        self.file, self.name, self.value = file, name, value

    def fail(self, what):
        where = f"{self.file}: {self.name}" if self.name else self.file
        raise ReportError(f"{where}: {what}")

    def _kind(self):
        return {dict: "an object", list: "a list", str: "a string", bool: "true/false",
                type(None): "null"}.get(type(self.value), "a number")

    def _want(self, types, what):
        if type(self.value) not in types:
            self.fail(f"expected {what}, found {self._kind()}")
        return self.value

    def has(self, key):
        return key in self._want((dict,), "an object")

    def get(self, key):
        name = f"{self.name}.{key}" if self.name else key
        if not self.has(key):
            Field(self.file, name, None).fail("missing")
        return Field(self.file, name, self.value[key])

    def items(self):
        values = self._want((list,), "a list")
        return [Field(self.file, f"{self.name}[{i}]", v) for i, v in enumerate(values)]

    def entries(self):
        values = self._want((dict,), "an object")
        return [(k, Field(self.file, f"{self.name}.{k}", v)) for k, v in values.items()]

    def text(self):
        return self._want((str,), "a string")

    def flag(self):
        return self._want((bool,), "true or false")

    def real(self):
        value = self._want((int, float), "a number")
        if not -1e300 < value < 1e300:  # NaN and infinities fail this too
            self.fail("not a finite number")
        return float(value)

    def seconds(self):
        """A number that is not negative; one slightly below zero is due to rounding and read as zero."""
        value = self.real()
        if value < -1e-3:
            self.fail(f"negative time ({value} s)")
        return max(value, 0.0)

    def count(self, low=0):
        value = self._want((int, float), "a whole number")
        if not math.isfinite(value) or value != int(value):
            self.fail(f"expected a whole number, found {value}")
        if not low <= value < 2**62:
            self.fail(f"out of range ({value})")
        return int(value)


def read_json(path):
    """The top-level object of a JSON file."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReportError(f"{path}: not a JSON file (not UTF-8 text)") from None
    if not text.strip():
        raise ReportError(f"{path}: the file is empty")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        cut = " (is the file cut off?)" if error.pos >= len(text.rstrip()) - 1 \
            or "Unterminated" in error.msg else ""
        raise ReportError(f"{path}: not valid JSON: line {error.lineno} column {error.colno}: "
                          f"{error.msg}{cut}") from None
    except (RecursionError, ValueError):
        raise ReportError(f"{path}: not valid JSON") from None
    root = Field(path, "", value)
    if not isinstance(value, dict):
        root.fail("not a trace: the file holds no JSON object")
    return root
