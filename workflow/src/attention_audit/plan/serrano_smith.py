"""The suite of Serrano & Smith 2019: HAN and FLAN, with three encoders each."""

from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.corpora import vectors_of
from attention_audit.plan.suite import ATTRIBUTED, USUAL, Schedule, Suite
from attention_audit.plan.transformers import parts_of
from attention_audit.training.papers import DocumentRecipe, document_models
from attention_audit.training.settings import Recipe

ENCODERS = {"rnn": "bigru", "conv": "conv", "none": "none", "transformer": "transformer"}


class SerranoSmith(Suite):
    """The models whose attention is erased, by the names that stand in their paths: <han or flan>_<encoder>."""

    key = "ss"
    paper = "SS2019"
    title = "Serrano & Smith 2019"
    about = "Is attention a ranking by importance: which items go before the decision flips?"
    citation = ("Is Attention Interpretable?", "https://doi.org/10.18653/v1/P19-1282")
    labels = Names(
        "model",
        "`labels` of plan/serrano_smith.py",
        lambda: {
            **{name: Look(name.replace("_", " ")) for name in document_models()},
            "han_rnn": Look("HANrnn"),
            "han_conv": Look("HANconv"),
            "han_none": Look("HANnoenc"),
            "flan_rnn": Look("FLANrnn"),
            "flan_conv": Look("FLANconv"),
            "flan_none": Look("FLANnoenc"),
            "flan_transformer": Look("FLANtransformer"),
        },
    )
    own_audits = (*USUAL, *ATTRIBUTED, "planted")

    @property
    def datasets(self) -> list[str]:
        return self.config.serrano_smith.datasets

    @property
    def models(self) -> list[str]:
        return list(self.config.serrano_smith.models)

    def seeds(self, model: str) -> list[int]:
        return self.config.serrano_smith.seeds

    def _recipe(self, model: str) -> DocumentRecipe:
        """How a model is trained: its own recipe, or else that of its family, or else the defaults."""
        recipes = {str(name): recipe for name, recipe in self.config.serrano_smith.recipes.items()}
        return recipes.get(model) or recipes.get(model.partition("_")[0]) or DocumentRecipe()

    def architecture(self, dataset: str, model: str) -> Architecture:
        family, _, encoder = model.partition("_")
        section = self.config.serrano_smith
        recipe, vectors = self._recipe(model), vectors_of(self.config, dataset)
        hierarchical, convolutional = family == "han", encoder == "conv"
        embedding = vectors.dimension if vectors else section.embedding
        read = encoder == "transformer"
        dropout = {
            # a Transformer has its own
            "words": 0.0 if read else recipe.word_dropout,
            "sentences": recipe.sentence_dropout if hierarchical else 0.0,
            "convolution": recipe.conv_dropout if convolutional else 0.0,
            "logits": recipe.logit_dropout,
        }
        parts = {
            "encoder": ENCODERS.get(encoder, encoder),
            "attention": "additive",
            "embedding": embedding,
            "pretrained": vectors is not None,
            "hidden": section.hidden,
            "attention_hidden": embedding if encoder == "none" else section.attention,
            "hierarchical": hierarchical,
            "dropout": dropout,
            "initialisation": "xavier",
        }
        return Architecture.model_validate(parts | (parts_of(self.config) if read else {}))

    def schedule(self, dataset: str, model: str) -> Schedule:
        recipe = self._recipe(model)
        optimisation = Recipe(
            batch_size=recipe.batch_size,
            learning_rate=recipe.learning_rate,
            weight_decay=0.0,
            amsgrad=False,
            average=True,
            clip_norm=recipe.clip_norm,
            clip_value=recipe.clip_value,
            batch_tokens=recipe.batch_tokens,
            plateau=True,
            measure="accuracy",
            class_weights=False,
        )
        return Schedule(optimisation, recipe.epochs, recipe.patience)
