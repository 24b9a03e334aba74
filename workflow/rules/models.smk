# corpora -> trained models and their readouts: base and uniform models over many seeds, adversaries of the base model,
# and the MLPs that attention guides; then models that others have trained

RUN = "<results>/models/{dataset}/{model}/seed{seed}"
READOUT = "<results>/readouts/{dataset}/{model}/seed{seed}"
OF_SPLIT = f"{READOUT}/{{split}}.parquet"


rule train:
    """Train a model with one seed, and read it out: base, uniform, and the models of all other papers."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        reference=INPUTS.list_reference,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=expand(OF_SPLIT, split=SPLITS[1:], allow_missing=True),
        head=f"{READOUT}/head.parquet",
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/train/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("train"),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        **allot_training(SETTINGS.build_training),
    params:
        **tell("train", SETTINGS.build_training, SETTINGS.list_modules),
    shell:
        STAGE


use rule train as read_out with:
    """Read a trained model out on its training split, on which adversaries and guided models are trained."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
        weights=f"{RUN}.safetensors",
    output:
        readouts=f"{READOUT}/train.parquet",
    log:
        "<logs>/read_out/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("train", "train_guide"),
    priority: 85
    resources:
        **allot_training(SETTINGS.build_training) | {"runtime": grow(20, 1)},
    params:
        **tell("read_out", SETTINGS.build_training, SETTINGS.list_modules),


use rule train as train_adversary with:
    """Train an adversary from scratch: it predicts as the base model does, and attends elsewhere."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        reference=INPUTS.list_reference,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=expand(OF_SPLIT, split=SPLITS, allow_missing=True),
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/train_adversary/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("train_adversary"),
    priority: 88
    resources:
        **allot_training(SETTINGS.build_training),
    params:
        **tell("train", SETTINGS.build_training, SETTINGS.list_modules),


use rule train as search_adversary with:
    """Search for an adversary that continues from the base model, with a higher or lower lambda at each step."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        start=INPUTS.list_start,
        reference=INPUTS.list_reference,
        others=INPUTS.list_others,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    output:
        search=f"{RUN}.search.parquet",
        weights=expand(f"{RUN}.safetensors", model=SEARCHED, allow_missing=True),
        history=expand(f"{RUN}.history.parquet", model=SEARCHED, allow_missing=True),
        readouts=[
            *expand(OF_SPLIT, model=SEARCHED[:-1], split=SPLITS[1:], allow_missing=True),
            *expand(OF_SPLIT, split=SPLITS, allow_missing=True),
        ],
        tail=expand(f"{READOUT}/tail.safetensors", model=SEARCHED, allow_missing=True),
    log:
        "<logs>/search_adversary/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("search_adversary", further=r"(?:_step\d+)?"),
        model=match_any(CONTINUED),
    priority: 95
    resources:
        **allot_training(SETTINGS.build_search),
    params:
        **tell("search_adversary", SETTINGS.build_search, SETTINGS.list_modules),


use rule train as train_guide with:
    """Train the diagnostic MLP with one seed: its attention is uniform, its own, the base model's or an adversary's."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        reference=INPUTS.list_reference,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    output:
        weights=f"{RUN}.safetensors",
        history=f"{RUN}.history.parquet",
        readouts=expand(OF_SPLIT, split=SPLITS[1:], allow_missing=True),
    log:
        "<logs>/train_guide/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("train_guide"),
    priority: 70
    resources:
        **allot_training(SETTINGS.build_training),
    params:
        **tell("train", SETTINGS.build_training, SETTINGS.list_modules),


use rule train as retrain_masked with:
    """Retrain the base model on texts without the words that it ranks first, more of them each time (ROAR)."""
    input:
        transformer=INPUTS.list_transformer,
        states=INPUTS.list_states,
        start=INPUTS.list_start,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary="<results>/corpora/{dataset}/vocabulary.parquet",
    output:
        weights=expand(f"{RUN}.safetensors", model=MASKED, allow_missing=True),
        history=expand(f"{RUN}.history.parquet", model=MASKED, allow_missing=True),
        readouts=expand(f"{READOUT}/test.parquet", model=MASKED, allow_missing=True),
    log:
        "<logs>/retrain_masked/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        model=match_any(ORDERS),
    priority: 80
    resources:
        mem_mb=grow(2000, 100),
        runtime=grow(60, 10),
        gpu=GPU,
    params:
        **tell("retrain_masked", SETTINGS.build_masking, SETTINGS.list_modules),


rule import_readout:
    """Check a readout of the user's, beside the first training of its model, and import it."""
    input:
        given=INPUTS.list_given,
        beside=INPUTS.list_beside,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        readout=f"{READOUT}/test.parquet",
    log:
        "<logs>/import_readout/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("import_readout"),
    priority: 80
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=grow(2000, 20),
        runtime=grow(10, 0.5),
    params:
        **tell("import_readout", SETTINGS.build_import),
        checksums=checksum(INPUTS.list_given),
        beside_checksums=checksum(INPUTS.list_beside),
    shell:
        STAGE


use rule import_readout as read_classifier with:
    """Read a Transformer classifier of the user's out, with the tail that decides under other weights."""
    input:
        given=INPUTS.list_given,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        readout=f"{READOUT}/test.parquet",
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/read_classifier/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("read_classifier"),
    priority: 80
    resources:
        # it is in memory as it is given, and in float32, which may be twice as large
        mem_mb=grow(4000, 200, by_weights=3),
        runtime=grow(30, 20, by_weights=0.05),
        gpu=GPU,
    params:
        **tell("read_classifier", SETTINGS.build_reading, SETTINGS.list_modules),


use rule import_readout as take_target with:
    """Take a target of a Transformer classifier, by itself, from the readout of all its outputs."""
    input:
        whole=INPUTS.find_whole,
        tails=INPUTS.list_wholes,
        given=INPUTS.list_mapped,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        readout=f"{READOUT}/test.parquet",
        tail=f"{READOUT}/tail.safetensors",
    log:
        "<logs>/take_target/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("take_target"),
    priority: 80
    resources:
        mem_mb=grow(4000, 200, by_weights=2),
        runtime=grow(10, 20, by_weights=0.05),
        gpu=GPU,
    params:
        **tell("take_target", SETTINGS.build_target, SETTINGS.list_modules),
        checksums=checksum(INPUTS.list_mapped),


use rule import_readout as impose_uniform with:
    """Impose uniform weights on the last layer of a Transformer classifier, through its tail."""
    input:
        given=INPUTS.list_given,
        beside=INPUTS.list_tail,
    output:
        readout=f"{READOUT}/test.parquet",
    log:
        "<logs>/impose_uniform/{dataset}/{model}/seed{seed}.log",
    wildcard_constraints:
        dataset=match_made("impose_uniform"),
    priority: 80
    resources:
        mem_mb=grow(2000, 20),
        runtime=grow(10, 0.5),
    params:
        **tell("impose_uniform", SETTINGS.build_import),
