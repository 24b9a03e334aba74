"""Columns of what is computed once: corpora, states of Transformers, trainings, readouts."""

from .kinds import (
    ID,
    LABEL,
    SEED,
    class_number,
    describe_file,
    flag,
    integer,
    integers,
    item_count,
    lists,
    logits,
    long,
    nats,
    places,
    probability,
    real,
    reals,
    scores,
    share,
    text,
    text_count,
    texts,
    weights,
    word_count,
)

CORPUS = describe_file(
    "corpus",
    "corpora/{dataset}/corpus.parquet",
    meaning="The texts of one data set, tokenised and filtered.",
    id=ID,
    split=text("train, dev or test"),
    label=LABEL,
    tokens=texts("the words of the text, in order, without start and end marks"),
    label_name=text("what the source calls that label"),
    labels=texts.or_null("all labels of a text that may have any number; null elsewhere, or where nobody knows"),
    group=text.or_null(
        "what texts share that are not independent, such as a premise, a story or a film; null where a text "
        "stands for itself"
    ),
    raw=text.or_null(
        "the text before it was split, in capitals and small letters, which the classifiers of suite hf read; "
        "null where it is the words with a space between any two"
    ),
    starts=integers.or_null("of each word, where it begins in that text; null where that is null", unit="characters"),
    second=integer.or_null(
        "where the second text of a pair begins in that text, where both are read as one; null elsewhere",
        unit="characters",
    ),
    sentences=places.or_null(
        "positions (from 0) of the first word of each sentence; null where boundaries were not kept"
    ),
    query=texts.or_null(
        "the words of the second text of a pair; null for single texts, and for pairs that are read as one"
    ),
    candidates=integers.or_null("the classes that may be the answer; null where any may", unit="class"),
    evidence=places.or_null(
        "positions (from 0) of the words known to decide the label, which are those that more than half of the "
        "annotators marked; null where there is no such word, or nobody marked any"
    ),
    annotators=texts.or_null(
        "who marked words of the text: people, the source or the generator; null where nobody did"
    ),
    marks=lists.or_null("for each of them, the positions (from 0) of the words marked; an empty list where none was"),
    scores=reals.or_null("a number for each word, where the source has them; null where not"),
    annotator_labels=texts.or_null(
        "for each annotator, the class that they gave the text, or nothing; null where nobody was asked"
    ),
    blocked=places.or_null(
        "positions (from 0) of the impermissible words, which deceptive models hide; null where none are named"
    ),
)

CENSUS = describe_file(
    "census",
    "corpora/{dataset}/census.parquet",
    meaning="What became of the texts of the raw files, split by split and class by class.",
    split=text("train, dev or test; empty for texts that were dropped before splits were made"),
    label=class_number("class; -1 for an answer that the training split does not know, or nobody, or for none"),
    label_name=text("what the source calls that label; empty for class -1"),
    read=text_count("texts in the raw files; the sum of the next six columns"),
    unlabelled=text_count("left out, since they have no label, or one that `missing` or `trained_on` names"),
    empty=text_count("dropped, since no word is in them"),
    left_out=text_count("left out: outside the sample of the test split, or class -1"),
    short=text_count("dropped by the lower bound of the length filter"),
    long=text_count("dropped by its upper bound"),
    kept=text_count("texts in the corpus"),
    duplicates=text_count("those of them whose words, in this order, are also those of a text of another split"),
    repeated=text_count("kept texts whose words, in this order, are also those of an earlier text of their split"),
    tokens=long("sum over the kept texts", unit="tokens"),
    tokens_squared=long("sum of squares, for standard deviations", unit="tokens squared"),
    query_tokens=long("sum over the second texts of kept pairs that are not read as one", unit="tokens"),
    sentences=long("sum over the kept texts; a text without boundaries is one sentence", unit="sentences"),
    sentences_squared=long("sum of squares", unit="sentences squared"),
    annotated=text_count("kept texts in which somebody marked words, or none"),
    annotations=long("sum of the annotators over these texts", unit="annotations"),
    marks_outside=long(
        "marks left out, since they lie outside of their text; over the kept texts, as the next two", unit="marks"
    ),
    marks_lost=long("marks left out, since no word of the corpus is under them", unit="marks"),
    marks_miscounted=long(
        "lists of marks left out, since they have another number of entries than the text has words", unit="annotations"
    ),
)

VOCABULARY = describe_file(
    "vocabulary",
    "corpora/{dataset}/vocabulary.parquet",
    meaning="The words of the training split with their row in the embedding; rows 0-3 are marks.",
    index=integer("row of the embedding matrix", unit="row"),
    word=text("the word; <pad>, <unk>, <sos>, <eos> for the four marks"),
    train_count=integer("how often the training split holds the word", unit="tokens"),
    vector=weights.or_null("pretrained vector; null where the vector file lacks the word, or with random vectors"),
)

PIECES = describe_file(
    "pieces",
    "states/{dataset}/pieces.parquet",
    meaning="What a frozen Transformer reads of each text. Its states of the words lie beside this file, in "
    "states.npy: row after row, text after text, and behind those of a pair one row, the summary of the query.",
    id=ID,
    split=text("train, dev or test"),
    words=word_count("words that are read, each with a row of states.npy"),
    query_words=word_count("words of the query that are read; 0 for a single text"),
    pieces=integer("pieces that are read, marks included", unit="pieces"),
    truncated=flag("whether the text, or its query, was cut at the most pieces"),
    unknown=word_count("words without a piece, read as the tokenizer's unknown word"),
)

