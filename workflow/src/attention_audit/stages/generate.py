"""A language model, a corpus whose texts are prompts -> what maps of the tokens that follow them may be read as."""

from contextlib import suppress

import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_rows, write_table
from attention_audit.audits.settings import GenerateJob
from attention_audit.audits.token_cases import list_contrasts, make_cases, refuse_other_pieces
from attention_audit.columns.audits import GENERATED, GENERATED_TOKENS
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.raw import list_corpus_classes
from attention_audit.errors import AuditError, add_place
from attention_audit.raw_text import RawText
from attention_audit.tables.token_answers import BY_DEFAULT
from attention_audit.transformer.contexts import TooShort, read_prompt
from attention_audit.transformer.folder import find_folder
from attention_audit.transformer.opening import open_tokenizer

from .job import Job
from .loading import list_raw_texts, prepare_device
from .token_audit import GenerationAudit


def run(job: Job[GenerateJob]) -> None:
    """Ask of the tokens behind each test text, those of the first training or the text's label, as `audit_generation`
    does; write the answers, and the maps. Texts of fewer than two units are left out, and counted. Raises AuditError,
    which names the text, where a prompt cannot be read.
    """
    settings, read = job.settings, job.settings.read
    where, corpus = f"{settings.dataset}, {settings.model}", job.input("corpus")
    device = prepare_device(settings.device, settings.threads)
    homes = [find_folder(folder, "config: hf") for folder in settings.folders]
    columns = ["id", "split", "label_name", "tokens", "raw", "starts", "second"]
    texts = read_rows(corpus, CORPUS, columns, pc.field("split") == "test")
    words, raw_texts = texts["tokens"].to_pylist(), (raw.cut(read.words) for raw in list_raw_texts(texts))
    units = [(names[: read.words], raw) for names, raw in zip(words, raw_texts, strict=True)]
    tokenizer = open_tokenizer(homes[0])

    def find(_: str, number: int) -> tuple[list[str], RawText]:
        return units[number]

    def follow(label: str) -> str:
        """Write a label as what follows a prompt."""
        return label if read.template[-1].isspace() else f" {label}"

    contrast = [*map(follow, list_corpus_classes(corpus))] if read.contrast == "labels" else read.contrast
    with add_place(where):
        prompts, members = [], []
        for number, (_, raw) in enumerate(units):
            with suppress(TooShort):
                prompts.append(read_prompt(tokenizer, raw.text, number, find, read.template))
                members.append(number)
        if not prompts:
            raise AuditError("prompts", f"none of {len(units)} has two units or more", "give longer texts")
        refuse_other_pieces(homes, prompts)
        contrasts = list_contrasts(tokenizer, contrast, len(prompts))
        audit = GenerationAudit(
            homes,
            device,
            read.maps,
            BY_DEFAULT,
            settings.permutation,
            settings.margins,
        )
        asked_texts = texts.take(members)
        labels = [*map(follow, asked_texts["label_name"].to_pylist())] if read.continuation else None
        tokens = [each[: read.tokens] for each in audit.list_tokens(tokenizer, prompts, labels, read.tokens)]
        audit.cases = make_cases(tokenizer, prompts, tokens, contrasts, read.granularity == "token")
        job.report(f"{where}: {len(audit.cases)} tokens of {len(prompts)} prompts")
        for step in audit.list_steps():
            step.take()
            job.report(f"{where}: {step.name}")
        summary, by_map = audit.answer(len(prompts), labels is not None)
    about = {"dataset": settings.dataset, "model": settings.model}
    short = len(units) - len(prompts)
    note = summary["note"].item() + f"; left out, of fewer than two units: {short}" * (short > 0)
    answers = by_map.rename(columns={"texts": "prompts"}).assign(**about, tokens=note)
    write_table(job.output("generated"), GENERATED, answers, job.provenance)
    maps = audit.list_maps(tokenizer, asked_texts["id"].to_pylist()).assign(**about)
    write_table(job.output("tokens"), GENERATED_TOKENS, maps, job.provenance)
