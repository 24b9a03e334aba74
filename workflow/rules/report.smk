# tables and figures -> the two pages that a reader opens


rule explorer:
    """Make the page on which a reader moves the weights of a text."""
    input:
        unpack(find_all_inputs("explorer")),
    output:
        page="<results>/explorer.html",
    log:
        "<logs>/explorer.log",
    localrule: True
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    params:
        **find_params("explorer"),
    shell:
        STAGE


rule report_html:
    """Write the report, with a guide to the results and their configuration."""
    input:
        unpack(find_all_inputs("report_html")),
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
        **find_params("report_html"),
    shell:
        STAGE


rule report_page:
    """Gather both pages."""
    input:
        unless_omitted("report_page", list_files("explorer", "report_html")),
    localrule: True
