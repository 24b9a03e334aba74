# Readouts -> audits, one Parquet an audit and data set. No network is run here.
#
# performance          test readouts of every model          -> results/audits/{dataset}/performance.parquet
# comparison           base against every other BiLSTM       -> .../comparison.parquet
# instance_adversary   base                                  -> .../instance_adversary.parquet
# evidence             BiLSTMs, and the corpus' evidence     -> .../evidence.parquet
# attention_maps       base and both adversaries, the words  -> .../attention_maps.parquet


ALL_RUNS = WP.runs(WP.models)
BILSTM_RUNS = WP.runs(WP.bilstms)
COMPARED_RUNS = WP.compared()


rule performance:
    input:
        [test_readout(run) for run in ALL_RUNS],
    output:
        "results/audits/{dataset}/performance.parquet",
    log:
        "results/logs/performance/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("performance"),
    params:
        command=command("performance"),
        settings=lambda w: settings(
            dataset=w.dataset,
            selection=CONFIG.training.selection,
            readouts=WP.identities(ALL_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output performance {output}"


rule comparison:
    input:
        base=test_readout(WP.base),
        readouts=[test_readout(run) for run in COMPARED_RUNS],
    output:
        "results/audits/{dataset}/comparison.parquet",
    log:
        "results/logs/comparison/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("comparison"),
    params:
        command=command("comparison"),
        settings=lambda w: settings(dataset=w.dataset, readouts=WP.identities(COMPARED_RUNS)),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input base {input.base} --input readouts {input.readouts} --output comparison {output}"


rule instance_adversary:
    input:
        test_readout(WP.base),
    output:
        "results/audits/{dataset}/instance_adversary.parquet",
    log:
        "results/logs/instance_adversary/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("instance_adversary"),
    params:
        command=command("instance_adversary"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.training.seed,
            threads=CONFIG.threads,
            search=CONFIG.instance_adversary.model_dump(),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input base {input} --output adversary {output}"


rule evidence:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        readouts=[test_readout(run) for run in BILSTM_RUNS],
    output:
        "results/audits/{dataset}/evidence.parquet",
    log:
        "results/logs/evidence/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("evidence"),
    params:
        command=command("evidence"),
        settings=lambda w: settings(dataset=w.dataset, readouts=WP.identities(BILSTM_RUNS)),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input readouts {input.readouts} --output evidence {output}"


rule attention_maps:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        base=test_readout(WP.base),
        adversary=test_readout(WP.guide_adversary),
        instance_adversary="results/audits/{dataset}/instance_adversary.parquet",
    output:
        "results/audits/{dataset}/attention_maps.parquet",
    log:
        "results/logs/attention_maps/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("attention_maps"),
    params:
        command=command("attention_maps"),
        settings=lambda w: settings(dataset=w.dataset, maps=CONFIG.attention_maps.model_dump()),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input base {input.base} --input adversary {input.adversary}"
        " --input instance_adversary {input.instance_adversary} --output maps {output}"
