# SPDX-License-Identifier: Apache-2.0
"""The page's only script: a click on a column's head sorts the list of decisions, and a slider chooses the
step of offloading whose graph is shown."""

SCRIPT = """
for (const button of document.querySelectorAll("table.decisions th button"))
  button.addEventListener("click", () => {
    const head = button.parentElement, row = head.parentElement;
    const down = head.getAttribute("aria-sort") === "ascending";
    const column = [...row.children].indexOf(head);
    const body = head.closest("table").tBodies[0];
    const key = line => {
      const cell = line.children[column];
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    const order = (a, b) => typeof a === "number" ? a - b :
      a.localeCompare(b, undefined, {numeric: true});
    for (const other of row.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const lines = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(key(a), key(b)));
    body.append(...lines);
  });
for (const figure of document.querySelectorAll("figure.steps")) {
  const slider = figure.querySelector("input"), steps = figure.querySelectorAll(".step");
  slider.addEventListener("input", () => {
    steps.forEach((step, i) => { step.hidden = i !== Number(slider.value); });
    figure.querySelector("output").textContent = steps[slider.value].dataset.step;
  });
}
"""
