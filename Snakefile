# Attention audit: may I read this attention map as an explanation?
#
# raw archive -> corpus -> model and readout -> audits -> tables and figures
# Each arrow is one file of rules, each noun a cached file under results/. docs/architecture.md is the map of the code.

from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/workflow/catalogue.yaml"


# the demonstration; a file of the user's takes its place
if not workflow.config_settings.configfiles:

    configfile: f"{workflow.basedir}/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/jobs.smk"


rule all:
    default_target: True
    input:
        rules.audits.input,
        rules.tables.input,
        rules.figures.input,
        rules.guide.input,
        rules.report_page.input,


if workflow.is_main_process:
    ask(
        refuse_unknown, asked_for() or [], [rule.name for rule in workflow.rules], JOBS, PLAN.refuse
    )
