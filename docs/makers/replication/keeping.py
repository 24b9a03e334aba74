"""From a folder of results to docs/replication/<page>/<run>/: what pages need of a run, small enough to be kept."""

import json
import re
import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from PIL import Image
from pydantic import ValidationError

from attention_audit.artefacts.files import read_record
from attention_audit.artefacts.journal import Entry, read_entries, read_journal
from attention_audit.artefacts.parquet import read_provenance
from attention_audit.config import Config
from attention_audit.errors import AuditError
from attention_audit.plan.configuration import RUN_CONFIG
from attention_audit.plan.corpora import add_others
from attention_audit.plan.exhibits import EXHIBITS, TABLES
from attention_audit.plan.suites import SUITES
from attention_audit.report.terminal import count_machines, list_versions
from attention_audit.tables.wording import collect_labels
from makers.replication import ladders
from makers.replication.declared import KeptRun, Page
from makers.replication.entries import PAGES
from makers.replication.kept import FACTS, Facts, MachineKind, RawFile, Spent

WIDTH, COLOURS = 1000, 256
"""Pixels across a kept figure, and its colours: a repository keeps every version of a file for ever."""
MACHINE = frozenset({"mirror", "results"})
"""Keys of the configuration that say where files lay on one machine."""
ANSWERS, CONFIG = ("tables/summary.parquet", "tables/hf_table_generated.parquet"), "config.yaml"
"""Their places in a folder of results: of the answers, the first that a run makes, and of its configuration."""
COMMIT = re.compile(r"[0-9a-f]{7,40}")


def list_files(page: Page, run: KeptRun) -> list[str]:
    """List the files of a run that its page shows or reads, by their places in a folder of results."""
    tables = {"replication"} if page.paper else set()
    if not run.changes:
        tables |= {"summary", *page.tables, *(each.table for claim in page.claims for each in claim.findings)}
        tables |= ladders.TABLES if page.ladders else set()
    return [
        *(f"tables/{name}.csv" for name in TABLES if name in tables),
        *(f"figures/{name}.png" for name in run.figures),
    ]


def shrink_figure(path: Path) -> bytes:
    """Shrink a figure to a PNG of at most WIDTH pixels across and COLOURS colours."""
    with Image.open(path) as image:
        full = image.convert("RGB")
    width = min(WIDTH, full.width)
    sized = full.resize((width, round(full.height * width / full.width)), Image.Resampling.LANCZOS)
    drawn = BytesIO()
    # an octree keeps pale tints apart, and the hues of small patches of a legend; 64 colours turned blues grey
    sized.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(drawn, format="png", optimize=True)
    return drawn.getvalue()


