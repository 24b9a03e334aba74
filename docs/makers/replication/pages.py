"""The pages of docs/replication/, written from the kept files: theirs, ours, whether they go together, and why."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from attention_audit.answer.intervals import NORMAL
from attention_audit.answer.sentence import FROZEN, SCORES, Instead, Said, beside_marks, quality, sentence
from attention_audit.answer.words import NO, NOT_ASKED, UNDECIDED, YES
from attention_audit.columns.summary import INSTEAD, MEASURED, QUESTIONS
from attention_audit.names import display_name
from attention_audit.plan.exhibit import Exhibit, Figure
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.report.grids import LONG
from attention_audit.tables.published import facts
from attention_audit.tables.replication import COMPATIBLE, ENCODERS, NOT_COMPATIBLE, UNKNOWN
from attention_audit.tables.shown import answered, found, interval
from attention_audit.tables.wording import heading, label_of, named, number
from makers.replication.captions import Sentences, two_sentences
from makers.replication.entries import PAGES, Cells, Finding, KeptRun, Page
from makers.replication.kept import CONFIG, Kept, kept_runs

CAPTIONS = Path(__file__).parents[3] / "workflow" / "report"
INSIDE, OUTSIDE, ONE = "data differ: within", "data differ: outside", "one training"
SAME, OTHER = "the same", "other"
"""Verdicts besides those of the table of replications: where the data differ, where one training says nothing of
chance, and of properties of the data."""
VERDICTS = {
    COMPATIBLE: "the published number could be one more of our trainings, so that no difference was shown",
    NOT_COMPATIBLE: "95 of 100 single trainings of ours would lie nearer; by chance alone, one number of twenty is so",
    INSIDE: "our texts are not the paper's; the published number lies where one more of our trainings could",
    OUTSIDE: "our texts are not the paper's; the published number lies elsewhere",
    ONE: "we have one training, which says nothing of chance",
    SAME: "a property of the texts, which rounds to the published one",
    OTHER: "a property of the texts, which does not",
}
BACK, AGAINST, OPEN, UNASKED = "comes back", "does not come back", "open", "not asked"
UNEXPLAINED = "no run shows the cause yet"
BOUND = re.compile(r"(above|below) (-?[\d.]+)")
RANGE = re.compile(r"between ([\d.]+) and ([\d.]+)")
JUDGED = (COMPATIBLE, NOT_COMPATIBLE, INSIDE, OUTSIDE)
"""Verdicts by an interval that holds 95 of 100 single trainings."""
WITHDRAWN = re.compile(r"(?!HANrnn: ).*the top item flips the decision in a small minority of the texts")
"""Claims in kept tables that are made no longer, since the paper's number is of another model."""
REDEFINED = ("needed", "signed", "unique", "transferable")
"""Questions that were asked otherwise in runs of which `earlier` holds."""
FORMER = (
    "Some of these runs are from before needed, signed, unique and transferable were defined as they are now. Their "
    "words for these questions are left out, and their sentences are made of the others, until they are run again.\n"
)
BOUNDS = ("value", "low", "high")
CLAIMS = {"SS2019": "ss_table_claims", "PD2020": "pd_table_claims", "MD2020": "md_table_claims"}
"""The tables of a paper's findings that the runs make themselves."""

Row = Mapping[Any, Any]


def below(text: str) -> str:
    """A kept table in Markdown as a page shows it: its headings below the page's, and long parts folded."""
    deeper = re.sub(r"^#", "###", text, flags=re.MULTILINE)
    return re.sub(r"(?:^\|.*\n)+", lambda part: folded(part[0]), deeper, flags=re.MULTILINE)


def folded(table: str) -> str:
    """A table in Markdown, folded where it has more than LONG rows; GitHub and most readers open it at a click."""
    rows = table.count("\n") - 2
    return table if rows <= LONG else f"<details><summary>{rows} rows</summary>\n\n{table}\n</details>\n"


def caption(exhibit: Exhibit) -> Sentences:
    """What the caption of an exhibit says first."""
    return two_sentences((CAPTIONS / f"{exhibit.name}.rst").read_text(encoding="utf-8"))


