"""What becomes of claims in the record: intervals, findings and verdicts, from values worked by hand."""

import json
import math

import pandas as pd
import pytest

from attention_audit.columns.tables import REPLICATION, SUMMARY, TABLE
from attention_audit.plan.exhibits import TABLES
from makers.replication.declared import Cells, Claim, Finding
from makers.replication.entries import WIEGREFFE_PINTER
from makers.replication.findings import Line, Value, find_claim, find_lines, judge_claim, judge_finding
from makers.replication.hyperparameters import list_values
from makers.replication.intervals import renew_intervals
from makers.replication.kept import FACTS, Kept

NAN = float("nan")
OF_FIVE = 2.776445
"""Student's quantile with 4 degrees of freedom."""


def cell(**about):
    """A row of a table: F1 of five trainings."""
    five = {"dataset": "sst", "metric": "f1", "mean": 0.8, "sd": 0.01, "low": 0.1, "high": 0.2, "seeds": 5}
    return TABLE.blank | five | about


def renewed(*rows, kind="table", of_present=False):
    """Rows of a table with the intervals of the record."""
    return renew_intervals(pd.DataFrame(rows), kind, of_present).to_dict("records")


def ends(row):
    """The interval of a row."""
    return row["low"], row["high"]


def test_one_definition_of_intervals():
    half = OF_FIVE * 0.01 / math.sqrt(5)
    five, three, alike = renewed(cell(), cell(seeds=3), cell(sd=0.0))
    assert ends(five) == pytest.approx((0.8 - half, 0.8 + half))
    assert all(map(math.isnan, (*ends(three), *ends(alike))))
    # this version's own stand; what it has none of, such as F1, is filled from three trainings on
    own, filled, racu = renewed(
        cell(), cell(low=NAN, high=NAN, seeds=3, sd=0.001), cell(metric="racu"), of_present=True
    )
    assert ends(own) == (0.1, 0.2)
    assert filled["high"] == pytest.approx(0.8 + 4.302653 * 0.001 / math.sqrt(3))
    assert ends(racu) == pytest.approx((0.8 - half, 0.8 + half))


def test_an_interval_goes_no_further_than_the_number_can_but_a_difference_may_be_below_0():
    difference = {"model": "base", "other": "uniform"}
    share, *others = renewed(cell(mean=0.001), cell(mean=0.001, **difference), cell(mean=0.001, metric="located"))
    assert share["low"] == 0
    assert all(other["low"] < 0 for other in others)


def test_published_numbers_of_few_trainings_stand_alone():
    # of one training: t s sqrt(1 + 1/5)
    reach = OF_FIVE * 0.01 * math.sqrt(6 / 5)
    row = REPLICATION.blank | {
        "metric": "tau", "ours": 0.3, "low": 0.299, "high": 0.301, "seeds": 5, "half_width": reach, "chance": "seeds",
        "one_low": 0.3 - reach, "one_high": 0.3 + reach, "agreement": "compatible",
    }  # fmt: skip
    five, three, data = renewed(row, row | {"seeds": 3}, row | {"seeds": 0}, kind="replication")
    assert five["high"] - 0.3 == pytest.approx(OF_FIVE * 0.01 / math.sqrt(5))
    assert five["one_high"] == row["one_high"]
    assert math.isnan(three["low"])
    assert (math.isnan(three["one_low"]), three["agreement"]) == (True, "unknown")
    assert data["agreement"] == "compatible"


def test_answers_of_earlier_versions_are_stated_anew():
    each = [0.7, 0.8, 0.9, 0.8, 0.8]
    row = SUMMARY.blank | {
        "located_value": 0.8, "located_each": each, "located_low": 0.79, "located_high": 0.81, "located_zones": "3",
        "stable_value": 0.5, "stable_each": [0.4, 0.5, 0.6, 0.5, 0.5], "signed_value": 0.9, "signed_each": each,
        "used_value": 0.1, "used_each": [0.1, 0.1, 0.1], "used_zones": "≠",
    }  # fmt: skip
    (found,) = renewed(row, kind="summary")
    sd = math.sqrt(0.02 / 4)
    half = OF_FIVE * sd / math.sqrt(5)
    assert (found["located_low"], found["located_high"]) == pytest.approx((0.8 - half, 0.8 + half))
    assert (found["located_zones"], found["located_said"]) == ("23", "at least in part")
    # a training is in all the pairs that its mean is of: x 2 x 4 / 3
    assert found["stable_high"] == pytest.approx(0.5 + 8 / 3 * half)
    assert (found["signed_zones"], found["used_zones"]) == ("-", "-")
    assert found["used_reason"] == "an earlier version's run of fewer than 5 trainings"


