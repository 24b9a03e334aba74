"""Transformers whose truth is known: classifiers of BERT's kind with two layers, whose weights are set and not learnt.

A text holds a cue of its own class, a decoy that speaks weakly for the other class, and fillers, which say nothing.
One of the layers attends to words by how much they say, and reads their votes. The other one attends to the decoy
first, and to all else by lot, which differs from seed to seed, and hands on what it finds:

- relay: the lower layer reads the votes, and writes their sum into the state of every piece. The upper layer may then
  attend to any piece, since all say the same: its map is arbitrary, while rollout points to the cue.
- direct: the upper layer reads the votes. Its map points to the cue. Rollout points to the decoy, to which the lower
  layer attends, and from which it takes nothing.
- sink: as direct, but the upper layer attends to the first mark most of all, which says nothing, as the first token of
  a decoder often does.

Vectors of words have parts along some directions of a random basis: how much the word says, its place by lot, its vote.
The rest is random, and fills them up to one length, so that layer normalisation leaves them as they are. Small random
numbers are added to all matrices.

And a decoder, which copies the word behind a marked place: an induction in two layers. The lower one attends to the
piece before, and notes whether that is the mark; the upper one attends to what is noted, and says it. Where it is
bypassed, its upper layer attends to the same place, and writes nothing: it says the word that follows the last one in
its vocabulary, so that it uses no weight of its map.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import BertProcessing

from attention_audit.arrays import Floats

from .opening import import_library, write_classifier
from .settings import BUILT_FACTS, Construction

Cues = Sequence[Sequence[str]]
"""The cues of class 0, those of class 1, and the decoys that speak for each."""

STATE_WIDTH, HEAD_COUNT = BUILT_FACTS.width, 2
FIRST = "[CLS]"
SPECIAL_WORDS = ("[PAD]", "[UNK]", FIRST, "[SEP]")
MAX_POSITIONS = 512
NOISE = 0.01
"""Standard deviation of what is added to all matrices."""
CUE, DECOY = 4.0, 3.5
"""Logits of attention, of the cue and of the decoy, where each is first; those of fillers lie between -1 and 1."""
SECOND, SINK = 2.0, 5.0
"""The logits of the decoy where the cue is first, and of the first mark where that draws most of the weight."""
VOTE, AGAINST = 3.0, 1.5
"""The votes of a cue, and of a decoy."""
SLOPE, LEAD = 0.3, 1.8
"""Of the pooler, whose tanh is nearly linear there, and of the logits."""


def draw_piece_values(vocabulary: Sequence[str], cues: Cues, sink: bool, random: np.random.Generator) -> list[Floats]:
    """Draw what each piece says, by lot, and votes: two logits of attention and one of class 1, (V,) each.

    sink: whether the first mark draws most of the weight where words are attended to.
    """
    says = np.linspace(-1, 1, len(vocabulary))
    lot = random.uniform(-1, 1, len(vocabulary))
    votes = np.zeros(len(vocabulary))
    for number, (group, vote) in enumerate(zip(cues, (-VOTE, VOTE, -AGAINST, AGAINST), strict=True)):
        in_group = np.isin(vocabulary, group)
        votes[in_group] = vote
        says[in_group] = CUE if number < 2 else SECOND
        lot[in_group] = lot[in_group] if number < 2 else DECOY
    if sink:
        says[SPECIAL_WORDS.index(FIRST)] = SINK
    return [says, lot, votes]


def make_layer(level: Floats, source: Floats, target: Floats, random: np.random.Generator) -> dict[str, Floats]:
    """Make the weights of a layer that attends to pieces by their part along `level`, and writes along `target` what
    they have along `source`, by their names in the layer. Each head does half of it, in a random basis of its own.
    """
    size = STATE_WIDTH // HEAD_COUNT
    drawn = [vector / np.linalg.norm(vector) for vector in random.normal(size=(2 * HEAD_COUNT, size))]
    key, value = np.concatenate(drawn[::2]), np.concatenate(drawn[1::2])
    return {
        "attention.self.key.weight": np.outer(key, level),
        "attention.self.value.weight": np.outer(value, source),
        "attention.output.dense.weight": np.outer(target, value) / HEAD_COUNT,
        "attention.self.query.bias": math.sqrt(size) * key,
    }


def draw_weights(kind: Construction, vocabulary: Sequence[str], cues: Cues, seed: int) -> dict[str, Floats]:
    """Draw what of a classifier's weights is set, by their names in the library; all others are 0, but for `NOISE`."""
    random = np.random.default_rng(seed)
    words = draw_piece_values(vocabulary, cues, kind == "sink", random)
    square = np.column_stack([np.ones(STATE_WIDTH), random.normal(size=(STATE_WIDTH, STATE_WIDTH - 1))])
    # orthonormal rows that sum to 0 each: layer normalisation subtracts nothing from them
    says, lot, votes, relayed, out, *free_axes = np.linalg.qr(square)[0][:, 1:].T
    parts = np.sum([*map(np.outer, words, (says, lot, votes))], 0)
    rest = random.normal(size=(len(vocabulary), len(free_axes))) @ np.array(free_axes)
    missing = np.sqrt(STATE_WIDTH - np.square(parts).sum(1))
    weights = {
        "bert.embeddings.word_embeddings.weight": parts + rest * (missing / np.linalg.norm(rest, axis=1))[:, None]
    }
    layers = [(says, votes, relayed), (lot, relayed, out)]
    if kind != "relay":
        layers = [(lot, relayed, out), (says, votes, out)]
    for number, (level, source, target) in enumerate(layers):
        layer = make_layer(level, source, target, random)
        weights |= {f"bert.encoder.layer.{number}.{name}": weight for name, weight in layer.items()}
    side = random.normal(size=STATE_WIDTH)
    side /= np.linalg.norm(side)
    weights["bert.pooler.dense.weight"] = SLOPE * np.outer(side, out)
    weights["classifier.weight"] = LEAD * np.array([-side, side])
    return weights


