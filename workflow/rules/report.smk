# Tables, figures, their captions, the configuration -> what a reader opens first.
#
# guide_files   configuration   -> results/README.md and results/config.yaml
# report_page   all of it       -> results/report.html, one file to hand on; it reads the logs of the jobs, too


localrules:
    guide_files,
    guide,
    report_page,


rule guide_files:
    output:
        readme=f"{PLACES.results}/README.md",
        config=f"{PLACES.results}/config.yaml",
    log:
        f"{PLACES.logs}/guide.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="guide",
        code=PLAN.guide_code(),
        settings=ask(as_json, PLAN.guide_job()),
        inputs="",
        outputs=outputs,
    shell:
        STAGE


rule guide:
    input:
        rules.guide_files.output,


rule report_page:
    input:
        tables=[PLAN.exhibiting.path(table, ".parquet") for table in PLAN.exhibiting.made("tables")],
        figures=[PLAN.exhibiting.path(figure, ".png") for figure in PLAN.exhibiting.made("figures")],
        captions=[
            exhibit.caption
            for folder in ("tables", "figures")
            for exhibit in PLAN.exhibiting.made(folder)
        ],
        config=rules.guide_files.output.config,
        records=PLAN.records(PLAN.scope.datasets),
    output:
        page=f"{PLACES.results}/report.html",
    log:
        f"{PLACES.logs}/report_page.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="report_page",
        code=PLAN.report_code(),
        settings=ask(as_json, PLAN.report_job()),
        inputs=inputs,
        outputs=outputs,
    shell:
        STAGE
