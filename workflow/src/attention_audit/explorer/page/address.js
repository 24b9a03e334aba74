// What is shown, and the fragment of the address that says it: a text has an address that can be sent to a colleague.

import { NOTHING } from "./weights.js";

/** What is shown before anyone has chosen. A null follows from the data. */
export const START = {
  view: null,
  seed: null,
  text: null,
  left: null,
  right: null,
  hold: NOTHING,
  find: "",
  sort: null,
  down: false,
  only: [],
  where: [],
};

const NAMES = ["view", "seed", "text", "left", "right", "sort"];
const BEGINS = {
  own: [],
  uniform: [],
  shuffle: ["seed"],
  map: ["key"],
  erase: ["key", "count"],
};
const NUMBERS = new Set(["seed", "count"]);
const DIGITS = 4;

function writeBegin(begin) {
  return [begin.kind, ...BEGINS[begin.kind].map((name) => encodeURIComponent(begin[name]))].join(",");
}

function readBegin(text) {
  const [kind, ...values] = text.split(",");
  const names = Object.hasOwn(BEGINS, kind) ? BEGINS[kind] : null;
  if (!names || values.length !== names.length) {
    return NOTHING.begin;
  }
  const begin = { kind };
  for (const [place, name] of names.entries()) {
    begin[name] = NUMBERS.has(name) ? Number.parseInt(values[place], 10) : decode(values[place]);
    if (Number.isNaN(begin[name])) {
      return NOTHING.begin;
    }
  }
  return begin;
}

/** decodeURIComponent, and the text itself where it is no such code. */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readMoves(text) {
  const pairs = text.split(",").map((pair) => pair.split(":").map(Number));
  const sound = ([word, value]) => Number.isInteger(word) && word >= 0 && value >= 0 && value <= 1;
  return pairs.filter((pair) => pair.length === 2 && sound(pair));
}

/** A condition on a column: `is` a text, or a number between `from` and `to`, either of which may be null. */
function writeCondition({ column, is = null, from = null, to = null }) {
  return is === null ? [column, "between", from ?? "", to ?? ""] : [column, "is", is];
}

function readCondition([column, kind, ...values]) {
  const number = (text) => (text === "" || text === undefined || Number.isNaN(Number(text)) ? null : Number(text));
  return kind === "is" ? { column, is: values[0] ?? "" } : { column, from: number(values[0]), to: number(values[1]) };
}

/** The fragment, from "#" on, that says a state. What is as at the start is left out. */
export function toFragment(state) {
  const parts = new URLSearchParams();
  for (const name of NAMES) {
    if (state[name] !== null) {
      parts.set(name, state[name]);
    }
  }
  if (state.down) {
    parts.set("down", "1");
  }
  if (state.find) {
    parts.set("find", state.find);
  }
  if (state.hold.begin.kind !== "own") {
    parts.set("begin", writeBegin(state.hold.begin));
  }
  if (state.hold.moves.length) {
    parts.set("moves", state.hold.moves.map(([word, value]) => `${word}:${+value.toFixed(DIGITS)}`).join(","));
  }
  for (const name of state.only) {
    parts.append("only", name);
  }
  for (const condition of state.where) {
    parts.append("where", writeCondition(condition).map(encodeURIComponent).join(","));
  }
  return `#${parts}`;
}

/** The state that a fragment says. What it does not say, or says wrongly, is as at the start. */
export function fromFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...START };
  for (const name of NAMES) {
    state[name] = parts.get(name);
  }
  state.down = parts.get("down") === "1";
  state.find = parts.get("find") ?? "";
  state.hold = {
    begin: readBegin(parts.get("begin") ?? "own"),
    moves: parts.has("moves") ? readMoves(parts.get("moves")) : [],
  };
  state.only = parts.getAll("only");
  state.where = parts.getAll("where").map((text) => readCondition(text.split(",").map(decode)));
  return state;
}