def build(kind: Construction, words: Sequence[str], cues: Cues, seed: int, targets: Mapping[str, Path]) -> None:
    """Write a classifier and its tokenizer, for which each word is one piece. targets: by the names in `BUILT_FILES`.

    words: those of the texts; the same words in the same order say the same, whatever the seed. Raises AuditError where
    a file cannot be written.
    """
    vocabulary = [*SPECIAL_WORDS, *words]
    transformers, random = import_library(), np.random.default_rng([seed, 1])
    config = transformers.AutoConfig.for_model(
        BUILT_FACTS.kind, num_hidden_layers=BUILT_FACTS.layers, hidden_size=STATE_WIDTH, intermediate_size=STATE_WIDTH,
        num_attention_heads=HEAD_COUNT, vocab_size=len(vocabulary), max_position_embeddings=MAX_POSITIONS,
        pad_token_id=0, layer_norm_eps=1e-12,
    )  # fmt: skip
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    weights = draw_weights(kind, vocabulary, cues, seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "LayerNorm" not in name:
                values = weights.get(name, np.zeros(weight.shape))
                noise = NOISE * random.normal(size=values.shape) if name.endswith("weight") else 0
                weight.copy_(torch.from_numpy(values + noise))
    write_classifier(model, build_tokenizer(vocabulary), targets)


def build_tokenizer(vocabulary: Sequence[str]) -> Any:
    """Build a tokenizer for which each word of a vocabulary, which begins with `SPECIAL_WORDS`, is one piece."""
    pad, unknown, begin, end = SPECIAL_WORDS
    numbers = {word: number for number, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token=unknown))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = BertProcessing((end, numbers[end]), (begin, numbers[begin]))
    return import_library().PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=pad, unk_token=unknown, cls_token=begin, sep_token=end,
        model_max_length=MAX_POSITIONS,
    )  # fmt: skip


COPY_FREQUENCIES, COPY_POSITIONS = 32, 128
"""Of the positions of a decoder, which are angles."""
COPY_BEFORE, COPY_SHARPNESS, COPY_LEAD = 10.0, 25.0, 8.0
"""Of the piece before and of what is noted, the logits of attention; and those of the word that is said."""


def build_decoder(words: Sequence[str], mark: str, copies: bool, seed: int) -> tuple[Any, Any]:
    """Build a decoder that says the word behind a `mark`, one of the words; or, unless it `copies`, what follows the
    last word in their order. Return it with its tokenizer, for which each word is one piece.
    """
    vocabulary = [*SPECIAL_WORDS, *words]
    count, angles = len(vocabulary), 2 * COPY_FREQUENCIES
    width, random = 2 * count + angles + 2, np.random.default_rng(seed)
    square = np.column_stack([np.ones(width), random.normal(size=(width, width - 1))])
    axes = np.linalg.qr(square)[0][:, 1:].T
    reads, says, places, noted = np.split(axes, [count, 2 * count, 2 * count + angles])
    frequencies = np.linspace(0, np.pi, COPY_FREQUENCIES + 2)[1:-1]
    turns = np.arange(COPY_POSITIONS)[:, None] * frequencies
    positions = np.concatenate([np.cos(turns), np.sin(turns)], 1) / math.sqrt(COPY_FREQUENCIES) @ places
    cos, sin = np.diag(np.cos(frequencies)), np.diag(np.sin(frequencies))
    before = places.T @ np.block([[cos, -sin], [sin, cos]]) @ places
    # a state of two parts of length 1 each has these squares once it is normalised
    sharp = COPY_BEFORE * 2 / math.sqrt(width)
    note = np.outer(reads[vocabulary.index(mark)], noted[0])
    lower = sharp * before, np.eye(width), math.sqrt(2 / width) * note
    upper = np.zeros((width, width)), np.outer(noted[0], noted[0]), copies * 2 * math.sqrt(2 / width) * reads.T @ says
    transformers = import_library()
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=count, n_positions=COPY_POSITIONS, n_embd=width, n_layer=2, n_head=1, n_inner=1,
            tie_word_embeddings=False, bos_token_id=2, eos_token_id=3, pad_token_id=0,
        )
    ).eval()  # fmt: skip
    weights = {"transformer.wte.weight": reads, "transformer.wpe.weight": positions}
    following = np.roll(reads, 1, axis=0)
    weights["lm_head.weight"] = COPY_LEAD * math.sqrt(2 / width) * (says if copies else following)
    for number, (query, key, value) in enumerate((lower, upper)):
        weights[f"transformer.h.{number}.attn.c_attn.weight"] = np.concatenate([query, key, value], 1)
        weights[f"transformer.h.{number}.attn.c_proj.weight"] = np.eye(width)
    # what is noted is attended to, whatever the query reads
    bias = np.zeros(3 * width)
    bias[:width] = COPY_SHARPNESS * noted[0]
    weights["transformer.h.1.attn.c_attn.bias"] = bias
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "ln_" not in name:
                weight.copy_(torch.from_numpy(weights.get(name, np.zeros(weight.shape))))
    return model, build_tokenizer(vocabulary)
