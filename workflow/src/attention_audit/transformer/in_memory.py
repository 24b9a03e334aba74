"""Classifiers of the library `transformers` in memory: what is read of them in the place of files of a folder."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from attention_audit.errors import AuditError

from .folder import HeldModel, Home, find_folder
from .opening import import_library, open_tokenizer


def hold_tokenizer(tokenizer: Any) -> Any:
    """Return a tokenizer, which may be named by its folder. Raises AuditError where it is none of the library."""
    if isinstance(tokenizer, str | Path):
        return open_tokenizer(find_folder(str(tokenizer), "tokenizer"))
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


def hold_model(model: Any, tokenizer: Any, name: str, prompted: bool) -> HeldModel:
    """Return a classifier and its tokenizer as they are read, called `name` in messages. prompted: it is a language
    model. Raises AuditError where they are of no class of the library, and where weights are not in memory.
    """
    transformers = import_library()
    if isinstance(model, transformers.Pipeline):
        model, tokenizer = model.model, model.tokenizer if tokenizer is None else tokenizer
    network = model
    # as torch.compile, DataParallel and DistributedDataParallel wrap it
    for inner in ("_orig_mod", "module"):
        network = getattr(network, inner, network)
    source = merge_adapters(network) if hasattr(network, "peft_config") else network
    if not isinstance(source, transformers.PreTrainedModel):
        raise AuditError(
            name,
            f"is {type(model).__name__}",
            "give a classifier of the library `transformers`, or its folder. Of another network use "
            "audit_torch, or judge",
        )
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
    return HeldModel(name, hold_tokenizer(tokenizer), network, source, config)


def find_home(model: Any, tokenizer: Any, name: str, prompted: bool) -> Home:
    """Find where a classifier is that is given as an object, called `name` in messages, or by its folder; with a
    tokenizer, where one is given. Raises AuditError where it is neither.
    """
    if not isinstance(model, str | Path):
        return hold_model(model, tokenizer, name, prompted)
    folder = find_folder(str(model), "model")
    return folder if tokenizer is None else HeldModel(str(folder), hold_tokenizer(tokenizer))
