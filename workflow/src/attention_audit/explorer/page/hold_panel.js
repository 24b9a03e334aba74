// The text with a column over each word, which a reader drags; the buttons and the slider that set all weights at once.

import { element, named, offer } from "./element.js";
import { NOTHING, afterMove, untouched } from "./weights.js";
import { digits, precise } from "./wording.js";

const STEPS = { ArrowUp: 0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1 };
const TOPS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1];
const ROOM = 1.2;
const HOW = {
  words: "Drag a column: you set how much the model listens to this word, and what it then predicts follows at once.",
  sentences:
    "Drag a column: you set how much the model listens to this sentence, and what it then predicts follows at once.",
};
const BEFOREHAND =
  "So the columns cannot be dragged: what is shown was computed beforehand, for other seeds, uniform weights and " +
  "adversaries.";
const KEYS =
  "With the keyboard: tab to the columns. Left and right choose one, up and down change its weight by 0.01, Page Up " +
  "and Page Down by 0.1; Home takes it all, End gives it all. The other weights keep their proportions.";
/** The ranking that erases in an order of its own, as good as any. */
export const RANDOM = "random";

const clamped = (value) => Math.min(Math.max(value, 0), 1);

/** The weight at the top of the columns: a round number with some room above the greatest. */
function topOf(own, weights) {
  const most = ROOM * Math.max(...own, ...weights);
  return TOPS.find((top) => top >= most) ?? 1;
}

