// The page: what is shown, who changes it, and its address.

import { fromFragment, toFragment } from "./address.js";
import { element, named, offer } from "./element.js";
import { numbersPanel, showColumns, showLines } from "./facts_panel.js";
import { RANDOM, holdPanel } from "./hold_panel.js";
import { listPanel } from "./list_panel.js";
import { mapsPanel } from "./maps_panel.js";
import { outcomePanel } from "./outcome_panel.js";
import { predict } from "./readout.js";
import { confidence } from "./texts.js";
import { showTokens } from "./tokens_panel.js";
import { openView, readAbout } from "./view.js";
import { NOTHING, held, shuffled } from "./weights.js";
import { digits } from "./wording.js";

const ADDRESS_MS = 300;
const PLACES_IN_HISTORY = ["view", "seed", "text"];

const about = readAbout();
const list = listPanel(change);
const maps = mapsPanel(change);
const hold = holdPanel((made) => change({ hold: made }));
const outcome = outcomePanel();
const numbers = numbersPanel();

let state = null;
let view = null;
let timer = null;

/** Say something in the place of, or above, the text; "" says nothing. */
function notice(text) {
  named("notice").hidden = !text;
  named("notice").textContent = text;
}

/** The state with all that follows from the data: a view, a seed, a text and two maps that are there. */
function settled(wanted, opened) {
  const { about: known } = opened;
  const seed = known.seeds.find((one) => String(one) === String(wanted.seed)) ?? known.seeds[0];
  const whole = { ...wanted, view: known.key, seed };
  if (opened.placeOf(whole.text) < 0) {
    const first = list.places(opened, whole)[0] ?? 0;
    whole.hold = whole.text === null ? whole.hold : NOTHING;
    whole.text = opened.texts.id[first];
  }
  const place = opened.placeOf(whole.text);
  const offered = opened.mapsOf(place, seed);
  const has = (key) => offered.some((map) => map.key === key);
  const own = `attention:${seed}`;
  const other = [
    ...opened.otherSeeds(place, seed),
    ...opened.adversaries(place, seed),
    ...offered.map((map) => map.key),
  ];
  whole.left = has(whole.left) ? whole.left : own;
  whole.right = has(whole.right) ? whole.right : (other.find((key) => key !== whole.left) ?? own);
  return whole;
}

/** Go where a state says. Resolves when it is shown. */
async function go(wanted) {
  const known = about.views.find((one) => one.key === wanted.view) ?? about.views[0];
  if (view?.about !== known) {
    const opened = await openView(known);
    view = opened;
  }
  const lost = [
    wanted.view && wanted.view !== known.key ? `no model ${wanted.view}` : "",
    wanted.text && view.placeOf(wanted.text) < 0 ? `no text ${wanted.text}` : "",
  ].filter(Boolean);
  notice(lost.length ? `This page has ${lost.join(", and ")}; it shows another.` : "");
  state = settled(wanted, view);
  draw();
}

/** Change some of the state, and show it. */
async function change(changes) {
  const before = state;
  const wanted = { ...state, ...changes };
  if (changes.view || changes.seed) {
    await go(wanted);
  } else {
    state = wanted;
    draw(before);
  }
  writeAddress(PLACES_IN_HISTORY.some((name) => before[name] !== state[name]));
}

/** Other places have an entry of their own in the history; what is done at a place has the place's, after a while. */
function writeAddress(isOther) {
  clearTimeout(timer);
  if (isOther) {
    history.pushState(null, "", toFragment(state));
  } else {
    timer = setTimeout(() => history.replaceState(null, "", toFragment(state)), ADDRESS_MS);
  }
}

function drawScope() {
  const shown = view.about;
  const unique = (members, key, label) => [...new Map(members.map((one) => [one[key], one[label]])).entries()];
  const ofData = about.views.filter((one) => one.dataset === shown.dataset);
  const ofSuite = ofData.filter((one) => one.suite === shown.suite);
  offer(named("dataset"), unique(about.views, "dataset", "dataset_name"), shown.dataset);
  offer(named("suite"), unique(ofData, "suite", "suite_name"), shown.suite);
  offer(named("model"), unique(ofSuite, "model", "model_name"), shown.model);
  offer(
    named("seed"),
    shown.seeds.map((seed) => [seed, String(seed)]),
    String(state.seed),
  );
}

function drawHeading(place) {
  const { texts, classes, about: shown } = view;
  const predicted = classes[view.prediction(place, state.seed)];
  const gold = classes[texts.gold[place]];
  named("kicker").textContent = [
    shown.dataset_name,
    shown.suite_name,
    shown.model_name,
    `seed ${state.seed}`,
    state.text,
  ].join(" · ");
  const beside =
    gold === undefined
      ? "nobody knows the label."
      : predicted === gold
        ? "so do the data."
        : element("span.wrong", "the data say ", element("b", gold), ".");
  named("decision").replaceChildren(
    shown.tokens ? "What follows is " : "The model says ",
    element("b", predicted),
    ` (${digits(confidence(view, place, state.seed))})`,
    ...(shown.tokens ? [] : ["; ", beside]),
  );
  named("why").hidden = state.text !== texts.id[0] || state.seed !== shown.seeds[0];
  named("why").textContent = shown.opening;
  named("query").hidden = texts.query[place] === null;
  named("query").replaceChildren(
    element("b", "Read together with: "),
    element("span", { dir: "auto" }, texts.query[place] ?? ""),
  );
  const places = list.places(view, state);
  const at = places.indexOf(place);
  named("previous").disabled = at <= 0;
  named("next").disabled = at < 0 ? !places.length : at >= places.length - 1;
  document.title = `${state.text} · Attention audit: explorer`;
}

