"""The questions, asked of one model: from the rows of its audits to a verdict each.

docs/method/README.md says what each question means. Where one cannot be asked, the cell says why.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import inf, log, nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import (
    FEWEST_TRAININGS,
    Estimate,
    Sample,
    estimate,
    estimate_unpaired,
    join,
    subtract,
)
from attention_audit.answer.lines import write_percent, write_points, write_probability, write_setting, write_share
from attention_audit.answer.samples import (
    AdversaryResult,
    Bracket,
    Budget,
    average_classes,
    average_texts,
    bracket_budget,
    compare_pairs,
    compare_shuffled,
    erase,
    find_members,
    find_sides,
    measure_scores,
    place_ranking,
    take_share,
)
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.verdicts import SHUFFLED, Cell, Part, conclude
from attention_audit.arrays import Flags, Floats, Integers
from attention_audit.columns.audits import STAND_INS
from attention_audit.contrasts import Contrasts, EvaluatedModel
from attention_audit.scores import macro_f1

from .tidy import (
    Frames,
    RowValues,
    Subjects,
    add_falls,
    join_notes,
    list_values,
    make_grid,
    make_pair_grids,
    map_groups,
    number_groups,
    select_ranking,
    select_run,
    take_suite,
)
from .wording import ClassNames, read_class_names

ON_TEST = "the adversary is chosen on the texts that it is measured on, as no others are given"
NO_TEXT = "no test text has two items or more"
BY_ERASURE = "by erasure of the item, since contributions are not exact in this model"
FLAT = "the map is flat: shuffling hardly moves it"
UNLABELLED = "no labels are given"
NOT_PREDICTED = "what the other model predicts is not among the suite's audits"
SHARED_ENCODER = "all trainings have one frozen encoder, and differ in attention and decoder alone"
NO_ROWS = pd.DataFrame(
    columns=["model", "seed", "id", "label", "prediction", "items", "ranking", "annotator", "by", "chance_jsd"]
)
"""The rows of an audit that was not asked."""
SHARE_LIMITS, SIMILARITY, CHANGE = (0.0, 1.0), (-inf, 1.0), (-1.0, 1.0)
"""Limits of estimates."""


class NotAsked(Exception):
    """A question cannot be asked of a model; its text is the reason."""


class MeasuredModel:
    """What the audits measured of one model: trainings, texts, and what is predicted of them.

    seeds (S,), ids (N,), items and predictions (S, N), groups and labels (N,) or None, names: of the classes.
    audits: rows of its data set and suite. shared: what a text shares with others, by id, of those that share anything.
    """

    def __init__(
        self, subject: EvaluatedModel, audits: Frames, margins: Margins, names: ClassNames, groups: Mapping[str, str]
    ) -> None:
        self.subject, self.audits, self.margins, self.names = subject, audits, margins, names
        rows = self.select_rows("predictions")
        self.seeds, self.ids = list_values(rows, "seed"), list_values(rows, "id")
        self.predictions, self.items = (make_grid(rows, name, self.seeds, self.ids) for name in ("prediction", "items"))
        labels = rows.drop_duplicates("id").get("label", pd.Series(dtype=float))
        # a label that nobody knows is below 0
        known = labels.notna().any() and labels.max() >= 0
        self.labels: Integers | None = labels.to_numpy(np.int64) if known else None
        self.shared, self.groups = groups, number_groups(self.ids, groups)
        self.several = self.items > 1
        self.left_out = int((~self.several).all(0).sum())

    def count(self, texts: Flags) -> int:
        """Count the texts of a mask (N,), or their groups."""
        return int(texts.sum()) if self.groups is None else len(np.unique(self.groups[texts]))

    def select_rows(self, audit: str) -> pd.DataFrame:
        """Select the rows of an audit on this model."""
        return select_run(self.audits.get(audit, NO_ROWS), self.subject.model)

    def refuse(self, *audits: str, otherwise: str = NO_TEXT) -> NotAsked:
        """Say why the first of these audits has no rows on this model. otherwise: where all of them are asked."""
        unasked = self.subject.unasked
        return NotAsked(next((unasked[name] for name in audits if name in unasked), otherwise))

    def require_rows(self, audit: str) -> pd.DataFrame:
        """Select the rows of an audit on this model. Raises NotAsked where there are none."""
        rows = self.select_rows(audit)
        if rows.empty:
            raise self.refuse(audit)
        return rows

    def require_labels(self) -> None:
        """Raise NotAsked where nobody knows the labels of the texts."""
        if self.ids and self.labels is None:
            raise NotAsked(UNLABELLED)

    def select_pairs(self, seed: int) -> pd.DataFrame:
        """Select the rows of `stability` on this model that are of a training and another one."""
        rows = self.select_rows("stability")
        return rows[(rows["seed"] == seed) | (rows["other"] == seed)]

    def lay_out(self, rows: pd.DataFrame, name: str) -> Floats:
        """Lay a column of rows out by training and text, (S, N), of texts of several items; NaN elsewhere."""
        return np.where(self.several, make_grid(rows, name, self.seeds, self.ids), nan)

    def shuffles(self, rows: pd.DataFrame, name: str) -> Floats:
        """Lay a column of the rows of `shuffles` out, of the map, the first, and of its K shuffles: (1 + K, S, N)."""
        return np.array(
            [self.lay_out(rows[rows["shuffle"] == number], name) for number in list_values(rows, "shuffle")]
        )

    def keep(self, values: Floats, number: int | None, predicted: Floats | None = None) -> Floats:
        """Put NaN where another class is predicted, by default that of the model; None: all count."""
        predicted = self.predictions if predicted is None else predicted
        return values if number is None else np.where(predicted == number, values, nan)

    def build_part(
        self,
        number: int | None,
        sample: Sample,
        limits: tuple[float, float],
        members: Flags | None = None,
        texts: Flags | None = None,
        **more: Any,
    ) -> Part:
        """Estimate what was found of all texts, or of those of a class. texts (N,): those asked, if not the sample's.

        The fewest texts, or groups, of a class are those in the training that has the fewest.
        """
        effect, seeds = estimate(sample, self.groups, limits, members=members), self.seeds
        if self.subject.of_cases:
            effect = effect._replace(texts=effect.groups)
        if number is None:
            return Part(effect, seeds=seeds, **more)
        mask = self.several & (self.predictions == number) & (sample.texts if texts is None else texts)
        name, fewest = self.names.get(number, str(number)), min(map(self.count, mask))
        labelled = None if self.labels is None else int((self.labels == number).sum())
        return Part(effect, name=name, fewest=fewest, labelled=labelled, sample=sample, seeds=seeds, **more)

    def state(
        self,
        question: str,
        measure: Callable[[int | None], Part],
        clause: str = "",
        reason: str = "",
        members: Flags | None = None,
    ) -> Cell:
        """Say what a question finds of all texts, and of those of each class where two or more are predicted.

        members: of pairs of trainings, see `estimate`.
        """

        def differ(difference: Sample, confidence: float) -> Estimate:
            return estimate(difference, self.groups, members=members, confidence=confidence)

        numbers = [int(number) for number in np.unique(self.predictions[np.isfinite(self.predictions)])]
        classes = [measure(number) for number in numbers] if len(numbers) > 1 else []
        return conclude(question, measure(None), classes, differ, clause=clause, reason=reason, left_out=self.left_out)

    @cached_property
    def flat(self) -> str:
        """Say why a flat map states nothing; "" where shuffling moves the maps."""
        chance = self.lay_out(self.select_rows("permutation"), "chance_jsd")
        return FLAT if average_known(chance) < self.margins.flat * log(2) else ""


def measure_subjects(
    subjects: Subjects,
    audits: Frames,
    answer: Mapping[str, Any] = {},
    corpus: Mapping[str, pd.DataFrame] = {},
    census: Mapping[str, pd.DataFrame] = {},
) -> Iterator[MeasuredModel]:
    """Gather what the audits measured of each judged model; see `tables.summary` for the others."""
    margins, groups, names = AnswerSettings.model_validate(answer).margins, map_groups(corpus), read_class_names(census)
    for subject in subjects:
        class_names, shared = names.get(subject.dataset, {}), groups.get(subject.dataset, {})
        yield MeasuredModel(subject, take_suite(audits, subject.dataset, subject.suite), margins, class_names, shared)


def average_known(values: Floats) -> float:
    """Average the values that are known; NaN where none is."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else nan


