"""Suites, data sets and models: what a configuration asks for, and what a training is told."""

import re
from pathlib import Path
from typing import Any

import pytest
from planned import TRAINED, by_name, overlaid, plan_of

from attention_audit import code_hash as code
from attention_audit.code_hash import code_hash
from attention_audit.config import Config
from attention_audit.corpus.vectors import VectorFile
from attention_audit.errors import AuditError
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.jobs.train import SearchJob
from attention_audit.names import Names
from attention_audit.plan import corpora
from attention_audit.plan.auditing import code_of as code_of_audit
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.plan import LONGEST, Plan, as_json
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import Run, Suite
from attention_audit.plan.suites import SUITES
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.section import Section
from attention_audit.training.settings import AdversaryObjective, DeceptionObjective, LabelObjective


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Two seeds, two lambdas, pretrained vectors."""
    return plan_of(
        vectors="glove-twitter-25d",
        word_vectors={"glove-twitter-25d": {"url": "https://example.org/glove.txt"}},
        training={"further_seeds": [50]},
        adversary={"lambdas": [2.0e-5, 0.01], "seeds": [3, 4], "continuation": {"steps": 2}},
    )


@pytest.fixture(scope="module")
def config(plan: Plan) -> Config:
    """Its configuration."""
    return plan.config


@pytest.fixture(scope="module")
def suite(plan: Plan) -> Suite:
    """Wiegreffe & Pinter's suite of it."""
    return plan.scope.suite("wp")


def test_models_and_their_seeds(suite: Suite) -> None:
    scratch, steps = ["adversary_lambda2e-05", "adversary_lambda0.01"], ["continuation_step1", "continuation_step2"]
    assert suite.attending == ["base", "uniform", *scratch, *steps]
    assert suite.seeds("base") == suite.seeds("guide_uniform") == [10, 50]
    assert suite.seeds("adversary_lambda0.01") == [3, 4]
    assert suite.objective("needle", "adversary_lambda2e-05") == AdversaryObjective(lambda_=2e-5)
    assert suite.objective("needle", "base") == LabelObjective()
    assert suite.seeds("continuation_step2") == suite.seeds("continuation") == [3, 4]
    assert {suite.objective("needle", model).lambda_ for model in (*steps, "continuation")} == {None}
    assert len(suite.models) == 11
    assert [suite.family(model) for model in (*scratch, *steps)] == ["adversary"] * 2 + ["continuation"] * 2
    # the chosen one is a step once more: it is compared with nothing, and has a name of its own
    assert suite.family("continuation") == "continuation_chosen"
    assert "continuation" not in {run.model for run in suite.compared}


@pytest.mark.parametrize(
    ("search", "scratch", "continued", "lent"),
    [
        ("scratch", True, False, Run("adversary_lambda0.01", 10)),
        ("continuation", False, True, Run("continuation", 10)),
        ("both", True, True, Run("continuation", 10)),
    ],
)
def test_a_run_makes_either_search_or_both(search: str, scratch: bool, continued: bool, lent: Run) -> None:
    suite = plan_of(adversary={"search": search}).scope.suite("wp")
    families = {suite.family(model) for model in suite.models}
    assert ("adversary" in families, "continuation" in families) == (scratch, continued)
    assert ("continuation_chosen" in families) == continued
    assert suite.shown_adversary == suite.reference(Run("guide_adversary", 50)) == lent


def test_a_search_is_told_of_its_budget_and_begins_at_the_base_model() -> None:
    plan = plan_of(answer={"margins": {"tvd": 0.02}}, adversary={"continuation": {"steps": 3}})
    training = "needle/wp/continuation"
    job = plan.trainings.job(training, 10)
    assert isinstance(job, SearchJob)
    assert (job.budget, job.epochs, job.continuation.steps) == (0.02, 2, 3)
    assert job.models == [f"continuation_step{number}" for number in (1, 2, 3)]
    assert plan.trainings.trained(training, 10).inputs["start"] == ["results/models/needle/wp/base/seed10.safetensors"]
    assert plan.trainings.reference(training, 10)[0] == "results/readouts/needle/wp/base/seed10/train.parquet"


