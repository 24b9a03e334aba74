"""All that Snakemake's rules ask: a table of models, and of who is asked what.

Nothing is computed here, no heavy library is imported, no job is planned: which jobs there are, Snakemake finds from
the rules. `inputs.py` says what these read, `settings.py` what they are told.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attention_audit.config import Config
from attention_audit.errors import AuditError, suggest

from . import corpora
from .asked import AskedAudits
from .configuration import parse_config
from .exhibit_plan import ExhibitPlan
from .exhibits import EXHIBITS, FIGURES
from .file_checks import MEMORY, check_files
from .pages import Pages
from .suites import Scope
from .trainings import Trainings
from .transformers import list_made, list_recorded

Wildcards = dict[str, str]


class Plan:
    """The plan of a run. `raw`: the configuration as it was read; `catalogue`: the file of data sets that it was laid
    over. memory: the folder that keeps what was found in the user's own files.

    read, oddities: what there is in the user's own files, and what is odd in them, a line each. Raises AuditError, with
    a line for each fault, where the configuration or such a file is wrong.
    """

    def __init__(self, raw: Mapping[str, Any], catalogue: Mapping[str, Any], memory: Path = MEMORY) -> None:
        self.config: Config = parse_config(raw, catalogue)
        self.scope = Scope(self.config)
        self.read, self.oddities = check_files(self.scope, memory)
        self.trainings = Trainings(self.scope)
        self.asked = AskedAudits(self.scope)
        self.exhibits = ExhibitPlan(self.scope, self.asked, raw, catalogue)
        self.pages = Pages(self.scope, self.trainings, self.asked, self.exhibits)

    def refuse(self, path: str) -> None:
        """Raise AuditError, with the reason, where a path, or a rule, is of what this configuration cannot have."""
        self.exhibits.refuse(path)
        match Path(path).parts[len(Path(self.config.results).parts) :]:
            case ("audits", dataset, model, file) if Path(file).stem in self.asked.known:
                self.asked.refuse(Path(file).stem, model, dataset)
            case ("corpora", dataset, _) if dataset not in (corpora_ := self.config.corpora):
                raise AuditError(
                    dataset,
                    f"not a data set of this configuration{suggest(dataset, corpora_)}",
                    "add it to `corpora`, or ask for another",
                )
            case ("raw", folder, file) if (folder, file) not in corpora.list_fetches(self.config):
                raise AuditError(path, "no file of this configuration", "add it there, or ask for another")
            case ("figures", dataset, file) if Path(file).stem in FIGURES:
                self.exhibits.list_datasets(FIGURES[Path(file).stem], dataset)

    def list_wildcards(self) -> Iterator[tuple[str, Wildcards]]:
        """List the wildcards of all that rules can make, each after the name of its rule."""
        config = self.config
        yield from (("fetch", {"folder": folder, "file": file}) for folder, file in corpora.list_fetches(config))
        yield from (("prepare", {"dataset": name}) for name in config.corpora)
        yield from (("unpack", {"encoder": name}) for name in list_made(config, "encoders"))
        yield from (("build", {"classifier": name}) for name in list_made(config, "built"))
        yield from (("record_transformer", {"transformer": name}) for name in list_recorded(config))
        yield from (("encode", {"dataset": name}) for name in config.corpora if config.transformer)
        for run in self.trainings.made.values():
            wildcards = self.trainings.name_wildcards(run)
            yield run.model.rule, wildcards
            if run.model.rule in ("train", "train_guide"):
                yield "read_out", wildcards
        for model, audits in self.asked.by_model.items():
            of_model = {"dataset": model.data.name, "model": model.path_name}
            yield from ((rule, of_model) for rule in dict.fromkeys(audit.rule for audit in audits if not audit.target))
            yield from ((audit.rule, of_model | {"audit": audit.name}) for audit in audits if audit.target)
            if any(audit.network for audit in audits):
                yield from (("attribute", of_model | {"seed": str(seed)}) for seed in model.seeds)
        for exhibit in EXHIBITS:
            name = {exhibit.folder.removesuffix("s"): exhibit.name}
            if datasets := self.exhibits.list_datasets(exhibit):
                yield exhibit.maker, name
            for dataset in datasets if exhibit.folder == "figures" else ():
                yield "figure_of_dataset", name | {"dataset": dataset}
        yield from (("explorer", {}), ("report_html", {}))

    def list_own_files(self) -> list[str]:
        """List the user's own files that a run reads: tables, masks, readouts, models, word vectors."""
        config, trainings = self.config, self.trainings
        names = corpora.add_others(config, self.scope.datasets)
        raw = [
            path for name in names for path in (*corpora.list_read(config, name), *corpora.list_vectors(config, name))
        ]
        sources = [path for run in trainings.made.values() for path in trainings.list_sources(run)]
        references = [path for run in trainings.made.values() for path in trainings.find_files(run.model.beside)]
        transformers = [path for find in list_recorded(config).values() for path in find().inputs]
        paths = dict.fromkeys([*raw, *sources, *references, *transformers])
        return [path for path in paths if not path.startswith(f"{config.results}/")]
