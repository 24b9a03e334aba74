"""Columns of the audits, a declaration each, in the order of their rules."""

from .kinds import (
    ID,
    LABEL,
    OF_MODEL,
    OF_TEXT,
    OF_TEXT_BY_LAMBDA,
    OF_TRAINING,
    OF_TRAINING_BY_LAMBDA,
    PREDICTION,
    class_number,
    cosine,
    describe_file,
    flag,
    integer,
    integers,
    item_count,
    logits,
    nats,
    probability,
    real,
    reals,
    share,
    text,
    text_count,
    texts,
    weights,
    word_count,
)

ITEMS = item_count("items under the last attention: sentences in a hierarchical model, words in any other; at least 2")
BASE_PREDICTION = class_number("class the base model predicts")
BASE_MAX_ATTENTION = share("largest attention weight of the base model in this text")
JSD = nats("Jensen-Shannon divergence of the attention from the base model's; at most ln 2")
FROM_BASE = {
    "jsd": JSD,
    "tvd": probability("total variation distance of the prediction from the base model's, all classes"),
    "decision_flip": flag("whether the predicted class differs from the base model's"),
}

PERFORMANCE = describe_file(
    "performance",
    meaning="How well every model and seed predicts the gold labels of the test split.",
    **OF_TRAINING_BY_LAMBDA,
    selection=text(
        "split on which the epoch was selected; train for adversaries, unknown for models that were not trained here"
    ),
    classes=integer("number of classes", unit="classes"),
    metric=text(
        "f1 (positive class of two, else macro average), accuracy or roc_auc (else macro average, one against all)"
    ),
    value=real("value of the metric on the test split"),
)

PREDICTIONS = describe_file(
    "predictions",
    meaning="What every model and seed predicts of every test instance, beside the gold label.",
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    prediction=PREDICTION,
    items=item_count("items under the last attention, without the marks of a tokenizer"),
)

CUT_TEXTS = describe_file(
    "cut_texts",
    meaning="The test texts that a Transformer reads in part, as they are too long for it.",
    **OF_TEXT,
    words=word_count("words of the text"),
    read=word_count("how many of them are read, of which the first or the last may be cut"),
)

COMPARISON = describe_file(
    "comparison",
    meaning="Every BiLSTM (further seeds, uniform, consistent adversaries) against the base model, test instance by "
    "test instance.",
    **OF_TEXT_BY_LAMBDA,
    **FROM_BASE,
    base_prediction=BASE_PREDICTION,
    base_max_attention=BASE_MAX_ATTENTION,
    same_top=flag("whether both models give the same item the most attention; of equal weights the earlier counts"),
    chance_jsd=nats(
        "the divergence of the attention from the base model's with this model's weights shuffled, mean over "
        "permutations"
    ),
)

CONSISTENCY = describe_file(
    "consistency",
    meaning="How far every model is from the base model on the development split, where an adversary may be chosen "
    "without a look at the test split; one row a model and seed.",
    **OF_TRAINING_BY_LAMBDA,
    tvd=probability(
        "mean total variation distance of the predictions from the base model's, where all classes that the "
        "base model predicts count alike"
    ),
    jsd=nats("mean Jensen-Shannon divergence of the attention from the base model's; at most ln 2"),
    chance_jsd=nats("the same divergence with this model's weights shuffled, mean over permutations"),
)

OTHER = integer("the seed that it is compared with, one that the configuration names earlier")

STABILITY = describe_file(
    "stability",
    meaning="How far attention and predictions of a model move from one seed to another, and how far shuffled "
    "attention does; every two seeds once, test instance by test instance. Models with one seed have no rows.",
    **OF_TRAINING,
    other=OTHER,
    id=ID,
    jsd=nats("Jensen-Shannon divergence of this seed's attention from the other seed's; at most ln 2"),
    tvd=probability("total variation distance of the predictions, all classes"),
    chance_jsd=nats("the same divergence with this seed's weights shuffled, mean over permutations"),
    same_top=flag("whether both seeds give the same item the most attention; of equal weights the earlier counts"),
)

RHO = real.or_null(
    "Spearman's rank correlation over the words; null where all scores of a training are alike", unit="correlation"
)

MAP_STABILITY = describe_file(
    "map_stability",
    meaning="How far two trainings of a model put the words of a text in the same order, map by map; every two seeds "
    "once, test instance by test instance. Models with one seed have no rows.",
    **OF_TRAINING,
    other=OTHER,
    id=ID,
    map=text("attention, or a further map that the readouts carry"),
    rho=RHO,
)