function walk(step) {
  const places = list.places(view, state);
  const place = places[places.indexOf(view.placeOf(state.text)) + step];
  change({ text: view.texts.id[place] });
}

/** The map of a key as values to impose or to rank by. */
function mapOf(place, key) {
  const { length } = view.texts.words[place];
  return key === RANDOM ? shuffled([...Array(length).keys()], length) : view.values(place, key);
}

function drawHold(place) {
  const own = view.attention(place, state.seed);
  const weights = held(own, state.hold, (key) => mapOf(place, key));
  const isHere = view.about.here;
  const reading = view.reading(place, state.seed);
  const { begin } = state.hold;
  const beforehand =
    begin.kind === "own"
      ? view.distribution(place, state.seed)
      : view.imposed(place, state.seed, begin.key ?? begin.kind);
  hold.show(view, state, place, { own, weights });
  outcome.show(view.classes, state.hold, {
    own,
    weights,
    before: isHere ? predict(reading, own) : view.distribution(place, state.seed),
    after: isHere ? predict(reading, weights) : beforehand,
    isHere,
    itself: view.own(place, begin.key ?? begin.kind),
    labelOf: (key) => view.maps.get(key)?.label ?? "chance",
  });
  numbers.show(view, state.seed, place, weights);
  named("address").href = toFragment(state);
}

/** Show the state; `before`: what was shown, null where all may be other. */
function draw(before = null) {
  if (before && before.text !== state.text) {
    state = settled({ ...state, hold: NOTHING }, view);
  }
  const place = view.placeOf(state.text);
  const same = (...names) => before && names.every((name) => before[name] === state[name]);
  named("text").hidden = false;
  if (!before) {
    drawScope();
    showLines(view);
    drawFooter();
  }
  if (!same("text", "seed", "find", "only", "where", "sort", "down")) {
    list.show(view, state);
    drawHeading(place);
  }
  if (!same("text", "seed", "left", "right")) {
    maps.show(view, state, place);
  }
  if (!same("text", "seed")) {
    showColumns(view, place, state.seed);
    showTokens(view, state, place);
  }
  drawHold(place);
}

/** What the page computes of a view, and how. */
function computed({ here, tail, tokens }) {
  if (tokens) {
    return "Each token is shown with what is read before it; the first piece, and those of a template, are not words.";
  }
  if (!here) {
    return "All predictions of this model were computed beforehand, by its own layers.";
  }
  const sum = "With attention a, what each item adds z, and a bias b, the last step of this model is ";
  return `${sum}${tail ? "softmax(W tanh(Σ a z + b) + c)" : "softmax(Σ a z + b)"}. The page computes it.`;
}

function drawFooter() {
  const { shown, of, why } = view.about.sampled;
  const count = (texts) => texts.toLocaleString("en");
  const made = new Date(about.made).toISOString().slice(0, 16).replace("T", " ");
  const commit = about.commit ? `, commit ${about.commit.slice(0, 10)}` : "";
  const texts =
    shown < of
      ? `${count(shown)} of the ${count(of)} test texts are on this page. ${why}`
      : "All test texts are on this page.";
  named("about-page").replaceChildren(
    element("p", texts),
    element("p", `${computed(view.about)} Nothing leaves your machine.`),
    element(
      "p",
      `Made ${made} UTC${commit}. `,
      about.report ? element("a", { href: about.report }, "The report of this run") : "",
    ),
  );
}

/** The view of a data set, suite and model, as near to the shown one as there is. */
function nearest(wanted) {
  const score = (one) =>
    ["dataset", "suite", "model"].reduce(
      (total, name, place) => total + (one[name] === wanted[name] ? 4 >> place : 0),
      0,
    );
  return about.views.reduce((best, one) => (score(one) > score(best) ? one : best));
}

for (const id of ["dataset", "suite", "model"]) {
  named(id).addEventListener("change", (event) => {
    const { dataset, suite, model } = view.about;
    const found = nearest({ dataset, suite, model, [id]: event.target.value });
    change({ view: found.key, text: null, left: null, right: null, hold: NOTHING, where: [], sort: null });
  });
}
named("seed").addEventListener("change", (event) =>
  change({ seed: event.target.value, left: null, right: null, hold: NOTHING }),
);
named("previous").addEventListener("click", () => walk(-1));
named("next").addEventListener("click", () => walk(1));
named("skip").addEventListener("click", () => named("main").focus());
addEventListener("hashchange", async () => {
  await go(fromFragment(location.hash));
  const { top } = named("main").getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) {
    named("main").scrollIntoView();
  }
});

if (!about.views.length) {
  notice("This run has no model whose texts could be shown.");
} else if (typeof DecompressionStream === "undefined") {
  notice(
    "This browser is too old to read the data of this page. Chrome from 80, Firefox from 113 and Safari from 16.4 can.",
  );
} else {
  go(fromFragment(location.hash));
}
