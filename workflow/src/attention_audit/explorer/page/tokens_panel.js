// A token of a language model: which of those that follow the text is shown, and what is likeliest without each word.

import { toFragment } from "./address.js";
import { element, isolated, named } from "./element.js";
import { NOTHING } from "./weights.js";
import { precise } from "./wording.js";

/** What is before the number of a token in its id: the text that it follows. */
const textOf = (id) => id.slice(0, id.lastIndexOf(":"));

/** Show the tokens of the text at a place; of a view of texts there are none. */
export function showTokens(view, state, place) {
  const { texts, classes, about } = view;
  named("tokens").hidden = named("without").hidden = !about.tokens;
  named("hold").hidden = about.tokens;
  if (!about.tokens) {
    return;
  }
  const together = texts.id.flatMap((id, at) => (textOf(id) === textOf(state.text) ? [at] : []));
  named("tokens").replaceChildren(
    "Tokens: ",
    ...together.flatMap((at) => [
      element(
        "a.token",
        {
          href: toFragment({ ...state, text: texts.id[at], hold: NOTHING }),
          "aria-current": at === place ? "true" : null,
        },
        isolated(classes[view.prediction(at, state.seed)]),
      ),
      " ",
    ]),
  );
  const { likeliest, without } = texts.told;
  const losses = view.values(place, `loo:${about.seeds[0]}`);
  named("likeliest").textContent = `With all words: ${likeliest[place]}`;
  named("deleted").replaceChildren(
    ...texts.words[place].map((word, at) =>
      element(
        "tr",
        element("th", { scope: "row", dir: "auto" }, isolated(word)),
        element("td.value", precise(losses[at])),
        element("td", without[place][at]),
      ),
    ),
  );
}
