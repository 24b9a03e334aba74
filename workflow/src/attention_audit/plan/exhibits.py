"""The tables and figures: the one list that a new one is entered in, in the order of the report."""

import re
from collections.abc import Iterator
from pathlib import Path

from attention_audit.plan.exhibit import (
    RECORDS,
    Exhibit,
    Figure,
    Read,
    Table,
    audit,
    corpus,
    each,
    if_asked,
    of_every_suite,
    rows,
)
from attention_audit.plugins import Entries, Live

RUN = "dataset model seed"
TEXT = f"{RUN} id"
"""Columns that tell runs apart, and texts."""
REPLICATED = (
    "wp_table1_datasets wp_table2_uniform wp_table3_guides ss_table1_datasets ss_table2_flips ss_table3_accuracy "
    "ss_table_pairwise jw_table1_performance jw_table2_correlation md_table_diversity pd_table_deception"
)
"""Tables with numbers that a paper has published."""
ANSWERING = {
    name: of_every_suite(name, RUN, columns, categories=True)
    for name, columns in {
        "predictions": "id label prediction",
        "stability": "other id jsd tvd chance_jsd same_top",
        "permutation": "id mean_tvd flips chance_jsd contribution_chance_jsd",
        "ranked_sets": "id ranking fraction_removed",
        "located": "id ranking words falls top_flips fraction_removed",
        "contributions": "id against top_lead top_fall top_flips top_items top_weights top_contributions",
        "comparison": "lambda id jsd tvd same_top contribution_jsd contribution_same_top",
        "consistency": "lambda texts tvd tvd_sd jsd",
    }.items()
}
"""What the answer is made of."""
PLAUSIBLE = {
    name: of_every_suite(name, TEXT, "annotator attribution words marked auprc f1 iou mass", categories=True)
    for name in ("plausibility", "plausible_words")
}
"""What stands beside the answer: whether people mark the same words."""
REPLACED = of_every_suite("replaced", TEXT, "ranking by falls", categories=True)
GROUPS = Read("corpus", "corpus", ("id", "split", "group"), split="test")
"""Which test texts belong together."""
SINGLE_WEIGHT_FIGURE = rows("single_weight", "dataset model ranking draw delta_js delta_attention")
DIVERSITY = {
    "predictions": rows("predictions", TEXT, "label prediction"),
    "conicity": rows("conicity", TEXT, "conicity magnitude"),
    "permutation": rows("permutation", TEXT, "mean_tvd median_tvd"),
    "correlation": rows("correlation", TEXT, "pair tau"),
    "ranked_sets": if_asked("ranked_sets", TEXT, "ranking fraction_removed", categories=True),
}
"""What is asked of models with diverse states; of pairs, some are not."""

