# Readouts -> audits: one Parquet an audit, data set and suite. What they ask is in plan/audits.py.
#
# audits_<suite>        readouts, corpus   -> results/audits/{dataset}/<suite>/<audit>.parquet, all that the suite is asked
#                       and that need no network
# attribution_<suite>   corpus, weights, test readouts   -> the same, all that run the models again
# ..._pairs             each of the two likewise, of data sets of pairs
# <audit>               one audit of a suite that is not asked for it, where somebody names its file
# audits                gathers what every suite is asked
#
# Audits are updated and not made anew: the job keeps those for which nothing has changed.


localrules:
    audits,


for gathering in PLAN.gatherings():

    rule:
        name:
            gathering.rule
        input:
            files=gathered_files(gathering.job, gathering.suite),
        output:
            **{
                name: update(
                    PLACES.audit.replace("{suite}", gathering.suite).replace("{audit}", name)
                )
                for name in gathering.audits
            },
        log:
            f"{PLACES.logs}/{gathering.job}/{{dataset}}/{gathering.suite}.log",
        wildcard_constraints:
            dataset=gathering.datasets,
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(gathering.job),
        params:
            stage=gathering.job,
            code=code_hash(f"stages.{gathering.job}"),
            settings=gathered_settings(gathering.job, gathering.suite),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


for audit in AUDITS:

    rule:
        name:
            audit.name
        input:
            unpack(audit_inputs(audit.name)),
        output:
            **{audit.name: PLACES.audit.replace("{audit}", audit.name)},
        log:
            f"{PLACES.logs}/{audit.name}/{{dataset}}/{{suite}}.log",
        wildcard_constraints:
            dataset=PLAN.auditing.alone(audit.name),
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(audit.name, otherwise=PLAN.audit_stage(audit.name)),
        params:
            stage=PLAN.audit_stage(audit.name),
            code=PLAN.audit_code(audit.name),
            settings=audit_settings(audit.name),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


rule audits:
    input:
        PLAN.audit_files(),
