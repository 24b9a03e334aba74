"""The files of a readout: what the post-hoc audits know of a trained model."""

from attention_audit.columns.kinds import INTEGER, INTEGERS, REAL, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import ID, LABEL

READOUT = Artefact(
    "readout",
    "readouts/{dataset}/{suite}/{model}/seed{seed}/{split}.parquet",
    meaning="All that the post-hoc tests know of a trained model: logits = sum over items (tokens, or the sentences "
    "of a HAN) of attention x contribution, plus bias; of a model of pairs, logits = weight x tanh of that "
    "sum, plus bias, with the head beside it.",
    columns=(
        ID,
        LABEL,
        Column("prediction", INTEGER, unit="class", meaning="class with the highest probability"),
        Column("probabilities", WEIGHTS, unit="probability", meaning="predicted distribution over all classes"),
        Column("attention", WEIGHTS, unit="share", meaning="attention weight of each item; sums to 1"),
        Column(
            "contribution",
            WEIGHTS,
            unit="logit",
            meaning="z_t = W h_t of each item, item by item, one value per output (a two-class model has one output, "
            "the logit of class 1; a model of pairs has those of its projection)",
        ),
        Column(
            "bias",
            WEIGHTS,
            unit="logit",
            meaning="bias of the decoder, one value per output; of pairs, the projected query",
        ),
        Column(
            "candidates",
            INTEGERS,
            nullable=True,
            unit="class",
            meaning="of pairs, the classes that may be the answer; null for single texts",
        ),
    ),
)

OF_HEADS = Column(
    "heads",
    WEIGHTS,
    unit="share",
    meaning="attention weight of each item in each head, item by item; those of a head sum to 1",
)
MARKS = Column(
    "marks",
    INTEGER,
    unit="items",
    meaning="how many of the items, the last ones, are marks of the tokenizer ([CLS], then [SEP]) and no words",
)

SEVERAL = Artefact(
    "readout of several maps",
    "readouts/{dataset}/own/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a model of which a map of several heads is given; and in hf, of a Transformer with uniform "
    "weights imposed, and of an earlier layer of one. Attention is the mean of the heads, and logits = sum over items "
    "of that mean x contribution, plus bias. Of an earlier layer, contribution and bias are empty, since its "
    "predictions do not follow from this map.",
    columns=(*READOUT.columns, OF_HEADS, MARKS),
)

HEADED = Artefact(
    "headed readout",
    "readouts/{dataset}/hf/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a Transformer. Attention is the mean of its heads; contribution and bias are those of the "
    "first-order expansion at its own weights, so that the logits are attention x contribution, plus bias, there only. "
    "Under other weights the prediction follows from the last three columns and from tail.safetensors beside it.",
    columns=(
        *READOUT.columns,
        OF_HEADS,
        Column(
            "values",
            WEIGHTS,
            meaning="what a head attends to, item by item, head by head; of a word, the mean of its pieces, by their "
            "weights",
        ),
        Column("below", WEIGHTS, meaning="state of the classified token below the last layer"),
        MARKS,
    ),
)

HEAD = Artefact(
    "head",
    "readouts/{dataset}/{suite}/{model}/seed{seed}/head.parquet",
    meaning="What a model of pairs has above its readouts, the same for all splits; no rows for a model of single "
    "texts.",
    columns=(
        Column("class", INTEGER, unit="class", meaning="the class whose logit it gives"),
        Column("weight", WEIGHTS, unit="logit", meaning="one value per output of the readout, for the tanh of each"),
        Column("bias", REAL, unit="logit", meaning="what is added"),
    ),
)
