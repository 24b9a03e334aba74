// What other weights do: the distribution beside the model's own, how far map and prediction went, and what it means.

import { bar, distributionTable } from "./distribution.js";
import { element, named } from "./element.js";
import { argmax, jsd, tvd } from "./readout.js";
import { untouched } from "./weights.js";
import { digits, done, meaning, verdict } from "./wording.js";

const QUIET_MS = 400;

function distance(name, value, most, about) {
  return [
    element("dt", name),
    element(
      "dd",
      { "data-value": value, title: about },
      element("b", digits(value)),
      element("span.gauge", bar("now", Number.isFinite(value) ? value / most : 0)),
      element("span.quiet", `of ${most === 1 ? "1" : most.toFixed(3)}`),
    ),
  ];
}

/** The class that a distribution decides for, with its probability. */
function said(classes, distribution) {
  const decided = argmax(distribution);
  return `${classes[decided]} (${digits(distribution[decided])})`;
}

/** The panel. */
export function outcomePanel() {
  let timer = null;

  function say(text) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      named("said").textContent = text;
    }, QUIET_MS);
  }

  return {
    /**
     * Show what a hold does. own, weights: the model's own map and the held one; before, after: the predictions;
     * after is null where it is not known. isHere: whether the page computes them. itself: what the
     * model predicts whose own weights they are; null where there is none. labelOf: the label of a map's key.
     */
    show(classes, hold, { own, weights, before, after, isHere, itself, labelOf }) {
      named("means").replaceChildren(
        element("b", done(hold, labelOf)),
        ` ${meaning(hold, { isHere, itself: itself && said(classes, itself) })}`,
      );
      const apart = jsd(own, weights);
      const flipped = after !== null && argmax(before) !== argmax(after);
      named("verdict").classList.toggle("flipped", flipped);
      if (!after) {
        named("verdict").textContent = "What this model would predict is not known";
        named("classes").replaceChildren(distributionTable(classes, before));
        named("distances").replaceChildren(...distance("JSD of the maps", apart, Math.LN2, "in nats"));
        return;
      }
      const moved = tvd(before, after);
      const decided = verdict(argmax(before), argmax(after), classes);
      named("verdict").textContent = untouched(hold) ? `The model says ${classes[argmax(before)]}` : decided;
      named("classes").replaceChildren(distributionTable(classes, after, { before }));
      named("distances").replaceChildren(
        ...distance("JSD of the maps", apart, Math.LN2, "Jensen-Shannon divergence from the model's own map, in nats"),
        ...distance("TVD of the predictions", moved, 1, "Total variation distance from the model's own prediction"),
      );
      if (!untouched(hold)) {
        say(`${decided}, ${digits(after[argmax(after)])}. JSD ${digits(apart)}, TVD ${digits(moved)}.`);
      }
    },
  };
}
