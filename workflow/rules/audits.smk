# Readouts -> audits, one Parquet an audit and data set. No network is run here.
#
# performance          test readouts of every model          -> results/audits/{dataset}/performance.parquet
# comparison           base against every other BiLSTM       -> .../comparison.parquet
# instance_adversary   base                                  -> .../instance_adversary.parquet
# wp_permutation       every seed of the base                -> .../wp_permutation.parquet
# stability            seeds of every judged model           -> .../stability.parquet: of any paper's
# evidence             BiLSTMs, and the corpus' evidence     -> .../evidence.parquet
# attention_maps       base and both adversaries, the words  -> .../attention_maps.parquet


ALL_RUNS = WP.runs(WP.models)
BILSTM_RUNS = WP.runs(WP.bilstms)
BASE_RUNS = WP.runs(WP.judged)
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


rule wp_permutation:
    input:
        [test_readout(run) for run in BASE_RUNS],
    output:
        "results/audits/{dataset}/wp_permutation.parquet",
    log:
        "results/logs/wp_permutation/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("wp_permutation"),
    params:
        command=command("permutation"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.jain_wallace.seed,
            permutation=CONFIG.jain_wallace.permutation.model_dump(),
            readouts=WP.identities(BASE_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output permutation {output}"


rule stability:
    input:
        lambda w: [
            READOUT.format(dataset=w.dataset, model=run.model, seed=run.seed, split="test")
            for _, run in reseeded(w.dataset)
        ],
    output:
        "results/audits/{dataset}/stability.parquet",
    log:
        "results/logs/stability/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("stability"),
    params:
        command=command("stability"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.jain_wallace.seed,
            permutation=CONFIG.jain_wallace.permutation.model_dump(),
            readouts=[plan.identities([run])[0] for plan, run in reseeded(w.dataset)],
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output stability {output}"


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
