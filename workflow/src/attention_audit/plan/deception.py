"""The suite of Pruthi et al. 2020: honest models, and liars that hide by their attention what they rely on."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import NamedTuple, get_args

from attention_audit.config import Config
from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.suite import ATTRIBUTED, USUAL, Schedule, SectionSuite
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.training.papers import Deceiver, Deception
from attention_audit.training.settings import DeceptionObjective, Objective, Recipe, TrainSettings

HONEST, LIAR, ANONYMISED = "honest", "liar_lambda", "anonymised"
BEFORE: dict[Deceiver, str] = {"base": "", "embedding": "embedding_", "bilstm": "bilstm_"}
"""How the names of models begin, by what they are built of."""
CALLED: dict[Deceiver, str] = {"base": "", "embedding": "embedding, ", "bilstm": "BiLSTM, "}
"""The same of their labels."""
MARKERS: dict[Deceiver, str] = {"base": "o", "embedding": "s", "bilstm": "D"}
COLOURS = ("vermillion", "blue", "purple", "orange", "sky", "black", "grey")
"""Of liars, by the place of their lambda; then from the first again."""
PUBLISHED = Recipe(average=True, amsgrad=False, weight_decay=0.0, measure="accuracy", class_weights=False, scored=True)
"""How the authors' code trains; every epoch is selected on dev, of liars too."""


class Built(NamedTuple):
    """What a model is built of, and which it is: honest, a liar with a lambda, or anonymised."""

    of: Deceiver
    which: str
    lambda_: float | None


def looks(kinds: Sequence[Deceiver], liars: Mapping[str, str]) -> dict[str, Look]:
    """How all models of these kinds look. liars: what each is called, by what stands in its name for its lambda."""
    found = {}
    for kind in kinds:
        before, called, marker = BEFORE[kind], CALLED[kind], MARKERS[kind]
        found[f"{before}{HONEST}"] = Look(f"{called}{HONEST}", "green", "^" if kind == "base" else marker)
        for (value, label), colour in zip(liars.items(), cycle(COLOURS), strict=False):
            found[f"{before}{LIAR}{value}"] = Look(f"{called}{label}", colour, marker)
        found[f"{before}{ANONYMISED}"] = Look(f"{called}trained without the impermissible words", "grey", "x")
    return found


class PruthiDeception(SectionSuite[Deception]):
    """Models by the names in their paths: honest, liar_lambda<lambda>, and anonymised, which reads no impermissible
    word.

    Those that are built as Wiegreffe & Pinter's base model have these names; before those of the paper's models stands
    embedding_ or bilstm_. The honest one that is built as the base model is the base model.
    """

    key = "pd"
    paper = "PD2020"
    title = "Pruthi et al. 2020"
    about = "Who notices a model whose attention was trained to hide the words that it relies on?"
    citation = (
        "Learning to Deceive with Attention-Based Explanations",
        "https://doi.org/10.18653/v1/2020.acl-main.432",
    )
    labels = Names("model", "`looks` of plan/deception.py", looks(get_args(Deceiver), {"<lambda>": "liar"}))
    section = Deception
    own_audits = (*USUAL, *ATTRIBUTED, "evidence", "impermissible", "replaced")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.base_suite = WiegreffePinter(config)
        section = self.settings
        self.built: dict[str, Built] = {}
        for kind in section.models:
            before = BEFORE[kind]
            self.built[f"{before}{HONEST}"] = Built(kind, HONEST, None)
            for value in section.lambdas:
                self.built[f"{before}{LIAR}{value!r}"] = Built(kind, LIAR, value)
            # the pieces and states of a Transformer are those of whole texts
            whole = kind == "base" and config.model.encoder == "transformer"
            if section.anonymised and not whole:
                self.built[f"{before}{ANONYMISED}"] = Built(kind, ANONYMISED, None)
        named = looks(section.models, {repr(value): f"liar (lambda {value:g})" for value in section.lambdas})
        own = {name: look for name, look in named.items() if section.anonymised or not name.endswith(ANONYMISED)}
        self.labels = Names(self.labels.kind, self.labels.where, own)

    @property
    def models(self) -> list[str]:
        return list(self.built)

    @property
    def judged(self) -> list[str]:
        """All but those that read other texts."""
        return [name for name, built in self.built.items() if built.which != ANONYMISED]

    def objective(self, dataset: str, model: str) -> Objective:
        lambda_ = self.built[model].lambda_
        return super().objective(dataset, model) if lambda_ is None else DeceptionObjective(lambda_=lambda_)

    def architecture(self, dataset: str, model: str) -> Architecture:
        kind = self.built[model].of
        if kind == "base":
            return self.base_suite.architecture(dataset, "base")
        section = self.settings
        return Architecture(
            encoder="bilstm" if kind == "bilstm" else "none",
            attention="linear",
            **self.embedded(dataset, section.embedding),
            hidden=section.hidden,
            attention_hidden=section.hidden,
        )

    def schedule(self, dataset: str, model: str) -> Schedule:
        """The base model's, but that its liars have epochs and a rate of their own, since they have two things to
        learn; of the paper's models theirs.
        """
        section, built = self.settings, self.built[model]
        if built.of != "base":
            recipe = PUBLISHED.model_copy(
                update={"learning_rate": section.learning_rate, "batch_size": section.batch_size}
            )
            return Schedule(recipe, section.epochs, section.patience)
        honest = self.base_suite.schedule(dataset, "base")
        if built.lambda_ is None:
            return honest
        recipe = honest.optimisation.model_copy(update={"learning_rate": section.learning_rate})
        return Schedule(recipe, section.epochs)

    def training(self, dataset: str, model: str, seed: int) -> TrainSettings:
        settings = super().training(dataset, model, seed)
        without = self.built[model].which == ANONYMISED
        return settings.model_copy(update={"anonymised": without})
