"""Every kind of file truncated, emptied, or with a bit flipped: noticed, named, and rebuilt as the message says."""

import random
from functools import partial

import pytest
from folder import kind_of
from hurt import contents, differing, error_lines, follow

from attention_audit.artefacts.files import check_recorded, read_record
from attention_audit.artefacts.parquet import read_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.errors import AuditError

SMALL = pytest.mark.xdist_group("finished")
FEW = {"emptied": 1, "truncated": 3, "one bit flipped": 8}
MANY = {"emptied": 1, "truncated": 100, "one bit flipped": 2000}
LARGE = [pytest.mark.full, pytest.mark.xdist_group("everything")]

READERS = {
    "raw/stories/stories.tar.gz": "results/corpora/stories/corpus.parquet",
    "raw/stories/records/stories.tar.gz.json": "wp_table1",
    "raw/vectors/toy.vec": "results/corpora/stories/vocabulary.parquet",
    "corpora/chorus/corpus.parquet": "results/readouts/chorus/uniform/seed10/test.parquet",
    "corpora/digest/census.parquet": "wp_table1",
    "corpora/chorus/vocabulary.parquet": "results/readouts/chorus/uniform/seed10/test.parquet",
    "models/stories/lstm_tanh/seed10.safetensors": "results/audits/stories/lstm_tanh/correlation.parquet",
    "models/chorus/base/seed10.safetensors": "results/audits/chorus/base/located.parquet",
    "models/chorus/continuation/seed10.search.parquet": "results/audits/chorus/base/evidence.parquet",
    "readouts/chorus/base/seed10/train.parquet": "results/models/chorus/guide_base_lstm/seed10.safetensors",
    "readouts/chorus/base/seed10/test.parquet": "results/audits/chorus/base/comparison.parquet",
    "readouts/stories/lstm_tanh/seed10/head.parquet": "results/audits/stories/lstm_tanh/permutation.parquet",
    "audits/chorus/base/comparison.parquet": "wp_fig5",
    "audits/chorus/base/performance.parquet": "wp_table2",
    "audits/chorus/base/instance_adversary.parquet": "wp_table5",
    "audits/chorus/base/stability.parquet": "summary",
    "audits/chorus/base/predictions.parquet": "summary",
    "audits/chorus/base/shuffles.parquet": "summary",
    "audits/chorus/base/consistency.parquet": "summary",
    "audits/chorus/base/contributions.parquet": "texts",
    "audits/chorus/base/located.parquet": "texts",
    "tables/summary.parquet": "texts",
    "audits/chorus/base/evidence.parquet": "controls",
    "audits/chorus/base/attention_maps.parquet": "wp_fig2",
    "audits/digest/flan_none/single_weight.parquet": "ss_table2",
    "audits/digest/flan_none/ranked_sets.parquet": "ss_fig5",
    "audits/digest/flan_none/planted.parquet": "controls",
    "audits/chorus/base/plausibility.parquet": "table_plausibility",
    "audits/chorus/base/plausible_words.parquet": "table_plausibility",
    "audits/chorus/base/word_attributions.parquet": "explorer",
    "audits/chorus/base/replaced.parquet": "summary",
    "tables/table_plausibility.parquet": "fig_plausibility",
    "audits/chorus/honest/impermissible.parquet": "controls",
    "audits/stories/lstm_tanh/correlation.parquet": "jw_table2",
    "audits/stories/lstm_tanh/agreement.parquet": "jw_fig_agreement",
    "audits/stories/lstm_tanh/permutation.parquet": "jw_fig_permutation",
    "audits/stories/lstm_tanh/instance_adversary.parquet": "explorer",
}
"""Files that stages of `all` read, and a result that is made from each."""
IN_TURN = [
    "audits/chorus/base/comparison.parquet",
    "corpora/chorus/corpus.parquet",
    "models/chorus/base/seed10.safetensors",
]
UNREAD = [
    "models/chorus/base/seed10.history.parquet",
    "tables/wp_table2_uniform.csv",
    "tables/wp_table2_uniform.json",
    "tables/wp_table2_uniform.md",
    "tables/wp_table2_uniform.tex",
    "figures/wp_fig5_tvd_jsd.pdf",
    "figures/wp_fig5_tvd_jsd.png",
    "README.md",
    "config.yaml",
]
"""Files for people alone."""


