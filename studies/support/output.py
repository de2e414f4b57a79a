# SPDX-License-Identifier: Apache-2.0
"""A study's table (Markdown), plot (SVG) and page (HTML, self-contained)."""
import base64
import os
from html import escape

from roam_report.style import STYLE


class Table:
    """Rows of words and numbers; the first column names the row."""

    def __init__(self, head, rows):
        self.head = [str(word) for word in head]
        self.rows = [[_text(value) for value in row] for row in rows]

    def markdown(self):
        lines = ["| " + " | ".join(self.head) + " |", "|" + "---|" * len(self.head)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"

    def html(self):
        def line(cells, tag):
            return "".join(f"<{tag}{' class=n' if i else ''}>{escape(cell)}</{tag}>" for i, cell in enumerate(cells))
        body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in self.rows)
        return (f"<div class=scroll><table><thead><tr>{line(self.head, 'th')}</tr></thead>"
                f"<tbody>{body}</tbody></table></div>")


def _text(value):
    if value is None:
        return ""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    return f"{value:.3f}" if 0.01 <= abs(value) < 100 or value == 0 else f"{value:.3g}"


def write(folder, title, about, tables, figure, notes=(), drawings=()):
    """`tables`: (heading, Table) pairs; `figure`: of matplotlib; `notes`: sentences; `drawings`: (caption, SVG) pairs of the
    page alone. Returns the page's path."""
    os.makedirs(folder, exist_ok=True)
    picture = os.path.join(folder, "plot.svg")
    figure.savefig(picture, metadata={"Date": None})
    with open(picture, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    text = "\n".join([f"# {title}", "", about, ""] +
                     [part for heading, table in tables for part in (f"## {heading}", "", table.markdown())] +
                     ["![plot](plot.svg)", ""] + [f"- {note}" for note in notes]).rstrip() + "\n"
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write(text)
    sections = "".join(f"<section><h2>{escape(heading)}</h2>{table.html()}</section>\n" for heading, table in tables)
    drawn = "".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for caption, svg in drawings)
    sections += f"<section class=pair>{drawn}</section>\n" if drawn else ""
    remarks = "".join(f"<li>{escape(note)}</li>" for note in notes)
    page = os.path.join(folder, "page.html")
    with open(page, "w", encoding="utf-8") as file:
        file.write("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
                   "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
                   f"<title>{escape(title)}</title>\n<style>{STYLE}figure img{{max-height:none;padding:8px}}</style>\n"
                   f"</head>\n<body>\n<main>\n<p class=claim>{escape(title)}</p><p class=setting>{escape(about)}</p>\n"
                   f"<section><figure><img src='data:image/svg+xml;base64,{data}' alt='plot'></figure></section>\n"
                   f"{sections}<section><ul>{remarks}</ul></section>\n</main>\n</body>\n</html>\n")
    return page
