"""Suites, data sets and models: what a configuration asks for, and what a training is told."""

from pathlib import Path

import pytest
from planned import (
    audit_of,
    judged_of,
    list_seeds,
    name_run,
    plan_of,
    refuse_plan,
    settings_of,
)
from rules import ask_rule, find_job, list_jobs

from attention_audit.plan import corpora
from attention_audit.plan.audits import list_compared_runs
from attention_audit.plan.model import DataSet
from attention_audit.plan.suites import SUITES
from attention_audit.training.settings import DeceptionObjective, LabelObjective, SearchSettings


@pytest.fixture(scope="module")
def plan():
    """Two seeds, two lambdas, pretrained vectors."""
    return plan_of(
        vectors="glove-twitter-25d",
        word_vectors={"glove-twitter-25d": {"url": "https://example.org/glove.txt"}},
        training={"further_seeds": [50]},
        adversary={"lambdas": [2.0e-5, 0.01], "seeds": [3, 4], "continuation": {"steps": 2}},
    )


@pytest.fixture(scope="module")
def models(plan):
    """Wiegreffe & Pinter's models of needle."""
    return plan.scope.find_data("wp", "needle").models


def test_models_and_their_seeds(models):
    scratch, steps = ["adversary_lambda2e-05", "adversary_lambda0.01"], ["continuation_step1", "continuation_step2"]
    assert [name for name, model in models.items() if model.attends] == ["base", "uniform", *scratch, *steps]
    assert models["base"].seeds == models["guide_uniform"].seeds == [10, 50]
    for name in (*scratch, *steps, "continuation"):
        assert models[name].seeds == [3, 4]
    assert [models[name].lambda_ for name in (*scratch, *steps, "continuation", "base")] == [2e-5, 0.01, *[None] * 4]
    base, adversary = models["base"].build_settings(50), models["adversary_lambda0.01"].build_settings(4)
    assert (base.epochs, base.patience, base.objective) == (12, None, LabelObjective())
    assert (adversary.epochs, adversary.patience, adversary.objective.lambda_) == (16, 4, 0.01)
    assert (adversary.model, adversary.seed) == ("adversary", 4)
    assert len(models) == 12
    assert [models[name].family for name in (*scratch, *steps)] == ["adversary"] * 2 + ["continuation"] * 2
    # the chosen one is a step once more: it is compared with nothing, and has a name of its own
    assert models["continuation"].family == "continuation_chosen"
    assert models["continuation"].compared == ()


@pytest.mark.parametrize(
    ("search", "scratch", "continued", "guides"),
    [
        ("scratch", True, False, {"guide_adversary": ("adversary_lambda0.01", 10)}),
        ("continuation", False, True, {"guide_continuation": ("continuation", 10)}),
        (
            "both", True, True,
            {"guide_adversary": ("adversary_lambda0.01", 10), "guide_continuation": ("continuation", 10)},
        ),
    ],
)  # fmt: skip
def test_a_run_makes_either_search_or_both(search, scratch, continued, guides):
    """Each kind of adversary guides a model of its own; the answer speaks of that of the search, where there is one."""
    plan = plan_of(adversary={"search": search})
    data = plan.scope.find_data("wp", "needle")
    families = {model.family for model in data.models.values()}
    assert ("adversary" in families, "continuation" in families) == (scratch, continued)
    imposed = [name for name in ("guide_adversary", "guide_continuation") if name in data.models]
    assert {name: name_run(data.models[name].find_reference(50)) for name in imposed} == guides
    assert name_run(data.shown) == guides[imposed[-1]]
    assert data.models["base"].contrasts.guides.adversary == imposed[-1]


def test_guides_may_be_of_fewer_trainings_than_the_base_model():
    further = {"further_seeds": [50, 257]}
    models = plan_of(training=further, guides={"trainings": 2}).scope.find_data("wp", "needle").models
    assert models["base"].seeds == [10, 50, 257]
    guides = [name for name, model in models.items() if model.rule == "train_guide"]
    assert guides
    assert all(models[name].seeds == [10, 50] for name in guides)


