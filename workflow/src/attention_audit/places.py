"""Where each kind of file of a run lies, under the folder of its results.

Names in braces stand for what a file is of.
"""

from pathlib import Path

from attention_audit.targets import PACKAGE_FOLDER

RESULTS = "results"
"""The folder of the results, where the configuration names no other."""
TREE = PACKAGE_FOLDER / "tree" if (PACKAGE_FOLDER / "tree").is_dir() else PACKAGE_FOLDER.parents[2]
"""The folder of the Snakefile and of all that it reads: the repository, or the part of it that a wheel carries."""
CATALOGUE = Path("workflow/catalogue.yaml")
"""Where data sets are declared, from TREE."""


class Places:
    """The paths under `results`, a folder without braces in its name. {training} is <data set>/<model>."""

    def __init__(self, results: str = RESULTS) -> None:
        self.results = results
        models = f"{results}/models/{{training}}/seed{{seed}}"
        readouts = f"{results}/readouts/{{training}}/seed{{seed}}"
        self.raw = f"{results}/raw"
        """The folder of fetched files."""
        self.corpus = f"{results}/corpora/{{dataset}}/{{file}}.parquet"
        """A file of a data set: corpus, census or vocabulary."""
        self.weights = f"{models}.safetensors"
        """The weights of a training."""
        self.history = f"{models}.history.parquet"
        """The epochs of a training."""
        self.search = f"{models}.search.parquet"
        """The steps of a search."""
        self.readout = f"{readouts}/{{split}}.parquet"
        """The readout of a training on one split."""
        self.head = f"{readouts}/head.parquet"
        """The head of a model of pairs."""
        self.tail = f"{readouts}/tail.safetensors"
        """The tail of a Transformer that is read out."""
        self.transformer = f"{results}/transformer.json"
        """What is known of the Transformer of the run."""
        self.encoder = f"{results}/transformers/{{dataset}}.json"
        """What is known of the encoder that the classifiers of a data set are fine-tuned from."""
        self.states = f"{results}/states/{{dataset}}/states.npy"
        """The states of a frozen Transformer of the words of a data set."""
        self.pieces = f"{results}/states/{{dataset}}/pieces.parquet"
        """What the Transformer reads of each text of a data set."""
        self.attributions = f"{results}/attributions/{{dataset}}/{{model}}/seed{{seed}}/attributions.parquet"
        """The attributions of one training of a model whose attention is in question."""
        self.audit = f"{results}/audits/{{dataset}}/{{model}}/{{audit}}.parquet"
        """An audit of a model of a data set."""
        self.logs = f"{results}/logs"
        """The folder of what the jobs said."""

    def corpus_file(self, dataset: str, file: str) -> str:
        """`corpus` of one data set."""
        return self.corpus.format(dataset=dataset, file=file)

    def audit_file(self, dataset: str, model: str, audit: str) -> str:
        """`audit` of one model."""
        return self.audit.format(dataset=dataset, model=model, audit=audit)

    def locate_run(self, kind: str, training: str, seed: int, split: str = "") -> str:
        """Return a file of a training with a seed: `weights`, `history`, `search`, `readout`, `head` or `tail`."""
        path: str = getattr(self, kind)
        return path.format(training=training, seed=seed, split=split)

    def exhibit(self, folder: str, name: str, ending: str) -> str:
        """Return a file of a table or a figure; `folder` is tables or figures."""
        return f"{self.results}/{folder}/{name}{ending}"
