"""The suite of Serrano & Smith 2019: HAN and FLAN, with three encoders each."""

from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.suite import ATTRIBUTED, USUAL, Schedule, SectionSuite
from attention_audit.plan.transformers import parts_of
from attention_audit.training.papers import DocumentModels, DocumentRecipe, document_models
from attention_audit.training.settings import Recipe

ENCODERS = {"rnn": "bigru", "conv": "conv", "none": "none", "transformer": "transformer"}


class SerranoSmith(SectionSuite[DocumentModels]):
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
    section = DocumentModels
    own_audits = (*USUAL, *ATTRIBUTED, "planted")

    @property
    def models(self) -> list[str]:
        return list(self.settings.models)

    def _recipe(self, model: str) -> DocumentRecipe:
        """How a model is trained: its own recipe, or else that of its family, or else the defaults."""
        recipes = {str(name): recipe for name, recipe in self.settings.recipes.items()}
        return recipes.get(model) or recipes.get(model.partition("_")[0]) or DocumentRecipe()

    def architecture(self, dataset: str, model: str) -> Architecture:
        family, _, encoder = model.partition("_")
        section, recipe = self.settings, self._recipe(model)
        hierarchical, convolutional = family == "han", encoder == "conv"
        embedded = self.embedded(dataset, section.embedding)
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
            **embedded,
            "hidden": section.hidden,
            "attention_hidden": embedded["embedding"] if encoder == "none" else section.attention,
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
