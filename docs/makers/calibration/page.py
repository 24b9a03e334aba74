"""Write docs/calibration.md of what the simulation found. No number on the page is written by hand."""

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from attention_audit.artefacts.files import write_whole
from makers.calibration.populations import BUDGET, FAILED, FURTHER, LARGEST_GROUP, LAWS, LOWER, NORMAL, OTHERS
from makers.calibration.simulation import SEARCHES, SPLITS, SUBJECTS, Sizes, split_classes

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "calibration.md"
SEARCHED = [name for name, subject in SUBJECTS.items() if subject.trainings == SEARCHES]
MIDDLE = 5
"""Trainings of which the table of zones is."""

TEXT = """# Calibration: how often are verdicts right?

`make calibration` writes this page. It simulates runs whose answer is known, in about five minutes on two cores.

**How often is a verdict wrong?** In at most {wrong} of runs where trainings are normal or texts come in groups. The
worst case is {wrong_where}. A verdict is *wrong* if the mean over all trainings of the kind, on all texts, lies in a
zone that the verdict rules out. Each population is shifted until its mean lies just below, or just above, a threshold,
whichever is worse: no verdict is wrong more often than there. `unique` is wrong in at most {unique}, for
{unique_where}.

**And where trainings are not normal?** In at most {skewed} where they are skewed, {kinds} where two kinds exist, and
{failing} where one in twenty fails. Three or five trainings cannot show a kind that none of them is of. No interval
helps against that; more trainings do.

**How often does a verdict say one thing: no, in part, or yes?** Where the mean lies in the middle of its scale, with
five trainings and 300 texts, in {one_least} (`{one_least_of}`) to {one_most} (`{one_most_of}`) of runs. `needed` and
`transferable` often "cannot tell": in {three} of runs with 300 texts, in {three_most} with 1,000.

**Where does one more training lie?** Outside the zones of its range in at most {next_normal} of runs where trainings
are normal or texts come in groups, and in at most {next} elsewhere. The range of three trainings is wide: with 1,000
texts and the mean in the middle of its scale, it rules nothing out in {open_least} to {open_most} of runs.

## Simulation

A population has many synthetic trainings on many texts. The simulation draws what the audits would measure: falls of
the probability, erased items, signs, distances, predictions. A run samples trainings and texts with replacement. The
package makes its estimate and its verdict, which are compared with the whole population.

- **Effects** cover all zones: {effects} a question for normal trainings, the inner three of them otherwise.
- **Trainings** are *normal* around their mean, *skewed* (exponential), *of two kinds* ({lower} differ; of `stable`,
  both kinds share less), or *failing* ({failed} show what chance gives). Skewed trainings and kinds lie {further:g}
  times as far apart.
- **Groups** have 1 to {largest} texts that are nearly alike. Sizes count groups.
- **`signed`** is simulated twice: where the share of texts decides, and where the comparison with shuffled weights
  decides, which reach 90 % (*avoided*). **`transferable`** is computed as `needed` is, the macro F1 of three classes.
- **`unique`** searches {few} or {many} adversaries along lambda. Their budget is an estimate too: the mean TVD of
  {others} other trainings, {budget} on all texts, measured on dev and on test. The similarity falls *smoothly* or
  *suddenly* with the TVD. True is the least similar adversary that any search finds within the true budget. These
  populations are not shifted: the worst of their effects counts.

Each of {cells} populations and sizes has {runs} runs. The largest of many shares is large by chance too: so the worst
of each question and kind of trainings is drawn anew, in {runs_anew:,} runs, which shares of wrong verdicts are of. The
standard error of a share of .025 is {error}, and of theirs {error_anew}.

## Wrong verdicts

The worst of all effects, thresholds and sizes, by how trainings deviate from their mean.

{wrong_table}
## Zones in a verdict

Shares of runs whose verdict names one / two / three zones, by the number of texts, where the mean lies in the middle of
its scale: {middle} normal trainings (of `unique`, {many} adversaries).

{zones_table}
## One more training

By the number of trainings, how often one more lies in a zone that its range does not touch, for the worst question and
effect:

{next_table}
## Predicted classes

How often the verdict is that two predicted classes differ ("≠"), with three trainings, by the mean of `used` in each
class:

{split_table}"""


def write_number(value: float) -> str:
    """Write a share without its leading zero."""
    return f"{value:.3f}".removeprefix("0").rstrip("0").rstrip(".") or "0"


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def find_worst(found: pd.DataFrame, name: str) -> dict[Hashable, Any]:
    """Find the row with the most of something."""
    worst: dict[Hashable, Any] = found.sort_values(name, kind="stable", na_position="first").to_dict("records")[-1]
    return worst


def describe_worst(row: dict[Hashable, Any]) -> str:
    """Say of which question, effect and size a row is, in a sentence."""
    drawn = "adversaries" if row["subject"] in SEARCHED else "trainings"
    size = f"{row['trainings']} {drawn} and {row['texts']:,} texts"
    return f"`{row['subject']}` at an effect of {row['effect']:g}, with {size}"