def test_what_each_model_is_trained_on(suite: Suite) -> None:
    assert suite.reference(Run("base", 10)) is None
    assert suite.reference(Run("guide_trained_mlp", 10)) is None
    assert suite.reference(Run("adversary_lambda2e-05", 4)) == Run("base", 10)
    # every seed of a guide has its own base map
    assert [suite.reference(Run("guide_base_lstm", seed)) for seed in (10, 50)] == [Run("base", 10), Run("base", 50)]
    assert suite.reference(Run("continuation", 4)) == Run("base", 10)
    assert suite.reference(Run("guide_adversary", 50)) == Run("continuation", 3)


def test_architectures(suite: Suite) -> None:
    base, uniform, guide, mlp = (
        suite.architecture("needle", model) for model in ("base", "uniform", "guide_adversary", "guide_trained_mlp")
    )
    assert (base.encoder, base.attention) == ("bilstm", "additive")
    assert uniform == base.model_copy(update={"attention": "uniform"})
    assert suite.architecture("needle", "adversary_lambda0.01") == base
    assert (guide.encoder, guide.attention) == ("affine", "imposed")
    assert (mlp.encoder, mlp.attention) == ("affine", "additive")
    assert base.embedding == 25
    assert base.pretrained


def test_the_base_model_may_have_any_encoder_and_attention() -> None:
    suite = plan_of(model={"encoder": "conv", "attention": "dot"}).scope.suite("wp")
    base, uniform, guide, mlp = (
        suite.architecture("needle", model) for model in ("base", "uniform", "guide_base_lstm", "guide_trained_mlp")
    )
    assert (base.encoder, base.attention) == ("conv", "dot")
    assert (uniform.encoder, uniform.attention) == ("conv", "uniform")
    assert suite.architecture("needle", "adversary_lambda0.01") == base
    assert (guide.encoder, guide.attention) == ("affine", "imposed")
    assert (mlp.encoder, mlp.attention) == ("affine", "additive")


def test_a_data_set_may_have_a_base_model_of_its_own() -> None:
    changes = {"model": {"encoder": "affine", "hidden": 7}, "training": {"epochs": 3, "ties": "loss"}}
    scope = plan_of(overrides={"chorus": changes}).scope
    static, chorus = (scope.for_dataset(scope.suite("wp"), dataset) for dataset in ("static", "chorus"))
    own = chorus.architecture("chorus", "base")
    assert own == static.architecture("static", "base").model_copy(update={"encoder": "affine", "hidden": 7})
    assert chorus.architecture("chorus", "uniform") == own.model_copy(update={"attention": "uniform"})
    assert chorus.architecture("chorus", "guide_uniform") == static.architecture("static", "guide_uniform")
    schedules = [static.schedule("static", "guide_uniform"), chorus.schedule("chorus", "guide_uniform")]
    assert [(schedule.epochs, schedule.optimisation.ties) for schedule in schedules] == [(8, "first"), (3, "loss")]
    assert chorus.schedule("chorus", "adversary_lambda0.01").epochs == 16


def test_a_data_set_may_have_seeds_lambdas_and_audit_settings_of_its_own() -> None:
    changes = {
        "training": {"seed": 3, "further_seeds": [4]},
        "adversary": {"search": "scratch", "lambdas": [0.5]},
        "guides": {"adversary_lambda": 0.5},
        "attention_maps": {"automatic": 1},
    }
    plan = plan_of(datasets=["static", "chorus"], overrides={"chorus": changes})
    assert plan.trainings.seeds["chorus/wp/base"] == (3, 4)
    assert plan.trainings.seeds["chorus/wp/adversary_lambda0.5"] == (10,)
    assert "chorus/wp/continuation" not in plan.trainings.seeds
    assert "static/wp/continuation" in plan.trainings.seeds
    sections = [plan.auditing.job("attention_maps", "wp", name).sections for name in ("static", "chorus")]
    assert [each["attention_maps"]["automatic"] for each in sections] == [2, 1]
    assert all(job.settings for job in plan.jobs())


