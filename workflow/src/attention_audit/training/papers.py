"""The sections of the configuration for models of papers beside Wiegreffe & Pinter's: of documents, combinations of an
encoder and an attention, models that deceive, LSTMs whose states are made to differ, and models that are trained anew
on masked texts; and for Transformer classifiers, which are given or fine-tuned. The papers' own values are in presets/.
"""

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from attention_audit.section import Count, NonNegative, OneOrMore, Positive, Section, Seed, SuiteSection
from attention_audit.transformer.settings import GivenClassifiers, ShareBelowOne, Tuning

from .settings import Adversary, Continuation, Guides, MaskingOrder, Optimisation

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


Combination = Literal[
    "lstm_tanh", "cnn_tanh", "average_tanh", "transformer_tanh",
    "lstm_dot", "cnn_dot", "average_dot", "transformer_dot", "average_drawn",
]  # fmt: skip
OF_SINGLE_TEXTS = ("average_drawn",)
"""The models that read no pairs: their weights follow from no query."""


class CombinationRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = 8
    """Epochs; the authors: 8, for pairs 25, for bAbI 100."""
    hidden: Count = Field(128, multiple_of=4)
    """LSTM units in each direction; width of the other encoders. The authors: 128, for bAbI 32."""
    embedding: Count = 300
    """Width of random embeddings; word vectors bring their own."""
    first_epoch: bool = True
    """Whether the first epoch may be selected; false, as in the authors' later run, leaves it out."""

    @model_validator(mode="after")
    def _check_epochs(self) -> Self:
        if self.epochs == 1 and not self.first_epoch:
            raise ValueError("epochs: 1, and the first is not to be selected; train for 2 or more")
        return self


class Combinations(SuiteSection):
    """Correlation and permutation (Jain & Wallace 2019), of single texts or pairs: data sets, models, and training."""

    models: OneOrMore[Combination] = [*get_args(Combination)[:3]]
    """Encoder and attention. lstm: bidirectional; cnn: kernels of 1, 3, 5, 7 words; average: each word by itself;
    transformer: the one of the section `transformer`. tanh: additive; dot: scaled dot product; drawn: weights that are
    never learnt, a control.
    """
    recipe: CombinationRecipe = CombinationRecipe()
    """Sizes and training."""


Deceiver = Literal["base", "embedding", "bilstm"]
"""What honest models and liars are built of: as the base model, or as one of the paper's two."""


class Deception(SuiteSection):
    """Deceptive attention (Pruthi et al. 2020): honest models beside liars, which minimise label loss - lambda log(1 -
    attention on the impermissible words). `block` in the entry of a data set names these words.
    """

    models: OneOrMore[Deceiver] = ["embedding", "bilstm"]
    """What the models are built of. embedding, bilstm: the paper's, attention with one linear unit over word vectors,
    or over the states of a bidirectional LSTM; base: as Wiegreffe & Pinter's base model.
    """
    lambdas: OneOrMore[Positive] = [0.1, 1.0]
    """Weights of the penalty; each makes a liar of each of `models`, beside an honest one."""
    seeds: OneOrMore[Seed] = [10, 50, 257, 500231, 100078]
    """Seeds of every model; the base model's own are not trained again."""
    anonymised: bool = True
    """Whether an honest model of each kind is trained without the impermissible words too."""

    epochs: Count = 15
    """Epochs of the paper's models, of which the first with the highest accuracy on dev is kept; and of a liar like the
    base model, of which that of the lowest training loss is kept.
    """
    patience: Count | None = None
    """The paper's models stop after so many epochs without a better one; null: they do not."""
    learning_rate: Positive = 1e-3
    """Learning rate of the paper's models, and of a liar."""
    batch_size: Count = 32
    """Texts in a batch of the paper's models; the authors': 1."""
    embedding: Count = 128
    """Width of random embeddings of the paper's models; word vectors bring their own."""
    hidden: Count = 64
    """Units of the paper's BiLSTM in each direction."""


DiverseModel = Literal[
    "vanilla_lstm",
    "orthogonal_lstm",
    "diversity_lstm",
    "vanilla_bilstm",
    "orthogonal_bilstm",
    "diversity_bilstm",
]
"""The first three are the paper's; the others read both ways, as in one of its reruns."""


class DiverseRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = 8
    """Epochs; the authors: 8, for pairs 25."""
    hidden: Count = 128
    """Units of a bidirectional LSTM in each direction; an LSTM that reads one way has twice as many, so that all states
    are as wide. The authors: 128, for bAbI 32 or 64.
    """
    embedding: Count = 300
    """Width of random embeddings; word vectors bring their own."""


class DiverseModels(SuiteSection):
    """Diverse states (Mohankumar et al. 2020), of single texts or of pairs: data sets, models, and their training."""

    models: OneOrMore[DiverseModel] = [*get_args(DiverseModel)]
    """lstm reads one way, bilstm both. vanilla: as it is; orthogonal: each state is orthogonal to the mean of those
    before it; diversity: conicity of the states is part of the loss. All have additive attention.
    """
    seeds: OneOrMore[Seed] = [10, 50, 257]
    """Seeds of every model."""
    weight: NonNegative = 0.5
    """Weight of conicity in the loss of the diversity models. 0.5 is the authors' example, and that of a rerun on all
    data sets; the catalogue has another one for snli.
    """
    recipe: DiverseRecipe = DiverseRecipe()
    """Sizes and training."""


Percent = Annotated[int, Field(ge=1, le=100)]


