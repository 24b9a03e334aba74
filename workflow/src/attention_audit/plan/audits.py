"""The audits: the one list that a new one is entered in."""

from attention_audit.errors import AuditError
from attention_audit.plan.audit import Audit, Need
from attention_audit.spelling import did_you_mean


def _needs(*needs: Need) -> frozenset[Need]:
    return frozenset({"readouts", *needs})


AUDITS = (
    Audit(
        "performance",
        "audits.performance:performance",
        "columns.performance:PERFORMANCE",
        "How well does each model predict the gold labels?",
        of="models",
        takes="readout",
    ),
    Audit(
        "predictions",
        "audits.performance:predictions",
        "columns.predictions:PREDICTIONS",
        "What does each model predict of each text?",
        of="models",
    ),
    Audit(
        "comparison",
        "audits.comparison:against_base",
        "columns.comparison:COMPARISON",
        "How far do other seeds, uniform weights and adversaries move attention and predictions from the base model's?",
        needs=_needs("base"),
        of="compared",
        takes="readout_pair",
    ),
    Audit(
        "consistency",
        "audits.comparison:consistency",
        "columns.consistency:CONSISTENCY",
        "How far is each model from the base model on the development split, where adversaries may be chosen?",
        needs=_needs("base"),
        of="compared",
        takes="readout_pair",
        split="dev",
    ),
    Audit(
        "stability",
        "audits.stability:between_seeds",
        "columns.stability:STABILITY",
        "How far do attention and predictions move from any seed to any other?",
        of="seed_pairs",
        takes="readout_pair",
        settings=("permutation",),
    ),
    Audit(
        "permutation",
        "audits.permutation:permutation",
        "columns.permutation:PERMUTATION",
        "How far does the prediction move when the attention weights are shuffled over the items?",
        needs=_needs("weights"),
        settings=("permutation",),
    ),
    Audit(
        "heads",
        "audits.heads:heads",
        "columns.heads:HEADS",
        "Which head of several, if any, can be read: does the prediction depend on its weights, do they rank?",
        needs=_needs("heads", "weights"),
        settings=("permutation",),
    ),
    Audit(
        "contributions",
        "audits.contributions:contributions",
        "columns.contributions:CONTRIBUTIONS",
        "Is attention proportional to what each item adds to the decision, and does it speak for the prediction?",
        needs=_needs("linear", "weights"),
    ),
    Audit(
        "instance_adversary",
        "audits.instance_adversary:instance_adversary",
        "columns.instance_adversary:INSTANCE_ADVERSARY",
        "How far can attention go, text by text, while the prediction stays?",
        needs=_needs("weights"),
        of="first",
        takes="readout",
        settings=("instance_adversary",),
    ),
    Audit(
        "single_weight",
        "audits.single_weight:single_weight",
        "columns.single_weight:SINGLE_WEIGHT",
        "Does erasing the item of the highest weight matter more than erasing another one?",
        needs=_needs("linear", "weights"),
        settings=("erasure",),
    ),
    Audit(
        "ranked_sets",
        "audits.flipping_sets:ranked_sets",
        "columns.ranked_sets:RANKED_SETS",
        "How many items go, from the top of a ranking downward, until the decision flips; and how much do the first of "
        "them decide (AOPC)?",
        needs=_needs("linear", "weights"),
        settings=("erasure",),
    ),
    Audit(
        "evidence",
        "audits.evidence:evidence_mass",
        "columns.evidence:EVIDENCE",
        "Where the evidence is known: how much attention falls on it?",
        needs=_needs("corpus"),
        of="attending",
    ),
    Audit(
        "plausibility",
        "audits.plausibility:plausibility",
        "columns.plausibility:PLAUSIBILITY",
        "Where words are marked: do attention, and what else a readout says of the items, point to them?",
        needs=_needs("corpus", "tokens"),
    ),
    Audit(
        "planted",
        "audits.planted:planted",
        "columns.planted:PLANTED",
        "Where the evidence is known: do rankings put it first?",
        needs=_needs("corpus", "linear", "weights"),
    ),
    Audit(
        "cut_texts",
        "audits.performance:cut_texts",
        "columns.cut_texts:CUT_TEXTS",
        "Of which texts does a Transformer read the beginning only?",
        needs=_needs("corpus", "tokens"),
    ),
    Audit(
        "attention_maps",
        "audits.attention_maps:attention_maps",
        "columns.attention_maps:ATTENTION_MAPS",
        "Which words of a few texts have the attention of the base model and of its adversaries?",
        needs=_needs("corpus", "tokens", "base"),
        takes="suite",
        settings=("attention_maps",),
        after=("instance_adversary",),
    ),
    Audit(
        "correlation",
        "audits.correlation:correlation",
        "columns.correlation:CORRELATION",
        "Does attention rank the tokens as gradients and leave-one-out do?",
        needs=_needs("corpus", "network", "tokens"),
        takes="network",
        settings=("correlation",),
    ),
    Audit(
        "agreement",
        "audits.correlation:agreement",
        "columns.agreement:AGREEMENT",
        "How far do any two attributions agree, integrated gradients included?",
        needs=_needs("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement",),
    ),
    Audit(
        "conicity",
        "audits.conicity:conicity",
        "columns.conicity:CONICITY",
        "How alike are the hidden states of a text?",
        needs=_needs("corpus", "network", "states", "tokens"),
        takes="network",
    ),
    Audit(
        "impermissible",
        "audits.impermissible:impermissible",
        "columns.impermissible:IMPERMISSIBLE",
        "Where impermissible words are named: how much attention falls on them, and what is predicted without them?",
        needs=_needs("corpus", "network", "tokens"),
        takes="network",
    ),
    Audit(
        "located",
        "audits.located:located",
        "columns.located:LOCATED",
        "Are the words with weight those without which the model predicts something else?",
        needs=_needs("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement", "erasure", "deletion"),
    ),
    Audit(
        "plausible_words",
        "audits.plausible_words:plausible_words",
        "columns.plausibility:PLAUSIBLE_WORDS",
        "Where words are marked: do gradients, leave-one-out and integrated gradients point to them?",
        needs=_needs("corpus", "network", "tokens"),
        takes="network",
        settings=("agreement",),
    ),
    Audit(
        "word_attributions",
        "audits.word_attributions:word_attributions",
        "columns.word_attributions:WORD_ATTRIBUTIONS",
        "What do gradients, leave-one-out and integrated gradients say of each word?",
        needs=_needs("corpus", "network", "tokens"),
        of="first_seed",
        takes="network",
        settings=("agreement", "deletion"),
    ),
)
"""In the order in which they are listed."""

BY_NAME = {audit.name: audit for audit in AUDITS}


def audit_named(name: str) -> Audit:
    """The audit of this name. Raises AuditError where there is none."""
    if name not in BY_NAME:
        raise AuditError(
            f"audit {name!r} is not known{did_you_mean(name, BY_NAME)} (known: {', '.join(BY_NAME)}); "
            "declare it in plan/audits.py, or ask for another"
        )
    return BY_NAME[name]
