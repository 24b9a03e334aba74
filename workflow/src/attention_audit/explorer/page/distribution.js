// Distributions over classes, as bars with numbers.

import { element } from "./element.js";
import { argmax } from "./readout.js";
import { digits } from "./wording.js";

const MANY = 6;

/** Classes to show, in their order: all of a few; of many, the likeliest of each distribution. */
function shownClasses(distributions, most) {
  const count = distributions[0].length;
  const all = [...distributions[0].keys()];
  if (count <= most) {
    return all;
  }
  const chosen = new Set();
  for (let rank = 0; chosen.size < most - 1 && rank < count; rank += 1) {
    for (const values of distributions) {
      chosen.add([...all].sort((one, other) => values[other] - values[one] || one - other)[rank]);
    }
  }
  return all.filter((class_) => chosen.has(class_));
}

/** A bar as wide as a share of its place. */
export function bar(kind, share) {
  return element("i", { class: kind, style: { width: `${100 * share}%` } });
}

/** A distribution as bars with numbers; beside another one where `before` is given. most: how many rows at most. */
export function distributionTable(classes, now, { before = null, most = MANY } = {}) {
  const chosen = shownClasses(before ? [before, now] : [now], most);
  const decided = argmax(now);
  const rest = (values) => Math.max(1 - chosen.reduce((total, class_) => total + values[class_], 0), 0);
  const line = (name, was, is, strong) =>
    element(
      "div",
      { class: strong ? "class decided" : "class", role: "listitem", "data-was": was, "data-now": is },
      element("span.class-name", name),
      element("span.bars", was === null ? null : bar("was", was), bar("now", is)),
      element("span.value", was === null || was === is ? digits(is) : `${digits(was)} → ${digits(is)}`),
    );
  const rows = chosen.map((class_) => line(classes[class_], before && before[class_], now[class_], class_ === decided));
  const others = classes.length - chosen.length;
  if (others) {
    rows.push(line(others === 1 ? "1 other" : `${others} others`, before && rest(before), rest(now), false));
  }
  return element("div", { class: "distribution", role: "list" }, ...rows);
}
