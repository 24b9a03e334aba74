// The colours of shaded words. Blue and orange stay apart under the common kinds of colour blindness; what speaks
// against the decision is underlined with dots, too.

const FOR = [0, 80, 158];
const AGAINST = [213, 94, 0];
const MARK = [255, 224, 138];
const WHITE = [255, 255, 255];

/** Relative luminance of red, green and blue of 0 to 255, as WCAG 2 defines it. */
function luminance(colour) {
  const linear = colour.map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/** Black or white, whichever stands out more. */
function inkOn(colour) {
  return (luminance(colour) + 0.05) ** 2 > 1.05 * 0.05 ? "#000" : "#fff";
}

/** Background and ink of a word: `share` is its part of the greatest value, from -1 to 1, of a map of a kind. */
export function shade(kind, share) {
  const full = kind === "mark" ? MARK : share < 0 ? AGAINST : FOR;
  const strength = Math.min(Math.abs(share), 1);
  const mixed = WHITE.map((white, part) => Math.round(white + (full[part] - white) * strength));
  return { background: `rgb(${mixed.join(" ")})`, ink: inkOn(mixed) };
}