def add_maps(values: Floats) -> Floats:
    """Add up what is known of K maps, (K, S, N) -> (S, N); NaN where nothing is."""
    return np.where(np.isfinite(values).any(0), np.nansum(values, 0), nan)


def compare_exceptions(side: Floats) -> Sample:
    """Take the share of the items of K maps (K, S, N) that do not support the prediction, of all whose side is known;
    see `find_sides`.
    """
    fails = 1 - np.maximum(side, 0.0)
    return take_share(add_maps(fails), add_maps(np.where(np.isfinite(side), 1.0, nan)))


def list_falls(measured: MeasuredModel, rows: pd.DataFrame, ranking: str) -> list[Floats]:
    """List the falls (S, N) by random order, a ranking and leave-one-out, of rows of `ask_located` or `replaced`."""
    rows = add_falls(rows)
    return [measured.lay_out(select_ranking(rows, name), "fall") for name in ("random", ranking, "loo")]


def place_falls(measured: MeasuredModel, falls: Sequence[Floats], number: int | None) -> Part:
    """Place a ranking by the falls of `list_falls`, of the texts of a class."""
    random, chosen, best = (measured.keep(each, number) for each in falls)
    return measured.build_part(number, place_ranking(random, chosen, best, measured.groups), (-inf, inf))


