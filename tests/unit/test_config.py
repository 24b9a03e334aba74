"""The configuration: what is refused, with what words; and that schema, page and presets follow it."""

import json
import math
import re
from functools import cache

import jsonschema
import pytest
import yaml
from planned import CATALOGUE, DEFAULT, ROOT, overlaid

from attention_audit.corpus.source import RawSource
from attention_audit.errors import AuditError
from attention_audit.plan.configuration import parse_config
from makers.configuration import FOLDER, SCHEMA, config_pages, config_schema

OF_NEEDLE = "overrides.needle.training"
KNOWN = ", ".join(sorted(DEFAULT["corpora"]))


def nested(keys, value):
    for key in reversed(keys.split(".")):
        value = {key: value}
    return value


@cache
def schema():
    """The schema, which is checked once."""
    written = json.loads(SCHEMA.read_text())
    kind = jsonschema.validators.validator_for(written)
    kind.check_schema(written)
    return kind(written)


@pytest.mark.parametrize(
    "preset", [ROOT / "config.yaml", *sorted((ROOT / "presets").glob("*.yaml"))], ids=lambda path: path.stem
)
def test_a_preset_is_valid_and_its_search_takes_at_most_half_the_epochs_of_the_grid_beside_it(preset):
    raw = overlaid(CATALOGUE, yaml.safe_load(preset.read_text()))
    schema().validate(raw)
    adversary = parse_config(raw).adversary
    search = adversary.continuation
    most = search.epochs * (search.rounds + search.steps - 1)
    # one lambda is no grid
    assert len(adversary.lambdas) == 1 or most <= len(adversary.lambdas) * adversary.epochs / 2


def faults(raw):
    """The lines in which a configuration ends."""
    with pytest.raises(AuditError) as raised:
        parse_config(raw, CATALOGUE)
    return str(raised.value).splitlines()


