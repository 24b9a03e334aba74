"""A language model, a corpus whose texts are prompts -> what maps of the tokens that it generates may be read as."""

import pyarrow.compute as pc

from attention_audit.api.generating import BY_DEFAULT, GenerationAudit, answer_tokens, make_cases, refuse_other_pieces
from attention_audit.artefacts.parquet import read_rows, write_table
from attention_audit.audits.generated import Search
from attention_audit.audits.settings import GenerateJob
from attention_audit.columns.audits import GENERATED
from attention_audit.columns.files import CORPUS
from attention_audit.errors import add_place
from attention_audit.raw_text import RawText
from attention_audit.transformer.contexts import read_prompt
from attention_audit.transformer.folder import find_folder
from attention_audit.transformer.opening import open_tokenizer

from .job import Job
from .loading import list_raw_texts, prepare_device


def run(job: Job[GenerateJob]) -> None:
    """Ask of the tokens that the first training generates behind each test text, as `audit_generation` does, and write
    the answers. Raises AuditError, which names the text, where a prompt cannot be read.
    """
    settings, read = job.settings, job.settings.read
    where, corpus = f"{settings.dataset}, {settings.model}", job.input("corpus")
    device = prepare_device(settings.device, settings.threads)
    homes = [find_folder(folder, "config: hf") for folder in settings.folders]
    texts = read_rows(corpus, CORPUS, ["split", "tokens", "raw", "starts", "second"], pc.field("split") == "test")
    units = [*zip(texts["tokens"].to_pylist(), list_raw_texts(texts), strict=True)]
    tokenizer = open_tokenizer(homes[0])

    def find(_: str, number: int) -> tuple[list[str], RawText]:
        return units[number]

    with add_place(where):
        prompts = [read_prompt(tokenizer, raw.text, number, find) for number, (_, raw) in enumerate(units)]
        refuse_other_pieces(homes, prompts)
        audit = GenerationAudit(homes, device, [], read.maps, {}, BY_DEFAULT, Search(), settings)
        tokens = audit.generate(prompts, read.tokens)
        audit.cases = make_cases(tokenizer, prompts, tokens, [()] * len(prompts), read.granularity == "token")
        job.report(f"{where}: {len(audit.cases)} tokens of {len(prompts)} prompts")
        for step in audit.list_steps():
            step.take()
            job.report(f"{where}: {step.name}")
        summary, by_map = answer_tokens(audit, len(prompts), gold=False)
    about = {"dataset": settings.dataset, "model": settings.model, "tokens": summary["note"].item()}
    answers = by_map.rename(columns={"texts": "prompts"}).assign(**about)
    write_table(job.output("generated"), GENERATED, answers, job.provenance)
