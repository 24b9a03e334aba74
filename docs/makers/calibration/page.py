"""Write docs/calibration.md of what the simulation found. No number on the page is written by hand."""

from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path

import pandas as pd

from attention_audit.artefacts.files import write_whole
from makers.calibration.populations import BUDGET, FAILED, FURTHER, LARGEST_GROUP, LAWS, LOWER, NORMAL
from makers.calibration.simulation import SEARCHES, SPLITS, SUBJECTS, Sizes, split_classes

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "calibration.md"
SEARCHED = [name for name, subject in SUBJECTS.items() if subject.trainings == SEARCHES]
MIDDLE = 5
"""Trainings of which the table of zones is."""

TEXT = """# Calibration: how often are statements right?

`make calibration` writes this page. It simulates runs whose answer is known, in about four minutes on two cores.

**How often is a statement wrong?** In {wrong_mean} of all runs. In the worst population and size ({wrong_where}) in
{wrong}. A statement is *wrong* if it does not name the zone of the true value of these trainings, on all texts.
`unique` is the exception: {unique_mean} in the mean and {unique} at worst ({unique_where}). Its search tries few
adversaries, and measures their change of predictions on the same few texts.

**How often does a statement name one zone?** With five trainings and 300 texts,
in {one_least} (`{one_least_of}`) to {one_most} (`{one_most_of}`) of runs. It rarely names three. Only `needed` and
`transferable` often "cannot tell": in {three} of runs with 300 texts, in {three_most} with 1,000.

**Does a statement hold for the next training?** No: it would be wrong in {taken_least} to {taken_most} of runs. Use the
range instead. The next training lies outside the zones of the range in at most {next_normal} of runs where trainings
are normal or texts come in groups, and in at most {next} elsewhere. The range of three trainings is wide: with 1,000
texts it excludes no zone in {open_least} to {open_most} of runs.

## Simulation

A population has many synthetic trainings on many texts. The simulation draws what the audits would measure: falls of
the probability, erased items, signs, distances, predictions. A run samples trainings and texts with replacement. The
package makes its estimate and its statement, which are compared with the whole population.

- **Effects** cover all zones: {effects} a question for normal trainings, every second one otherwise.
- **Trainings** are *normal* around their mean, *skewed* (exponential), *of two kinds* ({lower} differ; of `stable`,
  both kinds share less), or *failing* ({failed} show what chance gives). Skewed trainings and kinds lie {further:g}
  times as far apart.
- **Groups** have 1 to {largest} texts that are nearly alike. Sizes count groups.
- **`signed`** is simulated twice: where the share decides, and where the exceptions avoided decide (shuffled weights
  reach 90 %). **`transferable`** is computed as `needed` is, the macro F1 of three classes.
- **`unique`** searches {few} or {many} adversaries along lambda, within a TVD of {budget} on dev and on test. The
  similarity falls *smoothly* or *suddenly* with the TVD. True is the least similar adversary that any search finds.

Each of {cells} populations and sizes has {runs} runs. The standard error of a share of .025 is {error}.

## Wrong statements

Missed: the 95 % interval does not hold the true value. Only then can a statement be wrong.

{wrong_table}
## Zones in a statement

Shares of runs whose statement names one / two / three zones, by the number of texts: {middle} normal trainings (of
`unique`, {many} adversaries). The number of trainings changes little.

{zones_table}
## The next training

By the number of trainings, how often the next one lies in a zone that is not named:

- by the *range*, for the worst question and effect

{next_table}
- by the *statement*, the mean of all questions and effects

{taken_table}
## Predicted classes

How often two predicted classes are stated apart ("≠"), with three trainings, by the mean of `used` in each class:

{split_table}"""


def write_number(value: float) -> str:
    """Write a share without its leading zero."""
    return f"{value:.3f}".removeprefix("0").rstrip("0").rstrip(".") or "0"


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def find_worst(found: pd.DataFrame, name: str) -> tuple[str, str, str]:
    """Find the most of something: how much, of which question, and in which population and size."""
    row = found.sort_values(name, kind="stable").to_dict("records")[-1]
    where = f"{row['effect']:g}, {row['law']}, {row['trainings']} x {row['texts']:,}"
    return write_number(row[name]), f"`{row['subject']}`", where