KINDS = (
    "'needle', 'chorus', 'static', 'beacon', 'unison', 'debate', 'poll', 'feint', 'digest', 'shortcut', 'table', "
    "'readout', 'movies', 'sst', 'imdb', 'newsgroups', 'mixed-posts', 'zhang', 'mimic', 'jmars', 'snli', 'babi', "
    "'cnn', 'tagged', 'yelp-hat', 'esnli', 'eraser'"
)
UNKNOWN = "unknown data set 'imbd' (did you mean 'imdb'?)"
VECTORS = "random, fasttext-simple, glove-6b-100d, glove-840b-300d, glove-twitter-25d, word2vec-200d, word2vec-300d"
EITHER = "give either `path`, for a file of your own, or `file`, for one that is fetched"
SCRATCH = {"search": "scratch", "lambdas": [0.1]}
TABLE = {"kind": "table", "path": "own.csv"}


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("training.epochs", "8", "training.epochs: input should be a valid integer, not '8'"),
        ("results", 2024, "results: input should be a valid string, not 2024; put it in quotes"),
        ("training.learning_rate", math.nan, "training.learning_rate: input should be a finite number, not nan"),
        ("training.further_seeds", [50, 10], "training: duplicate seed 10"),
        ("datasets", ["needle", "imbd"], f"datasets: {UNKNOWN}; known: {KNOWN}"),
        ("vectors", "glove", f"vectors: unknown word vectors 'glove'; known: {VECTORS}"),
        ("corpora.needle.vectors", "glove", f"corpora.needle.vectors: unknown word vectors 'glove'; known: {VECTORS}"),
        ("adversary.lambdas", [0.1, 0.1, 0.01], "adversary.lambdas: duplicate value 0.1"),
        ("adversary", SCRATCH, "guides.adversary_lambda: 0.01 is not in adversary.lambdas [0.1]; take one of them"),
        (
            "jain_wallace", {"datasets": ["snli"], "models": ["lstm_tanh", "average_drawn"]},
            "jain_wallace.models: average_drawn reads no pairs of texts, which snli has; leave one out",
        ),
        ("overrides.imbd", {"model": {"encoder": "affine"}}, f"overrides: {UNKNOWN}; name one of `corpora`"),
        (OF_NEEDLE, {"epoch": 1}, f"{OF_NEEDLE}.epoch: unknown key (did you mean 'epochs'?)"),
        (OF_NEEDLE, {"seed": 50}, f"{OF_NEEDLE}: duplicate seed 50"),
        ("overrides.needle", 8, "overrides.needle: must be a group of keys, not 8"),
        ("overrides.needle.modle", {}, "overrides.needle.modle: unknown key (did you mean 'model'?)"),
        (
            "overrides.needle.results", "a",
            "overrides.needle.results: is the same for all data sets; say it in `results`",
        ),
        (
            "overrides.needle.vectors", "a",
            "overrides.needle.vectors: is said in `corpora.needle.vectors`; write it there",
        ),
        (
            "overrides.needle.jain_wallace.datasets", ["needle"],
            "overrides.needle.jain_wallace.datasets: is the same for all data sets; say it in `jain_wallace.datasets`",
        ),
        (
            "overrides.needle.deception.lambdas", [0.5],
            "overrides.needle.deception.lambdas: is the same for all data sets; say it in `deception.lambdas`",
        ),
        (
            "overrides.needle.adversary", SCRATCH,
            "guides.adversary_lambda: 0.01 is not in overrides.needle.adversary.lambdas [0.1]; take one of them",
        ),
        ("deception.datasets", ["imbd"], f"deception.datasets: {UNKNOWN}; known: {KNOWN}"),
        *(
            ("word_vectors.mine", {"kind": "file", "dimension": 3} | given, f"word_vectors.mine: {line}")
            for given, line in (
                ({"path": "a.vec", "file": "b.vec"}, EITHER),
                ({}, EITHER),
                (
                    {"path": "a.vec", "url": "https://a.b"},
                    "path: url, bytes and sha256 are for files that are fetched; leave them out",
                ),
            )
        ),
        ("mirror", "nowhere/at/all", "mirror: no such folder: nowhere/at/all; name one that is there"),
        ("model", None, "model: must be a group of keys, not None"),
        ("training.learning_rate", "2e-5", "training.learning_rate: '2e-5' is a text in YAML; write 2.0e-05"),
        (
            "corpora.own", TABLE | {"tokens": {"tokenizer": "en_core_web_sm"}},
            "corpora.own.tokens.tokenizer: unknown tokenizer 'en_core_web_sm'; write a language code of spaCy, such as "
            "en, or spaces",
        ),
        (
            "model.attention", "dots",
            "model.attention: input should be 'additive', 'linear' or 'dot', not 'dots' (did you mean 'dot'?)",
        ),
        (
            "overrides.sst.jain_wallace.recipe", {"epochs": 1, "first_epoch": False},
            "overrides.sst.jain_wallace.recipe: epochs: 1, and the first is not to be selected; train for 2 or more",
        ),
        (
            "corpora.own", {"kind": "tabel"},
            f"corpora.own: unknown kind 'tabel' (did you mean 'table'?); known: {KINDS}",
        ),
        (
            "corpora.own", TABLE | {"path": "own.txt"},
            "corpora.own: path: 'own.txt' does not end in .csv, .tsv, .json, .jsonl (.gz or .bz2 may follow), "
            ".parquet or .xlsx; name the file itself, or save it in one of these formats",
        ),
        ("corpora.yelp", TABLE, "corpora.yelp: is the name of a data set of the catalogue; choose another"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_one_line_that_names_the_key(key, value, line):
    assert faults(overlaid(DEFAULT, nested(key, value))) == [f"config: {line}"]


def test_every_fault_has_a_line():
    raw = overlaid(DEFAULT, {"trainning": {}, "training": {"epoch": 8}, "corpora": {"needle": {"texts": {"tarin": 8}}}})
    assert faults(raw) == [
        "config: corpora.needle.texts.tarin: unknown key (did you mean 'train'?)",
        "config: training.epoch: unknown key (did you mean 'epochs'?)",
        "config: trainning: unknown key (did you mean 'training'?)",
    ]
    unknown = faults(overlaid(DEFAULT, {"datasets": ["needel"], "vectors": "gloove", "overrides": {"chorsu": {}}}))
    assert [line.split(": ")[1] for line in unknown] == ["datasets", "overrides", "vectors"]


def test_of_very_many_faults_the_first_have_lines():
    lines = faults(DEFAULT | {f"key{number}": 1 for number in range(30)})
    assert len(lines) == 21
    assert lines[-1] == "config: and 10 more"


def test_a_name_that_is_none_is_explained():
    assert faults(overlaid(DEFAULT, {"datasets": ["my yelp"], "corpora": {"My Yelp!": TABLE}})) == [
        "config: datasets.0: 'my yelp' is no name: a name has small letters, digits and hyphens, and begins with a "
        "letter or digit; 'my-yelp' would do",
        "config: corpora.My Yelp!: 'My Yelp!' is no name: a name has small letters, digits and hyphens, and begins "
        "with a letter or digit; 'my-yelp' would do",
    ]


def test_a_table_of_the_catalogue_is_asked_for_with_the_path_of_the_user():
    parse_config(overlaid(DEFAULT, {"corpora": {"tweets": {"path": "mine.csv"}}}), CATALOGUE)


def test_what_is_other_on_one_data_set_is_laid_over_what_all_have():
    changes = {"overrides": {"sst": {"jain_wallace": {"recipe": {"epochs": 3}}, "agreement": {"texts": 7}}}}
    config = parse_config(overlaid(DEFAULT, changes), CATALOGUE)
    own = config.for_dataset("sst")
    assert own.jain_wallace == config.jain_wallace.model_copy(
        update={"recipe": config.jain_wallace.recipe.model_copy(update={"epochs": 3})}
    )
    assert (own.agreement.texts, own.agreement.steps) == (7, config.agreement.steps)
    assert own.training == config.training
    assert config.for_dataset("imdb") is config
    # only what is other is written down, and it says the same when it is read again
    record = config.build_record()
    assert record["overrides"]["sst"] == changes["overrides"]["sst"]
    assert record["overrides"]["snli"] == {"diversity": {"weight": 0.1}}
    assert parse_config(record) == config


def test_a_file_that_names_a_data_set_asks_for_nothing_else():
    config = parse_config(overlaid(CATALOGUE, {"datasets": ["sst"]}), CATALOGUE)
    assert config.every_dataset == ["sst"]
    given = parse_config(overlaid(CATALOGUE, {"hf": {"sst": {"models": {"a": ["b"]}}}}), CATALOGUE)
    assert (given.datasets, given.every_dataset) == ([], ["sst"])


def test_every_data_set_of_the_papers_says_whose_it_is():
    for name, source in parse_config(DEFAULT).corpora.items():
        if isinstance(source, RawSource):
            assert source.origin.homepage.startswith("http"), name
            assert source.origin.licence, name
            assert source.origin.citation, name


def test_a_truth_value_may_come_from_the_command_line():
    meant = [parse_config(DEFAULT | {"skip_unavailable": said}).skip_unavailable for said in ("true", "false", True)]
    assert meant == [True, False, True]


def test_schema_and_pages_are_in_step_with_the_typed_configuration():
    assert SCHEMA.read_text() == config_schema(), "run `make docs`"
    assert {path.stem: path.read_text() for path in FOLDER.iterdir()} == config_pages(), "run `make docs`"


def test_every_key_is_explained_once():
    pages = config_pages()
    assert not re.search(r"\| None \|", "".join(pages.values()))
    headings = re.findall(r"^##+ (.*)", "".join(pages.values()), re.MULTILINE)
    assert len(headings) == len(set(headings))
    for page, heading, keys in (
        ("models", "`jain_wallace`", {"recipe.hidden", "recipe.embedding", "recipe.epochs", "recipe.first_epoch"}),
        ("corpora", "Kind `shortcut`", {"of", "plant", "share", "seed"}),
    ):
        told = pages[page].split(f"# {heading}\n")[1].split("\n#")[0]
        assert set(re.findall(r"^\| `([\w.]+)` \|", told, re.MULTILINE)) >= keys
        assert " as in [" in told
    assert "- `jmars`: `archive`\n" in pages["corpora"]


def test_the_schema_refuses_unknown_keys():
    with pytest.raises(jsonschema.ValidationError):
        schema().validate(DEFAULT | {"datsets": []})
