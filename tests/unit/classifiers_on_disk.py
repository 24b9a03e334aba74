"""Small Transformer classifiers of each family, of random weights, saved as the folders that a user has."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers_on_disk import POSITIONS, WORDS, tokenizer

WIDE: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24}
FAMILIES = ("bert", "roberta", "electra", "distilbert")
READ = (*FAMILIES, "modernbert")
"""Those that are read, of which all but the last are fine-tuned here too."""


def byte_level(words: Sequence[str], prefix: bool = True) -> Any:
    """RoBERTa's kind of tokenizer, with these words and all bytes as pieces. prefix: whether a space is set before the
    first word.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges: list[tuple[str, str]] = []
    for word in words:
        made = "Ġ"
        for letter in word:
            if (made, letter) not in merges:
                merges.append((made, letter))
            made += letter
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *alphabet, *("".join(pair) for pair in merges)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    made = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return transformers.RobertaTokenizerFast(
        tokenizer_object=made, vocab=vocabulary, merges=merges, add_prefix_space=prefix, model_max_length=POSITIONS
    )


def save(
    folder: Path,
    family: str = "bert",
    names: Sequence[str] = ("negative", "positive"),
    seed: int = 0,
    words: Sequence[str] = WORDS,
    **further: Any,
) -> Path:
    """A classifier of one of `READ` into classes of these names."""
    pieces = byte_level(words) if family == "roberta" else tokenizer(list(words))
    settings = WIDE | {"vocab_size": len(pieces), "max_position_embeddings": POSITIONS + 4 * (family == "roberta")}
    if family == "distilbert":
        settings |= {"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 24}
    if family == "modernbert":
        settings |= {"pad_token_id": 0, "bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
    if family == "electra":
        settings |= {"embedding_size": 8}
    if family == "roberta":
        settings |= {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}
    config = transformers.AutoConfig.for_model(
        family,
        **settings | further,
        initializer_range=0.5,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
    torch.manual_seed(seed)
    transformers.logging.disable_progress_bar()
    transformers.AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    pieces.save_pretrained(folder)
    return folder
