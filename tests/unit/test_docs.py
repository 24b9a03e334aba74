"""What the documentation says of files, commands, keys and numbers is so."""

import re
import textwrap
from pathlib import Path
from typing import Any

import classifiers_on_disk
import numpy as np
import pytest
import transformers_on_disk as on_disk
import yaml
from docutils.core import publish_doctree
from elsewhere import write_all
from planned import CATALOGUE, PLACES, ROOT, overlaid, plan_of

from attention_audit import __version__
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.ranked_sets import BINS
from attention_audit.config import Config
from attention_audit.corpus.sources import control as digest
from attention_audit.corpus.sources.control import BIAS, KINDS
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.plan import Plan
from attention_audit.plan.suite import Run
from attention_audit.report.guide import guide
from attention_audit.report.page import read_caption
from attention_audit.section import Section
from attention_audit.tables import controls
from attention_audit.tables.claims import top_flips
from attention_audit.training.papers import DocumentModels

PACKAGE = ROOT / "workflow" / "src" / "attention_audit"
DOCS = {path.stem: path.read_text() for path in (ROOT / "docs").glob("*.md")}
README, METHOD = (ROOT / "README.md").read_text(), DOCS["method"]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "replication").glob("*.md")),
]


def section(page: str, heading: str) -> str:
    """The text under a heading, down to the next one of its level."""
    return page.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]


