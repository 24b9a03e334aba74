// What else there is to know: the answers on the model, the columns of tables/texts.parquet of a text, and all its
// numbers as a table.

import { element, named } from "./element.js";
import { columnsOf, wordOf } from "./texts.js";
import { precise } from "./wording.js";

/** Show the columns of the text at a place, of tables/texts.parquet. */
export function showColumns(view, place, seed) {
  const { about } = view;
  const own = new Set(about.columns.map((column) => column.name));
  const columns = columnsOf(view, seed).filter((column) => own.has(column.name));
  named("audits").hidden = !columns.length;
  named("audits-of").textContent =
    about.columns_seed === null ? "" : `From tables/texts.parquet, of the training with seed ${about.columns_seed}.`;
  const said = (column) =>
    element(
      "dd",
      element("b", wordOf(column, column.value(place))),
      column.unit && column.value(place) !== null ? ` ${column.unit}` : "",
      element("span.quiet", column.meaning),
    );
  named("columns").replaceChildren(
    ...columns.map((column) => element("div", element("dt", column.label), said(column))),
  );
}

/** Show the answers on the model of a view: the finding, and a line a claim. */
export function showLines(view) {
  named("answer").hidden = !view.about.lines.length;
  named("answer-finding").textContent = view.about.finding;
  const cells = (texts) => texts.map((text) => element("td", text));
  named("lines").replaceChildren(
    ...view.about.lines.map(({ mark, claim, said, value, interval, next, beside, remark }) =>
      element(
        "tr",
        ...cells([mark]),
        element("th", { scope: "row" }, claim),
        ...cells([said, value, interval, next, [beside, remark].filter(Boolean).join("; ")]),
      ),
    ),
  );
}

/** The panel of all numbers: a row an item, a column a map. It is made when it is opened. */
export function numbersPanel() {
  let shown = null;
  let made = null;
  let cells = [];

  named("numbers").addEventListener("toggle", draw);

  function draw() {
    if (!shown || !named("numbers").open) {
      return;
    }
    const { view, seed, place, weights } = shown;
    const key = `${view.about.key} ${seed} ${place}`;
    if (made !== key) {
      made = key;
      const maps = view.mapsOf(place, seed);
      const values = maps.map((map) => view.values(place, map.key));
      const head = ["", "item", "now", ...maps.map((map) => map.label)];
      const title = (label, at) => element("th", { scope: "col", class: at > 1 ? "value" : null }, label);
      named("numbers-head").replaceChildren(element("tr", ...head.map(title)));
      const words = view.texts.words[place];
      cells = words.map(() => element("td.value"));
      named("numbers-body").replaceChildren(
        ...words.map((word, at) =>
          element(
            "tr",
            element("td.value.quiet", String(at + 1)),
            element("th", { scope: "row", dir: "auto" }, word),
            cells[at],
            ...values.map((map) => element("td.value", precise(map[at]))),
          ),
        ),
      );
    }
    cells.forEach((cell, at) => {
      cell.textContent = precise(weights[at]);
    });
  }

  return {
    show(view, seed, place, weights) {
      shown = { view, seed, place, weights };
      draw();
    },
  };
}
