# tables and figures -> the two pages that a reader opens


rule explorer:
    """Make the page on which a reader moves the weights of a text."""
    input:
        unpack(INPUTS.list_explored),
    output:
        page="<results>/explorer.html",
    log:
        "<logs>/explorer.log",
    localrule: True
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    params:
        **tell("explorer", SETTINGS.build_explorer, lambda _: ["explorer.page"], ["columns.tables"]),
    shell:
        STAGE


rule report_html:
    """Write the report, with a guide to the results and their configuration."""
    input:
        unpack(INPUTS.list_reported),
    output:
        page="<results>/report.html",
        readme="<results>/README.md",
        config="<results>/config.yaml",
    log:
        "<logs>/report_html.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **tell("report_html", SETTINGS.build_report, SETTINGS.list_report_modules, PRINTED, CONFIGURED),
    shell:
        STAGE


rule report_page:
    """Gather both pages."""
    input:
        unless_omitted("report_page", [*rules.explorer.output, *rules.report_html.output]),
    localrule: True
