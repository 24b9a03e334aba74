"""Exact contributions: is attention proportional to what each item adds to the decision?

Where logits = sum_t a_t z_t + b, the last step of a model explains itself, without any perturbation: item t adds

    c_t = a_t (z_tm - sum_c p_c z_tc)

to the lead of the predicted class m over the mean of all classes, weighted by their probabilities p. Attention is an
explanation of that step as far as it is proportional to c_t. Claims: where attention orders items unlike |c_t|, it
shows something else than what decides; and weight on items of c_t < 0 lies on what speaks against the prediction, which
no map of weights says. Assumes that the items' states are what is to be explained; it says nothing of the words that
they know of. Since dp_m/da_t = p_m (z_tm - sum_c p_c z_tc), attention times gradient, the ranking `product`, is p_m
c_t: the same order. Runs on the readout.

A Transformer's logits are no such sum. There c_t is what the first-order expansion at the model's own weights gives to
item t, over all heads: it is how the decision would begin to change, and the c_t of a text do not say what other
weights would predict. What an erasure does (top_fall, top_flips) passes the tail and is exact.

Sets of weights: how many items must be erased, from the top of a ranking downward, until the decision changes?

Claims: a ranking that says what matters changes the decision early (Serrano & Smith 2019, section 5); the smallest set
that changes it shows how early that could be. With such a ranking, the predicted probability falls far when the first
items are erased (attention-comprehensiveness), and hardly when only they remain (attention-sufficiency). These are the
measures of DeYoung et al. 2020 (ERASER), section 4, who delete words of the input; here attention is erased. Assumes
that a prediction from renormalised weights is one the model could make.

Single weights: does the item that a ranking puts first matter more than another one?

Claims: if attention says what matters, the prediction changes more without the item of the highest weight than without
another, random item. Assumes that a prediction from renormalised weights is one the model could make. Serrano & Smith
2019, section 4; their figures 12 and 13 have the rankings by gradient and by product.

Shuffles: what does a model decide under its own map, and under random orders of it that are imposed on it?

A weight multiplies what its item says, so the items of high weight change the decision early, and mostly speak for it,
whatever they are. Here a map's weights are shuffled over the items, the model predicts anew from them, and what erasing
items does to that prediction, and what the top item adds to it, is measured as under the map itself. Claims: a map that
ranks items no better than its own shuffles says nothing of the items beyond what any weights would make of them.
Assumes, as `permutation` does, that weights may be chosen independently of the network that computes them. Runs on the
readout; of a Transformer all heads are shuffled alike, and the rest of the network is evaluated above them.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.arrays import Floats
from attention_audit.batching import cut_rows, mark_lengths, stream
from attention_audit.columns.audits import BINS, CONTRIBUTIONS, DRAWS, RANKED_SETS, SHUFFLES, SINGLE_WEIGHT, TOP
from attention_audit.divergence import jsd, tvd
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

from .answers import Answers, Training, explain_pairs, explain_undecided
from .batches import Columns, collect, draw_orders, repeat_texts, stack_values
from .erasure import (
    ErasableTexts,
    batch_erasable,
    batch_items,
    count_votes,
    find_flips,
    find_share,
    reorder_votes,
    sum_remaining,
    sum_without,
)
from .rankings import SMALLEST, TOPS, find_smallest, load_rankers, sort_falling
from .settings import Erasure, Permutation


def compute_kendall(scored: Iterable[Sequence[Floats]]) -> Tensor:
    """Compute Kendall's tau-b of two scorings of the items of each text, (n,); NaN where either scores all the same."""
    counts = []
    for pair in scored:
        first_signs, second_signs = (np.sign(scores[:, None] - scores).ravel() for scores in pair)
        counts.append([first_signs @ second_signs, first_signs @ first_signs, second_signs @ second_signs])
    agreeing, *untied = torch.tensor(counts, dtype=torch.float64).unbind(1)
    return agreeing / (untied[0] * untied[1]).sqrt()


