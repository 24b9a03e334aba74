"""The pages of docs/replication/, written from the kept files: theirs, ours, whether they go together, and why."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict
from functools import cached_property
from math import isnan, nan
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from attention_audit.answer.lines import write_finding
from attention_audit.answer.verdicts import BY_CLASS, NONE, say_zones
from attention_audit.names import display_name
from attention_audit.plan.exhibits import EXHIBITS, Exhibit
from attention_audit.questions import QUESTIONS
from attention_audit.tables.published import build_key, read_published
from attention_audit.tables.render import NOTES, show_answer, write_interval
from attention_audit.tables.replication import COMPATIBLE
from attention_audit.tables.wording import format_number, write_heading, write_subject
from makers.replication.captions import two_sentences
from makers.replication.entries import PAGES, Cells, Finding, KeptRun, Page
from makers.replication.grids import fold, grid, narrow
from makers.replication.kept import FACTS, Kept, find_kept
from makers.replication.ladders import TABLES, climbed
from makers.replication.verdicts import (
    BY_CHANCE,
    INSIDE,
    JUDGED,
    LIE_OUTSIDE,
    OTHER,
    VERDICTS,
    Row,
    Signs,
    others,
    outside,
    paper_names,
    pooled,
    signs,
    spreads,
    verdict,
)

CAPTIONS = Path(__file__).parents[3] / "workflow" / "report"
FORMER = "findings.csv"
"""In the folder of a page: findings that earlier versions measured, and no table has by now, in the words of Line."""
EARLIER = (
    "By version {}: the intervals are of these trainings, with texts as the only chance. What stands beside a verdict "
    "is in that version's words."
)
BACK, AGAINST, OPEN, UNASKED = "comes back", "does not come back", "open", "not asked"
SYMBOLS = {BACK: "✓", AGAINST: "✗", OPEN: "○", UNASKED: "–"}
"""How a table of all findings shows what becomes of them."""
HOW_OFTEN = ("Comes back wherever it was asked", "Comes back on some data sets", "Comes back on none")
UNEXPLAINED = "no run shows the cause yet"
BOUND = re.compile(r"(above|below) (-?[\d.]+)")


class Line(NamedTuple):
    """A finding beside ours, on one data set. code: the version and commit that measured it."""

    dataset: str
    says: str
    theirs: str
    measured: str
    ours: str
    word: str
    code: str


def tell_how_often(words: Set[str]) -> str:
    """Tell on which data sets a finding comes back, one of HOW_OFTEN, from its words on all of them."""
    everywhere, some, nowhere = HOW_OFTEN
    return nowhere if BACK not in words else everywhere if words == {BACK} else some


def list_sentences(sentences: Iterable[str]) -> str:
    """Write sentences as a list in Markdown."""
    return "".join(f"- {sentence}\n" for sentence in sentences)


def describe_exhibit(exhibit: Exhibit) -> str:
    """Say what an exhibit shows, and how to read it, from its entry and its caption."""
    title, reading = two_sentences((CAPTIONS / f"{exhibit.name}.rst").read_text(encoding="utf-8"))
    paper = f" ({exhibit.number} of the paper)" if exhibit.number else ""
    return f"### {title}\n\nIt shows: {exhibit.shows}{paper}. How to read it: {reading}\n"


def reword_verdicts(row: Row) -> Row:
    """Say the verdicts of an earlier version's summary in today's words: the zones are the same."""
    said = {}
    for question in QUESTIONS:
        zones = row[f"{question}_zones"]
        if zones == BY_CLASS:
            classes = [each for each in json.loads(row[f"{question}_classes"]) if each["zones"]]
            classes.sort(key=lambda each: each["value"])
            ends = classes[0], classes[-1]
            said[f"{question}_said"] = "; ".join(f"{each['name']} {say_zones(each['zones'])}" for each in ends)
        elif zones != NONE:
            said[f"{question}_said"] = say_zones(zones)
    return {**row, **said}


def match_cells(cells: Cells, row: Row) -> bool:
    """Tell whether a row of `TABLE` or `REPLICATION` is one of these."""
    return all(re.fullmatch(pattern, str(row[column])) for column, pattern in asdict(cells).items())


def measure_closed(before: Row, after: Row) -> float:
    """Return the share of the difference to the published number that a change closes; NaN where there was none."""
    gap = before["published"] - before["ours"]
    return (after["ours"] - before["ours"]) / gap if gap else nan


def write_share(value: float) -> str:
    """Write a share in whole per cent, without a sign before 0; "no share" where there is none."""
    return "no share" if isnan(value) else f"{round(100 * value)}%"


def mark_word(word: str) -> str:
    """Mark a verdict as a table shows it: what a reader must not miss stands out."""
    return f"**{word}**" if word in (*LIE_OUTSIDE, OTHER, AGAINST) else word


class Written:
    """One page: what is declared of it, the runs of it that are kept, and their tables."""

    def __init__(self, page: Page, runs: Sequence[Kept]) -> None:
        self.page = page
        self.runs = list(runs)
        self.main = [kept for kept in runs if not kept.run.changes]
        self.changed = [kept for kept in runs if kept.run.changes]
        self.labels = {name: label for kept in runs for name, label in kept.facts.labels.items()}
        found = [row for kept in self.main for row in self.select_numbers(kept)]
        spread = spreads(found)
        self.numbers = [pooled(row, spread) for row in found]
        """The published numbers of the runs that change nothing."""
        self.by_change = {
            kept.run.name: {build_key(row): pooled(row, spread) for row in self.select_numbers(kept)}
            for kept in self.changed
        }

    def select_numbers(self, kept: Kept) -> list[Row]:
        """Select the rows of a run's table of replications that are of this page's paper, or that it quotes; none where
        the page's models are no paper's.
        """
        table, paper, code = kept.read_table("replication"), self.page.paper, kept.facts.code
        rows = [] if table is None or not paper else table.to_dict("records")
        return [{**row, "code": code} for row in rows if row["paper"] == paper or paper in row["table"]]

    def find_changes(self, row: Row) -> list[tuple[KeptRun, Row]]:
        """Find the runs that change one thing and are about a number, with their counterparts of it."""
        return [
            (other.run, self.by_change[other.run.name][build_key(row)])
            for other in self.changed
            if match_cells(other.run.cells, row) and build_key(row) in self.by_change[other.run.name]
        ]

    def explain_number(self, row: Row) -> str:
        """Say why a number is not the published one, as far as it is known; "" where nothing is to be explained."""
        if verdict(row) not in (*LIE_OUTSIDE, OTHER):
            return ""
        known = [
            reason.because for reason in self.page.reasons if not reason.finding and match_cells(reason.cells, row)
        ]
        if own := others(row):
            near = sum(row["one_low"] <= each.value <= row["one_high"] for each in own)
            known.append(f"{near} of their other trainings ({len(own)}) lie{'s' if near == 1 else ''} where ours do")
        for run, after in self.find_changes(row):
            known.append(
                f"[{run.name}](#one-thing-changed) closes {write_share(measure_closed(row, after))} of the difference"
            )
        told = row["seeds"] == 0 and row["note"]
        return "; ".join(known) or ("" if told else UNEXPLAINED)

    def climb_ladders(self) -> Iterator[str]:
        """Show rung by rung what becomes of the first run's numbers with more training texts."""
        tables = {name: table for name in TABLES if (table := self.main[0].read_table(name)) is not None}
        return (text for _, text in climbed(tables, self.page.ladders))

    def list_numbers(self) -> Iterator[str]:
        """List number by number, a table for each published table and data set."""
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.numbers:
            groups.setdefault((str(row["paper"]), str(row["table"]), str(row["dataset"])), []).append(row)
        for (_, _, dataset), rows in groups.items():
            notes = [[note for note in str(row["note"]).split("; ") if note] for row in rows]
            shared = [note for note in notes[0] if all(note in each for each in notes)]
            title = f"### {display_name(dataset)}: {self.name_place(rows[0])}\n\nBy version {rows[0]['code']}.\n"
            judged, beside, chance = outside(rows)
            counted = (
                f"Outside of the interval for single trainings: {beside} of {judged}; by chance alone {chance:.1f}.\n"
                if judged
                else ""
            )
            remark = f"In all rows: {'; '.join(shared)}.\n" if shared else ""
            lines = [
                (
                    write_subject(row, self.labels),
                    write_heading(str(row["metric"])),
                    format_number(row["published"], str(row["metric"]), paper=True),
                    ", ".join(format_number(each.value, str(row["metric"])) for each in others(row)),
                    format_number(row["ours"], str(row["metric"]))
                    + write_interval(row["low"], row["high"], str(row["metric"])),
                    write_interval(row["one_low"], row["one_high"], str(row["metric"])).strip(),
                    mark_word(verdict(row)),
                    "; ".join(filter(None, [*(note for note in own if note not in shared), self.explain_number(row)])),
                )
                for row, own in zip(rows, notes, strict=True)
            ]
            headings = [
                "row",
                "measure",
                "theirs",
                "their other runs",
                "ours [95 %]",
                "one more of ours [95 %]",
                "verdict",
                "notes, and why",
            ]
            yield "\n".join(filter(None, (title, remark, counted, fold(grid(headings, lines)))))

    def sum_up(self) -> str:
        """Say how many published numbers have which verdict, and what the verdicts mean."""
        counts = Counter(verdict(row) for row in self.numbers)
        rows = [(mark_word(word), str(counts[word]), meaning) for word, meaning in VERDICTS.items() if counts[word]]
        missing = self.count_missing()
        left = ", ".join(f"{name} ({count})" for name, count in missing.items())
        judged, beside, by_chance = outside(self.numbers)
        chance = (
            f"Outside of the interval for single trainings: {beside} of {judged}. If every published number were one "
            f"more of our trainings, about {by_chance:.0f} would lie outside all the same, by chance alone.\n"
            if judged
            else ""
        )
        heard = self.count_findings()
        findings = f"{len(self.findings)} findings in words: {heard}.\n" if heard else ""
        said = f"{sum(missing.values())} published numbers have no counterpart in these runs, by data set: {left}.\n"
        none = "No published number has a counterpart in these runs.\n" if self.page.paper else NO_PAPER
        numbers = grid(["verdict", "numbers", "it means"], rows) if rows else none
        return "\n".join(filter(None, [findings, chance, numbers, said if missing else ""]))

    def count_missing(self) -> dict[str, int]:
        """Count the published numbers that no run has a counterpart of, by the paper's name of the data set."""
        have = {key for row in self.numbers for key in paper_names(row)}
        lost = [key for key in read_published() if key[0] == self.page.paper and key not in have]
        return dict(Counter(key[2] for key in lost))

    def count_findings(self) -> str:
        """Say how many findings come back, and how many do not."""
        words = Counter(line.word for line in self.findings)
        return ", ".join(f"{word} {words[word]}" for word in SYMBOLS if words[word])

    @cached_property
    def findings(self) -> list[Line]:
        """Finding by finding: those of earlier versions, and those declared with the page."""
        path = self.main[0].folder.parent / FORMER
        former = pd.read_csv(path, dtype=str, keep_default_na=False) if path.is_file() else pd.DataFrame()
        lines = [Line(*row) for row in former.itertuples(index=False)]
        return lines + [
            line for kept in self.main for finding in self.page.findings for line in self.find_lines(finding, kept)
        ]

    def show_what_comes_back(self) -> Iterator[str]:
        """Show at a glance which findings come back on which data sets, and how many numbers lie outside."""
        words: dict[str, dict[str, list[str]]] = {}
        for line in self.findings:
            words.setdefault(line.says, {}).setdefault(line.dataset, []).append(line.word)
        groups: dict[str, list[Sequence[str]]] = {}
        datasets = list(dict.fromkeys(line.dataset for line in self.findings))
        for says, on in words.items():
            symbols = [" ".join(SYMBOLS[word] for word in on.get(name, ())) for name in datasets]
            groups.setdefault(tell_how_often({word for own in on.values() for word in own}), []).append(
                (says, *symbols)
            )
        used = [word for word in SYMBOLS if any(line.word == word for line in self.findings)]
        legend = f"{', '.join(f'{SYMBOLS[word]} {word}' for word in used)}; empty: the paper does not say so there.\n"
        if groups:
            yield legend
        for title in HOW_OFTEN:
            if rows := groups.get(title):
                what = f"{len(rows)} finding{'s' if len(rows) > 1 else ''}"
                yield f"**{title}** ({what}):\n\n{grid(['what they found', *map(display_name, datasets)], rows)}"
        yield from self.count_outside()
        yield from self.compare_signs()

    def count_outside(self) -> Iterator[str]:
        """Count how many numbers lie outside, by measure and data set, and how many would by chance alone."""
        judged = [row for row in self.numbers if verdict(row) in JUDGED]
        datasets = list(dict.fromkeys(display_name(str(row["dataset"])) for row in judged))
        counts: dict[str, dict[str, list[bool]]] = {}
        for row in judged:
            on = counts.setdefault(write_heading(str(row["metric"])), {})
            on.setdefault(display_name(str(row["dataset"])), []).append(verdict(row) in LIE_OUTSIDE)
        if judged:
            yield "**How many published numbers lie outside** of where 95 of 100 single trainings of ours do:\n"
            lines = []
            for measure, on in counts.items():
                every = [lies for own in on.values() for lies in own]
                by_dataset = (f"{sum(on[name])} of {len(on[name])}" if name in on else "" for name in datasets)
                lines.append((measure, *by_dataset, f"{sum(every)} of {len(every)}", f"{BY_CHANCE * len(every):.1f}"))
            yield grid(["measure", *datasets, "all", "by chance alone"], lines)

    def compare_signs(self) -> Iterator[str]:
        """Compare on how many data sets the published number is above ours, row by row."""
        found = signs(self.numbers)
        small = sum(each.chance <= BY_CHANCE for each in found)
        told = sum(each.above + each.below >= FEWEST for each in found)
        if not found:
            return
        yield SIGNS
        if told:
            yield (
                f"Of {told} rows with {FEWEST} data sets or more, {small} {'has' if small == 1 else 'have'} a "
                f"probability of {BY_CHANCE:g} or less; by chance alone, at most {BY_CHANCE * told:.1f} would. Rows of "
                "one model rest on the same trainings, so they are no independent evidence.\n"
            )
        else:
            yield f"No row has {FEWEST} data sets, so none can show a bias by itself.\n"
        yield grid(
            ["row", "measure", "where", "theirs above ours", "below", "theirs - ours, mean", "by chance alone"],
            map(self.show_signs, found),
        )

    def show_signs(self, found: Signs) -> Sequence[str]:
        """Show one line of the tests of signs."""
        row, metric = found.row, str(found.row["metric"])
        return (
            write_subject(row, self.labels),
            write_heading(metric),
            self.name_place(row),
            str(found.above),
            str(found.below),
            format_number(found.difference, metric),
            format_number(found.chance, ""),
        )

    def name_place(self, row: Row) -> str:
        """Name the place where a paper has a number."""
        where = re.sub(r"[A-Z]{2}20\d\d", lambda name: self.labels.get(name[0], name[0]), str(row["table"]))
        paper = self.labels.get(str(row["paper"]), str(row["paper"]))
        return f"{paper}, {where[:1].lower()}{where[1:]}"

    def list_findings(self) -> Iterator[str]:
        """List finding by finding, a table for each data set, with why where it is known."""
        headings = ["what they found", "theirs", "measured as", "ours [95 %]", "verdict", "by version", "why"]
        for dataset in dict.fromkeys(line.dataset for line in self.findings):
            own = (line for line in self.findings if line.dataset == dataset)
            rows = [(*line[1:5], mark_word(line.word), line.code, self.explain_finding(line)) for line in own]
            yield f"### {display_name(dataset)}\n\n{fold(grid(headings, rows))}"

    def explain_finding(self, line: Line) -> str:
        """Say why a finding does not come back, as far as it is declared."""
        known = (
            reason.because
            for reason in self.page.reasons
            if line.word != BACK
            and reason.finding
            and re.search(reason.finding, line.says)
            and re.fullmatch(reason.cells.dataset, line.dataset)
        )
        return "; ".join(known)

    def find_lines(self, finding: Finding, kept: Kept) -> Iterator[Line]:
        """Find a declared finding in the tables of a run: a line for each data set and row of which it is said."""
        table = kept.read_table(finding.table)
        for row in [] if table is None else table.to_dict("records"):
            of = not finding.datasets or row["dataset"] in finding.datasets
            if of and match_cells(finding.cells, row) and row["metric"] == finding.measure:
                shown, word = judge_finding(finding, row)
                yield Line(
                    str(row["dataset"]),
                    finding.says,
                    f"{finding.theirs} ({finding.source})",
                    f"`{finding.measure}` of `{finding.table}`",
                    shown,
                    word,
                    kept.facts.code,
                )

    def show_changes(self) -> Iterator[str]:
        """Show the runs that change one thing, each beside the numbers that it is held to."""
        for other in self.changed:
            rows = [
                (row, after)
                for row in self.numbers
                for run, after in self.find_changes(row)
                if run.name == other.run.name
            ]
            lines = [
                (
                    display_name(str(row["dataset"])),
                    write_subject(row, self.labels),
                    write_heading(str(row["metric"])),
                    format_number(row["published"], str(row["metric"]), paper=True),
                    *(
                        format_number(each["ours"], str(each["metric"]))
                        + write_interval(each["low"], each["high"], str(each["metric"]))
                        for each in (row, after)
                    ),
                    "" if verdict(row) in (COMPATIBLE, INSIDE) else f"{write_share(measure_closed(row, after))}",
                    mark_word(verdict(after)),
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
            numbers = grid(headings, lines) if lines else "No published number that it is about has a counterpart.\n"
            yield f"### {other.run.name}\n\nChanged: {other.run.changes}.\n\n{numbers}"

    def list_answers(self) -> Iterator[str]:
        """List what the runs themselves say of each map: a line a question. Nothing where no summary is kept.

        What two runs say alike of one model is said once. A run of an earlier version has no finding: its intervals
        hold the chance of texts alone.
        """
        tables = [(kept, table) for kept in self.main if (table := kept.read_table("summary")) is not None]
        answers = []
        for kept, table in tables:
            for row in table[table["model"] != ""].to_dict("records"):
                earlier = not kept.facts.speaks_of_others
                block = show_answer(reword_verdicts(row) if earlier else row, self.labels)
                text = block.text
                if earlier:
                    text = f"{EARLIER.format(kept.facts.code)} {text.removeprefix(write_finding(row)).lstrip()}"
                answers.append(f"### {block.title}\n\n{text}\n\n{grid([*block.rows], block.rows.to_numpy().tolist())}")
        yield from dict.fromkeys(answers)

    def show_exhibits(self, folder: str) -> Iterator[str]:
        """Show tables or figures: of each once what it shows and how to read it, then all runs that have it."""
        for exhibit in (each for each in EXHIBITS if each.folder == folder):
            figure = folder == "figures"
            runs = [kept for kept in self.main if kept.locate(exhibit).is_file()]
            if runs and (figure or exhibit.name in self.page.tables):
                yield describe_exhibit(exhibit)
                yield from (self.show_exhibit(exhibit, kept) for kept in runs)

    def show_exhibit(self, exhibit: Exhibit, kept: Kept) -> str:
        """Show one exhibit as one run has it."""
        path = f"{self.page.name}/{kept.run.name}/{exhibit.folder}/{kept.locate(exhibit).name}"
        name = f"[`{exhibit.name}`]({path}) of the run {kept.run.name}, by version {kept.facts.code}\n"
        if exhibit.folder == "figures":
            return f"{name}\n![{exhibit.shows}]({path})\n"
        shown = (
            (block.title and f"#### {block.title}\n", block.text and f"{block.text}\n", narrow(block.rows))
            for block in kept.show_table(exhibit)
        )
        return "\n".join([name, *(part for parts in shown for part in parts if part)])

    def list_runs(self) -> str:
        """List the runs, when and by which code they were made, and how long that took."""
        headings = ["run", "what is run", "finished", "by version", "CPU hours"]
        rows = (
            (kept.run.name, kept.run.about, kept.facts.made, kept.facts.code, f"{kept.facts.cpu_hours:.2f}")
            for kept in self.runs
        )
        return grid(headings, rows)

    def describe_run(self, kept: Kept) -> str:
        """Say how one run was made."""
        told, run, where = kept.facts, kept.run, f"{self.page.name}/{kept.run.name}"
        mirror = "mirror=<folder>" if told.files else ""
        # another run of the same preset may lie in the preset's own folder
        folder = f"results=runs/record/{where}" if run.options else ""
        options = " ".join(filter(None, [mirror, run.options, folder]))
        preset = f" --configfile presets/{run.preset}.yaml" if run.preset else ""
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
            f"    {command}\n",
            f"- data sets by suite: {suites}",
            f"- most of its CPU time was for {longest} hours (all jobs of a rule, each as it last ran: what was done "
            "before a run was continued is not in it)",
            f"- on {kinds}",
            f"- raw files: {data}",
            f"- {versions}; [its whole configuration]({where}/{FACTS})\n",
        ]
        return "\n".join(lines)

    def write(self) -> str:
        """Write the page, without sections that say nothing."""
        changes = CHANGES if self.changed else ""
        answers = [*self.list_answers()]
        sections = {
            "The runs": [self.list_runs()],
            "In short": [self.sum_up()],
            "What comes back": self.show_what_comes_back(),
            "What it shows": [list_sentences(self.page.learnt)],
            "Rung by rung": self.climb_ladders() if self.page.ladders else (),
            "Finding by finding": self.list_findings(),
            "Number by number": [NUMBERS if self.numbers else "", *self.list_numbers()],
            "One thing changed": [changes, *self.show_changes()],
            "What may be read into these maps": [f"{NOTES[0]}\n" if answers else "", *answers],
            "Tables": self.show_exhibits("tables"),
            "Figures": self.show_exhibits("figures"),
            "What nobody can know from it": [list_sentences(self.page.beyond)],
            "How the runs were made": map(self.describe_run, self.runs),
        }
        opening = (
            f"# {self.page.title}\n\nWritten by `make replication` from the files in `{self.page.name}/`, which "
            f"are kept of real runs; no number is written by hand.\n\n{self.page.about}\n"
        )
        told = {title: "\n".join(filter(None, texts)) for title, texts in sections.items()}
        return "\n".join([opening, *(f"## {title}\n\n{text}" for title, text in told.items() if text)])


NUMBERS = (
    "In brackets, first the 95 % interval of our mean, then where 95 % of single trainings of ours lie: a published "
    "number is nearly always one training, so it is held against the second. How far trainings lie apart is taken "
    "from all data sets of this page together, for each row and measure, and the interval ends where the number's own "
    "range ends. *Their other runs*: earlier trainings of the authors, from the history of their repository, with the "
    "settings that they had then.\n"
)
FEWEST = 6
"""Data sets of which a test of signs can have a probability below `BY_CHANCE`."""
SIGNS = (
    "**Are the published numbers above ours more often than not?** An interval for each number hides a small "
    "difference that all data sets share. So each row is asked once more, over its data sets: on how many the "
    "published number is above ours, and on how many below. The last column is the probability that so many lie on "
    "one side if either side is equally probable (the exact test of signs, two-sided). It is no verdict on one "
    "number.\n"
)
NO_PAPER = "No published number is of such models, so none is held against ours.\n"
CHANGES = (
    "Each of these runs is one of the others with one thing changed. Of the difference: which share of the way from "
    "the unchanged run's number to the published one it goes; 100 % is all of it, more goes beyond, below 0 leads "
    "away. Then: the verdict with the change.\n"
)


def judge_finding(finding: Finding, row: Row) -> tuple[str, str]:
    """Return what one row has for a finding, and judge whether it comes back."""
    value, low, high = (float(row[name]) for name in ("mean", "low", "high"))
    bound = BOUND.fullmatch(finding.theirs)
    if not bound or isnan(value) or isnan(low):
        return format_number(value, ""), UNASKED if isnan(value) else OPEN
    least, sign = float(bound[2]), 1 if bound[1] == "above" else -1
    inside, outside = (sign * (end - least) > 0 for end in ((low, high) if sign > 0 else (high, low)))
    return f"{format_number(value, '')}{write_interval(low, high)}", BACK if inside else OPEN if outside else AGAINST


def write_index(pages: Mapping[str, Written]) -> str:
    """Write docs/replication/README.md: of each page, how many findings come back and numbers have which verdict."""
    rows = []
    for page in PAGES:
        written = pages.get(page.name)
        if written is None:
            rows.append((page.title, "not run yet", "", ""))
            continue
        counts = Counter(verdict(row) for row in written.numbers)
        said = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
        hours = sum(kept.facts.cpu_hours for kept in written.runs)
        link = f"[{page.title}]({page.name}.md)"
        rows.append((link, written.count_findings() or "none", said or "no counterpart", f"{hours:.1f}"))
    return INDEX + grid(["page", "findings in words", "published numbers", "CPU hours"], rows)


INDEX = """# The record

Real runs of the presets, and what came out of them beside what was published. Written by `make replication` from the
files in the folders here; a test writes the pages again and compares. The [gallery](../gallery.md) has every figure and
table of the package once.

A run enters the record so, from a folder of results and the checkout that made it:

    PYTHONPATH=docs python -m makers.replication keep <folder of results> <page>[/<run>] --commit <hash>
    make replication

Pages and runs are declared in `docs/makers/replication/entries.py`: also runs that change one thing, and what is known
of why numbers differ. Numbers, tables, figures and findings are marked with the version and the commit that made them.
Of a run of an older version the tables of papers are kept, and findings that no table has by now (`findings.csv`); what
that version said of maps is left out until the run is made again. In `summary.csv` of commits before `4b8bad7b` the
values of `stable_each` stand in ascending order of the seeds, all others in the order of the configuration.

"""


def write_every_page(record: Path) -> dict[str, str]:
    """Write every page by its path in docs/, with the index; pages of which no run is kept are left out."""
    every = (Written(page, find_kept(record, page)) for page in PAGES)
    written = {each.page.name: each for each in every if each.main}
    pages = {"README.md": write_index(written), **{f"{name}.md": each.write() for name, each in written.items()}}
    return {f"replication/{path}": text for path, text in pages.items()}
