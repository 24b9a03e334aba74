# Audits -> tables and figures: one rule each. What they read is in plan/exhibits.py. No model is loaded.
#
# <table>    -> results/tables/<name>.parquet, .csv, .json, .md and .tex
# <figure>   -> results/figures/<name>.pdf and .png, with its caption for Snakemake's own report
# <figure>_of_one   -> results/figures/{dataset}/<name>.pdf and .png, of one data set, where somebody names the file
# tables, figures   gather those of the suites that have data sets


localrules:
    tables,
    figures,


for table in PLAN.tables:

    rule:
        name:
            table.rule
        input:
            **PLAN.exhibiting.inputs(table),
        output:
            parquet=PLAN.exhibiting.path(table, ".parquet"),
            rendered=PLAN.exhibiting.files(table)[1:],
        log:
            f"{PLACES.logs}/tables/{table.name}.log",
        localrule: True
        conda:
            "../../envs/attention-audit.yaml"
        params:
            stage="table",
            code=PLAN.exhibit_code(table),
            settings=exhibit_settings(table),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


for figure in PLAN.figures:

    rule:
        name:
            figure.rule
        input:
            **PLAN.exhibiting.inputs(figure),
        output:
            pdf=PLAN.exhibiting.path(figure, ".pdf"),
            png=report(
                PLAN.exhibiting.path(figure, ".png"),
                caption=f"../report/{figure.name}.rst",
                category=PLAN.title(figure),
                labels={"figure": figure.number or "none", "shows": figure.shows},
            ),
        log:
            f"{PLACES.logs}/figures/{figure.name}.log",
        localrule: True
        conda:
            "../../envs/attention-audit.yaml"
        params:
            stage="figure",
            code=PLAN.exhibit_code(figure),
            settings=exhibit_settings(figure),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE

    rule:
        name:
            f"{figure.rule}_of_one"
        input:
            unpack(figure_inputs(figure)),
        output:
            pdf=PLAN.exhibiting.path_of_one(figure, ".pdf"),
            png=PLAN.exhibiting.path_of_one(figure, ".png"),
        log:
            f"{PLACES.logs}/figures/{{dataset}}/{figure.name}.log",
        localrule: True
        conda:
            "../../envs/attention-audit.yaml"
        params:
            stage="figure",
            code=PLAN.exhibit_code(figure),
            settings=figure_settings(figure),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


rule tables:
    input:
        [path for table in PLAN.exhibiting.made("tables") for path in PLAN.exhibiting.files(table)],


rule figures:
    input:
        [
            path
            for figure in PLAN.exhibiting.made("figures")
            for path in PLAN.exhibiting.files(figure)
        ],
