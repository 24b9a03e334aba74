"""Rank correlation: do two attributions of a text order its tokens alike?

Claims: attention that orders the tokens differently from measures of their importance does not explain importance.
Assumes that these measures do; where they disagree with one another too, little follows. Jain & Wallace 2019, section
4.1: Kendall's tau-b and its p-value, text by text. An attribution that scores all tokens the same does not order them:
tau is then NaN, and tables report how often that happens.

Agreement: how far any two attributions order the tokens alike. Claims: all attributions are meant to say which tokens
matter. Where they do not agree with one another, attention's disagreement with one of them says little against
attention. Mean Kendall tau-b over texts, for every two attributions (Neely et al. 2021).

`word_attributions` claims nothing: it keeps the values of the words, to be looked at text by text.

Stability of attributions: would another training put the words of a text in the same order by them too?

What `map_stability` measures of the maps that readouts carry, of attributions that none carries: the gradient by the
weights and its product with them; and, for which the model runs again, leave-one-out and integrated gradients.

Conicity: how alike are the hidden states of a text?

Claims nothing about attention itself: where all states point in the same direction, any weights give nearly the same
context vector, and permuting the weights cannot change the prediction. Conicity is the mean, over the tokens, of the
cosine between a token's state and the mean state: 1 where all states point in the same direction, near 0 where they
spread. Mohankumar et al. 2020, section 3. The magnitudes of the cosines are averaged too, as in the authors' code.

Plausibility of the attributions that run the network again: gradients, leave-one-out, integrated gradients.

Claims, assumes and measures what `plausibility` does. The attributions are those that `correlation`, `agreement` and
`located` ask for, computed once for all of them; the last two with their signs, as `located` ranks by them.

Impermissible words: does a model look at them, and does it use them?

Claims: a model that predicts something else once these words are deleted from its input relies on them, wherever its
attention lies. A model trained to deceive has next to no attention on them and relies on them all the same (Pruthi et
al. 2020). Assumes that the model can read the text without these words, which no training text lacked; the paper trains
another model without them instead. Lower attention is not better: only attention that is low where reliance is high
deceives.
"""

from collections.abc import Iterable, Mapping, Sequence
from inspect import unwrap
from itertools import combinations
from typing import Any

import numpy as np
import torch

from attention_audit.arrays import Array
from attention_audit.columns.audits import (
    AGREEMENT,
    ATTRIBUTION_STABILITY,
    CORRELATION,
    PLAUSIBLE_WORDS,
    WORD_ATTRIBUTIONS,
)
from attention_audit.model.attention import measure_absolute_conicity, measure_conicity
from attention_audit.model.network import use_inference

from .answers import Answers, Training, explain_sentences, explain_unmarked
from .attributed import AttributedTexts, Attributions
from .batches import Columns, compute_rank_correlation, make_columns, select_class
from .facts import TextFacts
from .leave_one_out import predict_without
from .plausibility import NAMES, Rationales, evidence_mass, find_evidence, list_cases, measure_cases
from .rankings import RANKERS
from .settings import Correlation, Deletion, Erasure

YARDSTICK = ("gradient", "loo")
"""The two measures of importance that the paper compares with each other."""


def compute_tau(first_scores: Array, second_scores: Array) -> tuple[float, float]:
    """Compute Kendall's tau-b and its p-value of two scorings of L tokens, (L,) each; NaN where either is constant."""
    from scipy.stats import kendalltau

    # what scipy wraps around it, for axes and NaN, takes longer than tau itself
    compute = unwrap(kendalltau)
    return compute(first_scores, second_scores) if len(first_scores) > 1 else (np.nan, np.nan)


def share_highest(first_scores: Array, second_scores: Array, top: int) -> float:
    """Compute the share of the `top` highest tokens of one scoring that are also among the `top` highest of the other.

    Of tokens with equal scores, the earlier counts as higher. NaN where a text has at most `top` tokens, since all of
    them would be shared.
    """
    if len(first_scores) <= top:
        return np.nan
    first_tops, second_tops = (np.argsort(-scores, kind="stable")[:top] for scores in (first_scores, second_scores))
    return len(np.intersect1d(first_tops, second_tops)) / top


