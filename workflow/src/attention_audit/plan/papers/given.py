"""Models that others have trained, of which there are readouts, or Transformer classifiers; and Transformer classifiers
that are fine-tuned here.

Of given models, those in question have names of the user's; the first one's twin is uniform, and its adversaries, which
are trainings of one model, adversaries; imposed is the first Transformer with uniform weights imposed on it. There is
nothing but the test split, on which adversaries are chosen too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, cycle
from typing import Any

from attention_audit.config import Config
from attention_audit.contrasts import ADVERSARIES_KEY, UNIFORM_KEY, GivenSection, describe_contrasts
from attention_audit.errors import AuditError, add_place
from attention_audit.names import Style
from attention_audit.training.classifiers import ClassifierRecipe
from attention_audit.training.settings import DeceptionObjective, Recipe
from attention_audit.transformer.settings import IMPOSED, MARK_ITEMS, Backbone, ReadClassifier, ReadTarget, ReadTokens

from ..model import COMMON_AUDITS, DataSet, Model, Models, Schedule, Suite
from ..transformers import NamedTransformer, find_encoder, find_given, read_alone
from .wiegreffe_pinter import list_four_tests

GIVEN_COLOURS = ("green", "purple", "vermillion", "sky")
"""Of models in question, by their place among those of all data sets; then from the first again."""
GIVEN_STYLES = {
    UNIFORM_KEY: Style("uniform", "orange", "s"),
    ADVERSARIES_KEY: Style("adversaries", "blue", "o"),
    IMPOSED: Style("uniform weights imposed", "grey", "D"),
}
"""How the models are called that are no models in question."""


def list_given(data: DataSet, section: GivenSection, sections: Iterable[GivenSection]) -> Models:
    """List the models of a section as readouts, which may be networks. sections: all such sections."""
    judged = [*dict.fromkeys(chain.from_iterable(each.models for each in sections))]
    colours = dict(zip(judged, cycle(GIVEN_COLOURS), strict=False))
    looks = {name: Style(name, colour, "^") for name, colour in colours.items()} | GIVEN_STYLES
    main, *further_models = section.models
    trainings: Mapping[str, list[str]] = section.by_model
    for name, sources in trainings.items():
        seeds = [*range(1, len(sources) + 1)]
        yield Model(
            data=data,
            name=name,
            family=name,
            look=looks[name],
            seeds=seeds,
            sources=sources,
            judged=name in section.models,
            # other models in question have adversaries and weights of their own
            compared=[] if name in further_models else seeds[1:] if name == main else seeds,
            shown=name == ADVERSARIES_KEY,
            contrasts=describe_contrasts(trainings) if name == main else None,
        )


def list_given_readouts(data: DataSet) -> Models:
    """List the models of which there are readouts."""
    section = data.config.own[data.name]
    for model in list_given(data, section, data.whole.own.values()):
        yield replace(model, rule="import_readout", beside=[section.first])


def impose_uniform(data: DataSet, seeds: Sequence[int], base: str, selection: str = "unknown") -> Model:
    """Describe a classifier with uniform weights imposed on it; only those of its first training are compared."""
    return Model(
        data=data,
        name=IMPOSED,
        family=IMPOSED,
        look=GIVEN_STYLES[IMPOSED],
        seeds=seeds,
        rule="impose_uniform",
        reference=base,
        judged=False,
        attends=False,
        compared=seeds[:1],
        selection=selection,
    )


def name_folder(config: Config, path: str) -> str:
    """Name the folder of a model to a job, which looks for the user's own itself, as they may lie elsewhere there."""
    transformer = NamedTransformer(config, path)
    return str(transformer.folder) if transformer.made else transformer.path


def read_given(data: DataSet, model: str, folder: str) -> ReadClassifier:
    """Describe how a classifier that is given is read from a folder."""
    section = find_given(data.config, data.name)
    return ReadClassifier(
        folder=name_folder(data.config, folder),
        max_length=section.max_length,
        long=section.long,
        truncation=section.truncation,
        labels=section.find_labels(model),
        imposed=model == UNIFORM_KEY,
        layer=read_alone(data.config, section.by_model[model], section.layer, section.long),
        maps=section.maps if model in section.models else [],
        prompt=section.prompt,
    )


def name_targets(targets: Sequence[ReadTarget]) -> list[str]:
    """Name targets as they stand in paths: by their letters and digits or, where these are none or not theirs alone,
    with their number.
    """
    names = [re.sub("[^a-z0-9]+", "-", target.name.lower()).strip("-") for target in targets]
    twice = {"", *(name for name in names if names.count(name) > 1)}
    return [f"{name}-{at}".strip("-") if name in twice else name for at, name in enumerate(names)]


def list_outputs(model: Model) -> list[list[str]]:
    """List what the outputs of each training of a classifier, of which targets are asked, are called, in its order.
    Raises AuditError where they have others than the first.
    """
    config = model.data.config
    section, name = find_given(config, model.data.name), model.reference or model.name
    names = [section.call_classes(name, NamedTransformer(config, source).facts) for source in model.sources]
    for source, each in zip(model.sources, names, strict=True):
        if sorted(each) != sorted(names[0]):
            fault = f"its outputs are {', '.join(each)}, and those of the first training {', '.join(names[0])}"
            raise AuditError(source, fault, "name them alike in config.id2label, or in `labels`")
    return names


