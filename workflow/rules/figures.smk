# Audits -> figures: Parquet in, .pdf and .png out. No model is loaded, nothing is computed again.


localrules:
    wp_fig2,
    wp_fig3,
    wp_fig5,
    ss_fig3,
    ss_fig4,
    ss_fig5,
    ss_fig11,
    ss_fig_aopc,
    jw_fig_correlation,
    jw_fig_permutation,
    jw_fig_adversary,
    jw_fig_agreement,
    figures,


rule wp_fig2:
    input:
        maps=audits("attention_maps"),
    output:
        pdf="results/figures/wp_fig2_attention_maps.pdf",
        png=report(
            "results/figures/wp_fig2_attention_maps.png",
            caption="../report/wp_fig2_attention_maps.rst",
            category="Wiegreffe & Pinter 2019",
            labels={"figure": "2", "shows": "attention maps"},
        ),
    log:
        "results/logs/wp_fig2_attention_maps.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_fig2_attention_maps"),
        settings=settings(datasets=AUDITED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input maps {input.maps}"
        " --output pdf {output.pdf} --output png {output.png}"


rule wp_fig3:
    input:
        comparison=audits("comparison"),
        instance_adversary=audits("instance_adversary"),
    output:
        pdf="results/figures/wp_fig3_seed_variance.pdf",
        png=report(
            "results/figures/wp_fig3_seed_variance.png",
            caption="../report/wp_fig3_seed_variance.rst",
            category="Wiegreffe & Pinter 2019",
            labels={"figure": "3", "shows": "variance over seeds"},
        ),
    log:
        "results/logs/wp_fig3_seed_variance.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_fig3_seed_variance"),
        settings=settings(datasets=AUDITED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input comparison {input.comparison} --input instance_adversary {input.instance_adversary}"
        " --output pdf {output.pdf} --output png {output.png}"


rule wp_fig5:
    input:
        comparison=audits("comparison"),
        instance_adversary=audits("instance_adversary"),
    output:
        pdf="results/figures/wp_fig5_tvd_jsd.pdf",
        png=report(
            "results/figures/wp_fig5_tvd_jsd.png",
            caption="../report/wp_fig5_tvd_jsd.rst",
            category="Wiegreffe & Pinter 2019",
            labels={"figure": "5", "shows": "TVD against JSD"},
        ),
    log:
        "results/logs/wp_fig5_tvd_jsd.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("wp_fig5_tvd_jsd"),
        settings=settings(datasets=AUDITED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input comparison {input.comparison} --input instance_adversary {input.instance_adversary}"
        " --output pdf {output.pdf} --output png {output.png}"


rule ss_fig3:
    input:
        single_weight=audits("single_weight", ERASED),
    output:
        pdf="results/figures/ss_fig3_delta_js.pdf",
        png=report(
            "results/figures/ss_fig3_delta_js.png",
            caption="../report/ss_fig3_delta_js.rst",
            category="Serrano & Smith 2019",
            labels={"figure": "3, 7", "shows": "one weight erased"},
        ),
    log:
        "results/logs/ss_fig3_delta_js.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_fig3_delta_js"),
        settings=settings(datasets=ERASED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input single_weight {input.single_weight}"
        " --output pdf {output.pdf} --output png {output.png}"


rule ss_fig4:
    input:
        single_weight=audits("single_weight", ERASED),
    output:
        pdf="results/figures/ss_fig4_negative_delta_js.pdf",
        png=report(
            "results/figures/ss_fig4_negative_delta_js.png",
            caption="../report/ss_fig4_negative_delta_js.rst",
            category="Serrano & Smith 2019",
            labels={"figure": "4, 8", "shows": "where another weight matters more"},
        ),
    log:
        "results/logs/ss_fig4_negative_delta_js.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_fig4_negative_delta_js"),
        settings=settings(datasets=ERASED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input single_weight {input.single_weight}"
        " --output pdf {output.pdf} --output png {output.png}"


rule ss_fig5:
    input:
        ranked_sets=audits("ranked_sets", ERASED),
    output:
        pdf="results/figures/ss_fig5_fraction_removed.pdf",
        png=report(
            "results/figures/ss_fig5_fraction_removed.png",
            caption="../report/ss_fig5_fraction_removed.rst",
            category="Serrano & Smith 2019",
            labels={"figure": "5, 6, 10", "shows": "fraction erased until the decision flips"},
        ),
    log:
        "results/logs/ss_fig5_fraction_removed.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_fig5_fraction_removed"),
        settings=settings(datasets=ERASED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input ranked_sets {input.ranked_sets}"
        " --output pdf {output.pdf} --output png {output.png}"


rule ss_fig11:
    input:
        ranked_sets=audits("ranked_sets", ERASED),
    output:
        pdf="results/figures/ss_fig11_mass_removed.pdf",
        png=report(
            "results/figures/ss_fig11_mass_removed.png",
            caption="../report/ss_fig11_mass_removed.rst",
            category="Serrano & Smith 2019",
            labels={"figure": "11", "shows": "attention erased until the decision flips"},
        ),
    log:
        "results/logs/ss_fig11_mass_removed.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_fig11_mass_removed"),
        settings=settings(datasets=ERASED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input ranked_sets {input.ranked_sets}"
        " --output pdf {output.pdf} --output png {output.png}"


rule ss_fig_aopc:
    input:
        ranked_sets=audits("ranked_sets", ERASED),
    output:
        pdf="results/figures/ss_fig_aopc.pdf",
        png=report(
            "results/figures/ss_fig_aopc.png",
            caption="../report/ss_fig_aopc.rst",
            category="Serrano & Smith 2019",
            labels={"figure": "none", "shows": "comprehensiveness and sufficiency"},
        ),
    log:
        "results/logs/ss_fig_aopc.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("ss_fig_aopc"),
        settings=settings(datasets=ERASED, resamples=CONFIG.serrano_smith.resamples),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input ranked_sets {input.ranked_sets}"
        " --output pdf {output.pdf} --output png {output.png}"


rule jw_fig_correlation:
    input:
        correlation=audits("correlation", CORRELATED),
    output:
        pdf="results/figures/jw_fig_correlation.pdf",
        png=report(
            "results/figures/jw_fig_correlation.png",
            caption="../report/jw_fig_correlation.rst",
            category="Jain & Wallace 2019",
            labels={"figure": "2, 3, 4", "shows": "rank correlation"},
        ),
    log:
        "results/logs/jw_fig_correlation.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_fig_correlation"),
        settings=settings(datasets=CORRELATED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input correlation {input.correlation}"
        " --output pdf {output.pdf} --output png {output.png}"


rule jw_fig_permutation:
    input:
        permutation=audits("permutation", CORRELATED),
    output:
        pdf="results/figures/jw_fig_permutation.pdf",
        png=report(
            "results/figures/jw_fig_permutation.png",
            caption="../report/jw_fig_permutation.rst",
            category="Jain & Wallace 2019",
            labels={"figure": "5", "shows": "permuted attention"},
        ),
    log:
        "results/logs/jw_fig_permutation.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_fig_permutation"),
        settings=settings(datasets=CORRELATED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input permutation {input.permutation}"
        " --output pdf {output.pdf} --output png {output.png}"


rule jw_fig_adversary:
    input:
        jw_adversary=audits("jw_adversary", CORRELATED),
    output:
        pdf="results/figures/jw_fig_adversary.pdf",
        png=report(
            "results/figures/jw_fig_adversary.png",
            caption="../report/jw_fig_adversary.rst",
            category="Jain & Wallace 2019",
            labels={"figure": "6, 7", "shows": "per-instance adversary"},
        ),
    log:
        "results/logs/jw_fig_adversary.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_fig_adversary"),
        settings=settings(datasets=CORRELATED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input jw_adversary {input.jw_adversary}"
        " --output pdf {output.pdf} --output png {output.png}"


rule jw_fig_agreement:
    input:
        agreement=audits("agreement", CORRELATED),
    output:
        pdf="results/figures/jw_fig_agreement.pdf",
        png=report(
            "results/figures/jw_fig_agreement.png",
            caption="../report/jw_fig_agreement.rst",
            category="Jain & Wallace 2019",
            labels={"figure": "none", "shows": "agreement of attributions"},
        ),
    log:
        "results/logs/jw_fig_agreement.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("jw_fig_agreement"),
        settings=settings(datasets=CORRELATED),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input agreement {input.agreement}"
        " --output pdf {output.pdf} --output png {output.png}"


rule figures:
    input:
        where_any(AUDITED, *rules.wp_fig2.output, *rules.wp_fig3.output, *rules.wp_fig5.output),
        where_any(
            ERASED,
            *rules.ss_fig3.output,
            *rules.ss_fig4.output,
            *rules.ss_fig5.output,
            *rules.ss_fig11.output,
            *rules.ss_fig_aopc.output,
        ),
        where_any(
            CORRELATED,
            *rules.jw_fig_correlation.output,
            *rules.jw_fig_permutation.output,
            *rules.jw_fig_adversary.output,
            *rules.jw_fig_agreement.output,
        ),
