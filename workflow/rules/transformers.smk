# archives -> Transformers, and what a frozen one says of each word


rule unpack:
    """Unpack a Transformer, and check its files."""
    input:
        archive=INPUTS.find_archive,
        record=INPUTS.find_archive_record,
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
        **tell("unpack", SETTINGS.build_unpacking),
    shell:
        STAGE


rule build:
    """Build a classifier whose truth is known from the words of a data set."""
    input:
        vocabulary=INPUTS.find_built_words,
    output:
        files=multiext("<results>/raw/built/{classifier}/", *BUILT_FILES),
    log:
        "<logs>/build/built/{classifier}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **tell("build", SETTINGS.build_classifier),
    shell:
        STAGE


rule fine_tune:
    """Fine-tune a Transformer for the labels of a data set, with one seed."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        transformer="<results>/transformers/{dataset}.json",
    output:
        files=multiext("<results>/raw/tuned/{dataset}/seed{seed}/", *BUILT_FILES),
        history="<results>/models/{dataset}/tuned/seed{seed}.history.parquet",
    log:
        "<logs>/fine_tune/{dataset}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_any(name for name, section in CONFIG.hf.items() if section.tunes_labels),
    priority: 90
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=grow(8000, 200),
        runtime=grow(60, 200),
        gpu=GPU,
    params:
        **tell("fine_tune", SETTINGS.build_fine_tuning),
    shell:
        STAGE


rule record_transformer:
    """Record which Transformer this is, by the checksums of its files."""
    input:
        files=INPUTS.list_transformer_files,
    output:
        record="<results>/{transformer}.json",
    log:
        "<logs>/record_transformer/{transformer}.log",
    wildcard_constraints:
        transformer="transformer|transformers/[^/]+",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **tell("record_transformer", SETTINGS.build_record),
        checksums=checksum(INPUTS.list_transformer_files),
    shell:
        STAGE


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
        **tell("encode", SETTINGS.build_states),
    shell:
        STAGE
