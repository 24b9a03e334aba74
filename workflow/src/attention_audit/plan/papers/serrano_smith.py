"""Serrano & Smith 2019: models of documents, which attend to words or to sentences."""

from typing import Literal, get_args

from attention_audit.names import Style
from attention_audit.section import Count, OneOrMore, Positive, Section, Seed, SuiteSection
from attention_audit.training.settings import Recipe
from attention_audit.transformer.settings import ShareBelowOne

from ..model import COMMON_AUDITS, DataSet, Models, Schedule, Suite
from ..transformers import describe_encoder

DocumentModel = Literal["han_rnn", "han_conv", "han_none", "flan_rnn", "flan_conv", "flan_none", "flan_transformer"]
Recipient = DocumentModel | Literal["han", "flan"]
"""Whose a recipe may be: a model's, or a family's."""


class DocumentRecipe(Section):
    """How one model is trained: Adam on mean cross-entropy, learning rate halved when dev accuracy does not rise."""

    learning_rate: Positive = 1e-3
    """First learning rate."""
    epochs: Count = 15
    """Most epochs."""
    patience: Count = 5
    """Stop after so many epochs without a better dev accuracy."""
    batch_size: Count = 64
    """Texts in a batch, at most."""
    batch_tokens: Count | None = None
    """Most texts x tokens of the longest text of a batch (HAN: longest sentence); null: any."""
    clip_norm: Positive | None = 10.0
    """Largest norm of a step's gradient; null: no limit."""
    clip_value: Positive | None = None
    """Largest component of a step's gradient; null: no limit."""
    word_dropout: ShareBelowOne = 0.0
    """Dropout before the word encoder."""
    sentence_dropout: ShareBelowOne = 0.0
    """Dropout before the sentence encoder; FLANs have none."""
    logit_dropout: ShareBelowOne = 0.0
    """Dropout of the logits, where the authors' code has it."""
    conv_dropout: ShareBelowOne = 0.0
    """Dropout within convolutional encoders: 0.3 in the authors' code, not in their paper."""


class DocumentModels(SuiteSection):
    """Erasure (Serrano & Smith 2019): which data sets, which models, how they are trained."""

    models: OneOrMore[DocumentModel] = [*get_args(DocumentModel)[:-1]]
    """HAN reads sentences, FLAN one flat text; rnn: bidirectional GRU, conv: two convolutions, none: no encoder;
    transformer: the one of the section `transformer`.
    """
    seeds: OneOrMore[Seed] = [122]
    """Seeds of every model."""
    hidden: Count = 50
    """GRU units in each direction, and filters of each convolution."""
    attention: Count = 100
    """Width of the attention's hidden layer; without encoder, that of the embeddings."""
    embedding: Count = 200
    """Width of random embeddings; word vectors bring their own."""
    recipes: dict[Recipient, DocumentRecipe] = {}
    """How models are trained, by model, or `han` and `flan` for all others."""


OUR_ENCODERS = {"rnn": "bigru"}
"""Of encoders that the paper names otherwise."""
DOCUMENT_TRAINING = Recipe(
    weight_decay=0.0, amsgrad=False, average=True, plateau=True, measure="accuracy", class_weights=False
)
"""How the paper trains: Adam on mean cross-entropy; the rate halves where accuracy on dev does not rise."""
RECIPE_FIELDS = ("batch_size", "learning_rate", "clip_norm", "clip_value", "batch_tokens")
"""What each recipe says of it."""


def list_models(data: DataSet) -> Models:
    """List the models of Serrano & Smith 2019, HAN and FLAN, with three encoders each, by the names <han or
    flan>_<encoder>: each trained by its own recipe, or else that of its family, or else the defaults.
    """
    section = data.config.get_section(DocumentModels)
    recipes = {str(name): recipe for name, recipe in section.recipes.items()}
    embedded = data.embed(section.embedding)
    for name in section.models:
        family, _, encoder = name.partition("_")
        recipe = recipes.get(name) or recipes.get(family) or DocumentRecipe()
        pretrained, hierarchical = encoder == "transformer", family == "han"
        parts = {
            "encoder": OUR_ENCODERS.get(encoder, encoder),
            "attention": "additive",
            **embedded,
            "hidden": section.hidden,
            "attention_hidden": embedded["embedding"] if encoder == "none" else section.attention,
            "hierarchical": hierarchical,
            "dropout": {
                # a Transformer has its own
                "words": 0.0 if pretrained else recipe.word_dropout,
                "sentences": recipe.sentence_dropout if hierarchical else 0.0,
                "convolution": recipe.conv_dropout if encoder == "conv" else 0.0,
                "logits": recipe.logit_dropout,
            },
            "initialisation": "xavier",
            **(describe_encoder(data.config) if pretrained else {}),
        }
        trained = DOCUMENT_TRAINING.model_copy(update={key: getattr(recipe, key) for key in RECIPE_FIELDS})
        yield data.train(
            name, data.suite.looks[name], section.seeds, parts, Schedule(trained, recipe.epochs, recipe.patience)
        )


SUITE = Suite(
    "ss",
    paper="SS2019",
    title="Serrano & Smith 2019",
    about="Is attention a ranking by importance: which items go before the decision flips?",
    citation=("Is Attention Interpretable?", "https://doi.org/10.18653/v1/P19-1282"),
    section="serrano_smith",
    settings=DocumentModels,
    contents="Models of texts and of sentences.",
    prefix="",
    models=list_models,
    looks={
        "han_rnn": Style("HANrnn"),
        "han_conv": Style("HANconv"),
        "han_none": Style("HANnoenc"),
        "flan_rnn": Style("FLANrnn"),
        "flan_conv": Style("FLANconv"),
        "flan_none": Style("FLANnoenc"),
        "flan_transformer": Style("FLANtransformer"),
    },
    audits=(*COMMON_AUDITS, "located", "plausible_words", "word_attributions", "planted"),
)
