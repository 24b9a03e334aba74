"""The search of a token's furthest map: it finds what is known to be there, and never more."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import torch
from planned import ROOT

from attention_audit.answer.lines import write_share
from attention_audit.api.generating import read_prompts
from attention_audit.audits.token_adversary import (
    Search,
    find_ceiling,
    list_groups,
    measure_chance,
    read_map,
    search_maps,
)
from attention_audit.audits.token_cases import make_cases
from attention_audit.divergence import LN2
from attention_audit.model.generator import Generator
from attention_audit.transformer.constructed import build_decoder
from attention_audit.transformer.in_memory import hold_model
from attention_audit.transformer.states import set_piece_limit
from makers.token_adversary import (
    AS_ASKED,
    OTHER_STARTS,
    average_best,
    describe,
    find_copy_optimum,
    find_highest,
)

MARK, FILLERS = "here", [f"w{number}" for number in range(30)]
PROMPTS = ["w3 here w7 w1 w9 w2 w20 w11 w8 w13 w5", "w21 w4 here w12 w6 w10 w0 w1 w29 w15 w18", "w2 here w4 w8 w9 w1"]


@cache
def read_decoder(copies):
    model, pieces = build_decoder([MARK, *FILLERS], MARK, copies, 0)
    generator = Generator(hold_model(model, pieces, "model", True))
    read = read_prompts(pieces, PROMPTS, "en", "word", None)
    following = [generator.generate(context.ids, 1) for _, context in read]
    cases = make_cases(pieces, read, following, [()] * len(read), False)
    return generator, cases, [generator.read_row(case.context.ids) for case in cases]


@pytest.mark.parametrize("layers", [1, 2])
def test_any_map_of_a_decoder_that_bypasses_it_would_do(layers):
    generator, cases, rows = read_decoder(False)
    found = search_maps(generator, cases[:2], rows[:2], Search(steps=150), layers, 1)
    assert found.shape == (2, 2, 151)
    for case, row, distances in zip(cases, rows, found[..., -1], strict=False):
        assert find_highest(case, row, layers) == pytest.approx(LN2, abs=1e-3)
        assert 0.99 * LN2 < distances.max() <= LN2
        assert 0.4 < measure_chance(case, row, layers, 1) < LN2


@pytest.mark.parametrize(("layers", "optimum"), [(1, 0.15492), (2, 0.42403)])
def test_what_a_decoder_that_copies_leaves_free_is_found(layers, optimum):
    """Its upper row must stay at the copied place with .62 of its weight; its lower one is free."""
    generator, cases, rows = read_decoder(True)
    found = search_maps(generator, cases[:2], rows[:2], Search(steps=150), layers, 1)[..., -1].max(1)
    for case, row, distance in zip(cases, rows, found, strict=False):
        assert find_copy_optimum(case, row, layers) == pytest.approx(optimum, abs=1e-5)
        assert 0.97 * optimum < distance < 1.002 * optimum


def test_a_longer_search_finds_no_less():
    generator, cases, rows = read_decoder(True)
    [found] = search_maps(generator, cases[:1], rows[:1], Search(("own", "far"), 30), 2, 1)
    assert (np.diff(found) >= 0).all()
    assert found[0, 30] > found[0, 10] > 0
    # far away the prediction is lost
    assert found[1, 0] == 0


def test_tokens_are_searched_together_as_by_themselves():
    generator, cases, rows = read_decoder(True)
    search = Search(steps=10)
    together = search_maps(generator, cases[:2], rows[:2], search, 2, 1)
    for at in (0, 1):
        [alone] = search_maps(generator, cases[at : at + 1], rows[at : at + 1], search, 2, 1)
        np.testing.assert_allclose(together[at], alone, atol=1e-4)


def test_contexts_of_one_length_are_searched_together():
    _, cases, _ = read_decoder(True)
    assert [group.tolist() for group in list_groups(cases, 2)] == [[2], [0, 1]]
    # twelve pieces each
    with set_piece_limit(40):
        assert [group.tolist() for group in list_groups(cases, 2)] == [[2], [0], [1]]


def test_the_furthest_map_is_one_unit():
    """JSD of (1, 0) from (3/4, 1/4): half of ln(8/7) + 3/4 ln(6/7) + 1/4 ln 2; of (0, 1) likewise."""
    ceiling = find_ceiling(torch.tensor([0.75, 0.25], dtype=torch.float64))
    expected = [
        (np.log(8 / 7) + 0.75 * np.log(6 / 7) + 0.25 * np.log(2)) / 2,
        (np.log(8 / 5) + 0.75 * np.log(2) + 0.25 * np.log(2 / 5)) / 2,
    ]
    np.testing.assert_allclose(ceiling, expected, atol=1e-12)


def test_a_map_is_the_mean_of_rows_without_marks():
    _, cases, rows = read_decoder(True)
    units, seen = read_map(cases[2], rows[2], 2)
    weights = rows[2].weights[:, :, 1:]
    torch.testing.assert_close(units, weights)
    torch.testing.assert_close(seen, weights.mean((0, 1)) / weights.mean((0, 1)).sum())


def test_the_page_says_what_the_study_found():
    rows = pd.read_csv(ROOT / "docs" / "images" / "token_adversary.csv")
    page = " ".join((ROOT / "docs" / "generation.md").read_text(encoding="utf-8").split())
    asked = rows[(rows["setting"] == AS_ASKED) & ~rows["start"].isin(OTHER_STARTS)]
    model = asked[asked["subject"] == "SmolLM2"]
    assert model["token"].nunique() == 10
    every, last = (average_best(model[layers]) for layers in (model["layers"] > 1, model["layers"] == 1))
    short, long, chance, ceiling, alone = map(
        write_share,
        (
            every.at[75, "jsd"],
            every.at[300, "jsd"],
            every.at[300, "chance"],
            every.at[300, "ceiling"],
            last.at[100, "jsd"],
        ),
    )
    assert f"SmolLM2 it finds {short} in 75 steps and {long} in 300, where shuffles lie at {chance} and" in page
    assert f"none beyond {ceiling}; in the last layer {alone} in 100." in page
    constructed = asked[asked["subject"].isin(["bypassed", "copies"])].groupby(["subject", "layers"])
    best = [average_best(group).iloc[-1] for _, group in constructed]
    share = min(100 * each["jsd"] / each["known"] for each in best)
    assert f"known, it finds {int(share)} % of it or more." in page
    # else the line might say "yes"
    assert describe(rows).endswith("not settled")
