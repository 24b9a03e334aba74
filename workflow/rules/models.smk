# Corpora -> trained models and their readouts. One job trains a model with one seed and reads it out.
#
# train_<suite>...   corpus, vocabulary (, readouts of another model)
#                    -> results/models/{training}/seed{seed}.safetensors and .history.parquet
#                    -> results/readouts/{training}/seed{seed}/{split}.parquet (, head.parquet or tail.safetensors)
#
# search_<suite>...  the same, and weights of another model
#                    -> the same of the steps of a search, which are models of their own, and of the chosen one
#                    -> results/models/{training}/seed{seed}.search.parquet
#
# <stage>_<suite>... corpus, what the user has of a model that is not trained here
#                    -> results/readouts/{training}/seed{seed}/{split}.parquet (, tail.safetensors)
#
# {training} is <data set>/<suite>/<model>. Weights are updated and not made anew,
# so that a change in how models are read out need not train them again.

for train_rule in PLAN.trainings.rules():

    rule:
        name:
            train_rule.name
        input:
            corpus=lambda w: ask(PLAN.corpus_file, w.training, "corpus"),
            vocabulary=lambda w: ask(PLAN.corpus_file, w.training, "vocabulary"),
            reference=lambda w: ask(PLAN.trainings.reference, w.training, int(w.seed)),
            transformer=lambda w: ask(PLAN.trainings.transformer, w.training),
            states=lambda w: ask(PLAN.trainings.states, w.training),
        output:
            **({"heads": train_rule.files(PLACES.head)} if train_rule.pairs else {}),
            **({"tails": train_rule.files(PLACES.tail)} if train_rule.tails else {}),
            weights=update(train_rule.files(PLACES.weights)),
            history=update(train_rule.files(PLACES.history)),
            readouts=train_rule.files(PLACES.readout),
        log:
            f"{PLACES.logs}/train/{{training}}/seed{{seed}}.log",
        wildcard_constraints:
            training=train_rule.pattern,
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(train_rule.needs or "train", lambda w: PLAN.trainings.passes(w.training)),
        params:
            stage="train",
            code=code_hash("stages.train"),
            settings=settings_of(lambda w: PLAN.train_job(w.training, int(w.seed))),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


for search_rule in PLAN.trainings.search_rules():

    rule:
        name:
            search_rule.name
        input:
            corpus=lambda w: ask(PLAN.corpus_file, w.training, "corpus"),
            vocabulary=lambda w: ask(PLAN.corpus_file, w.training, "vocabulary"),
            reference=lambda w: ask(PLAN.trainings.reference, w.training, int(w.seed)),
            start=lambda w: ask(PLAN.trainings.start, w.training, int(w.seed)),
            transformer=lambda w: ask(PLAN.trainings.transformer, w.training),
            states=lambda w: ask(PLAN.trainings.states, w.training),
        output:
            **({"tails": search_rule.files(PLACES.tail)} if search_rule.tails else {}),
            weights=update(search_rule.files(PLACES.weights)),
            history=update(search_rule.files(PLACES.history)),
            search=update(PLACES.search),
            readouts=search_rule.files(PLACES.readout),
        log:
            f"{PLACES.logs}/search/{{training}}/seed{{seed}}.log",
        wildcard_constraints:
            training=search_rule.pattern,
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(search_rule.needs or "search", lambda w: PLAN.trainings.passes(w.training)),
        params:
            stage="search",
            code=code_hash("stages.search"),
            settings=settings_of(lambda w: PLAN.train_job(w.training, int(w.seed))),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE


for import_rule in PLAN.trainings.import_rules():

    rule:
        name:
            import_rule.name
        input:
            corpus=lambda w: ask(PLAN.corpus_file, w.training, "corpus"),
            given=lambda w: ask(PLAN.trainings.sources, w.training),
            beside=lambda w: ask(PLAN.trainings.beside, w.training),
        output:
            **({"tails": import_rule.files(PLACES.tail)} if import_rule.tails else {}),
            readouts=import_rule.files(PLACES.readout),
        log:
            f"{PLACES.logs}/{import_rule.stage}/{{training}}.log",
        wildcard_constraints:
            training=import_rule.pattern,
        conda:
            "../../envs/attention-audit.yaml"
        threads: CONFIG.threads
        resources:
            **needs(import_rule.stage),
        params:
            stage=import_rule.stage,
            code=code_hash(f"stages.{import_rule.stage}"),
            settings=settings_of(lambda w: PLAN.import_job(w.training)),
            inputs=inputs,
            outputs=outputs,
        shell:
            STAGE
