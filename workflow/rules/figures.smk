# Audits -> figures: Parquet in, .pdf and .png out. No model is loaded, nothing is computed again.


localrules:
    wp_fig2,
    wp_fig3,
    wp_fig5,
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


rule figures:
    input:
        if_audited(*rules.wp_fig2.output, *rules.wp_fig3.output, *rules.wp_fig5.output),
