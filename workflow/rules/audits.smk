# readouts -> audits of a model: a question each, asked of all its seeds and what it is held against. An audit that it is not
# asked, or cannot be, has a file without rows, whose metadata say why.

from attention_audit.audits.settings import (
    AttentionMapsJob,
    AttributionJob,
    AuditJob,
    ComparisonJob,
    ErasureJob,
    InstanceAdversaryJob,
    PermutationJob,
)


rule performance:
    """How well does each model predict, and what?"""
    input:
        readouts=INPUTS.list_readouts(list_predicting_runs),
        search=INPUTS.list_searches(list_predicting_runs),
        above=INPUTS.list_above(list_predicting_runs),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
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
        **tell("performance", SETTINGS.build_audits(AuditJob, "performance", list_predicting_runs)),
    shell:
        STAGE


use rule performance as comparison with:
    """How far are other seeds, uniform weights and adversaries from the base model?"""
    input:
        readouts=INPUTS.list_readouts(list_compared_runs),
        dev=INPUTS.list_readouts(list_compared_runs, "dev"),
        search=INPUTS.list_searches(list_compared_runs),
        above=INPUTS.list_above(list_compared_runs),
    output:
        comparison="<results>/audits/{dataset}/{model}/comparison.parquet",
        consistency="<results>/audits/{dataset}/{model}/consistency.parquet",
    log:
        "<logs>/comparison/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 5),
        runtime=grow(10, 0.1),
    params:
        **tell("comparison", SETTINGS.build_audits(ComparisonJob, "comparison", list_compared_runs)),


use rule performance as stability with:
    """How far do maps and predictions move from any training to any other?"""
    input:
        readouts=INPUTS.list_readouts(list_runs),
        above=INPUTS.list_above(list_runs),
    output:
        stability="<results>/audits/{dataset}/{model}/stability.parquet",
        map_stability="<results>/audits/{dataset}/{model}/map_stability.parquet",
    log:
        "<logs>/stability/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 10),
        runtime=grow(10, 0.2),
    params:
        **tell("stability", SETTINGS.build_audits(ComparisonJob, "stability", list_runs)),


use rule performance as permutation with:
    """How far does the prediction move when the weights are shuffled?"""
    input:
        readouts=INPUTS.list_readouts(list_runs),
        above=INPUTS.list_above(list_runs),
    output:
        permutation="<results>/audits/{dataset}/{model}/permutation.parquet",
        heads="<results>/audits/{dataset}/{model}/heads.parquet",
    log:
        "<logs>/permutation/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 20),
        runtime=grow(10, 0.2),
    params:
        **tell("permutation", SETTINGS.build_audits(PermutationJob, "permutation", list_runs)),


use rule performance as erasure with:
    """What does each item add to the decision, and which go before it flips, one by one and in ranked sets?"""
    input:
        readouts=INPUTS.list_readouts(list_runs),
        above=INPUTS.list_above(list_runs),
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
        **tell("erasure", SETTINGS.build_audits(ErasureJob, "erasure", list_runs), SETTINGS.list_ranking_modules),


use rule performance as instance_adversary with:
    """How far can the weights of a text go while its prediction stays?"""
    input:
        readouts=INPUTS.list_readouts(list_first_runs),
        above=INPUTS.list_above(list_first_runs),
    output:
        instance_adversary="<results>/audits/{dataset}/{model}/instance_adversary.parquet",
    log:
        "<logs>/instance_adversary/{dataset}/{model}.log",
    resources:
        mem_mb=grow(1500, 20),
        runtime=grow(20, 4),
    params:
        **tell("instance_adversary", SETTINGS.build_audits(InstanceAdversaryJob, "instance_adversary", list_first_runs)),


use rule performance as plausibility with:
    """Do maps point to the words that somebody marked, or that are known to decide?"""
    input:
        readouts=INPUTS.list_readouts(list_attending_runs),
        search=INPUTS.list_searches(list_attending_runs),
        above=INPUTS.list_above(list_attending_runs),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        evidence="<results>/audits/{dataset}/{model}/evidence.parquet",
        plausibility="<results>/audits/{dataset}/{model}/plausibility.parquet",
        planted="<results>/audits/{dataset}/{model}/planted.parquet",
    log:
        "<logs>/plausibility/{dataset}/{model}.log",
    params:
        **tell("plausibility", SETTINGS.build_audits(AuditJob, "plausibility", list_attending_runs)),