ATTRIBUTION_STABILITY = describe_file(
    "attribution_stability",
    meaning="The same of attributions that no readout carries; leave-one-out and integrated gradients perhaps of a "
    "sample of the texts.",
    **OF_TRAINING,
    other=OTHER,
    id=ID,
    map=text("gradient (of the prediction, by the weights), product, loo or integrated_gradients"),
    rho=RHO,
)

PERMUTATION = describe_file(
    "permutation",
    meaning="What shuffling the attention weights over the tokens does to the prediction, test instance by test "
    "instance, and how far shuffled maps are from the map itself.",
    **OF_TEXT,
    prediction=PREDICTION,
    max_attention=share("largest attention weight of the text"),
    median_tvd=probability(
        "median over permutations of the total variation distance to the original prediction, all classes"
    ),
    mean_tvd=probability("mean of it over the same permutations"),
    flips=share("share of the permutations that change the decision"),
    chance_jsd=nats("Jensen-Shannon divergence of the attention from its permutations, mean over them"),
)

HEADS = describe_file(
    "heads",
    meaning="Each head of several by itself, text by text: what shuffling its weights alone does, and how soon erasing"
    " in the order of its weights flips the decision.",
    **OF_TEXT,
    head=integer("number of the head, from 1; of a Transformer, in the layer that is read"),
    items=item_count("words of the text that are read, and of a Transformer the marks [CLS] and [SEP]"),
    mean_tvd=probability("mean change of the prediction (TVD) when the weights of this head alone are shuffled"),
    flips=share("share of these permutations that change the decision"),
    fraction_removed=share.or_null(
        "share of the items erased in all heads, from this head's highest weight downward, until the decision "
        "flips; null where it never does"
    ),
)

TOP = 5
"""So many items count as the first ones of a text."""

CONTRIBUTIONS = describe_file(
    "contributions",
    meaning="Attention beside the exact contribution of each item to the predicted class m, c_t = a_t (z_tm - sum over"
    " classes of p_c z_tc), test instance by test instance. Models of pairs have no rows: their predictions "
    "are not linear in the attention.",
    **OF_TEXT,
    items=item_count("items under the last attention; 1 or more"),
    prediction=PREDICTION,
    tau=real.or_null(
        "Kendall's tau-b of the attention and the absolute contributions; null where either is the same for all items"
    ),
    overlap=share(
        "share of the 5 items with the most attention that are among the 5 with the greatest absolute "
        "contributions; of a text of fewer items, all of them count, and it is 1"
    ),
    magnitude=real("sum of the absolute contributions of all items", unit="logit"),
    against=share("attention on items that speak against the prediction (c_t < 0)"),
    top_fall=probability.or_null(
        "probability of the predicted class minus that without the item of the most attention, the other "
        "weights renormalised; null for a text of one item"
    ),
    top_flips=flag.or_null("whether the decision changes without it; null likewise"),
    top_items=integers(
        "positions in the text of the up to 5 items with the most attention, from 0, the most first; of equal "
        "weights the earlier first"
    ),
    top_weights=weights("their attention weights", unit="share"),
    top_contributions=logits("their contributions c_t"),
)

DRAWS = ("corrected", "as_published")
"""The values of the column `draw`."""

SINGLE_WEIGHT = describe_file(
    "single_weight",
    meaning="What erasing one weight does: the item that a ranking puts first, against another one, test instance by "
    "test instance.",
    **OF_TEXT,
    ranking=text(
        "the ranking that names the top item: attention, gradient, or product (attention x gradient, the order "
        "of the exact contributions)"
    ),
    draw=text(
        "how the other item is drawn: corrected (any but the top, uniformly) or as_published (as the authors' "
        "code does: never the first of the text, at times the top itself)"
    ),
    items=ITEMS,
    delta_js=nats("divergence (JS) of the prediction without the top item, less that without the other one"),
    delta_attention=share("attention weight of the top item less that of the other"),
    top_flips=flag("whether the decision changes without the top item"),
    other_flips=flag("whether it changes without the other item"),
    top_fall=probability(
        "probability of the predicted class minus that without the top item, the other weights renormalised; "
        "below 0 where the top item opposes the prediction"
    ),
)

BINS = (1, 5, 10, 20, 50)
"""The shares of the items, in percent, at which the curves are measured."""

