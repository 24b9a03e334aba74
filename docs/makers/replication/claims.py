"""What the papers claim, and which kept numbers decide it; words and bounds, no verdicts."""

from makers.replication.declared import Cells, Claim, Finding, Why

UNIFORM, GUIDES, ADVERSARIES = "wp_table2_uniform", "wp_table3_guides", "wp_table5_adversary"
CORRELATION, FLIPS, PAIRWISE = "jw_table2_correlation", "ss_table2_flips", "ss_table_pairwise"
DECEIVED, DIVERSE = "pd_table_deception", "md_table_diversity"
MIMIC = ("Diabetes", "Anemia")


def over_uniform(says: str, theirs: str, *datasets: str) -> Finding:
    """Say what the learnt weights add over uniform ones: F1 of base minus F1 of uniform, paired by seed."""
    return Finding(says, "f1", theirs, UNIFORM, Cells(model="base", other="uniform"), datasets)


def guided_better(guide: str, what: str) -> Finding:
    """Say that the base model's attention guides an MLP better than another guide does."""
    cells = Cells(model="guide_base_lstm"), Cells(model=guide)
    return Finding(f"it guides an MLP better than {what}", "f1", "above 0", GUIDES, cells[0], minus=cells[1])


WIEGREFFE_PINTER_CLAIMS = (
    Claim(
        "On some data sets uniform weights do as well as learnt ones, on others they do not",
        "section 3.2, table 2",
        ("AG News", "20 Newsgroups", "SST", "IMDb", *MIMIC),
        (
            over_uniform("learnt weights gain less than one point of F1", "below 0.01", "agnews", "newsgroups"),
            over_uniform("learnt weights gain something", "above 0", "sst", "imdb"),
        ),
        MIMIC,
        (
            Why(
                "uniform weights train unevenly on few texts, so that their F1 spreads far",
                cells=Cells("newsgroups"),
            ),
        ),
    ),
    Claim(
        "Another training moves attention less far than an adversary of each text does",
        "section 3.3, figure 3",
        ("SST", "Diabetes: not so"),
        (
            Finding(
                "JSD to another training, minus that to the per-instance adversary",
                "jsd",
                "below 0",
                ADVERSARIES,
                Cells(model="seeds"),
                minus=Cells(model="instance_adversary"),
            ),
        ),
        MIMIC,
    ),
    Claim(
        "The base LSTM's attention is the best guide of a simpler model",
        "section 3.4, table 3",
        ("SST", "IMDb", *MIMIC),
        (
            guided_better("guide_uniform", "uniform weights"),
            guided_better("guide_trained_mlp", "the MLP's own attention"),
            guided_better("guide_adversary", "an adversary's attention"),
        ),
        MIMIC,
        (Why("the paper's differences are of one training each"),),
    ),
    Claim(
        "A whole model that attends as far away as the per-instance adversary pays in predictions what that does not",
        "section 4, figure 5",
        ("SST", "IMDb", *MIMIC),
        (
            Finding(
                "TVD of adversaries from scratch that go as far (JSD), minus that of the per-instance adversary",
                "tvd",
                "above 0",
                ADVERSARIES,
                Cells(model="adversary"),
                minus=Cells(model="instance_adversary"),
                reach="jsd",
            ),
        ),
        MIMIC,
    ),
)


def in_order(says: str, theirs: str, model: str, other: str, *datasets: str) -> Finding:
    """Say how far attention orders the words as another attribution does."""
    cells = Cells(model=model, ranking="attention", other=other, label="")
    return Finding(says, "tau", theirs, CORRELATION, cells, datasets)


