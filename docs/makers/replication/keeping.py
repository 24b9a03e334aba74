"""From a folder of results to docs/replication/<page>/<run>/: what pages need of a run, small enough to be kept."""

import csv
import json
import re
import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from PIL import Image
from pydantic import ValidationError

from attention_audit.artefacts.journal import Entry, read_entries, read_journal
from attention_audit.artefacts.parquet import read_provenance
from attention_audit.artefacts.record import read_record
from attention_audit.config import Config
from attention_audit.corpus.sources.control import KINDS
from attention_audit.errors import AuditError
from attention_audit.jobs.exhibit import ExhibitJob
from attention_audit.plan.corpora import add_others
from attention_audit.plan.exhibits import EXHIBITS, Exhibit, Figure, Table
from attention_audit.plan.suites import SUITES
from attention_audit.report.ending import count_machines, find_span, list_versions
from attention_audit.tables.wording import collect_labels
from makers.replication.entries import PAGES, QUOTING, KeptRun, Page, page_named
from makers.replication.kept import CONFIG, FACTS, Facts, MachineKind, RawFile, Spent, unpadded

LARGEST = 150_000
"""Bytes of a figure at most."""
MOST = 8 * 2**20
"""Bytes of all that is kept, at most."""
NARROWEST = 550
"""Pixels across: a figure that would have to be narrower is not legible, and is not kept."""
COLOURS = (64, 32, 16)
"""Colours of a figure, of which it has a few hues and their shades; the fewer where the more make too large a file."""
MACHINE = frozenset({"mirror", "results"})
"""Keys of the configuration that say where files lay on one machine."""
DIGEST = "digest"
"""The generated corpus that is declared apart from the others."""
READ = {"tables": (".parquet", ".csv", ".md"), "figures": (".pdf", ".png")}
"""The files of an exhibit that are read, by its folder; of the first the logs say which job made it."""
SUMMARY = "tables/summary.parquet"
"""Its place in a folder of results."""
COMMIT = re.compile(r"[0-9a-f]{7,40}")


def shrunk(path: Path) -> bytes:
    """A figure as a small PNG: few colours, and only as many pixels as fit into LARGEST bytes.

    A repository keeps every version of a file for ever, so that a print resolution would cost each clone. Empty where
    no legible size is small enough.
    """
    with Image.open(path) as image:
        full = image.convert("RGB")
    width = full.width
    while width >= min(NARROWEST, full.width):
        sized = full.resize((width, round(full.height * width / full.width)), Image.Resampling.LANCZOS)
        for colours in COLOURS:
            drawn = BytesIO()
            # covers all hues, so that the small patches of a legend keep theirs
            sized.quantize(colours, Image.Quantize.MAXCOVERAGE).save(drawn, format="png", optimize=True)
            if drawn.tell() <= LARGEST:
                return drawn.getvalue()
        width = int(width * 0.8)
    return b""


def _without(value: Any, prefix: str) -> Any:
    """A configuration without the folder of the mirror in its paths, which lies elsewhere on another machine."""
    if isinstance(value, Mapping):
        return {key: _without(inner, prefix) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner, prefix) for inner in value]
    return value.removeprefix(prefix) if isinstance(value, str) else value


