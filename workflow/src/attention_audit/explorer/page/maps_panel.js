// A text twice, its words shaded under any two of its maps.

import { shade } from "./colours.js";
import { distributionTable } from "./distribution.js";
import { element, isolated, named } from "./element.js";
import { argmax, jsd, predict } from "./readout.js";
import { digits, precise } from "./wording.js";

const SIDES = ["left", "right"];
const FEW = 3;

/** The words of a text in spans; those that `values` has a value for are shaded, relative to `most`. */
function shaded(view, place, kind, values, most) {
  const { words, marks, unread } = view.texts;
  const count = words[place].length;
  const parts = words[place].flatMap((word, at) => {
    const share = most > 0 ? values[at] / most : 0;
    const { background, ink } = shade(kind, share);
    const against = kind === "signed" && values[at] < 0;
    const mark = at >= count - marks[place];
    const classes = [
      "shaded",
      against ? "against" : "",
      mark ? "mark" : "",
      kind === "mark" && values[at] > 0 ? "by-people" : "",
    ];
    return [
      element(
        "span",
        { class: classes.filter(Boolean).join(" "), title: precise(values[at]), style: { background, color: ink } },
        isolated(word),
      ),
      " ",
    ];
  });
  if (unread[place]) {
    parts.push(element("span.quiet", `… and ${unread[place]} words that the model did not read`));
  }
  return element("p", { class: `reading-text ${view.about.items}`, dir: "auto" }, ...parts);
}

/** The heads of a map as rows of small squares. */
function headStrip(view, place, heads, chosen, choose) {
  const words = view.texts.words[place];
  const most = Math.max(...heads.flat());
  const rows = heads.map((weights, head) => {
    const top = argmax(weights);
    const label = `Head ${head + 1}: most on ${words[top]}, ${digits(weights[top])}`;
    return element(
      "button",
      {
        type: "button",
        class: "head",
        title: label,
        "aria-label": label,
        "aria-pressed": String(chosen === head),
        on: { click: () => choose(chosen === head ? null : head) },
      },
      element("span.head-name", String(head + 1)),
      element(
        "span.head-cells",
        ...weights.map((weight) =>
          element("i", { style: { background: shade("attention", weight / most).background } }),
        ),
      ),
    );
  });
  return element(
    "div",
    { class: "heads", role: "group", "aria-label": "Heads" },
    element("p.quiet", "The shaded map is the mean of the heads; choose one to see it by itself."),
    ...rows,
  );
}

/** What the map's legend says. */
function legend(kind, most, items) {
  const word = items === "sentences" ? "sentence" : "word";
  return {
    attention: `Darkest: a weight of ${precise(most)}. All weights sum to 1.`,
    share: `Darkest: a share of ${precise(most)}. All shares sum to 1.`,
    signed: `Blue: the ${word} speaks for the prediction; orange with dots: against it. Darkest: ${precise(most)}.`,
    mark: `Darkest: ${precise(most)}.`,
  }[kind];
}

/** The panel. `change`: called with what of the state a reader changed. */
export function mapsPanel(change) {
  const heads = { left: null, right: null };
  let drawn = null;

  function valuesOf(view, place, side, key) {
    const all = view.heads(place, key);
    const head = all && heads[side] !== null ? Math.min(heads[side], all.length - 1) : null;
    return { all, head, values: head === null ? view.values(place, key) : all[head] };
  }

  /** The predictions that belong to a map: imposed on the shown states, and that of the map's own model. */
  function predictions(view, place, seed, map) {
    const { classes } = view;
    const rows = [];
    if (view.about.tokens) {
      return rows;
    }
    const isOwn = map.key === `attention:${seed}`;
    if (map.kind !== "attention" || isOwn) {
      rows.push(["Predicted by this training", view.distribution(place, seed)]);
    } else {
      const here = view.about.here
        ? predict(view.reading(place, seed), view.values(place, map.key))
        : view.imposed(place, seed, map.key);
      if (here) {
        rows.push(["Predicted with these weights and the states of this training", here]);
      }
      const own = view.own(place, map.key);
      if (own) {
        rows.push([
          map.computed === "even"
            ? "Predicted by the twin that was trained with uniform weights"
            : "Predicted by the model whose map it is, with states of its own",
          own,
        ]);
      }
    }
    return rows.map(([label, distribution]) =>
      element(
        "div.predicts",
        element("p.quiet", label),
        distributionTable(classes, distribution, { most: FEW }),
      ),
    );
  }

  function side(view, state, place, name, maps, most) {
    const map = view.maps.get(state[name]);
    const { all, head, values } = valuesOf(view, place, name, map.key);
    const label = name === "left" ? "Left map" : "Right map";
    const select = element(
      "select",
      { id: `${name}-map`, on: { change: (event) => change({ [name]: event.target.value }) } },
      ...maps.map((one) => element("option", { value: one.key, selected: one.key === map.key }, one.label)),
    );
    const redraw = (chosen) => {
      heads[name] = chosen;
      draw(...drawn);
      named(name).querySelectorAll(".head")[chosen ?? head]?.focus();
    };
    named(name).replaceChildren(
      element("p.map-choice", element("label", `${label} `, select)),
      shaded(view, place, map.kind, values, most[map.kind]),
      element("p.quiet", legend(map.kind, most[map.kind], view.about.items), ` ${map.meaning}`),
      ...(all ? [headStrip(view, place, all, head, redraw)] : []),
      ...predictions(view, place, state.seed, map),
    );
  }

  function draw(view, state, place) {
    drawn = [view, state, place];
    const maps = view.mapsOf(place, state.seed);
    const most = {};
    const both = SIDES.map((name) => {
      const map = view.maps.get(state[name]);
      const { values } = valuesOf(view, place, name, map.key);
      most[map.kind] = Math.max(most[map.kind] ?? 0, ...values.map(Math.abs));
      return { map, values };
    });
    SIDES.forEach((name) => side(view, state, place, name, maps, most));
    const comparable = both.every(({ map }) => map.kind === "attention");
    const distance = comparable ? jsd(both[0].values, both[1].values) : NaN;
    named("apart").textContent = comparable
      ? `These two maps are ${digits(distance)} nats apart (JSD; 0 is the same map, 0.693 is the furthest).`
      : "";
    named("apart").dataset.jsd = comparable ? distance : "";
    const reasons = Object.values(view.about.missing);
    named("missing").hidden = !reasons.length;
    named("reasons").replaceChildren(...reasons.map((why) => element("li", why)));
  }

  return {
    /** Show the text at a place under the two maps of a state. */
    show(view, state, place) {
      if (!drawn || drawn[0] !== view || drawn[2] !== place) {
        heads.left = heads.right = null;
      }
      draw(view, state, place);
    },
  };
}
