"""A small document of the explorer, with a view of every kind, whose texts and names are hostile.

Beside it, what a page computes of a view, in plain arithmetic as `explorer.document` says it.
"""

import gzip
import json
import math
from base64 import b64decode
from dataclasses import replace

import numpy as np
from readouts import make_heads, make_pairs, make_readout

from attention_audit.explorer.document import About
from attention_audit.explorer.views import ViewBuilder

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


def unpack(text):
    """Read the view that `document.pack_view` has written, as the page does."""
    return json.loads(gzip.decompress(b64decode(text)))


def scores(weights, z, bias):
    """The sum of a_t z_t and b, output by output."""
    outputs = len(bias)
    return [bias[o] + sum(a * z[t * outputs + o] for t, a in enumerate(weights)) for o in range(outputs)]


def logits_of(values, tail=None, candidates=None):
    """The logit of each class."""
    if tail is not None:
        bent = [math.tanh(value) for value in values]
        values = [
            sum(w * x for w, x in zip(row, bent, strict=True)) + c
            for row, c in zip(tail["weight"], tail["bias"], strict=True)
        ]
    values = [0.0, *values] if len(values) == 1 else values
    return [value if candidates is None or place in candidates else -math.inf for place, value in enumerate(values)]


def list_shown(view, seed, text, weights):
    """The logits of a text under some weights, from what is written in the page."""
    run = view["runs"][str(seed)]
    values = scores(weights, run["z"][text], run["bias"][text])
    return logits_of(values, run.get("tail"), view["candidates"][text])


def predicted(view, seed, text, weights):
    """What the states of a seed predict of a text under some weights."""
    parts = [math.exp(logit) for logit in list_shown(view, seed, text, weights)]
    return [part / sum(parts) for part in parts]


LINE = {
    "mark": "·●·", "claim": "<i>It</i> may be read", "said": "in part", "value": ".35", "interval": ".33 to .37",
    "next": ".22 to .48", "beside": "", "remark": HOSTILE[0],
}  # fmt: skip


def make_view(key, texts, seeds, make=make_readout, **further):
    """Make a view of some texts, of readouts that `make` makes."""
    dataset, suite, model = key.split("/")
    lengths = [3 + (place * 5) % 9 for place in range(texts)]
    ids = [f"{dataset}-test-{place:05d}" for place in range(texts)]

    def read(seed):
        return replace(make(lengths, seed=seed, **further), ids=ids)

    runs = {seed: read(seed) for seed in seeds}
    random = np.random.default_rng(0)

    def draw_values():
        words = zip(ids, runs[seeds[0]].words, strict=True)
        return {id_: random.uniform(-1, 1, count).astype(np.float32) for id_, count in words}

    attributions = {name: draw_values() for name in ("gradient", "loo", "integrated_gradients")}
    attributions["integrated_gradients"] = dict([*attributions["integrated_gradients"].items()][:-1])
    moved = read(1)
    flat = moved.attention if moved.several is None else [own.ravel() for own in moved.several.weights]
    builder = ViewBuilder(
        about={
            "dataset": dataset,
            "suite": suite,
            "model": model,
            "items": "sentences" if suite == "ss" else "words",
            "dataset_name": f"<i>{dataset}</i> & more",
            "suite_name": f"The suite <u>{suite}</u>",
            "model_name": f"the model </script>{model}",
            "opening": f"Shown first because <b>{model}</b> is sure.",
            "sampled": {"of": 2 * texts, "shown": texts, "why": "The page shows a sample, drawn by label."},
            "missing": {},
            "columns_seed": 10,
            "finding": HOSTILE[0] if suite == "wp" else "",
            "lines": [LINE] if suite == "wp" else [],
        },
        classes={place: f"<b>class {place}</b>" for place in range(9)},
        texts=[
            {
                "tokens": [HOSTILE[(place + word) % len(HOSTILE)] for word in range(length)],
                "sentences": [*range(length)],
                "query": ["who", "<b>asks</b>?"] if make is make_pairs else None,
                "marks": [[0]] if place else None,
            }
            for place, length in enumerate(lengths)
        ],
        runs=runs,
        twin=read(2),
        others=[
            (name, name, f"This is {name}.", read(seed)) for seed, name in enumerate(("adversary", "continuation"))
        ],
        instance=dict(zip(ids, flat, strict=True)),
        attributions=attributions,
        columns={
            id_: {
                "agree": place % 3,
                "moved": None if place == 1 else place / 10,
                "survives_item": place % 2 == 0,
                "words": ["yes" if place % 2 else "unstable"],
            }
            for place, id_ in enumerate(ids)
        },
    )
    return builder.describe_view(), builder.write_view()


def example():
    """A document and its views by key: two classes, four classes, pairs, and heads."""
    views = [
        make_view("needle/wp/base", 12, [10, 257]),
        make_view("needle/jw/lstm_tanh", 12, [10]),
        make_view("news/ss/han_rnn", 8, [10], outputs=4),
        make_view("debate/jw/lstm_tanh", 6, [10, 257], make_pairs, outputs=4, classes=3),
        make_view("sst/hf/base", 5, [10, 257], make_heads, classes=2, marks=2),
    ]
    about = About(
        made="2019-11-03T12:00:00+00:00",
        commit="0123456789abcdef",
        report="report.html",
        views=[of_view for of_view, _ in views],
    )
    return about, {of_view["key"]: full for of_view, full in views}
