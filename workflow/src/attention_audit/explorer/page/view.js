// One judged model on one data set, as explorer/document.py describes it: what there is to know of each text.

import { lead, meanOf } from "./readout.js";
import { uniform } from "./weights.js";

/** What there is to know of all views, from the page itself. */
export function readAbout() {
  return JSON.parse(document.getElementById("about").textContent);
}

/** The texts of a view, from base64 of gzip of JSON. */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** The view of a key, unpacked. */
export async function openView(about) {
  const holder = [...document.querySelectorAll("script[data-view]")].find((node) => node.dataset.view === about.key);
  return new View(about, await unpack(holder.textContent));
}

/** A view; texts are named by their place, seeds by their number. */
export class View {
  constructor(about, texts) {
    this.about = about;
    this.texts = texts;
    // a number alone would be taken for a value
    this.classes = about.classes.map((name) => (/^\d+$/.test(name) ? `class ${name}` : name));
    this.maps = new Map(about.maps.map((map) => [map.key, map]));
  }

  get count() {
    return this.texts.id.length;
  }

  /** The place of the text with an id; -1 where there is none. */
  placeOf(id) {
    return this.texts.id.indexOf(id);
  }

  /** The class that a seed predicts. */
  prediction(place, seed) {
    return this.texts.runs[seed].prediction[place];
  }

  /** The seed's own distribution over classes, from Python. */
  distribution(place, seed) {
    return this.texts.runs[seed].p[place];
  }

  /** The maps of a kind that a text has, of a seed or of no seed. */
  mapsOf(place, seed) {
    return this.about.maps.filter(
      (map) =>
        (map.kind === "attention" || map.seed === null || map.seed === seed) &&
        (map.computed !== "stored" || this.texts.maps[map.key]?.[place]),
    );
  }

  /** The H x L weights of the heads of a map; null where the map is one. */
  heads(place, key) {
    const stored = this.texts.maps[key]?.[place];
    return stored && Array.isArray(stored[0]) ? stored : null;
  }

  /** The L values of a map, of several heads their mean; null where the text has none. */
  values(place, key) {
    const map = this.maps.get(key);
    if (!map) {
      return null;
    }
    if (map.computed === "even") {
      return uniform(this.texts.words[place]);
    }
    if (map.computed === "exact") {
      const reading = this.reading(place, map.seed);
      return lead(reading).map((value, word) => reading.attention[word] * value);
    }
    const heads = this.heads(place, key);
    return heads ? meanOf(heads) : (this.texts.maps[key]?.[place] ?? null);
  }

  /** The attention of a seed (L). */
  attention(place, seed) {
    return this.values(place, `attention:${seed}`);
  }

  /** What readout.js needs to compute the prediction of a text; without z where the page cannot compute it. */
  reading(place, seed) {
    const { z, bias, tail } = this.texts.runs[seed];
    return {
      attention: this.attention(place, seed),
      z: z?.[place],
      bias: bias?.[place],
      tail,
      candidates: this.texts.candidates[place],
    };
  }

  /**
   * By how much each word speaks for the prediction (L), of any size: only signs and proportions count. Null where this
   * is not known.
   */
  direction(place, seed) {
    if (this.about.here && !this.about.tail) {
      return lead(this.reading(place, seed));
    }
    return this.values(place, `contribution:${seed}`);
  }

  /** The prediction of a seed's states under another map, computed by Python; null where it is not known. */
  imposed(place, seed, key) {
    return this.texts.imposed[seed]?.[key]?.[place] ?? null;
  }

  /** What the model predicts whose own map it is; null where that is not known. */
  own(place, key) {
    const map = this.maps.get(key);
    if (map?.seed !== null && map?.kind === "attention" && this.texts.runs[map.seed]) {
      return this.distribution(place, map.seed);
    }
    return this.texts.own[key]?.[place] ?? null;
  }

  /** Keys of the attention of other seeds. */
  otherSeeds(place, seed) {
    return this.mapsOf(place, seed)
      .filter((map) => map.kind === "attention" && map.seed !== null && map.seed !== seed)
      .map((map) => map.key);
  }

  /** Keys of the maps of adversaries. */
  adversaries(place, seed) {
    return this.mapsOf(place, seed)
      .filter((map) => map.kind === "attention" && map.seed === null && map.computed === "stored")
      .map((map) => map.key);
  }
}
