# Readouts -> audits: one Parquet an audit, data set and suite. What they ask is in plan/audits.py.
#
# audits_<suite>   test readouts, corpus   -> results/audits/{dataset}/<suite>/<audit>.parquet, all that the suite is asked
# attribution      corpus, weights, test readouts   -> the three that run the models again
# <audit>          the same for one audit of a suite that is not asked for it, where somebody names its file
# audits           gathers what every suite is asked
#
# Audits are updated and not made anew: the job keeps those for which nothing has changed.


localrules:
    audits,


for suite_key, gathered in PLAN.gathered_audits().items():

    rule:
        name:
            f"audits_{suite_key}"
        input:
            files=gathered_files(suite_key),
        output:
            **{
                name: update(AUDIT.replace("{suite}", suite_key).replace("{audit}", name))
                for name in gathered
            },
        log:
            f"results/logs/audits/{{dataset}}/{suite_key}.log",
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs("audits"),
        params:
            stage="audits",
            code=code_hash("stages.audits"),
            settings=gathered_settings(suite_key),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


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
        wildcard_constraints:
            suite=PLAN.suites_alone(audit_rule),
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