def contributions(readout: Readout) -> Columns:
    """Return the columns id, items, prediction, tau, overlap, magnitude, against, top_fall, top_flips, top_items,
    top_weights, top_contributions; one row for each text.

    tau: Kendall's tau-b of a_t with |c_t|, NaN where either is the same for all items. overlap: the share of the TOP
    items with the most attention that are among the TOP of the greatest |c_t|; all items count where there are fewer.
    magnitude: the sum of all |c_t|. against: the attention on items of c_t < 0. top_fall: p_m minus that without
    the item of the most attention, the other weights renormalised; top_flips: whether the decision then changes; NaN
    and None for a text of one item, of which nothing would be left. The last three are lists of the up to TOP items
    with the most attention: their positions, weights and c_t. Of equal scores the earlier item counts as the higher.
    Marks of a tokenizer count in magnitude and against, and are no items of the others.
    """

    def measure(texts: ErasableTexts) -> Columns:
        exact, words = texts.exact_contributions, texts.words
        scored = (texts.attention, exact.abs())
        top_items, greatest_items = (sort_falling(scores, texts)[:, :TOP] for scores in scored)
        are_words = mark_lengths(words, top_items.shape[1])
        shared = (top_items[:, :, None] == greatest_items[:, None]) & are_words[:, :, None] & are_words[:, None]
        predicted, flips = texts.erase(sum_without(texts, top_items[:, :1]))
        return {
            "tau": compute_kendall(zip(*(cut_rows(scores, words) for scores in scored), strict=True)),
            "overlap": shared.sum((1, 2)) / are_words.sum(1),
            "magnitude": exact.abs().sum(1),
            "against": texts.attention.where(exact < 0, 0.0).sum(1),
            "top_fall": texts.measure_fall(predicted)[:, 0].where(words > 1, torch.nan),
            "top_flips": np.where(words > 1, flips[:, 0], np.array(None)),
            "top_items": cut_rows(top_items, words),
            "top_weights": cut_rows(texts.attention.gather(1, top_items), words),
            "top_contributions": cut_rows(exact.gather(1, top_items), words),
        }

    columns = collect(measure, batch_erasable(readout))
    columns["top_items"] = [words[items] for words, items in zip(readout.places, columns["top_items"], strict=True)]
    return {
        "id": readout.ids,
        "items": readout.lengths.astype(np.int32),
        "prediction": readout.predictions.astype(np.int32),
        **columns,
    }