def list_pairs(scores: Iterable[str]) -> list[tuple[str, str]]:
    """List the attributions that are compared: attention with each of `scores`, and the two of YARDSTICK."""
    return [*(("attention", name) for name in scores), YARDSTICK]


def correlation(attributions: Attributions, settings: Correlation) -> Columns:
    """Return the columns id, prediction, pair, tau, p, tokens, top_k_overlap; one row for each pair (`list_pairs`) and
    text.

    tau and p are NaN where either attribution scores all tokens the same, and top_k_overlap is NaN where the text has
    at most `top_k` tokens.
    """
    readout, top = attributions.readout, settings.top_k
    scores: dict[str, Sequence[Any]] = {"attention": readout.word_attention, **attributions.scores}
    texts = (readout.ids, readout.predictions.tolist(), readout.words.tolist())
    rows = [
        (
            id_,
            prediction,
            f"{first_name}~{second_name}",
            tokens,
            *compute_tau(first_scores, second_scores),
            share_highest(first_scores, second_scores, top),
        )
        for first_name, second_name in list_pairs(attributions.scores)
        for id_, prediction, tokens, first_scores, second_scores in zip(
            *texts, scores[first_name], scores[second_name], strict=True
        )
    ]
    return make_columns(("id", "prediction", "pair", "tokens", "tau", "p", "top_k_overlap"), rows)


def agreement(attributions: Attributions) -> Columns:
    """Return the columns first, second, tau, texts; one row for every two of attention, the attributions of every text
    and integrated gradients, by their magnitudes, on the sample of texts that has the latter.

    texts: the number of texts in which both attributions order the tokens, that is, do not score all of them the same.
    tau: the mean over these texts, NaN where there is none.
    """
    scores: dict[str, Any] = {"attention": attributions.readout.word_attention, **attributions.scores}
    scores["integrated_gradients"] = {member: np.abs(gains) for member, gains in attributions.integrated.items()}
    rows = []
    for first_name, second_name in combinations(scores, 2):
        values = np.array([compute_tau(scores[first_name][i], scores[second_name][i])[0] for i in attributions.chosen])
        defined = values[~np.isnan(values)]
        rows.append((first_name, second_name, defined.mean() if len(defined) else np.nan, len(defined)))
    return make_columns(("first", "second", "tau", "texts"), rows)


def word_attributions(attributions: Attributions, deletion: Deletion) -> Columns:
    """Return the columns id, attribution, scores: a row for each attribution and text that has it.

    gradient: shares of the magnitudes of the gradients of the words. loo: the probability that the predicted class
    loses without the word. integrated_gradients: with their signs, of a sample of the texts, the one of the audit
    `agreement`; loo of the same sample where the section `deletion` asks for less than all texts.
    """
    ids, chosen = attributions.readout.ids, attributions.chosen
    members = range(len(ids)) if deletion.texts is None else chosen
    rows = [
        *((ids[i], "gradient", scores.astype(np.float32)) for i, scores in enumerate(attributions.scores["gradient"])),
        *((ids[i], "loo", attributions.falls[i].astype(np.float32)) for i in members),
        *((ids[i], "integrated_gradients", attributions.integrated[i].astype(np.float32)) for i in chosen),
    ]
    return make_columns(("id", "attribution", "scores"), rows)


def attribution_stability(earlier: Attributions, later: Attributions, deletion: Deletion, erasure: Erasure) -> Columns:
    """Return the columns id, map, rho: a row for each attribution that readouts carry no map of, and text that has it.

    Integrated gradients and leave-one-out are of the samples of texts that `located` has them of.
    """
    earlier_scores, later_scores = (each.list_word_scores(deletion, erasure) for each in (earlier, later))
    rows = [
        (later.readout.ids[member], name, compute_rank_correlation(earlier_scores[name][member], scores))
        for name, of_texts in later_scores.items()
        for member, scores in of_texts.items()
    ]
    return make_columns(("id", "map", "rho"), rows)


def conicity(texts: AttributedTexts) -> Columns:
    """Return the columns id, conicity and magnitude; one row for each text."""
    cosines = np.empty((2, len(texts.split)))
    with use_inference(texts.model):
        for members, batch in texts.split.iterate_by_length():
            states = texts.model(batch).states.double()
            measures = (measure(states, batch.mask) for measure in (measure_conicity, measure_absolute_conicity))
            cosines[:, members] = torch.stack([*measures]).cpu()
    return {"id": texts.readout.ids, "conicity": cosines[0], "magnitude": cosines[1]}


