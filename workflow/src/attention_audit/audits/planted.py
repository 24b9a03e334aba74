"""Texts whose evidence is known: do the rankings put it first?

Claims: a ranking by importance starts with evidence far more often than chance would. Assumes that the evidence
positions are complete. An item is a token, or in a hierarchical model a sentence; a sentence is evidence where any of
its tokens is.
"""

from collections.abc import Collection, Mapping
from typing import Any

from attention_audit.audits.erasure import erasable
from attention_audit.audits.rankings import RANKERS, TOPS, falling
from attention_audit.readout import Readout

Items = Mapping[str, Collection[int]]
"""The items that are evidence, by the text's id."""


def planted(readout: Readout, evidence: Items) -> dict[str, Any]:
    """Columns id, ranking, on_evidence, chance; one row for each ranking (`TOPS`) and text that `evidence` has.

    on_evidence: whether the item that the ranking puts first is evidence. chance: the share of items that are evidence.
    Evidence behind the last item, which a Transformer has not read, is left out.
    """
    rows: list[tuple[str, str, bool, float]] = []
    for texts in erasable(readout):
        for ranking in TOPS:
            # none of these rankings draws random numbers, so the seed has no effect
            tops = falling(RANKERS[ranking](texts, readout.ids, 0), texts.lengths, texts.words)[:, 0].tolist()
            of_texts = (texts.members.tolist(), texts.lengths.tolist(), texts.words.tolist(), tops)
            for member, length, words, top in zip(*of_texts, strict=True):
                if readout.ids[member] in evidence:
                    items = {item for item in evidence[readout.ids[member]] if item < words}
                    rows.append((readout.ids[member], ranking, top in items, len(items) / length))
    columns = ("id", "ranking", "on_evidence", "chance")
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}
