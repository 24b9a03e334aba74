"""The one page that a run is handed on as: all of it inline, so that it opens anywhere, without a network."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.journal import Entry
from attention_audit.columns.summary import QUESTIONS
from attention_audit.errors import AuditError
from attention_audit.names import PAPERS, display_name
from attention_audit.report.captions import Caption, read_caption
from attention_audit.report.facts import commit, machines, span, stage_times, versions
from attention_audit.report.flow import draw
from attention_audit.report.grids import Grid, grids_of
from attention_audit.report.verdicts import verdicts_of

PREFIXES = {"wp": "WP2019", "ss": "SS2019", "jw": "JW2019"}
"""Papers by the first letters of what is published of them."""
VERDICTS, REPLICATION, CONTROLS = "summary", "replication", "controls"
"""The tables that belong to no paper."""


@dataclass(frozen=True)
class Picture:
    """A PNG as a data: address, and its size in pixels."""

    address: str
    width: int
    height: int


@dataclass(frozen=True)
class Exhibit:
    """A figure or a table, with its caption and the record of its making. `number` as in "Figure 5"."""

    name: str
    number: str
    caption: Caption
    provenance: Mapping[str, Any]
    picture: Picture | None = None
    grids: Sequence[Grid] = ()


@dataclass(frozen=True)
class Run:
    """What a page is made of.

    Tables by name (frames of their declared kinds), and their provenance; paths of PNG figures by name; the text of the
    caption of each; the configuration; data sets that could not be had, with reasons; what is known of the raw files;
    the jobs.
    """

    tables: Mapping[str, tuple[pd.DataFrame, Mapping[str, Any]]]
    figures: Mapping[str, Path]
    captions: Mapping[str, str]
    config: Mapping[str, Any]
    gaps: Mapping[str, str]
    raw_files: Sequence[Mapping[str, Any]]
    jobs: Sequence[Entry]


def duration(seconds: float) -> str:
    """A length of time in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def size(count: float) -> str:
    """A number of bytes in the unit that suits it."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    step = min(max(0, (int(count).bit_length() - 1) // 10), len(units) - 1)
    return f"{count / 1024**step:.{min(step, 1)}f} {units[step]}"


def moment(when: datetime) -> str:
    """A time of day, in the time zone it is given in."""
    return when.strftime("%Y-%m-%d %H:%M %Z")


def numbered(name: str) -> str:
    """What the paper calls a result: `wp_fig5_tvd_jsd` is Figure 5; one without a number there is Figure or Table."""
    number = re.match(r"[a-z]{2}_(?:fig|table)(\d+)", name)
    return " ".join(["Figure" if "_fig" in name else "Table", *(number.groups() if number else ())])


def picture(path: Path) -> tuple[Picture, dict[str, Any]]:
    """A PNG and its provenance. Raises AuditError, naming the command that rebuilds it, where it is damaged."""
    try:
        with Image.open(path) as image:
            image.load()
            record: dict[str, Any] = json.loads(image.info["Description"])
            address = "data:image/png;base64," + b64encode(path.read_bytes()).decode()
            return Picture(address, *image.size), record
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (OSError, SyntaxError, KeyError, ValueError) as error:
        raise AuditError(f"{path}: truncated or corrupt PNG; {rebuild_hint(path)}") from error


def exhibits_of(run: Run) -> dict[str, Exhibit]:
    """Figures, then tables, by name."""
    names = [*run.figures, *run.tables]
    captions = {name: read_caption(run.captions[name], names) for name in names}
    found: dict[str, Exhibit] = {}
    for name, path in run.figures.items():
        image, record = picture(path)
        found[name] = Exhibit(name, numbered(name), captions[name], record, picture=image)
    for name, (frame, provenance) in run.tables.items():
        found[name] = Exhibit(name, numbered(name), captions[name], provenance, grids=grids_of(frame))
    return found


def seeds_of(config: Mapping[str, Any]) -> dict[str, list[int]]:
    """The seeds that the configuration names, by what they are for."""
    training = config["training"]
    seeds = {
        "base, uniform, guides": [training["seed"], *training["further_seeds"]] if config["datasets"] else [],
        "consistent adversary": config["adversary"]["seeds"] if config["datasets"] else [],
    }
    for key, title in (("serrano_smith", PAPERS["SS2019"]), ("jain_wallace", PAPERS["JW2019"])):
        seeds[title] = config[key]["seeds"] if config[key]["datasets"] else []
    return {title: values for title, values in seeds.items() if values}


def datasets_of(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """The data sets of each paper's tests, by its first letters; of papers whose tests were not asked for, none."""
    named = {"wp": config["datasets"]}
    named |= {key: config[group]["datasets"] for key, group in (("ss", "serrano_smith"), ("jw", "jain_wallace"))}
    return {key: names for key, names in named.items() if names}


def page(run: Run, made: datetime, folder: Path) -> str:
    """The page as HTML. `made`: when; `folder`: the checkout whose commit it names."""
    exhibits = exhibits_of(run)
    by_paper = {
        paper: [exhibit for name, exhibit in exhibits.items() if name.startswith(f"{paper}_")] for paper in PREFIXES
    }
    others = [exhibits[name] for name in (REPLICATION, CONTROLS) if name in exhibits]
    order = {exhibit.name: rank for rank, exhibit in enumerate(chain(*by_paper.values()))}
    environment = Environment(
        loader=PackageLoader("attention_audit.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "size": size, "moment": moment, "dataset": display_name}
    jobs = list(run.jobs)
    return environment.get_template("page.html").render(
        made=made,
        commit=commit(folder),
        papers={prefix: PAPERS[paper] for prefix, paper in PREFIXES.items()},
        prefixes={paper: prefix for prefix, paper in PREFIXES.items()},
        by_paper={paper: found for paper, found in by_paper.items() if found},
        others=others,
        summary=exhibits.get(VERDICTS),
        verdicts=verdicts_of(run.tables[VERDICTS][0]) if VERDICTS in exhibits else [],
        questions=QUESTIONS,
        datasets=datasets_of(run.config),
        gaps=run.gaps,
        config=run.config,
        config_text=yaml.safe_dump(dict(run.config), sort_keys=False, allow_unicode=True),
        seeds=seeds_of(run.config),
        raw_files=run.raw_files,
        versions=versions(exhibit.provenance for exhibit in exhibits.values()),
        machines=machines(jobs),
        jobs=jobs,
        seconds=sum(job.seconds for job in jobs),
        span=span(jobs),
        times=stage_times(jobs),
        flow=draw(jobs, order),
    )
