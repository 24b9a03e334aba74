# Corpora -> trained models and their readouts. One job trains a model with all its seeds.
#
# train     corpus, vocabulary (, readout of another model)  -> results/models/{dataset}/{model}/seed{seed}.*
# readout   the same, and the weights                        -> results/readouts/{dataset}/{model}/seed{seed}/{split}.parquet

# models differ in their seeds, so their rules differ in nothing but the seeds and the model's name
LABEL_MODEL = "{model,base|uniform|guide_[a-z_]+}"
ADVERSARY_MODEL = "{model,adversary_lambda.+}"
COMBINATION_MODEL = "{model,(lstm|cnn|average)_(tanh|dot)}"
DOCUMENT_MODEL = "{model,han_[a-z]+|flan_[a-z]+}"


rule train:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        vocabulary="results/corpora/{dataset}/vocabulary.parquet",
        reference=reference,
    output:
        weights=per_seed(WEIGHTS, LABEL_MODEL, CONFIG.training.seeds),
        history=per_seed(HISTORY, LABEL_MODEL, CONFIG.training.seeds),
    log:
        "results/logs/train/{dataset}/{model}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("train"),
    params:
        command=command("train"),
        settings=lambda w: plan_of(w.model).train_settings(w.dataset, w.model).model_dump_json(),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input vocabulary {input.vocabulary}"
        " --input reference {input.reference}"
        " --output weights {output.weights} --output history {output.history}"


use rule train as train_adversary with:
    output:
        weights=per_seed(WEIGHTS, ADVERSARY_MODEL, CONFIG.adversary.seeds),
        history=per_seed(HISTORY, ADVERSARY_MODEL, CONFIG.adversary.seeds),


use rule train as train_combination with:
    output:
        weights=per_seed(WEIGHTS, COMBINATION_MODEL, CONFIG.jain_wallace.seeds),
        history=per_seed(HISTORY, COMBINATION_MODEL, CONFIG.jain_wallace.seeds),


use rule train as train_document with:
    output:
        weights=per_seed(WEIGHTS, DOCUMENT_MODEL, CONFIG.serrano_smith.seeds),
        history=per_seed(HISTORY, DOCUMENT_MODEL, CONFIG.serrano_smith.seeds),


rule readout:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        vocabulary="results/corpora/{dataset}/vocabulary.parquet",
        reference=reference,
        weights=lambda w: expand(WEIGHTS, seed=plan_of(w.model).seeds(w.model), **w),
    output:
        readouts=per_seed(READOUT, LABEL_MODEL, CONFIG.training.seeds),
    log:
        "results/logs/readout/{dataset}/{model}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("readout"),
    params:
        command=command("readout"),
        settings=lambda w: plan_of(w.model).readout_settings(w.dataset, w.model).model_dump_json(),
        heads=heads,
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input vocabulary {input.vocabulary}"
        " --input reference {input.reference} --input weights {input.weights}"
        " --output readouts {output.readouts} {params.heads}"


use rule readout as readout_adversary with:
    output:
        readouts=per_seed(READOUT, ADVERSARY_MODEL, CONFIG.adversary.seeds),


use rule readout as readout_document with:
    output:
        readouts=per_seed(READOUT, DOCUMENT_MODEL, CONFIG.serrano_smith.seeds),


use rule readout as readout_combination with:
    output:
        readouts=per_seed(READOUT, COMBINATION_MODEL, CONFIG.jain_wallace.seeds),
        heads=per_seed(HEAD, COMBINATION_MODEL, CONFIG.jain_wallace.seeds),
