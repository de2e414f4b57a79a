# SPDX-License-Identifier: Apache-2.0
"""The report tool: reads what --roam-trace wrote and draws it. Start reading in cli.py.

load.py, events.py  trace files into a Run (model.py), every field checked (check.py)
result.py           the application's own figures, and its picture
figures.py          makespan, efficiency, imbalance, ... ; table.py prints them as text
chart_*.py          one chart each, as SVG whose colours are the page's CSS variables
page.py             puts the page together (style.py, script.py, decisions.py)
"""