_FIGURES: tuple[Figure, ...] = (
    Figure(
        "figures.attention_maps:wp_fig2_attention_maps",
        "single test texts, their words shaded by attention",
        suites=("wp", "own", "hf"),
        number="Figure 2",
        reads={
            "attention_maps": audit("attention_maps"),
            "census": corpus("census"),
            "predictions": if_asked("predictions"),
        },
        settings=(),
    ),
    Figure(
        "figures.by_weight:wp_fig3_seed_variance",
        "how far attention moves from seed to seed, and by the per-instance adversary",
        number="Figure 3",
        reads={
            "comparison": audit("comparison", "dataset model id jsd base_prediction base_max_attention"),
            "instance_adversary": audit("instance_adversary", "dataset model jsd base_prediction base_max_attention"),
            "census": corpus("census"),
        },
        answers=("stable",),
    ),
    Figure(
        "figures.tvd_jsd:wp_fig5_tvd_jsd",
        "what changed attention costs in changed predictions",
        suites=("wp", "own", "hf"),
        number="Figure 5",
        reads={
            "comparison": audit("comparison", "dataset model lambda seed jsd tvd"),
            "instance_adversary": audit("instance_adversary", "dataset model jsd tvd"),
        },
        answers=("stable", "unique"),
    ),
    Figure(
        "figures.tvd_jsd:wp_fig_frontier",
        "how far adversaries move the weights, and how far the exact contributions",
        suites=("wp", "hf"),
        reads={"comparison": audit("comparison", "dataset model lambda seed jsd contribution_jsd tvd")},
        settings=("models", "budget"),
        needs="adversaries",
        answers=("unique",),
    ),
    Figure(
        "figures.contributions:wp_fig_contributions",
        "attention against what each item adds to the decision",
        suites=("wp", "ss", "jw", "own", "hf"),
        reads={
            "contributions": rows(
                "contributions", "dataset model items overlap magnitude against top_weights top_contributions"
            )
        },
        answers=("signed",),
    ),
    Figure(
        "figures.erasure:ss_fig3_delta_js",
        "erasing the top item against erasing another: change of the prediction over attention",
        number="Figures 3 and 7",
        reads={"single_weight": SINGLE_WEIGHT_FIGURE},
    ),
    Figure(
        "figures.erasure:ss_fig4_negative_delta_js",
        "at which difference in attention the top item matters less than another",
        number="Figures 4 and 8",
        reads={"single_weight": SINGLE_WEIGHT_FIGURE},
    ),
    Figure(
        "figures.erasure:ss_fig5_fraction_removed",
        "how many items each ranking erases until the decision flips",
        suites=("ss", "own", "hf"),
        number="Figures 5, 6 and 10",
        reads={"ranked_sets": rows("ranked_sets", TEXT, "ranking fraction_removed")},
        answers=("ranks",),
    ),
    Figure(
        "figures.erasure:ss_fig11_mass_removed",
        "how much attention each ranking leaves when the decision flips",
        number="Figure 11",
        reads={"ranked_sets": rows("ranked_sets", TEXT, "ranking mass_removed")},
    ),
    Figure(
        "figures.erasure:ss_fig_aopc",
        "attention-comprehensiveness and attention-sufficiency of each ranking",
        reads={
            "ranked_sets": rows("ranked_sets", TEXT, "ranking comprehensiveness_curve sufficiency_curve", each=True)
        },
    ),
    Figure(
        "figures.correlation:jw_fig_correlation",
        "does attention rank the tokens as gradients and leave-one-out do",
        suites=("jw", "hf"),
        number="Figures 2, 3 and 4",
        reads={"correlation": rows("correlation", "dataset model pair tau")},
    ),
    Figure(
        "figures.by_weight:jw_fig_permutation",
        "what shuffling the attention weights does to the prediction",
        suites=("jw", "own", "hf"),
        number="Figure 5",
        reads={
            "permutation": rows("permutation", "dataset model prediction max_attention median_tvd"),
            "census": corpus("census"),
        },
        answers=("used",),
    ),
    Figure(
        "figures.by_weight:jw_fig_adversary",
        "how far attention can go while the prediction stays",
        suites=("jw", "own", "hf"),
        number="Figures 6 and 7",
        reads={
            "instance_adversary": rows("instance_adversary", "dataset model jsd base_prediction base_max_attention"),
            "census": corpus("census"),
        },
    ),
    Figure(
        "figures.correlation:jw_fig_agreement",
        "which attributions rank the tokens alike, two by two",
        reads={"agreement": rows("agreement", "dataset model first second tau texts")},
    ),
    Figure(
        "figures.deception:pd_fig_deception",
        "attention on impermissible words, against accuracy and against what `located` says",
        reads={
            "impermissible": audit("impermissible", TEXT, "mass right"),
            "located": rows("located", TEXT, "ranking falls"),
        },
        answers=("located",),
    ),
    Figure(
        "figures.conicity:md_fig_conicity",
        "how alike the states are, against what permuted attention changes and how well attention ranks",
        reads={name: DIVERSITY[name] for name in ("conicity", "permutation", "ranked_sets")},
        answers=("used", "ranks"),
    ),
    Figure(
        "figures.roar:roar_fig_masked",
        "accuracy after training anew on texts without the words that a ranking puts first",
        reads={"predictions": audit("predictions", TEXT, "label prediction")},
        answers=(),
    ),
    Figure(
        "figures.plausibility:fig_plausible_faithful",
        "which attributions point to marked words, and which of them to what the model needs",
        reads={"plausibility": Read("table", "table_plausibility")},
        settings=("labels",),
        answers=("ranks", "located"),
        about="plausibility",
    ),
    Figure(
        "figures.plausibility:fig_plausibility",
        "how well attributions point to marked words, beside chance and other annotators",
        reads={"plausibility": Read("table", "table_plausibility")},
        settings=("labels",),
        about="plausibility",
    ),
    Figure(
        "figures.maps:hf_fig_maps",
        "which map of a Transformer may be shown: every map beside the others, measure by measure",
        reads={"maps": Read("table", "hf_table_maps")},
        settings=("labels",),
        answers=("located", "stable"),
    ),
)

