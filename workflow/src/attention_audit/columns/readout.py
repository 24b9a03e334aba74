"""The files of a readout: what the post-hoc audits know of a trained model."""

from attention_audit.columns.kinds import Artefact, flag, integer, integers, places, real, scores, texts, weights
from attention_audit.columns.shared import ID, LABEL

READOUT = Artefact(
    "readout",
    "readouts/{dataset}/{suite}/{model}/seed{seed}/{split}.parquet",
    meaning="All that the post-hoc tests know of a trained model: logits = sum over items (tokens, or the sentences of "
    "a HAN) of attention x contribution, plus bias; of a model of pairs, logits = weight x tanh of that sum, plus "
    "bias, with the head beside it.",
).holds(
    id=ID,
    label=LABEL,
    prediction=integer(unit="class", meaning="class with the highest probability"),
    probabilities=weights(unit="probability", meaning="predicted distribution over all classes"),
    attention=weights(unit="share", meaning="attention weight of each item; sums to 1"),
    contribution=weights(
        unit="logit",
        meaning="z_t = W h_t of each item, item by item, one value per output (a two-class model has one output, the "
        "logit of class 1; a model of pairs has those of its projection)",
    ),
    bias=weights(unit="logit", meaning="bias of the decoder, one value per output; of pairs, the projected query"),
    candidates=integers.or_null(
        unit="class", meaning="of pairs, the classes that may be the answer; null for single texts"
    ),
    map_names=texts(meaning="the names of further maps, the same for all texts; often none"),
    maps=scores(meaning="of each of these maps, a score for each word, of any sign; no prediction follows from it"),
)

OF_ITEMS = {column.name: column for column in READOUT.columns}
OF_HEADS = weights(
    unit="share", meaning="attention weight of each item in each head, item by item; those of a head sum to 1"
)
MARKS = integer(
    unit="items",
    meaning="how many of the items, the last ones, are marks of the tokenizer ([CLS], then [SEP]) and no words",
)

OF_TEXT = {
    "places": places.or_null(
        meaning="which word of its text each item is that is no mark: words that are cut off, or of which the "
        "tokenizer makes nothing, are none; null where the items are the first words"
    ),
    "cut": flag(meaning="whether the text was too long for the model and is read in part"),
}

SEVERAL = Artefact(
    "readout of several maps",
    "readouts/{dataset}/own/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a model of which a map of several heads is given; and in hf, of a Transformer with uniform "
    "weights imposed, and of an earlier layer of one. Attention is the mean of the heads, and logits = sum over items "
    "of that mean x contribution, plus bias. Of an earlier layer, contribution and bias are empty, since its "
    "predictions do not follow from this map.",
).holds(**OF_ITEMS, heads=OF_HEADS, marks=MARKS, **OF_TEXT)

HEADED = Artefact(
    "headed readout",
    "readouts/{dataset}/hf/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a Transformer. Attention is the mean of its heads; contribution and bias are those of the "
    "first-order expansion at its own weights, so that the logits are attention x contribution, plus bias, there only. "
    "Under other weights the prediction follows from the last three columns and from tail.safetensors beside it.",
).holds(
    **OF_ITEMS,
    heads=OF_HEADS,
    values=weights(
        meaning="what a head attends to, item by item, head by head; of a word, the mean of its pieces, by their "
        "weights"
    ),
    below=weights(meaning="state of the classified token below the last layer"),
    marks=MARKS,
    **OF_TEXT,
)

HEAD = Artefact(
    "head",
    "readouts/{dataset}/{suite}/{model}/seed{seed}/head.parquet",
    meaning="What a model of pairs has above its readouts, the same for all splits; no rows for a model of single "
    "texts.",
).holds(
    **{"class": integer(unit="class", meaning="the class whose logit it gives")},
    weight=weights(unit="logit", meaning="one value per output of the readout, for the tanh of each"),
    bias=real(unit="logit", meaning="what is added"),
)
