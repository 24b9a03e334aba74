"""Study the search of `unique` in generation: does it find what is there, and when has it found all?

    PYTHONPATH=docs python -m makers.token_adversary <folder of SmolLM2> <trainDevTestTrees_PTB.zip>

Controls have a known truth: decoders made by construction, where one value is worked out below and the others are
ceilings; and SmolLM2 with every second layer's attention bypassed, where what is known is a least value. Real tokens
are the next ones of ten beginnings of sentences of SST whose contexts have one length.

The search's settings were chosen on the decoder that copies and two of these beginnings. Said before the study was
run: the search is settled where it reaches `LEAST_SHARE` of what is known in every control, and four times as many
steps find at most `MOST_GROWTH` times as much in SmolLM2. Writes the figure, and a row for each search, token, start
and number of steps.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from attention_audit.api.generating import read_prompts
from attention_audit.api.opening import find_homes
from attention_audit.arrays import Floats
from attention_audit.audits.generated import TokenCase
from attention_audit.audits.token_adversary import Search, Start, find_ceiling, measure_chance, read_map, search_maps
from attention_audit.audits.token_cases import make_cases
from attention_audit.divergence import jsd
from attention_audit.figures import style
from attention_audit.model.generator import Generator, ReadRow
from attention_audit.transformer.constructed import build_decoder
from attention_audit.transformer.in_memory import hold_model
from attention_audit.transformer.opening import open_tokenizer

from .generation import IMAGES
from .generation import read_prompts as read_beginnings

LEAST_SHARE, MOST_GROWTH = 0.95, 1.05
STEPS = (15, 30, 60, 75, 100, 150, 200, 300)
MOST_STEPS, FEW_STEPS, LAST_STEPS = 300, 60, 100
TOKENS, FEW, SEED = 10, 3, 1
OTHER_STARTS: tuple[Start, ...] = ("uniform", "random", "far")
BASE = Search()
AS_ASKED = "as in the audit"
GRID = {
    AS_ASKED: BASE,
    **{f"penalty {size:g}, fixed": BASE._replace(penalty=size, rate=0.0) for size in (20.0, 1.0)},
    "step size .03": BASE._replace(step_size=0.03),
    "step size .3": BASE._replace(step_size=0.3),
}
MARK, FILLERS = "here", [f"w{number}" for number in range(30)]
Known = Callable[[TokenCase, ReadRow, int], float]


def find_highest(case: TokenCase, row: ReadRow, layers: int) -> float:
    """Find the greatest JSD where any map keeps the prediction."""
    return float(find_ceiling(read_map(case, row, layers)[1]).max())


def find_copy_optimum(case: TokenCase, row: ReadRow, layers: int) -> float:
    """Find the greatest JSD of the decoder that copies, by its construction.

    With weight w on the copied place, and the rest of its upper row alike on the U - 1 other units, its logits are
    8 sqrt(2) c / |x|, where the words' parts c are 2 sqrt(2/3) w (beside the note, a third of this state's square) and
    2 (1 - w) / (U - 1), and |x|^2 = 2 + |c|^2. The least w that moves the prediction by epsilon is searched by halves.
    The lower row is free but for the mark, which it would note; own rows have one place each, so that of two layers
    half of the map is free.
    """
    units, words = len(case.context.units), len(FILLERS) + 5

    def predict(weight: float) -> Floats:
        parts = np.zeros(words)
        parts[:units] = 2 * (1 - weight) / (units - 1)
        parts[0] = 2 * np.sqrt(2 / 3) * weight
        odds = np.exp(8 * np.sqrt(2) * parts / np.sqrt(2 + parts @ parts))
        return np.asarray(odds / odds.sum())

    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if np.abs(predict(middle) - predict(1.0)).sum() / 2 > BASE.epsilon:
            low = middle
        else:
            high = middle
    own, other = ([1.0, 0.0], [high, 1 - high]) if layers == 1 else ([0.5, 0.5, 0.0], [high / 2, 0.0, 1 - high / 2])
    return float(jsd(torch.tensor(own), torch.tensor(other)))


def find_bypassed(case: TokenCase, row: ReadRow, layers: int) -> float:
    """Find the greatest JSD where every second layer, from the first, shows one unit, and the others what they do."""
    units, seen = read_map(case, row, layers)
    kept = units.clone()
    kept[::2] = 0
    free = units[::2].sum() * torch.eye(units.shape[-1])
    maps = kept.sum((0, 1)) + free
    return float(jsd(maps / maps.sum(-1, keepdim=True), seen.expand(maps.shape)).max())


def search_all(
    name: str, generator: Generator, cases: Sequence[TokenCase], layers: int, known: Known | None, search: Search
) -> pd.DataFrame:
    """Search maps of cases, and return rows."""
    rows = [generator.read_row(case.context.ids) for case in cases]
    found = search_maps(generator, cases, rows, search, layers, SEED)
    frame = pd.DataFrame(
        [
            (case.name, start, steps, found[at, place, steps])
            for at, case in enumerate(cases)
            for place, start in enumerate(search.starts)
            for steps in STEPS
            if steps <= search.steps
        ],
        columns=["token", "start", "steps", "jsd"],
    )
    facts = {
        case.name: (
            measure_chance(case, row, layers, SEED),
            find_highest(case, row, layers),
            np.nan if known is None else known(case, row, layers),
        )
        for case, row in zip(cases, rows, strict=True)
    }
    frame[["chance", "ceiling", "known"]] = [facts[token] for token in frame["token"]]
    [setting] = [each for each, other in GRID.items() if search[2:] == other[2:]]
    return frame.assign(subject=name, layers=layers, setting=setting)


def list_cases(generator: Generator, tokenizer: object, prompts: Sequence[str]) -> list[TokenCase]:
    """List the next tokens of prompts: the first so many whose contexts have the commonest length."""
    read = read_prompts(tokenizer, prompts, "en", "word", None)
    lengths = np.array([len(context.ids) for _, context in read])
    chosen = [read[at] for at in np.flatnonzero(lengths == np.bincount(lengths).argmax())[:TOKENS]]
    following = [generator.generate(context.ids, 1) for _, context in chosen]
    return make_cases(tokenizer, chosen, following, [()] * len(chosen), False)


def study(
    name: str, generator: Generator, cases: Sequence[TokenCase], layers: int, known: Known | None
) -> Iterator[pd.DataFrame]:
    """Search as the audit does, from other starts, and with other settings."""
    yield search_all(name, generator, cases, layers, known, BASE._replace(steps=MOST_STEPS))
    few = BASE._replace(steps=FEW_STEPS)
    yield search_all(name, generator, cases[:FEW], layers, known, few._replace(starts=OTHER_STARTS))
    for search in list(GRID.values())[1:]:
        yield search_all(name, generator, cases[:FEW], layers, known, search._replace(steps=FEW_STEPS))


def study_controls() -> Iterator[pd.DataFrame]:
    """Search in decoders made by construction."""
    random, prompts = np.random.default_rng(0), list[str]()
    for _ in range(TOKENS):
        words = random.permutation(FILLERS)[:10].tolist()
        words.insert(int(random.integers(1, 4)), MARK)
        prompts.append(" ".join(words))
    for copies, name in ((False, "bypassed"), (True, "copies")):
        model, tokenizer = build_decoder([MARK, *FILLERS], MARK, copies, 0)
        generator = Generator(hold_model(model, tokenizer, "model", True))
        cases = list_cases(generator, tokenizer, prompts)
        for layers in (1, 2):
            yield from study(name, generator, cases, layers, find_copy_optimum if copies else find_highest)


def study_model(folder: Path, archive: Path) -> Iterator[pd.DataFrame]:
    """Search in SmolLM2: the last layer, all layers, and all where every second layer is bypassed."""
    [home] = find_homes(folder, None, True)
    generator = Generator(home)
    cases = list_cases(generator, open_tokenizer(home), read_beginnings(archive))
    layers = len(generator.model.model.layers)
    yield search_all("SmolLM2", generator, cases, 1, None, BASE._replace(steps=LAST_STEPS))
    yield from study("SmolLM2", generator, cases, layers, None)
    with torch.no_grad():
        for layer in generator.model.model.layers[::2]:
            layer.self_attn.o_proj.weight.zero_()
    yield search_all(
        "SmolLM2, half bypassed", generator, cases[:FEW], layers, find_bypassed, BASE._replace(steps=MOST_STEPS // 2)
    )


def average_best(frame: pd.DataFrame) -> pd.DataFrame:
    """Average over tokens what the best start of a search has found, by steps."""
    return frame.groupby(["token", "steps"]).max(numeric_only=True).groupby("steps").mean()


def describe(frame: pd.DataFrame) -> str:
    """Say whether the search is settled, by what it finds in controls and by its growth in SmolLM2."""
    asked = frame[(frame["setting"] == AS_ASKED) & ~frame["start"].isin(OTHER_STARTS)]
    controls = (
        asked[asked["known"].notna()].groupby(["subject", "layers"]).apply(lambda rows: average_best(rows).iloc[-1])
    )
    shares = controls["jsd"] / controls["known"]
    deep = average_best(asked[(asked["subject"] == "SmolLM2") & (asked["layers"] > 1)])["jsd"]
    growth = deep.loc[MOST_STEPS] / deep.loc[MOST_STEPS // 4]
    settled = shares.min() >= LEAST_SHARE and growth <= MOST_GROWTH
    return f"{shares.round(3).to_string()}\ngrowth {growth:.3f}: {'' if settled else 'not '}settled"


def draw(frame: pd.DataFrame) -> Figure:
    """Draw what is found of the greatest JSD by steps: of controls, and of the same tokens of SmolLM2 by settings."""
    searched = frame["setting"].where(~frame["start"].isin(OTHER_STARTS), "starts far from its own rows")
    deep = frame[(frame["subject"] == "SmolLM2") & (frame["layers"] > 1)]
    deep = deep[deep["token"].isin(deep["token"].unique()[:FEW])]
    controls = frame[frame["known"].notna() & (searched == AS_ASKED)]
    places = controls["subject"] + np.where(controls["layers"] == 1, ", last layer", ", all layers")
    with style.use_house_style():
        figure = Figure(figsize=(style.PAGE_WIDTH, 2.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, rows, names, whole in (
            (left, controls, places, "known"),
            (right, deep, searched[deep.index], "ceiling"),
        ):
            for name, group in rows.groupby(names, sort=False):
                best = average_best(group)
                axes.plot(best.index, (best["jsd"] / best[whole]).clip(upper=1), marker=".", label=name)
            axes.set_xlabel("steps")
            axes.legend(fontsize=style.SMALL_SIZE)
        chance = average_best(deep)
        right.axhline((chance["chance"] / chance["ceiling"]).iloc[0], **style.DASHES, color="0.5")
        left.set_title("controls: share of what is known")
        right.set_title("SmolLM2: share of the ceiling (dashed: shuffled)")
        left.set_ylim(0, 1.05)
    return figure


def main(arguments: Sequence[str]) -> None:
    """Study, and write."""
    torch.set_num_threads(1)
    rows = list[pd.DataFrame]()
    for studied in (study_controls(), study_model(*map(Path, arguments))):
        for frame in studied:
            rows.append(frame)
            print(*frame.iloc[0][["subject", "layers", "setting"]], *frame["start"].unique(), sep=", ")
            print(average_best(frame).round(3).to_string(), flush=True)
    frame = pd.concat(rows, ignore_index=True)
    frame.to_csv(IMAGES / "token_adversary.csv", index=False, float_format="%.5f")
    print(describe(frame))
    draw(frame).savefig(IMAGES / "token_adversary.png", dpi=130)


if __name__ == "__main__":
    main(sys.argv[1:])
