"""The audits: which there are, which trainings each is asked of, and why a model is not asked one.

An audit's file is of one model whose attention is in question, and, where it is the first of its suite, of all that it
is held against.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from attention_audit.columns.kinds import Artefact
from attention_audit.errors import AuditError, add_place, suggest
from attention_audit.targets import find_fault, load, name_columns

from .model import Model, Run

OWN_RULE = "own_audit"
"""The rule that makes an audit of the user's own."""


def list_runs(model: Model) -> list[Run]:
    """List the trainings of a model."""
    return model.runs


def list_others(model: Model, *audits: str) -> list[Model]:
    """List the models that a model is held against in these audits: all that are not in question, where it is the first
    of its suite, which is to be asked one of them.
    """
    leads = model is model.data.judged[0] and not model.data.named.isdisjoint(audits)
    return [reader for reader in model.data.models.values() if leads and reader.listed and not reader.judged]


def list_predicting_runs(model: Model) -> list[Run]:
    """List the trainings of a model and of all that it is held against."""
    models = list_others(model, "performance", "predictions")
    return [run for each in (model, *models) for run in each.runs]


def list_attending_runs(model: Model) -> list[Run]:
    """List the trainings of a model and of those whose attention is held against known evidence too."""
    models = [reader for reader in list_others(model, "evidence") if reader.attends]
    return [run for each in (model, *models) for run in each.runs]


def list_compared_runs(model: Model) -> list[Run]:
    """List the base model's first training, and the trainings that are compared with it."""
    base, models = model.data.base, model.data.models.values()
    if base is None or model is not model.data.judged[0]:
        return []
    compared = (Run(contrast, seed) for contrast in models for seed in contrast.compared)
    return [base, *(run for run in compared if run != base and "test" in run.model.splits)]


def list_first_runs(model: Model) -> list[Run]:
    """List the first training of a base model, or all of another model."""
    base = model.data.base
    if base is None:
        return model.runs
    return [base] if model is base.model else []


def list_shown_runs(model: Model) -> list[Run]:
    """List the first training of a base model, and all adversaries of it."""
    families = model.contrasts.adversaries if model.contrasts else []
    return [run for run in list_compared_runs(model) if run == model.data.base or run.model.family in families]


def find_split(run: Run) -> Literal["dev", "test", ""]:
    """Find the split on which a training is chosen among adversaries: test where the model is given, "" where it is not
    read out there.
    """
    split: Literal["dev", "test"] = "dev" if run.model.data.judged[0].settings else "test"
    return split if split in run.model.splits else ""


def list_chosen_runs(model: Model) -> list[Run]:
    """List the base model's first training, and those that are compared with it where adversaries are chosen."""
    return [run for run in list_compared_runs(model) if find_split(run)]


ListRuns = Callable[[Model], list[Run]]
"""Lists the trainings of a model of which an audit is asked."""


class AuditedModel(NamedTuple):
    """What decides which audits a model is asked, before anything is read of it.

    name: of the model, and title: of its suite, in sentences. base: whether its suite has a base model. network:
    whether it can be run again. count: counts the trainings that a function lists of it. generates: whether it is asked
    of generated tokens alone.
    """

    name: str
    title: str
    base: bool
    network: bool
    count: Callable[[ListRuns], int]
    generates: bool = False


def describe_model(model: Model) -> AuditedModel:
    """Describe a model of the configuration."""
    suite, generates = model.data.suite, model.tokens is not None
    return AuditedModel(
        model.name, suite.title, suite.base, model.network, lambda list_of: len(list_of(model)), generates
    )


@dataclass(frozen=True)
class Audit:
    """One audit: rows of one Parquet file a data set and model.

    name: of the file. asks: the question, in a sentence. rule: that makes it, perhaps with others. network: whether it
    needs models that can be run again; base: a model that others are compared with; generated: is of tokens that a
    model generates. What else a model or its texts must have is found as the files are read. explain: says why a model
    is not asked, as it has too few trainings or others beside it; "" where it is. after: an audit of the same suite
    that it reads, where that is possible.

    target: the function of one of the user's own, "module:name", which takes a readout and returns columns.
    """

    name: str
    asks: str
    rule: str = OWN_RULE
    network: bool = False
    base: bool = False
    generated: bool = False
    runs: ListRuns = list_runs
    least: int = 1
    after: str = ""
    target: str = ""

    def explain_few(self, model: AuditedModel) -> str:
        """Say that a model has too few trainings, or too few others beside it; "" where it has enough."""
        if model.count(self.runs) >= self.least:
            return ""
        seeds = "model with several seeds"
        lack = seeds if self.runs is list_runs else "model to compare with the base model"
        return f"is not asked, as {model.title} has no {lack} here"

    def find_lack(self, model: AuditedModel) -> str:
        """Say what it needs and a model has not, as far as that is known before its files are read; "" where nothing
        is lacking.
        """
        if self.generated != model.generates:
            lack = "generates no tokens here" if self.generated else "is asked of its generated tokens alone"
            return f"is not asked, as {model.name} {lack}"
        if self.network and not model.network:
            return f"needs a network that can be run again, and of {model.name} only readouts are given"
        if self.base and not model.base:
            return "needs a base model that others are compared with, which this suite has not"
        return ""


