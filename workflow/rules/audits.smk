# readouts -> audits of a model: a question each, asked of all its seeds and what it is held against. An audit that it is not
# asked, or cannot be, has a file without rows, whose metadata say why.


rule performance:
    """How well does each model predict, and what?"""
    input:
        **find_inputs("performance", "readouts search heads tails corpus"),
    output:
        performance="<results>/audits/{dataset}/{model}/performance.parquet",
        predictions="<results>/audits/{dataset}/{model}/predictions.parquet",
        cut_texts="<results>/audits/{dataset}/{model}/cut_texts.parquet",
    log:
        "<logs>/performance/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=grow(1500, 45),
        runtime=grow(10, 0.1),
    params:
        **find_params("performance"),
    shell:
        STAGE


use rule performance as comparison with:
    """How far are other seeds, uniform weights and adversaries from the base model?"""
    input:
        **find_inputs("comparison", "readouts against search heads tails"),
    output:
        comparison="<results>/audits/{dataset}/{model}/comparison.parquet",
        consistency="<results>/audits/{dataset}/{model}/consistency.parquet",
    log:
        "<logs>/comparison/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 5),
        runtime=grow(10, 0.1),
    params:
        **find_params("comparison"),


use rule performance as stability with:
    """How far do maps and predictions move from any training to any other?"""
    input:
        **find_inputs("stability", "readouts against heads tails"),
    output:
        stability="<results>/audits/{dataset}/{model}/stability.parquet",
        map_stability="<results>/audits/{dataset}/{model}/map_stability.parquet",
    log:
        "<logs>/stability/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 10),
        runtime=grow(10, 0.2),
    params:
        **find_params("stability"),


use rule performance as permutation with:
    """How far does the prediction move when the weights are shuffled?"""
    input:
        **find_inputs("permutation", "readouts heads tails"),
    output:
        permutation="<results>/audits/{dataset}/{model}/permutation.parquet",
        heads="<results>/audits/{dataset}/{model}/heads.parquet",
    log:
        "<logs>/permutation/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 20),
        runtime=grow(10, 0.2),
    params:
        **find_params("permutation"),


use rule performance as erasure with:
    """What does each item add to the decision, and which go before it flips, one by one and in ranked sets?"""
    input:
        **find_inputs("erasure", "readouts heads tails"),
    output:
        contributions="<results>/audits/{dataset}/{model}/contributions.parquet",
        single_weight="<results>/audits/{dataset}/{model}/single_weight.parquet",
        ranked_sets="<results>/audits/{dataset}/{model}/ranked_sets.parquet",
        shuffles="<results>/audits/{dataset}/{model}/shuffles.parquet",
    log:
        "<logs>/erasure/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 45),
        runtime=grow(20, 2),
    params:
        **find_params("erasure"),


use rule performance as instance_adversary with:
    """How far can the weights of a text go while its prediction stays?"""
    input:
        **find_inputs("instance_adversary", "readouts heads tails"),
    output:
        instance_adversary="<results>/audits/{dataset}/{model}/instance_adversary.parquet",
    log:
        "<logs>/instance_adversary/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 20),
        runtime=grow(20, 4),
    params:
        **find_params("instance_adversary"),


use rule performance as plausibility with:
    """Do maps point to the words that somebody marked, or that are known to decide?"""
    input:
        **find_inputs("plausibility", "readouts search heads tails corpus"),
    output:
        evidence="<results>/audits/{dataset}/{model}/evidence.parquet",
        plausibility="<results>/audits/{dataset}/{model}/plausibility.parquet",
        planted="<results>/audits/{dataset}/{model}/planted.parquet",
    log:
        "<logs>/plausibility/{dataset}/{model}.log",
    params:
        **find_params("plausibility"),


use rule performance as attention_maps with:
    """Show a few texts word by word, with the maps of the base model and its adversaries."""
    input:
        **find_inputs("attention_maps", "readouts heads tails"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        instance_adversary="<results>/audits/{dataset}/{model}/instance_adversary.parquet",
    output:
        attention_maps="<results>/audits/{dataset}/{model}/attention_maps.parquet",
    log:
        "<logs>/attention_maps/{dataset}/{model}.log",
    params:
        **find_params("attention_maps"),


use rule performance as attribution with:
    """Run the models again: gradients, leave-one-out, integrated gradients; words that are deleted, replaced or faded."""
    input:
        **find_inputs("attribution", "readouts heads tails"),
        **find_inputs("attribution", "vocabulary weights transformer given"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        correlation="<results>/audits/{dataset}/{model}/correlation.parquet",
        agreement="<results>/audits/{dataset}/{model}/agreement.parquet",
        conicity="<results>/audits/{dataset}/{model}/conicity.parquet",
        impermissible="<results>/audits/{dataset}/{model}/impermissible.parquet",
        located="<results>/audits/{dataset}/{model}/located.parquet",
        attribution_stability="<results>/audits/{dataset}/{model}/attribution_stability.parquet",
        replaced="<results>/audits/{dataset}/{model}/replaced.parquet",
        plausible_words="<results>/audits/{dataset}/{model}/plausible_words.parquet",
        word_attributions="<results>/audits/{dataset}/{model}/word_attributions.parquet",
        soft="<results>/audits/{dataset}/{model}/soft.parquet",
    log:
        "<logs>/attribution/{dataset}/{model}.log",
    resources:
        mem_mb=grow(2000, 50),
        runtime=grow(30, 10),
        gpu=GPU,
    params:
        **find_params("attribution"),


if OWN_AUDITS:

    use rule attribution as own_audit with:
        """Ask an audit of one's own."""
        input:
            unpack(find_all_inputs("own_audit")),
        output:
            "<results>/audits/{dataset}/{model}/{audit}.parquet",
        log:
            "<logs>/own_audit/{dataset}/{model}/{audit}.log",
        wildcard_constraints:
            audit=match_any(OWN_AUDITS),
        resources:
            mem_mb=grow(2000, 50),
            runtime=grow(30, 10),
            gpu=GPU,
        params:
            **find_params("own_audit"),


rule audits:
    """Gather all audits that the suites are asked."""
    input:
        unless_omitted("audits", PLAN.audit_files()),
    localrule: True
