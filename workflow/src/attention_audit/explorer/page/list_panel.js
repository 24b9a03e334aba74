// The list of texts: search, filters, order, and a link to each text.

import { toFragment } from "./address.js";
import { element, isolated, named, offer } from "./element.js";
import { columnsOf, confidence, listed, quickOf, wordOf } from "./texts.js";
import { NOTHING } from "./weights.js";
import { counted, digits } from "./wording.js";

const STEP = 50;
const FIRST_WORDS = 24;

/** The panel. `change`: called with what of the state a reader changed. */
export function listPanel(change) {
  let view = null;
  let state = null;
  let columns = [];
  let places = [];
  let shown = STEP;

  const column = (name) => columns.find((one) => one.name === name);
  const chosenColumn = () => column(named("where-column").value) ?? columns[0];

  named("find").addEventListener("input", (event) => change({ find: event.target.value }));
  named("sort").addEventListener("change", (event) => change({ sort: event.target.value || null }));
  named("down").addEventListener("click", () => change({ down: !state.down }));
  named("more").addEventListener("click", () => {
    shown += STEP;
    drawRows();
    named("texts").children[shown - STEP]?.querySelector("a").focus();
  });
  named("where-column").addEventListener("change", drawCondition);
  named("where-add").addEventListener("click", addCondition);
  for (const form of ["finding", "scope"]) {
    named(form).addEventListener("submit", (event) => event.preventDefault());
  }

  function drawCondition() {
    const chosen = chosenColumn();
    const isNumber = chosen.kind === "number" || chosen.kind === "integer";
    named("where-is-label").hidden = isNumber;
    named("where-from-label").hidden = !isNumber;
    named("where-to-label").hidden = !isNumber;
    named("where-meaning").textContent = `${chosen.meaning}${chosen.unit ? `, in ${chosen.unit}` : ""}`;
    if (!isNumber) {
      const values = new Set(view.texts.id.map((_, place) => wordOf(chosen, chosen.value(place))));
      offer(
        named("where-is"),
        [...values].sort().map((value) => [value, value]),
        [...values].sort()[0],
      );
    }
  }

  function addCondition() {
    const { name, kind } = chosenColumn();
    const number = (id) => (named(id).value === "" ? null : Number(named(id).value));
    const condition =
      kind === "number" || kind === "integer"
        ? { column: name, from: number("where-from"), to: number("where-to") }
        : { column: name, is: named("where-is").value };
    change({ where: [...state.where, condition] });
  }

  function conditionText(condition) {
    const label = column(condition.column)?.label ?? condition.column;
    if ((condition.is ?? null) !== null) {
      return `${label} is ${condition.is}`;
    }
    const ends = [
      condition.from === null ? "" : `from ${condition.from}`,
      condition.to === null ? "" : `to ${condition.to}`,
    ];
    return `${label} ${ends.filter(Boolean).join(" ") || "is known"}`;
  }

  function drawControls() {
    named("only").replaceChildren(
      named("only").querySelector("legend"),
      ...quickOf(view, columns).map(({ name, label, meaning, count }) =>
        element(
          "label",
          { title: meaning },
          element("input", {
            type: "checkbox",
            value: name,
            "data-count": count,
            on: {
              change: (event) =>
                change({
                  only: event.target.checked ? [...state.only, name] : state.only.filter((other) => other !== name),
                }),
            },
          }),
          ` ${label} (${count.toLocaleString("en")})`,
        ),
      ),
    );
    const pairs = columns.map(({ name, label }) => [name, label]);
    offer(named("sort"), [["", "the opening text, then as in the data"], ...pairs], state.sort);
    offer(named("where-column"), pairs, pairs[0][0]);
    drawCondition();
  }

  function drawState() {
    for (const box of named("only").querySelectorAll("input")) {
      box.checked = state.only.includes(box.value);
      box.disabled = box.dataset.count === "0" && !box.checked;
    }
    if (named("find").value !== state.find) {
      named("find").value = state.find;
    }
    named("sort").value = column(state.sort) ? state.sort : "";
    named("down").setAttribute("aria-pressed", String(state.down));
    named("where").replaceChildren(
      ...state.where.map((condition, place) => {
        const text = conditionText(condition);
        const remove = () => change({ where: state.where.filter((_, other) => other !== place) });
        return element(
          "li",
          element(
            "button",
            { type: "button", "aria-label": `Remove the filter: ${text}`, on: { click: remove } },
            text,
            " ×",
          ),
        );
      }),
    );
  }

  function row(place) {
    const { texts, classes } = view;
    const predicted = classes[view.prediction(place, state.seed)];
    const gold = classes[texts.gold[place]] ?? predicted;
    const sorted = column(state.sort);
    const named_ = ["gold", "predicted", "confidence"].includes(state.sort);
    const words = texts.words[place].slice(0, texts.words[place].length - texts.marks[place]);
    const cut = words.length > FIRST_WORDS ? [...words.slice(0, FIRST_WORDS), "…"] : words;
    return element(
      "li",
      element(
        "a",
        {
          href: toFragment({ ...state, text: texts.id[place], hold: NOTHING }),
          "aria-current": texts.id[place] === state.text ? "true" : null,
        },
        element("span", { class: "snippet", dir: "auto" }, ...cut.flatMap((word) => [isolated(word), " "])),
        element(
          "span.facts",
          element("b", predicted),
          ` ${digits(confidence(view, place, state.seed))}`,
          predicted === gold ? null : element("span.wrong", ` gold: ${gold}`),
          sorted && !named_
            ? element("span.sorted", `${sorted.label} ${wordOf(sorted, sorted.value(place))}`)
            : null,
        ),
      ),
    );
  }

  function drawRows() {
    named("texts").replaceChildren(...places.slice(0, shown).map(row));
    named("more").hidden = shown >= places.length;
    const all = places.length === view.count;
    named("count").textContent = all
      ? counted(view.count, "text")
      : places.length
        ? `${places.length.toLocaleString("en")} of ${counted(view.count, "text")}`
        : "No text is like this. Remove a filter, or search for less.";
  }

  return {
    /** Places of the texts that a state lists, in order. */
    places: (opened, wanted) => listed(opened, columnsOf(opened, wanted.seed), wanted),

    /** Show the list that a state says. */
    show(opened, wanted) {
      const other = opened !== view || wanted.seed !== state.seed;
      const sameList =
        !other &&
        ["find", "sort", "down"].every((name) => state[name] === wanted[name]) &&
        state.only === wanted.only &&
        state.where === wanted.where;
      view = opened;
      state = wanted;
      if (other) {
        columns = columnsOf(view, state.seed);
        drawControls();
      }
      if (!sameList) {
        shown = STEP;
      }
      places = listed(view, columns, state);
      shown = Math.max(shown, STEP * Math.ceil((places.indexOf(view.placeOf(state.text)) + 1) / STEP));
      drawState();
      const wasInside = named("texts").contains(document.activeElement);
      drawRows();
      if (wasInside) {
        named("texts").querySelector("[aria-current]")?.focus();
      }
    },
  };
}