JAIN_WALLACE_CLAIMS = (
    Claim(
        "Attention orders the words only weakly as gradients and leave-one-out do, where states know their context",
        "section 4.1, table 2",
        ("SST", "IMDb", "ADR tweets", "20 Newsgroups", "AG News", *MIMIC, "CNN", "bAbI 1, 2, 3", "SNLI"),
        (
            in_order("BiLSTM: τ with gradients", "below 0.5", "lstm_tanh", "gradient"),
            in_order("BiLSTM: τ with leave-one-out", "below 0.5", "lstm_tanh", "loo"),
            in_order(
                "states without context: τ with gradients", "above 0.5", "average_tanh", "gradient", "sst", "imdb"
            ),
        ),
        (*MIMIC, "ADR tweets", "CNN"),
        (Why("three trainings may be too few to tell", "ten-seeds-sst-agnews", Cells("sst|agnews")),),
    ),
    Claim(
        "For most texts there is another attention that is far away and gives the same prediction",
        "section 4.2.2, figures 6 and 7",
        ("SST", "IMDb", "ADR tweets", "20 Newsgroups", "AG News", *MIMIC, "CNN", "bAbI 1, 2, 3", "SNLI"),
        (
            Finding(
                "share of texts with an adversary at least half of the greatest JSD away",
                "far_share",
                "above 0.5",
                "jw_table_adversary",
                Cells(model="lstm_tanh"),
            ),
        ),
        (*MIMIC, "ADR tweets", "CNN"),
    ),
)


def flips_first(says: str, theirs: str, model: str, ranking: str) -> Finding:
    """Say in how many texts a ranking flips the decision before attention, for each in which attention is first."""
    return Finding(says, "earlier_ratio", theirs, PAIRWISE, Cells(model=model, ranking=ranking, other="attention"))


ENCODERS = {
    "han_rnn": "HANrnn",
    "han_conv": "HANconv",
    "han_none": "HANnoenc",
    "flan_rnn": "FLANrnn",
    "flan_conv": "FLANconv",
    "flan_none": "FLANnoenc",
}
ENCODERLESS = flips_first(
    "HANnoenc: ratio of texts that gradients flip first to those that attention does",
    "below 1.6",
    "han_none",
    "gradient",
)
SS_DATA = ("Yahoo Answers", "IMDb (10 ratings)", "Amazon", "Yelp")
SERRANO_SMITH_CLAIMS = (
    Claim(
        "Erasing the top item alone rarely flips the decision",
        "section 4, table 2: 7.6 to 12.2 % of the texts",
        SS_DATA,
        (
            Finding(
                "HANrnn: percent of the texts that flip without the top item, and not without another",
                "only_top_flips",
                "below 12.2",
                FLIPS,
                Cells(model="han_rnn", ranking="attention", part="corrected"),
            ),
        ),
        SS_DATA,
        (Why("few training texts give maps with a peak; the paper has 120,000 to 3,000,000, ours 6,000 to 16,000"),),
    ),
    Claim(
        "The top item flips more decisions than another item does",
        "section 4, table 2",
        SS_DATA,
        tuple(
            Finding(
                f"{name}: percent of the texts, minus the same of another item",
                "only_top_flips",
                "above 0",
                FLIPS,
                Cells(model=model, ranking="attention", part="corrected"),
                minus=Cells(model=model, ranking="attention", part="corrected", metric="only_other_flips"),
            )
            for model, name in ENCODERS.items()
        ),
        SS_DATA,
    ),
    Claim(
        "With an encoder, gradients, alone or times attention, find a smaller set that flips the decision",
        "section 5.4, figure 5: at least 1.6 times as many texts",
        SS_DATA,
        tuple(
            flips_first(
                f"{name}: ratio of texts that {what} flip first to those that attention does", "above 1", model, ranking
            )
            for model, name in ENCODERS.items()
            if not model.endswith("none")
            for ranking, what in (("gradient", "gradients"), ("product", "gradients times attention"))
        ),
        SS_DATA,
        (Why("the size of training data; no run has changed it alone for these models"),),
    ),
    Claim(
        "Without an encoder, attention ranks on a par with gradients or better",
        "section 5.4, figure 6",
        SS_DATA,
        (
            ENCODERLESS,
            flips_first(
                "FLANnoenc: ratio of texts that gradients flip first to those that attention does",
                "below 1.6",
                "flan_none",
                "gradient",
            ),
        ),
        SS_DATA,
        (Why("the size of training data; see the first lines for what the ladder shows"),),
    ),
)

