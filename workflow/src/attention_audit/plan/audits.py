"""The audits: the one list that a new one is entered in."""

from collections.abc import Iterator

from attention_audit.columns.kinds import artefact
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.plan.audit import Audit
from attention_audit.plugins import Entries


def _faults(audit: Audit) -> Iterator[str]:
    """What is wrong with the columns that an audit declares."""
    try:
        kind = artefact(audit.columns)
    except (ImportError, AttributeError, TypeError) as error:
        yield f"{audit.columns}: no columns are declared there ({error}); name an Artefact"
        return
    path = f"audits/{{dataset}}/{{suite}}/{audit.name}.parquet"
    if (kind.name, kind.path) != (audit.name, path):
        yield f"{audit.columns} is of {kind.name}, {kind.path}; write {audit.name}, {path}"
    told = ["dataset", *(["model", "seed"] if audit.takes != "suite" else [])]
    if missing := [name for name in told if name not in kind.schema.names]:
        yield f"{audit.columns} has no column {missing[0]}, which says what was audited; add it"


_AUDITS = (
    Audit("performance", "How well does each model predict the gold labels?", of="models", takes="readout"),
    Audit(
        "predictions",
        "What does each model predict of each text?",
        target="audits.performance:predictions",
        of="models",
    ),
    Audit(
        "comparison",
        "How far do other seeds, uniform weights and adversaries move attention and predictions from the base model's?",
        target="audits.comparison:against_base",
        needs=("base",),
        of="compared",
        takes="readout_pair",
    ),
    Audit(
        "consistency",
        "How far is each model from the base model on the development split, where adversaries may be chosen?",
        target="audits.comparison:consistency",
        needs=("base",),
        of="compared",
        takes="readout_pair",
        split="dev",
    ),
    Audit(
        "stability",
        "How far do attention and predictions move from any seed to any other?",
        target="audits.comparison:between_seeds",
        of="seed_pairs",
        takes="readout_pair",
        settings=("permutation",),
    ),
    Audit(
        "map_stability",
        "Does any other training put the words of a text in the same order, by attention and by every further map?",
        of="seed_pairs",
        takes="readout_pair",
    ),
    Audit(
        "permutation",
        "How far does the prediction move when the attention weights are shuffled over the items?",
        needs=("weights",),
        settings=("permutation",),
    ),
    Audit(
        "heads",
        "Which head of several, if any, can be read: does the prediction depend on its weights, do they rank?",
        needs=("heads", "weights"),
        settings=("permutation",),
    ),
    Audit(
        "contributions",
        "Is attention proportional to what each item adds to the decision, and does it speak for the prediction?",
        needs=("linear", "weights"),
    ),
    Audit(
        "instance_adversary",
        "How far can attention go, text by text, while the prediction stays?",
        needs=("weights",),
        of="first",
        takes="readout",
        settings=("instance_adversary",),
    ),
    Audit(
        "single_weight",
        "Does erasing the item of the highest weight matter more than erasing another one?",
        target="audits.flipping_sets:single_weight",
        needs=("linear", "weights"),
        settings=("erasure",),
    ),
    Audit(
        "ranked_sets",
        "How many items go, from the top of a ranking downward, until the decision flips; and how much do the first of "
        "them decide (AOPC)?",
        target="audits.flipping_sets:ranked_sets",
        needs=("linear", "weights"),
        settings=("erasure",),
    ),
    Audit(
        "evidence",
        "Where the evidence is known: how much attention falls on it?",
        target="audits.evidence:evidence_mass",
        needs=("corpus", "marks"),
        of="attending",
    ),
    Audit(
        "plausibility",
        "Where words are marked: do attention, and what else a readout says of the items, point to them?",
        needs=("corpus", "tokens", "marks"),
    ),
    Audit(
        "planted",
        "Where the evidence is known: do rankings put it first?",
        target="audits.flipping_sets:planted",
        needs=("corpus", "linear", "weights", "marks"),
    ),
    Audit(
        "cut_texts",
        "Of which texts does a Transformer read the beginning only?",
        target="audits.performance:cut_texts",
        needs=("corpus", "tokens"),
    ),
    Audit(
        "attention_maps",
        "Which words of a few texts have the attention of the base model and of its adversaries?",
        needs=("corpus", "tokens", "base"),
        takes="suite",
        settings=("attention_maps",),
        after=("instance_adversary",),
    ),
    Audit(
        "correlation",
        "Does attention rank the tokens as gradients and leave-one-out do?",
        needs=("corpus", "network", "tokens"),
        takes="network",
        settings=("correlation",),
    ),
    Audit(
        "agreement",
        "How far do any two attributions agree, integrated gradients included?",
        target="audits.correlation:agreement",
        needs=("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement",),
    ),
    Audit(
        "conicity",
        "How alike are the hidden states of a text?",
        needs=("corpus", "network", "states", "tokens"),
        takes="network",
    ),
    Audit(
        "impermissible",
        "Where impermissible words are named: how much attention falls on them, and what is predicted without them?",
        needs=("corpus", "network", "tokens"),
        takes="network",
    ),
    Audit(
        "located",
        "Are the words with weight those without which the model predicts something else?",
        needs=("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement", "erasure", "deletion"),
    ),
    Audit(
        "attribution_stability",
        "Does any other training put the words of a text in the same order, by what the model says of its words?",
        columns="columns.map_stability:ATTRIBUTION_STABILITY",
        needs=("corpus", "network", "tokens"),
        of="seed_pairs",
        takes="network",
        settings=("agreement", "deletion"),
    ),
    Audit(
        "replaced",
        "Are they the same words where others stand in for them, in the place of deleting them?",
        needs=("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement", "erasure", "deletion"),
    ),
    Audit(
        "soft",
        "Is what an attribution gives high scores missed where words are erased in part, in proportion to them?",
        needs=("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement", "erasure", "deletion"),
    ),
    Audit(
        "plausible_words",
        "Where words are marked: do gradients, leave-one-out and integrated gradients point to them?",
        columns="columns.plausibility:PLAUSIBLE_WORDS",
        needs=("corpus", "network", "tokens", "marks"),
        takes="network",
        settings=("agreement",),
    ),
    Audit(
        "word_attributions",
        "What do gradients, leave-one-out and integrated gradients say of each word?",
        needs=("corpus", "network", "tokens"),
        of="first_seed",
        takes="network",
        settings=("agreement", "deletion"),
    ),
)
AUDITS = Entries("AUDITS", Audit, _AUDITS, faults=_faults)
"""In the order in which they are listed."""


def audit_named(name: str) -> Audit:
    """The audit of this name. Raises AuditError where there is none."""
    known = AUDITS.by_name
    if name not in known:
        raise AuditError(
            f"audit {name!r} is not known{did_you_mean(name, known)} (known: {', '.join(known)}); "
            "declare it in plan/audits.py, or ask for another"
        )
    return known[name]