/** The panel. `change`: called with the new hold. */
export function holdPanel(change) {
  let view = null;
  let state = null;
  let place = null;
  let own = [];
  let weights = [];
  let scale = 1;
  let columns = [];
  let dragging = null;

  const begin = (made) => change({ begin: made, moves: [] });
  const others = () => view.otherSeeds(place, state.seed);
  const adversaries = () => view.adversaries(place, state.seed);
  const after = (keys) => {
    const at = state.hold.begin.kind === "map" ? keys.indexOf(state.hold.begin.key) : -1;
    return { kind: "map", key: keys[(at + 1) % keys.length] };
  };

  named("uniform").addEventListener("click", () => begin({ kind: "uniform" }));
  named("shuffle").addEventListener("click", () => begin({ kind: "shuffle", seed: (state.hold.begin.seed ?? 0) + 1 }));
  named("another").addEventListener("click", () => begin(after(others())));
  named("adversary").addEventListener("click", () => begin(after(adversaries())));
  named("reset").addEventListener("click", () => change(NOTHING));
  named("erase").addEventListener("input", erase);
  named("ranking").addEventListener("change", erase);

  function erase() {
    begin({ kind: "erase", key: named("ranking").value, count: Number(named("erase").value) });
  }

  function move(word, value) {
    change(afterMove(state.hold, word, clamped(value)));
  }

  function focusOn(word) {
    columns.forEach((column, other) => column.setAttribute("tabindex", other === word ? "0" : "-1"));
    columns[word].focus();
  }

  function onKey(event, word) {
    const forward = getComputedStyle(named("words")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const next = word + (event.key === forward ? 1 : -1);
      focusOn(Math.min(Math.max(next, 0), columns.length - 1));
    } else if (event.key in STEPS) {
      move(word, weights[word] + STEPS[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** On the column, the pointer's height is the weight; on the word below it, the way that the pointer goes. */
  function onDown(event, word) {
    if (event.button !== 0) {
      return;
    }
    const track = columns[word].querySelector(".track").getBoundingClientRect();
    const onTrack = event.clientY <= track.bottom;
    const at = (y) => ((track.bottom - y) / track.height) * scale;
    const start = onTrack ? 0 : weights[word] - at(event.clientY);
    dragging = { word, value: (y) => start + at(y) };
    columns[word].setPointerCapture(event.pointerId);
    focusOn(word);
    event.preventDefault();
    if (onTrack) {
      move(word, dragging.value(event.clientY));
    }
  }

  function onMove(event, word) {
    if (dragging?.word === word) {
      move(word, dragging.value(event.clientY));
    }
  }

  function onUp() {
    if (dragging) {
      dragging = null;
      paint();
    }
  }

  function column(word, at, speaks) {
    const direction = speaks === null ? "" : speaks[at] < 0 ? "against" : "for";
    const isMark = at >= own.length - view.texts.marks[place];
    const classes = ["word", direction, isMark ? "mark" : ""].filter(Boolean).join(" ");
    const parts = [
      element("span.track", element("i.now"), element("i.was")),
      element("span.name", word),
    ];
    if (!view.about.here) {
      return element("div", { class: classes }, ...parts);
    }
    const noun = view.about.items === "sentences" ? "sentence" : "word";
    const says = { for: ", speaks for the prediction", against: ", speaks against the prediction", "": "" }[direction];
    return element(
      "div",
      {
        class: classes,
        role: "slider",
        tabindex: at === 0 ? "0" : "-1",
        "aria-label": `Weight of ${noun} ${at + 1}, ${word}${says}`,
        "aria-orientation": "vertical",
        "aria-valuemin": "0",
        "aria-valuemax": "1",
        on: {
          keydown: (event) => onKey(event, at),
          pointerdown: (event) => onDown(event, at),
          pointermove: (event) => onMove(event, at),
          pointerup: onUp,
          pointercancel: onUp,
        },
      },
      ...parts,
    );
  }

  function build() {
    const { about, texts } = view;
    const speaks = view.direction(place, state.seed);
    columns = texts.words[place].map((word, at) => column(word, at, speaks));
    named("words").className = about.here ? about.items : `${about.items} fixed`;
    named("words").dir = "auto";
    named("words").replaceChildren(...columns);
    named("how").textContent = about.here ? HOW[about.items] : `${about.why_not} ${BEFOREHAND}`;
    named("keys").textContent = about.here ? KEYS : "";
    const rankings = view
      .mapsOf(place, state.seed)
      .filter((map) => map.kind !== "attention" || map.key === `attention:${state.seed}`)
      .map((map) => [map.key, map.label]);
    const chosen = named("ranking").value;
    const known = [...rankings, [RANDOM, "chance"]];
    offer(named("ranking"), known, known.some(([key]) => key === chosen) ? chosen : known[0][0]);
    named("erase").max = String(columns.length);
    for (const [id, there] of [
      ["uniform", about.here || view.imposed(place, state.seed, "uniform")],
      ["shuffle", about.here],
      ["another", others().length > 0],
      ["adversary", adversaries().length > 0],
      ["erase", about.here],
      ["ranking", about.here],
    ]) {
      named(id).disabled = !there;
    }
  }

  function paint() {
    if (!dragging) {
      scale = topOf(own, weights);
    }
    columns.forEach((column, at) => {
      column.style.setProperty("--now", `${100 * Math.min(weights[at] / scale, 1)}%`);
      column.style.setProperty("--was", `${100 * Math.min(own[at] / scale, 1)}%`);
      column.title = `${precise(weights[at])}, the model's own ${precise(own[at])}`;
      if (view.about.here) {
        column.setAttribute("aria-valuenow", String(weights[at]));
        column.setAttribute("aria-valuetext", `${digits(weights[at])}, the model's own ${digits(own[at])}`);
      }
    });
    const { begin: from } = state.hold;
    const isErased = from.kind === "erase";
    const count = isErased ? Math.min(from.count, columns.length) : 0;
    if (isErased) {
      named("ranking").value = from.key;
    }
    named("erase").value = String(count);
    named("erase").setAttribute("aria-valuetext", `${count} of ${columns.length}`);
    named("erase-count").textContent = String(count);
    const pressed = {
      uniform: from.kind === "uniform",
      shuffle: from.kind === "shuffle",
      another: from.kind === "map" && others().includes(from.key),
      adversary: from.kind === "map" && adversaries().includes(from.key),
    };
    Object.entries(pressed).forEach(([id, is]) => named(id).setAttribute("aria-pressed", String(is)));
    named("reset").disabled = untouched(state.hold);
    const colours = columns.some((column) => column.matches(".for, .against"))
      ? " Blue speaks for the model's own decision; orange with stripes, against it."
      : "";
    named("scale").textContent =
      `A full column is a weight of ${scale}. The line in it is the model's own weight.${colours}`;
  }

  return {
    /** Show a text under a hold; own, held: the model's own weights and those that the hold makes. */
    show(opened, wanted, at, { own: theirs, weights: made }) {
      const other = opened !== view || at !== place || wanted.seed !== state?.seed;
      view = opened;
      state = wanted;
      place = at;
      own = theirs;
      weights = made;
      if (other) {
        dragging = null;
        build();
      }
      paint();
    },
  };
}
