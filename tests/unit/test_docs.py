"""What the documentation says of files, commands and numbers is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from attention_audit.artefacts.guide import guide
from docutils.core import publish_doctree

from attention_audit import __version__
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.ranked_sets import BINS
from attention_audit.corpus.sources import digest
from attention_audit.corpus.sources.control import KINDS
from attention_audit.report.captions import read_caption
from attention_audit.tables import controls
from attention_audit.tables.claims import top_flips
from attention_audit.training.documents import SerranoSmith

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "workflow" / "src" / "attention_audit"
README = (ROOT / "README.md").read_text()
METHOD = (ROOT / "docs" / "method.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RULES = "\n".join(path.read_text() for path in [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")])
OUTPUTS = set(re.findall(r"results/(?:tables|figures)/(\w+)", RULES))


def section(page: str, heading: str) -> str:
    """The text under a heading, down to the next one of its level."""
    return page.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not re.match(r"https?://|#", target):
            assert (page.parent / target).is_file(), target


def test_the_map_of_the_tree_is_true() -> None:
    folder = ROOT
    entries = 0
    for line in section(README, "The tree").splitlines():
        match = re.match(r"    ( *)(\S+(?:  \S+)?) {2,}\w", line)
        if not match:
            continue
        indent, paths = match[1], match[2].split()
        folder = folder if indent else ROOT
        for path in paths:
            assert (folder / path).exists(), path
            entries += 1
        if paths == ["workflow/src/attention_audit/"]:
            folder = PACKAGE
    assert entries > 20


def test_every_folder_of_the_package_is_on_the_map() -> None:
    for init in PACKAGE.glob("*/__init__.py"):
        assert f" {init.parent.name}/" in section(README, "The tree")


def test_files_to_edit_exist() -> None:
    paths = re.findall(r"`([a-z_/]+\.py)`", section(README, "Changing it"))
    assert len(paths) > 8
    for path in [
        *paths,
        *re.findall(r"`((?:corpus|tables)/[a-z_]+\.(?:py|csv))`", (ROOT / "docs/data.md").read_text()),
    ]:
        assert (PACKAGE / path).is_file() or path == "settings.py", path


def test_commands_name_what_exists() -> None:
    rules = set(re.findall(r"^rule (\w+):", RULES, re.MULTILINE))
    commands = re.findall(r"^    (snakemake .*?)(?:  +#.*)?$", README, re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        words = re.sub(r"--config +(\S+=\S*|'[^']+')( +'[^']+')*", "", command).split()[1:]
        values = {"--cores", "--configfile", "--report", "--profile"}
        targets = [w for before, w in zip(["", *words], words, strict=False) if before not in values and w[0] != "-"]
        for target in targets:
            assert target in rules or Path(target).stem in OUTPUTS, f"{target} in {command}"
        for overlay in re.findall(r"--configfile (\S+)", command):
            assert (ROOT / overlay).is_file() or overlay == "mine.yaml", overlay
    [names] = re.findall(r"^Names: (.*?)\.$", README, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", names)) <= rules


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"(?:^    |[`] ?|DIR )make (\w+)", page.read_text(), re.MULTILINE)) <= targets, page.name


def test_vectors_of_the_readme_are_those_of_the_catalogue() -> None:
    catalogue = yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())["word_vectors"]
    table = section(README, "Running it").split("| `--config vectors=` |")[1]
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)) == {"random", *catalogue}


def test_every_data_set_of_the_catalogue_is_on_the_data_page() -> None:
    page = (ROOT / "docs" / "data.md").read_text()
    for name in yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())["corpora"]:
        assert re.search(rf"^\| .*`{name}`", page, re.MULTILINE), name


def test_controls_are_described_as_they_are_made() -> None:
    for name, kind in KINDS.items():
        share = f"1/{round(1 / kind.positive)}"
        assert f"| {name} | {kind.fillers} | {kind.shortest}, {kind.mean} | {share} |" in METHOD
    assert f"at least {controls.NEEDLE_GAIN} |" in METHOD
    assert f"at least {controls.NEEDLE_MASS} |" in METHOD
    assert f"at most {controls.STANDARD_ERRORS} standard errors (Welch) or {controls.CHORUS_MARGIN}," in METHOD
    assert f"{controls.CHANCE_ERRORS} standard errors either way" in METHOD


def test_digest_is_described_as_it_is_made() -> None:
    most_sentences, most_words = digest.SENTENCES + digest.MORE_SENTENCES, digest.WORDS + digest.MORE_WORDS
    least = digest.SENTENCES * (digest.WORDS + 1)
    mean = (digest.SENTENCES + most_sentences) * (digest.WORDS + most_words + 2) // 4
    cues = f"{digest.WORDS // 2} to {most_words // 2} of its own class"
    assert f"| digest | {digest.FILLERS} | {least}, {mean} | 1/{len(digest.CUES)} | {cues}" in METHOD
    sizes = f"{digest.SENTENCES} to {most_sentences} sentences of {digest.WORDS} to {most_words} words and a full stop"
    assert sizes in " ".join(METHOD.split())
    claims = [line for line in METHOD.splitlines() if line.startswith("| digest | attention x gradient ")]
    assert [line.rpartition(" | ")[2] for line in claims] == [
        f"at least {controls.DIGEST_SHARE} |",
        f"at most {controls.DIGEST_EXCESS} |",
    ]


def test_erasure_is_described_as_it_is_done() -> None:
    settings = SerranoSmith()
    models, sets = section(METHOD, "The erased models (S&S section 3)"), section(METHOD, "Erasure (S&S section 2.1)")
    assert f"{settings.hidden} units a direction" in models
    assert f"{settings.hidden} filters each" in models
    assert f"additive, softmax_t of v tanh(W h_t + b), {settings.attention} wide" in models
    assert f"{settings.embedding} wide |" in models
    assert [name for name in RANKERS if f"\n| {name} |" in sets] == list(RANKERS)[:-1]
    assert f"k is {', '.join(map(str, BINS[:-1]))} and {BINS[-1]} %" in METHOD
    assert f"at most {max(top_flips().values())}, the most in the paper's table 2" in METHOD


def test_the_guide_to_results_names_every_output() -> None:
    page = guide()
    for name in OUTPUTS:
        assert re.search(rf"`(tables|figures)/{name}`", page), name
    for folder in re.findall(r"results/([a-z]+)/", RULES):
        assert re.search(rf"`{folder}/", page), folder


def test_the_guide_to_results_hides_nothing_from_markdown() -> None:
    for line in guide().splitlines():
        outside_code = "".join(line.split("`")[::2])
        assert not re.search(r"(?<!\\)<", outside_code), line


@pytest.mark.parametrize("path", sorted((ROOT / "workflow" / "report").glob("*.rst")), ids=lambda path: path.stem)
def test_captions_are_sound(path: Path) -> None:
    tree = publish_doctree(path.read_text(), settings_overrides={"halt_level": 2, "report_level": 2})
    assert len(tree.astext()) > 300


def test_every_output_has_a_caption_that_opens_with_its_heading() -> None:
    for name in OUTPUTS:
        caption = read_caption((ROOT / "workflow" / "report" / f"{name}.rst").read_text())
        assert 10 < len(caption.title) < 100, name
        assert re.match(r"<p>[A-Z]", caption.body), name


def test_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