def said(exhibit: Exhibit) -> str:
    """The two sentences of an exhibit: what it shows, and how to read it; from its entry and its caption."""
    paper = f" ({exhibit.number} of the paper)" if exhibit.number else ""
    return f"It shows: {exhibit.shows}{paper}. How to read it: {caption(exhibit).reading}"


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, without the columns that are empty in all rows."""
    lines = [list(row) for row in rows]
    kept = [place for place in range(len(headings)) if any(line[place] for line in lines)]
    shown = [
        [headings[place] for place in kept],
        ["---"] * len(kept),
        *([line[place] for place in kept] for line in lines),
    ]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in shown) + "\n"


def matches(cells: Cells, row: Row) -> bool:
    """Whether a row of columns.replication is one of these."""
    return all(re.fullmatch(getattr(cells, key), str(row[key])) for key in ("dataset", "row", "metric"))


def rounding(row: Row) -> float:
    """Half a unit of the last digit of a published number."""
    name = display_name(str(row["dataset"]))
    _, _, rest = str(row["row"]).partition("/")
    for dataset, cell in ((name, str(row["row"])), ("all", f"{ENCODERS}{rest}")):
        fact = facts().get((row["paper"], row["table"], dataset, cell, row["metric"]))
        if fact and fact.value == row["published"]:
            return fact.rounding
    return 0.0


def verdict(row: Row) -> str:
    """What is to be said of a published number and ours, one of VERDICTS."""
    if row["seeds"] == 0:
        return SAME if row["agreement"] == COMPATIBLE else OTHER
    if row["agreement"] != UNKNOWN:
        return str(row["agreement"])
    if isnan(row["one_low"]):
        return ONE
    reach = rounding(row)
    return INSIDE if row["one_low"] - reach <= row["published"] <= row["one_high"] + reach else OUTSIDE


def key_of(row: Row) -> tuple[str, ...]:
    """What tells a published number from all others, and the data set of ours that it is held against."""
    return tuple(str(row[name]) for name in ("paper", "table", "dataset", "row", "metric"))


def closed(before: Row, after: Row) -> float:
    """The share of the difference to the published number that a change closes; NaN where there was none."""
    gap = before["published"] - before["ours"]
    return (after["ours"] - before["ours"]) / gap if gap else nan


def share(value: float) -> str:
    """A share in whole per cent, without a sign before 0; "no share" where there is none."""
    return "no share" if isnan(value) else f"{round(100 * value)}%"


def bold(word: str) -> str:
    """A verdict as a table shows it: what a reader must not miss stands out."""
    return f"**{word}**" if word in (NOT_COMPATIBLE, OUTSIDE, OTHER, AGAINST) else word


class Written:
    """One page: what is declared of it, the runs of it that are kept, and their tables."""

    def __init__(self, page: Page, runs: Sequence[Kept]) -> None:
        self.page = page
        self.runs = list(runs)
        self.main = [kept for kept in runs if not kept.run.changes]
        self.changed = [kept for kept in runs if kept.run.changes]
        self.labels = {name: label for kept in runs for name, label in kept.facts.labels.items()}
        self.numbers = [row for kept in self.main for row in self.replicated(kept)]
        """The published numbers of the runs that change nothing."""
        self.by_change = {kept.run.name: {key_of(row): row for row in self.replicated(kept)} for kept in self.changed}

    def replicated(self, kept: Kept) -> list[Row]:
        """The rows of the table of replications of one run that are of this page's paper, or that it quotes; none where
        the page's models are no paper's.
        """
        table, paper = kept.table("replication"), self.page.paper
        rows = [] if table is None or not paper else table.to_dict("records")
        return [row for row in rows if row["paper"] == paper or paper in row["table"]]

    def changes(self, row: Row) -> list[tuple[KeptRun, Row]]:
        """The runs that change one thing and are about a number, with their counterparts of it."""
        return [
            (other.run, self.by_change[other.run.name][key_of(row)])
            for other in self.changed
            if matches(other.run.cells, row) and key_of(row) in self.by_change[other.run.name]
        ]

    def why(self, row: Row) -> str:
        """Why a number is not the published one, as far as it is known; "" where nothing is to be explained."""
        if verdict(row) not in (NOT_COMPATIBLE, OUTSIDE, OTHER):
            return ""
        known = [reason.because for reason in self.page.reasons if not reason.finding and matches(reason.cells, row)]
        for run, after in self.changes(row):
            known.append(f"[{run.name}](#one-thing-changed) closes {share(closed(row, after))} of the difference")
        told = row["seeds"] == 0 and row["note"]
        return "; ".join(known) or ("" if told else UNEXPLAINED)

    def of_numbers(self) -> str:
        """Number by number, a table for each published table and data set."""
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.numbers:
            groups.setdefault((str(row["paper"]), str(row["table"]), str(row["dataset"])), []).append(row)
        parts = []
        for (paper, table, dataset), rows in groups.items():
            notes = [[note for note in str(row["note"]).split("; ") if note] for row in rows]
            shared = [note for note in notes[0] if all(note in each for each in notes)]
            where = re.sub(r"[A-Z]{2}20\d\d", lambda name: self.labels.get(name[0], name[0]), table)
            title = f"### {display_name(dataset)}: {self.labels.get(paper, paper)}, {where[:1].lower()}{where[1:]}\n"
            remark = f"In all rows: {'; '.join(shared)}.\n" if shared else ""
            lines = [
                (
                    named(str(row["row"]), self.labels),
                    heading(str(row["metric"])),
                    number(row["published"], str(row["metric"]), paper=True),
                    number(row["ours"], str(row["metric"])) + interval(row["low"], row["high"], str(row["metric"])),
                    interval(row["one_low"], row["one_high"], str(row["metric"])).strip(),
                    bold(verdict(row)),
                    "; ".join(filter(None, [*(note for note in own if note not in shared), self.why(row)])),
                )
                for row, own in zip(rows, notes, strict=True)
            ]
            headings = [
                "row",
                "measure",
                "theirs",
                "ours [95 %]",
                "one more of ours [95 %]",
                "verdict",
                "notes, and why",
            ]
            parts += [title, remark, grid(headings, lines)]
        return "\n".join(filter(None, parts))

    def in_short(self) -> str:
        """How many published numbers have which verdict, and what the verdicts mean."""
        counts = Counter(verdict(row) for row in self.numbers)
        rows = [(bold(word), str(counts[word]), meaning) for word, meaning in VERDICTS.items() if counts[word]]
        missing = self.missing()
        left = ", ".join(f"{name} ({count})" for name, count in missing.items())
        judged, outside = sum(counts[word] for word in JUDGED), counts[NOT_COMPATIBLE] + counts[OUTSIDE]
        chance = (
            f"Of {judged} numbers that are held against an interval for single trainings, about {judged / 20:.0f} "
            f"would lie outside by chance alone; {outside} do.\n"
            if judged
            else ""
        )
        words = Counter(line[-2] for line in self.findings)
        heard = ", ".join(f"{word} {words[word]}" for word in (BACK, AGAINST, OPEN, UNASKED) if words[word])
        findings = f"{words.total()} findings in words: {heard}.\n" if heard else ""
        said = f"{sum(missing.values())} published numbers have no counterpart in these runs, by data set: {left}.\n"
        none = "No published number has a counterpart in these runs.\n" if self.page.paper else NO_PAPER
        numbers = grid(["verdict", "numbers", "it means"], rows) if rows else none
        return "\n".join(filter(None, [numbers, chance, findings, said if missing else ""]))

    def missing(self) -> dict[str, int]:
        """The published numbers of the paper that no run has a counterpart of, by the paper's name of the data set."""
        have = {(row["table"], display_name(str(row["dataset"])), row["row"], row["metric"]) for row in self.numbers}
        have |= {
            (row["table"], "all", f"{ENCODERS}{str(row['row']).partition('/')[2]}", row["metric"])
            for row in self.numbers
        }
        lost = [key for key in facts() if key[0] == self.page.paper and key[1:] not in have]
        return dict(Counter(key[2] for key in lost))

    @property
    def findings(self) -> list[tuple[str, ...]]:
        """Finding by finding, with verdict and why at the end: those whose table the runs make, and those declared with
        the page.
        """
        rows: list[tuple[str, ...]] = []
        for kept in self.main:
            table = kept.table(CLAIMS[self.page.paper]) if self.page.paper in CLAIMS else None
            claims = [] if table is None else table.to_dict("records")
            rows += [self.claimed(row) for row in claims if not WITHDRAWN.fullmatch(str(row["claim"]))]
            rows += [line for finding in self.page.findings for line in self.found(finding, kept)]
        return rows

    def of_findings(self) -> str:
        """These as a table, with why where it is known; of many, first how many come back by measure and data set."""
        if not self.findings:
            return ""
        headings = ["data set", "what they found", "theirs", "measured as", "ours [95 %]", "verdict", "why"]
        table = grid(headings, ((*rest, bold(word), why) for *rest, word, why in self.findings))
        if len(self.findings) <= LONG:
            return table
        datasets = list(dict.fromkeys(line[0] for line in self.findings))
        words: dict[str, dict[str, list[bool]]] = {}
        for dataset, _, _, measured, _, word, _ in self.findings:
            words.setdefault(measured, {}).setdefault(dataset, []).append(word == BACK)
        counts = (
            (measured, *(f"{sum(found[name])} of {len(found[name])}" if name in found else "" for name in datasets))
            for measured, found in words.items()
        )
        return f"How many come back:\n\n{grid(['measured as', *datasets], counts)}\n{folded(table)}"

    def claimed(self, row: Row) -> tuple[str, ...]:
        """One row of a table of findings."""
        word = UNASKED if isnan(row["ours"]) else {YES: BACK, NO: AGAINST}.get(str(row["holds"]), OPEN)
        return (
            display_name(str(row["dataset"])),
            str(row["claim"]),
            str(row["theirs"]),
            str(row["statistic"]),
            found(row),
            word,
            "" if word == BACK else self.because(str(row["claim"]), str(row["dataset"])),
        )

    def because(self, claim: str, dataset: str) -> str:
        """Why a finding does not come back, as far as it is declared."""
        known = (
            reason.because
            for reason in self.page.reasons
            if reason.finding and re.search(reason.finding, claim) and re.fullmatch(reason.cells.dataset, dataset)
        )
        return "; ".join(known)

    def found(self, finding: Finding, kept: Kept) -> Iterator[tuple[str, ...]]:
        """A declared finding beside the tables of a run: a line for each data set and row of which it is said."""
        table = kept.table(finding.table or "summary")
        for row in [] if table is None else table.to_dict("records"):
            of = not finding.datasets or row["dataset"] in finding.datasets
            if of and is_about(finding, row):
                shown, word = held(finding, row)
                name = named(str(row["row" if finding.table else "model"]), self.labels)
                yield (
                    f"{display_name(str(row['dataset']))}, {name}",
                    finding.says,
                    f"{finding.theirs} ({finding.source})",
                    f"`{finding.measure}` of `{finding.table or 'summary'}`",
                    shown,
                    word,
                    "" if word == BACK else self.because(finding.says, str(row["dataset"])),
                )

    def of_changes(self) -> str:
        """The runs that change one thing, each beside the numbers that it is held to."""
        parts = []
        for other in self.changed:
            rows = [
                (row, after) for row in self.numbers for run, after in self.changes(row) if run.name == other.run.name
            ]
            lines = [
                (
                    display_name(str(row["dataset"])),
                    named(str(row["row"]), self.labels),
                    heading(str(row["metric"])),
                    number(row["published"], str(row["metric"]), paper=True),
                    *(
                        number(each["ours"], str(each["metric"]))
                        + interval(each["low"], each["high"], str(each["metric"]))
                        for each in (row, after)
                    ),
                    "" if verdict(row) in (COMPATIBLE, INSIDE) else f"{share(closed(row, after))}",
                    bold(verdict(after)),
                )
                for row, after in rows
            ]
            headings = [
                "data set",
                "row",
                "measure",
                "theirs",
                "unchanged",
                other.run.name,
                "of the difference",
                "then",
            ]
            said = f"### {other.run.name}\n\nChanged: {other.run.changes}. {other.run.about}\n"
            parts += [
                said,
                grid(headings, lines) if lines else "No published number that it is about has a counterpart.\n",
            ]
        return "\n".join(parts)

    def of_answers(self) -> str:
        """What the runs themselves say of each map: the sentence, and the eight words.

        Models of two suites may have one name; where a page has several suites, each row names its own. What two runs
        say alike of one model is said once.
        """
        tables = [kept.table("summary") for kept in self.main]
        rows = [row for table in tables if table is not None for _, row in table.iterrows() if row["model"]]
        if not rows:
            return ""
        former = any(map(earlier, rows))
        rows = [restated(row, self.labels) if earlier(row) else row for row in rows]
        several = len({row["suite"] for row in rows}) > 1
        opening = ["data set", *(["suite"] if several else []), "model"]
        sentences, words = [], []
        for row in rows:
            suite = [named(str(row["paper"]), self.labels)] if several else []
            opens = (display_name(str(row["dataset"])), *suite, named(str(row["model"]), self.labels))
            how_well = quality(str(row["learnt"]), {score: row[score] for score in SCORES})
            marks = beside_marks(row.to_dict()).removeprefix("Marked words: ")
            sentences.append((*opens, how_well, str(row["sentence"]), marks))
            words.append((*opens, *(answered(row, question) for question in QUESTIONS)))
        legend = "\n".join(f"- **{question}**: {measured}" for question, measured in MEASURED.items())
        return "\n".join(
            [
                grid(
                    [*opening, "how well it predicts", "what may be read into its map", "marked words"],
                    dict.fromkeys(sentences),
                ),
                "The words behind these sentences, each with its effect and 95 % interval over trainings and texts:\n",
                grid([*opening, *QUESTIONS], dict.fromkeys(words)),
                *([FORMER] if former else []),
                f"{legend}\n",
            ]
        )

    def shown(self, exhibits: Iterable[Exhibit]) -> str:
        """Exhibits as the runs have them: of each once what it shows and how to read it, then all runs that have it."""
        parts = []
        for exhibit in exhibits:
            runs = [kept for kept in self.main if kept.shows(exhibit)]
            if runs:
                parts.append(f"### {caption(exhibit).title}\n\n{said(exhibit)}\n")
                parts += [self.shown_of(exhibit, kept) for kept in runs]
        return "\n".join(parts)

    def shown_of(self, exhibit: Exhibit, kept: Kept) -> str:
        """One exhibit as one run has it; its run is named where the page has several."""
        file = kept.file(exhibit)
        path = f"{self.page.name}/{kept.run.name}/{exhibit.folder}/{file.name}"
        of = f" of the run {kept.run.name}" if len(self.main) > 1 else ""
        name = f"[`{exhibit.name}`{of}]({path})\n"
        if isinstance(exhibit, Figure):
            return f"{name}\n![{exhibit.shows}]({path})\n"
        return f"{name}\n{below(file.read_text(encoding='utf-8'))}"

    def of_tables(self) -> str:
        """The tables that the page shows whole."""
        return self.shown(exhibit for exhibit in EXHIBITS if exhibit.name in self.page.tables)

    def of_figures(self) -> str:
        """The figures of the runs."""
        return self.shown(exhibit for exhibit in EXHIBITS if isinstance(exhibit, Figure))

    def of_runs(self) -> str:
        """How each run was made: command, code, versions, machines, time, files."""
        return "\n".join(map(self.of_run, self.runs))

    def of_run(self, kept: Kept) -> str:
        """How one run was made."""
        told, run, where = kept.facts, kept.run, f"{self.page.name}/{kept.run.name}"
        preset = f" --configfile presets/{run.preset}.yaml" if run.preset else ""
        options = " ".join(filter(None, ["" if not run.preset else "mirror=<folder>", run.options]))
        command = f"snakemake --cores 2 all{preset}" + (f" --config {options}" if options else "")
        kinds = "; ".join(
            f"{each.cpu}, {each.cores} cores, {each.memory} GiB" + (f", {each.gpu}" if each.gpu else ", no GPU")
            for each in told.machines
        )
        longest = ", ".join(f"{each.rule} {each.cpu_seconds / 3600:.2f}" for each in told.spent[:4])
        others = [each.file for each in told.files if each.canonical is False]
        files = [f"`{Path(name).name}` is not the published file" for name in others]
        data = "; ".join(files) or ("all files are as published" if told.files else "none was needed")
        versions = ", ".join(f"{name} {version}" for name, version in told.versions.items())
        suites = "; ".join(f"{key}: {', '.join(map(display_name, names))}" for key, names in told.datasets.items())
        lines = [
            f"### {run.name}\n",
            f"{run.about}\n",
            f"    {command}\n",
            f"- finished on {told.made}, from commit `{told.commit[:12]}`; [its whole configuration]({where}/{CONFIG})",
            f"- data sets by suite: {suites}",
            f"- {told.cpu_hours:.2f} hours of CPU, most of it for {longest} (all jobs of a rule, each "
            "as it last ran: what was done before a run was continued is not in it)",
            f"- on {kinds}",
            f"- raw files: {data}",
            f"- {versions}",
            f"- tables as .csv with every digit, and as .md: `{where}/tables/`\n",
        ]
        return "\n".join(lines)

    def text(self) -> str:
        """The whole page."""
        page = self.page
        opening = (
            f"# {page.title}\n\nWritten by `make replication` from the files in `{page.name}/`, which "
            f"are kept of real runs; no number is written by hand.\n\n{page.about}\n"
        )
        beyond = "\n".join(f"- {sentence}" for sentence in page.beyond) + "\n"
        numbered = bool(self.numbers)
        sections = {
            "In short": self.in_short(),
            "Finding by finding": self.of_findings(),
            "Number by number": NUMBERS + self.of_numbers() if numbered else "",
            "One thing changed": CHANGES + self.of_changes() if self.changed else "",
            "What may be read into these maps": self.of_answers(),
            "Tables": self.of_tables(),
            "What nobody can know from it": beyond,
            "Figures": self.of_figures(),
            "The runs": self.of_runs(),
        }
        return "\n".join([opening, *(f"## {title}\n\n{body}" for title, body in sections.items() if body)])