def ask_located(measured: MeasuredModel, ranking: str = "attention") -> Cell:
    """Ask: are the words that a map ranks first the words of the input that matter?

    Beside it stands what is said where words are replaced in the place of being deleted, if that differs.
    """
    falls = list_falls(measured, measured.require_rows("located"), ranking)
    random, top, best = (write_share(average_known(each)) for each in falls)
    clause = f"deleting top words lowers the probability by {top}; random {random}, leave-one-out {best}"
    cell = measured.state("located", partial(place_falls, measured, falls), clause)
    replaced = measured.select_rows("replaced")
    for way in STAND_INS:
        stand_ins = list_falls(measured, replaced[replaced["by"] == way], ranking)
        verdict = conclude("located", place_falls(measured, stand_ins, None)).said
        if verdict and verdict != cell.said:
            cell = replace(cell, clause=join_notes(cell.clause, f"{way} words: {verdict}"))
    return cell


def ask_ranks(measured: MeasuredModel) -> Cell:
    """Ask: do items with more weight matter more to the decision?

    By how early decisions flip by weight, against shuffled weights: of what is left from the smallest set (0) to a
    random order (1), so that less is better.
    """
    # a ranking that never flips the decision has erased all items; where no set flips it, nothing is known
    rows = measured.require_rows("shuffles").fillna({"random": 1.0, "by_weight": 1.0})
    predicted, random, by_weight, smallest = (
        measured.shuffles(rows, name) for name in ("prediction", "random", "by_weight", "smallest")
    )

    predicted[0] = measured.predictions

    def measure(number: int | None) -> Part:
        late, longest = (measured.keep(each - smallest, number, predicted) for each in (by_weight, random))
        remainder, by_chance = (
            take_share(add_maps(late[maps]), add_maps(longest[maps]), measured.groups)
            for maps in (slice(1), slice(1, None))
        )
        reached = 1 - average_known(by_chance.values)
        return measured.build_part(
            number, compare_shuffled(remainder, by_chance), SIMILARITY, texts=remainder.texts, shuffled=reached
        )

    cell = measured.state("ranks", measure, reason=measured.flat)
    way = write_percent(average_known(erase(random[0], by_weight[0], smallest[0], measured.groups).values))
    chance = write_percent(cell.part.shuffled)
    clause = f"{way} % of the way from random to best; shuffled weights {chance} %" if way and chance else ""
    return replace(cell, clause=clause)


