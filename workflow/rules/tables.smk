# Audits -> tables: Parquet in, .parquet, .csv, .md and .tex out. No model is loaded.


localrules:
    wp_table1,
    wp_table2,
    wp_table3,
    wp_table5,
    ss_table1,
    ss_table2,
    ss_table3,
    ss_table_pairwise,
    ss_table_claims,
    jw_table1,
    jw_table2,
    jw_table_conicity,
    jw_table_evidence,
    summary,
    replication,
    controls,
    tables,


rule wp_table1:
    input:
        census=corpora("census.parquet"),
        vocabulary=corpora("vocabulary.parquet"),
        records=records(DATASETS),
    output:
        parquet="results/tables/wp_table1_datasets.parquet",
        rendered=multiext("results/tables/wp_table1_datasets", ".csv", ".md", ".tex"),
    log:
        "results/logs/wp_table1_datasets.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_table1_datasets"),
        settings=settings(datasets=DATASETS, gaps=GAPS, fetched=FETCHED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input census {input.census} --input vocabulary {input.vocabulary}"
        " --input records {input.records:q}"
        " --output parquet {output.parquet}"


rule wp_table2:
    input:
        performance=audits("performance"),
    output:
        parquet="results/tables/wp_table2_uniform.parquet",
        rendered=multiext("results/tables/wp_table2_uniform", ".csv", ".md", ".tex"),
    log:
        "results/logs/wp_table2_uniform.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_table2_uniform"),
        settings=settings(datasets=AUDITED, gaps=AUDITED_GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance}"
        " --output parquet {output.parquet}"


rule wp_table3:
    input:
        performance=audits("performance"),
    output:
        parquet="results/tables/wp_table3_guides.parquet",
        rendered=multiext("results/tables/wp_table3_guides", ".csv", ".md", ".tex"),
    log:
        "results/logs/wp_table3_guides.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_table3_guides"),
        settings=settings(datasets=AUDITED, gaps=AUDITED_GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance}"
        " --output parquet {output.parquet}"


rule wp_table5:
    input:
        performance=audits("performance"),
        comparison=audits("comparison"),
        instance_adversary=audits("instance_adversary"),
    output:
        parquet="results/tables/wp_table5_adversary.parquet",
        rendered=multiext("results/tables/wp_table5_adversary", ".csv", ".md", ".tex"),
    log:
        "results/logs/wp_table5_adversary.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_table5_adversary"),
        settings=settings(datasets=AUDITED, gaps=AUDITED_GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance} --input comparison {input.comparison} --input instance_adversary {input.instance_adversary}"
        " --output parquet {output.parquet}"


rule ss_table1:
    input:
        census=corpora("census.parquet"),
        records=records(DATASETS),
    output:
        parquet="results/tables/ss_table1_datasets.parquet",
        rendered=multiext("results/tables/ss_table1_datasets", ".csv", ".md", ".tex"),
    log:
        "results/logs/ss_table1_datasets.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_table1_datasets"),
        settings=settings(datasets=DATASETS, gaps=GAPS, fetched=FETCHED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input census {input.census} --input records {input.records:q}"
        " --output parquet {output.parquet}"


rule ss_table2:
    input:
        single_weight=audits("single_weight", ERASED),
        census=[f"results/corpora/{name}/census.parquet" for name in ERASED],
    output:
        parquet="results/tables/ss_table2_flips.parquet",
        rendered=multiext("results/tables/ss_table2_flips", ".csv", ".md", ".tex"),
    log:
        "results/logs/ss_table2_flips.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_table2_flips"),
        settings=settings(
            datasets=ERASED, gaps=ERASED_GAPS, resamples=CONFIG.serrano_smith.resamples
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input single_weight {input.single_weight} --input census {input.census}"
        " --output parquet {output.parquet}"


rule ss_table3:
    input:
        performance=audits("accuracy", ERASED),
    output:
        parquet="results/tables/ss_table3_accuracy.parquet",
        rendered=multiext("results/tables/ss_table3_accuracy", ".csv", ".md", ".tex"),
    log:
        "results/logs/ss_table3_accuracy.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_table3_accuracy"),
        settings=settings(datasets=ERASED, gaps=ERASED_GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance}"
        " --output parquet {output.parquet}"


