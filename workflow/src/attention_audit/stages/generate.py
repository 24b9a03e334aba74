"""A language model, a corpus whose texts are prompts -> what maps of the tokens that follow them may be read as."""

import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_rows, write_table
from attention_audit.audits.settings import GenerateJob
from attention_audit.audits.token_adversary import Search
from attention_audit.audits.token_cases import list_contrasts, make_cases, refuse_other_pieces
from attention_audit.columns.audits import GENERATED, GENERATED_TOKENS
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.raw import list_corpus_classes
from attention_audit.errors import add_place
from attention_audit.raw_text import RawText
from attention_audit.tables.token_answers import BY_DEFAULT
from attention_audit.transformer.contexts import read_prompt
from attention_audit.transformer.folder import find_folder
from attention_audit.transformer.opening import open_tokenizer

from .job import Job
from .loading import list_raw_texts, prepare_device
from .token_audit import GenerationAudit


def run(job: Job[GenerateJob]) -> None:
    """Ask of the tokens behind each test text, those of the first training or the text's label, as `audit_generation`
    does; write the answers, and the maps. Raises AuditError, which names the text, where a prompt cannot be read.
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

    labels = [*map(follow, texts["label_name"].to_pylist())] if read.continuation else None
    contrast = [*map(follow, list_corpus_classes(corpus))] if read.contrast == "labels" else read.contrast
    with add_place(where):
        prompts = [
            read_prompt(tokenizer, raw.text, number, find, read.template) for number, (_, raw) in enumerate(units)
        ]
        refuse_other_pieces(homes, prompts)
        contrasts = list_contrasts(tokenizer, contrast, len(prompts))
        audit = GenerationAudit(
            homes,
            device,
            read.maps,
            BY_DEFAULT,
            settings.permutation,
            settings.instance_adversary,
            settings.margins,
            Search(),
        )
        tokens = [each[: read.tokens] for each in audit.list_tokens(tokenizer, prompts, labels, read.tokens)]
        audit.cases = make_cases(tokenizer, prompts, tokens, contrasts, read.granularity == "token")
        job.report(f"{where}: {len(audit.cases)} tokens of {len(prompts)} prompts")
        for step in audit.list_steps():
            step.take()
            job.report(f"{where}: {step.name}")
        summary, by_map = audit.answer(len(prompts), labels is not None)
    about = {"dataset": settings.dataset, "model": settings.model}
    answers = by_map.rename(columns={"texts": "prompts"}).assign(**about, tokens=summary["note"].item())
    write_table(job.output("generated"), GENERATED, answers, job.provenance)
    maps = audit.list_maps(tokenizer, texts["id"].to_pylist()).assign(**about)
    write_table(job.output("tokens"), GENERATED_TOKENS, maps, job.provenance)
