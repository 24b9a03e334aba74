"""Classifiers of the library `transformers` in memory: what is read of them in the place of files of a folder."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

from attention_audit.errors import AuditError

from .folder import CLASSIFIER, LANGUAGE, HeldModel, Home, find_folder
from .opening import choose_length, import_library, open_tokenizer
from .pieces import UNLIMITED_LENGTH
from .settings import Truncation

TOKENIZER_SETTINGS = ("max_length", "truncation", "padding", "padding_side", "pad_to_multiple_of")
"""What a pipeline calls its tokenizer with that is taken over."""
PIPELINE_METHODS = ("__call__", "preprocess", "forward", "_forward", "postprocess")
DEFAULT_LENGTH = 512


def hold_tokenizer(tokenizer: Any) -> Any:
    """Return a tokenizer, which may be named by its folder. Raises AuditError where it is none of the library."""
    if isinstance(tokenizer, str | Path):
        return open_tokenizer(find_folder(str(tokenizer), "tokenizer"))
    if isinstance(tokenizer, list | tuple):
        remedy = "give one for all trainings, whose maps are of the same words"
        raise AuditError("tokenizer", f"is a {type(tokenizer).__name__}", remedy)
    if not isinstance(tokenizer, import_library().PreTrainedTokenizerBase):
        raise AuditError(
            "tokenizer",
            f"is {tokenizer!r:.40}",
            "give that of the model, as AutoTokenizer of the library `transformers` loads it",
        )
    return tokenizer


def merge_adapters(model: Any) -> Any:
    """Return a copy of a model with adapters of PEFT whose weights have what its active adapters add to them."""
    from peft.tuners.tuners_utils import BaseTunerLayer
    from peft.utils import ModulesToSaveWrapper

    copy = deepcopy(model)
    copy = getattr(copy, "get_base_model", lambda: copy)()
    for name, part in [*copy.named_modules()]:
        if isinstance(part, BaseTunerLayer):
            if not part.disable_adapters:
                part.merge()
            copy.set_submodule(name, part.get_base_layer())
        elif isinstance(part, ModulesToSaveWrapper):
            active = [] if part.disable_adapters else part.active_adapters
            copy.set_submodule(name, part.modules_to_save[active[0]] if active else part.original_module)
    return copy


def hold_pipeline(pipeline: Any, name: str) -> Any:
    """Return a pipeline. Raises AuditError where what it answers is not of its model's classes."""
    library = import_library()
    if isinstance(pipeline, library.TextClassificationPipeline):
        return pipeline
    if isinstance(pipeline, library.ZeroShotClassificationPipeline):
        fault = "which answers with candidate labels, and not with the classes of its model"
        remedy = "give its .model and .tokenizer, and the hypotheses as `seconds`"
    else:
        fault, remedy = "which is not for the task text-classification", "give one that is"
    raise AuditError(
        name, f"is a {type(pipeline).__name__}, {fault}", f"{remedy}, or use judge with a function that calls it"
    )


def get_pipeline(home: Home) -> Any:
    """Get the pipeline that a classifier was given as; None where it was given otherwise."""
    return home.pipeline if isinstance(home, HeldModel) else None


def read_tokenizer_settings(home: Home) -> dict[str, Any]:
    """Read what the pipeline calls its tokenizer with, if a classifier was given as one."""
    pipeline = get_pipeline(home)
    settings = {} if pipeline is None else pipeline._preprocess_params
    return {key: settings[key] for key in TOKENIZER_SETTINGS if settings.get(key)}


def choose_cut(home: Home, max_length: int | None, truncation: Truncation | None) -> tuple[int, Truncation]:
    """Choose how many pieces are read together at most, and which text of a pair is cut: as is asked, or else as a
    pipeline does it, or else `DEFAULT_LENGTH` and the longer one.
    """
    settings = read_tokenizer_settings(home)
    if max_length is None and isinstance(home, HeldModel) and (pipeline := home.pipeline) is not None:
        max_length = choose_length(home.tokenizer, pipeline.model, settings.get("max_length", UNLIMITED_LENGTH))
    # a member of an enumeration, or a truth value
    strategy = getattr(settings.get("truncation"), "value", settings.get("truncation"))
    default: Truncation = next((each for each in get_args(Truncation) if each == strategy), "longest_first")
    return DEFAULT_LENGTH if max_length is None else max_length, default if truncation is None else truncation


def list_methods(home: Home) -> list[str]:
    """List what the pipeline that a classifier was given as does by methods of its own, if it was given as one."""
    pipeline, library_class = get_pipeline(home), import_library().TextClassificationPipeline
    return [
        method
        for method in PIPELINE_METHODS
        if pipeline is not None
        and (method in vars(pipeline) or getattr(type(pipeline), method) is not getattr(library_class, method))
    ]


def describe_pipeline(home: Home) -> str:
    """Describe what a pipeline does that the library's own does not without settings; "" where nothing does."""
    pipeline = get_pipeline(home)
    settings = pipeline._preprocess_params | pipeline._forward_params | pipeline._postprocess_params
    changes = [
        f"{key}={getattr(value, 'name', value)!s:.40}"
        for key, value in settings.items()
        if key not in ("top_k", "_legacy")
    ]
    changes += [f"a {method} of its own" for method in list_methods(home)]
    return f" ({'; '.join(changes)})" if changes else ""