def test_the_honest_model_is_the_base_model_and_a_liar_differs_in_its_penalty_alone() -> None:
    plan = plan_of(
        training={"further_seeds": [50]},
        deception={"datasets": ["needle"], "lambdas": [0.1, 1.0], "seeds": [50, 7], "epochs": 9, "learning_rate": 0.02},
    )
    suite = plan.scope.suite("pd")
    assert suite.models == ["honest", "liar_lambda0.1", "liar_lambda1.0"]
    assert list(suite.labels) == suite.models
    assert plan.trainings.home(suite, "needle", Run("honest", 50)).training == "needle/wp/base"
    assert plan.trainings.seeds["needle/pd/honest"] == (7,)
    base, liar = plan.trainings.job("needle/wp/base", 10), plan.trainings.job("needle/pd/liar_lambda0.1", 7)
    assert (base.objective, liar.objective, liar.seed) == (LabelObjective(), DeceptionObjective(lambda_=0.1), 7)
    assert liar.architecture == base.architecture
    assert (liar.epochs, liar.patience) == (9, base.patience)
    assert liar.optimisation == base.optimisation.model_copy(update={"learning_rate": 0.02})
    assert [suite.selection("needle", model) for model in suite.models] == ["dev", "train", "train"]
    runs = plan.auditing.job("evidence", "pd", "needle").runs
    assert [(run.model, run.lambda_, run.seed) for run in runs[1:3]] == [
        ("honest", None, 7),
        ("liar_lambda0.1", 0.1, 50),
    ]


def test_the_papers_models_of_deception_stand_beside_the_base_models() -> None:
    section = {"datasets": ["needle"], "models": ["base", "embedding", "bilstm"], "lambdas": [0.1, 1.0], "seeds": [7]}
    recipe = {"batch_size": 8, "learning_rate": 0.02, "epochs": 9, "patience": 2, "hidden": 6, "anonymised": True}
    plan = plan_of(deception=section | recipe)
    suite = plan.scope.suite("pd")
    kinds = ["honest", "liar_lambda0.1", "liar_lambda1.0", "anonymised"]
    assert suite.models == [f"{before}{name}" for before in ("", "embedding_", "bilstm_") for name in kinds]
    # every label is one of its own, and so is every look
    assert len({look.label for look in suite.labels.values()}) == len(suite.models)
    assert len({(look.colour, look.marker) for name, look in suite.labels.items() if name in suite.judged}) == 9
    assert suite.judged == [name for name in suite.models if not name.endswith("anonymised")]
    embedding, bilstm = (suite.architecture("needle", f"{name}_honest") for name in ("embedding", "bilstm"))
    assert (embedding.encoder, embedding.attention, embedding.embedding) == ("none", "linear", 128)
    assert (bilstm.encoder, bilstm.attention, bilstm.hidden) == ("bilstm", "linear", 6)
    liar = plan.trainings.job("needle/pd/bilstm_liar_lambda0.1", 7)
    assert liar.objective == DeceptionObjective(lambda_=0.1)
    assert (liar.anonymised, liar.epochs, liar.patience) == (False, 9, 2)
    assert (liar.optimisation.batch_size, liar.optimisation.measure, liar.optimisation.scored) == (8, "accuracy", True)
    assert suite.selection("needle", "bilstm_liar_lambda0.1") == "dev"
    assert plan.trainings.job("needle/pd/embedding_anonymised", 7).anonymised
    # what reads other texts is asked how well it predicts, and nothing of its map
    asked = {name: plan.auditing.job(name, "pd", "needle").runs for name in ("performance", "located", "impermissible")}
    assert {run.model for run in asked["performance"]} == {*suite.models}
    assert {run.model for run in asked["located"]} == {run.model for run in asked["impermissible"]} == {*suite.judged}


def test_many_lambdas_have_looks_that_can_be_told_apart() -> None:
    lambdas = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
    suite = plan_of(deception={"models": ["bilstm"], "lambdas": lambdas}).scope.suite("pd")
    assert len({suite.labels[name].colour for name in suite.judged}) == 1 + len(lambdas)
    assert suite.labels["bilstm_liar_lambda0.01"].label == "BiLSTM, liar (lambda 0.01)"