def anchors(page: str) -> set[str]:
    """What links to the headings of a page are called."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors(text), target
        elif not re.match(r"https?://", target):
            assert (page.parent / target).is_file(), target


def test_the_map_of_the_tree_is_true_and_whole() -> None:
    entries = re.findall(r"^    (\S+) {2,}\w", section(README, "The tree"), re.MULTILINE)
    for path in entries:
        assert (ROOT / path).exists(), path
    for folder in (path for path in (ROOT / "workflow").iterdir() if path.name != "src"):
        assert any(path.rstrip("/") == folder.relative_to(ROOT).as_posix() for path in entries), folder


@pytest.mark.parametrize("page", ["README", "architecture", "data", "method", "reliability", "cluster"])
def test_files_that_are_named_exist(page: str) -> None:
    text = README if page == "README" else DOCS[page]
    for path in re.findall(r"`((?:\w+/)+[\w.-]*\.(?:py|csv|yaml|smk|rst))`", text):
        assert (PACKAGE / path).is_file() or (ROOT / path).is_file(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_keys_that_are_named_exist(page: Path) -> None:
    for key in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)[`:]", page.read_text()):
        kind: Any = Config
        first, *_ = parts = key.split(".")
        if first not in Config.model_fields or key.endswith((".py", ".yaml", ".parquet")):
            continue
        for part in parts:
            if isinstance(kind, type) and issubclass(kind, Section):
                assert part in kind.model_fields, f"{page.name}: {key}"
                kind = kind.model_fields[part].annotation


def test_commands_name_what_exists() -> None:
    exhibiting = plan_of().exhibiting
    known = {"all", "explorer", *(exhibit.rule for exhibit in EXHIBITS)}
    known |= {path for exhibit in EXHIBITS for path in exhibiting.files(exhibit)}
    of_wp = [exhibit for exhibit in EXHIBITS if exhibit.suite == "wp"]
    figures = [exhibit for exhibit in of_wp if exhibit.folder == "figures"]
    known |= {path for figure in figures for path in exhibiting.planned(figure, "needle").files}
    commands = re.findall(r"^    (snakemake .*?)(?:  +#.*)?$", README, re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        words = re.sub(r"--config( +('[^']+'|\w+=\S+))+", "", command).split()[1:]
        values = {"--cores", "--configfile", "--report", "--profile"}
        targets = [w for before, w in zip(["", *words], words, strict=False) if before not in values and w[0] != "-"]
        assert set(targets) <= known, command
        for overlay in re.findall(r"--configfile (\S+)", command):
            assert (ROOT / overlay).is_file() or overlay == "mine.yaml", overlay


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"(?:^    |[`] ?|DIR )make (\w+)", page.read_text(), re.MULTILINE)) <= targets, page.name
    assert {"run", "report", "test", "faults", "slurm"} <= set(re.findall(r"^    make (\w+)", README, re.MULTILINE))


def configurations(page: str) -> list[str]:
    """The pieces of configuration on a page: what is indented and begins with a key, and what a sentence quotes."""
    blocks = map(textwrap.dedent, re.findall(r"(?:^    .*\n)+", page, re.MULTILINE))
    quoted = re.findall(r"`(\w+: \{.*?\})`", page)
    return [text for text in (*blocks, *quoted) if text.partition(":")[0] in Config.model_fields]


@pytest.mark.parametrize("text", [*configurations(README), *configurations(DOCS["data"])])
def test_configurations_are_right(text: str, tmp_path: Path) -> None:
    entry = overlaid({"corpora": {"reviews": {"kind": "table", "path": "reviews.csv"}}}, yaml.safe_load(text))
    if "transformer" in entry:
        entry["transformer"]["path"] = str(on_disk.save(tmp_path))
    for given in entry.get("hf", {}).values():
        if recipe := given.get("recipe"):
            recipe["path"] = str(on_disk.save(tmp_path / "encoder"))
            continue
        saved = [
            str(classifiers_on_disk.save(tmp_path / str(number))) for number in range(len(given["models"]["mybert"]))
        ]
        given["models"] = {"mybert": saved}
    # the files of the examples are nobody's
    plan_of(**entry, skip_unavailable=True)


def test_the_example_of_a_classifier_plans_no_other_suite(tmp_path: Path) -> None:
    [text] = [text for text in configurations(README) if "models: {mybert" in text]
    entry = yaml.safe_load(text)
    saved = [str(classifiers_on_disk.save(tmp_path / str(number))) for number in range(3)]
    entry["hf"]["sst"]["models"] = {"mybert": saved}
    scope = Plan(overlaid(CATALOGUE, entry | {"skip_unavailable": True}), CATALOGUE).scope
    assert {key: scope.datasets_of(suite) for key, suite in scope.suites.items() if scope.datasets_of(suite)} == {
        "hf": ["sst"]
    }


def test_the_life_of_a_text_is_as_it_is_told() -> None:
    told = section(DOCS["architecture"], "The life of one text")
    plan = plan_of(**yaml.safe_load((ROOT / "presets" / "sst-quick.yaml").read_text()))
    base = plan.trainings.home(plan.scope.suite("wp"), "sst", Run("base", 10))
    figure = next(exhibit for exhibit in EXHIBITS if exhibit.rule == "wp_fig5")
    paths = [
        *next(job for job in plan.jobs() if job.name == "corpus_sst").inputs["raw"],
        plan.config.places.corpus_file(base.training.partition("/")[0], "corpus"),
        base.file("weights"),
        base.readout(),
        PLACES.audit_file("sst", "wp", "comparison"),
        plan.exhibiting.path(figure, ".pdf"),
        "results/report.html",
    ]
    assert re.findall(r"`(results/\S+\.\w+)`", told) == paths
    assert re.findall(r"`(train_\w+)`", told) == [job.name for job in plan.jobs() if base.file("weights") in job.files]


def test_vectors_of_the_data_page_are_those_of_the_catalogue() -> None:
    table = section(DOCS["data"], "Word vectors").split("| name |")[1]
    names = set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    assert names == {"random", *CATALOGUE["word_vectors"]}


def test_every_data_set_of_the_catalogue_is_on_the_data_page() -> None:
    for name in CATALOGUE["corpora"]:
        assert re.search(rf"^\| .*`{name}`", DOCS["data"], re.MULTILINE), name


def test_controls_are_described_as_they_are_made() -> None:
    for name, kind in KINDS.items():
        labels = kind.labels(np.random.default_rng(0), 1200)
        share = f"1/{round(1 / np.mean(labels == 1))}"
        fillers = kind.fillers if kind.fillers > 1 else "none"
        row = f"| {name} | {labels.max() + 1} | {fillers} | {kind.shortest}, {kind.mean} | {share} |"
        assert row in METHOD
    assert f"of its own class with probability {BIAS}," in METHOD
    assert f"at least {controls.NEEDLE_MASS} |" in METHOD
    assert f"less that of the honest model | at least {-controls.LIAR_LOSS} |" in METHOD
    assert (
        f"a liar's attention on the cues, mean over seeds and test instances | at most {controls.LIAR_MASS} |" in METHOD
    )
    assert f"{controls.CHANCE_ERRORS} standard errors either way" in METHOD


def test_digest_is_described_as_it_is_made() -> None:
    most_sentences, most_words = digest.SENTENCES + digest.MORE_SENTENCES, digest.WORDS + digest.MORE_WORDS
    least = digest.SENTENCES * (digest.WORDS + 1)
    mean = (digest.SENTENCES + most_sentences) * (digest.WORDS + most_words + 2) // 4
    cues = f"{digest.WORDS // 2} to {most_words // 2} of its own class"
    assert (
        f"| digest | {len(digest.CUES)} | {digest.FILLERS} | {least}, {mean} | 1/{len(digest.CUES)} | {cues}" in METHOD
    )
    sizes = f"{digest.SENTENCES} to {most_sentences} sentences of {digest.WORDS} to {most_words} words and a full stop"
    assert sizes in " ".join(METHOD.split())
    claims = [line for line in METHOD.splitlines() if line.startswith("| digest | attention x gradient ")]
    assert [line.rpartition(" | ")[2] for line in claims] == [
        f"at least {controls.DIGEST_SHARE} |",
        f"at most {controls.DIGEST_EXCESS} |",
    ]


def test_erasure_is_described_as_it_is_done() -> None:
    settings = DocumentModels()
    models, sets = section(METHOD, "Models for erasure (S&S section 3)"), section(METHOD, "Erasure (S&S section 2.1)")
    assert f"{settings.hidden} units a direction" in models
    assert f"{settings.hidden} filters each" in models
    assert f"additive, softmax_t of v tanh(W h_t + b), {settings.attention} wide" in models
    assert f"{settings.embedding} wide |" in models
    # those of the paper; a ranking of one's own need not be in the page
    assert {"random", "attention", "gradient", "product"} <= {name for name in RANKERS if f"\n| {name} |" in sets}
    assert f"k is {', '.join(map(str, BINS[:-1]))} and {BINS[-1]} %" in METHOD
    assert f"at most {max(top_flips().values())}, the most in the paper's table 2" in METHOD


def test_the_guide_to_results_names_every_table_figure_and_folder(tmp_path: Path) -> None:
    hf = {"needle": {"models": {"mine": [str(classifiers_on_disk.save(tmp_path / "classifier"))]}}}
    plan = plan_of(own={"mine": write_all(tmp_path, texts=2)}, hf=hf, diversity={"datasets": ["chorus"]})
    page = guide(plan.guide_job())
    lacking = {exhibit.name for exhibit in EXHIBITS if f"`{exhibit.folder}/{exhibit.name}`" not in page}
    # of no adversary, of one head, and of no published number there is nothing to show
    assert lacking == {"hf_fig_frontier", "own_table_heads", "replication"}
    for path in (
        PLACES.audit,
        PLACES.weights,
        PLACES.readout,
        PLACES.head,
        f"{PLACES.raw}/",
        PLACES.corpus,
        f"{PLACES.logs}/",
    ):
        assert f"`{path.split('/')[1]}/" in page, path


def test_the_guide_to_results_hides_nothing_from_markdown() -> None:
    for line in guide(plan_of().guide_job()).splitlines():
        outside_code = "".join(line.split("`")[::2])
        assert not re.search(r"(?<!\\)<", outside_code), line


@pytest.mark.parametrize("path", sorted((ROOT / "workflow" / "report").glob("*.rst")), ids=lambda path: path.stem)
def test_captions_are_sound(path: Path) -> None:
    tree = publish_doctree(path.read_text(), settings_overrides={"halt_level": 2, "report_level": 2})
    assert len(tree.astext()) > 300


def test_every_table_and_figure_has_a_caption_that_opens_with_its_heading() -> None:
    for exhibit in EXHIBITS:
        caption = read_caption((ROOT / exhibit.caption).read_text())
        assert 10 < len(caption.title) < 100, exhibit.name
        assert re.match(r"<p>[A-Z]", caption.body), exhibit.name


def test_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
