"""Time and memory of making corpora, as whole processes.

    python benchmarks/corpus.py [imdb] [csv] [notes]

1. IMDb's 50,000 reviews, where ATTENTION_AUDIT_MIRROR names a mirror that holds them: at most 90 s on two cores.
2. A csv file of 1,400,000 texts of 100 words, in the format of Zhang et al., and
3. a NOTEEVENTS.csv of 1 GB, every note of which is asked for: both generated, and less than 2 GB of memory.

Memory is the sum over all processes of what each holds for itself (unique set size), sampled once a second.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import yaml

ROOT = Path(__file__).parents[1]
CATALOGUE: dict[str, Any] = yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())["corpora"]
ROWS, NOTES = 1_400_000, 100_000
PREPARE = """
import sys, yaml
from pathlib import Path
from pydantic import TypeAdapter
from attention_audit.artefacts.provenance import Provenance
from attention_audit.corpus.sources import Corpus
from attention_audit.corpus.prepare import prepare_corpus

source, raw, path = yaml.safe_load(sys.stdin)
source = TypeAdapter(Corpus).validate_python(source)
raw = {name: Path(file) for name, file in raw.items()}
census = prepare_corpus("benchmark", source, raw, Path(path), Provenance("benchmark", {}, ""), 2, lambda line: None)
print(census["kept"].sum(), "texts,", census["tokens"].sum(), "tokens")
"""


def texts(count: int, words: int) -> Iterator[str]:
    """Texts of about so many random words, some with a comma or a quote in them."""
    random = np.random.default_rng(0)
    vocabulary = np.array([f"{syllable}{n}" for n in range(5000) for syllable in ("ba", "ko", "lu", 'di"', "me,")])
    for _ in range(count):
        length = words + int(random.integers(-words // 4, words // 4))
        yield " ".join(vocabulary[random.integers(0, len(vocabulary), length)])


def zhang_files(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Source and files of 1.4 million training texts and a few test texts."""
    source = CATALOGUE["yelp"] | {"archive": None, "train": {"file": "train.csv"}, "test": {"file": "test.csv"}}
    for name, count in (("train", ROWS), ("test", 1000)):
        with (folder / f"{name}.csv").open("w", newline="") as handle:
            writer = csv.writer(handle, quoting=csv.QUOTE_ALL)
            writer.writerows((number % 5 + 1, text) for number, text in enumerate(texts(count, 100)))
    return source, {name: str(folder / f"{name}.csv") for name in ("train", "test")}


def mimic_files(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Source and files of 1 GB of discharge summaries, all of admissions with anemia."""
    source = CATALOGUE["anemia"]
    header = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT"
    with (folder / "NOTEEVENTS.csv").open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header.split(","))
        for number, text in enumerate(texts(NOTES, 1600)):
            about = ["2100-01-01", "", "", "Discharge summary", "Report", "", ""]
            writer.writerow([number, number, number, *about, text])
    with (folder / "DIAGNOSES_ICD.csv").open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE"])
        writer.writerows((n, n, n, 1, "2851" if n % 3 else "28521") for n in range(NOTES))
    return source, {"notes": str(folder / "NOTEEVENTS.csv"), "diagnoses": str(folder / "DIAGNOSES_ICD.csv")}


def held(process: psutil.Process) -> int:
    """Bytes that a process and its children hold for themselves."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += member.memory_full_info().uss
    return total


def measure(name: str, source: dict[str, Any], raw: dict[str, str], folder: Path) -> None:
    """Make the corpus in a process of its own; print seconds and the most memory held."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow" / "src")}
    size = sum(Path(file).stat().st_size for file in raw.values())
    started, most = time.perf_counter(), 0
    with subprocess.Popen(
        [sys.executable, "-c", PREPARE], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        yaml.safe_dump([source, raw, str(folder / "corpus.parquet")], process.stdin)
        process.stdin.close()
        with suppress(psutil.NoSuchProcess):
            watched = psutil.Process(process.pid)
            while process.poll() is None:
                most = max(most, held(watched))
                time.sleep(1)
        said = process.stdout.read().strip()
    seconds = time.perf_counter() - started
    print(f"{name}: {size / 1e6:.0f} MB, {said}: {seconds:.0f} s, at most {most / 1e6:.0f} MB of memory", flush=True)


def main() -> None:
    """Run those that the command line names, or all."""
    asked = set(sys.argv[1:]) or {"imdb", "csv", "notes"}
    archive = Path(os.environ.get("ATTENTION_AUDIT_MIRROR", "")) / "imdb" / "aclImdb_v1.tar.gz"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "imdb" in asked and archive.is_file():
            for dataset in ("imdb", "imdb-ratings"):
                measure(dataset, CATALOGUE[dataset], {"archive": str(archive)}, folder)
        if "csv" in asked:
            measure("csv", *zhang_files(folder), folder)
        if "notes" in asked:
            measure("NOTEEVENTS", *mimic_files(folder), folder)


if __name__ == "__main__":
    main()