RANKED_SETS = describe_file(
    "ranked_sets",
    meaning="What erasing items from the top of a ranking downward does, test instance by test instance.",
    **OF_TEXT,
    ranking=text(
        "the ranking, such as random, attention, gradient, or product (attention x gradient, the order of the "
        "exact contributions); smallest: the fewest items that change the decision"
    ),
    items=ITEMS,
    removed=item_count("items erased when the decision first changes; -1 where it never does"),
    fraction_removed=share.or_null("removed / items; null where the decision never changes"),
    comprehensiveness=probability.or_null(
        "attention-comprehensiveness: what the predicted class loses when the attention on the first 1, 5, 10, "
        "20, 50 % of the items is erased, on average (AOPC); null for smallest"
    ),
    sufficiency=probability.or_null(
        "attention-sufficiency: what it loses when only they keep their attention, on average (AOPC)"
    ),
    comprehensiveness_curve=weights.or_null("attention-comprehensiveness at each of these shares", unit="probability"),
    sufficiency_curve=weights.or_null("attention-sufficiency at each of these shares", unit="probability"),
)

SHUFFLES = describe_file(
    "shuffles",
    meaning="What a model decides under its own attention weights, and under random orders of them over the items that"
    " are imposed on it, test instance by test instance. Erasures are from the weights imposed, and "
    "contributions are made of them.",
    **OF_TEXT,
    shuffle=integer("0: the weights as they are; 1, 2, ...: in random orders, the first ones of the audit permutation"),
    prediction=class_number("class that is predicted under these weights"),
    tvd=probability("total variation distance to the prediction under the model's own weights, all classes"),
    items=item_count("items under the last attention; 1 or more"),
    random=share.or_null(
        "share of the items erased in a random order when the decision under these weights changes; of shuffle "
        "0 the mean over 10 orders, in which one that never changes it counts as 1; null where it never changes, of "
        "shuffle 0 where `smallest` is null"
    ),
    by_weight=share.or_null("the same by falling weight; null where the decision never changes"),
    smallest=share.or_null(
        "the same of the fewest items that change the decision, of a Transformer the fewest found; null where none do"
    ),
    lead=real.or_null(
        "what the item of the most weight adds to the logit of the class predicted under these weights beyond "
        "those of the others, c_t / (1 - p_m); null for a Transformer, whose contributions are not exact",
        unit="logit",
    ),
    fall=probability.or_null(
        "probability of that class minus that without the item of the most weight, the other weights "
        "renormalised; null for a text of one item"
    ),
)

INSTANCE_ADVERSARY = describe_file(
    "instance_adversary",
    meaning="Jain & Wallace's adversary: for each test instance the attention furthest from the model's own that "
    "leaves the prediction within epsilon. What the columns call the base model is here the model itself.",
    **OF_TEXT,
    **FROM_BASE,
    admissible=integer("restarts whose prediction stayed within epsilon; 0: original kept", unit="restarts"),
    base_prediction=BASE_PREDICTION,
    base_max_attention=BASE_MAX_ATTENTION,
    attention=weights(
        "the adversarial attention weight of each item (token, or sentence in a hierarchical model); of "
        "several heads, those of each, item by item",
        unit="share",
    ),
)

ATTENTION_MAPS = describe_file(
    "attention_maps",
    meaning="The attention of the base model and of its adversaries over the words of a few test instances.",
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    weights=text("base, consistent_adversary, which is a model of its own, or instance_adversary of the base model"),
    probability=probability("probability of the class the base model predicts"),
    base_prediction=BASE_PREDICTION,
    jsd=JSD,
    position=integer("position of the word in the text, from 0", unit="position"),
    token=text("the word"),
    attention=share("attention weight of the word"),
)

EVIDENCE = describe_file(
    "evidence",
    meaning="Where the evidence is known: how much attention falls on it, test instance by test instance.",
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    evidence_mass=share("sum of the attention on the evidence positions"),
    uniform_mass=share("the same under uniform attention: evidence tokens / tokens"),
)

PLANTED = describe_file(
    "planted",
    meaning="Where the evidence is known: whether the item that a ranking puts first is of it, test instance by test "
    "instance.",
    **OF_TEXT,
    ranking=text("the ranking: attention, gradient, or product (attention x gradient)"),
    on_evidence=flag("whether the first item holds a word of the evidence"),
    chance=share("share of the items that do"),
)

