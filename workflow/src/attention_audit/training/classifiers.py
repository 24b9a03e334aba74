"""The section of the configuration for Transformer classifiers, which are given or fine-tuned here; and what the job is
told that fine-tunes one for several labels.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from attention_audit.section import Count, OneOrMore, Positive, Section, Seed
from attention_audit.transformer.settings import Backbone, Generation, GivenClassifiers, Tuning

from .settings import Adversary, Continuation, Guides, Recipe


class ClassifierTuning(Tuning):
    """How a classifier is fine-tuned: as other Transformers are, with the epoch selected on dev."""

    epochs: Count = 2
    """Epochs of base and uniform models; adversaries have their own."""
    selection: Literal["dev", "test"] = "dev"
    """Split whose ROC-AUC, or of several labels macro F1, selects the epoch; test only to reproduce others."""


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
    """Lambda of the adversary from scratch that lends its weights as a guide, as in the paper; the chosen one of a
    search by continuation lends its own to another guide.
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
        if self.adversary.from_scratch and lent not in lambdas:
            raise ValueError(f"guides.adversary_lambda: {lent} is not in adversary.lambdas {lambdas}; take one of them")
        return self


class Classifiers(GivenClassifiers):
    """The Transformer classifiers of one data set: `models` that are given, each a folder as `save_pretrained` writes
    it, model and tokenizer, or the id of a model that the cache of the Hugging Face hub holds; or the `recipe` by which
    they are fine-tuned here.
    """

    recipe: ClassifierRecipe | None = None
    """How classifiers are fine-tuned, where none are given; with `targets`, one a seed, for several labels, each
    of which has a sigmoid. null: they are given.
    """

    generate: Generation | None = None
    """The folders hold language models (`AutoModelForCausalLM`), and it is asked what their maps of generated tokens
    may be read as, and nothing else: the texts are prompts. Beside it stand `models`, `maps` and `granularity` alone.
    null: they classify.
    """

    @property
    def tunes_labels(self) -> bool:
        """Tell whether the recipe is for several labels."""
        return self.recipe is not None and self.targets is not None

    @model_validator(mode="after")
    def _check_generate(self) -> Self:
        of_both = {"models", "maps", "granularity", "generate"}
        others = [name for name, field in type(self).model_fields.items() if getattr(self, name) != field.default]
        if self.generate is not None and (given := [name for name in others if name not in of_both]):
            raise ValueError(f"{given[0]}: `generate` asks a language model; leave one out")
        return self

    @model_validator(mode="after")
    def _check_models(self) -> Self:
        if self.recipe is None and not self.models:
            raise ValueError("names neither models nor a recipe; give `models`, or a `recipe` to fine-tune some")
        keys = ("models", "uniform", "adversaries", "layer", "labels", "prompt", "output")
        unused = [key for key in keys if getattr(self, key)] + ["long: window"] * (self.long == "window")
        if self.recipe is not None and unused:
            raise ValueError(f"has a recipe, and {unused[0]}, which is said of models that are given; leave one out")
        for key in ("adversary", "guides", "liar"):
            # the configuration that a run keeps has every default
            if self.tunes_labels and getattr(self.recipe, key) != ClassifierRecipe.model_fields[key].default:
                raise ValueError(f"recipe.{key}: there is none of several labels; leave it or `targets` out")
        return self


class FineTuneJob(Section):
    """A classifier of several labels to be fine-tuned. labels: in the order of its outputs."""

    dataset: str
    seed: Seed
    backbone: Backbone
    labels: list[str]
    optimisation: Recipe
    epochs: Count
    device: Literal["auto", "cpu", "cuda"]
    threads: Count
