"""What the documentation says of files, commands, keys and numbers is so."""

import re
import shlex
import textwrap
import tomllib
from functools import partial

import classifiers_on_disk
import numpy as np
import pytest
import transformers_on_disk as on_disk
import yaml
from docutils.core import publish_doctree
from elsewhere import write_all
from examples import EXAMPLES
from planned import CATALOGUE, DEMONSTRATION, PLACES, ROOT, list_made, mirror_in, overlaid, plan_of
from refusal import refusal
from rules import ask_rule, list_makeable, load_rules
from snakemake.cli import get_argument_parser

from attention_audit import __version__
from attention_audit.__main__ import parser
from attention_audit.audits.rankings import RANKERS
from attention_audit.columns.audits import BINS
from attention_audit.corpus.sources import control as digest
from attention_audit.corpus.sources.control import BIAS, TEXT_KINDS, draw_labels, draw_votes
from attention_audit.plan.configuration import RUN_CONFIG
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.papers.serrano_smith import DocumentModels
from attention_audit.plan.plan import Plan
from attention_audit.plan.unknown_targets import GATHERING_RULES, refuse_unknown
from attention_audit.questions import AVOIDED, HARMS, QUESTIONS, VERDICTS
from attention_audit.report.guide import write_guide
from attention_audit.report.page import read_caption
from attention_audit.section import Section
from attention_audit.tables import controls
from makers.replication.captions import two_sentences

PACKAGE = ROOT / "workflow" / "src" / "attention_audit"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
LARGEST = 25_000
"""Bytes of a page that is written by hand, so that it can be read at once."""


def docs(*pages):
    """Pages of docs/, by their names, one after another."""
    return "\n".join(PAGES[f"docs/{page}.md"] for page in pages)


def section(page, heading):
    """The text under a heading, down to the next one of its level."""
    return page.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]