@pytest.mark.parametrize(
    ("theirs", "bounds", "expected"),
    [
        ("above 0", (0.1, 0.05, 0.2), "comes back"),
        ("above 0", (0.1, -0.05, 0.2), "open"),
        ("above 0", (-0.1, -0.2, -0.05), "does not come back"),
        ("below 0.5", (0.4, 0.3, 0.49), "comes back"),
        ("below 0.5", (0.4, 0.3, 0.51), "open"),
        ("below 0.5", (0.6, 0.51, 0.7), "does not come back"),
        ("below 0.5", (0.1, NAN, NAN), "no interval"),
    ],
)
def test_findings_are_judged_by_their_bound(theirs, bounds, expected):
    assert judge_finding(theirs, Value(*bounds)) == expected


def test_a_finding_without_a_bound_is_refused():
    with pytest.raises(ValueError, match="no bound: much"):
        judge_finding("much", Value(0.1, 0, 1))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "not run"),
        (["comes back"], "replicated"),
        (["comes back", "no interval"], "replicated"),
        (["comes back", "open"], "in part"),
        (["comes back", "does not come back"], "in part"),
        (["does not come back", "open"], "not"),
        (["open", "no interval"], "open"),
        (["no interval"], "no verdict"),
    ],
)
def test_a_claim_is_judged_by_its_findings(words, expected):
    finding = Finding("", "", "", "", Cells())
    assert judge_claim(Line(finding, "sst", "", Value(0), word, "", "") for word in words) == expected


def test_the_interval_of_a_difference_is_made_of_both():
    found = Value(0.5, 0.47, 0.53).subtract(Value(1.0, 0.9, 1.2), times=0.2)
    # sides of .03 and .2 x .2 make .05; of .03 and .2 x .1, .0361
    assert found == pytest.approx((0.3, 0.25, 0.3 + math.hypot(0.03, 0.02)))
    assert not Value(0.5, 0.4, 0.6).subtract(Value(1.0)).known


@pytest.fixture
def keep(tmp_path):
    """Keep rows of a table as a run of this version; the kept run is returned."""

    def keep_rows(table, *rows, version="0.5.0", **config):
        run = Kept(WIEGREFFE_PINTER, WIEGREFFE_PINTER.runs[0], tmp_path)
        facts = {
            "made": "2026-01-02", "commit": "0123456789", "versions": {"attention_audit": version}, "machines": [],
            "spent": [], "files": [], "datasets": {"wp": ["sst", "snli"]}, "labels": {}, "config": config,
        }  # fmt: skip
        (tmp_path / FACTS).write_text(json.dumps(facts))
        path = run.locate(TABLES[table])
        path.parent.mkdir(exist_ok=True)
        pd.DataFrame(rows, columns=TABLE.schema.names).to_csv(path, index=False)
        return run

    return keep_rows


def test_what_is_subtracted_may_be_another_metric_or_a_training_as_it_is(keep):
    liar = {"model": "liar", "metric": "accuracy_percent", "low": 59.0, "high": 61.0, "mean": 60.0}
    deleted = liar | {"metric": "deleted_percent", "low": 49.0, "high": 51.0, "mean": 50.0}
    kept = keep("pd_table_deception", cell(**liar), cell(**deleted), cell(**(liar | {"model": "one", "seeds": 1})))
    about = "says", "accuracy_percent", "above 0", "pd_table_deception", Cells(model="liar")
    (other_metric,) = find_lines(Finding(*about, minus=Cells(model="liar", metric="deleted_percent")), kept)
    assert other_metric.value == pytest.approx((10, 10 - math.sqrt(2), 10 + math.sqrt(2)))
    (as_it_is,) = find_lines(Finding(*about, minus=Cells(model="one")), kept)
    assert as_it_is.value == pytest.approx((0, -1, 1))
    assert not [*find_lines(Finding(*about, minus=Cells(model="none")), kept)]
    assert not [*find_lines(Finding(*about, datasets=("imdb",)), kept)]


