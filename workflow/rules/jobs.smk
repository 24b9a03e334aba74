# Every job of the run, from the list that the plan makes (plan/plan.py), each with its files by their names.
#
# fetch_<folder>_<file>      mirror or web -> results/raw/, and its record: what is known of it
# corpus_<data set>          raw files, or nothing, perhaps a vector file -> results/corpora/<data set>/
# unpack_encoders_<name>     a fetched archive -> the files of a Transformer
# transformer, states_...    the folder of a Transformer -> its checksums; what a frozen one says of each word
# train_<suite>_<data set>_<model>_seed<seed>, search_...     corpus, readouts of other models -> weights and readouts
# import_..., impose_...     what the user has of a model -> its readouts
# audits_<suite>_<data set>  readouts -> results/audits/<data set>/<suite>/, all that the suite is asked without a network
# attribution_...            weights and readouts -> the same, all that run the models again
# <audit>_<suite>_<data set> one audit of a suite that is not asked for it, where somebody names its file
# <table>, <figure>          audits -> results/tables/, results/figures/
# <figure>_of_<data set>     the same of one data set, where somebody names its file
# guide_files, explorer, report_html    what a reader opens first
#
# The rules at the top gather files of several jobs.

JOBS = ask(PLAN.jobs, asked_for())
RANKS = ranks(JOBS)
HASHES = ask(hash_files, JOBS)


rule corpora:
    input:
        [job.files for job in JOBS if job.stage == "corpus"],
    localrule: True


rule audits:
    input:
        PLAN.audit_files(),
    localrule: True


rule tables:
    input:
        [path for table in PLAN.exhibiting.made("tables") for path in PLAN.exhibiting.files(table)],
    localrule: True


rule figures:
    input:
        [
            path
            for figure in PLAN.exhibiting.made("figures")
            for path in PLAN.exhibiting.files(figure)
        ],
    localrule: True


rule guide:
    input:
        [job.files for job in JOBS if job.stage == "guide"],
    localrule: True


rule report_page:
    input:
        [job.files for job in JOBS if job.stage in ("explorer", "report_page")],
    localrule: True


for job in JOBS:

    rule:
        name:
            job.name
        input:
            **job.inputs,
        output:
            **made_by(job),
        log:
            job.log,
        priority: RANKS[job.name]
        localrule: not job.needs
        conda:
            "../../envs/attention-audit.yaml"
        threads: job.threads
        resources:
            **needs(job),
        params:
            **contents(job),
            stage=job.stage,
            code=job.code,
            settings=settings_of(job),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE
