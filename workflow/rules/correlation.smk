# Models and readouts of Jain & Wallace's encoders -> their audits, one Parquet an audit and data set.
#
# jw_performance   test readouts                    -> results/audits/{dataset}/jw_performance.parquet
# jw_evidence      corpus, test readouts            -> .../jw_evidence.parquet, without rows where none is known
# attribution      corpus, weights, test readouts   -> .../correlation, agreement and conicity.parquet: runs the network
# permutation      test readouts                    -> .../permutation.parquet
# jw_adversary     test readouts                    -> .../jw_adversary.parquet


COMBINATION_RUNS = JW.runs(JW.models)


rule jw_performance:
    input:
        [test_readout(run) for run in COMBINATION_RUNS],
    output:
        "results/audits/{dataset}/jw_performance.parquet",
    log:
        "results/logs/jw_performance/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("jw_performance"),
    params:
        command=command("performance"),
        settings=lambda w: settings(
            dataset=w.dataset,
            selection=CONFIG.jain_wallace.recipe(w.dataset).selection,
            readouts=JW.identities(COMBINATION_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output performance {output}"


use rule evidence as jw_evidence with:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        readouts=[test_readout(run) for run in COMBINATION_RUNS],
    output:
        "results/audits/{dataset}/jw_evidence.parquet",
    log:
        "results/logs/jw_evidence/{dataset}.log",
    params:
        command=command("evidence"),
        settings=lambda w: settings(dataset=w.dataset, readouts=JW.identities(COMBINATION_RUNS)),


rule attribution:
    input:
        corpus="results/corpora/{dataset}/corpus.parquet",
        vocabulary="results/corpora/{dataset}/vocabulary.parquet",
        weights=[
            expand(WEIGHTS, model=run.model, seed=run.seed, allow_missing=True)
            for run in COMBINATION_RUNS
        ],
        readouts=[test_readout(run) for run in COMBINATION_RUNS],
    output:
        correlation="results/audits/{dataset}/correlation.parquet",
        agreement="results/audits/{dataset}/agreement.parquet",
        conicity="results/audits/{dataset}/conicity.parquet",
    log:
        "results/logs/attribution/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("attribution"),
    params:
        command=command("attribution"),
        settings=lambda w: settings(
            dataset=w.dataset,
            models=[JW.run_settings(w.dataset, run) for run in COMBINATION_RUNS],
            correlation=CONFIG.jain_wallace.correlation.model_dump(),
            agreement=CONFIG.jain_wallace.agreement.model_dump(),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input corpus {input.corpus} --input vocabulary {input.vocabulary}"
        " --input weights {input.weights} --input readouts {input.readouts}"
        " --output correlation {output.correlation} --output agreement {output.agreement}"
        " --output conicity {output.conicity}"


rule permutation:
    input:
        [test_readout(run) for run in COMBINATION_RUNS],
    output:
        "results/audits/{dataset}/permutation.parquet",
    log:
        "results/logs/permutation/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("permutation"),
    params:
        command=command("permutation"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.jain_wallace.seed,
            permutation=CONFIG.jain_wallace.permutation.model_dump(),
            readouts=JW.identities(COMBINATION_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output permutation {output}"


rule jw_adversary:
    input:
        [test_readout(run) for run in COMBINATION_RUNS],
    output:
        "results/audits/{dataset}/jw_adversary.parquet",
    log:
        "results/logs/jw_adversary/{dataset}.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    resources:
        **needs("jw_adversary"),
    params:
        command=command("jw_adversary"),
        settings=lambda w: settings(
            dataset=w.dataset,
            seed=CONFIG.jain_wallace.seed,
            threads=CONFIG.threads,
            search=CONFIG.instance_adversary.model_dump(),
            readouts=JW.identities(COMBINATION_RUNS),
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input readouts {input} --output adversary {output}"
