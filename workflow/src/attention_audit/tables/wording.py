"""How metrics, rows and numbers are worded wherever tables are shown."""

from __future__ import annotations

import math
import re

from attention_audit.names import JAIN_WALLACE, attribution_name
from attention_audit.tables.architectures import MODELS

HEADINGS = {
    "mean_length": "mean length (tokens)",
    "sd_length": "sd of length",
    "mean_sentences": "mean sentences",
    "sd_sentences": "sd of sentences",
    "tokens_with_vector": "train tokens with vector",
    "f1": "F1",
    "roc_auc": "ROC-AUC",
    "tvd": "TVD",
    "jsd": "JSD (nats)",
    "admissible_share": "texts with an adversary",
    "both_flip": "both flip (%)",
    "only_top_flips": "only top flips (%)",
    "only_other_flips": "only other flips (%)",
    "neither_flips": "neither flips (%)",
    "first_earlier": "first earlier (%)",
    "second_earlier": "second earlier (%)",
    "tied": "at once (%)",
    "earlier_ratio": "first / second",
    "tau": "τ",
    "tau_sd": "sd of τ over texts",
    "significant": "share with p ≤ 0.05",
    "top_k_overlap": "top-k overlap",
    "undefined": "texts without τ",
    "permutation_tvd": "TVD when permuted",
    "flat": "share of texts with flat attention",
    "permutation_tvd_flat": "TVD when permuted, flat attention",
}
ROWS = {
    "guide_uniform": "MLP, uniform weights",
    "guide_trained_mlp": "MLP, own attention",
    "guide_base_lstm": "MLP, base LSTM's attention",
    "guide_adversary": "MLP, adversary's attention",
    "instance_adversary": "per-instance adversary",
    "corrected": "corrected draw",
    "as_published": "draw as published",
    "smallest": "smallest set",
    **MODELS,
    **JAIN_WALLACE,
}
COUNTS = re.compile(
    r"instances|negative|positive|(smallest_|largest_)?class(es)?|words|train_and_dev|test|texts|excluded|undefined"
)
PERCENT = re.compile(r"(both|neither|only_(top|other))_flips?|(first|second)_earlier|tied")
LENGTHS = re.compile(r"(mean|sd)_(length|sentences)")


def heading(metric: str) -> str:
    """How a metric is called at the head of a column."""
    return HEADINGS.get(metric, metric.replace("_", " "))


def number(value: float, metric: str, paper: bool = False) -> str:
    """A value with the digits that its metric deserves; nothing for null."""
    if math.isnan(value):
        return ""
    if COUNTS.fullmatch(metric):
        return f"{value:z.0f}"
    if LENGTHS.fullmatch(metric):
        return f"{value:g}" if paper else f"{value:z.1f}"
    return f"{value:z.1f}" if PERCENT.fullmatch(metric) else f"{value:z.3f}"


def named(row: str) -> str:
    """How a row is called; one of several things by the names of all, two attributions parted by ~ as one thing."""
    return ", ".join(ROWS.get(part) or " and ".join(map(attribution_name, part.split("~"))) for part in row.split("/"))
