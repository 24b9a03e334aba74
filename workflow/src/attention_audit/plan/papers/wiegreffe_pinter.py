"""The models of Wiegreffe & Pinter 2019: a base model, the same with uniform weights, adversaries, and simple models
that attention guides.

By their names: base, uniform, adversary_lambda<lambda> from scratch; of the search by continuation
continuation_step<number>, and continuation, which is the chosen one of them; guide_<whose weights>, of which
guide_adversary has those of an adversary from scratch, as the paper's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from attention_audit.contrasts import Contrasts, GuideNames
from attention_audit.model.architecture import Attention
from attention_audit.names import Style
from attention_audit.training.settings import Adversary, AdversaryObjective, Recipe, SearchSettings
from attention_audit.training.settings import Guides as GuideSettings

from ..model import COMMON_AUDITS, DataSet, Model, Models, Schedule, Suite
from ..transformers import describe_encoder

CONTINUATION = "continuation"
GUIDES: Mapping[str, Attention] = {
    "guide_uniform": "uniform",
    "guide_trained_mlp": "additive",
    "guide_base_lstm": "imposed",
    "guide_adversary": "imposed",
    "guide_continuation": "imposed",
}
"""The attention of the guided models, of which the last two need an adversary of their kind."""


def name_adversary(value: float) -> str:
    """Return the name of the adversary with this lambda."""
    return f"adversary_lambda{value!r}"


def list_four_tests(
    data: DataSet,
    seeds: Sequence[int],
    adversary: Adversary,
    guides: GuideSettings,
    base: Mapping[str, Any],
    even: Attention,
    embedding: int,
    schedule: Schedule,
    maps: Sequence[str] = (),
    **common: Any,
) -> Models:
    """List the models of the four tests of a base model.

    base: the parts of its architecture. even: the name of its attention with uniform weights. embedding: the width of
    the guides' embeddings. schedule: of all but adversaries, which have epochs of their own. maps: further maps that
    the base model is read out with. common: what `DataSet.train` takes for all of them.
    """
    train: Callable[..., Model] = partial(data.train, **common)
    looks = SUITE.looks
    # every seed of a guide has the map of the base model with that seed, or that of one adversary
    lenders = {"guide_base_lstm": "base"}
    if adversary.from_scratch:
        lenders["guide_adversary"] = name_adversary(guides.adversary_lambda)
    if adversary.continued:
        lenders["guide_continuation"] = CONTINUATION
    # the last one is the adversary that the answer speaks of
    *_, (misled, shown) = lenders.items()
    contrasts = Contrasts(
        seed=seeds[0],
        uniform="uniform",
        adversaries=["adversary", "continuation"],
        guides=GuideNames(judged="guide_base_lstm", uniform="guide_uniform", adversary=misled, own="guide_trained_mlp"),
    )
    yield train(
        "base",
        looks["base"],
        seeds,
        base,
        schedule,
        told={"maps": [*maps]},
        compared=seeds[1:],
        contrasts=contrasts,
    )
    uniform = {**base, "attention": even}
    yield train("uniform", looks["uniform"], seeds, uniform, schedule, judged=False, compared=seeds)
    against = {"judged": False, "reference": "base", "reference_seed": seeds[0], "compared": adversary.seeds}
    if adversary.from_scratch:
        for value in adversary.lambdas:
            yield train(
                name_adversary(value),
                looks["adversary"],
                adversary.seeds,
                base,
                Schedule(schedule.recipe, adversary.epochs, adversary.patience),
                AdversaryObjective(lambda_=value),
                family="adversary",
                rule="train_adversary",
                shown=shown == name_adversary(value),
                **against,
            )
    if adversary.continued:
        search = adversary.continuation
        steps = [f"{CONTINUATION}_step{number}" for number in range(1, search.steps + 1)]
        chosen = train(
            CONTINUATION,
            looks["continuation_chosen"],
            adversary.seeds,
            base,
            Schedule(schedule.recipe, search.epochs, pace=search.pace),
            AdversaryObjective(lambda_=None),
            SearchSettings,
            {
                "model": CONTINUATION,
                "continuation": search,
                "budget": data.config.answer.margins.tvd,
                "models": steps,
            },
            family="continuation_chosen",
            rule="search_adversary",
            step=0,
            attends=False,
            shown=True,
            **against | {"compared": ()},
        )
        for number, name in enumerate(steps, start=1):
            yield replace(
                chosen,
                name=name,
                look=looks[CONTINUATION],
                family=CONTINUATION,
                made_with=CONTINUATION,
                step=number,
                attends=True,
                shown=False,
                compared=adversary.seeds,
            )
        yield chosen
    sizes = {"hidden": guides.hidden, "attention_hidden": guides.attention, **data.embed(embedding)}
    for name, attention in GUIDES.items():
        if attention == "imposed" and name not in lenders:
            continue
        lender = lenders.get(name, "")
        yield train(
            name,
            looks[name],
            seeds[: guides.trainings],
            {"encoder": "affine", "attention": attention, **sizes},
            schedule,
            rule="train_guide",
            judged=False,
            attends=False,
            reference=lender,
            reference_seed=None if lender == "base" else adversary.seeds[0],
        )


def build_base(data: DataSet) -> dict[str, Any]:
    """Return the parts of the base model: encoder and attention as configured, by default the paper's."""
    sizes = data.config.model
    parts = {
        "encoder": sizes.encoder,
        "attention": sizes.attention,
        **data.embed(sizes.embedding),
        "hidden": sizes.hidden,
        "attention_hidden": sizes.attention_hidden,
    }
    return parts | (describe_encoder(data.config) if sizes.encoder == "transformer" else {})


def schedule_base(data: DataSet) -> Schedule:
    """Describe how the base model is trained."""
    recipe: Recipe = data.config.training.make_recipe()
    return Schedule(recipe, data.config.training.epochs)


def list_models(data: DataSet) -> Models:
    """List the models of the paper."""
    config = data.config
    return list_four_tests(
        data,
        seeds=config.training.seeds,
        adversary=config.adversary,
        guides=config.guides,
        base=build_base(data),
        even="uniform",
        embedding=config.model.embedding,
        schedule=schedule_base(data),
    )


SUITE = Suite(
    "wp",
    paper="WP2019",
    title="Wiegreffe & Pinter 2019",
    about=("Is attention needed, stable, transferable, and could a whole model attend elsewhere and predict the same?"),
    citation=("Attention is not not Explanation", "https://doi.org/10.18653/v1/D19-1002"),
    section="datasets",
    prefix="",
    base=True,
    models=list_models,
    looks={
        "base": Style("base", "green", "^"),
        "uniform": Style("uniform", "orange", "s"),
        "adversary": Style("adversary", "blue", "o"),
        "continuation": Style("adversary by continuation", "purple", "D"),
        "continuation_chosen": Style("adversary by continuation, the chosen one", "purple", "D"),
        "guide_uniform": Style("MLP, uniform weights"),
        "guide_trained_mlp": Style("MLP, own attention"),
        "guide_base_lstm": Style("MLP, base model's attention"),
        "guide_adversary": Style("MLP, adversary's attention"),
        "guide_continuation": Style("MLP, attention of the adversary by continuation"),
    },
    audits=(
        *COMMON_AUDITS,
        "comparison",
        "consistency",
        "instance_adversary",
        "attention_maps",
        "located",
        "plausible_words",
        "word_attributions",
        "evidence",
        "replaced",
    ),
)
