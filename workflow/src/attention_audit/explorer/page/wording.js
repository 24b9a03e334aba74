// The sentences and numbers of the page.

import { untouched } from "./weights.js";

/** A share, a probability or a distance. */
export function digits(value) {
  return Number.isFinite(value) ? value.toFixed(3).replace(/^-(0\.0+)$/, "$1") : "not defined";
}

/** A value of a map, which may be small or above 1. */
export function precise(value) {
  return value === 0 ? "0" : Math.abs(value) < 0.001 ? value.toExponential(1) : value.toFixed(3);
}

/** A count with its noun. */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a hold did to the weights, in a sentence. `labelOf`: from the key of a map to its label. */
export function done(hold, labelOf) {
  const { begin, moves } = hold;
  const begun = {
    own: () => "These are the model's own weights.",
    uniform: () => "Every item has the same weight.",
    shuffle: () => "The model's own weights, dealt out to the items in another order.",
    map: () => `The weights of another map, ${labelOf(begin.key)}, on the states of this training.`,
    erase: () =>
      [
        "Nothing is erased yet.",
        `The first item by ${labelOf(begin.key)} has no weight, and the others share it.`,
        `The first ${begin.count} items by ${labelOf(begin.key)} have no weight, and the others share it.`,
      ][Math.min(begin.count, 2)],
  }[begin.kind]();
  if (!moves.length) {
    return begun;
  }
  const touched = new Set(moves.map(([word]) => word)).size;
  const by = `${counted(touched, "item")} moved by hand; the others keep their proportions.`;
  return begin.kind === "own" ? by : `${begun} Then ${by}`;
}

/**
 * What the numbers under a hold mean, and what they do not. isHere: whether the page computes them. itself: what the
 * model says that was trained to have these weights, such as "positive (0.9)"; null where no such model is known.
 */
export function meaning(hold, { isHere, itself }) {
  const part = isHere ? "the last step of this model" : "the rest of this model";
  const how = isHere ? "" : ", computed beforehand";
  const means =
    `The states stay as they are. So this is what ${part} says when it listens to the same states with other ` +
    `weights${how}.`;
  if (untouched(hold)) {
    return means;
  }
  const kind = hold.moves.length ? "" : hold.begin.kind;
  const not = {
    uniform: itself && `The twin that was trained with uniform weights has other states, and says ${itself}.`,
    map: itself && `The model whose map it is has other states, and says ${itself}.`,
    erase: "The erased items are not deleted from the text: the states of the others were made with them.",
  }[kind];
  const general = "It is not what a model would say that was trained to attend so, nor a model that read another text.";
  return `${means} ${not || general}`;
}

/** The decision under other weights beside the model's own. */
export function verdict(before, after, classes) {
  return before === after ? `Still ${classes[after]}` : `Now ${classes[after]}: the decision has flipped`;
}
