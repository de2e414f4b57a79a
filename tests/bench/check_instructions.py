# SPDX-License-Identifier: Apache-2.0
"""The instructions of a small message that docs/performance.md calls exact, counted anew.

usage: check_instructions.py BUILD_FOLDER. Exits 1 if the documented figures are more than 1 % away from
what callgrind counts, as bench/bench-am does, or if nothing could be counted.
"""
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from bench_am.run import Failed, Runner  # noqa: E402

TOLERANCE = 0.01
ROWS = {"overhead": "together, beside the network's", "transport": "network: hand over, take"}


def documented():
    """{"overhead", "transport"} as the table in docs/performance.md has them."""
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    figures = {}
    for key, title in ROWS.items():
        found = re.search(rf"^\| {re.escape(title)} \| ([\d,]+) \|$", text, re.MULTILINE)
        if not found:
            sys.exit(f"docs/performance.md has no row '{title}'")
        figures[key] = int(found.group(1).replace(",", ""))
    return figures


def main():
    figures = documented()
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = Runner(sys.argv[1], folder, quick=False).count_instructions()
    except Failed as error:
        sys.exit(str(error))
    together = sum(figures.values())
    print(f"documented: {figures['overhead']} and {figures['transport']} of the network; "
          f"counted: {result['overhead']:.1f} and {result['transport']:.1f}")
    # Which of the two an inlined function is counted with depends on the compiler's options; so the
    # network's part has no bound of its own.
    for title, said, found in (("in all", together, result["total"]),
                               ("beside the network's", figures["overhead"], result["overhead"])):
        if abs(found - said) > TOLERANCE * said:
            sys.exit(f"{title}: {found:.1f} instructions, docs/performance.md says {said}")


if __name__ == "__main__":
    main()
