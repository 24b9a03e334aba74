"""A classifier at hand, or a network with an attention layer of one's own, audited in one call.

The workflow's own stages run, one after another in this process and in a folder that is removed afterwards, so that all
numbers are the workflow's.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from attention_audit.arrays import Floats
from attention_audit.columns.tables import TABLE
from attention_audit.corpus.languages import choose_tokens
from attention_audit.corpus.text import clean_characters
from attention_audit.errors import AuditError, suggest
from attention_audit.given import (
    WrittenTexts,
    convert_numbers,
    list_class_names,
    list_tokens,
    make_list,
    readout,
    refuse_count,
    refuse_kind,
    softmax,
)
from attention_audit.plan.plan import Plan
from attention_audit.plan.suites import SUITES
from attention_audit.questions import QUESTIONS
from attention_audit.readout import read_readout
from attention_audit.stages.import_readout import build_readout
from attention_audit.tables.wording import collect_labels
from attention_audit.transformer.folder import (
    GENERIC,
    HeldModel,
    find_folder,
    read_classes,
    use_held,
)
from attention_audit.transformer.in_memory import hold_model, hold_tokenizer
from attention_audit.transformer.settings import Long
from attention_audit.transformer.states import set_piece_limit

from .auditing import DATASET, MODEL, Audited, audit, run_plan
from .judging import judge, print_progress, trim_marks
from .predicting import Predict, check_batch_size

AUDITS: Mapping[str, Sequence[str]] = {
    "stable": ["stability"],
    "used": ["permutation"],
    "ranks": ["ranked_sets", "shuffles"],
    "located": ["located"],
    "signed": ["contributions", "shuffles"],
}
"""The audits that each question needs which is asked without further trainings of other kinds."""
OF_MAPS = ("map_stability", "attribution_stability")
TABLES = ("summary", "texts", "hf_table_maps", "corpus")
ARGUMENTS = {"maps", "max_length", "long", "prompt", "device"}
"""Arguments of `audit_classifier` that are keys of the configuration."""
FAULTS = {
    "^audits": "settings: audits",
    r"^map '": "maps: '",
    r"^(corpora\.\w+|\w+): (?=split |every text)": "texts: ",
    r"^text '(\d+)'": r"texts: text \1",
    ", or set `length` of the data set": "",
}
"""How faults of the workflow begin, and what they say of `audit_classifier`."""
Forward = Callable[[list[list[str]]], tuple[Sequence[npt.ArrayLike], Sequence[npt.ArrayLike]]]
"""Gives for each text of words its attention (L,) and the states that are attended to (L, D)."""


def hold_models(model: Any, tokenizer: Any, prompted: bool) -> dict[str, HeldModel]:
    """List what is in memory of each training, by its folder; or, of an object, by what it is called in messages.

    Raises AuditError where it is neither.
    """
    models = [*model] if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    if not models:
        raise AuditError("model: is an empty list; give one classifier, or one a training")
    held: dict[str, HeldModel] = {}
    for one in models:
        if isinstance(one, str | Path):
            folder = str(find_folder(str(one), "model"))
            held[folder] = HeldModel(None if tokenizer is None else hold_tokenizer(tokenizer))
        else:
            # what stands there twice is one training
            name = f"model {models.index(one) + 1}" if len(models) > 1 else "model"
            held[name] = hold_model(one, tokenizer, name, prompted)
    return held


def name_labels(labels: Sequence[Any], names: Sequence[str], count: int) -> list[str]:
    """Name the class of each text. Raises AuditError for what is neither a name nor a number of a class, and for a
    number that is also what another class is called.
    """
    known: dict[Any, str] = {key: name for at, name in enumerate(names) for key in (at, GENERIC + name)}
    known |= zip(names, names, strict=True)
    found = []
    for number, given in enumerate(make_list(labels, "labels", count)):
        if isinstance(given, list | tuple) or getattr(given, "ndim", False):
            raise AuditError(
                f"labels: text {number} has several numbers, as of one-hot rows; give the place of its class in them, "
                "as argmax(1) of an array does"
            )
        # of an array or a tensor
        label = given.item() if hasattr(given, "item") else given
        if isinstance(label, bool) or not isinstance(label, str | int | float) or label not in known:
            likely = suggest(label, names) if isinstance(label, str) else ""
            raise AuditError(
                f"labels: text {number} has {label!r:.40}{likely}; give the name of a class ({', '.join(names)}), or "
                f"its number, 0 to {len(names) - 1}"
            )
        if known.get(str(label).removesuffix(".0"), known[label]) != known[label]:
            raise AuditError(
                f"labels: text {number} has {label}, which is the number of class {known[label]!r} and the name of "
                f"another; give names, as strings: {', '.join(map(repr, names))}"
            )
        found.append(known[label])
    return found


def list_audits(questions: Sequence[str] | None) -> list[str]:
    """List the audits of some questions, by default of all that can be asked here. Raises AuditError for others."""
    asked = [*AUDITS] if questions is None else make_list(questions, "questions")
    for name in asked:
        if name not in AUDITS:
            what = "needs trainings of other kinds" if name in QUESTIONS else "is no question"
            raise AuditError(f"questions: {name!r} {what}; known here: {', '.join(AUDITS)}")
    return [*dict.fromkeys(audit for name in asked for audit in AUDITS[name])]


def list_classes(prompt: Mapping[str, Any] | None, folder: str) -> list[str]:
    """List the labels of a prompt, or what a model calls its classes, less a generic prefix.

    Raises AuditError where these are not two or more, and where it is no prompt.
    """
    if prompt is None:
        names = [name.removeprefix(GENERIC) for name in read_classes(Path(folder))]
        if len(names) < 2:
            raise AuditError(f"model: config.id2label has {len(names)} classes; give a classifier of two or more")
        if len({*names}) < len(names):
            raise AuditError(f"model: config.id2label has two classes that are one without {GENERIC}; rename one")
        return names
    if not isinstance(prompt, Mapping) or {*prompt} != {"template", "labels"}:
        raise AuditError("prompt: give the keys template and labels, and no others")
    names = [str(label).strip() for label in make_list(prompt["labels"], "prompt: labels")]
    if len(names) < 2:
        raise AuditError("prompt: labels: give two or more")
    return names


@contextmanager
def name_arguments(folder: Path, settings: Mapping[str, Any]) -> Iterator[None]:
    """Let faults name arguments of `audit_classifier` in the place of keys and files that are made of them."""

    def name_key(found: re.Match[str]) -> str:
        key = found[1].removeprefix(f"hf.{DATASET}.")
        return key if key.partition(".")[0] in ARGUMENTS - {*settings} else f"settings: {key}"

    try:
        yield
    except AuditError as error:
        said = re.sub(r"^config: ([\w.]+)", name_key, str(error))
        for pattern, instead in FAULTS.items():
            said = re.sub(pattern, instead, said)
        raise AuditError(said.replace(f"{folder}/", "")) from error


def join_words(texts: WrittenTexts, split: bool, name: str) -> list[str]:
    """Join lists of words, where texts are `split`, to strings. Raises AuditError, naming the argument."""
    lists = list_tokens(texts, name) if split else []
    joined: list[Any] = [*map(" ".join, lists)] if split else [*texts]
    for number, text in enumerate(joined):
        place = f"{name}: text {number}"
        if not isinstance(text, str):
            raise AuditError(f"{place} is of another kind than the first; give strings, or lists of words")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise AuditError(f"{place} has half a character (a lone surrogate); mend it")
        words = clean_characters(text)[0].split()
        if not words:
            raise AuditError(f"{place} has no word; leave it out")
        if split and len(words) != len(lists[number]):
            raise AuditError(f"{place} has a word that is empty, or has a space in it; mend it")
    return joined


def write_texts(
    texts: WrittenTexts,
    seconds: WrittenTexts | None,
    labels: Sequence[str],
    language: str | None,
    path: Path,
) -> dict[str, Any]:
    """Write the texts as a table, and say how it is read. Raises AuditError for an empty text or unknown language."""
    if not texts:
        raise AuditError("texts: there is none; give some")
    split = not isinstance(texts[0], str)
    columns = {"text": join_words(texts, split, "texts"), "label": labels}
    if seconds is not None:
        columns["second"] = join_words(make_list(seconds, "seconds", len(texts)), split, "seconds")
    frame = pd.DataFrame({"id": map(str, range(len(texts))), **columns})
    frame.to_json(path, orient="records", lines=True)
    tokens = choose_tokens(columns["text"], language, split, print_progress)
    return {
        "tokens": tokens.model_dump(include={"lower", "tokenizer"}),
        **({} if seconds is None else {"query": "second", "joined": True}),
    }


def audit_classifier(
    model: Any,
    tokenizer: Any,
    texts: WrittenTexts,
    labels: Sequence[Any],
    *,
    seconds: WrittenTexts | None = None,
    prompt: Mapping[str, Any] | None = None,
    maps: Sequence[str] = (),
    questions: Sequence[str] | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    batch_size: int | None = None,
    max_length: int = 512,
    long: Long = "cut",
    language: str | None = None,
    progress: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Audited:
    """Ask what the map of a Transformer classifier may be read as: the row of the classified token in its last layer.

    model: a sequence classifier of the library `transformers`, a pipeline of it, a model with adapters of PEFT, or a
    folder; of several trainings, a list. tokenizer: its tokenizer, or the folder of one; None for pipelines, and for
    folders that have one. texts: as people write them, or lists of words. labels: the gold class of each, by its number
    or by its name in `config.id2label`. seconds: the second text of each pair, where the model reads pairs. prompt:
    `template` and `labels` with which a language model, which `model` then is, is asked for one of its next tokens
    (docs/method/transformers.md). maps: further maps by name, such as rollout (same page). questions: some of
    stable, used, ranks, located and signed, by default all; `stable` needs several trainings. device: where the model
    runs. batch_size: how many texts of `max_length` pieces are read at once; more where they are shorter. max_length:
    pieces that are read together at most, marks included. long: whether longer texts are cut, or read in windows, whose
    map is asked less. language: spaCy's code, by whose rules words are found; None: of the script of texts that have
    hardly any spaces, else en. progress: whether a bar is shown. settings: further keys of the configuration, laid over
    what this function sets.

    Integrated gradients, which take most of the time, are left out unless `settings` has another `agreement`. Raises
    AuditError, in one line that names the argument, where something is wrong.
    """
    texts, maps = make_list(texts, "texts"), make_list(maps, "maps")
    settings = settings or {}
    wanted = "give keys of the configuration that no argument stands for"
    refuse_kind(settings, Mapping, "settings", f"dict; {wanted}")
    if own := {"hf", "corpora", "datasets"} & {*settings}:
        raise AuditError(f"settings: has {min(own)}; {wanted}")
    check_batch_size(1 if batch_size is None else batch_size)
    held = hold_models(model, tokenizer, prompt is not None)
    with (
        TemporaryDirectory(prefix="attention-audit-") as place,
        name_arguments(Path(place), settings),
        use_held(held),
        torch.random.fork_rng(),
    ):
        folder, folders = Path(place), [*held]
        names = list_classes(prompt, folders[0])
        gold = name_labels(labels, names, len(texts))
        how = write_texts(texts, seconds, gold, language, folder / "texts.jsonl")
        raw = {
            "results": str(folder / "results"),
            "corpora": {
                DATASET: {
                    "kind": "table", "path": {"test": str(folder / "texts.jsonl")}, "id": "id", "classes": names,
                    **how,
                }
            },
            "hf": {
                DATASET: {
                    "models": {MODEL: folders}, "maps": maps, "max_length": max_length, "long": long,
                    "prompt": prompt and dict(prompt),
                }
            },
            "audits": {"hf": ["predictions", *list_audits(questions), *OF_MAPS]},
            "agreement": {"texts": 0},
            "device": device,
            **settings,
        }  # fmt: skip
        plan = Plan(raw, {}, memory=folder / "checked.json")
        with set_piece_limit(batch_size and batch_size * max_length):
            found = run_plan(plan, TABLES, progress)
        suite, ids = SUITES["hf"], [*map(str, range(len(texts)))]
        called = {name: look.label for name, look in plan.scope.list_looks(suite).items()}
        read = [job.outputs["readout"] for job in plan.trainings.plan_jobs() if job.stage == "read_classifier"]
        return Audited(
            found["summary"],
            collect_labels([called], {suite.paper: suite.title}),
            found["hf_table_maps"],
            found["texts"],
            [read_readout(Path(*paths)).align(ids) for paths in read],
            [*map(list, found["corpus"].set_index("id").loc[ids, "tokens"])],
            names,
        )


def read_decoder(decoder: Any) -> tuple[Floats, Floats]:
    """Read the weight (C, D) and the bias (C,) of a linear layer. Raises AuditError where it is none."""
    weight, bias = (decoder.weight, decoder.bias) if hasattr(decoder, "weight") else decoder
    found = convert_numbers(weight, "decoder: weight", (2,), "give one of two axes, (C, D)")
    shift = np.zeros(len(found)) if bias is None else bias
    return found, convert_numbers(shift, "decoder: bias", (1,), "give (C,)", len(found), "row")


def read_attention(
    forward: Forward, weight: Floats, bias: Floats, batch_size: int, texts: Sequence[list[str]]
) -> tuple[list[Floats], list[Floats], Floats]:
    """Read attention (L,) and contributions (L, C) of each text off a network, and probabilities (n, C).

    Raises AuditError where they are not of these.
    """
    maps, added = [], []
    for start in range(0, len(texts), batch_size):
        part = [*texts[start : start + batch_size]]
        weights, states = (make_list(each, "forward", len(part)) for each in forward(part))
        for number, (a, h) in enumerate(zip(weights, states, strict=True), start):
            place = f"forward: text {number}"
            maps.append(convert_numbers(a, place, (1,), "give a weight a word"))
            found = convert_numbers(h, place, (2,), "give the states of its words, (L, D)")
            if found.shape[1] != weight.shape[1]:
                raise AuditError(f"{place}: states are {found.shape[1]} wide, decoder {weight.shape[1]}; make them fit")
            added.append(found @ weight.T)
    return maps, added, np.stack([softmax(a @ z + bias) for a, z in zip(maps, added, strict=True)])


def make_predict(read: Callable[..., Any], first: list[str], part: slice) -> Predict:
    """Make the function that predicts probabilities (n, C) by what is read off a network. Texts come without the marks
    at their ends, which are those around this part of the first text.
    """
    return lambda texts: read([first[: part.start] + words + first[part.stop :] for words in texts])[2]


def audit_torch(
    forward: Forward | Sequence[Forward],
    decoder: Any,
    texts: Sequence[Sequence[str]],
    labels: Sequence[int],
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
    from 0. classes: their names. batch_size: texts that `forward` gets at once. progress: whether lines of progress go
    to the standard error. settings: further keys of the configuration.

    `located` is asked by deleting words, as `judge` does; `forward` gets the marks at the ends of texts all the same.
    Raises AuditError, in one line that names the argument.
    """
    forwards, decoders = (
        ([forward], [decoder]) if callable(forward) else (make_list(forward, "forward"), make_list(decoder, "decoder"))
    )
    refuse_count(len(decoders), len(forwards), "decoder", "training")
    check_batch_size(batch_size)
    words = list_tokens(texts, "texts")
    parts, _ = trim_marks(words, lambda line: None)
    given, predicting = [], []
    for number, (each, linear) in enumerate(zip(forwards, decoders, strict=True), start=1):
        weight, bias = read_decoder(linear)
        read = partial(read_attention, each, weight, bias, batch_size)
        maps, added, predicted = read(words)
        given.append(readout(words, maps, added, bias, labels, predicted, name=f"training {number}"))
        predicting.append(make_predict(read, words[0], parts[0]))
    tables = audit(given, classes=classes, settings=settings)
    judged = judge(
        words,
        [one.seen for one in given],
        predicting,
        classes=classes,
        batch_size=batch_size,
        report=print_progress if progress else lambda line: None,
    )
    return Audited(
        tables["summary"].assign(**judged.summary.filter(regex="^located_")),
        collect_labels([{MODEL: MODEL}], {"own": "Your own models"}),
        pd.DataFrame(columns=TABLE.schema.names),
        tables["texts"],
        [*map(build_readout, given)],
        words,
        list_class_names(classes, given[0].classes),
    )
