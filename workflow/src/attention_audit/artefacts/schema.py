"""Every file the workflow keeps as Parquet: where it lies, and what each column means.

This is the only place where columns are declared. The writers enforce it, the readers check it,
and `results/README.md` is printed from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

STRING = pa.string()
FLAG = pa.bool_()
INTEGER = pa.int32()
LONG = pa.int64()
REAL = pa.float64()
STRINGS = pa.list_(pa.string())
INTEGERS = pa.list_(pa.int32())
WEIGHTS = pa.list_(pa.float32())


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, its unit ("" where it has none) and its meaning in a sentence."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class Artefact:
    """One kind of Parquet file: its path pattern under `results/`, its meaning, its columns."""

    name: str
    path: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema that a file of this kind has, without metadata."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])


DATASET = Column("dataset", STRING, "", "name of the data set, as in the config")
ID = Column("id", STRING, "", "stable identity of the instance, from the raw data on")
LABEL = Column("label", INTEGER, "class", "gold label; 0 is negative and 1 positive in two-class sets")
MODEL = Column(
    "model",
    STRING,
    "",
    "base, uniform, adversary, or guide_<weights imposed> (uniform, trained_mlp, base_lstm, adversary)",
)
ARCHITECTURE = Column("model", STRING, "", "han or flan, with its encoder: rnn, conv or none")
LAMBDA = Column(
    "lambda",
    REAL,
    "",
    "weight of the KL term in the adversary's objective, in the paper's formula; null for other models",
    nullable=True,
)
SEED = Column("seed", INTEGER, "", "seed of initial weights and of batch order")
BASE_PREDICTION = Column("base_prediction", INTEGER, "class", "class the base model predicts")
BASE_MAX_ATTENTION = Column(
    "base_max_attention", REAL, "share", "largest attention weight of the base model in this text"
)
JSD = Column("jsd", REAL, "nats", "Jensen-Shannon divergence of the attention from the base model's; at most ln 2")
TVD = Column(
    "tvd", REAL, "probability", "total variation distance of the prediction from the base model's, all classes"
)
FLIP = Column("decision_flip", FLAG, "", "whether the predicted class differs from the base model's")

CORPUS = Artefact(
    "corpus",
    "corpora/{dataset}/corpus.parquet",
    "The texts of one data set, tokenised and filtered.",
    (
        ID,
        Column("split", STRING, "", "train, dev or test"),
        LABEL,
        Column("tokens", STRINGS, "", "the words of the text, in order, without start and end marks"),
        Column("label_name", STRING, "", "what the source calls that label"),
        Column(
            "sentences",
            INTEGERS,
            "position",
            "positions (from 0) of the first word of each sentence; null where boundaries were not kept",
            nullable=True,
        ),
        Column("query", STRINGS, "", "the words of the second text of a pair; null for single texts", nullable=True),
        Column(
            "candidates",
            INTEGERS,
            "class",
            "the classes that may be the answer; null where any may",
            nullable=True,
        ),
        Column(
            "evidence",
            INTEGERS,
            "position",
            "positions (from 0) of the words known to decide the label; null where nobody knows",
            nullable=True,
        ),
    ),
)

CENSUS = Artefact(
    "census",
    "corpora/{dataset}/census.parquet",
    "What became of the texts of the raw files, split by split and class by class.",
    (
        Column("split", STRING, "", "train, dev or test; empty for texts that were dropped before splits were made"),
        Column("label", INTEGER, "class", "class; -1 for an answer that the training split does not know"),
        Column("label_name", STRING, "", "what the source calls that label; empty for class -1"),
        Column("read", INTEGER, "texts", "texts in the raw files; the sum of the next five columns"),
        Column("empty", INTEGER, "texts", "dropped, since no word is in them"),
        Column("left_out", INTEGER, "texts", "left out: outside the sample of the test split, or class -1"),
        Column("short", INTEGER, "texts", "dropped by the lower bound of the length filter"),
        Column("long", INTEGER, "texts", "dropped by its upper bound"),
        Column("kept", INTEGER, "texts", "texts in the corpus"),
        Column("tokens", LONG, "tokens", "sum over the kept texts"),
        Column("tokens_squared", LONG, "tokens squared", "sum of squares, for standard deviations"),
        Column("sentences", LONG, "sentences", "sum over the kept texts; a text without boundaries is one sentence"),
        Column("sentences_squared", LONG, "sentences squared", "sum of squares"),
    ),
)

VOCABULARY = Artefact(
    "vocabulary",
    "corpora/{dataset}/vocabulary.parquet",
    "The words of the training split with their row in the embedding; rows 0-3 are marks.",
    (
        Column("index", INTEGER, "row", "row of the embedding matrix"),
        Column("word", STRING, "", "the word; <pad>, <unk>, <sos>, <eos> for the four marks"),
        Column("train_count", INTEGER, "tokens", "how often the training split holds the word"),
        Column(
            "vector",
            WEIGHTS,
            "",
            "pretrained vector; null where the vector file lacks the word, or with random vectors",
            nullable=True,
        ),
    ),
)

HISTORY = Artefact(
    "history",
    "models/{dataset}/{model}/seed{seed}.history.parquet",
    "How one training went, epoch by epoch; the weights beside it are those of the selected epoch.",
    (
        Column("epoch", INTEGER, "epoch", "epoch, from 0"),
        Column("loss", REAL, "per text", "mean training loss of the epoch"),
        Column(
            "score",
            REAL,
            "",
            "what the epoch is selected by: ROC-AUC on the selection split, for an adversary minus the loss, for a "
            "HAN, a FLAN or a model of pairs accuracy on dev",
        ),
        Column("selected", FLAG, "", "whether the stored weights are this epoch's"),
    ),
)

READOUT = Artefact(
    "readout",
    "readouts/{dataset}/{model}/seed{seed}/{split}.parquet",
    "All that the post-hoc tests know of a trained model: logits = sum over items (tokens, or the sentences of a HAN) "
    "of attention x contribution, plus bias; of a model of pairs, logits = weight x tanh of that sum, plus bias, with "
    "the head beside it.",
    (
        ID,
        LABEL,
        Column("prediction", INTEGER, "class", "class with the highest probability"),
        Column("probabilities", WEIGHTS, "probability", "predicted distribution over all classes"),
        Column("attention", WEIGHTS, "share", "attention weight of each item; sums to 1"),
        Column(
            "contribution",
            WEIGHTS,
            "logit",
            "z_t = W h_t of each item, item by item, one value per output "
            "(a two-class model has one output, the logit of class 1; a model of pairs has those of its projection)",
        ),
        Column("bias", WEIGHTS, "logit", "bias of the decoder, one value per output; of pairs, the projected query"),
        Column(
            "candidates",
            INTEGERS,
            "class",
            "of pairs, the classes that may be the answer; null for single texts",
            nullable=True,
        ),
    ),
)

HEAD = Artefact(
    "head",
    "readouts/{dataset}/{model}/seed{seed}/head.parquet",
    "What a model of pairs has above its readouts, the same for all splits; no rows for a model of single texts.",
    (
        Column("class", INTEGER, "class", "the class whose logit it gives"),
        Column("weight", WEIGHTS, "logit", "one value per output of the readout, for the tanh of each"),
        Column("bias", REAL, "logit", "what is added"),
    ),
)

PERFORMANCE = Artefact(
    "performance",
    "audits/{dataset}/performance.parquet",
    "How well every model and seed predicts the gold labels of the test split; accuracy.parquet beside it is the same "
    "of HANs and FLANs, jw_performance.parquet of Jain & Wallace's models.",
    (
        DATASET,
        Column(
            "model",
            STRING,
            "",
            f"{MODEL.meaning}; in accuracy.parquet {ARCHITECTURE.meaning}; in jw_performance.parquet "
            "<encoder>_<attention>",
        ),
        LAMBDA,
        SEED,
        Column("selection", STRING, "", "split on which the epoch was selected; train for adversaries"),
        Column("classes", INTEGER, "classes", "number of classes"),
        Column(
            "metric",
            STRING,
            "",
            "f1 (positive class of two, else macro average), accuracy or roc_auc (else macro average, one against all)",
        ),
        Column("value", REAL, "", "value of the metric on the test split"),
    ),
)

COMPARISON = Artefact(
    "comparison",
    "audits/{dataset}/comparison.parquet",
    "Every BiLSTM (further seeds, uniform, consistent adversaries) against the base model, "
    "test instance by test instance.",
    (DATASET, MODEL, LAMBDA, SEED, ID, JSD, TVD, FLIP, BASE_PREDICTION, BASE_MAX_ATTENTION),
)

INSTANCE_ADVERSARY = Artefact(
    "instance_adversary",
    "audits/{dataset}/instance_adversary.parquet",
    "Jain & Wallace's adversary: for each test instance the attention furthest from the base model's "
    "that leaves the prediction within epsilon.",
    (
        DATASET,
        ID,
        JSD,
        TVD,
        FLIP,
        Column("admissible", INTEGER, "restarts", "restarts whose prediction stayed within epsilon; 0: original kept"),
        BASE_PREDICTION,
        BASE_MAX_ATTENTION,
        Column(
            "attention",
            WEIGHTS,
            "share",
            "the adversarial attention weight of each item (token, or sentence in a hierarchical model)",
        ),
    ),
)

EVIDENCE = Artefact(
    "evidence",
    "audits/{dataset}/evidence.parquet",
    "Where the evidence is known: how much attention falls on it, test instance by test instance. The same columns in "
    "jw_evidence.parquet of Jain & Wallace's models.",
    (
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        ID,
        LABEL,
        Column("evidence_mass", REAL, "share", "sum of the attention on the evidence positions"),
        Column("uniform_mass", REAL, "share", "the same under uniform attention: evidence tokens / tokens"),
    ),
)

ITEMS = Column("items", INTEGER, "items", "items under the last attention: sentences (han) or words (flan); at least 2")

SINGLE_WEIGHT = Artefact(
    "single_weight",
    "audits/{dataset}/single_weight.parquet",
    "What erasing one weight does: the item that a ranking puts first, against another one, "
    "test instance by test instance.",
    (
        DATASET,
        ARCHITECTURE,
        SEED,
        ID,
        Column("ranking", STRING, "", "what names the top item: attention, gradient, or product of the two"),
        Column(
            "draw",
            STRING,
            "",
            "how the other item is drawn: corrected (any but the top, uniformly) or as_published "
            "(as the authors' code does: never the first of the text, at times the top itself)",
        ),
        ITEMS,
        Column(
            "delta_js",
            REAL,
            "nats",
            "divergence (JS) of the prediction without the top item, less that without the other one",
        ),
        Column("delta_attention", REAL, "share", "attention weight of the top item less that of the other"),
        Column("top_flips", FLAG, "", "whether the decision changes without the top item"),
        Column("other_flips", FLAG, "", "whether it changes without the other item"),
    ),
)

RANKED_SETS = Artefact(
    "ranked_sets",
    "audits/{dataset}/ranked_sets.parquet",
    "What erasing items from the top of a ranking downward does, test instance by test instance.",
    (
        DATASET,
        ARCHITECTURE,
        SEED,
        ID,
        Column(
            "ranking",
            STRING,
            "",
            "random, attention, gradient, product of the two, or smallest: the fewest items that change the decision",
        ),
        ITEMS,
        Column("removed", INTEGER, "items", "items erased when the decision first changes; -1 where it never does"),
        Column("fraction_removed", REAL, "share", "removed / items; null where the decision never changes", True),
        Column("mass_removed", REAL, "share", "attention on the erased items; null where it never changes", True),
        Column(
            "comprehensiveness",
            REAL,
            "probability",
            "what the predicted class loses without the first 1, 5, 10, 20, 50 % of the items, on average (AOPC); "
            "null for smallest",
            nullable=True,
        ),
        Column(
            "sufficiency",
            REAL,
            "probability",
            "what it loses when only they are left, on average (AOPC)",
            nullable=True,
        ),
        Column(
            "comprehensiveness_curve",
            WEIGHTS,
            "probability",
            "comprehensiveness at each of these shares",
            nullable=True,
        ),
        Column("sufficiency_curve", WEIGHTS, "probability", "sufficiency at each of these shares", nullable=True),
    ),
)

PLANTED = Artefact(
    "planted",
    "audits/{dataset}/planted.parquet",
    "Where the evidence is known: whether the item that a ranking puts first is of it, test instance by test instance.",
    (
        DATASET,
        ARCHITECTURE,
        SEED,
        ID,
        Column("ranking", STRING, "", "attention, gradient, or product of the two"),
        Column("on_evidence", FLAG, "", "whether the first item holds a word of the evidence"),
        Column("chance", REAL, "share", "share of the items that do"),
    ),
)

ENCODER = Column("model", STRING, "", "encoder and attention: lstm, cnn or average, then tanh (additive) or dot")
PREDICTION = Column("prediction", INTEGER, "class", "class the model predicts")
MAX_ATTENTION = Column("max_attention", REAL, "share", "largest attention weight of the text")
TOKENS = Column("tokens", INTEGER, "tokens", "tokens that can be attended to")

CORRELATION = Artefact(
    "correlation",
    "audits/{dataset}/correlation.parquet",
    "Does attention rank the tokens as measures of importance do: two attributions at a time, test instance by test "
    "instance.",
    (
        DATASET,
        ENCODER,
        SEED,
        ID,
        PREDICTION,
        Column(
            "pair",
            STRING,
            "",
            "the two attributions, parted by ~: attention, gradient (attention held fixed), gradient_attached (that "
            "also flows through the attention) or loo (leave-one-out)",
        ),
        Column("tau", REAL, "", "Kendall's tau-b; null where one of the two is the same for all tokens", nullable=True),
        Column("p", REAL, "", "its p-value under independence; null where tau is", nullable=True),
        TOKENS,
        Column(
            "top_k_overlap",
            REAL,
            "share",
            "share of the k highest tokens of one that are among those of the other; null with at most k tokens",
            nullable=True,
        ),
    ),
)

PERMUTATION = Artefact(
    "permutation",
    "audits/{dataset}/permutation.parquet",
    "What shuffling the attention weights over the tokens does to the prediction, test instance by test instance; "
    "wp_permutation.parquet beside it is the same of the base model.",
    (
        DATASET,
        Column("model", STRING, "", f"{ENCODER.meaning}; in wp_permutation.parquet base"),
        SEED,
        ID,
        PREDICTION,
        MAX_ATTENTION,
        Column(
            "median_tvd",
            REAL,
            "probability",
            "median over permutations of the total variation distance to the original prediction, all classes",
        ),
    ),
)

STABILITY = Artefact(
    "stability",
    "audits/{dataset}/stability.parquet",
    "How far attention and predictions of a model move from one seed to another, and how far shuffled attention does; "
    "each further seed against the first, test instance by test instance. Models with one seed have no rows.",
    (
        DATASET,
        Column("model", STRING, "", "base, <han or flan>_<encoder>, or <encoder>_<attention>"),
        SEED,
        ID,
        Column("jsd", REAL, "nats", "Jensen-Shannon divergence of this seed's attention from the first seed's"),
        Column("tvd", REAL, "probability", "total variation distance of the predictions, all classes"),
        Column(
            "chance_jsd", REAL, "nats", "the same divergence with this seed's weights shuffled, mean over permutations"
        ),
    ),
)

JW_ADVERSARY = Artefact(
    "jw_adversary",
    "audits/{dataset}/jw_adversary.parquet",
    "The adversary of instance_adversary for every model of Jain & Wallace; what is called base there is the model "
    "itself.",
    (DATASET, ENCODER, SEED, *INSTANCE_ADVERSARY.columns[1:]),
)

AGREEMENT = Artefact(
    "agreement",
    "audits/{dataset}/agreement.parquet",
    "How far attributions agree, two by two.",
    (
        DATASET,
        ENCODER,
        SEED,
        Column("first", STRING, "", "an attribution: those of correlation, or one of Captum"),
        Column("second", STRING, "", "another one; each pair stands once"),
        Column(
            "tau", REAL, "", "mean of Kendall's tau-b over the texts where it is defined; null for none", nullable=True
        ),
        Column("texts", INTEGER, "texts", "test instances where tau-b is defined"),
    ),
)

CONICITY = Artefact(
    "conicity",
    "audits/{dataset}/conicity.parquet",
    "How alike the hidden states of a text are (Mohankumar et al. 2020), test instance by test instance.",
    (
        DATASET,
        ENCODER,
        SEED,
        ID,
        Column("conicity", REAL, "cosine", "mean over tokens of the cosine between their state and the mean state"),
    ),
)

ATTENTION_MAPS = Artefact(
    "attention_maps",
    "audits/{dataset}/attention_maps.parquet",
    "The attention of three models over the words of a few test instances.",
    (
        DATASET,
        ID,
        LABEL,
        Column("weights", STRING, "", "base, consistent_adversary or instance_adversary"),
        Column("probability", REAL, "probability", "probability of the class the base model predicts"),
        BASE_PREDICTION,
        JSD,
        Column("position", INTEGER, "position", "position of the word in the text, from 0"),
        Column("token", STRING, "", "the word"),
        Column("attention", REAL, "share", "attention weight of the word"),
    ),
)

TABLE = Artefact(
    "table",
    "tables/{table}.parquet",
    "One published table: ours beside the paper's. Rendered as .csv, .md and .tex under the same name.",
    (
        DATASET,
        Column("row", STRING, "", "what the row is about: a split, a model or a guide; of several things, parted by /"),
        LAMBDA,
        Column("metric", STRING, "", "what is measured"),
        Column(
            "mean",
            REAL,
            "",
            "mean over seeds, or the value itself where there is one; null where the data set was not run",
            nullable=True,
        ),
        Column("sd", REAL, "", "standard deviation over seeds (n - 1); null below two seeds", nullable=True),
        Column(
            "low",
            REAL,
            "",
            "lower end of the 95 % bootstrap interval over instances and seeds; null where there is none",
            nullable=True,
        ),
        Column("high", REAL, "", "upper end of that interval", nullable=True),
        Column("seeds", INTEGER, "seeds", "number of seeds; 0 for a property of the data"),
        Column("published", REAL, "", "the paper's value; null where it gives none", nullable=True),
        Column("selection", STRING, "", "split on which epochs were selected; empty for a property of the data"),
        Column("note", STRING, "", "what a reader must know to compare; often empty"),
    ),
)

CONTROLS = Artefact(
    "controls",
    "tables/controls.parquet",
    "What the tests must find on the control corpora, where the truth is known, and what they found.",
    (
        DATASET,
        Column("claim", STRING, "", "what must hold"),
        Column("statistic", STRING, "", "how it is measured"),
        Column("value", REAL, "", "what this run measured"),
        Column("least", REAL, "", "the value must be at least this; null for no bound", nullable=True),
        Column("most", REAL, "", "the value must be at most this; null for no bound", nullable=True),
        Column("holds", FLAG, "", "whether the claim held"),
    ),
)

CLAIMS = Artefact(
    "claims",
    "tables/ss_table_claims.parquet",
    "What Serrano & Smith 2019 found, and whether it comes back.",
    (
        DATASET,
        Column("claim", STRING, "", "what they found"),
        Column("statistic", STRING, "", "how it is measured"),
        Column("ours", REAL, "", "what this run measured; null where nothing could be", nullable=True),
        Column("low", REAL, "", "lower end of its 95 % bootstrap interval over instances and seeds", nullable=True),
        Column("high", REAL, "", "upper end of that interval", nullable=True),
        Column("theirs", STRING, "", "what the paper has"),
        Column("holds", FLAG, "", "whether it comes back, the whole interval considered"),
    ),
)


def _question(name: str, what: str) -> tuple[Column, ...]:
    """The columns of one question of the summary."""
    return (
        Column(name, STRING, "", f"{what}: yes, no, undecided or not asked{', or flat' if name == 'stable' else ''}"),
        Column(f"{name}_statistic", STRING, "", "what is measured; empty where it was not asked"),
        Column(f"{name}_value", REAL, "", "what this run measured; null where nothing was", nullable=True),
        Column(f"{name}_low", REAL, "", "lower end of the 95 % interval; null where there is none", nullable=True),
        Column(f"{name}_high", REAL, "", "upper end of it", nullable=True),
        Column(f"{name}_floor", REAL, "", "the noise floor that the interval is held against", nullable=True),
        Column(f"{name}_floor_statistic", STRING, "", "what the floor is"),
    )


QUESTIONS = ("needed", "stable", "consequential", "unique", "transferable")
"""What the summary asks of a model's attention, in this order."""