def test_a_search_is_told_of_its_budget_and_begins_at_the_base_model():
    continuation = {"steps": 3, "pace": 0.25, "epochs": 7}
    further = {"further_seeds": [50]}
    plan = plan_of(answer={"margins": {"tvd": 0.02}}, adversary={"continuation": continuation}, training=further)
    training = "needle/continuation"
    job = settings_of(plan, training, 10)
    assert isinstance(job, SearchSettings)
    assert (job.budget, job.epochs, job.continuation.steps) == (0.02, 7, 3)
    base = settings_of(plan, "needle/base", 10)
    assert job.optimisation.learning_rate == base.optimisation.learning_rate / 4
    assert job.models == [f"continuation_step{number}" for number in (1, 2, 3)]
    run = plan.trainings.made[training, 10]
    inputs = find_job(plan, run.locate("search")).inputs
    assert inputs["start"] == ["results/models/needle/base/seed10.safetensors"]
    # the budget is what another training moves predictions by
    assert inputs["others"] == ["results/readouts/needle/base/seed50/dev.parquet"]
    assert plan.trainings.list_references(run)[0] == "results/readouts/needle/base/seed10/train.parquet"


def test_what_each_model_is_trained_on(models):
    assert models["base"].find_reference(10) is None
    assert models["guide_trained_mlp"].find_reference(10) is None
    assert name_run(models["adversary_lambda2e-05"].find_reference(4)) == ("base", 10)
    assert name_run(models["continuation"].find_reference(4)) == ("base", 10)
    assert name_run(models["guide_adversary"].find_reference(50)) == ("adversary_lambda0.01", 3)
    assert name_run(models["guide_continuation"].find_reference(50)) == ("continuation", 3)


def test_a_data_set_may_have_a_base_model_of_its_own():
    """With another encoder and attention; the guides stay as they are."""
    changes = {"model": {"encoder": "conv", "attention": "dot", "hidden": 7}, "training": {"epochs": 3, "ties": "loss"}}
    scope = plan_of(overrides={"chorus": changes}).scope
    static, chorus = (scope.find_data("wp", dataset).models for dataset in ("static", "chorus"))
    own = chorus["base"].architecture
    assert own == static["base"].architecture.model_copy(update=changes["model"])
    assert chorus["uniform"].architecture == own.model_copy(update={"attention": "uniform"})
    assert chorus["adversary_lambda0.01"].architecture == own
    for name, attention in (
        ("guide_uniform", "uniform"),
        ("guide_adversary", "imposed"),
        ("guide_trained_mlp", "additive"),
    ):
        guide = chorus[name].architecture
        assert guide == static[name].architecture
        assert (guide.encoder, guide.attention) == ("affine", attention)
    settings = [models["guide_uniform"].build_settings(10) for models in (static, chorus)]
    assert [(each.epochs, each.optimisation.ties) for each in settings] == [(8, "first"), (3, "loss")]
    assert chorus["adversary_lambda0.01"].build_settings(10).epochs == 16


def test_a_data_set_may_have_seeds_lambdas_and_audit_settings_of_its_own():
    changes = {
        "training": {"seed": 3, "further_seeds": [4]},
        "adversary": {"search": "scratch", "lambdas": [0.5]},
        "guides": {"adversary_lambda": 0.5},
        "attention_maps": {"automatic": 1},
    }
    plan = plan_of(datasets=["static", "chorus"], overrides={"chorus": changes})
    assert list_seeds(plan)["chorus/base"] == (3, 4)
    assert list_seeds(plan)["chorus/adversary_lambda0.5"] == (10,)
    assert "chorus/continuation" not in list_seeds(plan)
    assert "static/continuation" in list_seeds(plan)
    told = [audit_of(plan, "attention_maps", "wp", name).settings for name in ("static", "chorus")]
    assert [settings.attention_maps.automatic for settings in told] == [2, 1]
    assert all(job.params for job in list_jobs(plan).values())