def name_words(name: str) -> str:
    """Name an attribution beside the rankings by states, of which one may have its name: `gradient` is that by the
    weights.
    """
    return f"word_{name}" if name in RANKERS else name


def plausible_words(attributions: Attributions, rationales: Rationales) -> Columns:
    """Return the columns of `plausibility`: a row for each text that is marked, annotator and attribution that runs the
    network again.

    These are what `correlation`, `agreement` and `located` ask for; the last two with their signs, as `located` ranks
    by them. loo: what the predicted class loses without the word. integrated_gradients have rows for a sample of the
    texts, the one of the audit `agreement`.
    """
    ids = attributions.readout.ids
    cases = list_cases(ids, attributions.readout.places, rationales)
    if not cases:
        return make_columns(NAMES, [])
    scores: dict[str, Any] = {
        name_words(name): of_texts for name, of_texts in attributions.scores.items() if name != "loo"
    }
    rows = [row for name, of_texts in scores.items() for row in measure_cases(ids, name, cases, of_texts)]
    rows += measure_cases(ids, "loo", cases, attributions.falls)
    sample = [case for case in cases if case.text in attributions.integrated]
    return make_columns(NAMES, rows + measure_cases(ids, "integrated_gradients", sample, attributions.integrated))


def impermissible(texts: AttributedTexts, blocked: Mapping[str, Sequence[int]]) -> Columns:
    """Return the columns of columns.IMPERMISSIBLE but for those that say what was audited; a row for each text of
    `blocked`.

    `blocked` has the positions of the impermissible words of each text by its id; those behind the last word that is
    read are left out. Texts without such a word are predicted as they are.
    """
    readout, items = texts.readout, find_evidence(texts.readout, blocked)
    members, masses = np.array([*items], int), evidence_mass(readout, blocked)
    gone = np.zeros((len(members), texts.split.lengths.max()), bool)
    for row, at in zip(gone, items.values(), strict=True):
        row[at] = True
    both = np.concatenate([np.zeros_like(gone), gone])
    predictions = predict_without(texts.model, texts.split, np.tile(members, 2), both)
    before, after = predictions[: len(members)], predictions[len(members) :]
    fall, labels = select_class(before - after, before.argmax(1).numpy()), readout.labels[members]
    return {
        "id": masses["id"],
        "label": masses["label"],
        "blocked_words": gone.sum(1, dtype=np.int32),
        "mass": masses["evidence_mass"],
        "uniform_mass": masses["uniform_mass"],
        "right": readout.predictions[members] == labels,
        # no word may be left
        "right_without": np.where(np.isnan(fall), None, after.argmax(1).numpy() == labels),
        "fall": fall,
    }


def ask_attribution(
    trainings: Mapping[Training, Attributions],
    answers: Answers,
    facts: TextFacts,
    correlating: Correlation,
    deletion: Deletion,
    erasure: Erasure,
) -> None:
    """Ask the audits of attributions of the trainings of a model, in the order of their seeds."""
    unmarked, numbered = explain_unmarked(facts, answers.dataset), [*trainings.items()]
    for number, (training, attributions) in enumerate(numbered):
        sentences = explain_sentences(training)
        if answers.asks(CORRELATION, sentences):
            answers.add(CORRELATION, correlation(attributions, correlating), training)
        if answers.asks(AGREEMENT, sentences):
            answers.add(AGREEMENT, agreement(attributions), training)
        for earlier, before in numbered[:number]:
            if answers.asks(ATTRIBUTION_STABILITY, sentences):
                columns = attribution_stability(before, attributions, deletion, erasure)
                answers.add(ATTRIBUTION_STABILITY, columns, training, earlier.about.seed)
        if answers.asks(PLAUSIBLE_WORDS, sentences, unmarked):
            answers.add(PLAUSIBLE_WORDS, plausible_words(attributions, facts.rationales), training)
        if not number and answers.asks(WORD_ATTRIBUTIONS, sentences):
            answers.add(WORD_ATTRIBUTIONS, word_attributions(attributions, deletion), training)
