"""The tables of Jain & Wallace's tests, with every number worked by hand."""

import math

import pandas as pd
import pytest
from labels import JW, LABELS
from tabled import assert_fits, cells, performance

from attention_audit.audits import correlation as audit
from attention_audit.columns.audits import CORRELATION
from attention_audit.errors import AuditError
from attention_audit.names import Look, Names
from attention_audit.tables.papers import STATISTICS, jw_table1_performance, jw_table2_correlation
from attention_audit.tables.shown import render, show_table
from attention_audit.tables.wording import collect_labels, write_name

PAIRS = list(map("~".join, audit.list_pairs(["gradient", "gradient_attached", "loo"])))
NAN = math.nan


def correlation(taus, predictions=None, model="lstm_tanh", dataset="sst", pair="attention~gradient", seed=1, **more):
    """(tau, p) of each text, as columns.CORRELATION rows."""
    tau, p = zip(*taus, strict=True)
    about = {"dataset": dataset, "model": model, "seed": seed, "pair": pair, "tokens": 9, "top_k_overlap": 0.4}
    ids = [f"text {number}" for number in range(len(taus))]
    measured = {"prediction": predictions or [0] * len(taus), "tau": tau, "p": p}
    # words are categories, as files are read
    words = dict.fromkeys(["dataset", "model", "id", "pair"], "category")
    return pd.DataFrame({"id": ids} | about | measured | more)[CORRELATION.schema.names].astype(words)


def census(*datasets):
    """columns.CENSUS frames by data set."""
    names = ["no", "perhaps", "yes", "a", "b"]
    return {dataset: pd.DataFrame({"label": range(5), "label_name": names}) for dataset in datasets}


CENSUS = census("sst", "snli", "babi-1", "mine")


def table2(*frames):
    return jw_table2_correlation(pd.concat(frames), CENSUS, JW)


@pytest.mark.parametrize(
    ("taus", "overlap", "expected"),
    [
        # mean 0.3, squares 0.01 + 0.25 + 0.01 + 0.25, less 0.09: variance 0.04
        ([(0.1, 0.2), (0.5, 0.01), (0.1, 0.05), (0.5, 0.06)], 0.4, [0.3, 0.2, 0.5, 0.4, 4, 0]),
        ([(0.2, 0.01), (NAN, NAN), (0.4, 0.2), (NAN, NAN)], [NAN, 0.2, 0.6, NAN], [0.3, 0.1, 0.5, 0.4, 4, 2]),
        ([(NAN, NAN)] * 3, 0.4, [NAN, NAN, NAN, 0.4, 3, 3]),
    ],
)
def test_table2_describes_tau_over_the_texts_where_it_is_defined(taus, overlap, expected, tmp_path):
    table = table2(correlation(taus, top_k_overlap=overlap))
    assert_fits(table, tmp_path)
    found = cells(table, "lstm_tanh/attention~gradient/overall")
    assert found == pytest.approx(dict(zip(STATISTICS, expected, strict=True)), nan_ok=True)


def test_table2_tells_predicted_classes_apart():
    taus = [(0.1, 0.5), (0.3, 0.5), (0.8, 0.01)]
    table = table2(correlation(taus, [1, 1, 0]))
    rows = [f"lstm_tanh/attention~gradient/{group}" for group in ("overall", "class_0", "class_1")]
    # of other data sets the paper has no class, and many classes are pooled
    for dataset, last in (("mine", 0), ("babi-1", 4)):
        assert set(table2(correlation(taus, [1, 1, last], dataset=dataset))["row"]) == {rows[0]}
    assert list(dict.fromkeys(table["row"])) == rows
    assert [cells(table, row)["tau"] for row in rows] == pytest.approx([0.4, 0.8, 0.2])
    assert [cells(table, row)["texts"] for row in rows] == [3, 1, 2]
    assert [cells(table, row)["significant"] for row in rows] == pytest.approx([1 / 3, 1, 0])


def test_table2_follows_a_text_whose_class_changes_with_the_seed():
    later = correlation([(0.1, 0.5), (0.3, 0.5)], [0, 1], seed=2)
    table = table2(later, correlation([(0.5, 0.5), (0.7, 0.5)], [0, 0], seed=1))
    overall, zero, one = (f"lstm_tanh/attention~gradient/{group}" for group in ("overall", "class_0", "class_1"))
    assert cells(table, overall)["tau"] == pytest.approx(0.4)
    # of the seeds' means 0.6 and 0.2
    assert cells(table, overall, "sd")["tau"] == pytest.approx(math.sqrt(0.08))
    assert cells(table, zero)["tau"] == pytest.approx((0.5 + 0.7 + 0.1) / 3)
    assert (cells(table, zero)["texts"], cells(table, one)["texts"]) == (1.5, 0.5)
    assert set(table["seeds"]) == {2}


BY_CLASS = ("lstm_tanh", "attention~gradient")
"""The model and the pair of which the paper has numbers by class."""


