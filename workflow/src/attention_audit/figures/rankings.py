"""How rankings look: in which order, by which name, colour and marker."""

from __future__ import annotations

from typing import NamedTuple

from attention_audit.figures import style


class Look(NamedTuple):
    """One ranking in figures; no two share any of these."""

    name: str
    colour: str
    marker: str


LOOKS = {
    "random": Look("random", style.ORANGE, "x"),
    "attention": Look("attention", style.BLUE, "o"),
    "gradient": Look("gradient", style.VERMILLION, "^"),
    "product": Look("product", style.GREEN, "s"),
    "smallest": Look("smallest set", style.GREY, "D"),
}
