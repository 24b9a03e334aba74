"""A small document of the explorer, with a view of every kind, whose texts and names are hostile.

Its predictions are computed here by plain arithmetic, as `explorer.document` says that a page computes them.
"""

import gzip
import json
import math
from base64 import b64decode
from random import Random

from attention_audit.explorer.document import (
    About,
    AboutColumn,
    AboutMap,
    AboutView,
    Computed,
    MapKind,
    Run,
    Tail,
    View,
    Weights,
)

HOSTILE = (
    "</script><script>window.hurt=1</script>",
    "<img src=x onerror=window.hurt=1>",
    "&lt;b&gt;",
    "<!--",
    "]]>",
    "${window.hurt=1}",
    "line\u2028break\u2029",
    "\u202eright to left",
    "'\"`",
    "javascript:alert(1)",
    "\\u003cb\\u003e",
    "\U0001f600",
)
"""Words that must never be more than words."""


def unpack(text: str) -> View:
    """Read the view that `document.packed` has written, as the page does."""
    view: View = json.loads(gzip.decompress(b64decode(text)))
    return view


def softmax(logits: list[float]) -> list[float]:
    """Probabilities of these logits; those of minus infinity have none."""
    highest = max(logits)
    parts = [math.exp(logit - highest) for logit in logits]
    return [part / sum(parts) for part in parts]


def scores(weights: list[float], z: list[float], bias: list[float]) -> list[float]:
    """The sum of a_t z_t and b, output by output."""
    outputs = len(bias)
    return [bias[o] + sum(a * z[t * outputs + o] for t, a in enumerate(weights)) for o in range(outputs)]


def logits_of(values: list[float], tail: Tail | None = None, candidates: list[int] | None = None) -> list[float]:
    """The logit of each class."""
    if tail is not None:
        bent = [math.tanh(value) for value in values]
        values = [
            sum(w * x for w, x in zip(row, bent, strict=True)) + c
            for row, c in zip(tail["weight"], tail["bias"], strict=True)
        ]
    values = [0.0, *values] if len(values) == 1 else values
    if candidates is None:
        return values
    return [value if place in candidates else -math.inf for place, value in enumerate(values)]


def predicted(view: View, seed: int, text: int, weights: list[float]) -> list[float]:
    """What the states of a seed predict of a text under some weights."""
    run = view["runs"][str(seed)]
    values = scores(weights, run["z"][text], run["bias"][text])
    return softmax(logits_of(values, run.get("tail"), view["candidates"][text]))


def drawn(random: Random, length: int) -> list[float]:
    """Weights that sum to about 1, with three digits."""
    parts = [random.random() ** 3 + 1e-3 for _ in range(length)]
    return [float(f"{part / sum(parts):.3g}") for part in parts]


def map_(
    key: str, kind: MapKind = "attention", computed: Computed = "stored", seed: int | None = None, own: bool = False
) -> AboutMap:
    """What there is to know of a map."""
    label = key.replace(":", ", seed ").replace("_", " ")
    return AboutMap(key=key, label=label, meaning=f"This is {label}.", kind=kind, computed=computed, seed=seed, own=own)


MOVED = ("adversary", "continuation", "instance")
ATTRIBUTED = ("gradient:10", "loo:10", "integrated_gradients:10")
"""Maps that can be imposed beside those of seeds, and maps that cannot."""
COLUMNS = [
    AboutColumn(name="agree", label="seeds that agree", kind="integer", unit="seeds", meaning="same top item"),
    AboutColumn(name="moved", label="adversary goes", kind="number", unit="nats", meaning="JSD of the adversary"),
    AboutColumn(name="survives_item", label="survives", kind="flag", unit="", meaning="decision stays"),
    AboutColumn(name="words", label="top item", kind="text", unit="", meaning="the items with the most attention"),
]


LINE = {
    "mark": "·●·", "asks": "May <i>it</i> be read?", "said": "partly", "value": ".35", "interval": ".33 to .37",
    "remark": HOSTILE[0],
}  # fmt: skip