def test_adversaries_have_their_own_epochs_and_patience(suite: Suite) -> None:
    own = suite.for_dataset("needle")
    base, adversary = (own.training("needle", name, 4) for name in ("base", "adversary_lambda0.01"))
    assert (base.epochs, base.patience, base.objective) == (6, None, LabelObjective())
    assert (adversary.epochs, adversary.patience, adversary.objective.lambda_) == (16, 4, 0.01)
    assert adversary.model == "adversary"
    assert adversary.seed == 4


def test_the_base_model_is_not_compared_with_itself(plan: Plan, suite: Suite) -> None:
    assert suite.compared[:3] == [Run("base", 50), Run("uniform", 10), Run("uniform", 50)]
    assert plan.auditing.runs(suite, audit_named("comparison"), "needle") == suite.compared
    first, *_, last = plan.auditing.job("comparison", "wp", "needle").runs
    assert (first.model, first.lambda_, first.seed, first.selection) == ("base", None, 50, "dev")
    assert (last.model, last.lambda_, last.seed, last.selection) == ("continuation", None, 4, "train")
    assert (first.searched, last.searched) == (None, 2)
    scratch = plan.auditing.job("comparison", "wp", "needle").runs[-5]
    assert (scratch.model, scratch.lambda_, scratch.seed, scratch.selection) == ("adversary", 0.01, 4, "train")
    inputs = plan.auditing.inputs("comparison", "wp", "needle")
    assert inputs["search"] == [f"results/models/needle/wp/continuation/seed{seed}.search.parquet" for seed in (3, 4)]
    chosen = next(run for run in plan.auditing.job("performance", "wp", "needle").runs if run.searched == 0)
    assert (chosen.model, chosen.selection) == ("continuation_chosen", "dev")


def test_every_model_is_declared_with_its_suite() -> None:
    plan = plan_of(
        serrano_smith={"datasets": ["digest"]},
        jain_wallace={
            "models": [f"{encoder}_{kind}" for encoder in ("lstm", "cnn", "average") for kind in ("tanh", "dot")]
            + ["average_drawn"]
        },
    )
    for suite in (plan.scope.suite(kind.key) for kind in TRAINED):
        # a Transformer is named where the configuration describes one
        labels = {label for label in suite.labels if "transformer" not in label}
        assert {suite.family(model) for model in suite.models} == labels
        suite.labels.refuse_unknown(map(suite.family, suite.models))
        assert set(suite.judged) <= set(suite.attending) <= set(suite.models)


def test_every_paper_is_cited_with_its_suite(plan: Plan) -> None:
    cited = {suite.paper: suite.citation for suite in plan.shown_suites()}
    assert cited["JW2019"] == ["Attention is not Explanation", "https://doi.org/10.18653/v1/N19-1357"]
    assert all(address.startswith("https://doi.org/") for _, address in filter(None, cited.values()))


def test_a_data_set_may_have_word_vectors_of_its_own(config: Config, suite: Suite) -> None:
    assert suite.architecture("diabetes", "base").embedding == 300
    own, shared = (corpora.corpus_job(config, name, None).vectors for name in ("diabetes", "needle"))
    assert own is not None
    assert own.kind == "word2vec"
    assert isinstance(shared, VectorFile)
    assert shared.file == "glove.twitter.27B.25d.top12k.txt"
    # on MIMIC the authors draw the words that have no vector; elsewhere they are zero
    started = {name: suite.training(name, "base", 10).architecture.missing for name in ("diabetes", "needle")}
    assert started == {"diabetes": "normal", "needle": "zero"}


