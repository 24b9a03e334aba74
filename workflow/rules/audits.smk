# readouts -> audits of a model: a question each, asked of all its seeds and what it is held against. An audit that it is not
# asked, or cannot be, has a file without rows, whose metadata say why.


rule performance:
    """How well does each model predict, and what?"""
    input:
        readouts=read("performance", "readouts"),
        search=read("performance", "search"),
        heads=read("performance", "heads"),
        tails=read("performance", "tails"),
        corpus=read("performance", "corpus"),
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
        mem_mb=memory(1500, 45),
        runtime=minutes(10, 0.1),
    params:
        **told("performance"),
    shell:
        STAGE


rule comparison:
    """How far are other seeds, uniform weights and adversaries from the base model?"""
    input:
        readouts=read("comparison", "readouts"),
        against=read("comparison", "against"),
        search=read("comparison", "search"),
        heads=read("comparison", "heads"),
        tails=read("comparison", "tails"),
    output:
        comparison="<results>/audits/{dataset}/{model}/comparison.parquet",
        consistency="<results>/audits/{dataset}/{model}/consistency.parquet",
    log:
        "<logs>/comparison/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 5),
        runtime=minutes(10, 0.1),
    params:
        **told("comparison"),
    shell:
        STAGE


rule stability:
    """How far do maps and predictions move from any training to any other?"""
    input:
        readouts=read("stability", "readouts"),
        against=read("stability", "against"),
        heads=read("stability", "heads"),
        tails=read("stability", "tails"),
    output:
        stability="<results>/audits/{dataset}/{model}/stability.parquet",
        map_stability="<results>/audits/{dataset}/{model}/map_stability.parquet",
    log:
        "<logs>/stability/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 10),
        runtime=minutes(10, 0.2),
    params:
        **told("stability"),
    shell:
        STAGE


rule permutation:
    """How far does the prediction move when the weights are shuffled?"""
    input:
        readouts=read("permutation", "readouts"),
        heads=read("permutation", "heads"),
        tails=read("permutation", "tails"),
    output:
        permutation="<results>/audits/{dataset}/{model}/permutation.parquet",
        heads="<results>/audits/{dataset}/{model}/heads.parquet",
    log:
        "<logs>/permutation/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 20),
        runtime=minutes(10, 0.2),
    params:
        **told("permutation"),
    shell:
        STAGE


rule erasure:
    """What does each item add to the decision, and which go before it flips, one by one and in ranked sets?"""
    input:
        readouts=read("erasure", "readouts"),
        heads=read("erasure", "heads"),
        tails=read("erasure", "tails"),
    output:
        contributions="<results>/audits/{dataset}/{model}/contributions.parquet",
        single_weight="<results>/audits/{dataset}/{model}/single_weight.parquet",
        ranked_sets="<results>/audits/{dataset}/{model}/ranked_sets.parquet",
        shuffles="<results>/audits/{dataset}/{model}/shuffles.parquet",
    log:
        "<logs>/erasure/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 45),
        runtime=minutes(20, 2),
    params:
        **told("erasure"),
    shell:
        STAGE


rule instance_adversary:
    """How far can the weights of a text go while its prediction stays?"""
    input:
        readouts=read("instance_adversary", "readouts"),
        heads=read("instance_adversary", "heads"),
        tails=read("instance_adversary", "tails"),
    output:
        instance_adversary="<results>/audits/{dataset}/{model}/instance_adversary.parquet",
    log:
        "<logs>/instance_adversary/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 20),
        runtime=minutes(20, 4),
    params:
        **told("instance_adversary"),
    shell:
        STAGE


rule plausibility:
    """Do maps point to the words that somebody marked, or that are known to decide?"""
    input:
        readouts=read("plausibility", "readouts"),
        search=read("plausibility", "search"),
        heads=read("plausibility", "heads"),
        tails=read("plausibility", "tails"),
        corpus=read("plausibility", "corpus"),
    output:
        evidence="<results>/audits/{dataset}/{model}/evidence.parquet",
        plausibility="<results>/audits/{dataset}/{model}/plausibility.parquet",
        planted="<results>/audits/{dataset}/{model}/planted.parquet",
    log:
        "<logs>/plausibility/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 45),
        runtime=minutes(10, 0.1),
    params:
        **told("plausibility"),
    shell:
        STAGE


rule attention_maps:
    """Show a few texts word by word, with the maps of the base model and its adversaries."""
    input:
        base=read("attention_maps", "base"),
        contrast=read("attention_maps", "contrast"),
        heads=read("attention_maps", "heads"),
        tails=read("attention_maps", "tails"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        instance_adversary="<results>/audits/{dataset}/{model}/instance_adversary.parquet",
    output:
        attention_maps="<results>/audits/{dataset}/{model}/attention_maps.parquet",
    log:
        "<logs>/attention_maps/{dataset}/{model}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(1500, 20),
        runtime=minutes(10, 0.1),
    params:
        **told("attention_maps"),
    shell:
        STAGE


rule attribution:
    """Run the models again: gradients, leave-one-out, integrated gradients; words that are deleted, replaced or faded."""
    input:
        readouts=read("attribution", "readouts"),
        heads=read("attribution", "heads"),
        tails=read("attribution", "tails"),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        vocabulary=read("attribution", "vocabulary"),
        weights=read("attribution", "weights"),
        transformer=read("attribution", "transformer"),
        given=read("attribution", "given"),
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
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=memory(2000, 50),
        runtime=minutes(30, 10),
        gpu=GPU,
    params:
        **told("attribution"),
    shell:
        STAGE


if OWN_AUDITS:

    rule own_audit:
        """Ask an audit of one's own."""
        input:
            unpack(all_read("own_audit")),
        output:
            "<results>/audits/{dataset}/{model}/{audit}.parquet",
        log:
            "<logs>/own_audit/{dataset}/{model}/{audit}.log",
        wildcard_constraints:
            audit=any_of(OWN_AUDITS),
        conda:
            ENVIRONMENT
        threads: CONFIG.threads
        resources:
            mem_mb=memory(2000, 50),
            runtime=minutes(30, 10),
            gpu=GPU,
        params:
            **told("own_audit"),
        shell:
            STAGE


rule audits:
    """Gather all audits that the suites are asked."""
    input:
        unless_omitted("audits", PLAN.audit_files()),
    localrule: True