def find_leads(rows: pd.DataFrame, inert: float) -> tuple[pd.DataFrame, str]:
    """Say on which side the item of the most weight stands (`find_sides`), as the column `side`, and how it is known.

    It is the item's exact contribution to the logit where there is one: it moves the probability by at most a quarter
    of itself, whatever else the text says. Else the item is erased.
    """
    lead, fall = (rows[name].to_numpy(np.float64, na_value=nan) for name in ("lead", "fall"))
    exact = np.isfinite(lead).any()
    side = find_sides(lead, 4 * inert) if exact else find_sides(fall, inert)
    return rows.assign(side=side), "" if exact else BY_ERASURE


def state_sides(
    measured: MeasuredModel,
    side: Floats,
    count_by_chance: Callable[[int | None, Floats], Sample],
    chance: str,
    how: str,
) -> Cell:
    """Say in how many texts the top item supports the prediction, and how many exceptions of chance it avoids.

    side (S, N): see `find_sides`. count_by_chance: the share of exceptions by chance, of the texts of a class at which
    its second argument is known. chance: what that is called. how: how sides are known.
    """

    def measure(number: int | None) -> Part:
        mine = measured.keep(side, number)
        by_chance = count_by_chance(number, mine)
        avoided = estimate(compare_shuffled(compare_exceptions(mine[None]), by_chance), measured.groups, SIMILARITY)
        reached = 1 - average_known(by_chance.values)
        supports = average_texts(np.maximum(mine, 0.0))
        return measured.build_part(number, supports, SHARE_LIMITS, avoided=avoided, shuffled=reached, chance=chance)

    return measured.state("signed", measure, how)


def ask_signed(measured: MeasuredModel) -> Cell:
    """Ask: does a highlighted item speak for the prediction, more than one under shuffled weights does?"""
    rows, how = find_leads(measured.require_rows("shuffles"), measured.margins.inert)
    (side, *sides), (_, *predicted) = (measured.shuffles(rows, name) for name in ("side", "prediction"))

    def count_by_chance(number: int | None, _: Floats) -> Sample:
        return compare_exceptions(measured.keep(np.array(sides), number, np.array(predicted)))

    return state_sides(measured, side, count_by_chance, SHUFFLED, how)


def ask_used(measured: MeasuredModel) -> Cell:
    """Ask: does the prediction depend on these weights?"""
    rows = measured.require_rows("permutation")
    tvd, flips = (measured.lay_out(rows, name) for name in ("mean_tvd", "flips"))

    def measure(number: int | None) -> Part:
        return measured.build_part(number, average_texts(measured.keep(tvd, number)), SHARE_LIMITS)

    return measured.state("used", measure, f"flips {write_percent(average_known(flips))} % of decisions")


def state_pairs(
    measured: MeasuredModel, pairs: Integers, values: Sequence[Floats], how: str = "", reason: str = ""
) -> Cell:
    """Say how similar the maps of pairs of trainings are.

    pairs (P, 2): seeds. values (P, N) each: how far the maps are apart, how far by chance, and whether they have the
    same top item. how: what else stands beside it. reason: why there is no verdict.
    """
    at = [measured.seeds.index(seed) for seed in pairs[:, 0]]
    multiple, predictions = measured.several[at], measured.predictions[at]
    distance, chance, same = (np.where(multiple, each, nan) for each in values)
    members = find_members(pairs, np.array(measured.seeds))

    def measure(number: int | None) -> Part:
        mine, shuffled = (measured.keep(each, number, predictions) for each in (distance, chance))
        return measured.build_part(number, compare_pairs(mine, shuffled, measured.groups), SIMILARITY, members)

    lucky = average_known(np.where(multiple, 1 / measured.items[at], nan))
    each = compare_pairs(distance, chance, measured.groups).values
    clause = f"same top word {write_percent(average_known(same))} %, chance {write_percent(lucky)} %"
    if len(each) > 1 and np.isfinite(each).all():
        clause += f"; pairs {write_share(each.min())} to {write_share(each.max())}"
    return measured.state("stable", measure, join_notes(clause, how), reason, members)


