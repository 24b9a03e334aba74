"""The document of the explorer: all that its page reads, how it is written into the page, and what fits there.

The page `results/explorer.html` holds one short JSON text, `About`, and for each view one packed text, `View`. A view
is one judged model of one suite on one data set, with all its seeds. Only the view that is shown is unpacked.

`write_about` writes `About`: its characters `<`, `>`, `&`, U+2028 and U+2029 are \\u escapes, so that it may stand in a
`<script type="application/json">` as it is. `pack_view` writes a `View`: JSON in UTF-8, compressed with gzip, as
base64. It stands in `<script type="text/plain" data-view="KEY">`, KEY being the `key` of its `AboutView`, and a browser
reads it by

    const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const view = await new Response(stream).json();

So no text of a corpus ever stands in the page as characters: neither markup nor `</script>` in it can end an element.
Names of data sets, models, classes and files in `About` are data likewise; the page shows them by textContent alone.

The prediction. With the weights a (L,) of any map on the states of seed s, z (L, O) and bias b (O,) of `ViewRun` s,

    scores = sum over items t of a_t z_t + b.

Without a tail they are the logits: of O = 1, that of class 1, where class 0 has the logit 0; else one a class. With a
tail (models of pairs), logits = weight tanh(scores) + bias of the tail, and classes outside of `candidates` have no
logit. The prediction is the softmax of the logits. Where all of it holds, `here` is true; of several heads, a is then
their mean. Weights that a reader sets and that do not sum to 1 are divided by their sum first. Where `here` is false,
z, bias and tail are missing, `why_not` says why, and `imposed` has what Python predicts under other maps, if it can.
The states z and bias stay as they are under all maps.

Weights, states and biases have six significant digits: every logit of `here` under every map of kind "attention" agrees
with that from the readout to 1e-3.

Lists with one entry a text are in one order, that of `View.id`. An entry is null where that text has none.

What fits: a stratified sample of the texts where the page cannot show all, the same for all views of a data set.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from math import floor
from typing import Literal, NotRequired, TypedDict

import numpy as np
import pandas as pd

from attention_audit.arrays import Array, Floats

MapKind = Literal["attention", "signed", "share", "mark"]
Computed = Literal["stored", "even", "exact"]
ColumnKind = Literal["integer", "number", "flag", "text"]
Rows = list[list[float]]
"""A list of numbers of each text, or of each class."""
Predictions = list[list[float] | None]
"""The prediction (C,) of each text."""


class AboutMap(TypedDict):
    """One map over the items of each text.

    key: such as "attention:10", "uniform", "adversary", "continuation", "instance", "contribution:10", "gradient:10",
    "loo:10", "integrated_gradients:10" or "people". label: for readers. meaning: a sentence.

    kind: attention: weights that sum to 1, which can be imposed on the states; signed: above 0 speaks for the
    prediction, below 0 against it; share: magnitudes that sum to 1; mark: the share of the people who marked the word,
    0 to 1.

    computed: stored: the values stand in `View.maps`; even: 1 / L on each of L items; exact: the page computes them, as
    c_t = a_t (z_tm - sum over classes c of p_c z_tc), with a, z and p of the seed, m its predicted class, and z_t0 = 0
    for class 0 where O = 1.

    seed: the seed whose states the map is of; null where it belongs to no seed of the view, as those of adversaries do
    not. Maps of kind attention can be imposed on the states of any seed; others are of their seed alone. own: whether
    `View.own` has the prediction of the model whose map it is.
    """

    key: str
    label: str
    meaning: str
    kind: MapKind
    computed: Computed
    seed: int | None
    own: bool


class AboutColumn(TypedDict):
    """A column of tables/texts.parquet, of lists the first entry. label: its name for readers. unit: "" for none.
    meaning: a sentence.
    """

    name: str
    label: str
    kind: ColumnKind
    unit: str
    meaning: str


class SampleSize(TypedDict):
    """How many test texts there are of the data set, how many are shown, and why fewer: "" where all are."""

    of: int
    shown: int
    why: str


class AboutView(TypedDict):
    """What there is to know of a view before it is unpacked.

    key: "<data set>/<suite>/<model>", no two alike. *_name: for readers. opening: why the first of its texts is shown
    first, in a sentence. items: what the weights lie on. classes: their names in order. seeds: of the model; the first
    is shown first, and `columns` are of `columns_seed`. heads: of the maps, 0 for one map. outputs: O, 0 where `here`
    is false. tail: whether every `ViewRun` has a tail. tokens: whether its texts are tokens that follow a text, each
    with what is read before it; the id of one is that of the text, a colon, and its number from 0. missing: maps that
    this view has not, each with the reason in a sentence. finding: on the model, in words. lines: the answers, a line a
    claim, by the fields of `answer.lines.Line`.
    """

    key: str
    dataset: str
    dataset_name: str
    suite: str
    suite_name: str
    model: str
    model_name: str
    opening: str
    items: Literal["words", "sentences"]
    classes: list[str]
    seeds: list[int]
    heads: int
    outputs: int
    here: bool
    why_not: str
    tail: bool
    tokens: bool
    sampled: SampleSize
    maps: list[AboutMap]
    missing: dict[str, str]
    columns: list[AboutColumn]
    columns_seed: int | None
    finding: str
    lines: list[dict[str, str]]


class About(TypedDict):
    """The short text: when the page was made (ISO 8601), of which commit ("" if unknown), and its views in order.

    report: the address of the report beside the page, "" where the run makes none.
    """

    made: str
    commit: str
    report: str
    views: list[AboutView]


class ViewTail(TypedDict):
    """What a model of pairs has above the scores: weight (C, O), bias (C,)."""

    weight: Rows
    bias: list[float]


class ViewRun(TypedDict):
    """One seed of the model, text by text: p, its own prediction (C,); prediction, the class that it predicts; z, the
    L x O values item after item; bias (O,).
    """

    p: Rows
    prediction: list[int]
    z: NotRequired[Rows]
    bias: NotRequired[Rows]
    tail: NotRequired[ViewTail]


class Told(TypedDict):
    """What is likeliest after each text of a view of tokens, the tokens with their probabilities; and without each of
    its words.
    """

    likeliest: list[str]
    without: list[list[str]]


Weights = list[float] | Rows
"""Of one text: L values; or, where the view has heads and the map is of kind attention, a list of L values a head."""


class View(TypedDict):
    """The texts of a view: the one that is shown first, then all others in the order of the data. All lists but those
    of `tail` have one entry a text.

    words: the items: words, or whole sentences. marks: how many of the items, the last ones, are no words but marks of
    a tokenizer such as [CLS]; always 0 without heads. unread: how many words follow that the model did not read. query:
    of pairs, the second text. candidates: of pairs, the classes that may be the answer. gold: the label, -1
    where nobody knows it.

    runs: by seed, as text. maps: by the key of a stored map. imposed: where `here` is false, by seed, as text, and by
    the key of a map of kind attention: the prediction (C,) of that seed's states under that map. own: by the key of a
    map, the prediction (C,) of the model whose own map it is. columns: by name, the values of tables/texts.parquet.
    told: of a view of tokens.
    """

    id: list[str]
    words: list[list[str]]
    marks: list[int]
    unread: list[int]
    query: list[str | None]
    candidates: list[list[int] | None]
    gold: list[int]
    runs: dict[str, ViewRun]
    maps: dict[str, list[Weights | None]]
    imposed: dict[str, dict[str, Predictions]]
    own: dict[str, Predictions]
    columns: dict[str, list[str | float | bool | None]]
    told: NotRequired[Told]


ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Characters that could end a script element, begin markup, or end a line of JavaScript."""


