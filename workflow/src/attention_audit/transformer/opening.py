"""Loading a Transformer and its tokenizer from a folder: offline, without code of its own, from safetensors alone."""

from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from attention_audit.errors import AuditError
from attention_audit.transformer.folder import NOT_INSTALLED, model_files, read_facts

UNUSED = "pooler"
"""A part that encoders have for a task of their own; no state depends on it."""


def library() -> Any:
    """The module `transformers`, told to be quiet. Raises AuditError where it is not installed."""
    try:
        import transformers
    except ImportError as error:
        raise AuditError(NOT_INSTALLED) from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def _said(error: Exception) -> str:
    """The first line of what a library says."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


def open_tokenizer(folder: Path, split: bool = True) -> Any:
    """The tokenizer of a folder, for texts that are `split` into words already, or else for raw ones, as it is.

    Raises AuditError where it is missing, damaged, or cannot tell which word a piece is of.
    """
    model_files(folder)
    opened = partial(library().AutoTokenizer.from_pretrained, folder, local_files_only=True, trust_remote_code=False)
    try:
        tokenizer = opened(use_fast=True)
    except Exception as error:
        raise AuditError(f"{folder}: its tokenizer cannot be read ({_said(error)}); save it there again") from error
    if not tokenizer.is_fast:
        raise AuditError(
            f"{folder}: its tokenizer ({type(tokenizer).__name__}) cannot tell the word of a piece; save a fast one"
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    # byte-level tokenizers take words that are split beforehand only if they may set a space before each
    if split and getattr(tokenizer, "add_prefix_space", None) is False:
        return opened(use_fast=True, add_prefix_space=True)
    return tokenizer


def _loaded(
    folder: Path, auto: str, attention: Literal["sdpa", "eager"], classes: int | None = None
) -> tuple[Any, list[str]]:
    """The model of a folder by a class of the library, and the parameters that its weights lack; with `classes`, one
    of so many classes.
    """
    model_files(folder)
    facts = read_facts(folder)
    offline = {"local_files_only": True, "trust_remote_code": False}
    further = {} if classes is None else {"num_labels": classes}
    try:
        # a file may name an attention of its own, which needs what is not here
        config = library().AutoConfig.from_pretrained(folder, attn_implementation=attention, **offline, **further)
        model, loaded = getattr(library(), auto).from_pretrained(
            folder,
            config=config,
            use_safetensors=True,
            dtype=torch.float32,
            attn_implementation=attention,
            output_loading_info=True,
            ignore_mismatched_sizes=classes is not None,
            **offline,
        )
    except AuditError:
        raise
    except Exception as error:
        raise AuditError(
            f"{folder}: the model of type {facts.kind!r} cannot be loaded ({_said(error)}); take files that "
            "this version of the library knows"
        ) from error
    if getattr(model.config, "is_encoder_decoder", False):
        raise AuditError(f"{folder}: a model of type {facts.kind!r} has a decoder; name one without")
    return model, list(loaded["missing_keys"])


def open_model(
    folder: Path,
    head: Literal["", "ForSequenceClassification", "ForCausalLM"] = "",
    attention: Literal["sdpa", "eager"] = "sdpa",
) -> nn.Module:
    """The model of a folder, in float32, on the CPU and in evaluation: the encoder alone, or with a head, by which the
    library's class `AutoModel` is called: that for whole texts or that for the next token.

    attention: how the library computes attention; only `eager` returns the weights. Raises AuditError where something
    is missing, where weights are damaged or lack parameters, and where the library does not know the model's type.
    """
    model, absent = _loaded(folder, f"AutoModel{head}", attention)
    missing = sorted(name for name in absent if head or UNUSED not in name)
    if missing and head:
        what = "language model" if head == "ForCausalLM" else "classifier of texts"
        raise AuditError(
            f"{folder}: is no {what}: its weights lack {missing[0]}; name a folder that was saved after "
            f"training with AutoModel{head}"
        )
    if missing:
        raise AuditError(f"{folder}: its weights lack {missing[0]}, which config.json asks for; mend the folder")
    if not head and getattr(model, UNUSED, None) is not None:
        model.pooler = None
    opened: nn.Module = model.eval()
    return opened


def open_untrained(folder: Path, head: str, classes: int) -> nn.Module:
    """The encoder of a folder below a head for whole texts, as a classifier of `classes` classes that is to be trained:
    as `open_model` opens it, but in training, with `head`, the layer of the logits, drawn anew.

    The head, and parts that the folder has no weights of, are drawn from PyTorch's random state. Raises AuditError as
    `open_model` does.
    """
    model: Any = _loaded(folder, "AutoModelForSequenceClassification", "eager", classes)[0]
    linear = attrgetter(head)(model)
    with torch.no_grad():
        linear.weight.normal_(0.0, getattr(model.config, "initializer_range", 0.02))
        linear.bias.zero_()
    trained: nn.Module = model.train()
    return trained


def positions(model: nn.Module) -> int | None:
    """How many pieces a model of the library has positions for; None where its positions have no end."""
    config: Any = model.config
    most: int | None = getattr(config, "max_position_embeddings", None)
    # RoBERTa and its kin count positions from behind that of padding
    tables = [table for name, table in model.named_modules() if name.endswith("position_embeddings")]
    padding = next((table.padding_idx for table in tables if isinstance(table, nn.Embedding)), None)
    return most if most is None or padding is None else most - int(padding) - 1
