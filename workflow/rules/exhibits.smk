# audits -> tables and figures


rule table:
    """Make a table, in five formats."""
    input:
        unpack(INPUTS.list_shown),
    output:
        parquet="<results>/tables/{table}.parquet",
        rendered=multiext("<results>/tables/{table}", ".csv", ".json", ".md", ".tex"),
    log:
        "<logs>/table/{table}.log",
    wildcard_constraints:
        table=f"(?!(?:{match_any(OVERVIEWS)})\\.)[^/]+",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **tell("table", SETTINGS.build_exhibit, SETTINGS.list_exhibit_modules, within=CALLED_WITH),
    shell:
        STAGE


use rule table as overview with:
    """Make a table from other tables."""
    input:
        unpack(INPUTS.list_shown),
    output:
        parquet="<results>/tables/{table}.parquet",
        rendered=multiext("<results>/tables/{table}", ".csv", ".json", ".md", ".tex"),
    log:
        "<logs>/overview/{table}.log",
    wildcard_constraints:
        table=match_any(OVERVIEWS),
    localrule: True
    params:
        **tell("table", SETTINGS.build_exhibit, SETTINGS.list_exhibit_modules, within=CALLED_WITH),


use rule table as figure with:
    """Draw a figure."""
    input:
        unpack(INPUTS.list_shown),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png=report(
            "<results>/figures/{figure}.png",
            caption="caption.rst",
            category=lambda wildcards: TITLES[SHOWN[wildcards.figure].suite],
            labels=lambda wildcards: {
                "figure": SHOWN[wildcards.figure].number or "none",
                "shows": SHOWN[wildcards.figure].shows,
            },
        ),
    log:
        "<logs>/figure/{figure}.log",
    localrule: True
    params:
        **tell("figure", SETTINGS.build_exhibit, SETTINGS.list_exhibit_modules, within=CALLED_WITH),


use rule table as figure_of_dataset with:
    """Draw a figure of one data set."""
    input:
        unpack(INPUTS.list_shown),
    output:
        pdf="<results>/figures/{dataset}/{figure}.pdf",
        png="<results>/figures/{dataset}/{figure}.png",
    log:
        "<logs>/figure/{dataset}/{figure}.log",
    localrule: True
    params:
        **tell("figure", SETTINGS.build_exhibit, SETTINGS.list_exhibit_modules, within=CALLED_WITH),


rule tables:
    """Gather the tables of the run."""
    input:
        unless_omitted("tables", PLAN.exhibits.list_all_files("tables")),
    localrule: True


rule figures:
    """Gather the figures of the run."""
    input:
        unless_omitted("figures", PLAN.exhibits.list_all_files("figures")),
    localrule: True


# each of them by a short name: snakemake wp_fig5
for exhibit in EXHIBITS:
    if PLAN.exhibits.list_datasets(exhibit):

        rule:
            name:
                exhibit.rule
            input:
                PLAN.exhibits.list_files(exhibit),
            localrule: True

        # by its place, as a workflow that uses this one as a module may call it otherwise
        [*workflow.rules][-1].docstring = exhibit.shows