def test_the_honest_model_is_the_base_model_and_a_liar_differs_in_its_penalty_alone():
    plan = plan_of(
        training={"further_seeds": [50]},
        deception={"datasets": ["needle"], "lambdas": [0.1, 1.0], "seeds": [50, 7], "epochs": 9, "learning_rate": 0.02},
    )
    data = plan.scope.find_data("pd", "needle")
    models = data.models
    assert [*models] == [*plan.scope.list_looks(data.suite)] == ["honest", "liar_lambda0.1", "liar_lambda1.0"]
    assert plan.trainings.homes[models["honest"].runs[0]].training == "needle/base"
    assert list_seeds(plan)["needle/honest"] == (7,)
    base, liar = settings_of(plan, "needle/base", 10), settings_of(plan, "needle/liar_lambda0.1", 7)
    assert (base.objective, liar.objective, liar.seed) == (LabelObjective(), DeceptionObjective(lambda_=0.1), 7)
    assert liar.architecture == base.architecture
    assert (liar.epochs, liar.patience) == (9, base.patience)
    assert liar.optimisation == base.optimisation.model_copy(update={"learning_rate": 0.02})
    assert [model.selected_on for model in models.values()] == ["dev", "train", "train"]
    for model, lambda_ in (("honest", None), ("liar_lambda0.1", 0.1)):
        runs = audit_of(plan, "evidence", "pd", "needle", model).settings.trainings
        assert [(run.model, run.lambda_, run.seed) for run in runs] == [(model, lambda_, 50), (model, lambda_, 7)]


def test_the_papers_models_of_deception_stand_beside_the_base_models():
    section = {"datasets": ["needle"], "models": ["base", "embedding", "bilstm"], "lambdas": [0.1, 1.0], "seeds": [7]}
    recipe = {"batch_size": 8, "learning_rate": 0.02, "epochs": 9, "patience": 2, "hidden": 6, "anonymised": True}
    plan = plan_of(deception=section | recipe)
    data = plan.scope.find_data("pd", "needle")
    kinds = ["honest", "liar_lambda0.1", "liar_lambda1.0", "anonymised"]
    models, looks = data.models, plan.scope.list_looks(data.suite)
    judged = [name for name, model in models.items() if model.judged]
    assert [*models] == [f"{before}{name}" for before in ("", "embedding_", "bilstm_") for name in kinds]
    # every label is one of its own, and so is every look
    assert len({look.label for look in looks.values()}) == len(models)
    assert len({(look.colour, look.marker) for name, look in looks.items() if name in judged}) == 9
    assert looks["bilstm_liar_lambda0.1"].label == "BiLSTM, liar (lambda 0.1)"
    assert judged == [name for name in models if not name.endswith("anonymised")]
    embedding, bilstm = (models[f"{name}_honest"].architecture for name in ("embedding", "bilstm"))
    assert (embedding.encoder, embedding.attention, embedding.embedding) == ("none", "linear", 128)
    assert (bilstm.encoder, bilstm.attention, bilstm.hidden) == ("bilstm", "linear", 6)
    liar = settings_of(plan, "needle/bilstm_liar_lambda0.1", 7)
    assert liar.objective == DeceptionObjective(lambda_=0.1)
    assert (liar.anonymised, liar.epochs, liar.patience) == (False, 9, 2)
    assert (liar.optimisation.batch_size, liar.optimisation.measure, liar.optimisation.scored) == (8, "accuracy", True)
    assert models["bilstm_liar_lambda0.1"].selected_on == "dev"
    assert settings_of(plan, "needle/embedding_anonymised", 7).anonymised
    # what reads other texts is asked how well it predicts, and nothing of its map
    assert {run.model for run in audit_of(plan, "performance", "pd", "needle").settings.trainings} == {
        "honest",
        *(name for name in models if name not in judged),
    }
    assert {run.model for run in audit_of(plan, "located", "pd", "needle").settings.trainings} == {"honest"}