def view(
    key: str, texts: int, outputs: int, seeds: list[int], *, pairs: bool = False, heads: int = 0, draw: int = 1
) -> tuple[AboutView, View]:
    """A view of some texts; of pairs it has a tail, and with heads its predictions are known of stored maps alone."""
    random = Random(draw)
    dataset, suite, model = key.split("/")
    classes = max(2, outputs) if not pairs else 3
    lengths = [3 + (place * 5) % 9 for place in range(texts)]
    words = [[HOSTILE[(i + t) % len(HOSTILE)] for t in range(length)] for i, length in enumerate(lengths)]
    marked = 2 if heads else 0

    def weights() -> list[Weights | None]:
        return [[drawn(random, n) for _ in range(heads)] if heads else drawn(random, n) for n in lengths]

    def values() -> list[Weights | None]:
        return [[round(random.uniform(-1, 1), 3) for _ in range(n)] for n in lengths]

    imposable = [*(f"attention:{seed}" for seed in seeds), *MOVED]
    maps: dict[str, list[Weights | None]] = {name: weights() for name in imposable}
    maps |= {name: values() for name in ATTRIBUTED}
    maps["integrated_gradients:10"][-1] = None
    maps["people"] = [[float(t == 0) for t in range(n)] for n in lengths]
    maps["people"][0] = None
    if heads:
        maps |= {f"contribution:{seed}": values() for seed in seeds}
    full = View(
        id=[f"{dataset}-test-{place:05d}" for place in range(texts)],
        words=words,
        marks=[marked] * texts,
        unread=[0] * texts,
        query=["who <b>asks</b>?" if pairs else None] * texts,
        candidates=[[place % 2, 2] if pairs else None for place in range(texts)],
        gold=[place % classes for place in range(texts)],
        runs={},
        maps=maps,
        imposed={},
        own={},
        columns={
            "agree": [place % 3 for place in range(texts)],
            "moved": [None if place == 1 else round(place / 10, 3) for place in range(texts)],
            "survives_item": [place % 2 == 0 for place in range(texts)],
            "words": ["yes" if place % 2 else "unstable" for place in range(texts)],
        },
    )
    if pairs:
        full["gold"] = [full["candidates"][place][0] for place in range(texts)]  # type: ignore[index]

    def distribution() -> list[float]:
        return softmax([random.gauss(0, 2) for _ in range(classes)])

    for seed in seeds:
        run = Run(p=[], prediction=[])
        if not heads:
            width = 4 if pairs else outputs
            run["z"] = [[round(random.gauss(0, 3), 3) for _ in range(n * width)] for n in lengths]
            run["bias"] = [[round(random.gauss(0, 0.5), 5) for _ in range(width)] for _ in lengths]
            if pairs:
                weight = [[round(random.gauss(0, 2), 4) for _ in range(width)] for _ in range(classes)]
                run["tail"] = Tail(weight=weight, bias=[0.1, -0.2, 0.3])
        full["runs"][str(seed)] = run
        for place in range(texts):
            own = maps[f"attention:{seed}"][place]
            p = distribution() if heads else predicted(full, seed, place, own)  # type: ignore[arg-type]
            run["p"].append([round(part, 6) for part in p])
            run["prediction"].append(p.index(max(p)))
        if heads:
            others = {name: [distribution() for _ in lengths] for name in [*imposable, "uniform"]}
            others[f"attention:{seed}"] = run["p"]
            full["imposed"][str(seed)] = others  # type: ignore[assignment]
    full["own"] = {name: [distribution() for _ in lengths] for name in ("uniform", "adversary", "continuation")}
    exact: Computed = "stored" if heads else "exact"
    about = AboutView(
        key=key,
        dataset=dataset,
        dataset_name=f"<i>{dataset}</i> & more",
        suite=suite,
        suite_name=f"The suite <u>{suite}</u>",
        model=model,
        model_name=f"the model </script>{model}",
        opening=f"Shown first because <b>{model}</b> is sure.",
        items="sentences" if suite == "ss" else "words",
        classes=[f"<b>class {place}</b>" for place in range(classes)],
        seeds=seeds,
        heads=heads,
        outputs=0 if heads else (4 if pairs else outputs),
        here=not heads,
        why_not="The tail above the heads of a Transformer is not linear." if heads else "",
        tail=pairs,
        sampled={"of": 2 * texts, "shown": texts, "why": "The page shows a sample, drawn by label."},
        maps=[
            *(map_(f"attention:{seed}", seed=seed) for seed in seeds),
            map_("uniform", computed="even", own=True),
            *(map_(name, own=name != "instance") for name in MOVED),
            *(map_(f"contribution:{seed}", "signed", exact, seed) for seed in seeds if not pairs),
            *(map_(name, "signed", seed=10) for name in ATTRIBUTED),
            map_("people", "mark"),
        ],
        missing={"exact contribution": "Models of pairs have no such sum below their tail."} if pairs else {},
        columns=COLUMNS,
        columns_seed=10,
        lines=[LINE] if suite == "wp" else [],
    )
    return about, full


def example() -> tuple[About, dict[str, View]]:
    """A document and its views by key: two classes, four classes, pairs, and heads."""
    views = [
        view("needle/wp/base", 12, 1, [10, 257], draw=1),
        view("needle/jw/lstm_tanh", 12, 1, [10], draw=2),
        view("news/ss/han_rnn", 8, 4, [10], draw=3),
        view("debate/jw/lstm_tanh", 6, 4, [10, 257], pairs=True, draw=4),
        view("sst/hf/base", 5, 2, [10, 257], heads=3, draw=5),
    ]
    about = About(
        made="2019-11-03T12:00:00+00:00",
        commit="0123456789abcdef",
        report="report.html",
        views=[of_view for of_view, _ in views],
    )
    return about, {of_view["key"]: full for of_view, full in views}
