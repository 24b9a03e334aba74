"""The pages of docs/replication/, written from the kept files: what a paper claims, theirs, ours, and why."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan, nan
from pathlib import Path

from attention_audit.names import display_name
from attention_audit.plan.exhibits import EXHIBITS, Exhibit
from attention_audit.tables.published import build_key, read_published
from attention_audit.tables.render import NOTES, show_answer, write_interval
from attention_audit.tables.replication import COMPATIBLE
from attention_audit.tables.wording import format_number, write_heading, write_subject
from makers.replication.captions import two_sentences
from makers.replication.declared import Claim, Contradiction, KeptRun, Page, Why
from makers.replication.entries import PAGES
from makers.replication.findings import (
    AGAINST,
    BACK,
    CLAIM_VERDICTS,
    NOT,
    NOT_RUN,
    OPEN,
    UNSAID,
    Line,
    find_claim,
    find_lines,
    is_beyond,
    judge_claim,
    match_cells,
    name_data,
)
from makers.replication.grids import fold, grid, narrow
from makers.replication.hyperparameters import compare_hyperparameters
from makers.replication.intervals import FEWEST, Row
from makers.replication.kept import FACTS, Kept, find_kept
from makers.replication.ladders import SIZES, TABLES, climbed, only, trend
from makers.replication.verdicts import (
    BY_CHANCE,
    INSIDE,
    JUDGED,
    LIE_OUTSIDE,
    OTHER,
    SPREAD_ALIKE,
    VERDICTS,
    Signs,
    judge_number,
    others,
    outside,
    paper_names,
    pool_spreads,
    signs,
    verdict,
)

CAPTIONS = Path(__file__).parents[3] / "workflow" / "report"
UNEXPLAINED = "no run shows the cause yet"
NOT_PRESENT = f"By an earlier version: intervals are computed anew, of {FEWEST} trainings or more."


def list_sentences(sentences: Iterable[str]) -> str:
    """Write sentences as a list in Markdown."""
    return "".join(f"- {sentence}\n" for sentence in sentences)


def describe_exhibit(exhibit: Exhibit) -> str:
    """Say what an exhibit shows, and how to read it, from its entry and its caption."""
    title, reading = two_sentences((CAPTIONS / f"{exhibit.name}.rst").read_text(encoding="utf-8"))
    paper = f" ({exhibit.number} of the paper)" if exhibit.number else ""
    return f"### {title}\n\nIt shows: {exhibit.shows}{paper}. How to read it: {reading}\n"


def measure_closed(before: Row, after: Row) -> float:
    """Return the share of the difference to the published number that a change closes; NaN where there was none."""
    gap = before["published"] - before["ours"]
    return (after["ours"] - before["ours"]) / gap if gap else nan


def write_share(value: float) -> str:
    """Write a share in whole per cent, without a sign before 0; "no share" where there is none."""
    return "no share" if isnan(value) else f"{round(100 * value)}%"


def mark_word(word: str) -> str:
    """Mark a verdict as a table shows it: what a reader must not miss stands out."""
    return f"**{word}**" if word in (*LIE_OUTSIDE, OTHER, AGAINST, NOT) else word


class Written:
    """One page: what is declared of it, the runs of it that are kept, and their tables."""

    def __init__(self, page: Page, runs: Sequence[Kept]) -> None:
        self.page = page
        self.runs = list(runs)
        self.main = [kept for kept in runs if not kept.run.changes]
        self.changed = [kept for kept in runs if kept.run.changes]
        self.labels = {name: label for kept in runs for name, label in kept.facts.labels.items()}
        found = [row for kept in self.main for row in self.select_numbers(kept)]
        pools = pool_spreads(found)
        self.numbers = [judge_number(row, pools) for row in found]
        """The published numbers of the runs that change nothing."""
        self.by_change = {
            kept.run.name: {build_key(row): judge_number(row, pools) for row in self.select_numbers(kept)}
            for kept in self.changed
        }

    def select_numbers(self, kept: Kept) -> list[Row]:
        """Select the rows of a run's table of replications that are of this page's paper, or that it quotes; none where
        the page's models are no paper's.
        """
        table, paper, code = kept.read_table("replication"), self.page.paper, kept.facts.code
        rows = [] if table is None or not paper else table.to_dict("records")
        of_paper = [row for row in rows if row["paper"] == paper or paper in row["table"]]
        return [{**row, "code": code} for row in of_paper if not isnan(row["published"])]

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
        whys = [why for why in self.page.reasons if match_cells(why.cells, row)]
        closed = {
            run.name: f"[{run.name}](#one-thing-changed) closes {write_share(measure_closed(row, after))} of it"
            for run, after in self.find_changes(row)
        }
        known = [
            f"{why.because} (tested: {closed.pop(why.run)})"
            if why.run in closed
            else self.write_why(why, row["seeds"] > 0)
            for why in whys
        ]
        if own := others(row):
            near = sum(row["one_low"] <= each.value <= row["one_high"] for each in own)
            known.append(f"{near} of their other trainings ({len(own)}) lie{'s' if near == 1 else ''} where ours do")
        known += closed.values()
        told = row["seeds"] == 0 and row["note"]
        return "; ".join(known) or ("" if told else UNEXPLAINED)

    def write_why(self, why: Why, guess: bool = True) -> str:
        """Write why something does not come back: what was tested by a run that changes one thing, or a guess."""
        if not why.run:
            return f"{why.because} (a guess)" if guess else why.because
        kept = any(kept.run.name == why.run for kept in self.changed)
        tested = f"tested: [{why.run}](#one-thing-changed)" if kept else f"a guess; `{why.run}` would test it: not run"
        return f"{why.because} ({tested})"

    def climb_ladders(self) -> Iterator[str]:
        """Show rung by rung what becomes of a run's numbers with more training texts."""
        for kept in self.main:
            tables = {name: table for name in TABLES if (table := kept.read_table(name)) is not None}
            for _, text in climbed(tables, self.page.ladders) if SIZES in tables else ():
                yield f"By the run {kept.run.name}, version {kept.facts.code}:\n\n{text}"

    @cached_property
    def claims(self) -> list[tuple[Claim, list[Line]]]:
        """The claims of the paper, each with what was found of it."""
        return [(claim, find_claim(claim, self.main)) for claim in self.page.claims]

    def list_claims(self) -> Iterator[Sequence[str]]:
        """List the claims of the paper: claim, verdict, on which data, and why."""
        for claim, lines in self.claims:
            by_verdict: dict[str, list[str]] = {}
            for dataset in dict.fromkeys(line.dataset for line in lines):
                own = [line for line in lines if line.dataset == dataset]
                by_verdict.setdefault(judge_claim(own), []).append(name_data(dataset))
            by_verdict.setdefault(NOT_RUN, []).extend([*self.list_missing(claim, lines), *claim.absent])
            parts = [f"{word}: {', '.join(by_verdict[word])}" for word in CLAIM_VERDICTS if by_verdict.get(word)]
            word = judge_claim(lines)
            failing = [line.dataset for line in lines if line.word in (AGAINST, OPEN)]
            whys = [
                self.write_why(why)
                for why in claim.why
                if any(re.fullmatch(why.cells.dataset, dataset) for dataset in failing)
            ]
            why = "; ".join(whys) or UNEXPLAINED if failing else ""
            about = f"{claim.says} ({claim.source})"
            yield about, mark_word(word), "; ".join(parts), why

    def list_missing(self, claim: Claim, lines: Iterable[Line]) -> list[str]:
        """List the data sets of the runs of which a claim is said, and no table is kept."""
        found = {line.dataset for line in lines}
        run = dict.fromkeys(name for kept in self.main for names in kept.facts.datasets.values() for name in names)
        said = (name for name in run if any(not each.datasets or name in each.datasets for each in claim.findings))
        return [name_data(name) for name in said if name not in found]

    def show_claims(self) -> str:
        """Show the claims of the paper, and what the verdicts mean."""
        rows = [*self.list_claims()]
        legend = "; ".join(f"*{word}*: {meaning}" for word, meaning in CLAIM_VERDICTS.items())
        table = grid(["claim", "verdict", "on which data", "why"], rows)
        return f"{table}\nComputed from [the findings](#finding-by-finding); {legend}.\n" if rows else ""

    def say_first(self, first: Contradiction, pages: Mapping[str, "Written"]) -> str:
        """Say what must not be overlooked, from what is kept: on which data, and what size of training data does."""
        lines = [line for kept in self.main for line in find_lines(first.finding, kept)]
        by_word: dict[str, list[str]] = {}
        for line in lines:
            beyond = line.word == UNSAID and is_beyond(line.finding.theirs, line.value.value)
            by_word.setdefault(SEEMS if beyond else line.word, []).append(
                f"{name_data(line.dataset)} with {line.value}"
            )
        found = "; ".join(f"{FIRST[word]} {', '.join(on)}" for word, on in by_word.items()) or NOT_RUN
        said = [f"{first.says}. {first.finding.says}, to be {first.finding.theirs}. **Here, {found}.**"]
        ladder = pages.get(first.page)
        runs = [kept for kept in ladder.main if kept.run.name == first.run] if ladder else []
        rungs = [(kept, line) for kept in runs for line in find_lines(first.finding, kept)]
        tried = ", ".join(f"of {write_size(kept, line.dataset)} texts {line.value}" for kept, line in rungs)
        said.append(
            f"Tried as a cause: the size of the training data, by [the ladder]({first.page}.md): {tried or NOT_RUN}."
        )
        if rungs:
            against = sum(line.word == AGAINST for _, line in rungs)
            moves = trend(rungs[0][1].value, rungs[-1][1].value)
            said.append(f"Contradicted at {against} of {len(rungs)} sizes; from the fewest texts to the most: {moves}.")
        return f"{' '.join(said)}\n"

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
        said = f"{sum(missing.values())} published numbers have no counterpart in these runs, by data set: {left}.\n"
        none = "No published number has a counterpart in these runs.\n" if self.page.paper else NO_PAPER
        numbers = grid(["verdict", "numbers", "it means"], rows) if rows else none
        return "\n".join(filter(None, [chance, numbers, said if missing else ""]))

    def count_missing(self) -> dict[str, int]:
        """Count the published numbers that no run has a counterpart of, by the paper's name of the data set."""
        have = {key for row in self.numbers for key in paper_names(row)}
        lost = [key for key in read_published() if key[0] == self.page.paper and key not in have]
        return dict(Counter(key[2] for key in lost))

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
        told = sum(each.above + each.below >= FEWEST_DATASETS for each in found)
        if not found:
            return
        yield SIGNS
        if told:
            yield (
                f"Of {told} rows with {FEWEST_DATASETS} data sets or more, {small} {'has' if small == 1 else 'have'} a "
                f"probability of {BY_CHANCE:g} or less; by chance alone, at most {BY_CHANCE * told:.1f} would. Rows of "
                "one model rest on the same trainings, so they are no independent evidence.\n"
            )
        else:
            yield f"No row has {FEWEST_DATASETS} data sets, so none can show a bias by itself.\n"
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
        """List finding by finding, a table for each claim."""
        headings = ["data set", "finding", "row", "theirs", "ours [95 %]", "verdict", "measured as", "by run, version"]
        for claim, lines in self.claims:
            rows = [
                (
                    name_data(line.dataset),
                    line.finding.says,
                    line.subject,
                    line.finding.theirs,
                    str(line.value),
                    mark_word(line.word),
                    f"`{line.finding.measure}` of `{line.finding.table}`",
                    f"{line.run}, {line.code}",
                )
                for line in lines
            ]
            said = fold(grid(headings, rows)) if rows else "Not run: no table of it is kept.\n"
            yield f"### {claim.says}\n\n{claim.source}; on {', '.join(claim.data)}.\n\n{said}"

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

        What two runs say alike of one model is said once.
        """
        tables = [(kept, table) for kept in self.main if (table := kept.read_table("summary")) is not None]
        answers = []
        for kept, table in tables:
            code = f"By version {kept.facts.code}. " + ("" if kept.facts.of_present else f"{NOT_PRESENT} ")
            for row in table[table["model"] != ""].to_dict("records"):
                block = show_answer(row, self.labels)
                answers.append(
                    f"### {block.title}\n\n{code}{block.text}\n\n{grid([*block.rows], block.rows.to_numpy().tolist())}"
                )
        yield from dict.fromkeys(answers)

    def show_exhibits(self, folder: str) -> Iterator[str]:
        """Show tables or figures: of each once what it shows and how to read it, then all runs that have it."""
        for exhibit in (each for each in EXHIBITS if each.folder == folder):
            figure = folder == "figures"
            # whether a claim on a control holds is a verdict of the version that made it
            spoken = [kept for kept in self.main if kept.facts.of_present or exhibit.name != "controls"]
            runs = [kept for kept in spoken if kept.locate(exhibit).is_file()]
            if runs and (figure or exhibit.name in self.page.tables):
                yield describe_exhibit(exhibit)
                yield from (self.show_exhibit(exhibit, kept) for kept in runs)

    def show_exhibit(self, exhibit: Exhibit, kept: Kept) -> str:
        """Show one exhibit as one run has it."""
        path = f"{self.page.name}/{kept.run.name}/{exhibit.folder}/{kept.locate(exhibit).name}"
        name = f"[`{exhibit.name}`]({path}) of the run {kept.run.name}, by version {kept.facts.code}\n"
        if exhibit.folder == "figures":
            earlier = "" if kept.facts.of_present else "Intervals in it are that version's, counts texts x trainings.\n"
            return f"{name}{earlier}\n![{exhibit.shows}]({path})\n"
        shown = (
            (block.title and f"#### {block.title}\n", block.text and f"{block.text}\n", narrow(block.rows))
            for block in kept.show_table(exhibit.name)
        )
        return "\n".join([name, *(part for parts in shown for part in parts if part)])

    @property
    def cpu_hours(self) -> float:
        """CPU hours of all runs."""
        return sum(kept.facts.cpu_hours for kept in self.runs)

    def name_processors(self) -> str:
        """Name the processors of all runs, with the GPU where one was used."""
        machines = [each for kept in self.runs for each in kept.facts.machines]
        return ", ".join(dict.fromkeys(f"{each.cpu}{each.gpu and f' with {each.gpu}'}" for each in machines))

    def list_runs(self) -> str:
        """List the runs, when, by which code and on what they were made, and how long that took."""
        headings = ["run", "what is run", "finished", "by version", "CPU hours", "processor"]
        rows = (
            (
                kept.run.name,
                kept.run.about,
                kept.facts.made,
                kept.facts.code,
                f"{kept.facts.cpu_hours:.2f}",
                ", ".join(dict.fromkeys(each.cpu for each in kept.facts.machines)),
            )
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

    def write(self, pages: Mapping[str, "Written"]) -> str:
        """Write the page, without sections that say nothing. pages: all, by their names."""
        changes = CHANGES if self.changed else ""
        answers = [*self.list_answers()]
        sections = {
            "Claims": [self.show_claims()],
            "Hyperparameters": [compare_hyperparameters(self.page.name, self.main)],
            "The runs": [self.list_runs()],
            "In short": [self.sum_up()],
            "How far from theirs": [*self.count_outside(), *self.compare_signs()],
            "Rung by rung": self.climb_ladders() if self.page.ladders else (),
            "Finding by finding": self.list_findings(),
            "Number by number": [NUMBERS if self.numbers else "", *self.list_numbers()],
            "One thing changed": [changes, *self.show_changes()],
            "What may be read into these maps": [f"{NOTES[0]}\n" if answers else "", *answers],
            "Tables": self.show_exhibits("tables"),
            "Figures": [*self.show_exhibits("figures"), FIGURE_5 if self.page.paper == "WP2019" else ""],
            "What nobody can know from it": [list_sentences(self.page.beyond)],
            "How the runs were made": map(self.describe_run, self.runs),
        }
        first = self.say_first(self.page.first, pages) if self.page.first else ""
        count = f"{len(self.runs)} run{'s' if len(self.runs) > 1 else ''}"
        effort = f"{count}, {self.cpu_hours:.1f} CPU hours on {self.name_processors()}."
        how = f"Written by `make replication` from the files in `{self.page.name}/`; no number of a run is by hand.\n"
        about = f"{self.page.about} {self.page.absent}".strip()
        opening = "\n".join(
            filter(None, [f"# {self.page.title}\n", f"{about}\n", first, f"{effort} {INTERVALS} {how}"])
        )
        told = {title: "\n".join(filter(None, texts)) for title, texts in sections.items()}
        return "\n".join([opening, *(f"## {title}\n\n{text}" for title, text in told.items() if text)])


def write_size(kept: Kept, dataset: str) -> str:
    """Write how many training texts a data set of a run has."""
    sizes = kept.read_table(SIZES)
    if sizes is None:
        return display_name(dataset)
    return format_number(only(sizes, dataset=dataset, part="train", metric="instances")["mean"], "instances")


SEEMS = "seems"
FIRST = {
    AGAINST: "contradicted on",
    SEEMS: "contradicted by numbers without an interval, and so without a verdict, on",
    BACK: "replicated on",
    OPEN: "open, since the interval holds the bound, on",
    UNSAID: "on its side by numbers without an interval on",
}
"""What is said in the first lines of what becomes of a finding."""
INTERVALS = (
    "An interval is of the mean over all trainings of a recipe: Student's t over ours and, where a number is a mean "
    "over texts, their chance too; of one or two trainings it is of texts alone, and judges no finding. Of runs of "
    f"earlier versions, it is computed anew from the kept values or the sd of {FEWEST} trainings or more, without the "
    "chance of texts; with fewer, a number has neither interval nor verdict."
)
FIGURE_5 = (
    "Beside the curves of `wp_fig5_tvd_jsd` stand no points of the authors: neither the values of the paper's figure "
    "5, which its table 5 is said to have, nor its lambdas were in a text or a file at hand. The one lambda that is "
    "known, .001 of the command (.002 in the formula), is among ours; `wp_table5_adversary` has the values of ours.\n"
)
NUMBERS = (
    "In brackets, first the 95 % interval of our mean, then where 95 % of single trainings of ours lie: a published "
    "number is nearly always one training, so it is held against the second, which is the first, widened by how far "
    "one training lies from the mean. That is taken from all data sets of this page together, for each row and "
    f"measure, unless Bartlett's test (p < {SPREAD_ALIKE:g}) says that they spread differently: then from "
    "its own. *Their other runs*: earlier trainings of the authors, from the history of their repository, with the "
    "settings that they had then.\n"
)
FEWEST_DATASETS = 6
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


def write_index(pages: Mapping[str, Written]) -> str:
    """Write docs/replication/README.md: one table of all claims, and how many numbers have which verdict."""
    claims = [
        (f"[{written.page.title}]({name}.md)", *row[:3])
        for name, written in pages.items()
        for row in written.list_claims()
    ]
    rows = []
    for page in PAGES:
        written = pages.get(page.name)
        if written is None:
            rows.append((page.title, "not run yet", "", ""))
            continue
        counts = Counter(verdict(row) for row in written.numbers)
        said = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
        link = f"[{page.title}]({page.name}.md)"
        rows.append((link, said or "no counterpart", f"{written.cpu_hours:.1f}", written.name_processors()))
    return (
        INDEX.format(INTERVALS)
        + (f"## All claims\n\n{grid(['paper', 'claim', 'verdict', 'on which data'], claims)}\n" if claims else "")
        + f"## All pages\n\n{grid(['page', 'published numbers', 'CPU hours', 'processor'], rows)}"
    )


INDEX = """# The record

Real runs of the presets, and what came out of them beside what was published. Written by `make replication` from the
files in the folders here; a test writes the pages again and compares. The [gallery](../gallery.md) has every figure and
table of the package once.

A run enters the record so, from a folder of results and the checkout that made it:

    PYTHONPATH=docs python -m makers.replication keep <folder of results> <page>[/<run>] --commit <hash>
    make replication

Pages and runs are declared in `docs/makers/replication/entries.py`, claims in `claims.py`: what a paper says, and which
kept numbers decide it. Every verdict is computed. Numbers, tables, figures and findings are marked with the version and
the commit that made them. {}

"""


def write_every_page(record: Path) -> dict[str, str]:
    """Write every page by its path in docs/, with the index; pages of which no run is kept are left out."""
    every = (Written(page, find_kept(record, page)) for page in PAGES)
    written = {each.page.name: each for each in every if each.main}
    pages = {"README.md": write_index(written), **{f"{name}.md": each.write(written) for name, each in written.items()}}
    return {f"replication/{path}": text for path, text in pages.items()}
