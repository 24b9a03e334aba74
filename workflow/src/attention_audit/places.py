"""Where each kind of file of a run lies, under the folder of its results.

Names in braces stand for what a file is of.
"""

from dataclasses import dataclass

RESULTS = "results"
"""The folder of the results, where the configuration names no other."""


@dataclass(frozen=True)
class Places:
    """The paths under `results`, a folder without braces in its name. {training} is <data set>/<suite>/<model>."""

    results: str = RESULTS

    @property
    def raw(self) -> str:
        """The folder of fetched files."""
        return f"{self.results}/raw"

    @property
    def corpus(self) -> str:
        """A file of a data set: corpus, census or vocabulary."""
        return f"{self.results}/corpora/{{dataset}}/{{file}}.parquet"

    @property
    def weights(self) -> str:
        """The weights of a training."""
        return f"{self.results}/models/{{training}}/seed{{seed}}.safetensors"

    @property
    def history(self) -> str:
        """The epochs of a training."""
        return f"{self.results}/models/{{training}}/seed{{seed}}.history.parquet"

    @property
    def search(self) -> str:
        """The steps of a search."""
        return f"{self.results}/models/{{training}}/seed{{seed}}.search.parquet"

    @property
    def readout(self) -> str:
        """The readout of a training on one split."""
        return f"{self.results}/readouts/{{training}}/seed{{seed}}/{{split}}.parquet"

    @property
    def head(self) -> str:
        """The head of a model of pairs."""
        return f"{self.results}/readouts/{{training}}/seed{{seed}}/head.parquet"

    @property
    def transformer(self) -> str:
        """What is known of the Transformer of the run."""
        return f"{self.results}/transformer.json"

    @property
    def encoder(self) -> str:
        """What is known of the encoder that the classifiers of a data set are fine-tuned from."""
        return f"{self.results}/transformers/{{dataset}}.json"

    @property
    def states(self) -> str:
        """The states of a frozen Transformer of the words of a data set."""
        return f"{self.results}/states/{{dataset}}/states.npy"

    @property
    def pieces(self) -> str:
        """What the Transformer reads of each text of a data set."""
        return f"{self.results}/states/{{dataset}}/pieces.parquet"

    @property
    def tail(self) -> str:
        """The tail of a Transformer that is read out."""
        return f"{self.results}/readouts/{{training}}/seed{{seed}}/tail.safetensors"

    @property
    def audit(self) -> str:
        """An audit of a suite on a data set."""
        return f"{self.results}/audits/{{dataset}}/{{suite}}/{{audit}}.parquet"

    @property
    def logs(self) -> str:
        """The folder of what the jobs said."""
        return f"{self.results}/logs"

    @property
    def calibration(self) -> str:
        """The folder of the calibration, which no configuration decides."""
        return f"{self.results}/calibration"

    def corpus_file(self, dataset: str, file: str) -> str:
        """`corpus` of one data set."""
        return self.corpus.format(dataset=dataset, file=file)

    def audit_file(self, dataset: str, suite: str, audit: str) -> str:
        """`audit` of one data set and suite."""
        return self.audit.format(dataset=dataset, suite=suite, audit=audit)

    def exhibit(self, folder: str, name: str, ending: str) -> str:
        """A file of a table or a figure; `folder` is tables or figures."""
        return f"{self.results}/{folder}/{name}{ending}"