NUMBERS = (
    "In brackets, first the 95 % interval of our mean, then where 95 % of single trainings of ours lie: a published "
    "number is nearly always one training, so it is held against the second.\n\n"
)
NO_PAPER = "No published number is of such models, so none is held against ours.\n"
CHANGES = (
    "Each of these runs is one of the others with one thing changed. Of the difference: which share of the way from "
    "the unchanged run's number to the published one it goes; 100 % is all of it, more goes beyond, below 0 leads "
    "away. Then: the verdict with the change.\n\n"
)


def is_about(finding: Finding, row: Row) -> bool:
    """Whether a row of the finding's table is one of which it is said."""
    if finding.table:
        return row["row"] in finding.rows and row["metric"] == finding.measure
    return row["suite"] == finding.suite and row["model"] in finding.rows


def earlier(row: pd.Series) -> bool:
    """Whether a row of columns.SUMMARY is of a run from before the questions were defined as they are now."""
    return not isnan(row["accuracy"]) and isnan(row["macro_f1"])


def able(row: pd.Series) -> str:
    """Whether such a model is better than the largest class, from its accuracy and the number of texts alone.

    The text's part in the difference is 1, 0 or -1, so that its mean square is at most the two shares of errors.
    """
    gain, texts = row["accuracy"] - row["majority_accuracy"], max(row[f"{name}_texts"] for name in QUESTIONS)
    errors = 2 - row["accuracy"] - row["majority_accuracy"]
    return NO if gain <= 0 else YES if gain > NORMAL * sqrt(errors / texts) else UNDECIDED