def damaged(content, damage, draw):
    """What is left of a file."""
    match damage:
        case "truncated":
            return content[: draw.randrange(1, len(content))]
        case "emptied":
            return b""
    at, bit = divmod(draw.randrange(8 * len(content)), 8)
    return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]


def assert_noticed(path, read, draw, times, tally, what="file"):
    """Assert that a file is read as it is, and refused with the command that mends it once damaged, so many times."""
    whole = path.read_bytes()
    read()
    for damage, count in times.items():
        for _ in range(count):
            path.write_bytes(damaged(whole, damage, draw))
            with pytest.raises(AuditError, match=f"rebuild it with: snakemake --cores 1 --force {path}") as caught:
                read()
            assert str(caught.value).startswith(f"{path}: ")
        tally(f"a {what} {damage}, read as a stage does", "noticed and named", count)
    path.write_bytes(whole)
    read()


def reader_of(path):
    """What a stage calls to read a file of results/."""
    match path.suffix:
        case ".parquet":
            return partial(read_table, path, kind_of(path))
        case ".safetensors":
            return partial(read_weights, path)
        case ".json":
            return partial(read_record, path)
    return partial(check_recorded, [path.parent / "records" / f"{path.name}.json"])


@pytest.mark.parametrize(
    ("run", "times"), [pytest.param("finished", FEW, marks=SMALL), pytest.param("everything", MANY, marks=LARGE)]
)
def test_no_damage_goes_unnoticed(request, tmp_path, tally, run, times):
    folder = request.getfixturevalue(run).copy(tmp_path / "audit")
    results = folder.path / "results"
    draw = random.Random(6)
    files = [results / file for file in READERS if (results / file).is_file()]
    audits = {path.stem: path for path in sorted((results / "audits").rglob("*.parquet"))}
    files += [results / UNREAD[0], *(results / "tables").glob("*.parquet"), *audits.values()]
    for path in sorted({*files}):
        assert_noticed(path, reader_of(path), draw, times, tally)


@pytest.mark.parametrize(
    ("run", "file"),
    [
        pytest.param("finished", IN_TURN[0], marks=SMALL),
        *(pytest.param("finished", file, marks=[SMALL, pytest.mark.whole]) for file in IN_TURN[1:]),
        *(pytest.param("everything", file, marks=LARGE) for file in READERS),
    ],
)
def test_the_command_of_the_message_mends_the_file(request, tmp_path, tally, run, file):
    folder = request.getfixturevalue(run).copy(tmp_path / "audit")
    path = folder.path / "results" / file
    whole = path.read_bytes()
    damage = ("truncated", "emptied", "one bit flipped")[list(READERS).index(file) % 3]
    path.write_bytes(damaged(whole, damage, random.Random(file)))
    outcome = folder.refuse("--force", READERS[file], "--rerun-triggers", "params")
    (line,) = error_lines(outcome)
    assert f"error: results/{file}: " in line
    assert follow(folder, line) == 0
    assert path.read_bytes() == whole
    tally(f"a file {damage}, in a run", "one line, mended by the command it gives", 1)


@pytest.mark.full
@pytest.mark.xdist_group("everything")
def test_files_that_no_stage_reads_are_rebuilt(everything, tmp_path, tally):
    folder = everything.copy(tmp_path / "audit")
    for file in UNREAD:
        path = folder.path / "results" / file
        path.write_bytes(damaged(path.read_bytes(), "truncated", random.Random(file)))
    folder.make("--force", *(f"results/{file}" for file in UNREAD))
    assert differing(contents(folder), contents(everything)) == []
    tally("a file that no stage reads truncated", "not noticed; rebuilt identical by --force", len(UNREAD))
