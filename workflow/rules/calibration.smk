# Nothing but a seed -> how well the words of the summary hold what they promise. No data set and no model is read.
#
# calibrate     settings           -> results/calibration/{question}.parquet
# calibration   all of these       -> results/calibration/operating.parquet, .pdf and .png
#
# `make calibration` also writes docs/calibration.md from them.


localrules:
    calibration,


CALIBRATION = ask(read_calibration, Path(workflow.basedir) / "workflow" / "calibration.yaml")


rule calibrate:
    output:
        found=f"{PLACES.calibration}/{{question}}.parquet",
    log:
        f"{PLACES.logs}/calibrate/{{question}}.log",
    wildcard_constraints:
        question="|".join(CALIBRATION.questions),
    conda:
        "../../envs/attention-audit.yaml"
    resources:
        **needs("calibrate"),
    params:
        stage="calibrate",
        code=code_hash("stages.calibrate"),
        settings=settings_of(lambda w: CALIBRATION.job(w.question)),
        inputs="",
        outputs=outputs,
    shell:
        STAGE


rule calibration:
    input:
        found=expand(rules.calibrate.output.found, question=CALIBRATION.questions),
    output:
        table=f"{PLACES.calibration}/operating.parquet",
        pdf=f"{PLACES.calibration}/operating.pdf",
        png=f"{PLACES.calibration}/operating.png",
    log:
        f"{PLACES.logs}/calibration.log",
    conda:
        "../../envs/attention-audit.yaml"
    params:
        stage="operating",
        code=code_hash("stages.operating"),
        settings=ask(as_json, CALIBRATION.operating()),
        inputs=inputs,
        outputs=outputs,
    shell:
        STAGE