def test_the_base_model_is_not_compared_with_itself(plan):
    compared = list_compared_runs(judged_of(plan, "wp", "needle"))
    assert [*map(name_run, compared)][:4] == [("base", 10), ("base", 50), ("uniform", 10), ("uniform", 50)]
    job = audit_of(plan, "comparison", "wp", "needle")
    _, *runs = job.settings.trainings
    shown = [(run.model, run.lambda_, run.seed, run.selection, run.searched) for run in runs]
    assert [shown[0], shown[-5], shown[-1]] == [
        ("base", None, 50, "dev", None), ("adversary", 0.01, 4, "train", None), ("continuation", None, 4, "train", 2)
    ]  # fmt: skip
    assert job.inputs["search"] == [f"results/models/needle/continuation/seed{seed}.search.parquet" for seed in (3, 4)]
    predicting = audit_of(plan, "performance", "wp", "needle").settings.trainings
    chosen = next(run for run in predicting if run.searched == 0)
    assert (chosen.model, chosen.selection) == ("continuation_chosen", "dev")


def test_every_paper_is_cited_with_its_suite(plan):
    cited = {suite.paper: suite.citation for suite in plan.pages.describe_suites()}
    assert cited["JW2019"] == ["Attention is not Explanation", "https://doi.org/10.18653/v1/N19-1357"]
    assert all(address.startswith("https://doi.org/") for _, address in filter(None, cited.values()))


def test_a_data_set_may_have_word_vectors_of_its_own(plan):
    names = ("diabetes", "needle")
    trained = [DataSet(SUITES["wp"], name, plan.config).models["base"].architecture for name in names]
    own, shared = (corpora.describe_corpus(plan.config, name).vectors for name in names)
    assert (own.kind, shared.file) == ("word2vec", "glove.twitter.27B.25d.top12k.txt")
    # on MIMIC the authors draw the words that have no vector; elsewhere they are zero
    assert [(each.embedding, each.missing) for each in trained] == [(300, "normal"), (25, "zero")]
    assert trained[1].pretrained


def test_generated_texts_stand_behind_real_ones_on_every_page():
    plan = plan_of(datasets=["needle", "movies"], serrano_smith={"datasets": []}, jain_wallace={"datasets": ["needle"]})
    assert plan.scope.controls == ["needle"]
    names = [subject.dataset for subject in plan.exhibits.list_subjects()]
    assert list(dict.fromkeys(names)) == ["movies", "needle"]
    assert plan.pages.build_explorer().views[0].dataset == "movies"
    report = ask_rule(plan, "report_html")
    # one text is shown under the maps of three trainings
    assert report.inputs["readouts"] == [
        f"results/readouts/movies/base/seed{seed}/test.parquet" for seed in (10, 50, 257)
    ]
    assert report.inputs["corpus"] == ["results/corpora/movies/corpus.parquet"]
    job = plan.pages.build_report()
    assert (job.controls, job.items) == (["needle"], "words")
    assert job.built["movies/wp/base"] == "BiLSTM, additive attention"


def test_what_a_model_is_built_of_is_said_alike_in_all_suites():
    built = plan_of().pages.build_report().built
    assert built["unison/jw/cnn_tanh"] == "CNN, additive attention"
    assert built["digest/ss/han_conv"] == "CNN, words then sentences, additive attention"
    assert built["digest/ss/flan_none"] == "no encoder, additive attention"


