"""How data sets, models, rankings and attributions are called, and how they look, in tables and figures."""

from collections.abc import Iterable
from typing import NamedTuple

from attention_audit.errors import AuditError, suggest


class Style(NamedTuple):
    """How tables and figures show a name: its label, its colour (a key of `figures.colours.PALETTE`) and its marker."""

    label: str
    colour: str = "black"
    marker: str = "o"


def show_name(name: str) -> str:
    """Show a name that has no label: as it is or, of a function of the user's own, "module:name", by its last part."""
    return name.partition(":")[2].replace("_", " ") or name


class Names(dict[str, Style]):
    """How the names of one kind look, in the order of tables and figures. Others look alike, and stand behind them."""

    def __missing__(self, name: str) -> Style:
        return Style(show_name(name), "grey", "v")

    @property
    def labels(self) -> dict[str, str]:
        """Return the label of every name."""
        return {name: look.label for name, look in self.items()}

    def arrange(self, names: Iterable[str]) -> list[str]:
        """Return each of these names once, in the order of tables and figures; others follow in theirs."""
        present = dict.fromkeys(names)
        return [*(name for name in self if name in present), *(name for name in present if name not in self)]


ENCODER_LABELS = {
    "bilstm": "BiLSTM",
    "lstm": "LSTM",
    "bigru": "BiGRU",
    "conv": "CNN",
    "affine": "every word by itself",
    "none": "no encoder",
    "transformer": "Transformer",
    "orthogonal_bilstm": "orthogonal BiLSTM",
    "orthogonal_lstm": "orthogonal LSTM",
}
"""What encoders are called where a reader asks what a model is built of."""


def describe_parts(encoder: str, attention: str, hierarchical: bool) -> str:
    """Return what a model is built of, in words, from the names that its configuration has for them."""
    label = ENCODER_LABELS.get(encoder, encoder.replace("_", " "))
    levels = ", words then sentences" if hierarchical else ""
    return f"{label}{levels}, {attention.replace('_', ' ')} attention"


PAPER_NAMES = {
    "sst": "SST",
    "imdb": "IMDb",
    "agnews": "AgNews",
    "newsgroups": "20News",
    "diabetes": "Diabetes",
    "anemia": "Anemia",
    "tweets": "ADR tweets",
    "agnews-4": "AgNews, 4 classes",
    "newsgroups-20": "20News, 20 classes",
    "yahoo": "Yahoo",
    "imdb-jmars": "IMDB (Diao)",
    "imdb-ratings": "IMDb, 8 ratings",
    "amazon": "Amazon",
    "yelp": "Yelp",
    "snli": "SNLI",
    "babi-1": "bAbI 1",
    "babi-2": "bAbI 2",
    "babi-3": "bAbI 3",
    "cnn": "CNN",
    "imdb-words": "IMDb",
    "yelp-hat": "Yelp-HAT",
    "sst-wiki": "SST+Wiki",
    "pronoun": "Gender Identify",
}


MEAN_ROW, LAST_ROW, NEAREST, SHUFFLED = "mean_row", "last_row", "nearest", "shuffled"
"""Maps that every generated token has: the mean of all layers' rows, the last layer's row, the yardstick, and the
control.
"""
LOO = "loo"
"""What a token loses without each unit."""
TOKEN_MAPS = {
    LAST_ROW: "last layer's row",
    NEAREST: "nearest words",
    SHUFFLED: "shuffled",
    LOO: "leave-one-out",
}
"""What every generated token has beside the maps that are asked for."""

NUMBERED = {
    f"{part}_{number}": Style(f"{part} {number}", colour, "1234pdhH8"[number % 9])
    for part, colour, most in (("head", "black", 32), ("layer", "grey", 48))
    for number in range(1, most + 1)
}
"""Maps of one head of a Transformer's last layer, or of one of its layers; several have the same marker."""

MAPS = Names(
    {
        MEAN_ROW: Style("mean of all layers' rows", "sky", "o"),
        "received": Style("attention received", "sky", "s"),
        "largest_head": Style("largest head", "sky", "^"),
        "rollout": Style("rollout", "orange", "s"),
        "flow": Style("attention flow", "orange", "D"),
        "value_norm": Style("value norm", "green", "o"),
        "globenc": Style("GlobEnc", "green", "D"),
        "alti": Style("ALTI", "green", "^"),
        "attcat": Style("AttCAT", "vermillion", "o"),
        "gradient_attention": Style("gradient × attention, rolled", "vermillion", "s"),
        "input_gradient": Style("input × gradient", "vermillion", "D"),
        "attn_lrp": Style("AttnLRP", "purple", "o"),
        "decompx": Style("DecompX", "purple", "s"),
        "value_zeroing": Style("value zeroing", "grey", "o"),
        "lime": Style("LIME", "grey", "s"),
        "kernel_shap": Style("KernelSHAP", "grey", "^"),
        **NUMBERED,
    },
)
"""The maps of a Transformer that `maps` computes, in the order of tables."""


def refuse_unknown_maps(names: Iterable[str]) -> None:
    """Raise AuditError for the first map of a Transformer that nobody computes: neither one of MAPS nor a function."""
    for name in names:
        if name not in MAPS and ":" not in name:
            # one of each kind stands for those with other numbers
            known = ", ".join(map_ for map_ in MAPS if map_ not in NUMBERED or map_.endswith("_1"))
            raise AuditError(
                "",
                f"map {name!r} is not known to tables and figures{suggest(name, MAPS)} (known: {known})",
                "choose one of these, or a name with a colon, or declare it in MAPS of attention_audit/names.py",
            )


RANKINGS = Names(
    {
        "random": Style("random", "orange", "x"),
        "attention": Style("attention", "blue", "o"),
        "gradient": Style("gradient", "vermillion", "^"),
        "product": Style("attention × gradient", "green", "s"),
        "loo": Style("leave-one-out", "purple", "P"),
        "integrated_gradients": Style("integrated gradients", "black", "*"),
        "smallest": Style("smallest set", "grey", "D"),
        **MAPS,
    },
)
"""The rankings whose items are erased or deleted, from the top of figures to the bottom."""

ATTRIBUTIONS = Names(
    {
        "attention": Style("attention"),
        "gradient": Style("gradient", "blue"),
        "gradient_attached": Style("attached gradient", "sky"),
        "loo": Style("leave-one-out", "vermillion"),
        "integrated_gradients": Style("integrated gradients", "green"),
    },
)
"""The methods that give every token of a text a score, in the order of tables and figures."""


PLAUSIBLE = Names(
    {
        **{name: look for name, look in RANKINGS.items() if name not in ("random", "smallest")},
        "contribution": Style("absolute contribution", "sky", "D"),
        "word_gradient": Style("gradient of the words", "orange", "v"),
        "gradient_attached": Style("attached gradient", "grey", "<"),
        "random": RANKINGS["random"],
        "frequency": Style("rare words first", "grey"),
        "others": Style("the other annotators", "black"),
    },
)
"""Whatever is held against marked words: attributions, then two floors and the ceiling."""


def display_name(dataset: str) -> str:
    """Return the name that the papers give a data set, or its key in the configuration where they have none."""
    return PAPER_NAMES.get(dataset, dataset)
