"""Figures that have a panel a data set and model: what all of them do."""

import figure_rows
import pandas as pd
import pytest
from drawn import assert_readable, titles, written
from labels import JW, SS

from attention_audit.errors import AuditError
from attention_audit.figures.by_weight import jw_fig_adversary, jw_fig_permutation
from attention_audit.figures.correlation import jw_fig_agreement, jw_fig_correlation, wp_fig_contributions
from attention_audit.figures.erasure import ss_fig3_delta_js, ss_fig5_fraction_removed, ss_fig_aopc

FIGURES = {
    jw_fig_correlation: (figure_rows.correlation, JW),
    jw_fig_permutation: (figure_rows.permutation, JW),
    jw_fig_adversary: (figure_rows.adversary, JW),
    jw_fig_agreement: (figure_rows.agreement, JW),
    wp_fig_contributions: (figure_rows.contributions, JW),
    ss_fig3_delta_js: (figure_rows.single_weight, SS),
    ss_fig5_fraction_removed: (figure_rows.ranked_sets, SS),
    lambda rows, models: ss_fig_aopc([rows], models): (figure_rows.ranked_sets, SS),
}
every_figure = pytest.mark.parametrize(
    ("draw", "make", "names"),
    [(draw, *how) for draw, how in FIGURES.items()],
    ids=lambda value: getattr(value, "__name__", ""),
)


@every_figure
@pytest.mark.parametrize("many", [1, 2, 5])
def test_no_text_hides_another_or_leaves_the_page(draw, make, names, many):
    shown = list(names)
    models = {"newsgroups-20": shown[-3:], "a-data-set-with-a-name-too-long-for-one-line": shown[:2]}
    assert_readable(draw(make({"snli": shown[:many]} if many < 5 else models), names))


@every_figure
def test_panels_are_named_in_the_papers_order(draw, make, names):
    first, second = list(names)[:2]
    figure = draw(make({"snli": [second, first], "sst": [first]}), names)
    expected = [
        f"{dataset}\n{names[model].label}" for dataset, model in (("SNLI", first), ("SNLI", second), ("SST", first))
    ]
    named = [title for title in titles(figure) if title.startswith(("SNLI", "SST"))]
    assert ["\n".join(title.split("\n")[:2]) for title in named] == expected


@every_figure
def test_words_may_be_categories(draw, make, names):
    frame = make({"snli": list(names)[:2]})
    words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    categories = frame.astype(dict.fromkeys(words, "category"))
    assert written(draw(frame, names)) == written(draw(categories, names))


@every_figure
def test_a_model_without_a_look_is_refused(draw, make, names):
    with pytest.raises(AuditError, match=r"^model 'gpt' is not known .* declare it in plan/papers$"):
        draw(make({"sst": [next(iter(names)), "gpt"]}), names)


@pytest.mark.parametrize(
    ("draw", "make", "changes", "line"),
    [
        (jw_fig_agreement, figure_rows.agreement, {"second": "shap"}, "attribution 'shap' .* ATTRIBUTIONS"),
        (jw_fig_correlation, figure_rows.correlation, {"pair": "attention~shap"}, "attribution 'shap' .* ATTRIBUTIONS"),
        (ss_fig5_fraction_removed, figure_rows.ranked_sets, {"ranking": "oracle"}, "ranking 'oracle' .* RANKINGS"),
        (
            lambda *of: ss_fig_aopc([of[0]], of[1]),
            figure_rows.ranked_sets,
            {"ranking": "oracle"},
            "ranking 'oracle' .* RANKINGS",
        ),
    ],
)
def test_a_name_without_a_look_is_refused(draw, make, changes, line):
    names = SS if make is figure_rows.ranked_sets else JW
    with pytest.raises(AuditError, match=rf"^{line} of attention_audit/names\.py$"):
        draw(make({"sst": list(names)[:1]}).assign(**changes), names)
