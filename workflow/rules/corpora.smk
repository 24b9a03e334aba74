# Raw archives -> corpora.
#
# fetch        mirror or web          -> results/raw/{folder}/{file}
# corpus       archive, or nothing    -> results/corpora/{dataset}/corpus.parquet
# vocabulary   corpus, vector file    -> results/corpora/{dataset}/vocabulary.parquet


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
