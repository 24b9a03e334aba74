# raw files -> corpora


rule fetch:
    """Take a raw file from the mirror or the web, and check it."""
    output:
        file="<results>/raw/{folder}/{file}",
        record="<results>/raw/{folder}/records/{file}.json",
    log:
        "<logs>/fetch/{folder}/{file}.log",
    wildcard_constraints:
        folder=match_any(FETCHED[0]),
        file=match_any(FETCHED[1]),
    retries: 2
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **tell("fetch", SETTINGS.build_fetch),
        mirrored=lambda wildcards: hash_mirrored(CONFIG, wildcards.folder, wildcards.file),
    shell:
        STAGE


rule prepare:
    """Read the texts of a data set, split them into words, and make its vocabulary."""
    input:
        raw=INPUTS.list_raw_files,
        vectors=INPUTS.list_vectors,
        tokenizer=INPUTS.list_tokenizer,
        records=INPUTS.list_records,
    output:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        census="<results>/corpora/{dataset}/census.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    log:
        "<logs>/prepare/{dataset}.log",
    priority: 100
    conda:
        ENVIRONMENT
    # a job of several cores waits until all of them are free; generated texts need no splitting into words
    threads: lambda wildcards: 4 if INPUTS.list_raw_files(wildcards) else 1
    resources:
        mem_mb=grow(2200, 5),
        runtime=grow(20, 0.5),
    params:
        **tell("prepare", SETTINGS.build_corpus),
        raw_checksums=checksum(INPUTS.list_raw_files),
        vector_checksums=checksum(INPUTS.list_vectors),
        tokenizer_checksums=checksum(INPUTS.list_tokenizer),
    shell:
        STAGE


rule corpora:
    """Gather the corpora of the run."""
    input:
        unless_omitted(
            "corpora",
            expand(rules.prepare.output, dataset=add_others(CONFIG, PLAN.scope.datasets)),
        ),
    localrule: True