def test_generated_texts_stand_behind_real_ones_on_every_page() -> None:
    plan = plan_of(datasets=["needle", "movies"], serrano_smith={"datasets": []}, jain_wallace={"datasets": ["needle"]})
    assert plan.scope.controls == ["needle"]
    names = [subject.dataset for subject in plan.exhibiting.subjects()]
    assert list(dict.fromkeys(names)) == ["movies", "needle"]
    assert plan.explorer_job().views[0].dataset == "movies"
    report = by_name(plan.jobs())["report_html"]
    # one text is shown under the maps of three trainings
    assert report.inputs["readouts"] == [
        f"results/readouts/movies/wp/base/seed{seed}/test.parquet" for seed in (10, 50, 257)
    ]
    assert report.inputs["corpus"] == ["results/corpora/movies/corpus.parquet"]
    job = plan.report_job()
    assert (job.controls, job.items) == (["needle"], "words")
    assert job.built["movies/wp/base"] == "BiLSTM, additive attention"


def test_what_a_model_is_built_of_is_said_alike_in_all_suites() -> None:
    built = plan_of().report_job().built
    assert built["unison/jw/cnn_tanh"] == "CNN, additive attention"
    assert built["digest/ss/han_conv"] == "CNN, words then sentences, additive attention"
    assert built["digest/ss/flan_none"] == "no encoder, additive attention"


def test_data_sets_from_one_archive_fetch_it_once(config: Config) -> None:
    archive = [("newsgroups", "20news-bydate.tar.gz")]
    assert corpora.fetched_files(config, "newsgroups") == corpora.fetched_files(config, "newsgroups-20") == archive
    assert corpora.fetched_files(config, "needle") == []
    assert corpora.record_files(config, ["newsgroups-20", "needle", "newsgroups"]) == [
        "results/raw/newsgroups/records/20news-bydate.tar.gz.json"
    ]
    job = corpora.fetch_job(config, *archive[0])
    assert job.remote.bytes == 14464277
    assert job.homepage == "http://qwone.com/~jason/20Newsgroups/"


def test_raw_files_are_fetched_or_the_users_own(config: Config, tmp_path: Path) -> None:
    (tmp_path / "mimic").mkdir()
    notes = tmp_path / "mimic" / "NOTEEVENTS.csv.gz"
    notes.touch()
    paths = corpora.raw_paths(config, "diabetes", tmp_path)
    assert paths["notes"] == notes
    assert paths["train_ids"] == Path("results/raw/mimic/train_50_hadm_ids.csv")
    assert corpora.raw_paths(config, "needle", None) == {}


def test_data_sets_that_a_suite_cannot_have_are_gaps_with_reasons(tmp_path: Path) -> None:
    scope = plan_of(
        mirror=str(tmp_path),
        skip_unavailable=True,
        datasets=["snli", "needle", "diabetes"],
        jain_wallace={"datasets": []},
        deception={"datasets": []},
    ).scope
    wp = scope.suite("wp")
    assert scope.datasets_of(wp) == ["needle"]
    gaps = scope.gaps(wp)
    takers = "Jain & Wallace 2019, Mohankumar et al. 2020"
    assert gaps["snli"] == f"snli holds pairs of texts, which only these suites take: {takers}; name it there"
    assert gaps["diabetes"].startswith("diabetes: mimic/NOTEEVENTS.csv.gz")
    assert scope.gaps(scope.suite("jw")) == {}


def test_what_cannot_be_had_and_may_not_be_left_out_is_one_line() -> None:
    with pytest.raises(AuditError, match=r"^diabetes: mimic/.* or leave it out with skip_unavailable: true$") as caught:
        plan_of(datasets=["diabetes", "needle"])
    assert "\n" not in str(caught.value)


def test_an_unknown_suite_is_one_line_that_says_where_to_declare_it(plan: Plan) -> None:
    line = r"^suite 'xx' is not known \(known: wp, ss, jw, pd, md, roar, own, hf\); declare it in plan/suites\.py$"
    with pytest.raises(AuditError, match=line):
        plan.scope.suite("xx")
    with pytest.raises(AuditError, match=line):
        plan_of(audits={"xx": ["permutation"]})


def test_two_suites_of_one_key_are_refused(config: Config) -> None:
    class Twin(WiegreffePinter):
        labels = Names("model", "here", {})

    with pytest.raises(AuditError, match="two suites have the same key"):
        Scope(config, (*SUITES, Twin))


