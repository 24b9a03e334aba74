"""Small Transformers of random weights, saved as the folders that a user has."""

import json

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from attention_audit.corpus.sources.control import ControlCorpus

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    "good", "bad", "film", "the", "a", "is", "un", "##believ", "##ably", "##s", "great", "dull", "story", "why", "##ing"
]  # fmt: skip
LETTERS = [mark + letter for mark in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz"]
"""Pieces of which every word of the generated corpora can be made."""
POSITIONS = 40


def known_words(*kinds, texts=48):
    """Every second word of the generated corpora of these kinds, as a piece of its own: of letters alone, a text would
    have four times as many pieces as words, and take longer to read.
    """
    words = set()
    for kind in kinds:
        corpus = ControlCorpus.model_validate({"kind": kind, "texts": dict.fromkeys(("train", "dev", "test"), texts)})
        for text in corpus.read(kind, {}):
            words |= {*text.text}
    return sorted(words)[::2]


SIZES = {"num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24}


def tokenizer(words, positions=POSITIONS):
    """A WordPiece tokenizer of these pieces, with BERT's marks."""
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys([*MARKS, *words]))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=positions,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def save(
    folder,
    words=WORDS,
    seed=0,
    positions=POSITIONS,
):
    """A BERT of random weights with its tokenizer in a folder."""
    pieces = tokenizer(words, positions)
    settings = SIZES | {"vocab_size": len(pieces), "max_position_embeddings": positions}
    torch.manual_seed(seed)
    # weights far larger than those that training begins with, so that states depend on the words around them
    model = transformers.BertModel(transformers.BertConfig(**settings, initializer_range=0.5))
    transformers.logging.disable_progress_bar()
    model.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return folder


def pool_words(states, given, pool="first"):
    """The state of each word of a text, by its side and number. given: the text as the library encodes it."""
    parts = {}
    for state, side, word in zip(states, given.sequence_ids(0), given.word_ids(0), strict=True):
        if side is not None:
            parts.setdefault((side, word), []).append(state)
    return {key: each[0] if pool == "first" else torch.stack(each).sum(0) for key, each in parts.items()}


def change_config(folder, **values):
    """Change keys of config.json."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
