# Tables, figures, their captions, the configuration -> results/report.html, one file to hand on.
# What the jobs noted in their logs (times, machines, files) is read from results/logs/.


localrules:
    report_page,


rule report_page:
    input:
        tables=[file for file in rules.tables.input if file.endswith(".parquet")],
        figures=[file for file in rules.figures.input if file.endswith(".png")],
        captions=captions([*rules.tables.input, *rules.figures.input]),
        config=rules.guide_files.output.config,
        records=records(DATASETS),
    output:
        page="results/report.html",
    log:
        "results/logs/report_page.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        command=command("report_page"),
        settings=settings(gaps=GAPS),
    shell:
        "{params.command} --settings {params.settings:q} --log {log}"
        " --input tables {input.tables} --input figures {input.figures} --input captions {input.captions}"
        " --input config {input.config} --input records {input.records:q}"
        " --output page {output.page}"
