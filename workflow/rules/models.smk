# corpora -> trained models and their readouts: base and uniform models over many seeds, adversaries of the base model,
# and the MLPs that attention guides; then models that others have trained

RUN = "<results>/models/{dataset}/{model}/seed{seed}"
READOUT = "<results>/readouts/{dataset}/{model}/seed{seed}"


rule train:
    """Train a model with one seed, and read it out: base, uniform, and the models of all other papers."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("train", "transformer"),
        states=read("train", "states"),
        reference=read("train", "reference"),
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=[f"{READOUT}/dev.parquet", f"{READOUT}/test.parquet"],
        head=f"{READOUT}/head.parquet",
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/train/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("train"),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=training_memory("train"),
        runtime=training_minutes("train"),
        gpu=GPU,
    params:
        **told("train"),
    shell:
        STAGE


rule read_out:
    """Read a trained model out on its training split, on which adversaries and guided models are trained."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("read_out", "transformer"),
        states=read("read_out", "states"),
        weights=f"{RUN}.safetensors",
    output:
        readouts=f"{READOUT}/train.parquet",
    log:
        "<logs>/read_out/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("train", "train_guide"),
    priority: 85
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=training_memory("read_out"),
        runtime=minutes(20, 1),
        gpu=GPU,
    params:
        **told("read_out"),
    shell:
        STAGE


rule train_adversary:
    """Train an adversary from scratch: it predicts as the base model does, and attends elsewhere."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("train_adversary", "transformer"),
        states=read("train_adversary", "states"),
        reference=read("train_adversary", "reference"),
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=expand(f"{READOUT}/{{split}}.parquet", split=SPLITS, allow_missing=True),
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/train_adversary/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("train_adversary"),
    priority: 88
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=training_memory("train_adversary"),
        runtime=training_minutes("train_adversary"),
        gpu=GPU,
    params:
        **told("train_adversary"),
    shell:
        STAGE


rule search_adversary:
    """Search for an adversary that continues from the base model, with a higher or lower lambda at each step."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("search_adversary", "transformer"),
        states=read("search_adversary", "states"),
        start=read("search_adversary", "start"),
        reference=read("search_adversary", "reference"),
        others=read("search_adversary", "others"),
    output:
        search=f"{RUN}.search.parquet",
        weights=expand(f"{RUN}.safetensors", model=SEARCHED, allow_missing=True),
        history=expand(f"{RUN}.history.parquet", model=SEARCHED, allow_missing=True),
        readouts=[
            *expand(
                f"{READOUT}/{{split}}.parquet",
                model=SEARCHED[:-1],
                split=["dev", "test"],
                allow_missing=True,
            ),
            *expand(f"{READOUT}/{{split}}.parquet", split=SPLITS, allow_missing=True),
        ],
        tail=expand(f"{READOUT}/tail.safetensors", model=SEARCHED, allow_missing=True),
    log:
        "<logs>/search_adversary/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("search_adversary", further=r"(?:_step\d+)?"),
        model=any_of(CONTINUED),
    priority: 95
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=training_memory("search_adversary"),
        runtime=training_minutes("search_adversary"),
        gpu=GPU,
    params:
        **told("search_adversary"),
    shell:
        STAGE


rule train_guide:
    """Train the diagnostic MLP with one seed: its attention is uniform, its own, the base model's or an adversary's."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("train_guide", "transformer"),
        states=read("train_guide", "states"),
        reference=read("train_guide", "reference"),
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=[f"{READOUT}/dev.parquet", f"{READOUT}/test.parquet"],
    log:
        "<logs>/train_guide/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("train_guide"),
    priority: 70
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=training_memory("train_guide"),
        runtime=training_minutes("train_guide"),
        gpu=GPU,
    params:
        **told("train_guide"),
    shell:
        STAGE


rule retrain_masked:
    """Retrain the base model on texts without the words that it ranks first, more of them each time (ROAR)."""
    input:
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        transformer=read("retrain_masked", "transformer"),
        states=read("retrain_masked", "states"),
        start=read("retrain_masked", "start"),
    output:
        weights=expand(f"{RUN}.safetensors", model=MASKED, allow_missing=True),
        history=expand(f"{RUN}.history.parquet", model=MASKED, allow_missing=True),
        readouts=expand(f"{READOUT}/test.parquet", model=MASKED, allow_missing=True),
    log:
        "<logs>/retrain_masked/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        model=any_of(ORDERS),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(2000, 100),
        runtime=minutes(60, 10),
        gpu=GPU,
    params:
        **told("retrain_masked"),
    shell:
        STAGE


rule read_classifier:
    """Read a Transformer classifier of the user's out, with the tail that decides under other weights."""
    input:
        given=read("read_classifier", "given"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        readout=f"{READOUT}/test.parquet",
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/read_classifier/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("read_classifier"),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(4000, 200),
        runtime=minutes(30, 20),
        gpu=GPU,
    params:
        **told("read_classifier"),
    shell:
        STAGE


rule import_readout:
    """Check a readout of the user's, beside the first training of its model, and import it."""
    input:
        given=read("import_readout", "given"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        beside=read("import_readout", "beside"),
    output:
        readout=f"{READOUT}/test.parquet",
    log:
        "<logs>/import_readout/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("import_readout"),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(2000, 20),
        runtime=minutes(10, 0.5),
    params:
        **told("import_readout"),
    shell:
        STAGE


rule impose_uniform:
    """Impose uniform weights on the last layer of a Transformer classifier, through its tail."""
    input:
        given=read("impose_uniform", "given"),
        beside=read("impose_uniform", "beside"),
    output:
        readout=f"{READOUT}/test.parquet",
    log:
        "<logs>/impose_uniform/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=made_by("impose_uniform"),
    priority: 80
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000, 20),
        runtime=minutes(10, 0.5),
    params:
        **told("impose_uniform"),
    shell:
        STAGE
