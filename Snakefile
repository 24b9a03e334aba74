# Attention audit: may I read this attention map as an explanation?
#
# fetch -> prepare -> train, search_adversary, train_guide -> audits -> tables and figures -> report
# One file of rules a stage, each with what it reads and makes; `snakemake --list-rules` says what each is for.

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.12")

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
include: "workflow/rules/data.smk"
include: "workflow/rules/transformers.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/audits.smk"
include: "workflow/rules/exhibits.smk"
include: "workflow/rules/report.smk"


OURS = {each.name for each in workflow.rules}
for path in CONFIG.rules:

    include: find_rules(path)


# the first rule of this file, as includes do not count: what runs where nobody names a target
rule all:
    """Make everything of the run."""
    input:
        rules.corpora.input,
        rules.audits.input,
        rules.tables.input,
        rules.figures.input,
        rules.report_page.input,


if workflow.is_main_process and ALONE:
    short = [exhibit.rule for exhibit in EXHIBITS]
    several = [each.name for each in workflow.rules if each.has_wildcards()]
    asked = [name for name in ask(list_asked, COMMAND, short, several) if not is_made_elsewhere(name)]
    ask(refuse_unknown, asked, [each.name for each in workflow.rules], list_makeable, PLAN.refuse)