def clean_config(raw: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Return the whole configuration of a run, of its own data sets and vectors, without what is of one machine.

    raw: as results/config.yaml has it.
    """
    used = add_others(config, config.every_dataset)
    overrides = raw.get("overrides") or {}
    vectors = {config.corpora[name].vectors or config.vectors for name in used}
    own = {key: value for key, value in raw.items() if key not in MACHINE}
    own["corpora"] = {name: raw["corpora"][name] for name in used}
    own["overrides"] = {name: entry for name, entry in overrides.items() if name in used}
    own["word_vectors"] = {name: entry for name, entry in raw["word_vectors"].items() if name in vectors}
    text = json.dumps(own)
    if mirror := raw.get("mirror"):
        # which lies elsewhere on another machine
        text = text.replace(f'"{mirror}/', '"')
    kept: dict[str, Any] = json.loads(text)
    return kept


def sum_spent(jobs: list[Entry]) -> list[Spent]:
    """Sum CPU seconds by rule, the longest first."""
    by_rule: dict[str, list[float]] = {}
    for job in jobs:
        by_rule.setdefault(job.stage, []).append(job.cpu_seconds)
    spent = [Spent(rule=rule, jobs=len(each), cpu_seconds=round(sum(each), 1)) for rule, each in by_rule.items()]
    return sorted(spent, key=lambda each: -each.cpu_seconds)


def list_machines(jobs: list[Entry]) -> list[MachineKind]:
    """List the kinds of machines, the busiest first; of each what decides how fast it is."""
    kinds = (
        MachineKind(cpu=each.cpu, cores=each.cores, memory=round(each.memory / 2**30), gpu=each.gpu or "")
        for each, _ in count_machines(jobs)
    )
    return list(dict.fromkeys(kinds))


def find_answers(results: Path) -> str:
    """Find the answers in a folder of results: the summary, where the run makes any."""
    return next((name for name in ANSWERS if (results / name).is_file()), ANSWERS[0])


def collect_facts(results: Path, commit: str, words: str) -> Facts:
    """Collect what is known of a run, from its files and its logs. Raises AuditError where a file is damaged.

    words: all that is kept of its tables; labels of names that are not in it are left out.
    """
    # the folder may have been moved since
    answers = find_answers(results)
    made = [path for entry in read_entries(results / "logs") for path in entry.outputs if path.endswith(f"/{answers}")]
    if not made:
        raise AuditError(f"{results}/logs: has no finished job of the summary; keep the folder of a whole run")
    folder = made[-1].removesuffix(f"/{answers}")
    ends = [f"{folder}/{exhibit.folder}/{exhibit.name}{exhibit.endings[0]}" for exhibit in EXHIBITS]
    jobs = read_journal(results / "logs", ends)
    raw = yaml.safe_load((results / CONFIG).read_text(encoding="utf-8"))
    config = RUN_CONFIG.model_validate(raw)
    provenance = read_provenance(results / answers)
    settings = provenance["settings"]
    models = ({name: look[0] for name, look in each.items()} for each in settings["models"].values())
    return Facts(
        made=jobs[-1].started.date().isoformat(),
        commit=commit,
        versions=list_versions([provenance]),
        machines=list_machines(jobs),
        spent=sum_spent(jobs),
        files=[
            RawFile(file=f"{each['folder']}/{each['file']}", sha256=each["sha256"], canonical=each["canonical"])
            for each in map(read_record, sorted((results / "raw").glob("**/records/*.json")))
        ],
        datasets={suite.name: named for suite in SUITES.values() if (named := suite.datasets(config))},
        labels={name: label for name, label in collect_labels(models, settings["titles"]).items() if name in words},
        config=clean_config(raw, config),
    )


def find_declared(place: str) -> tuple[Page, KeptRun]:
    """Return the page and run that "page" or "page/run" names. Raises AuditError where none is declared so."""
    name, _, run = place.partition("/")
    page = next((page for page in PAGES if page.name == name), None)
    if page is None:
        raise AuditError(f"{name}: no such page; one of {', '.join(page.name for page in PAGES)}")
    found = next((each for each in page.runs if each.name == (run or page.runs[0].name)), None)
    if found is None:
        known = ", ".join(f"{name}/{each.name}" for each in page.runs)
        raise AuditError(f"{place}: no such run; one of {known}, or declare it in docs/makers/replication/entries.py")
    return page, found


def keep_run(results: Path, place: str, commit: str, record: Path) -> str:
    """Keep the run in `results` as `place`, "page" or "page/run", in the folder `record`; what was there is replaced.

    commit: of the code that made it. Returns what was kept, in a sentence. Raises AuditError, and leaves everything as
    it was, where the run is not whole.
    """
    page, run = find_declared(place)
    if not COMMIT.fullmatch(commit):
        raise AuditError(f"--commit {commit!r}: not a commit; give the hash of the code that made the run")
    for path in (results / find_answers(results), results / CONFIG):
        if not path.is_file():
            raise AuditError(f"{path}: not there; let the run make all of it, with `snakemake all`, and keep it then")
    wanted = list_files(page, run)
    files = {
        name: shrink_figure(results / name) if name.endswith(".png") else (results / name).read_bytes()
        for name in wanted
        if (results / name).is_file()
    }
    words = "".join(content.decode() for name, content in files.items() if name.endswith(".csv"))
    try:
        facts = collect_facts(results, commit, words)
    except (yaml.YAMLError, ValidationError) as error:
        raise AuditError(f"{results}: made by another version of this package; run it again, then keep it") from error
    files[FACTS] = f"{json.dumps(facts.model_dump(), indent=1, ensure_ascii=False)}\n".encode()
    target = record / page.name / run.name
    shutil.rmtree(target, ignore_errors=True)
    for name, content in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    without = ", ".join(name for name in wanted if name not in files)
    return f"{target}: {len(files)} files, {sum(map(len, files.values())):,} bytes; not made: {without or 'none'}"