def anchors(page):
    """What links to the headings of a page are called."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_small_and_its_links_lead_somewhere(page):
    assert "/replication/" in page or len(PAGES[page].encode()) <= LARGEST
    for name, anchor in re.findall(r"\]\((?!https?://)([^)\s#]*)#?([^)\s]*)\)", PAGES[page]):
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.is_file(), name
        assert not anchor or anchor in anchors(path.read_text()), (name, anchor)


def test_the_map_of_the_tree_is_true_and_whole():
    tree = section(docs("architecture"), "The tree")
    entries = {path.rstrip("/") for path in re.findall(r"^    (\S+) {2,}\w", tree, re.MULTILINE)}
    assert {path for path in entries if not (ROOT / path).exists()} == set()
    folders = {path.relative_to(ROOT).as_posix() for path in (ROOT / "workflow").iterdir()}
    assert folders - {"workflow/src"} <= entries
    assert (ROOT / "results/.gitignore").read_text() == "*\n!.gitignore\n"


@pytest.mark.parametrize("page", [page for page in PAGES if "/extending/" not in page])
def test_files_that_are_named_exist(page):
    for path in re.findall(r"`((?:\w+/)+[\w.-]*\.(?:py|csv|yaml|smk|rst))`", PAGES[page]):
        assert (PACKAGE / path).is_file() or (ROOT / path).is_file(), path


@pytest.mark.parametrize("page", PAGES)
def test_keys_that_are_named_exist(page):
    for key in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)[`:]", PAGES[page]):
        kind = RUN_CONFIG
        parts = key.split(".")
        if parts[0] in RUN_CONFIG.model_fields and not key.endswith((".py", ".yaml", ".parquet", ".smk")):
            for part in parts:
                if isinstance(kind, type) and issubclass(kind, Section):
                    assert part in kind.model_fields, f"{page}: {key}"
                    kind = kind.model_fields[part].annotation


MAKE = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
CHANGES = [command for example in EXAMPLES for command in example.commands]
"""Commands after a change of docs/extending/, which tests/end_to_end/test_extending.py runs."""


def commands(page):
    """The commands of a page: lines of its indented blocks, and what its sentences quote. Those with a <name> to be
    filled in, but for that of a folder, are left out.
    """
    command = r"(?:[A-Z_]+=\S+ )?(?:snakemake|make|python|source|pip) "
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(rf"^ {{4,}}({command}.*)$|`({command}[^`]*)`", prose, re.MULTILINE)
    texts = (" ".join("".join(each).split()) for each in found)
    return [text for text in texts if not re.search(r"<(?!folder>)|\bFILE\b", text)]


def plan_asked_for(words, mirror):
    """Plan what a call of Snakemake asks for. Raises AuditError where that is wrong, or where nothing makes it."""
    asked, unknown = get_argument_parser().parse_known_args(words)
    assert not unknown, unknown
    files = [str(path) for path in asked.configfile or []]
    if any((command.targets, command.files) == (asked.targets, files) for command in CHANGES):
        return
    raw = {} if files else DEMONSTRATION
    for file in files:
        # what the user writes is nobody's
        raw = overlaid(
            raw, {"datasets": ["chorus"]} if file == "mine.yaml" else yaml.safe_load((ROOT / file).read_text())
        )
    for key, value in (setting.split("=", 1) for setting in asked.config or []):
        raw = overlaid(raw, {key: yaml.safe_load(value)})
    plan = Plan(overlaid(CATALOGUE, raw | {"skip_unavailable": True, "mirror": str(mirror)}), CATALOGUE)
    targets = [target for target in asked.targets if target not in GATHERING_RULES]
    if targets:
        refuse_unknown(targets, [*load_rules(plan)], partial(list_makeable, plan), plan.refuse)
    for folder in asked.profile or []:
        assert (ROOT / folder).is_dir(), folder


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """A mirror with all that the pages name and that has no address."""
    folder = mirror_in(tmp_path_factory.mktemp("mirror"))
    for name in re.findall(r"\{kind: file, file: ([\w.]+),", "".join(PAGES.values())):
        (folder / "vectors" / name).touch()
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if commands(PAGES[page])])
def test_commands_are_such_as_tests_run(page, mirror):
    for command in dict.fromkeys(commands(PAGES[page])):
        words = shlex.split(command, comments=True)
        match words[1:] if re.match(r"[A-Z_]+=", words[0]) else words:
            case ["make", target]:
                assert target in MAKE, command
            case ["source", path]:
                assert path == ".venv/bin/activate"
            case ["python", "-m", "attention_audit", "run", *rest]:
                plan_asked_for(rest, mirror)
            case ["python", "-m", "attention_audit", *rest]:
                asked = parser().parse_args(rest)
                assert f"`{asked.stage}`" in parser().format_help(), command
            case ["python", "-m", "pip", "install", *_, package]:
                built = f"dist/attention_audit-{__version__}-py3-none-any.whl"
                assert [package] in EXTRAS.values() or package in [built, *(f".[{extra}]" for extra in EXTRAS)], command
            case ["python", "-m", "pip", "wheel", *rest]:
                assert rest == ["--no-deps", "--wheel-dir", "dist", "."]
            case ["python", "-m", module]:
                assert (ROOT / "docs" / module.replace(".", "/") / "__main__.py").is_file(), command
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), command
            case ["snakemake", *rest]:
                plan_asked_for(rest, mirror)
            case _:
                pytest.fail(f"no test runs: {command}")


def configurations(page):
    """The pieces of configuration on a page: what is indented and begins with a key, and what a sentence quotes."""
    blocks = map(textwrap.dedent, re.findall(r"(?:^    .*\n)+", page, re.MULTILINE))
    quoted = re.findall(r"`(\w+: \{.*?\})`", page)
    return [text for text in (*blocks, *quoted) if text.partition(":")[0] in RUN_CONFIG.model_fields]


@pytest.mark.parametrize("text", configurations(docs("data", "papers", "own-data", "classifier", "readouts")))
def test_configurations_are_right(text, tmp_path):
    entry = overlaid({"corpora": {"reviews": {"kind": "table", "path": "reviews.csv"}}}, yaml.safe_load(text))
    if "transformer" in entry:
        entry["transformer"]["path"] = str(on_disk.save(tmp_path))
    for given in entry.get("hf", {}).values():
        if recipe := given.get("recipe"):
            recipe["path"] = str(on_disk.save(tmp_path / "encoder"))
            continue
        kind = {"family": "llama", "language": True} if "prompt" in given else {}
        given["models"] = {
            name: [str(classifiers_on_disk.save(tmp_path / name / str(number), **kind)) for number in range(len(paths))]
            for name, paths in given["models"].items()
        }
    # the files of the examples are nobody's
    plan_of(**entry, skip_unavailable=True)


def test_the_life_of_a_text_is_as_it_is_told():
    told = section(docs("architecture"), "The life of one text")
    plan = plan_of(**yaml.safe_load((ROOT / "presets" / "sst-quick.yaml").read_text()))
    base = plan.trainings.made["sst/base", 10]
    figure = next(exhibit for exhibit in EXHIBITS if exhibit.rule == "wp_fig5")
    paths = [
        *ask_rule(plan, "prepare", dataset="sst").inputs["raw"],
        plan.config.places.corpus_file(base.training.partition("/")[0], "corpus"),
        base.locate("weights"),
        base.locate_readout(),
        plan.config.places.audit_file("sst", "base", "comparison"),
        plan.exhibits.locate(figure, ".pdf"),
        "runs/sst-quick/report.html",
    ]
    assert re.findall(r"`(runs/\S+\.\w+)`", told) == paths


def test_vectors_and_data_sets_of_the_data_page_are_those_of_the_catalogue():
    table = section(docs("data"), "Word vectors").split("| name |")[1]
    names = set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    assert names == {"random", *CATALOGUE["word_vectors"]}
    for name in CATALOGUE["corpora"]:
        assert re.search(rf"^\| .*`{name}`", docs("data"), re.MULTILINE), name


def test_controls_are_described_as_they_are_made():
    page = docs("method/controls")
    for name, kind in TEXT_KINDS.items():
        labels = draw_labels(np.random.default_rng(0), 1200, len(kind.cues), kind.positive)
        share = f"1/{round(1 / np.mean(labels == 1))}"
        covered = len(draw_votes(name, np.random.default_rng(0), 0, 99)) == 99
        fillers = "none" if covered else kind.fillers
        row = f"| {name} | {labels.max() + 1} | {fillers} | {kind.shortest}, {kind.mean} | {share} |"
        assert row in page
    assert f"of its own class with probability {BIAS}," in page
    bounds = {(claim["of"][0], claim["claim"]): claim for claim in controls.CLAIMS["numbers"]}
    least, most = ({key[1]: claim.get(end) for key, claim in bounds.items()} for end in ("least", "most"))
    assert f"at least {least['attention lies on the evidence']} |" in page
    costs = "hiding the evidence costs no accuracy"
    assert f"less that of the honest model | {least[costs]} to {most[costs]} |" in page
    hidden = most["attention is away from the evidence"]
    assert f"a liar's attention on the cues, mean over seeds and test instances | at most {hidden} |" in page
    assert f"less that without these words | at least {least['it relies on the words that it hides']} |" in page


def test_the_page_of_controls_has_every_claim_on_zones_and_no_other():
    # lottery is a draw of beacon with another model
    rows = [
        line.replace(r"\|", "/").split(" | ")[1:3] for line in docs("method/controls").splitlines() if " | `" in line
    ]
    assert rows == [
        [f"`{model.replace('|', '/')}`", ", ".join(f"{question} `{allowed}`" for question, allowed in zones.items())]
        for suites in controls.CLAIMS["zones"].values()
        for models in suites.values()
        for model, zones in models.items()
    ]


def test_digest_is_described_as_it_is_made():
    page = docs("method/controls")
    min_sentences, min_words = digest.MIN_SENTENCES, digest.MIN_SENTENCE_WORDS
    max_sentences, max_words = min_sentences + digest.EXTRA_SENTENCES, min_words + digest.EXTRA_SENTENCE_WORDS
    least = min_sentences * (min_words + 1)
    mean = (min_sentences + max_sentences) * (min_words + max_words + 2) // 4
    cues = f"{min_words // 2} to {max_words // 2} of its own class"
    assert f"| digest | {len(digest.CUES)} | {digest.FILLERS} | {least}, {mean} | 1/{len(digest.CUES)} | {cues}" in page
    sizes = f"{min_sentences} to {max_sentences} sentences of {min_words} to {max_words} words and a full stop"
    assert sizes in " ".join(page.split())
    claims = [line for line in page.splitlines() if line.startswith("| digest | attention x gradient ")]
    assert [line.rpartition(" | ")[2] for line in claims] == [
        f"at {bound} {claim[bound]} |"
        for claim in controls.CLAIMS["numbers"]
        if claim["of"][0] == "digest"
        for bound in ("least", "most")
        if bound in claim
    ]


def test_erasure_is_described_as_it_is_done():
    page = docs("method/serrano-smith")
    settings = DocumentModels()
    models, sets = section(page, "Models for erasure (S&S section 3)"), section(page, "Erasure (S&S section 2.1)")
    assert f"{settings.hidden} units a direction" in models
    assert f"{settings.hidden} filters each" in models
    assert f"additive, softmax_t of v tanh(W h_t + b), {settings.attention} wide" in models
    assert f"{settings.embedding} wide |" in models
    # those of the paper; a ranking of one's own need not be in the page
    assert {"random", "attention", "gradient", "product"} <= {name for name in RANKERS if f"\n| {name} |" in sets}
    assert f"k is {', '.join(map(str, BINS[:-1]))} and {BINS[-1]} %" in " ".join(page.split())


def test_the_guide_to_results_names_every_table_figure_and_folder(tmp_path):
    hf = {"needle": {"models": {"mine": [str(classifiers_on_disk.save(tmp_path / "classifier"))]}}}
    plan = plan_of(
        own={"mine": write_all(tmp_path, texts=2)},
        hf=hf,
        diversity={"datasets": ["chorus"]},
        masking={"datasets": ["chorus"]},
    )
    page = write_guide(plan.pages.build_report())
    shown = {exhibit.name for exhibit in EXHIBITS if f"`{exhibit.folder}/{exhibit.name}`" in page}
    assert shown == list_made(plan)
    # of no published number, of an audit that nobody asks and of a suite without data there is nothing to show
    for exhibit in EXHIBITS:
        if exhibit.name not in shown and not exhibit.by_name:
            reason = refusal(plan.refuse, exhibit.rule)
            assert re.search("numbers that a paper has published| is not asked |no data set is named", reason), reason
    places = (PLACES.audit, PLACES.weights, PLACES.readout, PLACES.head, PLACES.corpus, PLACES.raw, PLACES.logs)
    for path in places:
        folder = re.sub(r"^results/|/[^/]+\.\w+$", "", path).replace("{training}", "{dataset}/{model}")
        assert f"`{folder}/" in page, path
    # nothing is hidden from Markdown
    for line in page.splitlines():
        outside_code = "".join(line.split("`")[::2])
        assert not re.search(r"(?<!\\)<", outside_code), line


def test_every_caption_is_sound_opens_with_its_heading_and_says_how_to_read_its_exhibit():
    for path in (ROOT / "workflow" / "report").glob("*.rst"):
        publish_doctree(path.read_text(), settings_overrides={"halt_level": 2, "report_level": 2})
    for exhibit in EXHIBITS:
        text = (ROOT / exhibit.caption).read_text()
        caption = read_caption(text)
        assert 10 < len(caption.title) < 100, f"{exhibit.caption}: write 11 to 99 bold characters, its heading"
        assert re.match(r"<p>[A-Z]", caption.body), f"{exhibit.caption}: say what is shown behind the heading"
        assert len(two_sentences(text).reading.split()) >= 3, f"{exhibit.caption}: say more behind `How to read it:`"


def test_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    # the newest notes stand at the top
    assert re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == __version__
    assert citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")


def test_the_page_of_the_claims_has_their_words_ends_and_thresholds():
    page = docs("method/README")
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \|.*\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", section(page, "The claims"), re.MULTILINE
    )
    assert [name for name, *_ in rows] == [*QUESTIONS]
    for name, claim, *ends, thresholds in rows:
        question = QUESTIONS[name]
        assert question.claim.removesuffix(" (macro F1)") == claim
        for end, written in zip(question.ends, ends, strict=True):
            assert written.removeprefix("0: ").removeprefix("1: ").removeprefix("a ").replace("-", "−") == end
        numbers = [float(number) for number in re.findall(r"[\d.]+", thresholds)]
        factor = 1 if question.unit in ("share", "probability") else 100
        wanted = [factor * cut for cut in question.cuts] + [*(AVOIDED if name == "signed" else ())]
        assert numbers == pytest.approx(wanted), name
    verdicts = section(page, "Zones and verdicts")
    assert re.findall(r"\*\*([a-z ]+)\*\*", verdicts)[:5] == [*VERDICTS]
    assert HARMS in verdicts