def restated(row: pd.Series, labels: Mapping[str, str]) -> pd.Series:
    """A row of which `earlier` holds, without the words that were defined otherwise, and a sentence of the rest."""
    row = row.copy()
    for question in REDEFINED:
        row[question], row[f"{question}_value"] = NOT_ASKED, nan
    row["learnt"] = able(row)
    answers = {
        question: Said(row[question], row[f"{question}_value"], int(row[f"{question}_trainings"]))
        for question in QUESTIONS
    }
    shown = {
        question: Instead(
            label_of(row[f"instead_by_{question}"], labels),
            row[f"instead_by_{question}_value"],
            row[f"instead_by_{question}_attention"],
            row[f"instead_by_{question}_better"] == YES,
        )
        for question in INSTEAD
        if row[f"instead_by_{question}"]
    }
    frozen = FROZEN in row["sentence"]
    row["sentence"] = sentence(answers, Said(row["learnt"], nan, 0), shown, frozen)
    return row


def held(finding: Finding, row: Row) -> tuple[str, str]:
    """What one row has for a finding, and whether it comes back."""
    names = ("mean", "low", "high") if finding.table else (f"{finding.measure}_{part}" for part in BOUNDS)
    value, low, high = (float(row[name]) for name in names)
    if (between := RANGE.fullmatch(finding.theirs)) and not isnan(low):
        least, most = map(float, between.groups())
        return f"{number(value, '')}{interval(low, high)}", BACK if low <= most and high >= least else AGAINST
    bound = BOUND.fullmatch(finding.theirs)
    if not bound:
        word = str(row[finding.measure])
        said = {finding.theirs: BACK, UNDECIDED: OPEN}.get(word, AGAINST if word in (YES, NO) else UNASKED)
        return answered(pd.Series(row), finding.measure), said
    if isnan(value) or isnan(low):
        return number(value, ""), UNASKED if isnan(value) else OPEN
    least, sign = float(bound[2]), 1 if bound[1] == "above" else -1
    inside, outside = (sign * (end - least) > 0 for end in ((low, high) if sign > 0 else (high, low)))
    return f"{number(value, '')}{interval(low, high)}", BACK if inside else OPEN if outside else AGAINST