HISTORY = describe_file(
    "history",
    "models/{dataset}/{model}/seed{seed}.history.parquet",
    meaning="How one training went, epoch by epoch; the weights beside it are those of the selected epoch.",
    epoch=integer("epoch, from 0", unit="epoch"),
    loss=real("mean training loss of the epoch", unit="per text"),
    score=real(
        "what the epoch is selected by: ROC-AUC on the selection split, of several labels macro F1 over these, for an "
        "adversary minus the loss, for a HAN, a FLAN or a model of pairs accuracy on dev"
    ),
    selected=flag("whether the stored weights are this epoch's"),
)

SEARCH = describe_file(
    "search",
    "models/{dataset}/{model}/seed{seed}.search.parquet",
    meaning="One search by continuation, step by step; every step is a model, and one of them is chosen.",
    seed=SEED,
    step=integer("number of the step, from 1"),
    model=text("name of its model, as in paths"),
    **{"lambda": real("weight of the KL term in its objective, in the paper's formula")},
    began=integer.or_null("step whose weights it began with; null for the base model with softened scores"),
    epochs=integer("epochs of the step", unit="epochs"),
    tvd=probability("mean TVD of the predictions from the base model's, on dev, all predicted classes alike"),
    jsd=nats("mean JSD of the attention from the base model's, on dev"),
    similarity=share("1 - this JSD / that to the step's map shuffled: 1 the same map, 0 an unrelated one"),
    within=flag("whether the TVD is within the tolerance"),
    chosen=flag("whether it is the chosen one: the least similar within the tolerance"),
)

READOUT = describe_file(
    "readout",
    "readouts/{dataset}/{model}/seed{seed}/{split}.parquet",
    meaning="All that the post-hoc tests know of a trained model: logits = sum over items (tokens, or the sentences of "
    "a HAN) of attention x contribution, plus bias; of a model of pairs, logits = weight x tanh of that sum, plus "
    "bias, with the head beside it.",
    id=ID,
    label=LABEL,
    prediction=class_number("class with the highest probability"),
    probabilities=weights("predicted distribution over all classes", unit="probability"),
    attention=weights("attention weight of each item; sums to 1", unit="share"),
    contribution=logits(
        "z_t = W h_t of each item, item by item, one value per output (a two-class model has one output, the "
        "logit of class 1; a model of pairs has those of its projection)"
    ),
    bias=logits("bias of the decoder, one value per output; of pairs, the projected query"),
    candidates=integers.or_null("of pairs, the classes that may be the answer; null for single texts", unit="class"),
    map_names=texts("the names of further maps, the same for all texts; often none"),
    maps=scores("of each of these maps, a score for each word, of any sign; no prediction follows from it"),
)

OF_ITEMS = {column.name: column for column in READOUT.columns}
OF_HEADS = weights("attention weight of each item in each head, item by item; those of a head sum to 1", unit="share")
MARK_COUNT = item_count(
    "how many of the items, the last ones, are marks of the tokenizer ([CLS], then [SEP]) and no words"
)

OF_TEXT = {
    "places": places.or_null(
        "which word of its text each item is that is no mark: words that are cut off, or of which the "
        "tokenizer makes nothing, are none; null where the items are the first words"
    ),
    "cut": flag("whether the text was too long for the model and is read in part"),
}

SEVERAL = describe_file(
    "readout of several maps",
    "readouts/{dataset}/own/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a model of which a map of several heads is given; and in hf, of a Transformer with uniform "
    "weights imposed, and of an earlier layer of one. Attention is the mean of the heads, and logits = sum over items "
    "of that mean x contribution, plus bias. Of an earlier layer, contribution and bias are empty, since its "
    "predictions do not follow from this map.",
    **OF_ITEMS,
    heads=OF_HEADS,
    marks=MARK_COUNT,
    **OF_TEXT,
)

HEADED = describe_file(
    "headed readout",
    "readouts/{dataset}/hf/{model}/seed{seed}/{split}.parquet",
    meaning="The readout of a Transformer. Attention is the mean of its heads; contribution and bias are those of the "
    "first-order expansion at its own weights, so that the logits are attention x contribution, plus bias, there only. "
    "Under other weights the prediction follows from the last three columns and from tail.safetensors beside it.",
    **OF_ITEMS,
    heads=OF_HEADS,
    values=weights(
        "what a head attends to, item by item, head by head; of a word, the mean of its pieces, by their weights"
    ),
    below=weights("state of the classified token below the last layer"),
    marks=MARK_COUNT,
    **OF_TEXT,
)

HEAD = describe_file(
    "head",
    "readouts/{dataset}/{model}/seed{seed}/head.parquet",
    meaning="What a model of pairs has above its readouts, the same for all splits; no rows for a model of single "
    "texts.",
    **{"class": class_number("the class whose logit it gives")},
    weight=logits("one value per output of the readout, for the tanh of each"),
    bias=real("what is added", unit="logit"),
)