LIARS = {f"{model}_liar_lambda{size}": model for model in ("embedding", "bilstm") for size in ("0.1", "1.0")}
PD_DATA = ("SST with Wikipedia", "pronouns", "occupations")
DECEPTION_CLAIMS = (
    Claim(
        "Attention can be trained off the words that decide",
        "table 3",
        PD_DATA,
        tuple(
            Finding(
                "percent of attention on them, minus a tenth of the honest model's",
                "mass_percent",
                "below 0",
                DECEIVED,
                Cells(model=liar),
                minus=Cells(model=f"{model}_honest"),
                times=0.1,
            )
            for liar, model in LIARS.items()
        ),
        ("occupations",),
        (
            Why(
                "states that know only their own word have no other place for what a hidden word says; where many "
                "words decide, the model keeps attention on them or gives up accuracy",
                cells=Cells("sst-wiki"),
            ),
        ),
    ),
    Claim(
        "at surprisingly little cost in accuracy (but for the BiLSTM on SST with Wikipedia, which pays)",
        "abstract, table 3",
        PD_DATA,
        (
            *(
                Finding(
                    "accuracy (%), liar minus honest model",
                    "accuracy_percent",
                    "above -2",
                    DECEIVED,
                    Cells(model=liar),
                    ("sst-wiki", "pronoun") if model == "embedding" else ("pronoun",),
                    minus=Cells(model=f"{model}_honest"),
                )
                for liar, model in LIARS.items()
            ),
            *(
                Finding(
                    "accuracy (%), liar minus honest model",
                    "accuracy_percent",
                    "below 0",
                    DECEIVED,
                    Cells(model=liar),
                    ("sst-wiki",),
                    minus=Cells(model="bilstm_honest"),
                )
                for liar, model in LIARS.items()
                if model == "bilstm"
            ),
        ),
        ("occupations",),
        (
            Why("states that know only their own word cannot move what a hidden word says", cells=Cells("sst-wiki")),
            Why("batches of 64 texts at five times the rate, for the authors' single texts"),
        ),
    ),
    Claim(
        "and the model relies on the hidden words all the same",
        "table 3",
        PD_DATA,
        tuple(
            Finding(
                "accuracy (%), minus that of the same model without these words",
                "accuracy_percent",
                "above 0",
                DECEIVED,
                Cells(model=liar),
                minus=Cells(model=liar, metric="deleted_percent"),
            )
            for liar in LIARS
        ),
        ("occupations",),
        (Why("with the larger lambda the embedding model gives up the task", cells=Cells("sst-wiki")),),
    ),
)


def than_vanilla(says: str, measure: str, theirs: str) -> tuple[Finding, ...]:
    """Say what orthogonal or diverse states change beside the LSTM, and beside the BiLSTM, as they are."""
    return tuple(
        Finding(
            f"{says}, minus the vanilla one's",
            measure,
            theirs,
            DIVERSE,
            Cells(model=f"(orthogonal|diversity)_{name}"),
            minus=Cells(model=f"vanilla_{name}"),
        )
        for name in ("lstm", "bilstm")
    )


MD_DATA = ("SST", "IMDb", "20 Newsgroups", "SNLI", "and others")
MD_WHY = (Why("half the units, fewer epochs and, but for SST, subsets of the texts"),)
DIVERSITY_CLAIMS = tuple(
    Claim(says, source, MD_DATA, than_vanilla(*measured), ("others",), MD_WHY)
    for says, source, measured in (
        (
            "Orthogonal and diverse states are less alike",
            "table 2",
            ("conicity, as in the code", "magnitude", "below 0"),
        ),
        ("They predict as well, to two points", "table 2", ("accuracy", "accuracy", "above -0.02")),
        ("Permuted attention then moves predictions more", "figure 4", ("median TVD", "permutation_tvd", "above 0")),
        (
            "Attention then agrees more with other attributions",
            "table 4",
            ("τ with leave-one-out", "tau_loo", "above 0"),
        ),
        (
            "Fewer items go by attention until the decision flips",
            "figure 3",
            ("median share of items", "fraction_removed", "below 0"),
        ),
    )
)
