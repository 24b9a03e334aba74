"""The pages of docs/replication/, written from the kept files: theirs, ours, whether they go together, and why."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan, nan
from pathlib import Path
from typing import NamedTuple

from attention_audit.names import display_name
from attention_audit.plan.exhibits import EXHIBITS, Exhibit, Figure, Table
from attention_audit.tables.published import read_facts
from attention_audit.tables.replication import COMPATIBLE, ENCODERS
from attention_audit.tables.shown import NOTES, show_answer, write_interval
from attention_audit.tables.wording import format_number, write_heading, write_name
from makers.replication.captions import Sentences, two_sentences
from makers.replication.entries import PAGES, Cells, Finding, KeptRun, Page
from makers.replication.grids import below, grid
from makers.replication.kept import CONFIG, FORMER_FIGURES, Kept, every_kept, kept_runs
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
    pooled,
    signs,
    spreads,
    verdict,
)

CAPTIONS = Path(__file__).parents[3] / "workflow" / "report"
FORMER_CAPTIONS = Path(__file__).parent / "former_captions"
BACK, AGAINST, OPEN, UNASKED = "comes back", "does not come back", "open", "not asked"
SYMBOLS = {BACK: "✓", AGAINST: "✗", OPEN: "○", UNASKED: "–"}
"""How a table of all findings shows what becomes of them."""
HOW_OFTEN = ("Comes back wherever it was asked", "Comes back on some data sets", "Comes back on none")
LARGEST = 25_000
"""Bytes of a page at most; one that would be larger is parted."""
UNEXPLAINED = "no run shows the cause yet"
BOUND = re.compile(r"(above|below) (-?[\d.]+)")
RANGE = re.compile(r"between ([\d.]+) and ([\d.]+)")
WITHDRAWN = re.compile(r"(?!HANrnn: ).*the top item flips the decision in a small minority of the texts")
"""Claims in kept tables that are made no longer, since the paper's number is of another model."""
CLAIMS = {"SS2019": "ss_table_claims", "PD2020": "pd_table_claims", "MD2020": "md_table_claims"}
"""The tables of a paper's findings that earlier runs made themselves."""


def significant(row: Row) -> str:
    """Write what a row of CLAIMS measured with its interval, in three significant digits; "" where it is not known."""
    ours, low, high = (float(row[name]) for name in ("ours", "low", "high"))
    if isnan(ours):
        return ""
    ends = "" if isnan(low) or isnan(high) else f" [{low:.3g}, {high:.3g}]"
    return f"{ours:.3g}{ends if high < inf else f' [at least {low:.3g}]'}"


class Line(NamedTuple):
    """A finding beside ours, on one data set. row: of the table that measures it; "" where the finding says it."""

    dataset: str
    row: str
    says: str
    theirs: str
    measured: str
    ours: str
    word: str
    why: str


@dataclass(frozen=True)
class Section:
    """A part of a page: its name in addresses and its title, what is said first, and its texts by what they are about,
    mostly data sets. stays: on the first page, where others are pages of their own.
    """

    name: str
    title: str
    parts: Mapping[str, str]
    above: str = ""
    stays: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return self.above + "\n".join(self.parts.values())

    def pages(self) -> dict[str, tuple[str, str]]:
        """Its texts by the name of a page, each with what it is about: one, or where that is too large, one a part."""
        if size(self.text) <= LARGEST:
            return {self.name: ("", self.text)}
        return {f"{self.name}-{slug(about)}": (about, self.above + text) for about, text in self.parts.items()}


def how_often(words: Set[str]) -> str:
    """On which data sets a finding comes back, one of HOW_OFTEN, from its words on all of them."""
    everywhere, some, nowhere = HOW_OFTEN
    return nowhere if BACK not in words else everywhere if words == {BACK} else some


def size(text: str) -> int:
    """Bytes of a page."""
    return len(text.encode())


def listed(sentences: Iterable[str]) -> str:
    """Sentences as a list in Markdown."""
    return "".join(f"- {sentence}\n" for sentence in sentences)


def slug(name: str) -> str:
    """A name as a part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def gathered(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Texts by what they are about; several about one thing become one."""
    parts: dict[str, list[str]] = {}
    for about, text in texts:
        parts.setdefault(about, []).append(text)
    return {about: "\n".join(own) for about, own in parts.items()}


