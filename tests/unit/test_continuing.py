"""The command `more`: what would decide a run, its cost, and the keys that continue it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from planned import overlaid, plan_of
from summaries import answer, row

from attention_audit.__main__ import main
from attention_audit.artefacts.journal import note
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.summary import SUMMARY
from attention_audit.continuing import continuing
from attention_audit.errors import AuditError

CHANGES: dict[str, Any] = {
    "datasets": ["sst", "static"],
    "training": {"seed": 10, "further_seeds": [50, 1]},
    "deletion": {"texts": 300},
    "deception": {"datasets": ["needle"], "seeds": [10, 50]},
}
"""What the run is of which the results are, beside the controls."""


def undecided(question: str, trainings: list[int], texts: list[int], number: int = 3) -> dict[str, Any]:
    more = {"more_trainings": trainings, "more_texts": texts, "trainings": number, "texts": 400}
    named = {f"{question}_{name}": value for name, value in more.items()}
    return answer(question, "undecided", 0.5, 0.4, 0.6) | named


@pytest.fixture
def results(tmp_path: Path, provenance: Provenance) -> Path:
    folder = tmp_path / "results"
    rows = [
        row("base", undecided("ranks", [3, 0], [0, 900]), undecided("located", [0], [1200])),
        row("base", undecided("used", [0], [0]), dataset="static"),
        row("lstm_tanh", undecided("signed", [0], [0], 1), dataset="debate") | {"suite": "jw"},
        row("base", undecided("used", [2], [3600]), dataset="needle") | {"suite": "pd"},
    ]
    write_table(folder / "tables/summary.parquet", SUMMARY, pd.DataFrame(rows), provenance)
    recorded = plan_of(**CHANGES).scope.config.recorded()
    (folder / ".configuration.yaml").write_text(yaml.safe_dump(recorded))
    return folder


def test_ways_stand_with_their_keys_and_what_no_key_does_is_said(results: Path) -> None:
    said = continuing([results], results / "more.yaml")
    assert "- sst, wp, base: ranks undecided: 0.500 [0.400, 0.600], margin 0.5: 3 more trainings, or 900" in said
    assert "used undecided: 0.500 [0.400, 0.600], margin 0.5: neither 200 more trainings nor 30 times the t" in said
    keys = yaml.safe_load((results / "more.yaml").read_text())
    # of sst alone: seeds that are not there yet, in their order; and more texts than the 300 that are sampled
    of_sst = {"training": {"further_seeds": [50, 1, 2, 3, 4]}, "deletion": {"texts": 1500}}
    # the seeds of liars are those of the run
    assert keys == {"overrides": {"sst": of_sst}, "deception": {"seeds": [10, 50, 1, 2]}}
    assert "- needle: no key limits its test texts; give about 3600 more" in said
    assert "`--config replace=true`" in said
    # the keys are some that the run takes, and they replace none of its seeds
    config = plan_of(**overlaid(CHANGES, keys)).scope.config
    assert config.for_dataset("sst").training.seeds == [10, 50, 1, 2, 3, 4]
    assert config.for_dataset("static").training.seeds == [10, 50, 1]


def test_the_cost_is_that_of_the_jobs(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary, audit = Path("old/tables/summary.parquet"), Path("old/audits/sst/wp/located.parquet")
    read = Path("old/readouts/sst/wp/base/seed10/test.parquet")
    begin = datetime.now(UTC)
    for name, made, needs in (("train", read, []), ("audits", audit, [read]), ("summary", summary, [audit])):
        log = results / "logs" / f"{name}.log"
        log.parent.mkdir(exist_ok=True)
        entry = note(log, name, {"in": needs}, {"out": [made]}, begin)
        seconds = {"train": 600.0, "audits": 300.0}.get(name, 0.0)
        log.write_text(log.read_text().replace(f'"cpu_seconds": {entry.cpu_seconds}', f'"cpu_seconds": {seconds}'))
    assert main(["more", str(results)]) == 0
    # three times 10 minutes, and 5 minutes of audits for six trainings in place of three; or all again
    ways = "3 more trainings (about 40 CPU min), or 900 more texts (about 26 CPU min)"
    assert ways in capsys.readouterr().out


def test_what_is_wrong_is_said_in_one_line(results: Path, tmp_path: Path, provenance: Provenance) -> None:
    with pytest.raises(AuditError, match=r"^more: name one folder of results, as in `python -m "):
        continuing([results, results], None)
    with pytest.raises(AuditError, match=r"summary.parquet: not there; make it with `snakemake "):
        continuing([tmp_path], None)
    with pytest.raises(AuditError, match="is there already"):
        continuing([results], results / ".configuration.yaml")
    (results / ".configuration.yaml").unlink()
    with pytest.raises(AuditError, match="its configuration is not known"):
        continuing([results], None)


def test_a_run_of_which_all_is_decided_says_so(results: Path, provenance: Provenance) -> None:
    frame = pd.DataFrame([row("base", answer("used", "yes", 0.5, 0.4, 0.6))])
    write_table(results / "tables/summary.parquet", SUMMARY, frame, provenance)
    assert continuing([results], None) == f"{results}: no word is undecided\n"
