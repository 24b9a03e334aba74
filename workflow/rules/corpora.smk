# Raw archives -> corpora.
#
# fetch        mirror or web          -> results/raw/{folder}/{file}
# corpus       archive, or nothing    -> results/corpora/{dataset}/corpus.parquet
# vocabulary   corpus, vector file    -> results/corpora/{dataset}/vocabulary.parquet


def remote(wildcards):
    """The config's entry of a raw file: of the word vectors, or of a data set's archive."""
    if wildcards.folder == "vectors":
        entries = CONFIG.vector_files.values()
    else:
        entries = [CONFIG.corpora[wildcards.folder].archive]
    return next(entry for entry in entries if entry.file == wildcards.file)


def archive(wildcards):
    """The raw archive of a data set; none for a generated one."""
    entry = getattr(CONFIG.corpora[wildcards.dataset], "archive", None)
    return [f"results/raw/{wildcards.dataset}/{entry.file}"] if entry else []


def vector_file(wildcards):
    """The word vectors of the run; none for random ones."""
    if CONFIG.vectors == "random":
        return []
    return [f"results/raw/vectors/{CONFIG.vector_files[CONFIG.vectors].file}"]


localrules:
    fetch,


rule fetch:
    output:
        "results/raw/{folder}/{file}",
    log:
        "results/logs/fetch/{folder}/{file}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("fetch"),
        settings=lambda w: settings(
            folder=w.folder,
            mirror=CONFIG.mirror,
            remote=remote(w).model_dump(include={"file", "url", "sha256"}),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log} --output file {output:q}"


rule corpus:
    input:
        archive=archive,
    output:
        "results/corpora/{dataset}/corpus.parquet",
    log:
        "results/logs/corpus/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("corpus"),
        settings=lambda w: settings(
            dataset=w.dataset, corpus=CONFIG.corpora[w.dataset].model_dump()
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input archive {input.archive:q} --output corpus {output}"


rule vocabulary:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        vectors=vector_file,
    output:
        "results/corpora/{dataset}/vocabulary.parquet",
    log:
        "results/logs/vocabulary/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("vocabulary"),
        settings=lambda w: settings(
            dataset=w.dataset,
            vectors=CONFIG.vectors,
            dimension=PLAN.architecture("base").embedding,
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input vectors {input.vectors:q}"
        " --output vocabulary {output}"
