"""Loading a Transformer and its tokenizer from a folder, offline, without code of its own, from safetensors alone; or
taking them from memory in the place of the folder's files.
"""

import shutil
from collections.abc import Mapping
from copy import deepcopy
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import torch
from torch import nn

from attention_audit.arrays import Integers32
from attention_audit.artefacts.files import write_whole
from attention_audit.errors import AuditError

from .folder import (
    INSTALL_HINT,
    NOT_INSTALLED,
    HeldModel,
    Home,
    find_family,
    list_model_files,
    list_tokenizer_files,
    read_model_facts,
)
from .pieces import UNLIMITED_LENGTH

PROCESSOR = torch.device("cpu")
UNUSED_PART = "pooler"
"""A part that encoders have for a task of their own; no state depends on it."""
OFFLINE = {"local_files_only": True, "trust_remote_code": False}
UNDO_HINTS = {
    "_orig": "make its pruning permanent with torch.nn.utils.prune.remove",
    "parametrizations": "call torch.nn.utils.parametrize.remove_parametrizations",
    "_packed_params": "give the model as it was before it was quantised",
}
"""What to do where weights have names with these parts."""


def import_library() -> Any:
    """Return the module `transformers`, told to be quiet. Raises AuditError where it is not installed."""
    try:
        import transformers
    except ImportError as error:
        raise AuditError("", NOT_INSTALLED, INSTALL_HINT) from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def say_first(error: Exception) -> str:
    """Return the first line of what a library says."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _read_tokenizer(folder: Path) -> Any:
    list_tokenizer_files(folder)
    read = import_library().AutoTokenizer.from_pretrained
    try:
        return read(folder, **OFFLINE)
    except Exception as error:
        raise AuditError(
            str(folder), f"its tokenizer cannot be read ({say_first(error)})", "save it there again"
        ) from error


def copy_tokenizer(tokenizer: Any) -> Any:
    """Copy a tokenizer with what was set on it; its vocabulary, which nothing changes, is shared."""
    vocabulary = getattr(tokenizer, "_vocab", None)
    return deepcopy(tokenizer, {id(vocabulary): vocabulary})


def open_tokenizer(home: Home) -> Any:
    """Open the tokenizer of a folder, as it is; of one in memory a copy, with what was set on it.

    Raises AuditError where it is missing, damaged, or cannot tell which word a piece is of.
    """
    tokenizer = copy_tokenizer(home.tokenizer) if isinstance(home, HeldModel) else _read_tokenizer(home)
    if not tokenizer.is_fast:
        raise AuditError(
            str(home),
            f"its tokenizer ({type(tokenizer).__name__}) cannot tell the word of a piece",
            "take the fast one of its kind, or use judge",
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return tokenizer


def _load(
    home: Home,
    auto: str,
    attention: Literal["sdpa", "eager"] | None = None,
    dtype: torch.dtype | Literal["auto"] = torch.float32,
    **overrides: int,
) -> tuple[Any, Mapping[str, Any]]:
    """Load a model by a class of the library, of a folder, or of the weights in memory, which it may share; and what
    the library says of the weights. overrides: keys of its configuration that are other.
    """
    transformers, facts, folder = import_library(), read_model_facts(home), Path(str(home))
    held_model = home if isinstance(home, HeldModel) and home.config else None
    if held_model is None:
        list_model_files(folder, tokenizer=not isinstance(home, HeldModel))
    try:
        if held_model:
            path, auto = None, held_model.config["architectures"][0]
            weights = held_model.source.state_dict()
            # those that were made in inference mode can have no gradients
            weights = {name: weight.clone() if weight.is_inference() else weight for name, weight in weights.items()}
            config, source = deepcopy(held_model.source.config), dict[str, Any](state_dict=weights)
            dtype = held_model.source.dtype if dtype == "auto" else dtype
        else:
            # a file may name an attention of its own, which needs what is not here
            config = transformers.AutoConfig.from_pretrained(
                folder, attn_implementation=attention, **OFFLINE, **overrides
            )
            path, source = folder, {"use_safetensors": True, **OFFLINE}
        model, loaded = getattr(transformers, auto).from_pretrained(
            path,
            config=config,
            dtype=dtype,
            attn_implementation=attention,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **source,
        )
    except Exception as error:
        raise AuditError(
            str(home),
            f"the model of type {facts.kind!r} cannot be loaded ({say_first(error)})",
            "take files that this version of the library knows, or use judge",
        ) from error
    return model, loaded


def _refuse_other_weights(home: Home, model: Any, loaded: Mapping[str, Any], head: str) -> None:
    """Raise AuditError where the weights are not those of a model of the library with a `head`, or of its encoder."""
    name, held_model = type(model).__name__, home.source if isinstance(home, HeldModel) else None
    for weight, shape, expected in sorted(loaded["mismatched_keys"]):
        raise AuditError(
            str(home),
            f"its {weight} has the shape {tuple(shape)}, and {tuple(expected)} by its configuration, of "
            "which something, such as id2label, is not the model's",
            "mend it, or use judge",
        )
    absent = sorted(key for key in loaded["missing_keys"] if head or UNUSED_PART not in key)
    # older files have one that no class for whole texts reads
    spared = f"{model.base_model_prefix}.{UNUSED_PART}.dense."
    surplus = sorted(key for key in loaded["unexpected_keys"] if head and not key.startswith(spared))
    if absent or surplus:
        differences = [f"lack {key}" for key in absent[:1]] + [f"hold {key}" for key in surplus[:1]]
        parts = dict(held_model.named_modules()) if held_model else {}
        part = (absent or surplus)[0].rpartition(".")[0]
        kind = f" ({part} is a {type(parts[part]).__name__})" if part in parts else ""
        remedy = next(
            (remedy for mark, remedy in UNDO_HINTS.items() if any(mark in key for key in surplus)), "use judge"
        )
        raise AuditError(
            str(home),
            f"its weights {' and '.join(differences)}, and are not those of the library's {name}{kind}",
            f"{remedy}, or take what was saved after training with AutoModel{head}",
        )


def open_model(
    home: Home,
    head: Literal["", "ForSequenceClassification", "ForCausalLM"] = "",
    device: torch.device = PROCESSOR,
) -> Any:
    """Open a model on a device and in evaluation: the encoder alone, or with a head, by which the library's class
    `AutoModel` is called: that for whole texts or that for the next token.

    With a head, attention returns its weights. A GPU keeps the dtype that the model has; a processor, which has no
    faster one, computes in float32. Raises AuditError where something is missing, where weights are damaged
    or not those of the library's class, and where the library does not know the model's type.
    """
    dtype: torch.dtype | Literal["auto"] = torch.float32 if device.type == "cpu" else "auto"
    model, loaded = _load(home, f"AutoModel{head}", "eager" if head else "sdpa", dtype)
    _refuse_other_weights(home, model, loaded, head)
    name = type(model).__name__
    class_name = (read_model_facts(home).says.get("architectures") or [name])[0]
    if head and class_name != name:
        raise AuditError(
            str(home),
            f"config.json names the class {class_name} (architectures), which is not the library's {name}",
            f"use judge, or write {name} there, if it computes the same",
        )
    if not head and hasattr(model, UNUSED_PART):
        model.pooler = None
    model.config.return_dict, model.config.output_hidden_states = True, False
    return model.to(device).eval()


def open_given(home: Home, head: str) -> tuple[Any, Any]:
    """Open a model and its tokenizer as their user has them: those in memory, or else as the library loads them."""
    if isinstance(home, HeldModel) and home.config:
        # a call sets how it cuts and pads
        return home.model, copy_tokenizer(home.tokenizer)
    return _load(home, f"AutoModel{head}", dtype="auto")[0], open_tokenizer(home)


def open_untrained(folder: Path, classes: int) -> Any:
    """Open the encoder of a folder below a head for whole texts, as a classifier of `classes` classes that is to be
    trained: as `open_model` opens it, but in training, with the layer of the logits drawn anew.

    The head, and parts that the folder has no weights of, are drawn from PyTorch's random state. Raises AuditError as
    `open_model` does.
    """
    model, _ = _load(folder, "AutoModelForSequenceClassification", "eager", num_labels=classes)
    linear = attrgetter(find_family(folder).classifier)(model)
    with torch.no_grad():
        linear.weight.normal_(0.0, getattr(model.config, "initializer_range", 0.02))
        linear.bias.zero_()
    return model.train()


def write_classifier(model: Any, tokenizer: Any, targets: Mapping[str, Path]) -> None:
    """Write a classifier and its tokenizer as the library does. targets: the files, by the names in `BUILT_FILES`.

    Raises AuditError where a file cannot be written.
    """
    with TemporaryDirectory(prefix="attention-audit-") as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        for name, target in targets.items():
            with write_whole(target) as temporary:
                shutil.copyfile(Path(folder) / name, temporary)


def refuse_without_vectors(folder: Home, tokenizer: Any, model: Any, ids: Integers32) -> None:
    """Raise AuditError where a tokenizer gives pieces of a higher number than a model has vectors."""
    highest_id, count = int(ids.max(initial=0)), len(model.get_input_embeddings().weight)
    if highest_id >= count:
        raise AuditError(
            str(folder),
            f"its tokenizer ({type(tokenizer).__name__}) gives the piece "
            f"{tokenizer.convert_ids_to_tokens(highest_id)!r} the number {highest_id}, and the model has "
            f"vectors of 0 to {count - 1}",
            "take the tokenizer that the model was trained with, or train it after "
            "model.resize_token_embeddings(len(tokenizer))",
        )


def choose_length(tokenizer: Any, model: Any, max_length: int) -> int:
    """Choose how many pieces a text may have: `max_length`, or fewer where the tokenizer or the model's positions allow
    fewer.
    """
    limits = [max_length, tokenizer.model_max_length]
    if positions := getattr(model.config, "max_position_embeddings", None):
        # RoBERTa and its kin count positions from behind that of padding
        tables = (table for name, table in model.named_modules() if name.endswith("position_embeddings"))
        padding = next((table.padding_idx for table in tables if isinstance(table, nn.Embedding)), None)
        limits.append(positions if padding is None else positions - padding - 1)
    return int(min(limit for limit in limits if limit and limit <= UNLIMITED_LENGTH))