rule ss_table_pairwise:
    input:
        ranked_sets=audits("ranked_sets", ERASED),
    output:
        parquet="results/tables/ss_table_pairwise.parquet",
        rendered=multiext("results/tables/ss_table_pairwise", ".csv", ".md", ".tex"),
    log:
        "results/logs/ss_table_pairwise.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_table_pairwise"),
        settings=settings(
            datasets=ERASED, gaps=ERASED_GAPS, resamples=CONFIG.serrano_smith.resamples
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input ranked_sets {input.ranked_sets}"
        " --output parquet {output.parquet}"


rule ss_table_claims:
    input:
        ranked_sets=audits("ranked_sets", ERASED),
        single_weight=audits("single_weight", ERASED),
    output:
        parquet="results/tables/ss_table_claims.parquet",
        rendered=multiext("results/tables/ss_table_claims", ".csv", ".md", ".tex"),
    log:
        "results/logs/ss_table_claims.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_table_claims"),
        settings=settings(datasets=ERASED, resamples=CONFIG.serrano_smith.resamples),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input ranked_sets {input.ranked_sets} --input single_weight {input.single_weight}"
        " --output parquet {output.parquet}"


rule jw_table1:
    input:
        performance=audits("jw_performance", CORRELATED),
    output:
        parquet="results/tables/jw_table1_performance.parquet",
        rendered=multiext("results/tables/jw_table1_performance", ".csv", ".md", ".tex"),
    log:
        "results/logs/jw_table1_performance.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_table1_performance"),
        settings=settings(datasets=CORRELATED, gaps=CORRELATED_GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance}"
        " --output parquet {output.parquet}"