def tabulate_wrong(found: pd.DataFrame) -> str:
    """Say of each question how often its statements are wrong."""
    rows = []
    for name, part in found.groupby("subject", sort=False):
        worst, _, where = find_worst(part, "wrong")
        means = [write_number(part[column].mean()) for column in ("wrong", "missed")]
        rows.append([str(name), means[0], worst, where, means[1]])
    heading = ["question", "wrong, mean", "worst", "effect, population, trainings x texts", "missed, mean"]
    return write_table(heading, rows)


def tabulate_zones(found: pd.DataFrame) -> str:
    """Say how many zones statements name, by the number of texts."""
    rows, sizes = [], list(dict.fromkeys(found["texts"]))
    for name, part in found.groupby("subject", sort=False):
        means = part.groupby("texts")[["one", "two", "three"]].mean()
        cells = {size: " / ".join(f"{value:.2f}" for value in row) for size, *row in means.itertuples()}
        rows.append([str(name), *(cells.get(size, "") for size in sizes)])
    return write_table(["question", *(f"{size:,}" for size in sizes)], rows)


def tabulate_next(found: pd.DataFrame, name: str, how: str) -> str:
    """Say of each law and number of trainings how often the next one is missed: the worst, or the mean."""
    cells = found.groupby(["law", "trainings"], sort=False)[name].agg(how).unstack()
    rows = [[law, *map(write_number, cells.loc[law])] for law in LAWS]
    return write_table(["trainings are", *map(str, cells.columns)], rows)


def tabulate_splits(runs: int) -> str:
    """Say how often two predicted classes are stated apart."""
    rows = [
        [*(f"{mean:g} of {texts} texts" for mean, texts in split), write_number(split_classes(split, runs))]
        for split in SPLITS
    ]
    return write_table(["one class", "another", "stated apart"], rows)


def write_page(found: pd.DataFrame, sizes: Sizes) -> str:
    """Write the page of what `simulation.simulate` found."""
    searched = found["subject"].isin(SEARCHED)
    asked, unique = found[~searched], found[searched]
    (worst, *where), (furthest, *searched_where) = find_worst(asked, "wrong"), find_worst(unique, "wrong")
    normal = found[(found["law"] == NORMAL) & found["trainings"].isin([MIDDLE, SEARCHES[-1]])]
    middle = asked[(asked["law"] == NORMAL) & (asked["trainings"] == MIDDLE)]
    ones = middle[middle["texts"] == sizes.texts[1]].groupby("subject")["one"].mean()
    threes = middle[middle["subject"].str.startswith("needed")].groupby("texts")["three"].mean()
    smooth = asked["law"].isin([NORMAL, LAWS[-1]])
    taken = asked.groupby(["law", "trainings"])["taken"].mean()
    few = asked[(asked["trainings"] == min(asked["trainings"])) & (asked["texts"] == sizes.texts[-1])]
    opens = few.groupby("subject")["open"].mean()
    number = write_number
    return TEXT.format(
        wrong_mean=number(asked["wrong"].mean()), wrong=worst, wrong_where=" ".join(where),
        unique_mean=number(unique["wrong"].mean()), unique=furthest, unique_where=" ".join(searched_where),
        one_least=number(ones.min()), one_least_of=ones.idxmin(), one_most=number(ones.max()),
        one_most_of=ones.idxmax(), three=number(threes[sizes.texts[1]]), three_most=number(threes[sizes.texts[-1]]),
        next_normal=number(asked.loc[smooth, "next"].max()), next=number(asked["next"].max()),
        taken_least=number(taken.min()), taken_most=number(taken.max()),
        open_least=number(opens.min()), open_most=number(opens.max()),
        effects=max(len(subject.effects) for subject in SUBJECTS.values()), lower=f"{LOWER:.0%}",
        failed=f"{FAILED:.0%}", further=FURTHER, largest=LARGEST_GROUP, few=SEARCHES[0], many=SEARCHES[-1],
        budget=f"{BUDGET:.2f}", runs=sizes.runs, cells=f"{len(found):,}",
        error=number(sqrt(0.025 * 0.975 / sizes.runs)), middle=MIDDLE,
        wrong_table=tabulate_wrong(found), zones_table=tabulate_zones(normal),
        split_table=tabulate_splits(sizes.runs),
        next_table=tabulate_next(asked, "next", "max"), taken_table=tabulate_next(asked, "taken", "mean"),
    )  # fmt: skip


def save_page(found: pd.DataFrame, sizes: Sizes) -> Path:
    """Save the page, as a whole or not at all."""
    text = write_page(found, sizes)
    with write_whole(PAGE) as path:
        path.write_text(text, encoding="utf-8")
    return PAGE