dump = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write_about(about: About) -> str:
    """Write the short text, ready to stand in a script element."""
    return dump(about).translate(ESCAPED)


def pack_view(view: View) -> str:
    """Write the texts of a view as base64 of gzip of JSON; the same view always gives the same text."""
    # half a surrogate pair, which a damaged file may hold, has no bytes in UTF-8
    data = dump(view).encode("utf-8", "replace")
    return b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


MAX_TEXTS = 2000
"""Texts of a data set at most."""
MAX_PAGE_BYTES = 15_000_000
"""Bytes of the page at most."""


def order_texts(ids: Sequence[str], strata: Sequence[object]) -> list[int]:
    """Order the positions of all texts in an order of which any beginning is a stratified sample.

    A stratum with a share of the texts has that share of any beginning, to one text; and of each stratum one text comes
    before the second of any. Within a stratum a hash of the id decides, so that neither order nor content chooses.
    """
    hashes = [sha256(id_.encode("utf-8", "replace")).hexdigest() for id_ in ids]
    texts = pd.DataFrame({"hash": hashes, "stratum": [*strata]})
    members = texts.sort_values("hash").groupby("stratum")["hash"]
    number = members.cumcount()
    texts["rank"] = ((number + 0.5) / members.transform("size")).where(number > 0, 0.0)
    return texts.sort_values(["rank", "hash"]).index.tolist()


def share_room(counts: Mapping[str, int], sizes: Mapping[str, float], room: float) -> dict[str, int]:
    """Choose how many texts of each data set fit into `room` bytes together, at least one of each.

    counts: how many there are; sizes: bytes of one. A data set that needs no more than an equal share has all its
    texts, and what it leaves is shared among the others.
    """
    fitted: dict[str, int] = {}
    rest = room
    for name in sorted(counts, key=lambda name: counts[name] * sizes[name]):
        share = rest / (len(counts) - len(fitted))
        enough = counts[name] * sizes[name] <= share
        fitted[name] = counts[name] if enough else max(1, floor(share / sizes[name]))
        rest = max(0.0, rest - fitted[name] * sizes[name])
    return fitted


SIGNIFICANT_DIGITS = 6
"""Significant digits of weights, states and biases; the numbers that are read have seven."""
MIN_MAGNITUDE = 1e-7
"""Smaller numbers are written as 0."""


def round_digits(values: Array) -> Floats:
    """Round to `SIGNIFICANT_DIGITS`, to the nearest number; to 0 where the magnitude is below `MIN_MAGNITUDE`."""
    magnitude = np.abs(values, dtype=np.float64)
    small = magnitude < MIN_MAGNITUDE
    scale = 10.0 ** (SIGNIFICANT_DIGITS - 1 - np.floor(np.log10(np.where(small, 1.0, magnitude))))
    return np.where(small, 0.0, np.rint(values * scale) / scale)