def ask_stable(measured: MeasuredModel) -> Cell:
    """Ask: would another training show this map?"""
    if measured.subject.seeds < 2:
        raise NotAsked("there is one training")
    rows = measured.require_rows("stability")
    pairs, values = make_pair_grids(rows, ["jsd", "chance_jsd", "same_top"], measured.ids)
    return state_pairs(measured, pairs, values, SHARED_ENCODER if measured.subject.frozen else "", measured.flat)


def measure_tvd(measured: MeasuredModel, seed: int, rows: pd.DataFrame) -> Sample:
    """Measure the TVD of another model from this training: a sample of one, whose texts are groups."""
    at = measured.seeds.index(seed)
    tvd = np.where(measured.several[at], rows.set_index("id").reindex(measured.ids)["tvd"].to_numpy(np.float64), nan)
    sample = average_classes(tvd, measured.predictions[at].astype(np.int64))
    everything = np.ones(len(measured.ids), bool)
    return sample._replace(moved=join(sample.moved, everything, measured.groups))


def compare_map(measured: MeasuredModel, seed: int, rows: pd.DataFrame) -> Estimate:
    """Measure the similarity of another model's map and that of this training, with its interval over texts."""
    at = measured.seeds.index(seed)
    rows = rows.set_index("id").reindex(measured.ids)
    jsd, chance = (
        np.where(measured.several[at], rows[name].to_numpy(np.float64), nan)[None] for name in ("jsd", "chance_jsd")
    )
    return estimate(compare_pairs(jsd, chance, measured.groups), measured.groups, SIMILARITY)


def measure_adversaries(measured: MeasuredModel, contrasts: Contrasts) -> Iterator[AdversaryResult]:
    """List all adversaries whose maps can be compared; without a development split, test stands for it."""
    comparison = measured.audits["comparison"]
    adversarial = comparison[comparison["model"].isin(contrasts.adversaries)]
    for name, lambda_, seed in adversarial[["model", "lambda", "seed"]].drop_duplicates().itertuples(index=False):
        rows = select_run(adversarial, name, seed, lambda_)
        similar, change = compare_map(measured, contrasts.seed, rows), measure_tvd(measured, contrasts.seed, rows)
        test = float(change.values[0])
        dev = select_run(measured.audits["consistency"], name, seed, lambda_)["tvd"].to_list()
        tvd = dev[0] if dev and contrasts.chosen_on == "dev" else test
        if np.isfinite(similar.value):
            yield AdversaryResult(name, lambda_, seed, tvd, test, *similar[:3], change.moved[0])


def compare_trainings(measured: MeasuredModel, contrasts: Contrasts) -> tuple[Budget | None, float]:
    """Measure how far the other trainings of a model move its predictions, and how similar their maps are in the mean;
    None and NaN where there are none.
    """
    seed = contrasts.seed
    pairs = [rows for _, rows in measured.select_pairs(seed).groupby(["seed", "other"], sort=False, observed=True)]
    if not pairs:
        return None, nan
    changes = [measure_tvd(measured, seed, rows) for rows in pairs]
    test = average_known(np.array([change.values[0] for change in changes]))
    consistency = select_run(measured.audits["consistency"], measured.subject.model)
    dev = consistency["tvd"].mean() if contrasts.chosen_on == "dev" and len(consistency) else test
    shifts = np.mean([change.moved[0] for change in changes], axis=0)
    shared = average_known(np.array([compare_map(measured, seed, rows).value for rows in pairs]))
    return (Budget(dev, test, shifts) if np.isfinite(test) else None), shared


