# Transformers, and corpora -> what trainings with one as an encoder read.
#
# transformer   its folder          -> results/transformer.json, the checksums of its files
# encoder       the folder of what classifiers of a data set are fine-tuned from
#                                   -> results/transformers/{dataset}.json, likewise
# states        corpus, the record  -> results/states/{dataset}/states.npy and pieces.parquet, where it is frozen
#
# States are updated and not made anew: the job keeps them where nothing has changed that decides what they are.


localrules:
    transformer,
    encoder,


rule transformer:
    input:
        lambda w: ask(transformers.transformer_files, CONFIG),
    output:
        record=PLACES.transformer,
    log:
        f"{PLACES.logs}/transformer.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="transformer",
        code=code_hash("stages.transformer"),
        settings=settings_of(lambda w: transformers.transformer_job(CONFIG)),
        inputs="",
        outputs=outputs,
    shell:
        STAGE


rule encoder:
    input:
        lambda w: ask(transformers.encoder_files, CONFIG, w.dataset),
    output:
        record=PLACES.encoder,
    log:
        f"{PLACES.logs}/transformers/{{dataset}}.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="transformer",
        code=code_hash("stages.transformer"),
        settings=settings_of(lambda w: transformers.encoder_job(CONFIG, w.dataset)),
        inputs="",
        outputs=outputs,
    shell:
        STAGE


rule states:
    input:
        corpus=lambda w: PLACES.corpus_file(w.dataset, "corpus"),
        transformer=PLACES.transformer,
    output:
        states=update(PLACES.states),
        pieces=update(PLACES.pieces),
    log:
        f"{PLACES.logs}/states/{{dataset}}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("states"),
    params:
        stage="states",
        code=code_hash("stages.states"),
        settings=settings_of(lambda w: transformers.states_job(CONFIG, w.dataset)),
        inputs=inputs,
        outputs=outputs,
    shell:
        STAGE
