"""A classifier at hand, or a network with an attention layer of one's own, audited in one call.

It is read, and asked, in memory by the functions that the workflow's stages call, so that all numbers are the
workflow's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.arrays import Floats, Floats32
from attention_audit.audits.again import ask_again
from attention_audit.audits.answers import Training
from attention_audit.audits.attributed import AttributedTexts, Attributions
from attention_audit.audits.correlation import ask_attribution
from attention_audit.audits.steps import AuditStep
from attention_audit.columns.files import CENSUS
from attention_audit.columns.tables import TABLE
from attention_audit.corpus.prepare import prepare_texts
from attention_audit.corpus.source import Length, Preparation, Splits
from attention_audit.corpus.text import Text
from attention_audit.corpus.tokens import Tokens
from attention_audit.errors import AuditError
from attention_audit.given import (
    WrittenTexts,
    convert_numbers,
    list_class_names,
    list_tokens,
    make_list,
    readout,
    refuse_count,
    softmax,
)
from attention_audit.model.outputs import Target, distribute
from attention_audit.plan.model import Suite
from attention_audit.plan.suites import SUITES
from attention_audit.questions import QUESTIONS
from attention_audit.readout import HeadStates, select_texts
from attention_audit.stages.classifier_texts import (
    ReadTexts,
    build_split_of,
)
from attention_audit.stages.import_readout import build_readout
from attention_audit.stages.network_readout import assemble_readout
from attention_audit.stages.read_classifier import (
    COMPARED_PASSES,
    MAX_TEXTS_COMPARED,
)
from attention_audit.tables.maps import hf_table_maps
from attention_audit.tables.summary import summary as make_summary
from attention_audit.tables.tidy import join_notes
from attention_audit.tables.wording import Labels, collect_labels
from attention_audit.transformer.folder import Home
from attention_audit.transformer.outputs import OutputKind
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.settings import Granularity, Long, Truncation

from .asking import (
    GIVEN_MODEL,
    GIVEN_TEXTS,
    ModelAudit,
    number_trainings,
    read_settings,
)
from .auditing import Audited, TargetAudited, audit, list_by_target
from .judging import judge, trim_marks
from .opening import check_count, open_texts
from .predicting import Predict, call_with_texts
from .rereading import ClassifierReader, CutTexts, print_progress
from .saving import ClassifierRun, list_saved_texts
from .targets import (
    ALL,
    MOST_CASES,
    PREDICTED,
    AskedTarget,
    TargetChoice,
    describe_cases,
    describe_outputs,
    number_labels,
)
from .units import Spans

QUESTION_AUDITS: Mapping[str, Sequence[str]] = {
    "stable": ["stability"],
    "used": ["permutation"],
    "ranks": ["ranked_sets", "shuffles"],
    "located": ["located"],
    "signed": ["contributions", "shuffles"],
}
"""The audits that each question needs which is asked without further trainings of other kinds."""
READING_COST, COPY_COST, TEXT_COST = 0.5, 1.7e-4, 0.01
"""How long it takes to open a training; to predict of a copy of a text, for each word; and to read or rank a text."""
GRADIENT_PASSES = 3
"""How many copies a step of integrated gradients is worth."""
MAP_AUDITS = ("map_stability", "attribution_stability")
Forward = Callable[[list[list[str]]], tuple[Sequence[npt.ArrayLike], Sequence[npt.ArrayLike]]]
"""Gives for each text of words its attention (L,) and the states that are attended to (L, D)."""


@dataclass(eq=False)
class ClassifierAudit:
    """The trainings of a classifier, which are read and asked one after another; only one is in memory at a time.

    reader: reads them. texts: what they read. target: what is asked of. known: the outputs that targets share, by
    training. first: the pieces that the first training reads. outputs: what each training returns of all texts, (N, K),
    with what its heads attend to, where targets are asked of.
    """

    model: ModelAudit
    reader: ClassifierReader
    texts: ReadTexts
    target: Target | None = None
    known: Mapping[str, dict[bytes, torch.Tensor]] = field(default_factory=dict)
    first: Pieces | None = None
    outputs: list[tuple[HeadStates, Floats32]] = field(default_factory=list)
    attributions: dict[Training, Attributions] = field(default_factory=dict)

    def _read_out(self, training: Training, home: Home) -> None:
        report = self.model.answers.report
        training.readout, pieces = self.reader.read_out(home, self.texts, self.first, report)
        self.first = self.first or pieces

    def _read_outputs(self, home: Home) -> None:
        """Read all outputs of a training, in the order of the first one's classes."""
        outputs, pieces = self.reader.read_outputs(home, self.texts, self.first, self.model.answers.report)
        self.first = self.first or pieces
        self.outputs.append(outputs)

    def take_target(self, training: Training, home: Home, heads: HeadStates, outputs: Floats32) -> None:
        """Take the readout of a training on the texts of a target, from what its heads attend to in them."""
        assert self.target is not None
        training.readout = self.reader.take_target(home, self.texts, self.target, heads, outputs)

    def _attribute(self, training: Training, home: Home, audits: Sequence[str]) -> None:
        classifier, pieces = self.reader.open(home, self.texts, self.target)
        if self.target is not None:
            classifier.known = self.known[str(home)]
        settings, answers = self.model.settings, self.model.answers
        split, readout = build_split_of(pieces, self.texts, self.reader.device), training.read().align(self.texts.ids)
        sections = settings.agreement, settings.deletion, settings.erasure
        attributed = AttributedTexts(classifier, split, readout, answers.report, *sections)
        no_words = np.empty(0, np.int64)
        self.attributions[training] = ask_again(training, attributed, answers, self.model.facts, no_words, audits)

    def _ask_attribution(self) -> None:
        settings, (answers, facts) = self.model.settings, (self.model.answers, self.model.facts)
        ask_attribution(self.attributions, answers, facts, settings.correlation, settings.deletion, settings.erasure)

    def _name_trainings(self) -> list[tuple[Training, Home, str]]:
        """List the trainings, with what steps call them."""
        count = len(self.reader.homes)
        return [
            (training, home, f", training {number} of {count}" * (count > 1))
            for number, (training, home) in enumerate(zip(self.model.own, self.reader.homes, strict=True), start=1)
        ]

    def list_readings(self) -> list[AuditStep]:
        """List what reads them, in order: as classifiers, or all of their outputs, of which targets are chosen."""
        lengths, choosing = self.model.lengths, bool(self.known)
        passes = (1 + bool(self.reader.how.maps)) * len(lengths)
        passes += COMPARED_PASSES * min(MAX_TEXTS_COMPARED, len(lengths))
        return [
            AuditStep(
                partial(self._read_outputs, home) if choosing else partial(self._read_out, training, home),
                f"reading{name}",
                READING_COST + TEXT_COST * len(lengths),
                passes,
            )
            for training, home, name in self._name_trainings()
        ]

    def list_questions(self) -> list[AuditStep]:
        """List what asks them, in order."""
        lengths, steps = self.model.lengths, self.model.list_steps()
        if audits := [audit.name for audit in self.model.asked if audit.network]:
            # what is said of each word is said of the first training
            of_others = [name for name in audits if name != "word_attributions"]
            agreement = self.model.settings.agreement
            # leave-one-out and the orders of words shorten each text about as often as it has words
            copies = 2 * lengths + GRADIENT_PASSES * agreement.steps * min(1.0, agreement.texts / len(lengths))
            cost, passes = COPY_COST * float((copies * lengths).sum()), 2 * len(lengths) + int(copies.sum())
            for number, (training, home, name) in enumerate(self._name_trainings()):
                attribute = partial(self._attribute, training, home, of_others if number else audits)
                steps.append(AuditStep(attribute, f"located{name}", cost, passes))
            cost = TEXT_COST * len(self.reader.homes) * len(lengths)
            steps.append(AuditStep(self._ask_attribution, "located", cost, answers=["located"]))
        return steps