use rule performance as attention_maps with:
    """Show a few texts word by word, with the maps of the base model and its adversaries."""
    input:
        readouts=INPUTS.list_readouts(list_shown_runs),
        search=INPUTS.list_searches(list_shown_runs),
        above=INPUTS.list_above(list_shown_runs),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
        instance_adversary=INPUTS.list_instance_adversary,
    output:
        attention_maps="<results>/audits/{dataset}/{model}/attention_maps.parquet",
    log:
        "<logs>/attention_maps/{dataset}/{model}.log",
    params:
        **tell("attention_maps", SETTINGS.build_audits(AttentionMapsJob, "attention_maps", list_shown_runs)),


rule attribute:
    """Run one training again: gradients, leave-one-out, integrated gradients; words deleted, replaced or faded."""
    input:
        unpack(INPUTS.list_attributed),
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        attributions="<results>/attributions/{dataset}/{model}/seed{seed}/attributions.parquet",
        conicity="<results>/attributions/{dataset}/{model}/seed{seed}/conicity.parquet",
        impermissible="<results>/attributions/{dataset}/{model}/seed{seed}/impermissible.parquet",
        located="<results>/attributions/{dataset}/{model}/seed{seed}/located.parquet",
        replaced="<results>/attributions/{dataset}/{model}/seed{seed}/replaced.parquet",
        soft="<results>/attributions/{dataset}/{model}/seed{seed}/soft.parquet",
    log:
        "<logs>/attribute/{dataset}/{model}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        mem_mb=grow(2000, 50, by_weights=2),
        runtime=grow(30, 10, by_weights=0.05),
        gpu=GPU,
    params:
        **tell("attribute", SETTINGS.build_attributing, SETTINGS.list_attribution_modules),
        checksums=checksum(INPUTS.list_attributed_source),
    shell:
        STAGE


use rule performance as attribution with:
    """How do attributions order the words, and do they agree? Gather what models that run again say."""
    input:
        readouts=INPUTS.list_readouts(list_runs),
        above=INPUTS.list_above(list_runs),
        attributions=INPUTS.list_attributions,
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
    params:
        **tell(
            "attribution",
            SETTINGS.build_audits(AttributionJob, "attribution", list_runs),
            SETTINGS.list_ranking_modules,
        ),


rule generate:
    """Let a language model go on with texts: what may maps of its tokens be read as?"""
    input:
        given=INPUTS.list_decoders,
        corpus="<results>/corpora/{dataset}/corpus.parquet",
    output:
        generated="<results>/audits/{dataset}/{model}/generated.parquet",
        tokens="<results>/audits/{dataset}/{model}/generated_tokens.parquet",
    log:
        "<logs>/generate/{dataset}/{model}.log",
    wildcard_constraints:
        dataset=match_made("generate"),
    conda:
        ENVIRONMENT
    threads: CONFIG.threads
    resources:
        # one training at a time is in memory, in float32, with the logits of a batch
        mem_mb=grow(4000, 200, by_weights=3),
        runtime=grow(60, 100, by_weights=0.05),
        gpu=GPU,
    params:
        **tell("generate", SETTINGS.build_generating, SETTINGS.list_map_modules),
        checksums=checksum(INPUTS.list_decoders),
    shell:
        STAGE


if OWN_AUDITS:

    use rule performance as own_audit with:
        """Ask an audit of one's own."""
        input:
            readouts=INPUTS.list_readouts(list_runs),
            above=INPUTS.list_above(list_runs),
            corpus="<results>/corpora/{dataset}/corpus.parquet",
        output:
            "<results>/audits/{dataset}/{model}/{audit}.parquet",
        log:
            "<logs>/own_audit/{dataset}/{model}/{audit}.log",
        wildcard_constraints:
            audit=match_any(OWN_AUDITS),
        params:
            **tell("own_audit", SETTINGS.build_own_audit, SETTINGS.list_audit_modules),


rule audits:
    """Gather all audits that the suites are asked."""
    input:
        unless_omitted("audits", PLAN.asked.list_files()),
    localrule: True