def test_table2_sets_the_papers_correlations_beside_ours_in_their_order():
    taus = [(0.1, 0.5), (0.3, 0.5)]
    pairs = ("gradient~loo", "attention~loo", "attention~gradient_attached", "attention~gradient")
    models = ("average_tanh", "lstm_tanh")
    table = table2(*(correlation(taus, [0, 1], model=model, pair=pair) for model in models for pair in pairs))
    assert list(dict.fromkeys(table["row"])) == [
        f"{model}/{pair}/{group}"
        for model in ("lstm_tanh", "average_tanh")
        for pair in PAIRS
        for group in ("overall", *(("class_0", "class_1") if (model, pair) == BY_CLASS else ()))
    ]
    given = table[table["published"].notna()].set_index(["row", "metric"])["published"]
    assert given["lstm_tanh/attention~gradient/overall"].to_dict() == {
        "tau": 0.3512,
        "tau_sd": 0.2109,
        "significant": 0.49,
    }
    assert given["lstm_tanh/attention~loo/overall", "tau"] == 0.2913
    assert given["lstm_tanh/attention~gradient/class_1", "tau"] == 0.36
    assert not any("attached" in row or row.startswith("gradient") for row, _ in given.index)


def test_table1_shows_models_beside_the_authors_later_run(tmp_path):
    accuracy = performance({"average_tanh": [0.5], "lstm_tanh": [1.0]}, "babi-1", "accuracy", classes=6)
    table = jw_table1_performance(pd.concat([accuracy, performance({"lstm_tanh": [0.9]}, "babi-1", classes=6)]), JW)
    assert_fits(table, tmp_path)
    assert table[["row", "metric"]].to_numpy().tolist() == [
        ["lstm_tanh", "f1"],
        ["lstm_tanh", "accuracy"],
        ["average_tanh", "accuracy"],
    ]
    assert table["published"].tolist()[1:] == [1.0, 0.436]
    assert table["note"].tolist()[:2] == [
        "F1: macro average of 6 classes",
        "authors' later run: epoch selected on dev",
    ]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("lstm_tanh/attention~gradient/overall", "BiLSTM (additive), attention and gradient, overall"),
        ("average_dot/gradient~loo/class_2", "average (dot product), gradient and leave-one-out, class 2"),
        ("flan_none/attention/as_published", "FLANnoenc, attention, draw as published"),
        ("cnn_dot/attention~gradient_attached/overall", "CNN (dot product), attention and attached gradient, overall"),
    ],
)
def test_rows_are_called_by_what_they_hold(row, name):
    assert write_name(row, LABELS) == name


def render_lines(table, folder):
    """The lines of a table in markdown, beside which it stands in LaTeX."""
    render(table, folder / "t", "{}", show_table, LABELS)
    return (folder / "t.md").read_text().splitlines()


def test_tau_is_spelt_in_greek(tmp_path):
    table = table2(correlation([(0.1, 0.5), (NAN, NAN)]))
    head, _, first, *_ = render_lines(table, tmp_path)
    names = ("τ", "sd of τ over texts", "share with p ≤ 0.05")
    assert [cell.strip() for cell in head.split("|")[3:9]] == [
        f"{paper}{name}" for name in names for paper in ("", "paper: ")
    ]
    # one text with a value says nothing of others
    assert "| 0.100 [-1.000, 1.000] |" in " ".join(first.split())
    tex = (tmp_path / "t.tex").read_text()
    assert r"sd of $\tau$ over texts" in tex
    assert tex.isascii()


def test_predicted_classes_have_the_names_of_the_data(tmp_path):
    taus = [(0.1, 0.5), (0.3, 0.5)]
    frame = pd.concat([correlation(taus, [0, 1]), correlation(taus, [1, 1], dataset="mine")])
    names = {"mine": pd.DataFrame({"label": [-1, 0, 1], "label_name": ["", "no", "yes"]})}
    table = jw_table2_correlation(frame, census("sst") | names, JW)
    shown = table.drop_duplicates(["dataset", "row"])[["dataset", "class_name"]].to_numpy().tolist()
    assert shown == [["sst", ""], ["sst", "no"], ["sst", "perhaps"], ["mine", ""]]
    text = "\n".join(render_lines(table, tmp_path))
    assert "BiLSTM (additive), attention and gradient, predicted perhaps |" in text
    assert "class 1" not in text


def test_an_attribution_without_a_label_is_refused():
    with pytest.raises(AuditError, match=r"^attribution 'shap' is not known .* ATTRIBUTIONS of attention_audit/names"):
        table2(correlation([(0.1, 0.5)], pair="attention~shap"))


def test_a_name_with_two_labels_is_refused():
    other = Names("model", "here", {"lstm_tanh": Look("LSTM")})
    with pytest.raises(AuditError, match=r"'lstm_tanh' is called both 'BiLSTM \(additive\)' and 'LSTM' in tables"):
        collect_labels([JW.labels, other.labels], {})