_TABLES: tuple[Table, ...] = (
    Table(
        "tables.datasets:wp_table1_datasets",
        "sizes, classes, lengths and vocabulary of every data set",
        number="Table 1",
        reads={"census": corpus("census"), "vocabulary": corpus("vocabulary"), "records": RECORDS},
        settings=("splitting",),
        every_dataset=True,
    ),
    Table(
        "tables.performance:wp_table2_uniform",
        "test 1: the base model against uniform weights",
        number="Table 2",
        reads={"performance": audit("performance")},
        answers=("needed",),
    ),
    Table(
        "tables.performance:wp_table3_guides",
        "test 3: a simple model guided by attention from elsewhere",
        number="Table 3",
        reads={"performance": audit("performance")},
        answers=("transferable",),
    ),
    Table(
        "tables.performance:wp_table5_adversary",
        "test 4: the consistent adversary, lambda by lambda",
        number="Table 5",
        reads={
            "performance": audit("performance"),
            "comparison": audit("comparison", "dataset model lambda seed id tvd jsd decision_flip"),
            "instance_adversary": audit("instance_adversary", TEXT, "tvd jsd decision_flip admissible"),
        },
        answers=("unique",),
    ),
    Table(
        "tables.datasets:ss_table1_datasets",
        "words and sentences of a text, in Serrano & Smith's layout",
        number="Table 1",
        reads={"census": corpus("census"), "records": RECORDS},
        every_dataset=True,
        settings=(),
    ),
    Table(
        "tables.erasure:ss_table2_flips",
        "decisions that flip without the top item, and without another",
        number="Table 2",
        reads={
            "single_weight": rows("single_weight", TEXT, "ranking draw top_flips other_flips"),
            "census": corpus("census"),
        },
    ),
    Table(
        "tables.erasure:ss_table_negative_delta_js",
        "how often the top item matters less than another, and at which difference in attention",
        reads={"single_weight": rows("single_weight", TEXT, "ranking draw delta_js delta_attention")},
    ),
    Table(
        "tables.erasure:ss_table3_accuracy",
        "accuracy of HANs and FLANs",
        number="Table 3",
        reads={"performance": audit("performance")},
    ),
    Table(
        "tables.erasure:ss_table_pairwise",
        "which of two rankings flips the decision first",
        number="Section 5.4",
        shown="tables.shown:pairwise",
        reads={"ranked_sets": rows("ranked_sets", TEXT, "ranking removed")},
    ),
    Table(
        "tables.claims:ss_table_claims",
        "Serrano & Smith's findings, and whether they come back",
        reads={
            "ranked_sets": rows("ranked_sets", TEXT, "ranking removed fraction_removed"),
            "single_weight": rows("single_weight", TEXT, "ranking draw top_flips"),
        },
        settings=("models", "resamples"),
        columns="columns.claims:CLAIMS",
        shown="tables.shown:findings",
    ),
    Table(
        "tables.correlation:jw_table1_performance",
        "how well each encoder and attention predicts",
        number="Table 1",
        reads={"performance": audit("performance")},
    ),
    Table(
        "tables.correlation:jw_table2_correlation",
        "rank correlation of attention, gradients and leave-one-out",
        suites=("jw", "hf"),
        number="Table 2",
        reads={
            "correlation": rows("correlation", TEXT, "prediction pair tau p top_k_overlap"),
            "census": corpus("census"),
        },
    ),
    Table(
        "tables.correlation:jw_table_conicity",
        "how alike hidden states are, beside what permuting attention changes",
        reads={
            "conicity": rows("conicity", TEXT, "conicity"),
            "permutation": rows("permutation", TEXT, "max_attention median_tvd"),
        },
    ),
    Table(
        "tables.correlation:jw_table_evidence",
        "how much attention is on the words that are known to decide the label",
        suites=("jw", "own", "hf"),
        reads={"evidence": audit("evidence", TEXT, "evidence_mass uniform_mass")},
    ),
    Table(
        "tables.deception:pd_table_deception",
        "accuracy, attention on impermissible words, and accuracy without them, of honest models and of liars",
        number="Table 3",
        reads={
            "impermissible": audit(
                "impermissible", "dataset model lambda seed id mass uniform_mass right right_without"
            ),
            "performance": audit("performance", RUN, "selection metric value"),
        },
    ),
    Table(
        "tables.deception:pd_table_noticed",
        "which questions of the summary notice a model whose attention was trained to deceive",
        reads={"summary": Read("table", "summary")},
        settings=("liars",),
        columns="columns.noticed:NOTICED",
        shown="tables.shown:noticings",
    ),
    Table(
        "tables.deception:pd_table_claims",
        "Pruthi et al.'s findings, and whether they come back",
        reads={"impermissible": audit("impermissible", TEXT, "mass uniform_mass right right_without")},
        settings=("models", "liars"),
        columns="columns.claims:CLAIMS",
        shown="tables.shown:findings",
    ),
    Table(
        "tables.roar:roar_table_racu",
        "how much faster accuracy falls by a ranking than at random, where models are trained anew",
        reads={"predictions": audit("predictions", TEXT, "label prediction")},
        settings=("models",),
    ),
    Table(
        "tables.diversity:md_table_diversity",
        "accuracy and conicity of LSTMs with alike and with diverse states, and what can be read of their maps",
        number="Table 2",
        reads={"performance": audit("performance", RUN, "selection"), **DIVERSITY},
    ),
    Table(
        "tables.diversity:md_table_claims",
        "the findings of Mohankumar et al., and whether they come back",
        reads={**DIVERSITY, "evidence": if_asked("evidence", TEXT, "evidence_mass")},
        settings=("models", "resamples"),
        columns="columns.claims:CLAIMS",
        shown="tables.shown:findings",
    ),
    Table(
        "tables.performance:own_table_performance",
        "how well your models predict",
        reads={"performance": audit("performance")},
        answers=("needed",),
    ),
    Table(
        "tables.performance:own_table_comparison",
        "how far other trainings, uniform weights and adversaries are from the model",
        suites=("own", "hf"),
        reads={
            "performance": audit("performance"),
            "comparison": audit("comparison", "dataset model lambda seed id tvd jsd decision_flip"),
        },
    ),
    Table(
        "tables.contributions:own_table_heads",
        "which head, if any, can be read",
        suites=("own", "hf"),
        reads={
            "heads": audit("heads"),
            "permutation": audit("permutation", TEXT, "mean_tvd flips"),
            "ranked_sets": audit("ranked_sets", TEXT, "ranking fraction_removed"),
        },
    ),
    Table(
        "tables.performance:hf_table_performance",
        "how well the classifiers predict, and how many texts they read in part",
        reads={"performance": audit("performance"), "cut_texts": audit("cut_texts")},
        settings=("models", "subjects"),
        answers=("needed",),
    ),
    Table(
        "tables.maps:own_table_maps",
        "whether further trainings put words in the same order, by attention and by every further map of readouts",
        reads={
            "map_stability": rows("map_stability", RUN, "other id map rho"),
            "plausibility": if_asked("plausibility", TEXT, "annotator attribution auprc", categories=True),
        },
        settings=("subjects",),
        answers=("stable",),
    ),
    Table(
        "tables.maps:hf_table_maps",
        "which map of a Transformer may be shown: how well each locates the words that matter, and what it costs",
        reads={
            "located": if_asked("located", TEXT, "ranking falls", categories=True),
            "map_stability": if_asked("map_stability", RUN, "other id map rho", categories=True),
            "attribution_stability": if_asked("attribution_stability", RUN, "other id map rho", categories=True),
            "plausibility": if_asked("plausibility", TEXT, "annotator attribution auprc", categories=True),
            "plausible_words": if_asked("plausible_words", TEXT, "annotator attribution auprc", categories=True),
        },
        settings=("subjects", "answer"),
        answers=("located", "stable"),
    ),
    Table(
        "tables.summary:summary",
        "what a reader may do with each map: eight questions with effect, interval, margin and word, and a sentence",
        reads={
            **ANSWERING,
            "plausibility": PLAUSIBLE["plausibility"],
            "replaced": REPLACED,
            "corpus": GROUPS,
        },
        settings=("subjects", "reasons", "answer", "labels"),
        columns="columns.summary:SUMMARY",
        shown="tables.shown:answers",
    ),
    Table(
        "tables.diversity:md_table_readable",
        "whether states that differ make maps readable, in words",
        reads={"summary": Read("table", "summary"), "diversity": Read("table", "md_table_diversity")},
        columns="columns.readable:READABLE",
        shown="tables.shown:readable",
    ),
    Table(
        "tables.texts:texts",
        "text by text: the items with the most attention, and whether this map may be shown",
        reads={
            **{name: read for name, read in ANSWERING.items() if name != "consistency"},
            "corpus": Read("corpus", "corpus", ("id", "split", "tokens"), split="test"),
            "census": corpus("census"),
            "summary": Read("table", "summary"),
        },
        settings=("subjects", "answer"),
        columns="columns.texts:TEXTS",
        shown="tables.shown:single",
        top="tables.texts:top",
    ),
    Table(
        "tables.contributions:table_contributions",
        "is attention proportional to what each item adds to the decision, and does it speak for the prediction",
        reads={
            "contributions": of_every_suite(
                "contributions",
                TEXT,
                "items tau overlap against top_fall top_flips top_weights top_contributions",
                categories=True,
            )
        },
        settings=("subjects",),
        answers=("signed",),
        about="contributions",
    ),
    Table(
        "tables.erasing:table_violation",
        "in which share of the texts the first item of each ranking opposes the prediction",
        reads={
            "single_weight": of_every_suite("single_weight", TEXT, "ranking top_fall", categories=True),
            "located": of_every_suite("located", TEXT, "ranking falls", categories=True),
        },
        settings=("subjects",),
        answers=("signed",),
        about="predictions",
    ),
    Table(
        "tables.erasing:table_replaced",
        "whether the answer of `located` changes where words are replaced and not deleted",
        reads={"replaced": REPLACED, "located": ANSWERING["located"], "corpus": GROUPS},
        settings=("subjects", "answer"),
        answers=("located",),
        about="replaced",
    ),
    Table(
        "tables.erasing:table_soft",
        "how much the prediction loses where words are erased in part, in proportion to an attribution's scores",
        reads={
            "soft": of_every_suite(
                "soft",
                TEXT,
                "ranking comprehensiveness sufficiency shuffled_comprehensiveness shuffled_sufficiency",
                categories=True,
            )
        },
        settings=("subjects",),
        answers=("located",),
        about="soft",
    ),
    Table(
        "tables.plausibility:table_plausibility",
        "do attributions point to marked words, beside chance, other annotators, and how faithful they are",
        reads={**PLAUSIBLE, "ranked_sets": ANSWERING["ranked_sets"], "located": ANSWERING["located"]},
        settings=("subjects",),
        about="plausibility",
    ),
    Table(
        "tables.replication:replication",
        "every published number beside ours, and whether chance alone could make the difference",
        reads={"tables": Read("tables", columns=tuple(REPLICATED.split())), "records": RECORDS},
        settings=("of_data", "of_models"),
        columns="columns.replication:REPLICATION",
        shown="tables.shown:comparisons",
        every_dataset=True,
        needs="published",
    ),
    Table(
        "tables.controls:controls",
        "what had to be found on the generated corpora, and whether it was",
        reads={
            "performance": of_every_suite("performance", RUN, "metric value"),
            "evidence": of_every_suite("evidence", "dataset model evidence_mass"),
            "planted": of_every_suite("planted", "dataset model ranking on_evidence"),
            "ranked_sets": of_every_suite("ranked_sets", "dataset model ranking fraction_removed"),
            "contributions": of_every_suite("contributions", "dataset model top_fall"),
            "census": corpus("census"),
            "summary": Read("table", "summary"),
            "tables": Read("tables", columns=("hf_table_maps",)),
        },
        settings=("kinds", "labels"),
        columns="columns.controls:CONTROLS",
        shown="tables.shown:verdicts",
        every_dataset=True,
        needs="generated",
    ),
)


def _faults(exhibit: Exhibit) -> Iterator[str]:
    """What is wrong with the names of a table or figure of a plugin, which Exhibiting asks for what it reads."""
    for one in each([exhibit]):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", one.name) or not one.name.startswith(one.suite):
            yield f"{one.name}: is to be small letters, digits and _, and to begin with {one.suite or 'a letter'}"
        elif not Path(one.caption).is_file():
            yield f"its caption {one.caption} is missing; write what it shows, and how to read it"


FIGURES = Entries("FIGURES", Figure, _FIGURES, each, _faults)
TABLES = Entries("TABLES", Table, _TABLES, each, _faults)
EXHIBITS = Live[Exhibit](lambda: (*FIGURES, *TABLES))
