# Tables, figures, their captions, the configuration -> what a reader opens first.
#
# guide_files   configuration   -> results/README.md and results/config.yaml
# explorer      test readouts, audits of single texts   -> results/explorer.html, one file in which weights can be moved
# report_page   all of it       -> results/report.html, one file to hand on; it reads the logs of the jobs, too, and links to
#               the explorer, which is made with it


localrules:
    guide_files,
    guide,
    explorer,
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


rule explorer:
    input:
        **ask(PLAN.exploring.inputs),
    output:
        page=f"{PLACES.results}/explorer.html",
    log:
        f"{PLACES.logs}/explorer.log",
    conda:
        "../../envs/attention-audit.yaml"
    threads: CONFIG.threads
    params:
        stage="explorer",
        code=PLAN.explorer_code(),
        settings=ask(as_json, PLAN.explorer_job()),
        inputs=inputs,
        outputs=outputs,
    shell:
        STAGE


rule report_page:
    input:
        explorer=rules.explorer.output.page,
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