def index(record: Path) -> str:
    """docs/replication/README.md: the pages, and of each how many published numbers have which verdict."""
    rows = []
    for page in PAGES:
        runs = kept_runs(record, page)
        if not any(not kept.run.changes for kept in runs):
            rows.append((page.title, page.about, "not run yet", ""))
            continue
        written = Written(page, runs)
        counts = Counter(verdict(row) for row in written.numbers)
        said = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
        hours = sum(kept.facts.cpu_hours for kept in runs)
        rows.append((f"[{page.title}]({page.name}.md)", page.about, said or "no counterpart", f"{hours:.1f}"))
    return INDEX + grid(["page", "what it asks", "published numbers", "CPU hours"], rows)


INDEX = """# The record

Real runs of the presets, and what came out of them beside what was published. Written by `make replication` from the
files in the folders here; a test writes the pages again and compares. Every figure and table of the package, once, with
how to read it: [gallery](../gallery.md).

A run enters the record so, from a folder of results and the checkout that made it:

    PYTHONPATH=docs python -m makers.replication keep <folder of results> <page>[/<run>] --commit <hash>
    make replication

Pages and runs are declared in `docs/makers/replication/entries.py`: also runs that change one thing, and what is known
of why numbers differ.

"""


def written_pages(record: Path) -> dict[str, str]:
    """Every page by its path in docs/, with the index; pages of which no run is kept are left out."""
    pages = {"replication/README.md": index(record)}
    for page in PAGES:
        runs = kept_runs(record, page)
        if any(not kept.run.changes for kept in runs):
            pages[f"replication/{page.name}.md"] = Written(page, runs).text()
    return pages