def describe_part(measured: MeasuredModel, bracket: Bracket) -> Part:
    """Say what a bracket says of the similarity of maps that a budget leaves open."""
    bounds, texts = bracket.interval, np.asarray(measured.several.all(0))
    count = int(texts.sum())
    # of one training
    return Part(Estimate(*bounds, each=bounds[:1], texts=count, groups=measured.count(texts), trainings=1, made=1))


def describe_similarity(similarity: float, tvd: float) -> str:
    """Write how similar another model's map is, and how far its predictions are."""
    return f"similarity {write_share(similarity)} at TVD {write_probability(tvd)}"


def describe_bracket(bracket: Bracket) -> str:
    """Say which adversaries are at both ends of a bracket."""
    within, beyond = (each and describe_similarity(each.value, each.test) for each in bracket[1:])
    return f"within it {within or 'no adversary'}" + (f", beyond it {beyond}" if beyond else "")


def describe_unique(main: Bracket, within: Bracket, verdict: str, seed: int, tvd: float, shared: float) -> str:
    """Say what adversaries are within the budget and beyond it, beside other trainings, and within the tolerance."""
    budget = f"of one training (seed {seed}): budget {write_probability(main.budget)}, {describe_bracket(main)}"
    trainings = f"another training: {describe_similarity(shared, tvd)}" if tvd >= 0 else ""
    tolerated = ""
    if main.budget > within.budget:
        tolerated = f"tolerance {write_setting(within.budget)}: {verdict}, {describe_bracket(within)}"
    return join_notes(budget, trainings, tolerated)


def ask_unique(measured: MeasuredModel) -> Cell:
    """Ask: does no other map give these predictions, within what another training or the tolerance moves them?"""
    contrasts = measured.subject.contrasts
    if contrasts is None or not contrasts.adversaries:
        raise NotAsked(
            "no adversary of this model is given"
            if measured.subject.given
            else "this suite trains no adversary of a whole model"
        )
    adversaries = [*measure_adversaries(measured, contrasts)] if contrasts.seed in measured.seeds else []
    if not adversaries:
        raise measured.refuse("comparison", "consistency")
    margin = measured.margins.tvd
    tolerance = Budget(margin, margin, np.zeros(len(adversaries[0].moved)))
    trainings, shared = compare_trainings(measured, contrasts)
    main = bracket_budget(adversaries, [tolerance, *([trainings] if trainings else [])])
    within = bracket_budget(adversaries, [tolerance])
    tolerated = conclude("unique", describe_part(measured, within))
    columns: RowValues = {
        "unique_tolerance_said": tolerated.said, "unique_tolerance_value": tolerated.part.estimate.value,
        "unique_others_tvd": (tvd := trainings.test if trainings else nan),
    }  # fmt: skip
    for name, bracket in (("unique", main), ("unique_tolerance", within)):
        columns[f"{name}_tvd_budget"] = bracket.budget
        if bracket.within:
            columns[f"{name}_tvd"] = bracket.within.test
        if bracket.beyond:
            columns |= {f"{name}_beyond_value": bracket.beyond.value, f"{name}_beyond_tvd": bracket.beyond.test}
    if main.within:
        columns |= dict(zip(("unique_model", "unique_lambda", "unique_seed"), main.within, strict=False))
    clause = describe_unique(main, within, tolerated.said, contrasts.seed, tvd, shared)
    clause = join_notes(clause, ON_TEST if contrasts.chosen_on == "test" else "")
    part = describe_part(measured, main)
    cell = conclude("unique", part, clause=clause, reason=measured.flat, left_out=measured.left_out)
    return replace(cell, beside=columns)