def test_a_configuration_too_long_for_one_command_line_is_one_line() -> None:
    plan = plan_of(attention_maps={"instances": [f"text-{number:09}" for number in range(10_000)]})
    with pytest.raises(AuditError, match=rf"config: [\d,]+ characters are too many .*, at most {LONGEST:,}\)"):
        as_json(plan.auditing.job("attention_maps", "wp", "needle"))


def settings_of(plan: Plan) -> dict[str, str]:
    """The settings of every job, of audits one by one; of the report, without the configuration that it prints."""
    jobs: dict[str, Section] = {
        f"train {training}": plan.trainings.job(training, seeds[0]) for training, seeds in plan.trainings.seeds.items()
    }
    jobs |= {exhibit.name: plan.exhibiting.job(exhibit) for exhibit in plan.exhibiting.exhibits}
    jobs |= {"report": plan.report_job().model_copy(update={"config": {}}), "explorer": plan.explorer_job()}
    for path in map(Path, plan.audit_files()):
        dataset, suite, name = path.parts[2], path.parts[3], path.stem
        jobs[f"{name} {suite}"] = plan.auditing.job(name, suite, dataset)
    return {name: as_json(job) for name, job in jobs.items()}


ONE_DATA_SET = {"datasets": ["needle"], "jain_wallace": {"datasets": ["needle"]}}


@pytest.mark.parametrize(
    ("change", "who"),
    [
        ({"resamples": 7}, "md_table_diversity"),
        ({"answer": {"margins": {"inert": 0.1}}}, "summary|texts|controls|hf_table_maps"),
        ({"attention_maps": {"automatic": 1}}, "attention_maps wp"),
        ({"permutation": {"permutations": 7}}, "(permutation|stability|shuffles) ..|(comparison|consistency) wp"),
        ({"erasure": {"seed": 7}}, "(single_weight|ranked_sets|shuffles|located|replaced) .."),
        ({"deletion": {"texts": 7}}, "(located|replaced|word_attributions) .."),
        ({"agreement": {"texts": 7}}, "agreement jw|(located|replaced|plausible_words|word_attributions) .."),
        ({"instance_adversary": {"steps": 7}}, "instance_adversary (wp|jw)"),
        ({"instance_adversary": {"epsilon": 0.01}}, "instance_adversary (wp|jw)"),
        ({"guides": {"hidden": 7}}, "train needle/wp/guide_.*"),
        ({"adversary": {"patience": 7}}, "train needle/wp/adversary_.*"),
        ({"adversary": {"continuation": {"first": 0.002}}}, "train needle/wp/continuation"),
        (
            {"answer": {"margins": {"tvd": 0.02}}},
            "train needle/wp/continuation|(wp_fig5|own_fig|hf_fig)_tvd_jsd|summary|texts|controls|hf_table_maps|"
            "explorer",
        ),
        (
            {"overrides": {"digest": {"serrano_smith": {"recipes": {"han_rnn": {"epochs": 7}}}}}},
            "train digest/ss/han_rnn",
        ),
    ],
    ids=str,
)
def test_a_setting_reaches_only_the_jobs_that_read_it(change: dict[str, Any], who: str) -> None:
    before, after = (settings_of(plan_of(**overlaid(ONE_DATA_SET, changes))) for changes in ({}, change))
    changed = {name for name in before if before[name] != after[name]}
    assert changed
    assert changed == {name for name in before if re.fullmatch(who, name)}


def code_of(plan: Plan) -> dict[str, str]:
    """The hash of the code of every job."""
    code = {stage: code_hash(f"stages.{stage}") for stage in ("fetch", "prepare", "train", "search_adversary")}
    code |= {
        "report": plan.report_code(),
        "explorer": plan.explorer_code(),
    }
    code |= {audit.name: code_of_audit(audit) for audit in AUDITS}
    return code | {exhibit.name: plan.exhibiting.code(exhibit) for exhibit in EXHIBITS}