def list_question_audits(questions: Sequence[str] | None) -> list[str]:
    """List the audits of some questions, by default of all that can be asked here. Raises AuditError for others."""
    names = [*QUESTION_AUDITS] if questions is None else make_list(questions, "questions")
    for name in names:
        if name not in QUESTION_AUDITS:
            fault = "needs trainings of other kinds" if name in QUESTIONS else "is no question"
            raise AuditError("questions", f"{name!r} {fault}", f"known here: {', '.join(QUESTION_AUDITS)}")
    return [*dict.fromkeys(audit for name in names for audit in QUESTION_AUDITS[name])]


def replace_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    """Replace the values of a column, whose type stays."""
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), values.cast(table.schema.field(at).type))


def take_cases(table: pa.Table, asked_target: AskedTarget, place: int) -> pa.Table:
    """Take rows of texts of a target as rows of cases: their ids say which target, and classes are what is said of it,
    2 place for no and 2 place + 1 for yes.
    """
    table = replace_column(table, "id", pc.binary_join_element_wise(table["id"], asked_target.name, ":"))
    for name in {"prediction", "label", "base_prediction"} & {*table.column_names}:
        said = pc.if_else(pc.less(table[name], 0), table[name], pc.add(table[name], 2 * place))
        table = replace_column(table, name, said)
    return table


