# The reader's guide to results/: what every file and column is, and the whole configuration of the run.


localrules:
    guide_files,


rule guide_files:
    output:
        readme="results/README.md",
        config="results/config.yaml",
    log:
        "results/logs/guide.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("guide"),
        settings=settings(config=CONFIG.model_dump()),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --output readme {output.readme} --output config {output.config}"


rule guide:
    input:
        rules.guide_files.output,
