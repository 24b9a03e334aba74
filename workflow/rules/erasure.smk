# Readouts of HANs and FLANs -> erasure audits, one Parquet an audit and data set. No network is run here.
#
# accuracy        test readouts   -> results/audits/{dataset}/accuracy.parquet
# single_weight   test readouts   -> .../single_weight.parquet: what erasing one weight does
# ranked_sets     test readouts   -> .../ranked_sets.parquet: how many go until the decision flips
# planted         the same, and the corpus' evidence   -> .../planted.parquet: do rankings put it first?


DOCUMENT_RUNS = SS.runs(SS.models)


rule accuracy:
    input:
        [test_readout(run) for run in DOCUMENT_RUNS],
    output:
        "results/audits/{dataset}/accuracy.parquet",
    log:
        "results/logs/accuracy/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("accuracy"),
    params:
        command=command("performance"),
        settings=lambda w: settings(
            dataset=w.dataset, selection="dev", readouts=SS.identities(DOCUMENT_RUNS)
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output performance {output}"


rule single_weight:
    input:
        [test_readout(run) for run in DOCUMENT_RUNS],
    output:
        "results/audits/{dataset}/single_weight.parquet",
    log:
        "results/logs/single_weight/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("single_weight"),
    params:
        command=command("single_weight"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.serrano_smith.seed,
            readouts=SS.identities(DOCUMENT_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output single_weight {output}"


rule ranked_sets:
    input:
        [test_readout(run) for run in DOCUMENT_RUNS],
    output:
        "results/audits/{dataset}/ranked_sets.parquet",
    log:
        "results/logs/ranked_sets/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("ranked_sets"),
    params:
        command=command("ranked_sets"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.serrano_smith.seed,
            readouts=SS.identities(DOCUMENT_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output ranked_sets {output}"


rule planted:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        readouts=[test_readout(run) for run in DOCUMENT_RUNS],
    output:
        "results/audits/{dataset}/planted.parquet",
    log:
        "results/logs/planted/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("planted"),
    params:
        command=command("planted"),
        settings=lambda w: settings(dataset=w.dataset, readouts=SS.identities(DOCUMENT_RUNS)),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input readouts {input.readouts} --output planted {output}"