def refuse_other_answer(
    home: Home,
    name: str,
    sides: Sequence[str],
    settings: Mapping[str, Any],
    probabilities: Mapping[str, float],
    tolerance: float,
) -> None:
    """Raise AuditError where the pipeline that a classifier was given as answers a text with other scores than the
    probabilities of its classes. settings: of its tokenizer, which it lacks.
    """
    pipeline = get_pipeline(home)
    inputs = dict(zip(("text", "text_pair"), sides, strict=False)) if sides[1:] else sides[0]
    fault = f"of text {name!r} the pipeline{describe_pipeline(home)} answers"
    try:
        answer = pipeline(inputs, **settings)
        rows = answer[0] if isinstance(answer, list) and isinstance(answer[0], list) else answer
        scores = {row["label"]: float(row["score"]) for row in ([rows] if isinstance(rows, Mapping) else rows)}
        label = max(scores, key=lambda label: abs(scores[label] - probabilities[label]))
    except Exception as error:
        remedy = "give one that answers with `label` and `score` of its model's classes, or use judge"
        raise AuditError(
            str(home), f"{fault} no scores of {', '.join(probabilities)} ({error!r:.80})", remedy
        ) from error
    if not abs(scores[label] - probabilities[label]) <= tolerance:
        raise AuditError(
            str(home),
            f"{fault} {scores[label]:.3g} for {label}, and the softmax of its model's logits is "
            f"{probabilities[label]:.3g}",
            "leave out what changes it, or use judge with a function that calls the pipeline",
        )


def suggest_instead(model: Any) -> str:
    """Say what to give in the place of an object that is no model of the library."""
    if type(getattr(model, "model", None)).__name__.endswith((CLASSIFIER, *LANGUAGE)):
        return f"give its .model, and {'its .tokenizer' if hasattr(model, 'tokenizer') else 'the tokenizer'}"
    if hasattr(model, "predict_proba") or hasattr(model, "model_head"):
        return "use judge with lambda texts: model.predict_proba([' '.join(words) for words in texts])"
    if hasattr(model, "encode"):
        return "it has no classifier; use judge with a function that calls the one on top of it"
    return (
        "give a classifier of the library `transformers`, or its folder. Of another network use audit_torch, or judge"
    )


def hold_model(model: Any, tokenizer: Any, name: str, prompted: bool) -> HeldModel:
    """Return a classifier and its tokenizer as they are read, called `name` in messages. prompted: it is a language
    model. Raises AuditError where they are of no class of the library, and where weights are not in memory.
    """
    transformers, pipeline = import_library(), None
    if isinstance(model, transformers.Pipeline):
        # of one that generates, the next token is the model's
        pipeline = None if prompted else hold_pipeline(model, name)
        model, tokenizer = model.model, model.tokenizer if tokenizer is None else tokenizer
    network = model
    # as torch.compile, DataParallel and DistributedDataParallel wrap it
    for inner in ("_orig_mod", "module"):
        network = getattr(network, inner, network)
    source = merge_adapters(network) if hasattr(network, "peft_config") else network
    if not isinstance(source, transformers.PreTrainedModel):
        raise AuditError(name, f"is {type(model).__name__}", suggest_instead(model))
    tasks = "CAUSAL_LM" if prompted else "SEQUENCE_CLASSIFICATION"
    task_class = getattr(transformers, f"MODEL_FOR_{tasks}_MAPPING").get(type(source.config), type(source))
    if not isinstance(source, task_class):
        raise AuditError(
            name,
            f"is a {type(source).__name__}",
            f"{'with' if prompted else 'without'} `prompt` the library's {task_class.__name__} can be "
            "audited, and another class by judge",
        )
    if any(weight.is_meta for weight in source.parameters()):
        raise AuditError(name, "some of its weights are not in memory (meta)", "load it without device_map")
    # from where its class comes is asked of the object itself
    config = source.config.to_dict() | {"architectures": [task_class.__name__], "auto_map": None}
    held = HeldModel(name, hold_tokenizer(tokenizer), network, source, config, pipeline)
    # what a pipeline says counts more than what its tokenizer does
    if (length := read_tokenizer_settings(held).get("max_length", 0)) > held.tokenizer.model_max_length:
        held = held._replace(tokenizer=deepcopy(held.tokenizer))
        held.tokenizer.model_max_length = length
    return held


def find_home(model: Any, tokenizer: Any, name: str, prompted: bool) -> Home:
    """Find where a classifier is that is given as an object, called `name` in messages, or by its folder; with a
    tokenizer, where one is given. Raises AuditError where it is neither.
    """
    if not isinstance(model, str | Path):
        return hold_model(model, tokenizer, name, prompted)
    folder = find_folder(str(model), "model")
    return folder if tokenizer is None else HeldModel(str(folder), hold_tokenizer(tokenizer))
