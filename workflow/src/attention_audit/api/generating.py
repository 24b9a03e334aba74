"""The maps of tokens that a decoder generates, audited in one call: may one be read as what the token depends on?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import torch

from attention_audit.answer.lines import write_range, write_share
from attention_audit.arrays import Floats
from attention_audit.audits.generated import (
    MEAN_ROW,
    NEAREST,
    SHUFFLED,
    Search,
    TokenCase,
    TokenPredictions,
    impose_others,
    list_row_maps,
    search_map,
)
from attention_audit.columns.tables import SUMMARY
from attention_audit.corpus.languages import choose_tokens
from attention_audit.errors import AuditError, add_place
from attention_audit.given import make_list, refuse_kind
from attention_audit.given.attributed import read_attributions
from attention_audit.maps import find_map
from attention_audit.maps.passes import ModelPass
from attention_audit.model.generator import Generator, TokenTarget, batch_context, require_decoder
from attention_audit.model.network import use_torch
from attention_audit.names import MAPS, TOKEN_MAPS, refuse_unknown_maps
from attention_audit.questions import QUESTIONS
from attention_audit.report.terminal import write_answer
from attention_audit.tables.summary import answer_subject
from attention_audit.transformer.contexts import Context, encode_text, list_contexts, read_continuation, read_prompt
from attention_audit.transformer.folder import Home, read_model_facts
from attention_audit.transformer.opening import choose_length, open_tokenizer
from attention_audit.transformer.pieces import UNLIMITED_LENGTH
from attention_audit.transformer.settings import Granularity, refuse_missing_maps
from attention_audit.transformer.states import set_piece_limit

from .asking import AuditSettings, AuditStep, read_settings, take_steps
from .auditing import Answer, by_question
from .judging import SCORES
from .opening import check_count, choose_device, find_homes
from .predicting import delete_words
from .rereading import print_progress
from .shown_text import Reading
from .token_answers import NOT_ASKED, OF_ROW, REASONS, describe_tokens, list_questions, measure_tokens
from .units import Spans, Units, check_spans, choose_granularity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {SCORES: "Maps of generated tokens", **MAPS.labels, **TOKEN_MAPS}
GENERATED_QUESTIONS = ("located", "ranks", "signed", "used", "stable", "unique")
BY_DELETION = ("located", "ranks", "signed")
PIECES_AT_ONCE = 512
"""Pieces of a context, of which a batch has `batch_size` texts."""
DELETIONS, MAP_COST, SETS = 5, 4, 8
"""Contexts that a ranking asks of, more or less; what a map costs, in passes; and the sets of weights of `used`."""


@dataclass(frozen=True, repr=False)
class TokenReading(Reading):
    """What a token depends on: printed, or alone in a cell of a notebook, the units before it in the colours of its
    maps, as `Reading`. The weights are those of the mean of all layers' rows; of each further map there is a column,
    and `loo` is what the token's probability loses without the unit.

    without: of each unit, the tokens that are likeliest where it is deleted, with their probabilities, as in a title.
    """

    without: Sequence[str] = ()

    def _describe_items(self) -> list[str]:
        ranges = super()._describe_items()
        return [f"{range_}; without it: {first}" for range_, first in zip(ranges, self.without, strict=True)]


@dataclass(frozen=True, repr=False)
class GeneratedText:
    """The tokens that follow a prompt: a sequence of readings. Alone in a cell of a notebook, each opens by a click."""

    prompt: str
    tokens: Sequence[TokenReading]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, number: int) -> TokenReading:
        return self.tokens[number]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.tokens))

    def _repr_html_(self) -> str:
        shown = [
            f"<details{' open' * (number == 0)}><summary>{escape(repr(str(each.said['prediction'])))}</summary>"
            f"{each.to_html()}</details>"
            for number, each in enumerate(self.tokens)
        ]
        return f"<p>{escape(self.prompt)}</p>{''.join(shown)}"


@dataclass(frozen=True, repr=False)
class GenerationAudited(Answer):
    """What the maps of generated tokens may be read as: the answer on the mean of all layers' rows, and a sequence of
    prompts with their tokens.

    by_map: the columns of `table` of each map by itself, behind its name. tokens: a row a training, map and token: what
    it loses by deletion, as `Judgement.texts` has it. imposed: a row a training and token, what other weights change
    (TVD); NaN of what was not asked.
    """

    by_map: pd.DataFrame
    tokens: pd.DataFrame
    imposed: pd.DataFrame
    generated: Sequence[GeneratedText]
    asks: ClassVar[str] = "May this map be read as what the token depends on?"

    def __len__(self) -> int:
        return len(self.generated)

    def __getitem__(self, number: int) -> GeneratedText:
        return self.generated[number]

    def __iter__(self) -> Iterator[GeneratedText]:
        return iter(self.generated)

    def text(self, number: int, token: int = 0) -> TokenReading:
        """Read a token of a prompt, both by their numbers from 0. Raises AuditError where there is none."""
        found: Any = self.generated
        for name, at in (("number", number), ("token", token)):
            if at not in range(-len(found), len(found)):
                raise AuditError(name, f"is {at!r}, and there are {len(found)}", "give one from 0")
            found = found[at]
        return found

    def figure(self) -> "Figure":
        """Draw how well each map, and the nearest words, locate the words that matter, with 95 % intervals."""
        from attention_audit.figures.attributions import fig_token_maps

        return fig_token_maps(self.by_map, self.labels)

    def __repr__(self) -> str:
        lines = write_answer(self.shown.iloc[0].to_dict(), "", self.asks)
        located = self.by_map[(self.by_map["question"] == "located") & np.isfinite(self.by_map["value"])]
        others = []
        for row in located.to_dict("records"):
            name, verdict = LABELS.get(row["map"], row["map"])[:42], row["verdict"].partition(", ")[0]
            numbers = f"{write_share(row['value']):>5}  {write_range(row['low'], row['high'], 'share')}"
            others.append(f"     {name:43}{verdict:17}{numbers}")
        heading = ["Top words of each map, from random (0) to best single words (1):"] * bool(others)
        return "\n".join([*lines, *heading, *others])


def read_maps(generator: Generator, case: TokenCase, names: Sequence[str]) -> dict[str, Floats]:
    """Read further maps of a case, by their names, as scores of units (U,)."""
    context, network = case.context, generator.network
    pieces = batch_context(context.ids, context.items, len(context.units), generator.device)
    network.token = case.target
    model_pass = ModelPass(network, pieces, torch.ones(1, dtype=torch.long, device=generator.device))
    try:
        return {name: case.fold(find_map(name)(model_pass)[0].detach()) for name in names}
    finally:
        network.token = None


@dataclass
class GenerationAudit:
    """The trainings of a decoder, asked one after another of the same tokens; only one is in memory at a time.

    maps: of each training, of each map by its name, the scores of units of each case. frames: a row a case of each
    training and map. imposed, searched: a row a training and case.
    """

    homes: Sequence[Home]
    device: torch.device
    cases: Sequence[TokenCase]
    further: Sequence[str]
    given: Mapping[str, Sequence[Floats]]
    asked: Sequence[str]
    search: Search
    settings: AuditSettings
    maps: list[dict[str, list[Floats]]] = field(default_factory=list)
    frames: list[pd.DataFrame] = field(default_factory=list)
    imposed: list[dict[str, Any]] = field(default_factory=list)
    searched: list[dict[str, Any]] = field(default_factory=list)
    first: TokenPredictions | None = None
    chances: list[Floats] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    opened: Generator | None = None

    def open(self, number: int) -> Generator:
        """Open a training."""
        self.opened = Generator(self.homes[number], self.device)
        return self.opened

    def read(self, number: int) -> None:
        """Read the maps of all cases off a training, and impose and search others."""
        generator = self.opened if number == 0 and self.opened else self.open(number)
        maps: dict[str, list[Floats]] = {}
        for case in self.cases:
            row = generator.read_row(case.context.ids)
            about = {"model": SCORES, "seed": 1 + number, "id": case.name}
            found = list_row_maps(case, row, self.settings.permutation.seed) | read_maps(generator, case, self.further)
            for name, scores in found.items():
                maps.setdefault(name, []).append(scores)
            self.firsts.append(float(row.weights[..., 0].mean()))
            if "used" in self.asked:
                self.imposed.append(about | impose_others(generator, case, row, self.settings.permutation))
            if "unique" in self.asked and number == 0:
                for scope, layers in (("all", len(row.weights)), ("last", 1)):
                    seed = self.settings.instance_adversary.seed
                    about[f"{scope}_jsd"], about[f"{scope}_chance"] = search_map(
                        generator, case, row, self.search, layers, seed
                    )
                self.searched.append(about)
        self.maps.append(maps | {name: [*scores] for name, scores in self.given.items() if number == 0})

    def delete(self, number: int) -> None:
        """Delete units in the orders of all maps of a training."""
        assert self.opened is not None
        predictions = TokenPredictions(self.opened, self.cases)
        tokens = [[(at, place) for place in range(len(case.context.units))] for at, case in enumerate(self.cases)]
        self.chances.append(predictions.predict(tokens))
        if {*BY_DELETION} & {*self.asked}:
            for name, scores in self.maps[number].items():
                frame, _ = delete_words(predictions, tokens, scores, asked=1)
                frame.insert(0, "training", 1 + number)
                ids = [case.name for case in self.cases]
                self.frames.append(frame.assign(map=name, id=ids, label=np.nan, auprc=np.nan, auprc_random=np.nan))
        self.first = self.first or predictions

    def list_steps(self) -> list[AuditStep]:
        """List what reads and asks the trainings, in order. The cost is in passes."""
        units = sum(len(case.context.units) for case in self.cases)
        rankings = DELETIONS * (4 + len(self.further) + len(self.given)) * len(self.cases)
        steps = []
        for number in range(len(self.homes)):
            name = f", training {1 + number} of {len(self.homes)}" * (len(self.homes) > 1)
            steps_searched = 2 * self.search.starts * self.search.steps * ("unique" in self.asked and number == 0)
            reading = len(self.cases) * (2 + SETS * ("used" in self.asked) + steps_searched)
            cost = reading + MAP_COST * len(self.cases) * len(self.further)
            asked = ", ".join(each for each in ("used", "stable", "unique") if each in self.asked)
            steps.append(AuditStep(partial(self.read, number), f"reading {asked}{name}", cost, reading))
            deleting = units + rankings
            steps.append(AuditStep(partial(self.delete, number), f"{', '.join(BY_DELETION)}{name}", deleting, deleting))
        return steps


def read_prompts(
    tokenizer: Any, prompts: Any, language: str | None, granularity: Any, spans: Any
) -> list[tuple[str, Context]]:
    """Read prompts, strings or lists of messages, as they are written and as contexts. Raises AuditError, which names
    the text, where one cannot be read.
    """
    listed = make_list(prompts, "prompts")
    if not listed:
        raise AuditError("prompts", "there is none", "give some")
    for number, prompt in enumerate(listed):
        messages = isinstance(prompt, list | tuple) and all(isinstance(each, Mapping) for each in prompt)
        if not (isinstance(prompt, str) or messages) or not prompt:
            raise AuditError("prompts", f"text {number} is {prompt!r:.40}", "give strings, or lists of chat messages")
    strings = [prompt for prompt in listed if isinstance(prompt, str)]
    if spans is not None and len(strings) < len(listed):
        raise AuditError("spans", "are of strings, and some prompts are messages", "use granularity")
    kind: Granularity = choose_granularity(granularity, spans, {"prompts": strings})
    contents = [message.get("content", "") for prompt in listed if not isinstance(prompt, str) for message in prompt]
    tokens = choose_tokens([*strings, *map(str, contents)], language, False, print_progress)
    units = Units(kind, tokens, tokenizer, None if spans is None else check_spans(spans, strings))
    return [read_prompt(tokenizer, prompt, number, units.find) for number, prompt in enumerate(listed)]


def refuse_long(read: Sequence[tuple[str, Context]], counts: Sequence[int], most: int) -> None:
    """Raise AuditError, which names the text, where more pieces stand before the last of so many tokens than a model
    reads.
    """
    for number, ((_, context), count) in enumerate(zip(read, counts, strict=True)):
        if (length := len(context.ids) + count - 1) > most:
            fault = f"text {number}: {length} pieces stand before its last token, and the model reads {most}"
            raise AuditError("prompts", fault, "shorten it")


def find_token(tokenizer: Any, word: Any, number: int) -> int:
    """Find the token of a word that others are told from. Raises AuditError where it has several."""
    ids = tokenizer(str(word), add_special_tokens=False)["input_ids"]
    if len(ids) != 1:
        pieces = ", ".join(repr(tokenizer.decode([each])) for each in ids)
        raise AuditError("contrast", f"text {number}: {word!r} has {len(ids)} pieces ({pieces})", "give words of one")
    return int(ids[0])


def list_contrasts(tokenizer: Any, contrast: Any, count: int) -> list[tuple[int, ...]]:
    """List the tokens that those of each of `count` prompts are told from, () for the whole vocabulary. contrast: a
    word, several, or an entry a prompt.
    """
    if contrast is None:
        return [()] * count
    entries = [contrast] if isinstance(contrast, str) else make_list(contrast, "contrast")
    by_prompt = any(not isinstance(each, str) for each in entries)
    if by_prompt and len(entries) != count:
        fault = f"has {len(entries)} entries for {count} prompts"
        raise AuditError("contrast", fault, "give a word, several, or one entry a prompt")
    listed = entries if by_prompt else [entries] * count
    return [
        tuple(dict.fromkeys(find_token(tokenizer, word, at) for word in ([each] if isinstance(each, str) else each)))
        for at, each in enumerate(listed)
    ]


def make_cases(
    tokenizer: Any,
    read: Sequence[tuple[str, Context]],
    tokens: Sequence[Sequence[int]],
    contrasts: Sequence[tuple[int, ...]],
    apart: bool,
) -> list[TokenCase]:
    """Make the cases of prompts and the tokens that follow them. Raises AuditError where there is none, and where one
    is told from itself.
    """
    cases = []
    for number, ((_, prompt), following, others) in enumerate(zip(read, tokens, contrasts, strict=True)):
        for step, (context, token) in enumerate(
            zip(list_contexts(tokenizer, prompt, following, apart), following, strict=False)
        ):
            if token in others:
                fault = f"text {number}: {tokenizer.decode([token])!r} is the target itself"
                raise AuditError("contrast", fault, "give others, or continuations to ask of")
            name = f"{number}:{step}"
            target = TokenTarget(token, others)
            cases.append(TokenCase(name, number, step, context, target, tokenizer.decode([token])))
    if not cases:
        raise AuditError("prompts", "the model ends each at once", "give others, or continuations")
    return cases


def fold_attributions(
    attributions: Mapping[str, Any],
    cases: Sequence[TokenCase],
    read: Sequence[tuple[str, Context]],
    tokens: Sequence[Sequence[int]],
) -> dict[str, list[Floats]]:
    """Read attributions of prompts and the tokens that follow them, as scores of the units of each case, by their
    names. Raises AuditError where they are of others.
    """
    prompts = [
        (len(context.ids), [*context.ids.tolist(), *following])
        for (_, context), following in zip(read, tokens, strict=True)
    ]
    folded = {}
    for name, values in attributions.items():
        if name in LABELS:
            raise AuditError("attributions", f"{name!r} is what a map is called", "give another name")
        scores = read_attributions(values, name, prompts)
        pieces = [torch.from_numpy(scores[case.text][: len(case.context.ids), case.step]) for case in cases]
        folded[name] = [case.fold(each) for case, each in zip(cases, pieces, strict=True)]
    return folded


def show_tokens(read: Sequence[tuple[str, Context]], audit: GenerationAudit, tokenizer: Any) -> list[GeneratedText]:
    """Show the cases of each prompt by the maps of all trainings."""
    readings: list[list[TokenReading]] = [[] for _ in read]
    blank = dict.fromkeys(("same_top", "jsd", "chance_jsd", "adversary_jsd", "adversary_tvd"), np.nan)
    assert audit.first is not None
    predicted, first = audit.first.known, audit.first.first
    for at, case in enumerate(audit.cases):
        weights = np.stack([maps[MEAN_ROW][at] for maps in audit.maps])
        units, whole = range(len(case.context.units)), audit.chances[0][at, 1]
        loo = [predicted.get(tuple((at, each) for each in units if each != gone)) for gone in units]
        likeliest = [first.get((at, gone), []) for gone in units]
        empty = np.full(len(units), np.nan)
        columns = {
            "word": np.array([*case.context.units], object), "weight": weights[0], "contribution": empty,
            "gradient": empty, "lowest": weights.min(0), "highest": weights.max(0), "adversary": empty,
            "known": np.ones(len(units), np.bool_),
            **{
                name: np.asarray(maps[at])
                for name, maps in audit.maps[0].items()
                if name not in (MEAN_ROW, NEAREST, SHUFFLED)
            },
            "loo": np.array([np.nan if now is None else whole - now[1] for now in loo]),
        }  # fmt: skip
        without = [", ".join(f"{tokenizer.decode([token])!r} {p:.2f}" for token, p in each) for each in likeliest]
        said = {"prediction": case.written, "probability": whole, "trainings": len(audit.maps), **blank}
        if len(weights) > 1:
            said["same_top"] = float((weights[1:].argmax(1) == weights[0].argmax()).mean())
        readings[case.text].append(TokenReading(columns, said, without=without))
    return [GeneratedText(text, each) for (text, _), each in zip(read, readings, strict=True)]


def answer_tokens(audit: GenerationAudit, texts: int, gold: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answer what was asked: the row of the summary, and the answers by map."""
    cases, margins = audit.cases, audit.settings.answer.margins
    columns = ["training", "words", "prediction", "probability", "id", "label", "auprc", "auprc_random", "map"]
    frame = pd.concat(audit.frames) if audit.frames else pd.DataFrame(columns=columns)
    if not audit.frames:
        lengths = [len(case.context.units) for case in cases]
        plain = {"words": lengths, "prediction": 1, "id": [case.name for case in cases], "map": MEAN_ROW}
        numbers = dict.fromkeys(("label", "auprc", "auprc_random", "random", "scores", "leave_one_out"), np.nan)
        frame = pd.concat([pd.DataFrame({"training": 1 + at, **plain, **numbers}) for at in range(len(audit.homes))])
    listed = {"permutation": audit.imposed, "search": audit.searched}
    further = {name: pd.DataFrame(rows) for name, rows in listed.items() if rows}
    by_map = {
        str(name): measure_tokens(rows.drop(columns="map"), cases, margins, further)
        for name, rows in frame.groupby("map", sort=False)
    }
    summaries = {}
    for name, measured in by_map.items():
        maps = [each[name] for each in audit.maps if name in each]
        questions = list_questions(name, cases, by_map.get(NEAREST, measured), maps, audit.asked)
        row = answer_subject(measured, questions)
        reasons = REASONS | (dict.fromkeys(OF_ROW, NOT_ASKED) if name == MEAN_ROW else {})
        row |= {f"{each}_reason": reasons.get(each, NOT_ASKED) for each in QUESTIONS if each not in questions}
        note = describe_tokens(cases, texts, np.concatenate(audit.chances), np.array(audit.firsts), gold)
        summaries[name] = pd.DataFrame([row | {"note": note}], columns=SUMMARY.schema.names)
    answers = [by_question(summary).assign(map=name) for name, summary in summaries.items()]
    return summaries[MEAN_ROW], pd.concat(answers).set_index("map").reset_index()


