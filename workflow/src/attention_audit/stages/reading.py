"""Reading a data set: its raw files, or nothing for a generated one, -> corpus and census."""

from attention_audit.artefacts.files import checksum
from attention_audit.artefacts.parquet import made_by, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.seal import values_checksum
from attention_audit.columns.corpus import CENSUS, CORPUS
from attention_audit.corpus.prepare import prepare
from attention_audit.corpus.source import OTHER_CORPUS
from attention_audit.errors import AuditError
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.stages.job import Job


def provenance_of(job: Job[CorpusJob]) -> Provenance:
    """What decides corpus and census: what is in the raw files, and the settings without those of the vocabulary.

    Raises AuditError, naming the file, where a raw file cannot be read.
    """
    settings = job.settings.model_dump(mode="json", exclude={"reading_code": True, "vectors": True})
    for key in ("min_df", "vectors"):
        settings["corpus"].pop(key, None)
    try:
        files = zip(job.settings.files, job.inputs["raw"], strict=True)
        inputs = {"raw": [values_checksum(path) if field == OTHER_CORPUS else checksum(path) for field, path in files]}
    except OSError as error:
        raise AuditError(f"{error.filename}: cannot be read ({error.strerror}); unlock it or put it back") from error
    return Provenance("corpus", settings, job.settings.reading_code, inputs)


def read_corpus(job: Job[CorpusJob]) -> None:
    """Make corpus and census, unless they are there and nothing has changed that decides what they are."""
    settings, corpus, census = job.settings, job.output("corpus"), job.output("census")
    provenance = provenance_of(job)
    if made_by(corpus, CORPUS, provenance) and made_by(census, CENSUS, provenance):
        job.report("the corpus of an earlier run, read from the same files with the same settings and code")
        return
    raw = dict(zip(settings.files, job.inputs["raw"], strict=True))
    counts = prepare(settings.dataset, settings.corpus, raw, corpus, provenance, job.threads, job.report)
    write_table(census, CENSUS, counts, provenance)
    if any(counts["annotated"].to_pylist()) and not settings.corpus.marked(raw):
        raise AuditError(f"{settings.dataset}: has marked words, and its class does not say so; set `annotated` there")
    classes = len(set(counts["label_name"].to_pylist()))
    for row in counts.group_by("split", use_threads=False).aggregate([("kept", "sum")]).to_pylist():
        if row["kept_sum"]:
            job.report(f"{row['split']}: {row['kept_sum']} texts of {classes} classes")
