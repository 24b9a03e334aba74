# Attention audit: may I read this attention map as an explanation?
#
# raw archive -> corpus -> model and readout -> audits -> tables and figures
# Each arrow is one file of rules, each noun a cached file under results/. docs/architecture.md is the map of the code.

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")

# the folder of this file, whichever workflow includes it
TREE = Path(str(workflow.current_basedir))
if not TREE.is_dir():
    sys.exit(
        f"error: {workflow.current_basedir} is no folder here, and the jobs need all of it; clone the repository, or "
        "install the wheel, and name the Snakefile there"
    )
# as a module, it leaves the command line to the workflow that uses it
ALONE = workflow.modifier.is_main_snakefile()

# the demonstration; a file of the user's takes its place
if not workflow.config_settings.configfiles:

    configfile: TREE / "config.yaml"


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


if workflow.is_main_process and ALONE:
    ask(
        refuse_unknown, asked_for() or [], [rule.name for rule in workflow.rules], JOBS, PLAN.refuse
    )
