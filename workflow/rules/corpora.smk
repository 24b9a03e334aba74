# Raw files -> corpora.
#
# fetch     mirror or web           -> results/raw/{folder}/{file}, and its record: what is known of it
# corpus    raw files, or nothing   -> results/corpora/{dataset}/corpus.parquet, census.parquet and vocabulary.parquet
#           perhaps a vector file
# corpora   gathers them
#
# Corpora are updated and not made anew: the job keeps corpus and census where only the vocabulary has changed.


localrules:
    fetch,
    corpora,


rule fetch:
    output:
        file=f"{PLACES.raw}/{{folder}}/{{file}}",
        record=f"{PLACES.raw}/{{folder}}/records/{{file}}.json",
    log:
        f"{PLACES.logs}/fetch/{{folder}}/{{file}}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="fetch",
        code=code_hash("stages.fetch"),
        settings=settings_of(lambda w: corpora.fetch_job(CONFIG, w.folder, w.file)),
        inputs="",
        outputs=outputs,
    shell:
        STAGE


rule corpus:
    input:
        raw=lambda w: ask(PLAN.raw_files, w.dataset),
        vectors=lambda w: ask(PLAN.vector_file, w.dataset),
        records=lambda w: [*ask(PLAN.records, [w.dataset]), *ask(PLAN.vector_record, w.dataset)],
    output:
        corpus=update(PLACES.corpus.replace("{file}", "corpus")),
        census=update(PLACES.corpus.replace("{file}", "census")),
        vocabulary=update(PLACES.corpus.replace("{file}", "vocabulary")),
    log:
        f"{PLACES.logs}/corpus/{{dataset}}.log",
    conda:
        "../../envs/attention-audit.yaml"
    # a job of several cores waits until all of them are free; generated texts need no splitting into words
    threads: lambda wildcards, input: 4 if input.raw else 1
    resources:
        **needs("corpus"),
    params:
        stage="corpus",
        code=code_hash("stages.corpus"),
        settings=settings_of(lambda w: corpora.corpus_job(CONFIG, w.dataset, PLAN.scope.mirror)),
        inputs=inputs,
        outputs=outputs,
    shell:
        STAGE


rule corpora:
    input:
        expand(PLACES.corpus, dataset=PLAN.scope.datasets, file=["corpus", "vocabulary"]),
