"""What would decide an open word: ways worked by hand or by other formulas, and runs that are continued as told."""

import math
from datetime import UTC, datetime
from functools import partial
from math import inf, nan, sqrt

import numpy as np
import pytest
from scipy import stats
from summaries import answer, row

from attention_audit.answer.deciding import BOTH, NONE, PROBABLE, TEXTS, More, Present, decides, deciding, would_decide
from attention_audit.answer.intervals import NORMAL, Effect
from attention_audit.answer.questions import used
from attention_audit.answer.settings import Margins
from attention_audit.answer.sizes import spare
from attention_audit.answer.words import UNDECIDED, YES
from attention_audit.artefacts.journal import Entry, Machine
from attention_audit.report.costs import Costs, costs_of, price_of
from attention_audit.tables.asked import Answer, answered, flattened, refuted
from attention_audit.tables.summary import columns_of
from makers.calibration.continuing import WANTED, continued, section


def tell(value, half, apart, *, fixed=False, trainings=1.0, texts=1.0, number=5):
    """An effect on 100 texts, which bring `half` to the half-width, as so many trainings bring `apart`."""
    width = math.hypot(half / sqrt(texts), 0 if fixed else apart / sqrt(trainings))
    return Effect(value, value - width, value + width, number, 100)


def present(question, margin, each, half, apart=0.0, number=5):
    asked = partial(tell, sum(each) / len(each), half, apart, number=number)
    return Present(question, margin, asked, asked(), asked(fixed=True), each if number > 1 else [])


def test_more_texts_of_one_training_are_those_of_the_normal_distribution():
    value, margin, half = 0.59, 0.5, 0.12

    def probability(times):
        """A longer run has the effect of this one give or take what it adds to it, and a shorter interval."""
        moved, width = half / NORMAL * sqrt(1 - 1 / times), half / sqrt(times)
        above, below = (stats.norm.sf((width - sign * (value - margin)) / moved) for sign in (1, -1))
        return above + below

    [way] = deciding(present("located", margin, [value], half, number=1))
    assert way.trainings == 0
    found = [round(100 * (times - 1)) for times in TEXTS].index(way.texts)
    # 200 draws tell a probability give or take .06
    assert probability(TEXTS[found]) > PROBABLE - 0.06
    assert probability(TEXTS[found - 1]) < PROBABLE + 0.06
    assert probability(TEXTS[0]) < 0.5


def test_where_one_training_lies_apart_more_trainings_decide_and_more_texts_do_not():
    # the mean is .81; as long as one of them is below .5, a word must be of the next training too
    run = present("located", 0.5, [0.9, 0.88, 0.92, 0.9, 0.45], 0.02, apart=0.25)
    [way] = deciding(run)
    assert way.texts == 0
    assert spare("located", 0.5, 5 + way.trainings) < 0.81 - 0.5
    assert decides(run, way)
    assert not decides(run, way._replace(trainings=way.trainings - 1))


def test_where_neither_is_enough_both_are():
    # .3 is further than the effect lies from the margin, however many trainings there are, which lie on both sides
    run = present("located", 0.5, [0.85, 0.8, 0.75, 0.9, 0.49], 0.3, apart=0.2)
    [way] = deciding(run)
    assert way.trainings > 0
    assert way.texts == (BOTH - 1) * 100


def test_trainings_that_were_not_made_are_not_foretold_from_one_or_from_pairs():
    pairs = present("stable", 0.5, [0.7, 0.4, 0.6], 0.01, apart=0.2, number=3)
    assert deciding(pairs) == [NONE]
    at_margin = present("located", 0.5, [0.5], 0.1, number=1)
    assert [way.trainings for way in deciding(at_margin)] == [0]


def test_nothing_is_foretold_of_what_cannot_be_bounded():
    effect = Effect(0.4, -inf, inf, 3, 100)
    assert deciding(Present("located", 0.5, lambda **_: effect, effect, effect, [nan, 0.4, 0.5])) == [NONE]


def test_an_undecided_answer_holds_what_would_decide_it():
    tvd = np.random.default_rng(1).gamma(0.5, 0.12, (1, 400))
    answer = answered("used", Margins(), partial(used, tvd))
    assert answer.word == UNDECIDED
    [way] = answer.more
    assert way.trainings == 0
    columns = columns_of("used", answer)
    assert (columns["used_more_trainings"], columns["used_more_texts"]) == ([0], [way.texts])
    # decided, or flat: nothing would decide it
    assert answered("used", Margins(), partial(used, tvd + 0.2)).more == ()
    assert flattened(answer, np.zeros((1, 400)), Margins()).more == ()


