"""Which changes of a configuration replace results, and what a run says that would."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from planned import DEFAULT, overlaid, plan_of

from attention_audit.config import Config, parse_config
from attention_audit.errors import AuditError
from attention_audit.plan.replacing import RECORD, Difference, claim, differences, recorded, refusal

FILES = ["tables/summary.parquet", "figures/wp_fig5_tvd_jsd.pdf"]
MADE: dict[str, Any] = {
    "datasets": ["needle"],
    "training": {"further_seeds": [50, 257]},
    "serrano_smith": {"datasets": []},
    "jain_wallace": {"datasets": ["unison"], "seeds": [10]},
    "deception": {"datasets": []},
}
"""What differs from the default run in the one whose results are there."""


def config_of(**changes: Any) -> Config:
    return plan_of(**overlaid(MADE, changes)).config


THERE = config_of()


def files(folder: Path, *names: str) -> list[str]:
    """These files of results, which are there."""
    for path in (folder / name for name in names or FILES):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    return [str(folder / name) for name in names or FILES]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"results": "runs/b", "replace": True},
        {"skip_unavailable": True, "mirror": "."},
        {"datasets": ["chorus", "needle"]},
        {"training": {"further_seeds": [257, 7, 50]}},
        {"jain_wallace": {"seeds": [10, 20], "datasets": ["debate", "unison"]}},
        {"adversary": {"lambdas": [0.0001, 0.001, 0.01, 0.1]}},
        {"audits": {"wp": [*plan_of().scope.suite("wp").own_audits, "conicity"]}},
        # tables and figures alone
        {"resamples": 50, "attention_maps": {"automatic": 1}},
        {"answer": {"margins": {"stable": 0.3, "needed": 0.02}}},
        # of data sets and suites that the results there have not
        {"corpora": {"chorus": {"seed": 9}}, "overrides": {"chorus": {"training": {"epochs": 3}}}},
        {"serrano_smith": {"datasets": ["digest"], "hidden": 99}},
        {"overrides": {"debate": {"jain_wallace": {"recipe": {"epochs": 1}}}}},
        {"overrides": {"needle": {"jain_wallace": {"recipe": {"epochs": 1}}}}},
        # what is said otherwise, and is the same
        {"overrides": {"needle": {"model": {"hidden": 32}}}},
        {"corpora": {"chorus": {"vectors": "word2vec-200d"}}, "datasets": ["needle", "chorus"]},
        {"audits": {"ss": ["performance"]}},
    ],
    ids=str,
)
def test_what_adds_or_only_shows_replaces_nothing(change: dict[str, Any]) -> None:
    assert differences(THERE, config_of(**change)) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"datasets": ["chorus"]}, [("datasets", ["needle"], ["chorus"])]),
        ({"training": {"further_seeds": [50]}}, [("training.further_seeds", [50, 257], [50])]),
        ({"training": {"seed": 7}}, [("training.seed", 10, 7)]),
        # the first seed is the one that others are compared with
        ({"jain_wallace": {"seeds": [20, 10]}}, [("jain_wallace.seeds", [10], [20, 10])]),
        ({"vectors": "word2vec-200d"}, [("vectors", "random", "word2vec-200d")]),
        ({"corpora": {"needle": {"seed": 2}}}, [("corpora.needle.seed", 1, 2)]),
        ({"corpora": {"unison": {"vectors": "word2vec-200d"}}}, [("corpora.unison.vectors", None, "word2vec-200d")]),
        ({"overrides": {"needle": {"training": {"epochs": 3}}}}, [("overrides.needle.training.epochs", 6, 3)]),
        (
            {"overrides": {"unison": {"jain_wallace": {"seeds": [7]}}}},
            [("overrides.unison.jain_wallace.seeds", [10], [7])],
        ),
        ({"agreement": {"texts": 9}}, [("agreement.texts", 40, 9)]),
        ({"overrides": {"unison": {"agreement": {"texts": 9}}}}, [("overrides.unison.agreement.texts", 40, 9)]),
        ({"instance_adversary": {"steps": 9}}, [("instance_adversary.steps", 500, 9)]),
        # the budget decides which adversaries are searched for
        ({"answer": {"margins": {"tvd": 0.1}}}, [("answer.margins.tvd", 0.05, 0.1)]),
        (
            {"audits": {"jw": ["performance"]}},
            [("audits.jw", list(plan_of().scope.suite("jw").own_audits), ["performance"])],
        ),
    ],
    ids=str,
)
def test_what_would_be_other_replaces(change: dict[str, Any], expected: list[tuple[str, Any, Any]]) -> None:
    assert differences(THERE, config_of(**change)) == [Difference(*each) for each in expected]


def test_a_transformer_that_no_model_had_replaces_nothing() -> None:
    added = {
        "transformer": {"path": "encoder"},
        "jain_wallace": {"models": [*THERE.jain_wallace.models, "transformer_dot"]},
    }
    there, here = (parse_config(overlaid(DEFAULT, overlaid(MADE, change))) for change in ({}, added))
    assert differences(there, here) == []
    other = parse_config(overlaid(DEFAULT, overlaid(MADE, overlaid(added, {"transformer": {"layer": 1}}))))
    assert differences(here, other) == [Difference("transformer.layer", None, 1)]
    untouched = parse_config(
        overlaid(DEFAULT, overlaid(MADE, overlaid(added, {"transformer": {"tuning": {"epochs": 2}}})))
    )
    assert differences(here, untouched) == []


def test_without_a_data_set_of_theirs_the_settings_of_base_models_replace_nothing() -> None:
    only = {"datasets": []}
    assert differences(config_of(**only), config_of(**only, training={"epochs": 3}, guides={"hidden": 8})) == []


def test_a_forgotten_configfile_is_told_by_its_keys(tmp_path: Path) -> None:
    here = {"results": str(tmp_path)}
    claim(config_of(**here), files(tmp_path))
    default = parse_config(overlaid(DEFAULT, here | {"jain_wallace": {"datasets": ["needle"]}}))
    line = refusal(default.model_copy(update={"datasets": ["chorus"] * 20}), files(tmp_path))
    assert line.startswith(
        f"{tmp_path}/ holds a run of another configuration (datasets: [needle] there, [chorus, chorus, "
    )
    assert (
        "... here; jain_wallace.datasets: [unison] there, [needle] here), of which 2 files would be replaced." in line
    )
    assert line.endswith("with --config results=<folder>, or replace what is there with --config replace=true")
    with pytest.raises(AuditError, match=r"holds a run of another configuration"):
        claim(default, files(tmp_path))


def test_many_keys_are_counted(tmp_path: Path) -> None:
    here = {"results": str(tmp_path)}
    claim(config_of(**here), files(tmp_path))
    changed = config_of(**here, training={"epochs": 1, "seed": 7, "batch_size": 8}, model={"hidden": 8}, threads=2)
    assert "threads: 1 there, 2 here; model.hidden: 32 there, 8 here; training." in refusal(
        changed, files(tmp_path, FILES[0])
    )
    assert "; and 2 more keys), of which 1 file would be replaced." in refusal(changed, files(tmp_path, FILES[0]))


def test_the_record_follows_what_is_made(tmp_path: Path) -> None:
    first, more, other = (config_of(results=str(tmp_path), **change) for change in ({}, *RUNS))
    assert recorded(tmp_path) is None
    for config in (first, more):
        claim(config, files(tmp_path))
        assert recorded(tmp_path) == config.model_copy(update={"results": "results"})
    # it replaces nothing, so what is there is still of the one before
    claim(other, [])
    assert differences(recorded(tmp_path) or other, more) == []
    claim(other.model_copy(update={"replace": True}), files(tmp_path))
    assert refusal(other, files(tmp_path)) == ""
    assert "there, " in refusal(more, files(tmp_path))


RUNS: list[dict[str, Any]] = [{"datasets": ["needle", "chorus"]}, {"datasets": ["static"]}]


def test_results_of_an_earlier_version_are_known_by_their_config(tmp_path: Path) -> None:
    record = config_of().recorded()
    del record["resamples"]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(record))
    assert "training.seed: 10 there, 7 here" in refusal(
        config_of(results=str(tmp_path), training={"seed": 7}), files(tmp_path)
    )


def test_files_of_a_data_set_that_the_run_there_has_not_are_not_its_own(tmp_path: Path) -> None:
    claim(config_of(results=str(tmp_path)), [])
    files(tmp_path)
    other = config_of(results=str(tmp_path), datasets=["static"])
    assert refusal(other, files(tmp_path, "corpora/static/corpus.parquet")) == ""
    assert refusal(other, files(tmp_path, "corpora/needle/corpus.parquet")) != ""


def test_a_record_without_results_refuses_nothing(tmp_path: Path) -> None:
    claim(config_of(results=str(tmp_path)), [])
    assert recorded(tmp_path) is None
    claim(config_of(results=str(tmp_path), training={"seed": 7}), [])
    files(tmp_path)
    kept = recorded(tmp_path)
    assert kept
    assert kept.training.seed == 7


@pytest.mark.parametrize("text", ["", "a: [", "\x00", "datasets: 8", "- 1"])
def test_a_record_that_cannot_be_read_refuses_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    assert refusal(config_of(results=str(tmp_path), training={"seed": 7}), files(tmp_path)) == ""


def test_replace_is_said_on_the_command_line() -> None:
    assert parse_config(DEFAULT | {"replace": "true"}).replace
    assert not parse_config(DEFAULT | {"replace": "false"}).replace