@pytest.mark.parametrize(
    ("module", "who"),
    [
        ("plan/exhibits.yaml", ""),
        ("plan/wiegreffe_pinter.py", ""),
        ("config.py", ""),
        ("audits/evidence.py", "evidence"),
        (
            "audits/rankings.py",
            "contributions|heads|single_weight|ranked_sets|shuffles|plausib.*|planted|located|replaced|soft|attribution_.*",
        ),
        ("audits/correlation.py", "correlation|agreement"),
        (
            "columns/audits.py",
            "(?!(fetch|prepare|train|search_adversary|fig_answer|fig_instead|hf_fig_maps)$).*",
        ),
        ("figures/tvd_jsd.py", "(wp_fig5|own_fig|hf_fig)_tvd_jsd"),
        ("figures/style.py", "(.*_)?fig_?.*"),
        ("tables/render.py", ".*table_.*|.*_table[0-9].*|summary|instead|texts|replication|controls|report"),
        ("report/page.py", "report"),
        ("report/guide.py", "report"),
        ("training/loop.py", "train|search_adversary"),
        ("stages/search_adversary.py", "search_adversary"),
        (
            "model/encoders.py",
            "train|search_adversary|correlation|agreement|conicity|located|replaced|soft|impermissible|"
            "plausible_words|word_attributions|attribution_stability",
        ),
        ("stages/reading_out.py", "train|search_adversary"),
        ("corpus/sources/control.py", "prepare"),
    ],
)
def test_an_edit_reaches_only_the_jobs_that_import_it(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, module: str, who: str
) -> None:
    before, digest = code_of(plan), code._digest

    def edited(path: Path, words: bool) -> bytes:
        return b"edited" if path == code.SOURCE / module else digest(path, words)

    assert (code.SOURCE / module).is_file()
    monkeypatch.setattr(code, "_digest", edited)
    after = code_of(plan)
    assert {name for name in before if before[name] != after[name]} == {
        name for name in before if re.fullmatch(who, name)
    }


def test_word_vectors_of_ones_own_are_read_where_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "my.vec.gz"
    changes = {"vectors": "mine", "word_vectors": {"mine": {"kind": "file", "path": str(path), "dimension": 3}}}
    with pytest.raises(AuditError) as caught:
        plan_of(**changes)
    assert str(caught.value) == (f"word_vectors.mine.path: no such file: {path}; mend the path, or put the file there")
    path.write_bytes(b"")
    plan = plan_of(**changes)
    assert corpora.vector_files(plan.config, "needle", None) == ([str(path)], [])
    job = corpora.corpus_job(plan.config, "needle", None)
    assert CorpusJob.model_validate_json(job.model_dump_json()) == job, "a job reads its settings from its command line"


def test_word_vectors_that_only_a_mirror_has_are_missed_when_a_run_is_planned(tmp_path: Path) -> None:
    with pytest.raises(
        AuditError, match=r"^word_vectors.glove-twitter-25d: <mirror>/vectors/glove.twitter.*txt is not h"
    ):
        plan_of(vectors="glove-twitter-25d")
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "glove.twitter.27B.25d.top12k.txt").write_text("")
    plan = plan_of(vectors="glove-twitter-25d", mirror=str(tmp_path))
    assert corpora.reading(plan.config, "needle", tmp_path).inputs == {
        "raw": [],
        "vectors": ["results/raw/vectors/glove.twitter.27B.25d.top12k.txt"],
        "records": ["results/raw/vectors/records/glove.twitter.27B.25d.top12k.txt.json"],
    }


def test_faults_of_several_files_have_a_line_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("text;label\na;1\n")
    (tmp_path / "b.csv").write_text("text,label\na,\n")
    with pytest.raises(AuditError) as caught:
        plan_of(datasets=["a", "b"], corpora={name: {"kind": "table", "path": f"{name}.csv"} for name in "ab"})
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == ["a.csv, line 1", "b.csv, line 2"]


def test_the_search_by_continuation_is_slower_than_the_base_model() -> None:
    plan = plan_of(adversary={"search": "continuation", "continuation": {"pace": 0.25, "epochs": 7}})
    suite = plan.scope.suite("wp")
    base, search = (suite.training("needle", model, 10) for model in ("base", "continuation"))
    assert search.optimisation.learning_rate == base.optimisation.learning_rate / 4
    assert search.epochs == 7