class Masking(SuiteSection):
    """Recursive ROAR (Madsen et al. 2022): models like the base model, each trained on texts in which the words are
    masked that the model before it finds most important. By default on no data set.
    """

    orders: OneOrMore[MaskingOrder] = [*get_args(MaskingOrder)]
    """Which words are masked first: those with most attention; those with the largest gradient, as in the audit
    `correlation`; random ones, which the others are held against.
    """
    percent: OneOrMore[Percent] = [*range(10, 101, 10)]
    """Of the words of a text, how many percent are masked at each step, ascending; the last is 100."""
    seeds: OneOrMore[Seed] = [10, 50, 257]
    """Seeds of every model."""

    @field_validator("orders")
    @classmethod
    def _check_orders(cls, orders: list[MaskingOrder]) -> list[MaskingOrder]:
        if "random" not in orders:
            raise ValueError("random is not among them, which the others are held against; add it")
        return orders

    @field_validator("percent")
    @classmethod
    def _check_percent(cls, percent: list[int]) -> list[int]:
        if percent != sorted(percent) or percent[-1] != 100:
            raise ValueError("not ascending up to 100; sort them, and let 100 be the last")
        return percent


class ClassifierTuning(Tuning):
    """How a classifier is fine-tuned: as other Transformers are, with the epoch selected on dev."""

    epochs: Count = 2
    """Epochs of base and uniform models; adversaries have their own."""
    selection: Literal["dev", "test"] = "dev"
    """Split whose ROC-AUC selects the epoch; test only to reproduce others."""


class ClassifierContinuation(Continuation):
    """The search by continuation, whose steps take minutes each: fewer and shorter ones."""

    steps: Count = Field(6, ge=2, le=100)
    """Steps, each of which leaves a model; at most 100."""
    epochs: Count = 1
    """Epochs of a step."""


class ClassifierAdversary(Adversary):
    """The model-consistent adversary, fine-tuned to minimise TVD - lambda KL(adversary || base). The KL is that of the
    mean maps of the heads.
    """

    continuation: ClassifierContinuation = ClassifierContinuation()
    """The search by continuation."""
    lambdas: OneOrMore[Positive] = [0.001, 0.01, 0.1]
    """Grid of lambda, from scratch."""
    epochs: Count = 4
    """Most epochs, from scratch."""
    patience: Count = 2
    """Stop after so many epochs without a lower training loss."""


class ClassifierGuides(Guides):
    """The diagnostic MLP of test 3, which reads words and is guided by the words' part of a map."""

    adversary_lambda: Positive = 0.01
    """Lambda of the adversary from scratch that lends its weights as a guide, where `search` is scratch; else the
    chosen one of the search by continuation does.
    """
    embedding: Count = 300
    """Width of random embeddings; a vector file brings its own."""
    epochs: Count = 8
    """Epochs."""
    learning_rate: Positive = 1e-3
    """Learning rate of Adam (amsgrad)."""


class ClassifierRecipe(Section):
    """How classifiers of one data set are fine-tuned: a base model, its twin with uniform weights in the first token's
    row of the last layer, adversaries, guided models, and a liar.
    """

    path: str = Field(min_length=1)
    """The encoder that all begin with: a folder with config.json, weights as safetensors and a tokenizer, here or in
    the mirror; or the id of a model that the cache of the Hugging Face hub holds; or `encoders/<name>`, an entry of
    `encoders`, which is fetched where it is not there. Of the families BERT, RoBERTa, ELECTRA and DistilBERT.
    """
    seeds: OneOrMore[Seed] = [10, 50, 257]
    """Seeds of base, uniform and guided models; the first is that of the base model."""
    tuning: ClassifierTuning = ClassifierTuning()
    """Fine-tuning, by AdamW."""
    adversary: ClassifierAdversary = ClassifierAdversary()
    """Model-consistent adversaries (test 4)."""
    liar: Positive | None = None
    """Lambda of a liar, which is fine-tuned as base is, and to keep the first token's row of the last layer away from
    the words that `block` of the data set names. null: there is none.
    """
    guides: ClassifierGuides = ClassifierGuides()
    """Diagnostic MLP (test 3)."""

    @model_validator(mode="after")
    def _check_lambda(self) -> Self:
        lent, lambdas = self.guides.adversary_lambda, self.adversary.lambdas
        if not self.adversary.continued and lent not in lambdas:
            raise ValueError(f"guides.adversary_lambda: {lent} is not in adversary.lambdas {lambdas}; take one of them")
        return self


class Classifiers(GivenClassifiers):
    """The Transformer classifiers of one data set: `models` that are given, each a folder as `save_pretrained` writes
    it, model and tokenizer, or the id of a model that the cache of the Hugging Face hub holds; or the `recipe` by which
    they are fine-tuned here.
    """

    recipe: ClassifierRecipe | None = None
    """How classifiers are fine-tuned, where none are given. null: they are given."""

    @model_validator(mode="after")
    def _check_models(self) -> Self:
        if self.recipe is None and not self.models:
            raise ValueError("names neither models nor a recipe; give `models`, or a `recipe` to fine-tune some")
        given = ("models", "uniform", "adversaries", "layer", "labels", "prompt")
        beside = [key for key in given if getattr(self, key)] + ["long: window"] * (self.long == "window")
        if self.recipe is not None and beside:
            raise ValueError(f"has a recipe, and {beside[0]}, which is said of models that are given; leave one out")
        return self
