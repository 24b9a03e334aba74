# raw files -> corpora


rule fetch:
    """Take a raw file from the mirror or the web, and check it."""
    output:
        file="<results>/raw/{folder}/{file}",
        record="<results>/raw/{folder}/records/{file}.json",
    log:
        "<logs>/fetch/{folder}/{file}.log",
    wildcard_constraints:
        folder=match_any(FETCHED["folder"]),
        file=match_any(FETCHED["file"]),
    retries: 2
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **find_params("fetch"),
    shell:
        STAGE


rule prepare:
    """Read the texts of a data set, split them into words, and make its vocabulary."""
    input:
        **find_inputs("prepare", "raw vectors records"),
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
    threads: lambda wildcards: 4 if find_job("prepare", wildcards).inputs.get("raw") else 1
    resources:
        mem_mb=grow(2200, 5),
        runtime=grow(20, 0.5),
    params:
        **find_params("prepare"),
    shell:
        STAGE


rule corpora:
    """Gather the corpora of the run."""
    input:
        unless_omitted("corpora", list_files("prepare")),
    localrule: True
