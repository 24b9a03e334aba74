// The list of texts: its columns, and which texts it shows in which order.

import { digits } from "./wording.js";

/** From which JSD on, half of ln 2, an adversary is said to go far. */
export const FAR = Math.LN2 / 2;

/** Conditions that need no number: each with a label, what it means, and which columns it needs. */
export const QUICK = [
  {
    name: "wrong",
    label: "wrong",
    meaning: "The predicted class is not the gold label.",
    needs: [],
    holds: (value) => value("gold") !== null && value("predicted") !== value("gold"),
  },
  {
    name: "disagree",
    label: "seeds disagree on the top word",
    meaning: "Another seed has another word with the most attention.",
    needs: ["agree", "others"],
    holds: (value) => value("agree") < value("others"),
  },
  {
    name: "far",
    label: "adversary goes far",
    meaning: "The adversary moves the map by more than half of the largest JSD.",
    needs: ["moved"],
    holds: (value) => value("moved") > FAR,
  },
  {
    name: "against",
    label: "top word speaks against",
    meaning: "The word with the most attention lowers the predicted class.",
    needs: ["contributions"],
    holds: (value) => value("contributions") !== null && value("contributions") < 0,
  },
];

/**
 * The columns that texts are sorted and filtered by: {name, label, kind, unit, meaning, value(place)}. The first are of
 * the shown seed, the others of tables/texts.parquet.
 */
export function columnsOf(view, seed) {
  const { texts, about } = view;
  const own = [
    ["gold", "gold label", "text", "what the data say", (place) => view.classes[texts.gold[place]] ?? null],
    ["predicted", "prediction", "text", "what this seed says", (place) => view.classes[view.prediction(place, seed)]],
    [
      "confidence",
      "confidence",
      "number",
      "probability of the predicted class",
      (place) => confidence(view, place, seed),
    ],
    ["length", about.items, "integer", `how many ${about.items} the text has`, (place) => texts.words[place].length],
  ];
  return [
    ...own.map(([name, label, kind, meaning, value]) => ({ name, label, kind, unit: "", meaning, value })),
    ...about.columns
      .filter((column) => texts.columns[column.name])
      .map((column) => ({
        ...column,
        meaning: column.meaning.replace(/\bnull\b/g, "unknown"),
        value: (place) => texts.columns[column.name][place],
      })),
  ];
}

/** The probability of the predicted class. */
export function confidence(view, place, seed) {
  return view.distribution(place, seed)[view.prediction(place, seed)];
}

/** What a value of a column is called. */
export function wordOf(column, value) {
  if (value === null || value === undefined) {
    return "unknown";
  }
  if (column.kind === "flag") {
    return value ? "yes" : "no";
  }
  return column.kind === "number" ? digits(value) : String(value);
}

/** The quick conditions whose columns a view has, each with the number of texts of which it holds. */
export function quickOf(view, columns) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return QUICK.filter((quick) => quick.needs.every((name) => byName.has(name))).map((quick) => ({
    ...quick,
    count: view.texts.id.filter((_, place) => quick.holds((name) => byName.get(name).value(place))).length,
  }));
}

function meets(column, place, { is = null, from = null, to = null }) {
  const value = column.value(place);
  if (is !== null) {
    return wordOf(column, value) === is;
  }
  return value !== null && (from === null || value >= from) && (to === null || value <= to);
}

function compare(one, other) {
  return typeof one === "string" ? one.localeCompare(other) : Number(one) - Number(other);
}

/**
 * Places of the texts to list, in order. find: words that a text must hold, in any order. only: names of quick
 * conditions. where: conditions on columns. sort: a column, with the unknown last; down: the highest first.
 */
export function listed(view, columns, { find, only, where, sort, down }) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const wanted = find.toLowerCase().split(/\s+/).filter(Boolean);
  const quick = QUICK.filter(({ name, needs }) => only.includes(name) && needs.every((needed) => byName.has(needed)));
  const conditions = where.filter(({ column }) => byName.has(column));
  const places = view.texts.id
    .map((_, place) => place)
    .filter((place) => {
      const value = (name) => byName.get(name).value(place);
      return (
        quick.every(({ holds }) => holds(value)) &&
        conditions.every((condition) => meets(byName.get(condition.column), place, condition)) &&
        found(view.texts, place, wanted)
      );
    });
  const column = byName.get(sort);
  if (!column) {
    return down ? places.reverse() : places;
  }
  const known = places.filter((place) => column.value(place) !== null);
  const unknown = places.filter((place) => column.value(place) === null);
  known.sort((one, other) => (down ? -1 : 1) * compare(column.value(one), column.value(other)) || one - other);
  return [...known, ...unknown];
}

function found(texts, place, wanted) {
  if (!wanted.length) {
    return true;
  }
  const text = `${texts.words[place].join(" ")} ${texts.query[place] ?? ""} ${texts.id[place]}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
}
