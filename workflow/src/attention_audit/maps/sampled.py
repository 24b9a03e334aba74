"""Maps by deleting random sets of words: LIME (Ribeiro et al. 2016) and KernelSHAP (Lundberg & Lee 2017), by captum.

A line is fitted to the probability of the predicted class in texts that keep some of the words. What is deleted is gone
from the input, and the classifier reads the rest; marks stay. A word's score is its slope in that line, and its pieces
have equal parts of it. Every text draws with the same seed, so that scores depend on no other text.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from attention_audit.transformer.states import get_piece_limit

from .passes import Pass

SAMPLES = 200
"""Sets of words of each text."""
SEED = 0
WIDTH = 0.25
"""Of LIME's kernel over the cosine distance, as in its authors' code for texts."""


def words_with_pieces(read: Pass, text: int) -> Tensor:
    """The words of a text that have a piece of their own, (K,), which can be deleted."""
    words = read.pieces.words[text]
    found: Tensor = torch.unique(words[words >= 0])
    return found


def probability(read: Pass, text: int, words: Tensor, kept: Tensor) -> Tensor:
    """The probability of a text's predicted class where of these words (K,) only some are kept, (S, K): (S,)."""
    stays = kept.new_ones(len(kept), int(read.pieces.read[text]), dtype=torch.bool)
    stays[:, words] = kept > 0
    rows = read.pieces.select_texts(torch.full((len(kept),), text, device=kept.device))
    logits = read.classifier.compute_logits(rows.keep_words(stays))
    return logits.softmax(-1)[:, read.explained[text]]


@torch.no_grad()
def slopes(read: Pass, explained: Any, samples: int, seed: int) -> Tensor:
    """The slopes of all words, as scores of pieces (B, P). explained: makes a method of captum of a function."""
    of_items = read.mask.new_zeros(len(read.mask), 1, read.pieces.count)
    for text, count in enumerate(read.pieces.lengths.tolist()):
        words = words_with_pieces(read, text)
        asked = partial(probability, read, text, words)
        everything = read.mask.new_ones(1, len(words))
        if len(words) == 1:
            of_items[text, 0, words] = asked(everything) - asked(torch.zeros_like(everything))
            continue
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            found = explained(asked).attribute(
                everything, n_samples=samples, perturbations_per_eval=max(1, get_piece_limit() // count)
            )
        of_items[text, 0, words] = found[0]
    return read.pieces.weigh_pieces(of_items, read.mask[:, None])[:, 0]


def lime(read: Pass, samples: int = SAMPLES, seed: int = SEED) -> Tensor:
    """LIME, signed: each word is kept or deleted with the same chance; a ridge regression weighs each set of words by
    its cosine to the whole text. As many passes as there are samples.

    A text of one word has the difference that the word makes.
    """
    from captum._utils.models.linear_model import SkLearnRidge
    from captum.attr import Lime
    from captum.attr._core.lime import get_exp_kernel_similarity_function

    kernel = get_exp_kernel_similarity_function("cosine", kernel_width=WIDTH)
    return slopes(read, partial(Lime, interpretable_model=SkLearnRidge(), similarity_func=kernel), samples, seed)


def kernel_shap(read: Pass, samples: int = SAMPLES, seed: int = SEED) -> Tensor:
    """KernelSHAP, signed: Shapley values of the words, estimated; they sum to the difference between the probability of
    the whole text and that of the marks alone. As many passes as there are samples.
    """
    from captum.attr import KernelShap

    return slopes(read, KernelShap, samples, seed)