SUMMARY = Artefact(
    "summary",
    "tables/summary.parquet",
    "May the attention of a model be read as an explanation: five questions in order, and the verdict. One row a data "
    "set and model.",
    (
        DATASET,
        Column("paper", STRING, "", "whose test this is: WP2019, SS2019 or JW2019; empty for a data set not run"),
        Column("model", STRING, "", "base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
        Column("seeds", INTEGER, "seeds", "number of seeds of the model"),
        Column("verdict", STRING, "", "the answer: yes, no or undecided, and by which question"),
        Column("gate", STRING, "", "the first question whose answer is no (or flat); empty where there is none"),
        *_question("needed", "does the model predict better with attention than with uniform weights"),
        *_question("stable", "does another seed give nearly the same map"),
        *_question("consequential", "do other weights give another prediction"),
        *_question("unique", "does every model that predicts alike attend alike"),
        *_question("transferable", "do the weights help a simpler model"),
        Column(
            "transferable_own_value",
            REAL,
            "",
            "beside it: score of that model guided by them minus that with attention of its own; decides nothing",
            nullable=True,
        ),
        Column("transferable_own_low", REAL, "", "lower end of its 95 % interval", nullable=True),
        Column("transferable_own_high", REAL, "", "upper end of it", nullable=True),
        Column("transferable_own_floor", REAL, "", "its noise floor", nullable=True),
    ),
)

REPLICATION = Artefact(
    "replication",
    "tables/replication.parquet",
    "Every published number that this run has a counterpart of. No rows where it has none.",
    (
        Column("paper", STRING, "", "WP2019, SS2019 or JW2019"),
        Column("table", STRING, "", "where the paper has it"),
        DATASET,
        Column("row", STRING, "", "what the row is about, as in our table"),
        Column("metric", STRING, "", "what is measured"),
        Column("published", REAL, "", "the paper's value"),
        Column("ours", REAL, "", "ours: mean over seeds, or the value itself where there is one"),
        Column("low", REAL, "", "lower end of the 95 % interval of ours; null where there is none", nullable=True),
        Column("high", REAL, "", "upper end of it", nullable=True),
        Column("seeds", INTEGER, "seeds", "number of our seeds; 0 for a property of the data"),
        Column("difference", REAL, "", "ours - published"),
        Column("one_low", REAL, "", "95 % of single trainings lie from here; null below two seeds", nullable=True),
        Column("one_high", REAL, "", "to here", nullable=True),
        Column(
            "within_seeds",
            STRING,
            "",
            "yes: the published number could be one more of our trainings; no; unknown with one seed. Of the data: "
            "whether ours rounds to it",
        ),
        Column("note", STRING, "", "what a reader must know to compare; often empty"),
    ),
)

ARTEFACTS = (
    CORPUS,
    CENSUS,
    VOCABULARY,
    HISTORY,
    READOUT,
    HEAD,
    PERFORMANCE,
    COMPARISON,
    INSTANCE_ADVERSARY,
    EVIDENCE,
    SINGLE_WEIGHT,
    RANKED_SETS,
    PLANTED,
    CORRELATION,
    PERMUTATION,
    STABILITY,
    JW_ADVERSARY,
    AGREEMENT,
    CONICITY,
    ATTENTION_MAPS,
    TABLE,
    CONTROLS,
    CLAIMS,
    SUMMARY,
    REPLICATION,
)

TABLES = (TABLE, CONTROLS, CLAIMS, SUMMARY, REPLICATION)
"""The kinds of published tables."""


def kind_of_table(columns: Iterable[str]) -> Artefact:
    """The kind of published table that has these columns. Raises ValueError where there is none."""
    names = set(columns)
    for kind in TABLES:
        if names == set(kind.schema.names):
            return kind
    raise ValueError(f"no published table has the columns {sorted(names)}")