rule jw_table2:
    input:
        correlation=audits("correlation", CORRELATED),
    output:
        parquet="results/tables/jw_table2_correlation.parquet",
        rendered=multiext("results/tables/jw_table2_correlation", ".csv", ".md", ".tex"),
    log:
        "results/logs/jw_table2_correlation.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_table2_correlation"),
        settings=settings(
            datasets=CORRELATED, gaps=CORRELATED_GAPS, resamples=CONFIG.jain_wallace.resamples
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input correlation {input.correlation}"
        " --output parquet {output.parquet}"


rule jw_table_conicity:
    input:
        conicity=audits("conicity", CORRELATED),
        permutation=audits("permutation", CORRELATED),
    output:
        parquet="results/tables/jw_table_conicity.parquet",
        rendered=multiext("results/tables/jw_table_conicity", ".csv", ".md", ".tex"),
    log:
        "results/logs/jw_table_conicity.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_table_conicity"),
        settings=settings(
            datasets=CORRELATED, gaps=CORRELATED_GAPS, resamples=CONFIG.jain_wallace.resamples
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input conicity {input.conicity} --input permutation {input.permutation}"
        " --output parquet {output.parquet}"


rule jw_table_evidence:
    input:
        evidence=audits("jw_evidence", CORRELATED),
    output:
        parquet="results/tables/jw_table_evidence.parquet",
        rendered=multiext("results/tables/jw_table_evidence", ".csv", ".md", ".tex"),
    log:
        "results/logs/jw_table_evidence.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_table_evidence"),
        settings=settings(
            datasets=CORRELATED, gaps=CORRELATED_GAPS, resamples=CONFIG.jain_wallace.resamples
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input evidence {input.evidence}"
        " --output parquet {output.parquet}"


rule summary:
    input:
        performance=audits("performance"),
        comparison=audits("comparison"),
        stability=audits("stability", [name for name in DATASETS if reseeded(name)]),
        permutation=[*audits("wp_permutation"), *audits("permutation", CORRELATED)],
        single_weight=audits("single_weight", ERASED),
    output:
        parquet="results/tables/summary.parquet",
        rendered=multiext("results/tables/summary", ".csv", ".md", ".tex"),
    log:
        "results/logs/summary.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("summary"),
        settings=settings(
            subjects=subjects(),
            reasons=JUDGED_NOWHERE,
            epsilon=CONFIG.instance_adversary.epsilon,
            resamples=CONFIG.jain_wallace.resamples,
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance} --input comparison {input.comparison} --input stability {input.stability}"
        " --input permutation {input.permutation} --input single_weight {input.single_weight}"
        " --output parquet {output.parquet}"


rule replication:
    input:
        wp_table1=rules.wp_table1.output.parquet,
        ss_table1=rules.ss_table1.output.parquet,
        wp_table2=where_any(AUDITED, rules.wp_table2.output.parquet),
        wp_table3=where_any(AUDITED, rules.wp_table3.output.parquet),
        ss_table2=where_any(ERASED, rules.ss_table2.output.parquet),
        ss_table3=where_any(ERASED, rules.ss_table3.output.parquet),
        ss_table_pairwise=where_any(ERASED, rules.ss_table_pairwise.output.parquet),
        jw_table1=where_any(CORRELATED, rules.jw_table1.output.parquet),
        jw_table2=where_any(CORRELATED, rules.jw_table2.output.parquet),
        records=records(DATASETS),
    output:
        parquet="results/tables/replication.parquet",
        rendered=multiext("results/tables/replication", ".csv", ".md", ".tex"),
    log:
        "results/logs/replication.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("replication"),
        settings=settings(
            fetched=FETCHED,
            of_data={name: remarks.of_data(name, config, CATALOGUE) for name in DATASETS},
            of_models={name: remarks.of_models(name, CONFIG) for name in DATASETS},
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input wp_table1 {input.wp_table1} --input ss_table1 {input.ss_table1}"
        " --input wp_table2 {input.wp_table2} --input wp_table3 {input.wp_table3}"
        " --input ss_table2 {input.ss_table2} --input ss_table3 {input.ss_table3}"
        " --input ss_table_pairwise {input.ss_table_pairwise}"
        " --input jw_table1 {input.jw_table1} --input jw_table2 {input.jw_table2}"
        " --input records {input.records:q}"
        " --output parquet {output.parquet}"


rule controls:
    input:
        performance=audits("performance"),
        evidence=audits("evidence"),
        census=corpora("census.parquet"),
        planted=audits("planted", ERASED),
        ranked_sets=audits("ranked_sets", ERASED),
        summary=rules.summary.output.parquet,
    output:
        parquet="results/tables/controls.parquet",
        rendered=multiext("results/tables/controls", ".csv", ".md", ".tex"),
    log:
        "results/logs/controls.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("controls"),
        settings=settings(
            datasets=DATASETS, kinds={name: CONFIG.corpora[name].kind for name in DATASETS}
        ),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input performance {input.performance} --input evidence {input.evidence} --input census {input.census}"
        " --input planted {input.planted} --input ranked_sets {input.ranked_sets}"
        " --input summary {input.summary}"
        " --output parquet {output.parquet}"


rule tables:
    input:
        rules.wp_table1.output,
        rules.ss_table1.output,
        rules.summary.output,
        rules.replication.output,
        rules.controls.output,
        where_any(
            AUDITED,
            *rules.wp_table2.output,
            *rules.wp_table3.output,
            *rules.wp_table5.output,
        ),
        where_any(
            ERASED,
            *rules.ss_table2.output,
            *rules.ss_table3.output,
            *rules.ss_table_pairwise.output,
            *rules.ss_table_claims.output,
        ),
        where_any(
            CORRELATED,
            *rules.jw_table1.output,
            *rules.jw_table2.output,
            *rules.jw_table_conicity.output,
            *rules.jw_table_evidence.output,
        ),