def kept_config(raw: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """The whole configuration of a run, of its own data sets and vectors, without what is of one machine.

    raw: as results/config.yaml has it.
    """
    used = add_others(config, config.every_dataset)
    overrides = raw.get("overrides") or {}
    vectors = {config.corpora[name].vectors or config.vectors for name in used}
    own = {key: value for key, value in raw.items() if key not in MACHINE}
    own["corpora"] = {name: raw["corpora"][name] for name in used}
    own["overrides"] = {name: entry for name, entry in overrides.items() if name in used}
    own["word_vectors"] = {name: entry for name, entry in raw["word_vectors"].items() if name in vectors}
    kept: dict[str, Any] = _without(own, f"{raw['mirror']}/") if raw.get("mirror") else own
    return kept


def labels_in(settings: ExhibitJob) -> dict[str, str]:
    """What the tables of a run call all names, from the settings of the job that made one of all suites."""
    models = settings.models.values()
    return collect_labels(({name: look[0] for name, look in each.items()} for each in models), settings.titles)


def sum_spent(jobs: list[Entry]) -> list[Spent]:
    """CPU seconds by rule, the longest first."""
    by_rule: dict[str, list[float]] = {}
    for job in jobs:
        by_rule.setdefault(job.stage, []).append(job.cpu_seconds)
    spent = [Spent(rule=rule, jobs=len(each), cpu_seconds=round(sum(each), 1)) for rule, each in by_rule.items()]
    return sorted(spent, key=lambda each: -each.cpu_seconds)


def list_machines(jobs: list[Entry]) -> list[MachineKind]:
    """The kinds of machines, the busiest first; of each what decides how fast it is."""
    kinds = [
        MachineKind(cpu=each.cpu, cores=each.cores, memory=round(each.memory / 2**30), gpu=each.gpu or "")
        for each, _ in count_machines(jobs)
    ]
    return [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]


def has_rows(results: Path, table: str) -> bool:
    """Whether a table of a run has any row but those that say why a model was not asked, which measure nothing."""
    with (results / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return any(row.get("metric") != "" for row in csv.DictReader(file))


def tells(results: Path, exhibit: Exhibit) -> bool:
    """Whether an exhibit was made and says anything: a table has rows, as have those that a figure is drawn from."""
    if not all((results / exhibit.folder / f"{exhibit.name}{ending}").is_file() for ending in READ[exhibit.folder]):
        return False
    drawn_from = [read.name for read in exhibit.reads.values() if read.source == "table"]
    tables = [exhibit.name] if isinstance(exhibit, Table) else drawn_from
    return all(has_rows(results, table) for table in tables)


def made(results: Path, config: Config, page: Page, run: KeptRun) -> list[Exhibit]:
    """The exhibits of a run that are kept: the figures that its page names, but of other runs than its first those not
    that are kept once, and of a run that changes one thing none; no exhibit that quotes texts, unless all of them are
    generated; none that has nothing to say.
    """
    ours = page.generated or {config.corpora[name].kind for name in config.every_dataset} <= {*KINDS, DIGEST}
    figures = "" if run.changes else page.figures
    shown = page.once if run != page.runs[0] else ""
    return [
        exhibit
        for exhibit in EXHIBITS
        if (ours or exhibit.name not in QUOTING)
        and (isinstance(exhibit, Table) or re.fullmatch(figures, exhibit.name))
        and not re.fullmatch(shown, exhibit.name)
        and tells(results, exhibit)
    ]


def collect_facts(results: Path, config: Config, exhibits: list[Exhibit], commit: str) -> Facts:
    """What is known of a run, from its files and its logs. Raises AuditError where a file is damaged."""
    # the folder may have been moved since
    made = [path for entry in read_entries(results / "logs") for path in entry.outputs if path.endswith(f"/{SUMMARY}")]
    if not made:
        raise AuditError(f"{results}/logs: has no finished job of the summary; keep the folder of a whole run")
    folder = made[-1].removesuffix(f"/{SUMMARY}")
    tables = [f"{folder}/{exhibit.folder}/{exhibit.name}{READ[exhibit.folder][0]}" for exhibit in exhibits]
    jobs = read_journal(results / "logs", tables)
    _, ended = find_span(jobs) or (None, jobs[-1].started)
    records = sorted((results / "raw").glob("**/records/*.json"))
    settings = read_provenance(results / SUMMARY)
    return Facts(
        made=ended.date().isoformat(),
        commit=commit,
        versions=list_versions([settings]),
        machines=list_machines(jobs),
        spent=sum_spent(jobs),
        files=[
            RawFile(file=f"{each['folder']}/{each['file']}", sha256=each["sha256"], canonical=each["canonical"])
            for each in map(read_record, records)
        ],
        datasets={suite.name: named for suite in SUITES.values() if (named := suite.datasets(config))},
        labels=labels_in(ExhibitJob.model_validate(settings["settings"])),
    )


def declared(place: str) -> tuple[Page, KeptRun]:
    """The page and run that "page" or "page/run" names. Raises AuditError where none is declared so."""
    name, _, run = place.partition("/")
    page = page_named(name)
    if page is None:
        raise AuditError(f"{name}: no such page; one of {', '.join(page.name for page in PAGES)}")
    found = next((each for each in page.runs if each.name == (run or page.runs[0].name)), None)
    if found is None:
        known = ", ".join(f"{name}/{each.name}" for each in page.runs)
        raise AuditError(f"{place}: no such run; one of {known}, or declare it in docs/makers/replication/entries.py")
    return page, found


def weight(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def keep(results: Path, place: str, commit: str, record: Path) -> str:
    """Keep the run in `results` as `place`, "page" or "page/run", in the folder `record`; what was there is replaced.

    commit: of the code that made it. Returns what was kept, in a sentence. Raises AuditError, and leaves everything as
    it was, where the run is not whole or all that is kept would be too large.
    """
    page, run = declared(place)
    if not COMMIT.fullmatch(commit):
        raise AuditError(f"--commit {commit!r}: not a commit; give the hash of the code that made the run")
    summary, written = results / SUMMARY, results / CONFIG
    for path in (summary, written):
        if not path.is_file():
            raise AuditError(f"{path}: not there; let the run make all of it, with `snakemake all`, and keep it then")
    try:
        raw = yaml.safe_load(written.read_text(encoding="utf-8"))
        config = Config.model_validate(raw)
        exhibits = made(results, config, page, run)
        facts = collect_facts(results, config, exhibits, commit)
    except (yaml.YAMLError, ValidationError) as error:
        raise AuditError(f"{results}: made by another version of this package; run it again, then keep it") from error
    target = record / page.name / run.name
    record.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".keeping-", dir=record) as temporary:
        new = Path(temporary)
        left = [each.name for each in exhibits if not copied(results / each.folder, each, new / each.folder)]
        text = yaml.safe_dump(kept_config(raw, config), sort_keys=False, allow_unicode=True)
        (new / CONFIG).write_text(text, encoding="utf-8")
        (new / FACTS).write_text(json.dumps(facts.model_dump(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        size = weight(new)
        total = weight(record) - (weight(target) if target.is_dir() else 0)
        if total > MOST:
            raise AuditError(f"{record}: would hold {total:,} bytes, at most {MOST:,}; keep fewer runs")
        if target.is_dir():
            shutil.rmtree(target)
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(new, target)
    kept = (
        f"{len(exhibits) - len(left)} tables and figures, {size / 2**20:.2f} of at most {MOST / 2**20:.0f} MiB in all"
    )
    without = f"; too large to be kept: {', '.join(left)}" if left else ""
    return f"{target}: {kept}{without}"


def copied(folder: Path, exhibit: Exhibit, into: Path) -> bool:
    """Copy what is kept of one exhibit: of a figure a small .png, of a table .csv and a narrow .md.

    That has no padding and no provenance. False where it is a figure too large to be kept.
    """
    into.mkdir(exist_ok=True)
    if isinstance(exhibit, Figure):
        small = shrunk(folder / f"{exhibit.name}.png")
        if small:
            (into / f"{exhibit.name}.png").write_bytes(small)
        return bool(small)
    shutil.copyfile(folder / f"{exhibit.name}.csv", into / f"{exhibit.name}.csv")
    text = (folder / f"{exhibit.name}.md").read_text(encoding="utf-8")
    (into / f"{exhibit.name}.md").write_text(unpadded(text), encoding="utf-8")
    return True