def ask_targets(model: Model) -> Models:
    """List a classifier whose outputs are read, and its targets, each as a model in question."""
    section = find_given(model.data.config, model.data.name)
    with add_place(f"config: hf.{model.data.name}"):
        kind, targets = section.list_targets(model.name, NamedTransformer(model.data.config, model.sources[0]).facts)
    of_all_outputs = [read.model_copy(update={"kind": kind, "maps": []}) for read in model.reads]
    yield replace(model, reads=of_all_outputs, judged=False, attends=False, compared=(), contrasts=None, listed=False)
    for number, (name, target) in enumerate(zip(name_targets(targets), targets, strict=True)):
        called = f"{model.name}-{name}"
        yield replace(
            model,
            compared=() if number else model.compared,
            name=called,
            family=called,
            look=model.look._replace(label=f"{model.look.label}: {target.name}"),
            rule="take_target",
            reference=model.name,
            reads=[read.model_copy(update={"kind": kind, "target": target}) for read in model.reads],
        )


def list_classifiers(data: DataSet) -> Models:
    """List the Transformer classifiers of a data set, given or fine-tuned here."""
    section = find_given(data.config, data.name)
    if section.recipe is not None:
        yield from list_fine_tuned(data, section.recipe, section.max_length, section.maps)
        return
    main = next(iter(section.models))
    sections = (find_given(data.whole, name) for name in data.whole.hf)
    for model in list_given(data, section, (each for each in sections if each.recipe is None)):
        if section.generate is not None:
            tokens = ReadTokens(**dict(section.generate), granularity=section.granularity, maps=section.maps)
            if model.judged:
                yield replace(model, rule="generate", tokens=tokens, compared=(), contrasts=None)
            continue
        reads = [read_given(data, model.name, folder) for folder in model.sources]
        if model.name != IMPOSED:
            given = replace(model, rule="read_classifier", reads=reads, attends=model.judged)
            yield from [given] if section.targets is None else ask_targets(given)
        # on a map that does not decide alone, no weights can be imposed; nor are they on targets
        elif reads[0].layer is None and section.targets is None:
            yield impose_uniform(data, model.seeds, main)


def list_fine_tuned(data: DataSet, recipe: ClassifierRecipe, max_length: int, maps: list[str]) -> Models:
    """List the models of the four tests of a classifier that is fine-tuned here, whose map is the mean of the heads of
    its last layer; a liar, where there is one; and the base model with uniform weights imposed there.
    """
    guides, tuning = recipe.guides, recipe.tuning
    base = {
        "encoder": "transformer",
        "attention": "heads",
        "embedding": 1,
        "pretrained": False,
        "hidden": find_encoder(data.config, data.name).facts.width,
        "attention_hidden": 1,
        "transformer": Backbone(path=recipe.path, frozen=False, max_length=max_length),
    }
    schedule = Schedule(Recipe(selection=tuning.selection, learning_rate=guides.learning_rate), guides.epochs)
    common: dict[str, Any] = {"tuning": tuning, "special_tokens": MARK_ITEMS}
    models = [
        *list_four_tests(
            data,
            seeds=recipe.seeds,
            adversary=recipe.adversary,
            guides=guides,
            base=base,
            even="even_heads",
            embedding=guides.embedding,
            schedule=schedule,
            maps=maps,
            **common,
        )
    ]
    yield from models
    if recipe.liar:
        yield data.train(
            "liar",
            Style("liar", "vermillion", "o"),
            recipe.seeds,
            base,
            Schedule(schedule.recipe, tuning.epochs),
            DeceptionObjective(lambda_=recipe.liar),
            told={"maps": maps},
            compared=recipe.seeds,
            **common,
        )
    yield impose_uniform(data, recipe.seeds, "base", models[0].selected_on)


READOUTS = Suite(
    "own",
    paper="own",
    title="Your own models",
    about="What may be read into the maps of models that were trained elsewhere, of which readouts are given?",
    section="own",
    prefix="own_",
    base=True,
    models=list_given_readouts,
    audits=(
        *COMMON_AUDITS,
        "comparison",
        "consistency",
        "instance_adversary",
        "attention_maps",
        "heads",
        "planted",
        "map_stability",
    ),
)
CLASSIFIERS = Suite(
    "hf",
    paper="hf",
    title="Transformer classifiers",
    about="What may be read into a fine-tuned Transformer's own map, the classified token's row of its last layer?",
    section="hf",
    prefix="hf_",
    base=True,
    models=list_classifiers,
    audits=(
        *READOUTS.audits,
        "cut_texts",
        "evidence",
        "correlation",
        "agreement",
        "attribution_stability",
        "located",
        "plausible_words",
        "word_attributions",
        "generated",
    ),
)
