# Raw files -> corpora.
#
# fetch        mirror or web                 -> results/raw/{folder}/{file}, and its record: what is known of it
# corpus       raw files, or nothing         -> results/corpora/{dataset}/corpus.parquet and census.parquet
# vocabulary   corpus, perhaps vector file   -> results/corpora/{dataset}/vocabulary.parquet
# corpora      gathers them


localrules:
    fetch,
    corpora,


rule fetch:
    output:
        file="results/raw/{folder}/{file}",
        record="results/raw/{folder}/records/{file}.json",
    log:
        "results/logs/fetch/{folder}/{file}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("fetch"),
        settings=remote,
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --output file {output.file:q} --output record {output.record:q}"


rule corpus:
    input:
        raw=raw_files,
        records=lambda w: records([w.dataset]),
    output:
        corpus="results/corpora/{dataset}/corpus.parquet",
        census="results/corpora/{dataset}/census.parquet",
    log:
        "results/logs/corpus/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: 4
    resources:
        **needs("corpus"),
    params:
        command=command("corpus"),
        settings=lambda w: settings(
            dataset=w.dataset,
            corpus=CONFIG.corpora[w.dataset].model_dump(),
            files=list(texts.raw_paths(CONFIG, w.dataset, MIRROR)),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --threads {threads} --log {log}"
        " --input raw {input.raw:q} --input records {input.records:q} --output corpus {output.corpus} --output census {output.census}"


rule vocabulary:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        vectors=vector_file,
        records=vector_record,
    output:
        "results/corpora/{dataset}/vocabulary.parquet",
    log:
        "results/logs/vocabulary/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("vocabulary"),
    params:
        command=command("vocabulary"),
        settings=lambda w: texts.vocabulary_settings(CONFIG, w.dataset),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input vectors {input.vectors:q} --input records {input.records:q}"
        " --output vocabulary {output}"


rule corpora:
    input:
        corpora("corpus.parquet"),
        corpora("vocabulary.parquet"),
