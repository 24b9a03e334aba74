# archives -> Transformers, and what a frozen one says of each word


rule unpack:
    """Unpack a Transformer, and check its files."""
    input:
        **find_inputs("unpack", "archive record"),
    output:
        folder=directory("<results>/raw/encoders/{encoder}"),
    log:
        "<logs>/unpack/encoders/{encoder}.log",
    wildcard_constraints:
        encoder=match_any(CONFIG.encoders),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **find_params("unpack"),
    shell:
        STAGE


use rule unpack as build with:
    """Build a classifier whose truth is known from the words of a data set."""
    input:
        **find_inputs("build", "vocabulary"),
    output:
        files=multiext("<results>/raw/built/{classifier}/", *BUILT_FILES),
    log:
        "<logs>/build/built/{classifier}.log",
    localrule: True
    params:
        **find_params("build"),


use rule unpack as record_transformer with:
    """Record which Transformer this is, by the checksums of its files."""
    input:
        **find_inputs("record_transformer", "files"),
    output:
        record="<results>/{transformer}.json",
    log:
        "<logs>/record_transformer/{transformer}.log",
    wildcard_constraints:
        transformer="transformer|transformers/[^/]+",
    localrule: True
    params:
        **find_params("record_transformer"),


rule encode:
    """Read every text of a data set with a frozen Transformer, once for all models that stand on it."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        transformer="<results>/transformer.json",
    output:
        states="<results>/states/{dataset}/states.npy",
        pieces="<results>/states/{dataset}/pieces.parquet",
    log:
        "<logs>/encode/{dataset}.log",
    priority: 90
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=grow(4000, 20),
        runtime=grow(30, 60),
        gpu=GPU,
    params:
        **find_params("encode"),
    shell:
        STAGE