def label_suite(suite: Suite) -> Labels:
    """Label the model at hand, and its suite, as tables do."""
    return collect_labels([{GIVEN_MODEL: GIVEN_MODEL}], {suite.paper: suite.title})


def make_census(statements: Sequence[str]) -> pa.Table:
    """Make a census that has the names of statements alone."""
    empty = dict.fromkeys(CENSUS.schema.names)
    rows = [empty | {"split": "test", "label": number, "label_name": name} for number, name in enumerate(statements)]
    return pa.Table.from_pylist(rows, CENSUS.schema)


def prepare_cut(
    cut: CutTexts, labels: Sequence[str] | None, classes: list[str], tokens: Tokens
) -> tuple[pa.Table, pa.Table]:
    """Prepare texts that are cut into units: their corpus and its census. labels: None where they are not known."""
    (ids, _, written), known = cut.read, labels or repeat(None)
    rows = (
        Text(name, "test", label, [*units], f"texts: text {name}", written=text)
        for name, label, units, text in zip(ids, known, cut.units, written, strict=False)
    )
    how = Preparation(tokens, Length(), Splits(), classes, labelled=labels is not None)
    return prepare_texts(GIVEN_TEXTS, how, rows, classes)


def take_members(corpus: pa.Table, asked_target: AskedTarget) -> pa.Table:
    """Take the texts that a target is asked of, with whether it is the gold label of each."""
    return replace_column(corpus.take(asked_target.members), "label", pa.array(asked_target.gold))


def audit_targets(
    audited: ClassifierAudit,
    choice: TargetChoice,
    make_audit: Callable[..., ModelAudit],
    number_models: Callable[[], dict[str, list[Training]]],
    progress: bool,
) -> TargetAudited:
    """Ask of targets what is asked of classifiers, each of its texts; all of them share what the model returns.

    make_audit, number_models: make what asks a model, and its trainings.
    """
    outputs, corpus = [values for _, values in audited.outputs], audited.model.texts["corpus"]
    targets = choice.choose(outputs)
    cases = sum(len(asked_target.members) for asked_target in targets)
    if choice.rule == ALL and cases > MOST_CASES * choice.count:
        print_progress(f"targets: {cases} cases of {choice.count} texts, which takes long; name the labels that matter")
    parts, steps = [], []
    for asked_target in targets:
        rows = take_members(corpus, asked_target)
        model = make_audit(trainings=number_models(), corpus=rows, census=make_census(asked_target.statements))
        part_texts = audited.reader.texts.select(asked_target.members.tolist()).read._replace(labels=asked_target.gold)
        part = replace(audited, model=model, texts=part_texts, target=asked_target.target, attributions={})
        for training, home, (heads, values) in zip(model.own, audited.reader.homes, audited.outputs, strict=True):
            taken = select_texts(heads, asked_target.members), values[asked_target.members]
            steps.append(AuditStep(partial(part.take_target, training, home, *taken), f"reading {asked_target.name}"))
        # the answer is on all targets
        steps += [
            replace(step, name=f"{step.name} of {asked_target.name}", answers=()) for step in part.list_questions()
        ]
        parts.append(model)
    audited.model.take_steps(steps, progress)
    # the cases of a text belong together, with all that it belongs to
    grouped = replace_column(corpus, "group", pc.coalesce(corpus["group"], corpus["id"]))
    together = make_audit(
        trainings=number_models(),
        corpus=pa.concat_tables(
            take_cases(take_members(grouped, asked_target), asked_target, place)
            for place, asked_target in enumerate(targets)
        ),
        census=make_census([*chain(*(asked_target.statements for asked_target in targets))]),
        of_cases=True,
    )
    for place, (asked_target, model) in enumerate(zip(targets, parts, strict=True)):
        for name, tables in model.answers.tables.items():
            together.answers.tables.setdefault(name, []).extend(
                take_cases(table, asked_target, place) for table in tables
            )
        together.answers.lacks |= model.answers.lacks
    summary, texts = together.answer()
    note = join_notes(describe_cases(choice, targets), describe_outputs(choice, outputs))
    whole = [
        replace(
            assemble_readout(heads, values, audited.texts.ids, audited.texts.labels, audited.reader.how.layer),
            probabilities=distribute(torch.from_numpy(values), choice.kind).numpy(),
        )
        for heads, values in audited.outputs
    ]
    return TargetAudited(
        summary.assign(note=note),
        label_suite(together.suite),
        together.make_table(hf_table_maps),
        texts,
        whole,
        corpus["tokens"].to_pylist(),
        choice.names,
        None,
        audited.reader,
        kind=choice.kind,
        targets={asked_target.name: asked_target for asked_target in targets},
        by_target=list_by_target(targets, (part.make_table(make_summary, reasons={}) for part in parts)),
        cases={
            (number, asked_target.name): ([training.read() for training in part.own], asked_target)
            for asked_target, part in zip(targets, parts, strict=True)
            for number in asked_target.members.tolist()
        },
    )