def test_what_refutes_no_map_may_need_more_texts_or_another_training():
    no = Answer("no", Effect(0.2, 0.1, 0.3, 1, 400), 0.5)

    def within(value):
        return present("unique", 0.05, [value], 0.01, number=1)

    surely, unsure, beyond = within(0.03), within(0.043), within(0.055)
    [way] = refuted(no, unsure, None).more
    assert way.trainings == 0 < way.texts
    assert refuted(no, surely, None).more == [More(1, 0)]
    assert refuted(no, surely, Effect(0.1, 0.05, 0.2, 1, 400)) == no
    # no text takes an adversary back within the budget
    assert refuted(no, beyond, None).more == [NONE]


def told(trainings, texts, of=5, low=0.4, price=lambda *_: ""):
    cells = {"located_trainings": of, "located_texts": 100}
    cells |= {"located_more_trainings": trainings, "located_more_texts": texts}
    return would_decide(row("base", answer("located", UNDECIDED, 0.5, low, 0.6), cells), "located", price)


def test_ways_are_told_with_their_price():
    assert told([3, 0], [0, 1200]) == "3 more trainings, or 1200 more texts"
    assert told([1], [900], price=lambda *way: f"{way}") == (
        "1 more training with 900 more texts ((More(trainings=1, texts=900), 5, 100))"
    )
    assert told([0], [0]) == "neither 200 more trainings nor 30 times the texts"
    assert told([0], [0], of=1) == "not even 30 times the texts; of more trainings, one does not tell"
    assert told([0], [0], low=-inf) == "nothing that can be foretold, since the effect cannot be bounded"
    assert (
        told([0], [0], of=1, low=0.51)
        == told([0], [0], of=0, low=nan)
        == ("no number of trainings or texts, but what its note says")
    )
    # of a run before anybody tried
    assert told([], []) == ""
    assert would_decide(row("base", answer("located", YES, 0.8, 0.7, 0.9)), "located") == ""


def test_a_longer_run_costs_its_trainings_and_all_audits():
    machine = Machine("cpu", 2, 0, None, "Linux")

    def job(stage, inputs, outputs, seconds):
        return Entry(stage, tuple(inputs), tuple(outputs), datetime.now(UTC), 0.0, seconds, 0, 0.0, machine)

    readouts = {seed: f"r/readouts/sst/wp/base/seed{seed}/test.parquet" for seed in (10, 50, 257)}
    twin = "r/readouts/sst/wp/uniform/seed50/test.parquet"
    adversary = "r/readouts/sst/wp/adversary_lambda0.1/seed10/test.parquet"
    entries = [
        *(
            job("train", [], [f"r/models/sst/wp/base/seed{seed}.safetensors", path], 60)
            for seed, path in readouts.items()
        ),
        job("train", [], [twin], 30),
        job("search", [], [adversary], 600),
        job("train", [], ["r/readouts/sst/jw/lstm_tanh/seed10/test.parquet"], 999),
        job("audits", [*readouts.values(), twin, adversary], ["r/audits/sst/wp/located.parquet"], 90),
        job("audits", ["r/corpora/sst/corpus.parquet"], ["r/audits/sst/jw/located.parquet"], 999),
    ]
    costs = costs_of(entries, "sst", "wp")
    # of seeds with 660, 90 and 60 seconds the middle one is what another seed trains
    assert costs == Costs(seed=90, trainings=810, audits=90)
    # two seeds, and audits of five trainings in place of three
    assert costs.minutes(More(2, 0), 3, 100) == pytest.approx((2 * 90 + 90 * 5 / 3) / 60)
    # all trainings again, and audits of twice the texts
    assert costs.told(More(0, 100), 3, 100) == "about 16 CPU min"
    assert price_of(entries, "imdb", "wp")(More(1, 0), 3, 100) == ""


def test_undecided_runs_that_are_continued_as_told_come_to_a_word():
    found = continued(40)
    ways = [each.decided for each in found if each.way != NONE]
    assert len(ways) >= 40
    assert sum(ways) / len(ways) >= WANTED
    page = section(found)
    assert f"{100 * sum(ways) / len(ways):.0f} % of {len(ways)} ways" in page
    assert f"{len(found) - len(ways)} other undecided runs" in page
