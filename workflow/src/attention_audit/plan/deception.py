"""The suite of Pruthi et al. 2020: honest models, and liars that hide by their attention what they rely on."""

from collections.abc import Sequence
from typing import NamedTuple

from attention_audit.config import Config
from attention_audit.contrasts import Liar
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


def liar_name(value: float) -> str:
    """What follows the beginning of the name of a liar with this lambda."""
    return f"{LIAR}{value!r}"


def looks(kinds: Sequence[Deceiver], lambdas: Sequence[float]) -> dict[str, Look]:
    """The labels of all models of these kinds."""
    return {name: look for kind in kinds for name, look in _looks_of(kind, lambdas).items()}


def _looks_of(kind: Deceiver, lambdas: Sequence[float]) -> dict[str, Look]:
    before, called, marker = BEFORE[kind], CALLED[kind], MARKERS[kind]
    liars = {
        f"{before}{liar_name(value)}": Look(f"{called}liar (lambda {value:g})", COLOURS[place % len(COLOURS)], marker)
        for place, value in enumerate(lambdas)
    }
    honest = Look(f"{called}{HONEST}", "green", "^" if kind == "base" else marker)
    without = Look(f"{called}trained without the impermissible words", "grey", "x")
    return {f"{before}{HONEST}": honest} | liars | {f"{before}{ANONYMISED}": without}


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
    labels = Names(
        "model",
        "`looks` of plan/deception.py",
        {
            f"{before}{name}": Look(f"{CALLED[kind]}{label}", colour)
            for kind, before in BEFORE.items()
            for name, label, colour in (
                (HONEST, "honest", "green"),
                (f"{LIAR}<lambda>", "liar", "vermillion"),
                (ANONYMISED, "trained without the impermissible words", "grey"),
            )
        },
    )
    section = Deception
    own_audits = (*USUAL, *ATTRIBUTED, "evidence", "impermissible")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.base_suite = WiegreffePinter(config)
        section = self.settings
        self.built = {
            f"{BEFORE[kind]}{which}": Built(kind, which, value)
            for kind in section.models
            for which, value in (
                (HONEST, None),
                *((liar_name(value), value) for value in section.lambdas),
                *([(ANONYMISED, None)] if section.anonymised and not self._given_states(kind) else []),
            )
        }
        named = looks(section.models, section.lambdas).items()
        own = {name: look for name, look in named if section.anonymised or not name.endswith(ANONYMISED)}
        self.labels = Names(self.labels.kind, self.labels.where, own)

    def _given_states(self, kind: Deceiver) -> bool:
        """Whether models read the pieces or states of a Transformer, which are those of whole texts."""
        return kind == "base" and self.config.model.encoder == "transformer"

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

    @property
    def liars(self) -> list[Liar]:
        """Every liar, beside the honest model that is built alike."""
        return [
            Liar(honest=f"{BEFORE[built.of]}{HONEST}", liar=name, lambda_=built.lambda_, seeds=len(self.seeds(name)))
            for name, built in self.built.items()
            if built.lambda_ is not None
        ]

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
