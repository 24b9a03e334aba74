// Other weights for the words of a text. A "hold" is what a reader did to them: where it began, and the words that were
// then moved by hand, one after another. The same hold gives the same weights, so that it can stand in an address.

import { normalised } from "./readout.js";

/** The same weight on every word. */
export function uniform(weights) {
  return weights.map(() => 1 / weights.length);
}

/** Numbers in [0, 1) that follow from a whole number (the generator mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The weights in another order, which a whole number decides. */
export function shuffled(weights, seed) {
  const draw = generator(seed);
  const result = [...weights];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(draw() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}

/** The words from the highest value to the lowest; equals stand in the order of the text. */
export function ranked(values) {
  return values.map((_, word) => word).sort((one, other) => values[other] - values[one] || one - other);
}

/** The weights without the first words of an order, the others renormalised; zeros where no mass remains. */
export function erased(weights, order, count) {
  const gone = new Set(order.slice(0, count));
  return normalised(weights.map((weight, word) => (gone.has(word) ? 0 : weight)));
}

/**
 * One word's weight set to a value in [0, 1]. The others share the rest in the proportions that they have; where they
 * have no mass, in those of `original`, and where that has none either, evenly.
 */
export function moved(weights, word, value, original) {
  if (weights.length === 1) {
    return [1];
  }
  const without = (values) => normalised(values.map((weight, place) => (place === word ? 0 : weight)));
  const sources = [weights, original, uniform(weights)];
  const others = sources.map(without).find((shares) => shares.some((share) => share > 0));
  return others.map((share, place) => (place === word ? value : (1 - value) * share));
}

/** The hold that leaves the model's own weights as they are. */
export const NOTHING = { begin: { kind: "own" }, moves: [] };

/** Whether a hold leaves the weights as they are. */
export function untouched(hold) {
  return hold.begin.kind === "own" && hold.moves.length === 0;
}

/** A hold with one more move; a word that was moved last has its latest value only. */
export function afterMove(hold, word, value) {
  const before = hold.moves.at(-1)?.[0] === word ? hold.moves.slice(0, -1) : hold.moves;
  return { ...hold, moves: [...before, [word, value]] };
}

/**
 * The weights under a hold (L). `attention`: the model's own. `mapOf`: from the key of a map to its values; an unknown
 * key leaves the weights as they are.
 */
export function held(attention, hold, mapOf) {
  const begun = begin(attention, hold.begin, mapOf);
  const known = hold.moves.filter(([word]) => word < attention.length);
  return known.reduce((weights, [word, value]) => moved(weights, word, value, attention), begun);
}

function begin(attention, { kind, key, seed, count }, mapOf) {
  if (kind === "uniform") {
    return uniform(attention);
  }
  if (kind === "shuffle") {
    return shuffled(attention, seed);
  }
  const values = kind === "map" || kind === "erase" ? mapOf(key) : null;
  if (!values) {
    return attention;
  }
  return kind === "map" ? values : erased(attention, ranked(values), count);
}
