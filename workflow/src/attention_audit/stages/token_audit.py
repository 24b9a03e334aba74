"""The trainings of a decoder, asked what maps of the tokens that it generates may be read as: behind the prompts of a
notebook, or the texts of a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import torch

from attention_audit.answer.settings import Margins
from attention_audit.arrays import Floats
from attention_audit.audits.deletion import delete_words
from attention_audit.audits.generated import TokenCase, TokenPredictions, compare_maps, impose_others, list_row_maps
from attention_audit.audits.settings import Permutation
from attention_audit.audits.steps import AuditStep
from attention_audit.audits.token_adversary import Search, list_groups, measure_chance, search_maps
from attention_audit.audits.token_cases import refuse_long
from attention_audit.given import make_list
from attention_audit.maps import find_map
from attention_audit.maps.passes import ModelPass
from attention_audit.model.generator import Generator, batch_context
from attention_audit.names import LAST_ROW, LOO, MEAN_ROW, NEAREST, SHUFFLED
from attention_audit.tables.score_answers import BY_DELETION, SCORES
from attention_audit.tables.token_answers import answer_maps, describe_tokens, measure_tokens
from attention_audit.transformer.contexts import Context, read_continuation
from attention_audit.transformer.folder import Home
from attention_audit.transformer.opening import choose_length
from attention_audit.transformer.pieces import UNLIMITED_LENGTH

DELETIONS, MAP_COST, SETS = 5, 4, 8
"""Contexts that a ranking asks of, more or less; what a map costs, in passes; and the sets of weights of `used`."""
SEARCH = Search()
"""The search of another map, where none other is said."""
CHANCE_SEED = 1
"""Seed of the shuffled maps beside which those of two trainings stand."""


def read_maps(generator: Generator, case: TokenCase, names: Sequence[str]) -> dict[str, Floats]:
    """Read further maps of a case, by their names, as scores of units (U,)."""
    context, network = case.context, generator.network
    pieces = batch_context(context.ids, context.items, len(context.units), generator.device)
    network.token = case.target
    model_pass = ModelPass(network, pieces, torch.ones(1, dtype=torch.long, device=generator.device))
    try:
        return {name: case.fold(find_map(name)(model_pass)[0].detach()) for name in names}
    finally:
        network.token = None


@dataclass
class GenerationAudit:
    """The trainings of a decoder, asked one after another of the same tokens; only one is in memory at a time.

    permutation: settings, of which the seed counts. maps: of each training, of each map by its
    name, the scores of units of each case. frames: a row a case of each training and map. imposed, searched: a row a
    training and case.
    """

    homes: Sequence[Home]
    device: torch.device
    further: Sequence[str]
    asked: Sequence[str]
    permutation: Permutation
    margins: Margins
    search: Search = SEARCH
    search_seed: int = 0
    given: Mapping[str, Sequence[Floats]] = field(default_factory=dict)
    cases: Sequence[TokenCase] = ()
    maps: list[dict[str, list[Floats]]] = field(default_factory=list)
    frames: list[pd.DataFrame] = field(default_factory=list)
    imposed: list[dict[str, Any]] = field(default_factory=list)
    searched: list[dict[str, Any]] = field(default_factory=list)
    first: TokenPredictions | None = None
    chances: list[Floats] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    opened: Generator | None = None

    def open(self, number: int) -> Generator:
        """Open a training."""
        self.opened = Generator(self.homes[number], self.device)
        return self.opened

    def list_tokens(
        self, tokenizer: Any, read: Sequence[tuple[str, Context]], continuations: Any, most: int
    ) -> list[list[int]]:
        """List the tokens that follow each prompt: those of its continuation, or where none are given the likeliest of
        the first training, at most so many. Raises AuditError, which names the text, where they do not follow it, or
        where the model reads less.
        """
        generator = self.open(0)
        longest = choose_length(tokenizer, generator.model, UNLIMITED_LENGTH)
        if continuations is None:
            refuse_long(read, [most] * len(read), longest)
            return [generator.generate(context.ids, most) for _, context in read]
        following = make_list(continuations, "continuations", len(read))
        tokens = [
            read_continuation(tokenizer, *each, given, number)
            for number, (each, given) in enumerate(zip(read, following, strict=True))
        ]
        refuse_long(read, [*map(len, tokens)], longest)
        return tokens

    def read(self, number: int) -> None:
        """Read the maps of all cases off a training, and impose others."""
        generator = self.opened if number == 0 and self.opened else self.open(number)
        maps: dict[str, list[Floats]] = {}
        for case in self.cases:
            row = generator.read_row(case.context.ids)
            about = {"model": SCORES, "seed": 1 + number, "id": case.name}
            found = list_row_maps(case, row, self.permutation.seed) | read_maps(generator, case, self.further)
            for name, scores in found.items():
                maps.setdefault(name, []).append(scores)
            self.firsts.append(float(row.weights[..., 0].mean()))
            if "used" in self.asked:
                self.imposed.append(about | impose_others(generator, case, row, self.permutation))
        self.maps.append(maps | {name: [*scores] for name, scores in self.given.items() if number == 0})

    def search_rows(self) -> None:
        """Search other maps of all cases of the first training: in all layers together, and in the last alone."""
        generator, seed = self.opened, self.search_seed
        assert generator is not None
        for at in list_groups(self.cases, len(self.search.starts)):
            cases = [self.cases[each] for each in at]
            rows = [generator.read_row(case.context.ids) for case in cases]
            found = [{"model": SCORES, "seed": 1, "id": case.name} for case in cases]
            for scope, layers in (("all", len(rows[0].weights)), ("last", 1)):
                furthest = search_maps(generator, cases, rows, self.search, layers, seed)[..., -1].max(1)
                for row, case, weights, distance in zip(found, cases, rows, furthest.tolist(), strict=True):
                    row |= {f"{scope}_jsd": distance, f"{scope}_chance": measure_chance(case, weights, layers, seed)}
            self.searched += found

    def delete(self, number: int) -> None:
        """Delete units in the orders of all maps of a training."""
        assert self.opened is not None
        predictions = TokenPredictions(self.opened, self.cases)
        tokens = [[(at, place) for place in range(len(case.context.units))] for at, case in enumerate(self.cases)]
        self.chances.append(predictions.predict(tokens))
        if {*BY_DELETION} & {*self.asked}:
            for name, scores in self.maps[number].items():
                frame, _ = delete_words(predictions, tokens, scores, asked=1)
                frame.insert(0, "training", 1 + number)
                ids = [case.name for case in self.cases]
                self.frames.append(frame.assign(map=name, id=ids, label=np.nan, auprc=np.nan, auprc_random=np.nan))
        self.first = self.first or predictions

    def list_steps(self) -> list[AuditStep]:
        """List what reads and asks the trainings, in order. The cost is in passes."""
        units = sum(len(case.context.units) for case in self.cases)
        rankings = DELETIONS * (4 + len(self.further) + len(self.given)) * len(self.cases)
        steps = []
        for number in range(len(self.homes)):
            name = f", training {1 + number} of {len(self.homes)}" * (len(self.homes) > 1)
            reading = len(self.cases) * (2 + SETS * ("used" in self.asked))
            cost = reading + MAP_COST * len(self.cases) * len(self.further)
            asked = ", ".join(each for each in ("used", "stable") if each in self.asked)
            steps.append(AuditStep(partial(self.read, number), f"reading {asked}{name}", cost, reading))
            if "unique" in self.asked and number == 0:
                searching = len(self.cases) * (2 + 2 * len(self.search.starts) * (1 + self.search.steps))
                steps.append(AuditStep(self.search_rows, f"unique{name}", searching, searching))
            deleting = units + rankings
            steps.append(AuditStep(partial(self.delete, number), f"{', '.join(BY_DELETION)}{name}", deleting, deleting))
        return steps

    def list_deletions(self, tokenizer: Any, at: int) -> tuple[Floats, list[str]]:
        """List what the token of a case loses in the first training without each unit, NaN where that was not asked;
        and the tokens that are likeliest with all units, and without each, with their probabilities.
        """
        assert self.first is not None
        count, whole = len(self.cases[at].context.units), self.chances[0][at, 1]
        kept = [tuple((at, unit) for unit in range(count) if unit != gone) for gone in range(count)]
        losses = [whole - self.first.known[key][1] if key in self.first.known else np.nan for key in kept]
        told = [
            ", ".join(f"{tokenizer.decode([token])!r} {chance:.2f}" for token, chance in self.first.first.get(key, []))
            for key in [(at, None), *((at, gone) for gone in range(count))]
        ]
        return np.array(losses), told

    def list_maps(self, tokenizer: Any, ids: Sequence[str]) -> pd.DataFrame:
        """List the maps of all cases and trainings, but for those that they are held against: rows of
        columns.GENERATED_TOKENS without their model. ids: of the prompts.
        """
        rows = []
        for at, case in enumerate(self.cases):
            about: dict[str, Any] = {
                "id": f"{ids[case.text]}:{case.step}",
                "token": case.written,
                "words": [*case.context.units],
            }
            for number, maps in enumerate(self.maps):
                about |= {"seed": 1 + number, "probability": self.chances[number][at, 1]}
                shown = [name for name in maps if name not in (NEAREST, SHUFFLED)]
                rows += [about | {"map": name, "scores": maps[name][at]} for name in shown]
            losses, (likeliest, *without) = self.list_deletions(tokenizer, at)
            first = {"seed": 1, "probability": self.chances[0][at, 1], "map": LOO, "scores": losses}
            rows.append(about | first | {"likeliest": likeliest, "without": without})
        return pd.DataFrame(rows)

    def compare(self, name: str) -> pd.DataFrame:
        """Compare the maps of a name of every two trainings: rows as of columns.STABILITY."""
        rows = [
            (1 + first, 1 + second, case.name, *compare_maps(case, own, other, CHANCE_SEED))
            for first, second in combinations(range(len(self.maps)), 2)
            for case, own, other in zip(self.cases, self.maps[first][name], self.maps[second][name], strict=True)
        ]
        return pd.DataFrame(rows, columns=["seed", "other", "id", "jsd", "chance_jsd", "same_top"]).assign(model=SCORES)

    def answer(self, texts: int, gold: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Answer what was asked of so many prompts: the row of the summary, and the answers by map. gold: whether the
        tokens were given.
        """
        ids = [case.name for case in self.cases]
        frame = pd.concat(self.frames) if self.frames else None
        if frame is None:
            lengths = [len(case.context.units) for case in self.cases]
            plain = {"words": lengths, "prediction": 1, "id": ids, "map": MEAN_ROW}
            numbers = dict.fromkeys(("label", "auprc", "auprc_random", "random", "scores", "leave_one_out"), np.nan)
            trainings = range(1, 1 + len(self.homes))
            frame = pd.concat([pd.DataFrame({"training": each, **plain, **numbers}) for each in trainings])
        listed = {"permutation": self.imposed, "search": self.searched}
        further = {name: pd.DataFrame(rows) for name, rows in listed.items() if rows}
        compared = (MEAN_ROW, LAST_ROW) if "stable" in self.asked and len(self.homes) > 1 else ()
        stability = {name: {"stability": self.compare(name)} for name in compared}
        groups = {case.name: str(case.text) for case in self.cases}
        measured = {
            str(name): measure_tokens(
                rows.drop(columns="map"), groups, self.margins, further | stability.get(str(name), {})
            )
            for name, rows in frame.groupby("map", sort=False)
        }
        chances, firsts = np.concatenate(self.chances), np.array(self.firsts)
        return answer_maps(measured, self.asked, describe_tokens(len(ids), texts, chances, firsts, gold))
