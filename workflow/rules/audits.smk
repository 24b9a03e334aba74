# Readouts -> audits: one rule an audit, one Parquet a data set and suite. What they ask is in plan/audits.py.
#
# <audit>   test readouts (, corpus, weights, other audits)   -> results/audits/{dataset}/{suite}/<audit>.parquet
# audits    gathers what every suite is asked


localrules:
    audits,


for audit_rule, made_together in audit_rules().items():

    rule:
        name:
            audit_rule
        input:
            unpack(audit_inputs(audit_rule)),
        output:
            **{audit.name: AUDIT.replace("{audit}", audit.name) for audit in made_together},
        log:
            f"results/logs/{audit_rule}/{{dataset}}/{{suite}}.log",
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(audit_rule),
        params:
            stage=PLAN.audit_stage(audit_rule),
            code=PLAN.audit_code(audit_rule),
            settings=audit_settings(audit_rule),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


rule audits:
    input:
        PLAN.audit_files(),
