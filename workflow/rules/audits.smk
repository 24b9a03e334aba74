# readouts -> audits of a suite on a data set: a question each, asked of all its models. An audit that a suite is not
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
        performance="<results>/audits/{dataset}/{suite}/performance.parquet",
        predictions="<results>/audits/{dataset}/{suite}/predictions.parquet",
        cut_texts="<results>/audits/{dataset}/{suite}/cut_texts.parquet",
    log:
        "<logs>/performance/{dataset}/{suite}.log",
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
        comparison="<results>/audits/{dataset}/{suite}/comparison.parquet",
        consistency="<results>/audits/{dataset}/{suite}/consistency.parquet",
    log:
        "<logs>/comparison/{dataset}/{suite}.log",
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
        stability="<results>/audits/{dataset}/{suite}/stability.parquet",
        map_stability="<results>/audits/{dataset}/{suite}/map_stability.parquet",
    log:
        "<logs>/stability/{dataset}/{suite}.log",
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
        permutation="<results>/audits/{dataset}/{suite}/permutation.parquet",
        heads="<results>/audits/{dataset}/{suite}/heads.parquet",
    log:
        "<logs>/permutation/{dataset}/{suite}.log",
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
        contributions="<results>/audits/{dataset}/{suite}/contributions.parquet",
        single_weight="<results>/audits/{dataset}/{suite}/single_weight.parquet",
        ranked_sets="<results>/audits/{dataset}/{suite}/ranked_sets.parquet",
        shuffles="<results>/audits/{dataset}/{suite}/shuffles.parquet",
    log:
        "<logs>/erasure/{dataset}/{suite}.log",
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
        instance_adversary="<results>/audits/{dataset}/{suite}/instance_adversary.parquet",
    log:
        "<logs>/instance_adversary/{dataset}/{suite}.log",
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
        evidence="<results>/audits/{dataset}/{suite}/evidence.parquet",
        plausibility="<results>/audits/{dataset}/{suite}/plausibility.parquet",
        planted="<results>/audits/{dataset}/{suite}/planted.parquet",
    log:
        "<logs>/plausibility/{dataset}/{suite}.log",
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
        instance_adversary="<results>/audits/{dataset}/{suite}/instance_adversary.parquet",
    output:
        attention_maps="<results>/audits/{dataset}/{suite}/attention_maps.parquet",
    log:
        "<logs>/attention_maps/{dataset}/{suite}.log",
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
        correlation="<results>/audits/{dataset}/{suite}/correlation.parquet",
        agreement="<results>/audits/{dataset}/{suite}/agreement.parquet",
        conicity="<results>/audits/{dataset}/{suite}/conicity.parquet",
        impermissible="<results>/audits/{dataset}/{suite}/impermissible.parquet",
        located="<results>/audits/{dataset}/{suite}/located.parquet",
        attribution_stability="<results>/audits/{dataset}/{suite}/attribution_stability.parquet",
        replaced="<results>/audits/{dataset}/{suite}/replaced.parquet",
        plausible_words="<results>/audits/{dataset}/{suite}/plausible_words.parquet",
        word_attributions="<results>/audits/{dataset}/{suite}/word_attributions.parquet",
        soft="<results>/audits/{dataset}/{suite}/soft.parquet",
    log:
        "<logs>/attribution/{dataset}/{suite}.log",
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
        """Ask an audit that a plugin declares."""
        input:
            unpack(all_read("own_audit")),
        output:
            "<results>/audits/{dataset}/{suite}/{audit}.parquet",
        log:
            "<logs>/own_audit/{dataset}/{suite}/{audit}.log",
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