def measure_order(texts: ErasableTexts, order: Tensor) -> Columns:
    """Measure how many items are erased in an order (n, L) when the decision first changes, (n,), and
    attention-comprehensiveness and attention-sufficiency at every bin, (bins, n) each.
    """
    votes = reorder_votes(texts.votes, order)
    remaining = sum_remaining(votes)
    sizes = -(texts.lengths[:, None] * torch.tensor(BINS) // -100)
    at = sizes[:, None].expand(-1, votes.shape[1], -1)
    summed_from_top = votes[..., : int(sizes.max())].cumsum(2)
    remaining_sets = torch.cat([remaining.gather(2, at), summed_from_top.gather(2, at - 1)], 2)
    without, alone = texts.measure_fall(texts.predict(remaining_sets)).t().chunk(2)
    removed = find_flips(texts, remaining, texts.lengths).int()
    return {"removed": removed, "comprehensiveness": without, "sufficiency": alone}


def ranked_sets(readout: Readout, settings: Erasure) -> Columns:
    """Return the columns id, ranking, items, removed, fraction_removed, comprehensiveness, sufficiency,
    comprehensiveness_curve, sufficiency_curve; one row for each ranking (`load_rankers`) and text of more than one
    item; the paper leaves the others out (section 5.3).

    removed: the number of items erased when the decision first differs (`divergence.detect_flips`). When all items are
    erased, the bias decides; -1 means that even then it does not. fraction_removed = removed / items, NaN where removed
    is -1. The ranking `smallest` erases as few items as any set that changes the decision; with several heads, as few
    as a greedy search finds, which is an upper bound.

    A curve has a value for each bin of q % (`BINS`), with k = ceil(q items / 100). Attention-comprehensiveness is p(all
    items) - p(all but the first k), higher is better; attention-sufficiency is p(all items) - p(only the first k),
    lower is better; p is the probability of the predicted class from renormalised weights. The scalars are the means
    over the bins (AOPC), as in the benchmark's own code; the formula in its paper divides the same sum by one more, for
    an empty bin. In `smallest`, the order of the items has no meaning beyond the set, so its scalars are NaN and its
    curves None.

    Predictions are recomputed in float64, so that erasing nothing never counts as a change.
    """
    rankers = load_rankers(settings.rankings)

    def measure(texts: ErasableTexts) -> Columns:
        orders = (sort_falling(ranker(texts, readout.ids, settings.seed), texts) for ranker in rankers.values())
        return stack_values([measure_order(texts, order) for order in orders])

    measures = collect(measure, batch_erasable(readout))
    members = np.flatnonzero(readout.lengths > 1)
    columns = repeat_texts(readout, members, len(rankers))
    removed = measures.pop("removed")[:, members].reshape(-1)
    ranking = [name for name in rankers for _ in members]
    columns |= {"ranking": ranking, "removed": removed}
    columns["fraction_removed"] = np.where(removed < 0, np.nan, removed / columns["items"])
    for name, values in measures.items():
        by_row = values[..., members].transpose(0, 2, 1).reshape(-1, len(BINS))
        ordered = [of != SMALLEST for of in ranking]
        columns[name] = np.where(ordered, by_row.mean(-1), np.nan)
        columns[f"{name}_curve"] = [
            curve if is_ordered else None for curve, is_ordered in zip(by_row, ordered, strict=True)
        ]
    return columns


def single_weight(readout: Readout, settings: Erasure) -> Columns:
    """Return the columns id, ranking, draw, items, delta_js (nats), delta_attention, top_flips, other_flips, top_fall.

    One row for each ranking (`TOPS`, and the user's own), draw (`DRAWS`) and text. delta_js is JS(p, p without the top
    item) - JS(p, p without the other item), and delta_attention the weight of the top item minus that of the other.
    top_flips and other_flips say whether the decision changes without the top item, and without the other item.
    top_fall is the probability of the predicted class, before minus after the top item is erased: below 0, the item
    opposes the prediction. A text of one item has no other item, and no row.

    How the other item is drawn: `corrected` takes the item at a random rank from 1 to items - 1 (the top item has rank
    0), so that every item except the top is equally likely. `as_published` repeats what the authors' code does and uses
    that number as a position in the text: it never draws the first item, and sometimes draws the top item itself, whose
    differences are then 0.
    """
    tops = {name: ranker for name, ranker in load_rankers(settings.rankings).items() if name in TOPS or ":" in name}

    def measure(texts: ErasableTexts) -> Columns:
        ranks = torch.tensor(
            [
                int(stream("other", readout.ids[member], settings.seed).integers(1, max(words, 2)))
                for member, words in zip(texts.members, texts.words.tolist(), strict=True)
            ]
        )
        orders = torch.stack(
            [sort_falling(ranker(texts, readout.ids, settings.seed), texts) for ranker in tops.values()]
        )
        top = orders[..., 0]
        by_rank = orders[:, torch.arange(len(ranks)), ranks]
        erased = torch.stack([top, by_rank, ranks.expand_as(top)], 1)
        positions = erased.flatten(0, 1).t()
        predicted, flipping = texts.erase(sum_without(texts, positions))
        before, after = (p.transpose(1, 2) for p in (texts.predicted, predicted))
        by_item = (jsd(before, after), flipping, texts.measure_fall(predicted), texts.attention.gather(1, positions))
        divergences, flips, fall, weight = (values.t().view_as(erased) for values in by_item)
        same = erased[:, 1:] == erased[:, :1]
        return {
            "delta_js": (divergences[:, :1] - divergences[:, 1:]).masked_fill(same, 0.0),
            "delta_attention": weight[:, :1] - weight[:, 1:],
            "top_flips": flips[:, :1].expand_as(same),
            "other_flips": flips[:, 1:],
            "top_fall": fall[:, :1].expand_as(same),
        }

    columns = collect(measure, batch_erasable(readout))
    members, drawn = np.flatnonzero(readout.words > 1), [*product(tops, DRAWS)]
    return {
        **repeat_texts(readout, members, len(drawn)),
        "ranking": [ranking for ranking, _ in drawn for _ in members],
        "draw": [draw for _, draw in drawn for _ in members],
        **{name: values[..., members].reshape(-1) for name, values in columns.items()},
    }


SHUFFLED_MAPS = 10
"""Shuffles of each map. On film reviews, the zero of the question `ranks`, of one training, has over 40 seeds a
standard deviation of .018 with one shuffle, .011 with three and .006 with ten, that of `signed` .011, .006 and .003.
"""
SHUFFLED_HEADS = 3
"""The same of a Transformer, where a shuffle costs as much as hundreds of evaluations of its tail."""
RANDOM_ORDERS = 10
"""Random orders in which items are erased under the map itself; under each shuffle it is one of them."""


def list_shares(readout: Readout, sets: Columns) -> dict[str, Tensor]:
    """List the shares that are erased in the order of the map, and of a smallest set, from the columns of
    `ranked_sets`: (N,) each, NaN of texts of one item.
    """
    shares = {}
    for column, ranking in (("by_weight", "attention"), ("smallest", SMALLEST)):
        shares[column] = torch.full((len(readout),), torch.nan, dtype=torch.float64)
        chosen = np.array(sets["ranking"]) == ranking
        shares[column][readout.lengths > 1] = torch.from_numpy(sets["fraction_removed"][chosen])
    return shares


def shuffles(readout: Readout, erasure: Erasure, permutation: Permutation, sets: Columns | None = None) -> Columns:
    """Return the columns id, shuffle, prediction, tvd, items, random, by_weight, smallest, lead, fall: see
    `columns.audits`.

    One row for each text under its own weights, shuffle 0, and under each shuffle. Predictions are recomputed in
    float64, so that erasing nothing never counts as a change. sets: what `ranked_sets` found, so that no set is looked
    for twice under the own weights.
    """
    count = SHUFFLED_MAPS if readout.attending is None else SHUFFLED_HEADS
    known = {} if sets is None else list_shares(readout, sets)

    def measure(texts: PaddedReadout) -> Columns:
        drawn = draw_orders(texts, readout.ids, RANDOM_ORDERS, erasure.seed, marks=False, purpose="random order")
        # erasable texts have one more place, which stays the last
        random = pad(drawn, (0, 1), value=drawn.shape[2])
        unshuffled = count_votes(texts)
        imposed = draw_orders(texts, readout.ids, count, permutation.seed, permutation.marks)
        columns = []
        for shuffle, orders in enumerate([random, *random[:count, None]]):
            shuffled = count_votes(texts.reorder(imposed[shuffle - 1])) if shuffle else unshuffled
            by_weight = sort_falling(shuffled.attention, shuffled)
            if shuffle or not known or (texts.lengths == 1).any():
                smallest = find_smallest(shuffled, readout.ids, erasure.seed)
                late, fewest = (find_share(shuffled, order) for order in (by_weight, sort_falling(smallest, shuffled)))
            else:
                late, fewest = (shares[texts.members] for shares in known.values())
            at_random = torch.stack([find_share(shuffled, order) for order in orders])
            if not shuffle:
                at_random = at_random.nan_to_num(1.0).mean(0, keepdim=True).where(fewest.isfinite(), torch.nan)
            leads = shuffled.attention * (torch.nan if shuffled.heads else shuffled.margin)
            fall = shuffled.measure_fall(shuffled.predict(sum_without(shuffled, by_weight[:, :1])))[:, 0]
            columns.append(
                {
                    "prediction": shuffled.decision[:, 0].int(),
                    "tvd": tvd(unshuffled.predicted[..., 0], shuffled.predicted[..., 0]),
                    "random": at_random[0],
                    "by_weight": late,
                    "smallest": fewest,
                    "lead": leads.gather(1, by_weight[:, :1])[:, 0],
                    "fall": fall.where(texts.words > 1, torch.nan),
                }
            )
        return stack_values(columns)

    columns = collect(measure, batch_items(readout))
    return {
        **repeat_texts(readout, np.arange(len(readout)), 1 + count),
        "shuffle": np.repeat(np.arange(1 + count, dtype=np.int32), len(readout)),
        **{name: values.reshape(-1) for name, values in columns.items()},
    }


def ask_erasure(trainings: Iterable[Training], answers: Answers, erasure: Erasure, permutation: Permutation) -> None:
    """Ask `contributions`, `single_weight`, `ranked_sets` and `shuffles` of trainings."""
    for training in trainings:
        for readout in training.read_parts():
            lacks = explain_pairs(readout, answers.dataset), explain_undecided(training, readout)
            if answers.asks(CONTRIBUTIONS, *lacks):
                answers.add(CONTRIBUTIONS, contributions(readout), training)
            if answers.asks(SINGLE_WEIGHT, *lacks):
                answers.add(SINGLE_WEIGHT, single_weight(readout, erasure), training)
            sets = ranked_sets(readout, erasure) if answers.asks(RANKED_SETS, *lacks) else None
            if sets is not None:
                answers.add(RANKED_SETS, sets, training)
            if answers.asks(SHUFFLES, *lacks):
                answers.add(SHUFFLES, shuffles(readout, erasure, permutation, sets), training)
        answers.report(training.describe())
