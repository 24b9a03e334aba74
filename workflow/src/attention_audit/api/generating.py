"""The maps of tokens that a decoder generates, audited in one call: may one be read as what the token depends on?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import torch

from attention_audit.answer.lines import write_range, write_share
from attention_audit.arrays import Floats
from attention_audit.audits.generated import TokenCase
from attention_audit.audits.steps import take_steps
from attention_audit.audits.token_adversary import Search
from attention_audit.audits.token_cases import list_contrasts, make_cases, refuse_other_pieces
from attention_audit.corpus.languages import choose_tokens
from attention_audit.errors import AuditError, add_place
from attention_audit.given import make_list, refuse_kind
from attention_audit.given.attributed import read_attributions
from attention_audit.model.generator import require_decoder
from attention_audit.model.network import use_torch
from attention_audit.names import MAPS, MEAN_ROW, NEAREST, SHUFFLED, TOKEN_MAPS, refuse_unknown_maps
from attention_audit.report.terminal import write_answer
from attention_audit.stages.token_audit import GenerationAudit
from attention_audit.tables.score_answers import SCORES
from attention_audit.tables.token_answers import BY_DEFAULT, TOKEN_QUESTIONS
from attention_audit.transformer.contexts import Context, read_prompt
from attention_audit.transformer.folder import read_model_facts
from attention_audit.transformer.opening import open_tokenizer
from attention_audit.transformer.settings import Granularity, refuse_missing_maps
from attention_audit.transformer.states import set_piece_limit

from .asking import read_settings
from .auditing import Answer
from .opening import check_count, choose_device, find_homes
from .rereading import print_progress
from .shown_text import Reading
from .units import Spans, Units, check_spans, choose_granularity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {SCORES: "Maps of generated tokens", **MAPS.labels, **TOKEN_MAPS}
PIECES_AT_ONCE = 512
"""Pieces of a context, of which a batch has `batch_size` texts."""


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
        from attention_audit.figures.attributions import hf_fig_generated

        return hf_fig_generated(self.by_map.assign(dataset="", model=""), self.labels)

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
    for at, case in enumerate(audit.cases):
        weights = np.stack([maps[MEAN_ROW][at] for maps in audit.maps])
        losses, (_, *without) = audit.list_deletions(tokenizer, at)
        empty = np.full(len(losses), np.nan)
        columns = {
            "word": np.array([*case.context.units], object), "weight": weights[0], "contribution": empty,
            "gradient": empty, "lowest": weights.min(0), "highest": weights.max(0), "adversary": empty,
            "known": np.ones(len(losses), np.bool_),
            **{
                name: np.asarray(maps[at])
                for name, maps in audit.maps[0].items()
                if name not in (MEAN_ROW, NEAREST, SHUFFLED)
            },
            "loo": losses,
        }  # fmt: skip
        said = {
            "prediction": case.written,
            "probability": audit.chances[0][at, 1],
            "trainings": len(audit.maps),
            **blank,
        }
        if len(weights) > 1:
            said["same_top"] = float((weights[1:].argmax(1) == weights[0].argmax()).mean())
        readings[case.text].append(TokenReading(columns, said, without=without))
    return [GeneratedText(text, each) for (text, _), each in zip(read, readings, strict=True)]


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
    search_steps: int = 200,
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
    a case; the tokens of a prompt count as one text. contrast: words of one token that each token is told from, but for
    itself: one, several, or an entry a prompt; None: from the whole vocabulary. maps: further maps by name, such as
    rollout, layer_3, input_gradient or attn_lrp (docs/method/transformers.md). attributions: scores by any tool, by a
    name of yours: of each prompt an array (pieces before the last token, tokens); a FeatureAttributionOutput of inseq,
    or a file that it has saved. granularity, spans: the units of the prompts, as in `audit_classifier`; generated
    pieces are of words, or units of their own (token). questions: some of located, ranks, signed, used, stable and
    unique, by default all but the last; `unique` searches another map of each token, in `search_steps` steps, which
    takes long. device, batch_size, language, progress, settings: as in `audit_classifier`; a batch has `batch_size`
    times 512 pieces.

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
    asked = [*BY_DEFAULT]
    if questions is not None:
        asked = make_list(questions, "questions")
        if unknown := [each for each in asked if each not in TOKEN_QUESTIONS]:
            fault = f"{unknown[0]!r:.40} is not asked of generated tokens"
            raise AuditError("questions", fault, f"known here: {', '.join(TOKEN_QUESTIONS)}")
    for each in model if isinstance(model, list | tuple) else [model]:
        require_decoder("model", each)
    homes, further = find_homes(model, tokenizer, True), make_list(maps, "maps")
    with add_place("maps"):
        refuse_unknown_maps(further)
    for home in homes:
        refuse_missing_maps(home, read_model_facts(home), further, "maps")
    pieces = open_tokenizer(homes[0])
    read = read_prompts(pieces, [prompts] if isinstance(prompts, str) else prompts, language, granularity, spans)
    refuse_other_pieces(homes, read)
    contrasts = list_contrasts(pieces, contrast, len(read))
    limit = batch_size and batch_size * PIECES_AT_ONCE
    with use_torch(sections.threads):
        chosen = choose_device(device, sections.threads)
    with use_torch(sections.threads), set_piece_limit(limit), torch.random.fork_rng():
        audit = GenerationAudit(
            homes,
            chosen,
            further,
            asked,
            sections.permutation,
            sections.answer.margins,
            Search(steps=search_steps),
            sections.instance_adversary.seed,
        )
        tokens = audit.list_tokens(pieces, read, continuations, max_new_tokens)
        audit.cases = make_cases(pieces, read, tokens, contrasts, granularity == "token")
        audit.given = fold_attributions(attributions, audit.cases, read, tokens)
        take_steps(audit.list_steps(), len(audit.cases), progress)
    summary, by_map = audit.answer(len(read), continuations is not None)
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