_LISTED = (
    Audit("performance", "How well does each model predict the gold labels?", "performance"),
    Audit("predictions", "What does each model predict of each text?", "performance"),
    Audit(
        "comparison",
        "How far do other seeds, uniform weights and adversaries move attention and predictions from the base model's?",
        "comparison",
        base=True,
        runs=list_compared_runs,
        least=2,
    ),
    Audit(
        "consistency",
        "How far is each model from the base model on the development split, where adversaries may be chosen?",
        "comparison",
        base=True,
        runs=list_chosen_runs,
        least=2,
    ),
    Audit(
        "stability",
        "How far do attention and predictions move from any seed to any other?",
        "stability",
        least=2,
    ),
    Audit(
        "map_stability",
        "Does any other training put the words of a text in the same order, by attention and by every further map?",
        "stability",
        least=2,
    ),
    Audit(
        "permutation",
        "How far does the prediction move when the attention weights are shuffled over the items?",
        "permutation",
    ),
    Audit(
        "heads",
        "Which head of several, if any, can be read: does the prediction depend on its weights, do they rank?",
        "permutation",
    ),
    Audit(
        "contributions",
        "Is attention proportional to what each item adds to the decision, and does it speak for the prediction?",
        "erasure",
    ),
    Audit(
        "instance_adversary",
        "How far can attention go, text by text, while the prediction stays?",
        "instance_adversary",
        runs=list_first_runs,
    ),
    Audit(
        "single_weight",
        "Does erasing the item of the highest weight matter more than erasing another one?",
        "erasure",
    ),
    Audit(
        "ranked_sets",
        "How many items go, from the top of a ranking downward, until the decision flips; and how much do the first of "
        "them decide (AOPC)?",
        "erasure",
    ),
    Audit(
        "shuffles",
        "What is decided under shuffles of the attention weights that are imposed: how early do erasures flip it, and "
        "does the item of the highest weight speak for it?",
        "erasure",
    ),
    Audit("evidence", "Where the evidence is known: how much attention falls on it?", "plausibility"),
    Audit(
        "plausibility",
        "Where words are marked: do attention, and what else a readout says of the items, point to them?",
        "plausibility",
    ),
    Audit("planted", "Where the evidence is known: do rankings put it first?", "plausibility"),
    Audit("cut_texts", "Of which texts does a Transformer read the beginning only?", "performance"),
    Audit(
        "attention_maps",
        "Which words of a few texts have the attention of the base model and of its adversaries?",
        "attention_maps",
        base=True,
        runs=list_first_runs,
        after="instance_adversary",
    ),
    Audit(
        "correlation", "Does attention rank the tokens as gradients and leave-one-out do?", "attribution", network=True
    ),
    Audit(
        "agreement",
        "How far do any two attributions agree, integrated gradients included?",
        "attribution",
        network=True,
    ),
    Audit("conicity", "How alike are the hidden states of a text?", "attribution", network=True),
    Audit(
        "impermissible",
        "Where impermissible words are named: how much attention falls on them, and what is predicted without them?",
        "attribution",
        network=True,
    ),
    Audit(
        "located",
        "Are the words with weight those without which the model predicts something else?",
        "attribution",
        network=True,
    ),
    Audit(
        "attribution_stability",
        "Does any other training put the words of a text in the same order, by what the model says of its words?",
        "attribution",
        network=True,
        least=2,
    ),
    Audit(
        "replaced",
        "Are they the same words where others stand in for them, in the place of deleting them?",
        "attribution",
        network=True,
    ),
    Audit(
        "soft",
        "Is what an attribution gives high scores missed where words are erased in part, in proportion to them?",
        "attribution",
        network=True,
    ),
    Audit(
        "plausible_words",
        "Where words are marked: do gradients, leave-one-out and integrated gradients point to them?",
        "attribution",
        network=True,
    ),
    Audit(
        "word_attributions",
        "What do gradients, leave-one-out and integrated gradients say of each word?",
        "attribution",
        network=True,
    ),
    Audit("generated", "What may maps of generated tokens be read as?", "generate", generated=True),
)
"""The one list that a new one is entered in."""
AUDITS: Mapping[str, Audit] = {audit.name: audit for audit in _LISTED}
"""By name, in the order in which they are listed."""


def find_audit(name: str) -> Audit:
    """Find an audit by its name; "module:function" is one of the user's own, whose columns the module declares under
    the function's name in capital letters. Raises AuditError where there is none.
    """
    if ":" in name:
        return build_own_audit(name)
    if name not in AUDITS:
        names = ", ".join(AUDITS)
        raise AuditError("audits", f"{name!r} is not known{suggest(name, AUDITS)}", f"name one of {names}")
    return AUDITS[name]


@cache
def build_own_audit(target: str) -> Audit:
    """Build an audit of the user's own from its function. Raises AuditError where function or columns are missing."""
    name, columns = target.partition(":")[2], name_columns(target)
    if fault := find_fault(target) or find_fault(columns):
        with add_place("audits"):
            raise fault
    if name in AUDITS:
        raise AuditError(f"audits: {target}", f"{name} is an audit already", "rename the function")
    kind = load(columns)
    if not isinstance(kind, Artefact) or kind.path != f"audits/{{dataset}}/{{model}}/{name}.parquet":
        raise AuditError(
            f"audits: {columns}",
            f"declares no columns of {name}",
            f"write describe_file({name!r}, ...).add_columns(...)",
        )
    return Audit(name, kind.meaning, target=target)
