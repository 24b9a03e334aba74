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
  named("columns").replaceChildren(
    ...columns.map((column) =>
      element(
        "div",
        {},
        element("dt", {}, column.label),
        element(
          "dd",
          {},
          element("b", {}, wordOf(column, column.value(place))),
          column.unit && column.value(place) !== null ? ` ${column.unit}` : "",
          element("span", { class: "quiet" }, column.meaning),
        ),
      ),
    ),
  );
}

/** Show the answers on the model of a view, a line a question. */
export function showLines(view) {
  named("answer").hidden = !view.about.lines.length;
  named("lines").replaceChildren(
    ...view.about.lines.map((line) =>
      element(
        "tr",
        {},
        element("td", {}, line.mark),
        element("th", { scope: "row" }, line.asks),
        ...[line.said, line.value, line.interval, line.remark].map((text) => element("td", {}, text)),
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
      named("numbers-head").replaceChildren(
        element(
          "tr",
          {},
          ...head.map((label, at) => element("th", { scope: "col", class: at > 1 ? "value" : null }, label)),
        ),
      );
      cells = view.texts.words[place].map(() => element("td", { class: "value" }));
      named("numbers-body").replaceChildren(
        ...view.texts.words[place].map((word, at) =>
          element(
            "tr",
            {},
            element("td", { class: "value quiet" }, String(at + 1)),
            element("th", { scope: "row", dir: "auto" }, word),
            cells[at],
            ...values.map((map) => element("td", { class: "value" }, precise(map[at]))),
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