COLUMNS = {
    **OF_TEXT_BY_LAMBDA,
    "annotator": text(
        "whose marks: people, the source or the generator by name; empty for the words that more than half of "
        "several annotators marked"
    ),
    "attribution": text(
        "what scores the words; random: the mean over all orders, which is also what uniform weights get; "
        "frequency: rarer words in the training split first; others: the other annotators"
    ),
    "words": word_count("words of the text that the model reads"),
    "marked": word_count("how many of them are marked; none or all have no scores"),
    "auprc": share.or_null("average precision of the order of the words; equal scores get the mean over their orders"),
    "f1": share.or_null(
        "token F1 of the words with the highest scores, as many as are marked; of others: of their majority"
    ),
    "iou": share.or_null("the same words and the marked ones: shared / in either"),
    "mass": share.or_null(
        "share of the scores that is on marked words, marks of a tokenizer counted among the items of a "
        "readout; null where scores have a sign"
    ),
}

PLAUSIBILITY = describe_file(
    "plausibility",
    meaning="How well attention, and what else a readout says of the items, points to marked words: a row a text, "
    "annotator and attribution, with floors and ceiling among them.",
    **COLUMNS,
)

PLAUSIBLE_WORDS = describe_file(
    "plausible_words",
    meaning="How well attributions that run the network again point to marked words: a row a text, annotator and "
    "attribution; integrated gradients of a sample of the texts.",
    **COLUMNS,
)

CORRELATION = describe_file(
    "correlation",
    meaning="Does attention rank the tokens as measures of importance do: two attributions at a time, test instance by"
    " test instance.",
    **OF_TEXT,
    prediction=PREDICTION,
    pair=text(
        "the two attributions, parted by ~: attention, gradient (attention held fixed), gradient_attached "
        "(that also flows through the attention) or loo (leave-one-out)"
    ),
    tau=real.or_null("Kendall's tau-b; null where one of the two is the same for all tokens"),
    p=real.or_null("its p-value under independence; null where tau is"),
    tokens=integer("tokens that can be attended to", unit="tokens"),
    top_k_overlap=share.or_null(
        "share of the k highest tokens of one that are among those of the other; null with at most k tokens"
    ),
)

AGREEMENT = describe_file(
    "agreement",
    meaning="How far attributions agree, two by two.",
    **OF_TRAINING,
    first=text("an attribution: those of correlation, or one of Captum"),
    second=text("another one; each pair stands once"),
    tau=real.or_null("mean of Kendall's tau-b over the texts where it is defined; null for none"),
    texts=text_count("test instances where tau-b is defined"),
)

CONICITY = describe_file(
    "conicity",
    meaning="How alike the hidden states of a text are (Mohankumar et al. 2020), test instance by test instance.",
    **OF_TEXT,
    conicity=cosine("mean over tokens of the cosine between their state and the mean state"),
    magnitude=cosine("the same of the cosines' magnitudes, which is what the authors' code computes"),
)

IMPERMISSIBLE = describe_file(
    "impermissible",
    meaning="Where impermissible words are named: how much attention falls on them, and what the same model predicts "
    "without them, test instance by test instance.",
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    blocked_words=word_count("impermissible words of the text"),
    mass=share("sum of the attention on them; 0 where there are none"),
    uniform_mass=share("the same under uniform attention"),
    right=flag("whether the model predicts the label"),
    right_without=flag.or_null(
        "whether it does where these words are deleted from the input; null where no word is left"
    ),
    fall=probability.or_null("probability of the predicted class, before minus after they are deleted; null likewise"),
)

DELETED = (5, 10, 20, 50)
"""The shares of the words, in percent, that are deleted, beside one word alone."""
DELETED_BY = ("random", "scores", "leave_one_out")
"""In which the words of a text are deleted where scores of any tool, or maps of generated tokens, are asked of."""

LOCATED = describe_file(
    "located",
    meaning="What deleting words from the input, from the top of a ranking downward, does when the model reads the "
    "text again, test instance by test instance. Texts of one word have no rows.",
    **OF_TEXT,
    ranking=text(
        "the ranking: random, attention, gradient (of the prediction, by the weights), product of the two, loo "
        "(leave-one-out: what the predicted class loses), integrated_gradients (of a sample of the texts)"
    ),
    words=word_count("words of the text, at least 2"),
    falls=weights(
        "what the predicted class loses without the first word, and without the first 5, 10, 20, 50 % of the "
        "words, rounded up; below 0 where it gains",
        unit="probability",
    ),
    top_flips=flag("whether the decision changes without the first word"),
    fraction_removed=share.or_null(
        "share of the states that go, in this ranking, until the decision flips, the other weights "
        "renormalised; null where it never does, and for pairs"
    ),
)

UNKNOWN, LIKELY, MASK = "unknown", "likely", "mask"
STAND_INS = (UNKNOWN, LIKELY, MASK)
"""The values of the column `by`."""