def audit_generation(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[Any],
    continuations: Sequence[Any] | None = None,
    *,
    max_new_tokens: int = 3,
    contrast: Any = None,
    maps: Sequence[str] = (),
    attributions: Mapping[str, Any] | None = None,
    granularity: Granularity = "word",
    spans: Spans | None = None,
    questions: Sequence[str] | None = None,
    search_steps: int = 100,
    device: str | int | torch.device | None = "auto",
    batch_size: int | None = None,
    language: str | None = None,
    progress: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> GenerationAudited:
    """Ask what maps of generated tokens may be read as, first of all the row of the position that predicts a token, the
    mean over all layers and heads.

    model: a decoder of the library `transformers`, a pipeline of it, or a folder; of several trainings, a list.
    tokenizer: its tokenizer, or the folder of one; None for pipelines, and for folders that have one. prompts: strings,
    or lists of messages, which the chat template joins. continuations: what follows each prompt, a string or a list of
    tokens; None: the likeliest tokens, at most `max_new_tokens` of them, up to the one that ends a text. Each token is
    a case; the tokens of a prompt count as one text. contrast: words of one token that each token is told from: one,
    several, or an entry a prompt; None: from the whole vocabulary. maps: further maps by name, such as rollout,
    layer_3, input_gradient or attn_lrp (docs/method/transformers.md). attributions: scores by any tool, by a name of
    yours: of each prompt an array (pieces before the last token, tokens); a FeatureAttributionOutput of inseq, or a
    file that it has saved. granularity, spans: the units of the prompts, as in `audit_classifier`; generated pieces are
    of words, or units of their own (token). questions: some of located, ranks, signed, used, stable and unique, by
    default all but the last; `unique` searches another map of each token, in `search_steps` steps, which takes long.
    device, batch_size, language, progress, settings: as in `audit_classifier`; a batch has `batch_size` times 512
    pieces.

    The first piece of a context, and all pieces of a template, are marks: they are ranked, moved and deleted never.
    Raises AuditError, in one line that names the argument, where something is wrong.
    """
    sections = read_settings(settings)
    texts_at_once = 1 if batch_size is None else batch_size
    counts = {"batch_size": texts_at_once, "max_new_tokens": max_new_tokens, "search_steps": search_steps}
    for argument, count in counts.items():
        check_count(argument, count)
    attributions = {} if attributions is None else attributions
    refuse_kind(attributions, Mapping, "attributions", "dict; give scores by names of yours")
    asked = [each for each in GENERATED_QUESTIONS if each != "unique"]
    if questions is not None:
        asked = make_list(questions, "questions")
        if unknown := [each for each in asked if each not in GENERATED_QUESTIONS]:
            fault = f"{unknown[0]!r:.40} is not asked of generated tokens"
            raise AuditError("questions", fault, f"known here: {', '.join(GENERATED_QUESTIONS)}")
    for each in model if isinstance(model, list | tuple) else [model]:
        require_decoder("model", each)
    homes, further = find_homes(model, tokenizer, True), make_list(maps, "maps")
    with add_place("maps"):
        refuse_unknown_maps(further)
    for home in homes:
        refuse_missing_maps(home, read_model_facts(home), further, "maps")
    pieces = open_tokenizer(homes[0])
    read = read_prompts(pieces, [prompts] if isinstance(prompts, str) else prompts, language, granularity, spans)
    for home in homes[1:]:
        other = open_tokenizer(home)
        if any(encode_text(other, text).ids != context.ids.tolist() for text, context in read):
            raise AuditError(str(home), "cuts prompts otherwise than the first training", "give trainings of one kind")
    contrasts = list_contrasts(pieces, contrast, len(read))
    limit = batch_size and batch_size * PIECES_AT_ONCE
    with use_torch(sections.threads):
        chosen = choose_device(device, sections.threads)
    with use_torch(sections.threads), set_piece_limit(limit), torch.random.fork_rng():
        audit = GenerationAudit(homes, chosen, [], further, {}, asked, Search(steps=search_steps), sections)
        generator = audit.open(0)
        longest = choose_length(pieces, generator.model, UNLIMITED_LENGTH)
        if continuations is None:
            refuse_long(read, [max_new_tokens] * len(read), longest)
            tokens = [generator.generate(context.ids, max_new_tokens) for _, context in read]
        else:
            following = make_list(continuations, "continuations", len(read))
            tokens = [
                read_continuation(pieces, *each, given, number)
                for number, (each, given) in enumerate(zip(read, following, strict=True))
            ]
            refuse_long(read, [*map(len, tokens)], longest)
        audit.cases = make_cases(pieces, read, tokens, contrasts, granularity == "token")
        audit.given = fold_attributions(attributions, audit.cases, read, tokens)
        take_steps(audit.list_steps(), len(audit.cases), progress)
    summary, by_map = answer_tokens(audit, len(read), continuations is not None)
    frames = [frame.drop(columns=["label", "auprc", "auprc_random", "text"]) for frame in audit.frames]
    imposed = pd.DataFrame(audit.imposed).drop(columns="model", errors="ignore")
    return GenerationAudited(
        summary,
        LABELS,
        by_map,
        pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(),
        imposed,
        show_tokens(read, audit, pieces),
    )
