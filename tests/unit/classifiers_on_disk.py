"""Small Transformer classifiers of each family, of random weights, saved as the folders that a user has."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers_on_disk import POSITIONS, WORDS, tokenizer

TEXTS = [
    text.split()
    for text in ("the film is great", "unbelievably dull", "why unbelievably good is the story films", "bad")
]
PAIRS = [
    (first.split(), second.split())
    for first, second in (
        ("the film is great", "unbelievably good"), ("bad", "why is the story dull"), ("a story", "a film")
    )
]  # fmt: skip
NAMES = [f"text-{number}" for number in range(len(TEXTS))]
WIDE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24}
FAMILIES = ("bert", "roberta", "electra", "distilbert")
BARE = ("gpt2", "qwen2", "qwen3")
"""Those whose tokenizers set no mark before a text."""
DECODERS = ("gpt2", "llama", "mistral", "qwen2", "qwen3")
READ = (*FAMILIES, "xlm-roberta", "camembert", "albert", "mpnet", "deberta-v2", "modernbert", *DECODERS)
"""Those that are read; `FAMILIES` are fine-tuned here too, and so are those that are RoBERTa by another name."""
OF_BYTES = {
    "max_position_embeddings": POSITIONS + 4,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "type_vocab_size": 1,
}
MORE = {
    **dict.fromkeys(("roberta", "xlm-roberta", "camembert"), OF_BYTES),
    "electra": {"embedding_size": 8},
    "albert": {"embedding_size": 8},
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 24},
    "mpnet": {"max_position_embeddings": POSITIONS + 2},
    "deberta-v2": {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 4,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "position_biased_input": False,
        "type_vocab_size": 0,
    },
    "modernbert": {"pad_token_id": 0, "bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3},
    "gpt2": {"eos_token_id": 2, "bos_token_id": 2},
    "llama": {"pad_token_id": 0, "num_key_value_heads": 2, "attention_bias": True, "mlp_bias": True},
    "mistral": {"pad_token_id": 0, "num_key_value_heads": 2, "sliding_window": 4},
    "qwen2": {"num_key_value_heads": 2},
    "qwen3": {"num_key_value_heads": 2, "head_dim": 6},
}
"""What the configurations of families have besides `WIDE`."""


def byte_level(words, prefix=True):
    """RoBERTa's kind of tokenizer, with these words and all bytes as pieces. prefix: whether a space is set before the
    first word.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = []
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
    folder,
    family="bert",
    names=("negative", "positive"),
    seed=0,
    words=WORDS,
    moved=False,
    language=False,
    **further,
):
    """A classifier of one of `READ` into classes of these names. moved: with biases and normalisations that do
    something, which are 0 and 1 else. language: a language model in its place.
    """
    of_bytes = MORE.get(family) is OF_BYTES or family.startswith("qwen")
    pieces = byte_level(words) if of_bytes else tokenizer(list(words))
    if family in DECODERS:
        first = "" if family in BARE else "[CLS] "
        pieces.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first}$A", special_tokens=[("[CLS]", 2)]
        )
        pieces.model_input_names = ["input_ids", "attention_mask"]
    settings = WIDE | {"vocab_size": len(pieces), "max_position_embeddings": POSITIONS} | MORE.get(family, {})
    config = transformers.AutoConfig.for_model(
        family,
        **settings | further,
        initializer_range=0.5,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
    torch.manual_seed(seed)
    transformers.logging.disable_progress_bar()
    head = transformers.AutoModelForCausalLM if language else transformers.AutoModelForSequenceClassification
    model = head.from_config(config)
    for weight in model.parameters():
        if moved and weight.dim() == 1:
            weight.data += 0.3 * torch.randn(weight.shape)
    model.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return folder


@cache
def plain(folder):
    """The library's own model."""
    return transformers.AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")


def ask_library(classifier, *sides, gone=None):
    """The pieces of a text or a pair, and what the library says of them, or of all but those of one word of a side."""
    encoding = classifier.tokenizer(*map(" ".join, sides), return_tensors="pt")
    words = zip(encoding.sequence_ids(), encoding.word_ids(), strict=True)
    kept = torch.tensor([word != gone for word in words])
    with torch.no_grad():
        given = {name: values[:, kept] for name, values in encoding.items()}
        return encoding, plain(classifier.folder)(**given, output_attentions=True)


@contextmanager
def impose_on_library(classifier, weights):
    """Let the softmax of the last layer give the classified token of B texts these weights, (B, H or 1, P)."""
    softmax, seen = torch.nn.functional.softmax, []

    def attend(*given, **named):
        own = softmax(*given, **named)
        seen.append(own)
        if len(seen) != len(classifier.layers):
            return own
        row = own.shape[2] - 1 if classifier.family.last else 0
        return torch.where(torch.arange(own.shape[2])[:, None] == row, weights[:, :, None], own)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.functional, "softmax", attend)
        yield
    assert len(seen) == len(classifier.layers)


def sum_over_items(encoding, weights, *sides):
    """Sum weights of pieces over items: the words of all sides, then the first piece where it is a mark, then all other
    marks.
    """
    count = sum(map(len, sides))
    # the library counts words of each text from 0
    items = [
        count + (at > 0) if side is None else word + side * len(sides[0])
        for at, (side, word) in enumerate(zip(encoding.sequence_ids(), encoding.word_ids(), strict=True))
    ]
    return np.bincount(items, np.asarray(weights))