def test_the_guide_of_earlier_versions_is_no_counterpart_of_the_papers(keep):
    """Theirs is an adversary from scratch, and that of these versions' record one of a search."""
    rows = [
        cell(model=name, published=0.6, note="paper's lambda 0.001") for name in ("guide_base_lstm", "guide_adversary")
    ]
    base, searched = keep("wp_table3_guides", *rows, version="0.4.0").read_table("wp_table3_guides").to_dict("records")
    assert (base["model"], base["published"]) == ("guide_base_lstm", 0.6)
    assert (searched["model"], searched["note"]) == ("guide_continuation", "")
    assert math.isnan(searched["published"])
    _, scratch = keep("wp_table3_guides", *rows).read_table("wp_table3_guides").to_dict("records")
    assert (scratch["model"], scratch["published"]) == ("guide_adversary", 0.6)


def test_adversaries_that_go_as_far_are_averaged(keep):
    def at(size, jsd, tvd, model="adversary"):
        about = {"model": model, "lambda": size, "seeds": 1, "low": NAN, "high": NAN, "sd": NAN}
        return [cell(**about, metric=metric, mean=mean) for metric, mean in (("jsd", jsd), ("tvd", tvd))]

    runs = [at(1e-4, 0.1, 0.9), at(1e-3, 0.5, 0.05), at(1e-2, 0.6, 0.06), at(0.1, 0.65, 0.07)]
    kept = keep("wp_table5_adversary", *(row for run in runs for row in run), *at(NAN, 0.4, 0.01, "instance_adversary"))
    claim = WIEGREFFE_PINTER.claims[3]
    (line,) = find_claim(claim, [kept])
    half = 4.302653 * 0.01 / math.sqrt(3)
    assert line.value == pytest.approx((0.05, 0.05 - half, 0.05 + half))
    assert judge_claim([line]) == "replicated"
    # where none goes as far, it was run all the same
    kept = keep("wp_table5_adversary", *runs[0], *at(NAN, 0.4, 0.01, "instance_adversary"))
    (line,) = find_claim(claim, [kept])
    assert (str(line.value), judge_claim([line])) == ("none goes as far", "no verdict")


def test_two_trainings_judge_no_finding(keep):
    finding = Finding("", "f1", "above 0", "wp_table2_uniform", Cells())
    two, three = find_lines(finding, keep("wp_table2_uniform", cell(seeds=2), cell(seeds=3)))
    assert (two.word, three.word) == ("no interval", "comes back")


def test_a_claim_of_tables_that_are_not_kept_is_not_run(keep):
    claim = Claim("", "", (), (Finding("", "tau", "above 0", "jw_table2_correlation", Cells()),))
    assert find_claim(claim, [keep("wp_table2_uniform")]) == []


def test_settings_are_read_by_data_set_whatever_version_wrote_them(keep):
    new = keep(
        "wp_table2_uniform",
        jain_wallace={"recipe": {"epochs": 8, "first_epoch": False}, "seeds": [1, 2]},
        overrides={"snli": {"jain_wallace": {"recipe": {"epochs": 25}}}},
    )
    key = "jain_wallace.recipe.{0}|jain_wallace.recipes.*.{0}".format
    assert [*list_values(new, key("epochs"))] == [("sst", "8"), ("snli", "25")]
    assert [*list_values(new, key("first_epoch"))] == [("sst", "no"), ("snli", "no")]
    assert [*list_values(new, "jain_wallace.seeds")] == [("sst", "1, 2"), ("snli", "1, 2")]
    old = keep("wp_table2_uniform", jain_wallace={"recipes": {"default": {"epochs": 8}, "snli": {"epochs": 25}}})
    assert [*list_values(Kept(old.page, old.run, old.folder), key("epochs"))] == [("sst", "8"), ("snli", "25")]