def audit_classifier(
    model: Any,
    tokenizer: Any,
    texts: Sequence[Any],
    labels: Any = None,
    *,
    seconds: WrittenTexts | None = None,
    targets: Any = PREDICTED,
    contrast: Any = None,
    threshold: float | Mapping[str, float] | None = None,
    output: OutputKind | None = None,
    granularity: Granularity = "word",
    spans: Spans | None = None,
    prompt: Mapping[str, Any] | None = None,
    maps: Sequence[str] = (),
    questions: Sequence[str] | None = None,
    device: str | int | torch.device | None = "auto",
    batch_size: int | None = None,
    max_length: int | None = None,
    long: Long = "cut",
    truncation: Truncation | None = None,
    language: str | None = None,
    progress: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Audited:
    """Ask what the map of a Transformer classifier may be read as: the row of the classified token in its last layer.

    model: a sequence classifier of the library `transformers`, a pipeline of it, a model with adapters of PEFT, or a
    folder; of several trainings, a list. tokenizer: its tokenizer, or the folder of one; None for pipelines, and for
    folders that have one. texts: as people write them, or lists of words; or pairs of these, as tuples, or as dicts
    with `text` and `text_pair`; one string or dict is one text. labels: the gold class of each, by its number or by its
    name in `config.id2label`; of several labels a list of them, or a row of 0 and 1; of a number the number; None:
    nobody knows them; of one text, it may stand alone. seconds: the second text of each pair, where `texts` has the
    first ones alone. targets: which outputs are asked of, see `model.outputs`: "predicted", the class or the labels
    that the model gives; "gold"; "all"; the name of one, or several; or an entry for each text. contrast: the classes
    that a target is told from, by default all others. threshold: from which probability on a label is given, by default
    1/2, one for all or by name; of a number, above which value the model says yes, by default the median of its
    predictions. output: what the model returns, classes, labels or number; None: as pipelines read
    `config.problem_type`. granularity: whether maps are of words, of pieces (token) or of sentences; or spans: of each
    text, the characters (start, stop) of each of its units. prompt: `template` and `labels` with which a language
    model, which `model` then is, is asked for one of its next tokens (docs/method/transformers.md). maps: further maps
    by name, such as rollout (same page). questions: some of stable, used, ranks, located and signed, by default all;
    `stable` needs several trainings. device: where the model runs, as torch takes it, or auto.
    batch_size: how many texts of `max_length` pieces are read at once; more where they are shorter. max_length: pieces
    that are read together at most, marks included; None: as a pipeline has it, else 512. long: whether longer texts are
    cut, or read in windows, whose map is asked less. truncation: which text of a pair is cut, longest_first,
    only_first or only_second, as tokenizers are called; None: as a pipeline has it, else longest_first. language:
    spaCy's code, by whose rules words are found; None: of the script of texts that have hardly any spaces, else en.
    progress: whether a bar is shown. settings: further keys of the configuration, laid over what this function sets.

    Integrated gradients, which take most of the time, are left out unless `settings` has another `agreement`. Raises
    AuditError, in one line that names the argument, where something is wrong.
    """
    sections = read_settings(settings, agreement={"texts": 0})
    audits, suite = list_question_audits(questions), SUITES["hf"]
    opened = open_texts(
        model,
        tokenizer,
        texts,
        labels,
        seconds=seconds,
        targets=targets,
        contrast=contrast,
        threshold=threshold,
        output=output,
        granularity=granularity,
        spans=spans,
        prompt=prompt,
        maps=maps,
        device=device,
        batch_size=batch_size,
        max_length=max_length,
        long=long,
        truncation=truncation,
        language=language,
        threads=sections.threads,
    )
    reader, choice = opened.reader, opened.choice
    homes, names, classes = reader.homes, choice.class_names, [*reader.classes]
    corpus, census = prepare_cut(reader.texts, names, classes, opened.tokens)
    make_audit = partial(ModelAudit, suite, ["predictions", *audits, *MAP_AUDITS], sections, network=True)

    def number_models() -> dict[str, list[Training]]:
        return {GIVEN_MODEL: number_trainings(GIVEN_MODEL, [None] * len(homes))}

    model_audit = make_audit(trainings=number_models(), corpus=corpus, census=census)
    with reader.compute():
        known: dict[str, dict[bytes, torch.Tensor]] = {str(home): {} for home in homes} if choice.targeted else {}
        audited = ClassifierAudit(model_audit, reader, reader.texts.read, known=known)
        if choice.targeted:
            model_audit.take_steps(audited.list_readings(), progress)
            return audit_targets(audited, choice, make_audit, number_models, progress)
        model_audit.take_steps([*audited.list_readings(), *audited.list_questions()], progress)
    summary, rows = model_audit.answer()
    run = None
    if names is not None and granularity == "word" and spans is None:
        saved_texts, entry = list_saved_texts(corpus, classes)
        run = ClassifierRun(
            homes,
            saved_texts,
            # how strings were split
            {"tokens": opened.tokens.model_dump(exclude_unset=True)} | entry,
            opened.arguments.model_dump(mode="json", exclude={"device"}, exclude_defaults=True),
            sections.model_dump(mode="json", exclude_unset=True) | {"audits": {suite.name: model_audit.names}},
        )
    return Audited(
        summary,
        label_suite(suite),
        model_audit.make_table(hf_table_maps),
        rows,
        [training.read() for training in model_audit.own],
        corpus["tokens"].to_pylist(),
        classes,
        run,
        reader,
    )


def read_decoder(decoder: Any) -> tuple[Floats, Floats]:
    """Read the weight (C, D) and the bias (C,) of a linear layer. Raises AuditError where it is none."""
    pair = (decoder.weight, getattr(decoder, "bias", None)) if hasattr(decoder, "weight") else decoder
    if not isinstance(pair, tuple | list) or len(pair) != len(("weight", "bias")):
        remedy = (
            "give the nn.Linear in it, or weight (C, D) and bias (C,); of more layers above the attention use judge"
        )
        raise AuditError("decoder", f"is {type(decoder).__name__}, and no linear layer", remedy)
    matrix, shift = pair
    weight = convert_numbers(matrix, "decoder: weight", (2,), "give one of two axes, (C, D)")
    bias = np.zeros(len(weight)) if shift is None else shift
    return weight, convert_numbers(bias, "decoder: bias", (1,), "give (C,)", len(weight), "row")


def read_attention(
    forward: Forward, weight: Floats, bias: Floats, batch_size: int, texts: Sequence[list[str]]
) -> tuple[list[Floats], list[Floats], Floats]:
    """Read attention (L,) and contributions (L, C) of each text off a network, and probabilities (n, C).

    Raises AuditError where they are not of these.
    """
    maps, contributions = [], []
    for start in range(0, len(texts), batch_size):
        part = [*texts[start : start + batch_size]]
        output = call_with_texts(forward, part, "forward")
        if not isinstance(output, tuple | list) or len(output) != len(("attention", "states")):
            fault = f"gives {type(output).__name__}" + f" of {len(output)}" * isinstance(output, tuple | list)
            raise AuditError("forward", fault, "give two lists, the attention (L,) and the states (L, D) of each text")
        pair = (make_list(values, "forward", len(part)) for values in output)
        for number, (a, h) in enumerate(zip(*pair, strict=True), start):
            which = f"forward: text {number}"
            maps.append(convert_numbers(a, which, (1,), "give a weight a word"))
            states = convert_numbers(h, which, (2,), "give the states of its words, (L, D)")
            if states.shape[1] != weight.shape[1]:
                fault = f"states are {states.shape[1]} wide, decoder {weight.shape[1]}"
                remedy = "give the states that the attention sums; where the decoder reads more, use judge"
                raise AuditError(which, fault, remedy)
            contributions.append(states @ weight.T)
    predicted = np.stack([softmax(a @ z + bias) for a, z in zip(maps, contributions, strict=True)])
    return maps, contributions, predicted


def make_predict(read_network: Callable[..., Any], before: list[str], behind: list[str]) -> Predict:
    """Make the function that predicts probabilities (n, C) by what is read off a network. Texts come without the marks
    at their ends, which are these.
    """
    return lambda texts: read_network([before + words + behind for words in texts])[2]


def audit_torch(
    forward: Forward | Sequence[Forward],
    decoder: Any,
    texts: Sequence[Sequence[str]],
    labels: Sequence[Any],
    *,
    classes: Sequence[str] | None = None,
    batch_size: int = 64,
    progress: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Audited:
    """Ask the same of a network that ends in attention over states and a linear layer: logits = W sum_t a_t h_t + b.

    forward: gives, for a list of texts, each a list of words, the attention (L,) and the states under it (L, D) of
    each; of several trainings, a list. decoder: the linear layer, an nn.Linear or its weight (C, D) and bias (C,), and
    likewise a list; C is 1 where the one logit is that of class 1. texts: lists of words. labels: the gold classes,
    from 0, or their names. classes: all names. batch_size: texts that `forward` gets at once. progress: whether lines
    of progress go to the standard error. settings: further keys of the configuration.

    `located` is asked by deleting words, as `judge` does; `forward` gets the marks at the ends of texts all the same.
    Raises AuditError, in one line that names the argument.
    """
    forwards, decoders = (
        ([forward], [decoder]) if callable(forward) else (make_list(forward, "forward"), make_list(decoder, "decoder"))
    )
    refuse_count(len(decoders), len(forwards), "decoder", "training")
    check_count("batch_size", batch_size)
    suite = SUITES["own"]
    words = list_tokens(texts, "texts")
    parts, _ = trim_marks(words, lambda line: None)
    gold = number_labels(labels, classes, len(words))
    readouts, predicting = [], []
    for number, (network, linear) in enumerate(zip(forwards, decoders, strict=True), start=1):
        weight, bias = read_decoder(linear)
        read_network = partial(read_attention, network, weight, bias, batch_size)
        maps, contributions, predicted = read_network(words)
        readouts.append(readout(words, maps, contributions, bias, gold, predicted, name=f"training {number}"))
        predicting.append(make_predict(read_network, words[0][: parts[0].start], words[0][parts[0].stop :]))
    tables = audit(readouts, classes=classes, settings=settings)
    try:
        judged = judge(
            words,
            [training.seen for training in readouts],
            predicting,
            classes=classes,
            batch_size=batch_size,
            report=print_progress if progress else lambda line: None,
        )
    except AuditError as error:
        raise AuditError(error.place.replace("predict", "forward"), error.fault, error.remedy) from error
    return Audited(
        tables["summary"].assign(**judged.summary.filter(regex="^located_")),
        label_suite(suite),
        pd.DataFrame(columns=TABLE.schema.names),
        tables["texts"],
        [*map(build_readout, readouts)],
        readouts[0].words,
        list_class_names(classes, readouts[0].classes),
    )
