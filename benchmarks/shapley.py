"""How near KernelSHAP comes to exact Shapley values, at as many evaluations, beside other tools' estimators.

    python benchmarks/shapley.py [FOLDER] [--texts 12] [--repeats 5]

FOLDER holds a fine-tuned classifier; the texts are then test sentences of SST, of the folder that
ATTENTION_AUDIT_MIRROR names. Without it, the network is that of `maps.py`, and texts are random pieces. Texts have 8 to
12 words, so that their exact values are had by reading all sets of their words. Printed is the root mean square error
over all words and over repeats, in which the words of a text stand in another order, at each number of evaluations;
wanted is at most that of shap. captum, shap and shapiq are compared where they are installed; a text counts where it
has clearly more sets than there are evaluations.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from math import factorial
from pathlib import Path

import numpy as np
import torch
from maps import CPU, build_texts, network
from tail import sentences

from attention_audit.arrays import Flags, Floats, Integers
from attention_audit.maps.passes import ModelPass
from attention_audit.maps.word_sets import draw_sets, fit_shapley, predict_kept
from attention_audit.model.sequence_classifier import SequenceClassifier, TransformerClassifier
from attention_audit.raw_text import join_words
from attention_audit.transformer.pieces import cut_raw
from attention_audit.transformer.states import PieceBatch, PieceTable

EVALUATIONS = (50, 100, 200, 400)
WORDS = (8, 9, 10, 11, 12)
CLEARLY_MORE = 1.2
"""So many times as many sets as evaluations a text has to have."""


@dataclass
class Game:
    """The value of every set of n words, (2^n,), by the bits of its number; `order` renames the words."""

    values: Floats
    order: Integers
    evaluations: int = 0

    @property
    def words(self) -> int:
        return len(self.order)

    def __call__(self, kept: Flags) -> Floats:
        """Return the values of sets, (S, n) -> (S,), and count them."""
        self.evaluations += len(kept)
        return self.values[np.asarray(kept, bool) @ (1 << self.order)]

    def list_exact(self) -> Floats:
        """List the Shapley values by their definition: what a word adds to a set, over all sets without it."""
        sets, count = np.arange(len(self.values)), self.words
        sizes = np.array([number.bit_count() for number in sets.tolist()])
        weights = np.array([factorial(size) * factorial(count - 1 - size) for size in range(count)]) / factorial(count)
        exact = []
        for bit in 1 << self.order:
            without = sets[sets & bit == 0]
            exact.append((weights[sizes[without]] * (self.values[without | bit] - self.values[without])).sum())
        return np.array(exact)


def estimate_here(game: Game, evaluations: int, seed: int) -> Floats:
    """KernelSHAP as the map of this package estimates it."""
    kept = draw_sets(game.words, evaluations)
    return fit_shapley(kept, game(kept))


def estimate_by_captum(game: Game, evaluations: int, seed: int) -> Floats:
    """captum's KernelShap."""
    from captum.attr import KernelShap

    torch.manual_seed(seed)
    explainer = KernelShap(lambda kept: torch.from_numpy(game(kept.numpy() > 0)))
    return explainer.attribute(torch.ones(1, game.words), n_samples=evaluations, perturbations_per_eval=50)[0].numpy()


def estimate_by_shap(game: Game, evaluations: int, seed: int) -> Floats:
    """shap's KernelExplainer, which evaluates all words and none besides."""
    import shap

    np.random.seed(seed)
    explainer = shap.KernelExplainer(lambda kept: game(kept > 0), np.zeros((1, game.words)))
    return explainer.shap_values(np.ones((1, game.words)), nsamples=evaluations - 2, l1_reg=False, silent=True)[0]


def estimate_by_shapiq(game: Game, evaluations: int, seed: int) -> Floats:
    """shapiq's KernelSHAP with pairs."""
    from shapiq.approximator import KernelSHAP

    approximator = KernelSHAP(n=game.words, pairing_trick=True, random_state=seed)
    found = approximator.approximate(budget=evaluations, game=game)
    return np.array([found[word,] for word in range(game.words)])


ESTIMATORS: dict[str, Callable[[Game, int, int], Floats]] = {
    "attention_audit": estimate_here,
    "captum": estimate_by_captum,
    "shap": estimate_by_shap,
    "shapiq": estimate_by_shapiq,
}


def read_texts(folder: Path, count: int) -> tuple[TransformerClassifier, Iterator[PieceBatch]]:
    """Read a classifier, and cut test sentences of SST of 8 to 12 words, of all lengths in turn."""
    if not (mirror := os.environ.get("ATTENTION_AUDIT_MIRROR")):
        sys.exit("ATTENTION_AUDIT_MIRROR is not set; name the folder that holds SST")
    classifier, by_length = SequenceClassifier(folder), {words: list[list[str]]() for words in WORDS}
    for text in sentences(Path(mirror), 2000):
        by_length.get(len(text), []).append(text)
    texts = [by_length[WORDS[number % len(WORDS)]][number // len(WORDS)] for number in range(count)]
    cut = (cut_raw(classifier.tokenizer, ["text"], [join_words(text)], classifier.most) for text in texts)
    return classifier, (PieceTable(pieces, CPU).batch(np.array([0])) for pieces in cut)


def play_all(classifier: TransformerClassifier, texts: Iterator[PieceBatch]) -> Iterator[Floats]:
    """Yield the values of all sets of the words of each text."""
    with torch.no_grad():
        for number, pieces in enumerate(texts):
            words = int(pieces.read[0])
            kept = np.arange(2**words)[:, None] >> np.arange(words) & 1 == 1
            start = time.process_time()
            yield predict_kept(ModelPass(classifier, pieces), np.zeros(len(kept), np.int64), kept)
            print(f"text {number}: {len(kept)} sets, {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)


def main() -> None:
    """Print a line for each estimator."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--texts", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=5)
    call = parser.parse_args()
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        if call.folder:
            classifier, texts = read_texts(call.folder, call.texts)
        else:
            classifier = network(Path(folder))
            lengths = (2 + WORDS[number % len(WORDS)] for number in range(call.texts))
            texts = (build_texts(1, length).batch(np.array([0])) for length in lengths)
        games = [*play_all(classifier, texts)]
    print("root mean square error, and processor ms of the estimator alone, at so many evaluations")
    print(f"{'':16}" + "".join(f"{evaluations:>20}" for evaluations in EVALUATIONS))
    for name, estimate in ESTIMATORS.items():
        if name != "attention_audit" and find_spec(name) is None:
            print(f"{name:16} is not installed")
            continue
        line = f"{name:16}"
        for evaluations in EVALUATIONS:
            errors, seconds = [], 0.0
            for number, values in enumerate(games):
                words = len(values).bit_length() - 1
                for seed in range(call.repeats) if len(values) > CLEARLY_MORE * evaluations else ():
                    order = np.random.default_rng([number, seed]).permutation(words)
                    game = Game(values, order)
                    exact, start = game.list_exact(), time.process_time()
                    errors.append(((estimate(game, evaluations, seed) - exact) ** 2).mean())
                    seconds += time.process_time() - start
                    assert game.evaluations <= evaluations, (name, game.evaluations)
            line += f"{np.mean(errors) ** 0.5:12.3g} {1000 * seconds / len(errors):4.0f} ms" if errors else f"{'-':>20}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
