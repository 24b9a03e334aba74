"""The suite of Jain & Wallace 2019: three encoders, two attentions, single texts and pairs."""

from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.suite import ATTRIBUTED, USUAL, Schedule, SectionSuite
from attention_audit.plan.transformers import parts_of
from attention_audit.training.papers import Combinations, combinations

ENCODERS = {"lstm": "bilstm", "cnn": "conv", "average": "affine", "transformer": "transformer"}
ATTENTIONS = {"tanh": "additive", "dot": "dot", "drawn": "drawn"}
ENCODER_LABELS = {"lstm": "BiLSTM", "cnn": "CNN", "average": "average", "transformer": "Transformer"}
ATTENTION_LABELS = {"tanh": "additive", "dot": "dot product", "drawn": "drawn by lot"}
KERNELS = [1, 3, 5, 7]
PAIRS = {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
"""How models of pairs are trained differently; many epochs may share the highest accuracy, which saturates."""


class JainWallace(SectionSuite[Combinations]):
    """The models whose attention is correlated and permuted, by the names in their paths: <encoder>_<attention>."""

    key = "jw"
    paper = "JW2019"
    title = "Jain & Wallace 2019"
    about = "Does attention agree with gradients and leave-one-out, and do other weights give other predictions?"
    citation = ("Attention is not Explanation", "https://doi.org/10.18653/v1/N19-1357")
    labels = Names(
        "model",
        "`labels` of plan/jain_wallace.py",
        lambda: {
            name: Look(f"{ENCODER_LABELS.get(encoder, encoder)} ({ATTENTION_LABELS.get(attention, attention)})")
            for name, (encoder, attention) in combinations().items()
        },
    )
    takes_pairs = True
    section = Combinations
    own_audits = (*USUAL, "instance_adversary", "correlation", "agreement", *ATTRIBUTED)

    @property
    def models(self) -> list[str]:
        return list(self.settings.models)

    def architecture(self, dataset: str, model: str) -> Architecture:
        encoder, attention = combinations()[model]
        recipe = self.settings.recipe
        width = 2 * recipe.hidden if encoder == "lstm" else recipe.hidden
        parts = {
            "encoder": ENCODERS.get(encoder, encoder),
            "attention": ATTENTIONS.get(attention, attention),
            **self.embedded(dataset, recipe.embedding),
            "hidden": recipe.hidden // len(KERNELS) if encoder == "cnn" else recipe.hidden,
            "attention_hidden": width // 2,
            "pair": self.config.corpora[dataset].pair,
        }
        if encoder == "transformer":
            states = parts_of(self.config)
            parts |= states | {"attention_hidden": max(1, states["hidden"] // 2)}
        return Architecture.model_validate(parts | ({"kernels": KERNELS} if encoder == "cnn" else {}))

    def schedule(self, dataset: str, model: str) -> Schedule:
        recipe = self.settings.recipe
        other = PAIRS if self.config.corpora[dataset].pair else {}
        return Schedule(recipe.recipe(first_epoch=recipe.first_epoch, **other), recipe.epochs)