def compare_models(measured: MeasuredModel, model: str, rival: str) -> tuple[Part, Sequence[float]]:
    """Estimate mean macro F1 of one model less that of another, and say both. Raises NotAsked where either has no
    rows.

    Trainings are paired by seed, those that both have; where these are fewer than three, and not all, they are not
    paired.
    """
    rows = measured.audits["predictions"]
    labels = rows.drop_duplicates("id").set_index("id")["label"]
    ids, gold = list(labels.index), labels.to_numpy(np.int64)
    pair = [select_run(rows, name) for name in (model, rival)]
    seeds = [list_values(each, "seed") for each in pair]
    predictions = [
        make_grid(each, "prediction", names, ids).astype(np.int64) for each, names in zip(pair, seeds, strict=True)
    ]
    if not all(map(len, predictions)):
        raise measured.refuse("predictions", otherwise=NOT_PREDICTED)
    classes = int(max(each.max(initial=1) for each in (gold, *predictions))) + 1
    samples, scales = zip(*(measure_scores(gold, each, classes) for each in predictions), strict=True)
    shared, groups = [seed for seed in seeds[0] if seed in seeds[1]], number_groups(ids, measured.shared)
    about: Any = {"groups": groups, "limits": CHANGE, "scale": float(np.mean(scales))}
    if len(shared) >= FEWEST_TRAININGS or {*seeds[0]} == {*seeds[1]}:
        samples = tuple(
            Sample(sample.values[at], sample.moved[at], sample.texts)
            for sample, names in zip(samples, seeds, strict=True)
            for at in [[names.index(seed) for seed in shared]]
        )
        gain = estimate(subtract(*samples), **about)
    else:
        gain, shared = estimate_unpaired(*samples, **about), []
    return Part(gain, seeds=shared), [float(np.mean([macro_f1(gold, row) for row in each])) for each in predictions]


def ask_needed(measured: MeasuredModel) -> Cell:
    """Ask: does the model predict better than its twin with uniform weights?"""
    measured.require_labels()
    contrasts = measured.subject.contrasts
    if contrasts is None or contrasts.uniform is None:
        raise NotAsked(
            "no twin with uniform weights is given beside this model"
            if measured.subject.given
            else "this suite trains no twin with uniform weights"
        )
    gain, scores = compare_models(measured, measured.subject.model, contrasts.uniform)
    clause = "macro F1 {}; with uniform weights {}".format(*map(write_share, scores))
    return conclude("needed", gain, clause=clause)


def ask_transferable(measured: MeasuredModel) -> Cell:
    """Ask: do the weights say something about words beyond this model?

    Wiegreffe & Pinter 2019, section 3.5, hold them against those that the guided model finds by itself too.
    """
    measured.require_labels()
    guides = measured.subject.contrasts.guides if measured.subject.contrasts else None
    if guides is None:
        raise NotAsked("this suite guides no simpler model")
    (gain, _), (by_itself, _), (beyond, _) = (
        compare_models(measured, guides.judged, rival) for rival in (guides.uniform, guides.own, guides.adversary)
    )
    clause = "{} beyond its own weights ({} to {})".format(*map(write_points, by_itself.estimate[:3]))
    clause += "; {} beyond an adversary's maps ({} to {})".format(*map(write_points, beyond.estimate[:3]))
    return conclude("transferable", gain, clause=clause)


Asked = Mapping[str, Callable[[MeasuredModel], Cell]]
ASK_FUNCTIONS: Asked = {
    ask.__name__.removeprefix("ask_"): ask
    for ask in (ask_located, ask_ranks, ask_signed, ask_used, ask_stable, ask_unique, ask_needed, ask_transferable)
}
"""Every question, as in `questions.QUESTIONS`."""


def ask_question(ask: Callable[[MeasuredModel], Cell], measured: MeasuredModel) -> Cell:
    """Ask a question of a model; where it cannot be asked, the cell says why."""
    try:
        return ask(measured)
    except NotAsked as reason:
        return Cell(reason=str(reason))
