# SPDX-License-Identifier: Apache-2.0
"""The page: headline, table, plots, and every row that was measured. One file."""
import base64
from html import escape

from roam_report.style import STYLE

from . import plot
from .measurements import INSTRUCTIONS, PROGRAMS
from .table import HEAD, cells, number

_MORE_STYLE = """
.met td:last-child{color:#1d9a7c;font-weight:650}.not td:last-child{color:#c8372d;font-weight:650}
figure img{max-height:none;padding:8px}
tr.group th{font-weight:650;padding-top:14px}
details{margin:10px 0}summary{cursor:pointer}
"""


def _cells(values, tag="td"):
    return "".join(f"<{tag}{'' if i == 0 else ' class=n'}>{escape(str(value))}</{tag}>"
                   for i, value in enumerate(values))


def _targets(outcomes, missing):
    rows, group = [], None
    for outcome in outcomes:
        if outcome.target.group != group:
            group = outcome.target.group
            rows.append(f"<tr class=group><th colspan={len(HEAD)}>{escape(group)}</th></tr>")
        rows.append(f"<tr class='{'met' if outcome.met else 'not'}'>{_cells(cells(outcome))}</tr>")
    gaps = "".join(f"<p class=notes>Not measured: {escape(t.group)}, {escape(t.what)}.</p>"
                   for t in missing)
    return (f"<div class=scroll><table><thead><tr>{_cells(HEAD, 'th')}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div>{gaps}")


def _picture(svg):
    data = base64.b64encode(svg.encode()).decode()
    return f"<figure><img src='data:image/svg+xml;base64,{data}' alt='plot'></figure>"


def _rows(title, result):
    head = ("", result["yardstick"], "Roam", "ratio", "quartiles", "least-most")
    rows = []
    for row in result["rows"]:
        ratio = row["ratio"]
        rows.append(_cells((row["name"], number(row["yardstick"]["median"]),
                            number(row["roam"]["median"]), number(ratio["median"]),
                            f"{number(ratio['quartile_1'])}-{number(ratio['quartile_3'])}",
                            f"{number(ratio['min'])}-{number(ratio['max'])}")))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    repeats = result["repeats"] if "pairs" not in result else \
        f"{result['pairs']} pairs of processes, {result['repeats']}"
    return (f"<details><summary>{escape(title)}: {escape(result['benchmark'])} "
            f"({escape(result['unit'])}, {repeats} repeats)</summary><div class=scroll>"
            f"<table><thead><tr>{_cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table></div>"
            "</details>")


def _functions(result):
    body = "".join(f"<tr>{_cells((f['name'], f['room'], number(f['instructions'])))}</tr>"
                   for f in result["functions"][:60])
    return ("<details><summary>instructions by function, inlined code included</summary>"
            "<div class=scroll><table><thead><tr><th>function</th><th class=n>room</th>"
            f"<th class=n>instructions</th></tr></thead><tbody>{body}</tbody></table></div></details>")


def page(results, outcomes, missing, about, pictures):
    title, setting = plot.headline(outcomes, about)
    everything = [_rows(p.title, results[p.name]) for p in PROGRAMS
                  if "rows" in results.get(p.name, {})]
    if INSTRUCTIONS in results:
        everything.append(_functions(results[INSTRUCTIONS]))
    pairs = "".join(_picture(svg) for svg in pictures[1:])
    return ("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
            "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
            f"<title>{escape(title)}</title>\n<style>{STYLE}{_MORE_STYLE}</style>\n</head>\n<body>\n"
            f"<main>\n<p class=claim>{escape(title)}</p><p class=setting>{escape(setting)}</p>\n"
            f"<section>{_picture(pictures[0])}</section>\n"
            f"<section><h2>Targets</h2>{_targets(outcomes, missing)}</section>\n"
            f"<section><h2>By size</h2><div class=pair>{pairs}</div></section>\n"
            f"<section><h2>All rows</h2>{''.join(everything)}</section>\n"
            "<footer>The two sides of a row were measured in turn in one pair of processes. A value "
            "is the median over short blocks, then over the repeats, then over pairs of processes; a "
            "ratio is taken repeat by repeat, then its median and quartiles.</footer>\n</main>\n</body>\n</html>\n")