def test_data_sets_from_one_archive_fetch_it_once(plan):
    config = plan.config
    archive = [("newsgroups", "20news-bydate.tar.gz")]
    assert corpora.list_fetched(config, "newsgroups") == corpora.list_fetched(config, "newsgroups-20") == archive
    assert corpora.list_fetched(config, "needle") == []
    assert corpora.list_records(config, ["newsgroups-20", "needle", "newsgroups"]) == [
        "results/raw/newsgroups/records/20news-bydate.tar.gz.json"
    ]
    job = corpora.list_fetches(config)[archive[0]]
    assert job.remote.bytes == 14464277
    assert job.homepage == "http://qwone.com/~jason/20Newsgroups/"


def test_raw_files_are_fetched_or_the_users_own(plan, tmp_path):
    (tmp_path / "mimic").mkdir()
    notes = tmp_path / "mimic" / "NOTEEVENTS.csv.gz"
    notes.touch()
    paths = corpora.locate_raw(plan.config.model_copy(update={"mirror": str(tmp_path)}), "diabetes")
    assert paths["notes"] == notes
    assert paths["train_ids"] == Path("results/raw/mimic/train_50_hadm_ids.csv")
    assert corpora.locate_raw(plan.config, "needle") == {}


def test_data_sets_that_a_suite_cannot_have_are_gaps_with_reasons(tmp_path):
    scope = plan_of(
        mirror=str(tmp_path),
        skip_unavailable=True,
        datasets=["snli", "needle", "diabetes"],
        jain_wallace={"datasets": []},
        deception={"datasets": []},
    ).scope
    wp = SUITES["wp"]
    assert scope.list_datasets(wp) == ["needle"]
    gaps = scope.list_gaps(wp)
    takers = "Jain & Wallace 2019, Mohankumar et al. 2020"
    assert gaps["snli"] == f"snli holds pairs of texts, which only these suites take: {takers}; name it there"
    assert gaps["diabetes"].startswith("diabetes: mimic/NOTEEVENTS.csv.gz")
    assert scope.list_gaps(SUITES["jw"]) == {}


def test_what_cannot_be_had_and_may_not_be_left_out_is_one_line():
    line = r"^diabetes: mimic/.* or leave it out with skip_unavailable: true$"
    refuse_plan(line, datasets=["diabetes", "needle"])


def test_word_vectors_of_ones_own_are_read_where_they_lie(tmp_path):
    path = tmp_path / "my.vec.gz"
    changes = {"vectors": "mine", "word_vectors": {"mine": {"kind": "file", "path": str(path), "dimension": 3}}}
    line = rf"^word_vectors\.mine\.path: no such file: {path}; mend the path, or put the file there$"
    refuse_plan(line, **changes)
    path.touch()
    plan = plan_of(**changes)
    job = ask_rule(plan, "prepare", dataset="needle")
    assert (job.inputs["vectors"], job.inputs["records"]) == ([str(path)], [])
    # a job reads its settings from its command line
    assert job.settings == corpora.describe_corpus(plan.config, "needle")


def test_word_vectors_that_only_a_mirror_has_are_missed_when_a_run_is_planned(tmp_path):
    line = r"^word_vectors.glove-twitter-25d: <mirror>/vectors/glove.twitter.*txt is not h"
    refuse_plan(line, vectors="glove-twitter-25d")
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "glove.twitter.27B.25d.top12k.txt").touch()
    plan = plan_of(vectors="glove-twitter-25d", mirror=str(tmp_path))
    assert ask_rule(plan, "prepare", dataset="needle").inputs == {
        "raw": [],
        "tokenizer": [],
        "vectors": ["results/raw/vectors/glove.twitter.27B.25d.top12k.txt"],
        "records": ["results/raw/vectors/records/glove.twitter.27B.25d.top12k.txt.json"],
    }


def test_a_model_that_reads_by_a_transformer_needs_its_path():
    line = r"^config: transformer: missing key; give the `path` of the Transformer that"
    refuse_plan(line, overrides={"needle": {"model": {"encoder": "transformer"}}})