def caption(exhibit: Exhibit) -> Sentences:
    """What the caption of an exhibit says first."""
    folder = FORMER_CAPTIONS if exhibit in FORMER_FIGURES else CAPTIONS
    return two_sentences((folder / f"{exhibit.name}.rst").read_text(encoding="utf-8"))


def said(exhibit: Exhibit) -> str:
    """The two sentences of an exhibit: what it shows, and how to read it; from its entry and its caption."""
    paper = f" ({exhibit.number} of the paper)" if exhibit.number else ""
    return f"It shows: {exhibit.shows}{paper}. How to read it: {caption(exhibit).reading}"


def matches(cells: Cells, row: Row) -> bool:
    """Whether a row of `REPLICATION` is one of these."""
    return all(re.fullmatch(getattr(cells, key), str(row[key])) for key in ("dataset", "row", "metric"))


def build_key(row: Row) -> tuple[str, ...]:
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
    return f"**{word}**" if word in (*LIE_OUTSIDE, OTHER, AGAINST) else word


class Written:
    """One page: what is declared of it, the runs of it that are kept, and their tables."""

    def __init__(self, page: Page, runs: Sequence[Kept]) -> None:
        self.page = page
        self.runs = list(runs)
        self.main = [kept for kept in runs if not kept.run.changes]
        self.changed = [kept for kept in runs if kept.run.changes]
        self.labels = {name: label for kept in runs for name, label in kept.facts.labels.items()}
        found = [row for kept in self.main for row in self.replicated(kept)]
        spread = spreads(found)
        self.numbers = [pooled(row, spread) for row in found]
        """The published numbers of the runs that change nothing."""
        self.by_change = {
            kept.run.name: {build_key(row): pooled(row, spread) for row in self.replicated(kept)}
            for kept in self.changed
        }

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
            (other.run, self.by_change[other.run.name][build_key(row)])
            for other in self.changed
            if matches(other.run.cells, row) and build_key(row) in self.by_change[other.run.name]
        ]

    def why(self, row: Row) -> str:
        """Why a number is not the published one, as far as it is known; "" where nothing is to be explained."""
        if verdict(row) not in (*LIE_OUTSIDE, OTHER):
            return ""
        known = [reason.because for reason in self.page.reasons if not reason.finding and matches(reason.cells, row)]
        if own := others(row):
            near = sum(row["one_low"] <= each.value <= row["one_high"] for each in own)
            known.append(f"{near} of their other trainings ({len(own)}) lie{'s' if near == 1 else ''} where ours do")
        for run, after in self.changes(row):
            known.append(f"[{run.name}](#one-thing-changed) closes {share(closed(row, after))} of the difference")
        told = row["seeds"] == 0 and row["note"]
        return "; ".join(known) or ("" if told else UNEXPLAINED)

    def of_ladders(self) -> Iterator[tuple[str, str]]:
        """Rung by rung, what becomes of the first run's numbers with more training texts."""
        tables = {name: table for name in TABLES if (table := self.main[0].table(name)) is not None}
        return climbed(tables, self.page.ladders)

    def of_numbers(self) -> Iterator[tuple[str, str]]:
        """Number by number, a data set and a table for each published table of it."""
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.numbers:
            groups.setdefault((str(row["paper"]), str(row["table"]), str(row["dataset"])), []).append(row)
        for (_, _, dataset), rows in groups.items():
            notes = [[note for note in str(row["note"]).split("; ") if note] for row in rows]
            shared = [note for note in notes[0] if all(note in each for each in notes)]
            title = f"### {display_name(dataset)}: {self.where(rows[0])}\n"
            judged, beside, chance = outside(rows)
            counted = (
                f"Of {judged} numbers that are held against an interval, {beside} "
                f"lie{'s' if beside == 1 else ''} outside; by chance alone, {chance:.1f} would.\n"
                if judged
                else ""
            )
            remark = f"In all rows: {'; '.join(shared)}.\n" if shared else ""
            lines = [
                (
                    write_name(str(row["row"]), self.labels),
                    write_heading(str(row["metric"])),
                    format_number(row["published"], str(row["metric"]), paper=True),
                    ", ".join(format_number(each.value, str(row["metric"])) for each in others(row)),
                    format_number(row["ours"], str(row["metric"]))
                    + write_interval(row["low"], row["high"], str(row["metric"])),
                    write_interval(row["one_low"], row["one_high"], str(row["metric"])).strip(),
                    bold(verdict(row)),
                    "; ".join(filter(None, [*(note for note in own if note not in shared), self.why(row)])),
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
            yield display_name(dataset), "\n".join(filter(None, (title, remark, counted, grid(headings, lines))))

    def in_short(self) -> str:
        """How many published numbers have which verdict, and what the verdicts mean."""
        counts = Counter(verdict(row) for row in self.numbers)
        rows = [(bold(word), str(counts[word]), meaning) for word, meaning in VERDICTS.items() if counts[word]]
        missing = self.missing()
        left = ", ".join(f"{name} ({count})" for name, count in missing.items())
        judged, beside, by_chance = outside(self.numbers)
        chance = (
            f"Of {judged} numbers that are held against an interval for single trainings, {beside} lie outside. If "
            f"every published number were one more of our trainings, about {by_chance:.0f} would lie outside all the "
            "same, by chance alone.\n"
            if judged
            else ""
        )
        heard = self.heard()
        findings = f"{len(self.findings)} findings in words: {heard}.\n" if heard else ""
        said = f"{sum(missing.values())} published numbers have no counterpart in these runs, by data set: {left}.\n"
        none = "No published number has a counterpart in these runs.\n" if self.page.paper else NO_PAPER
        numbers = grid(["verdict", "numbers", "it means"], rows) if rows else none
        return "\n".join(filter(None, [findings, chance, numbers, said if missing else ""]))

    def missing(self) -> dict[str, int]:
        """The published numbers of the paper that no run has a counterpart of, by the paper's name of the data set."""
        have = {(row["table"], display_name(str(row["dataset"])), row["row"], row["metric"]) for row in self.numbers}
        have |= {
            (row["table"], "all", f"{ENCODERS}{str(row['row']).partition('/')[2]}", row["metric"])
            for row in self.numbers
        }
        lost = [key for key in read_facts() if key[0] == self.page.paper and key[1:] not in have]
        return dict(Counter(key[2] for key in lost))

    def heard(self) -> str:
        """How many findings come back, and how many do not."""
        words = Counter(line.word for line in self.findings)
        return ", ".join(f"{word} {words[word]}" for word in SYMBOLS if words[word])

    @cached_property
    def findings(self) -> list[Line]:
        """Finding by finding: those whose table the runs make, and those declared with the page."""
        lines: list[Line] = []
        for kept in self.main:
            table = kept.table(CLAIMS[self.page.paper]) if self.page.paper in CLAIMS else None
            claims = [] if table is None else table.to_dict("records")
            lines += [self.claimed(row) for row in claims if not WITHDRAWN.fullmatch(str(row["claim"]))]
            lines += [line for finding in self.page.findings for line in self.found(finding, kept)]
        return lines

    def what_comes_back(self) -> Iterator[tuple[str, str]]:
        """At a glance, which findings come back on which data sets, and how many numbers lie outside."""
        words: dict[str, dict[str, list[str]]] = {}
        for line in self.findings:
            words.setdefault(line.says, {}).setdefault(line.dataset, []).append(line.word)
        groups: dict[str, list[Sequence[str]]] = {}
        datasets = list(dict.fromkeys(line.dataset for line in self.findings))
        for says, on in words.items():
            symbols = [" ".join(SYMBOLS[word] for word in on.get(name, ())) for name in datasets]
            groups.setdefault(how_often({word for own in on.values() for word in own}), []).append((says, *symbols))
        used = [word for word in SYMBOLS if any(line.word == word for line in self.findings)]
        legend = f"{', '.join(f'{SYMBOLS[word]} {word}' for word in used)}; empty: the paper does not say so there.\n"
        if groups:
            yield "legend", legend
        for title in HOW_OFTEN:
            if rows := groups.get(title):
                what = f"{len(rows)} finding{'s' if len(rows) > 1 else ''}"
                yield title, f"**{title}** ({what}):\n\n{grid(['what they found', *datasets], rows)}"
        if numbers := "\n".join([*self.outside(), *self.one_sided()]):
            yield "numbers", numbers

    def outside(self) -> Iterator[str]:
        """How many numbers lie outside, by measure and data set, and how many would by chance alone."""
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

    def one_sided(self) -> Iterator[str]:
        """On how many data sets the published number is above ours, row by row."""
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
            map(self.sign, found),
        )

    def sign(self, found: Signs) -> Sequence[str]:
        """One line of the tests of signs."""
        row, metric = found.row, str(found.row["metric"])
        return (
            write_name(str(row["row"]), self.labels),
            write_heading(metric),
            self.where(row),
            str(found.above),
            str(found.below),
            format_number(found.difference, metric),
            format_number(found.chance, ""),
        )

    def where(self, row: Row) -> str:
        """Where a paper has a number."""
        where = re.sub(r"[A-Z]{2}20\d\d", lambda name: self.labels.get(name[0], name[0]), str(row["table"]))
        paper = self.labels.get(str(row["paper"]), str(row["paper"]))
        return f"{paper}, {where[:1].lower()}{where[1:]}"

    def of_findings(self) -> Iterator[tuple[str, str]]:
        """Finding by finding, a data set and its table, with why where it is known."""
        headings = ["of", "what they found", "theirs", "measured as", "ours [95 %]", "verdict", "why"]
        for dataset in dict.fromkeys(line.dataset for line in self.findings):
            own = (line for line in self.findings if line.dataset == dataset)
            rows = [(line.row, *line[2:6], bold(line.word), line.why) for line in own]
            yield dataset, f"### {dataset}\n\n{grid(headings, rows)}"

    def claimed(self, row: Row) -> Line:
        """One row of a table of findings."""
        word = UNASKED if isnan(row["ours"]) else {"yes": BACK, "no": AGAINST}.get(str(row["holds"]), OPEN)
        return Line(
            display_name(str(row["dataset"])),
            "",
            str(row["claim"]),
            str(row["theirs"]),
            str(row["statistic"]),
            significant(row),
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

    def found(self, finding: Finding, kept: Kept) -> Iterator[Line]:
        """A declared finding beside the tables of a run: a line for each data set and row of which it is said."""
        table = kept.table(finding.table)
        for row in [] if table is None else table.to_dict("records"):
            of = not finding.datasets or row["dataset"] in finding.datasets
            if of and row["row"] in finding.rows and row["metric"] == finding.measure:
                shown, word = held(finding, row)
                yield Line(
                    display_name(str(row["dataset"])),
                    write_name(str(row["row"]), self.labels),
                    finding.says,
                    f"{finding.theirs} ({finding.source})",
                    f"`{finding.measure}` of `{finding.table}`",
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
                    write_name(str(row["row"]), self.labels),
                    write_heading(str(row["metric"])),
                    format_number(row["published"], str(row["metric"]), paper=True),
                    *(
                        format_number(each["ours"], str(each["metric"]))
                        + write_interval(each["low"], each["high"], str(each["metric"]))
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

    def of_answers(self) -> Iterator[tuple[str, str]]:
        """What the runs themselves say of each map, by data set: a line a question. Nothing where no summary is kept.

        What two runs say alike of one model is said once.
        """
        tables = [table for kept in self.main if (table := kept.table("summary")) is not None]
        rows = [row for table in tables for row in table.to_dict("records") if row["model"]]
        shown = [(display_name(str(row["dataset"])), show_answer(row, self.labels)) for row in rows]
        yield from dict.fromkeys(
            (dataset, f"### {model.title}\n\n{model.text}\n\n{grid([*model.rows], model.rows.to_numpy().tolist())}")
            for dataset, model in shown
        )

    def shown(self, exhibits: Iterable[Exhibit]) -> Iterator[tuple[str, str]]:
        """Exhibits as the runs have them: of each once what it shows and how to read it, then all runs that have it."""
        for exhibit in exhibits:
            runs = [kept for kept in self.main if kept.shows(exhibit)]
            if runs:
                opening = f"### {caption(exhibit).title}\n\n{said(exhibit)}\n"
                yield exhibit.name, "\n".join([opening, *(self.show_exhibit(exhibit, kept) for kept in runs)])

    def show_exhibit(self, exhibit: Exhibit, kept: Kept) -> str:
        """One exhibit as one run has it; its run is named where the page has several."""
        file = kept.file(exhibit)
        path = f"{self.page.name}/{kept.run.name}/{exhibit.folder}/{file.name}"
        of = f" of the run {kept.run.name}" if len(self.main) > 1 else ""
        name = f"[`{exhibit.name}`{of}]({path})\n"
        if isinstance(exhibit, Figure):
            return f"{name}\n![{exhibit.shows}]({path})\n"
        return f"{name}\n{below(kept.text(exhibit))}" if isinstance(exhibit, Table) else name

    def of_run(self, kept: Kept) -> str:
        """How one run was made."""
        told, run, where = kept.facts, kept.run, f"{self.page.name}/{kept.run.name}"
        mirror = "" if self.page.generated else "mirror=<folder>"
        # another run of the same preset may lie in the preset's own folder
        folder = f"results=runs/record/{where}" if run.options else ""
        options = " ".join(filter(None, [mirror, run.options, folder]))
        command = f"snakemake --cores 2 all --configfile presets/{run.preset}.yaml" + (
            f" --config {options}" if options else ""
        )
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

    @property
    def sections(self) -> list[Section]:
        """All that is said, but for what says nothing."""
        tables = (exhibit for exhibit in EXHIBITS if exhibit.name in self.page.tables)
        figures = (exhibit for exhibit in (*EXHIBITS, *FORMER_FIGURES) if isinstance(exhibit, Figure))
        parts = {"one thing changed": self.of_changes()} if self.changed else {}
        sections = [
            Section("short", "In short", {"": self.in_short()}, stays=True),
            Section("back", "What comes back", gathered(self.what_comes_back()), stays=True),
            Section("learnt", "What it shows", {"": listed(self.page.learnt)} if self.page.learnt else {}, stays=True),
            Section("ladders", "Rung by rung", gathered(self.of_ladders()) if self.page.ladders else {}, stays=True),
            Section("findings", "Finding by finding", gathered(self.of_findings())),
            Section("numbers", "Number by number", gathered(self.of_numbers()), NUMBERS),
            Section("changes", "One thing changed", parts, CHANGES),
            Section("answers", "What may be read into these maps", gathered(self.of_answers()), f"{NOTES[0]}\n\n"),
            Section("tables", "Tables", gathered(self.shown(tables))),
            Section("beyond", "What nobody can know from it", {"": listed(self.page.beyond)}, stays=True),
            Section("figures", "Figures", gathered(self.shown(figures))),
            Section("runs", "The runs", {kept.run.name: self.of_run(kept) for kept in self.runs}),
        ]
        return [section for section in sections if section.parts]

    @cached_property
    def parts(self) -> dict[str, tuple[str, str]]:
        """The pages that the first one leads to, by their path in docs/replication/: title and text of each; none where
        all is small enough for one page.
        """
        if size(self.whole(self.sections)) <= LARGEST:
            return {}
        return {
            f"{self.page.name}/{name}.md": (": ".join(filter(None, (section.title, about))), text)
            for section in self.sections
            if not section.stays
            for name, (about, text) in section.pages().items()
        }

    def whole(self, sections: Iterable[Section]) -> str:
        """A page of these sections."""
        opening = (
            f"# {self.page.title}\n\nWritten by `make replication` from the files in `{self.page.name}/`, which "
            f"are kept of real runs; no number is written by hand.\n\n{self.page.about}\n"
        )
        return "\n".join([opening, *(f"## {section.title}\n\n{section.text}" for section in sections)])

    @property
    def pages(self) -> dict[str, str]:
        """Its pages by their path in docs/replication/."""
        first = f"{self.page.name}.md"
        if not self.parts:
            return {first: self.whole(self.sections)}
        back = f"A part of [{self.page.title}](../{first})."
        others = {
            path: self.moved(f"# {self.page.title}: {title}\n\n{back}\n\n{text}")
            for path, (title, text) in self.parts.items()
        }
        links = Section("parts", "In detail", {"": listed(self.links())})
        *staying, beyond = (section for section in self.sections if section.stays)
        return {first: self.whole([*staying, links, beyond]), **others}

    def links(self) -> Iterator[str]:
        """Links to the parts, from docs/replication/."""
        return (f"[{title}]({path})" for path, (title, _) in self.parts.items())

    def moved(self, text: str) -> str:
        """A text of the first page as it stands one folder further down, its headings one level higher."""
        nearer = text.replace(f"]({self.page.name}/", "](")
        nearer = re.sub(r"\[([\w-]+)\]\(#one-thing-changed\)", r"[\1](changes.md#\1)", nearer)
        return re.sub(r"^#(?=##)", "", nearer, flags=re.MULTILINE)


NUMBERS = (
    "In brackets, first the 95 % interval of our mean, then where 95 % of single trainings of ours lie: a published "
    "number is nearly always one training, so it is held against the second. How far trainings lie apart is taken "
    "from all data sets of this page together, for each row and measure, and the interval ends where the number's own "
    "range ends. *Their other runs*: earlier trainings of the authors, from the history of their repository, with the "
    "settings that they had then.\n\n"
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
    "away. Then: the verdict with the change.\n\n"
)


def held(finding: Finding, row: Row) -> tuple[str, str]:
    """What one row has for a finding, and whether it comes back."""
    value, low, high = (float(row[name]) for name in ("mean", "low", "high"))
    if (between := RANGE.fullmatch(finding.theirs)) and not isnan(low):
        least, most = map(float, between.groups())
        return (
            f"{format_number(value, '')}{write_interval(low, high)}",
            BACK if low <= most and high >= least else AGAINST,
        )
    bound = BOUND.fullmatch(finding.theirs)
    if not bound or isnan(value) or isnan(low):
        return format_number(value, ""), UNASKED if isnan(value) else OPEN
    least, sign = float(bound[2]), 1 if bound[1] == "above" else -1
    inside, outside = (sign * (end - least) > 0 for end in ((low, high) if sign > 0 else (high, low)))
    return f"{format_number(value, '')}{write_interval(low, high)}", BACK if inside else OPEN if outside else AGAINST


def index(pages: Mapping[str, Written]) -> str:
    """docs/replication/README.md: the pages, and of each how many findings come back and numbers have which verdict."""
    rows, contents = [], []
    for page in PAGES:
        written = pages.get(page.name)
        if written is None:
            rows.append((page.title, page.about, "not run yet", "", ""))
            continue
        counts = Counter(verdict(row) for row in written.numbers)
        said = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
        hours = sum(kept.facts.cpu_hours for kept in written.runs)
        link = f"[{page.title}]({page.name}.md)"
        rows.append((link, page.about, written.heard() or "none", said or "no counterpart", f"{hours:.1f}"))
        if written.parts:
            contents.append(f"- {link}: {', '.join(written.links())}\n")
    table = grid(["page", "what it asks", "findings in words", "published numbers", "CPU hours"], rows)
    detail = f"\n## In detail\n\n{''.join(contents)}" if contents else ""
    return f"{INDEX}{table}{detail}"


INDEX = """# The record

Real runs of the presets, and what came out of them beside what was published. Written by `make replication` from the
files in the folders here; a test writes the pages again and compares. The [gallery](../gallery.md) has every figure and
table of the package once.

A run enters the record so, from a folder of results and the checkout that made it:

    PYTHONPATH=docs python -m makers.replication keep <folder of results> <page>[/<run>] --commit <hash>
    make replication

Pages and runs are declared in `docs/makers/replication/entries.py`: also runs that change one thing, and what is known
of why numbers differ. Of a run of an older version the tables and figures of papers are kept; what that version said of
maps (its summary, and claims and notes that rest on it) is taken out until the run is made again.

"""


def written_pages(record: Path) -> dict[str, str]:
    """Every page by its path in docs/, with the index; pages of which no run is kept are left out."""
    every = (Written(page, kept_runs(record, page)) for page in PAGES)
    written = {each.page.name: each for each in every if each.main}
    pages = {path: text for each in written.values() for path, text in each.pages.items()}
    return {f"replication/{path}": text for path, text in {"README.md": index(written), **pages}.items()}


def written_tables(record: Path) -> dict[str, str]:
    """Every table of the runs that are kept, in Markdown, by its path in docs/."""
    return {
        f"replication/{kept.file(exhibit).relative_to(record)}": kept.text(exhibit)
        for kept in every_kept(record)
        for exhibit in kept.exhibits
        if isinstance(exhibit, Table)
    }