REPLACED = describe_file(
    "replaced",
    meaning="What replacing words of the input does, from the top of a ranking downward, when the model reads the text"
    " again, test instance by test instance. Rankings, texts and numbers of words are those of `located`.",
    **OF_TEXT,
    ranking=text("the ranking, as in located"),
    by=text(
        "what stands in for a word: unknown (the unknown word), likely (another word of the training texts, "
        "drawn by how often they have it), or mask (the mask of a Transformer's tokenizer)"
    ),
    words=word_count("words of the text, at least 2"),
    falls=weights(
        "what the predicted class loses where the first word is replaced, and the first 5, 10, 20, 50 % of the "
        "words, rounded up; below 0 where it gains",
        unit="probability",
    ),
)

WORD_ATTRIBUTIONS = describe_file(
    "word_attributions",
    meaning="What attributions say of each word, test instance by test instance, of the first training of each model; "
    "`results/explorer.html` shows them.",
    **OF_TEXT,
    attribution=text(
        "gradient (attention held fixed; shares of the magnitudes), loo (leave-one-out: the probability that "
        "the predicted class loses without the word) or integrated_gradients (with their signs, of a sample of the "
        "texts)"
    ),
    scores=weights("a value for each word that the model reads"),
)

SOFT = describe_file(
    "soft",
    meaning="What erasing parts of the words' vectors does, in proportion to the scores of an attribution, test "
    "instance by test instance. Attributions and texts are those of `located`.",
    **OF_TEXT,
    ranking=text("the attribution whose scores say how much is erased, called as the rankings of located"),
    nothing=probability("1 minus what the predicted class loses where all vectors are erased; 1 where it gains"),
    comprehensiveness=share.or_null(
        "what it loses where each number of a word's vector is erased with the word's score as probability, "
        "in shares of 1 - nothing; from 0 to 1; null where nothing is lost by erasing all"
    ),
    sufficiency=share.or_null(
        "1 minus what it loses where each number is kept with that probability, less nothing, in shares of 1 - "
        "nothing; from 0 to 1; null likewise"
    ),
    shuffled_comprehensiveness=share.or_null("comprehensiveness of the same scores, shuffled over the words"),
    shuffled_sufficiency=share.or_null("sufficiency of these"),
)

GENERATED = describe_file(
    "generated",
    meaning="What maps of generated tokens may be read as: an answer for each map and each of the eight questions.",
    **OF_MODEL,
    map=text("the map: mean_row, last_row, one that was asked for, nearest (the nearest words) or shuffled"),
    question=text("the question"),
    zones=text("the zones that the interval touches, as in the summary; - where there is no verdict"),
    verdict=text("the verdict, with the value of the nearest words; empty where there is none"),
    value=real.or_null("the estimate, in the question's unit; null where it is not asked or not known"),
    low=real.or_null("lower end of its 95 % interval over trainings and prompts; below three trainings over prompts"),
    high=real.or_null("upper end of it"),
    trainings=integer("trainings that have a value", unit="trainings"),
    prompts=text_count("prompts that it rests on"),
    note=text("what stands beside the verdict, or why there is none"),
    tokens=text("what was asked of: how many tokens, how likely they are, and the weight of the first piece"),
)

GENERATED_TOKENS = describe_file(
    "generated_tokens",
    "audits/{dataset}/{model}/generated_tokens.parquet",
    meaning="The tokens that follow texts, and what each map says of the units before them, which the explorer shows.",
    **OF_TRAINING,
    id=text("the text, a colon, and the number of the token, from 0"),
    token=text("the token, as it is written"),
    probability=probability("its probability, among the tokens that it is told from"),
    words=texts("the units that are read before it"),
    map=text("the map, or loo: what the token loses without each unit"),
    scores=reals("a number a unit"),
    likeliest=text.or_null("the likeliest tokens with their probabilities, where the map is loo; else null"),
    without=texts.or_null("of each unit likewise, where it is deleted"),
)

ATTRIBUTIONS = describe_file(
    "attributions",
    "attributions/{dataset}/{model}/seed{seed}/attributions.parquet",
    meaning="What one training says of the words of a text when it is run again, by attribution; what the audits of "
    "attributions are made from.",
    id=ID,
    attribution=text(
        "gradient, gradient_attached (through the attention too), loo (how far the prediction is without the word), "
        "loo_fall (what the predicted class loses), integrated_gradients (of a sample of the texts), or the user's own"
    ),
    scores=reals("score of each word"),
)