def select_middle(found: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the middle effect of each question."""
    middle = {name: subject.effects[len(subject.effects) // 2] for name, subject in SUBJECTS.items()}
    return found[found["effect"] == found["subject"].map(middle)]


def tabulate_wrong(found: pd.DataFrame) -> str:
    """Say of each question how often its verdicts are wrong at worst, by law, and where with normal trainings."""
    rows = []
    for name, part in found.groupby("subject", sort=False):
        worst = part.groupby("law")["wrong_anew"].max()
        normal = part[part["law"] == NORMAL]
        cells = [write_number(worst[law]) if law in worst else "" for law in LAWS]
        where = find_worst(normal, "wrong_anew")
        rows.append([str(name), *cells, f"{where['effect']:g}, {where['trainings']} x {where['texts']:,}"])
    heading = ["question", *LAWS, "worst of normal: effect, trainings x texts"]
    return write_table(heading, rows)


def tabulate_zones(found: pd.DataFrame) -> str:
    """Say how many zones verdicts name, by the number of texts."""
    rows, sizes = [], list(dict.fromkeys(found["texts"]))
    for name, part in found.groupby("subject", sort=False):
        means = part.groupby("texts")[["one", "two", "three"]].mean()
        cells = {size: " / ".join(f"{value:.2f}" for value in row) for size, *row in means.itertuples()}
        rows.append([str(name), *(cells.get(size, "") for size in sizes)])
    return write_table(["question", *(f"{size:,}" for size in sizes)], rows)


def tabulate_next(found: pd.DataFrame) -> str:
    """Say of each law and number of trainings how often one more is missed at worst."""
    cells = found.groupby(["law", "trainings"], sort=False)["next"].max().unstack()
    rows = [[law, *map(write_number, cells.loc[law])] for law in LAWS]
    return write_table(["trainings are", *map(str, cells.columns)], rows)


def tabulate_splits(runs: int) -> str:
    """Say how often two predicted classes are said to differ."""
    rows = [
        [*(f"{mean:g} of {texts} texts" for mean, texts in split), write_number(split_classes(split, runs))]
        for split in SPLITS
    ]
    return write_table(["one class", "another", "≠"], rows)


def write_page(found: pd.DataFrame, sizes: Sizes) -> str:
    """Write the page of what `simulation.simulate` found."""
    searched = found["subject"].isin(SEARCHED)
    asked, by_law = found[~searched], found[~searched].groupby("law")["wrong_anew"].max()
    smooth = asked["law"].isin([NORMAL, LAWS[-1]])
    worst, unique = (find_worst(part, "wrong_anew") for part in (asked[smooth], found[searched]))
    normal = found[(found["law"] == NORMAL) & found["trainings"].isin([MIDDLE, SEARCHES[-1]])]
    normal = select_middle(normal)
    middle = select_middle(asked[(asked["law"] == NORMAL) & (asked["trainings"] == MIDDLE)])
    ones = middle[middle["texts"] == sizes.texts[1]].groupby("subject")["one"].mean()
    threes = middle[middle["subject"].str.startswith("needed")].groupby("texts")["three"].mean()
    few = asked[(asked["trainings"] == min(asked["trainings"])) & (asked["texts"] == sizes.texts[-1])]
    few = select_middle(few[few["law"] == NORMAL])
    opens = few.groupby("subject")["open"].mean()
    number = write_number
    skewed, kinds, failing = (number(by_law[law]) for law in LAWS[1:4])
    return TEXT.format(
        wrong=number(worst["wrong_anew"]), wrong_where=describe_worst(worst), unique=number(unique["wrong_anew"]),
        unique_where=describe_worst(unique), skewed=skewed, kinds=kinds, failing=failing,
        one_least=number(ones.min()), one_least_of=ones.idxmin(), one_most=number(ones.max()),
        one_most_of=ones.idxmax(), three=number(threes[sizes.texts[1]]), three_most=number(threes[sizes.texts[-1]]),
        next_normal=number(asked.loc[smooth, "next"].max()), next=number(asked["next"].max()),
        open_least=number(opens.min()), open_most=number(opens.max()),
        effects=max(len(subject.effects) for subject in SUBJECTS.values()), lower=f"{LOWER:.0%}",
        failed=f"{FAILED:.0%}", further=FURTHER, largest=LARGEST_GROUP, few=SEARCHES[0], many=SEARCHES[-1],
        budget=f"{BUDGET:.2f}", others=OTHERS, runs=sizes.runs, cells=f"{len(found):,}",
        runs_anew=sizes.runs_anew, error=number(sqrt(0.025 * 0.975 / sizes.runs)),
        error_anew=number(sqrt(0.025 * 0.975 / sizes.runs_anew)), middle=MIDDLE,
        wrong_table=tabulate_wrong(found), zones_table=tabulate_zones(normal),
        split_table=tabulate_splits(sizes.runs), next_table=tabulate_next(asked),
    )  # fmt: skip


def save_page(found: pd.DataFrame, sizes: Sizes) -> Path:
    """Save the page, as a whole or not at all."""
    text = write_page(found, sizes)
    with write_whole(PAGE) as path:
        path.write_text(text, encoding="utf-8")
    return PAGE
