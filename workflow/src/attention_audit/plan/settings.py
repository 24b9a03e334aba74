"""What the job of each rule is told, apart from its files: a function for each rule, which Snakemake calls with the
wildcards of the job.
"""

from collections.abc import Callable
from typing import TypeVar

from snakemake.iocontainers import Wildcards

from attention_audit.audits.settings import (
    AttributeJob,
    AuditedTraining,
    AuditJob,
    GenerateJob,
    OwnAuditJob,
    Permutation,
)
from attention_audit.corpus.encoders import BuiltClassifier, FetchedEncoder
from attention_audit.corpus.source import FetchJob, RawSource
from attention_audit.corpus.sources import CorpusJob
from attention_audit.jobs import ExhibitJob, ExplorerJob, ReportJob
from attention_audit.targets import name_module
from attention_audit.training.classifiers import FineTuneJob
from attention_audit.training.settings import MaskedSettings, Recipe, SearchSettings, TrainSettings
from attention_audit.transformer.settings import (
    Backbone,
    ClassifierJob,
    ImportJob,
    StatesJob,
    TargetJob,
    TransformerJob,
)

from . import corpora
from .audits import ListRuns, find_split
from .exhibits import FIGURES, TABLES
from .inputs import PlanAsker, end_in_lines, end_on_fault
from .model import Run, tune_recipe
from .papers.given import list_outputs, name_folder
from .trainings import list_modules
from .transformers import describe_encoder, list_recorded

JobT = TypeVar("JobT", bound=AuditJob)


def describe_training(run: Run, again: bool = False) -> AuditedTraining:
    """Describe a training as the rows of an audit name it. again: whether it is run again."""
    model = run.model
    return AuditedTraining(
        model=model.family,
        seed=run.seed,
        lambda_=model.lambda_,
        searched=model.step,
        selection=model.selected_on,
        hierarchical=model.hierarchical,
        judged=model.judged,
        consistent_on=find_split(run),
        architecture=model.architecture if again and model.settings else None,
        label=model.label,
        classifier=model.reads[run.seed - 1] if again and model.reads else None,
    )


@end_in_lines
class JobSettings(PlanAsker):
    """The settings of the jobs of a run."""

    def build_fetch(self, wildcards: Wildcards) -> FetchJob:
        """Build what the job is told that fetches a file."""
        return corpora.list_fetches(self._config)[wildcards.folder, wildcards.file]

    def build_corpus(self, wildcards: Wildcards) -> CorpusJob:
        """Build what the job is told that prepares a data set."""
        return corpora.describe_corpus(self._config, wildcards.dataset)

    def build_unpacking(self, wildcards: Wildcards) -> FetchedEncoder:
        """Build what the job is told that unpacks an encoder."""
        return self._config.encoders[wildcards.encoder]

    def build_classifier(self, wildcards: Wildcards) -> BuiltClassifier:
        """Build what the job is told that builds a classifier whose truth is known."""
        return self._config.built[wildcards.classifier]

    def build_record(self, wildcards: Wildcards) -> TransformerJob:
        """Build what the job is told that records a Transformer."""
        transformer = list_recorded(self._config)[wildcards.transformer]()
        return TransformerJob(path=transformer.path, fetched=transformer.made is not None)

    def build_states(self, wildcards: Wildcards) -> StatesJob:
        """Build what the job is told that reads texts with a frozen Transformer."""
        config, dataset = self._config, wildcards.dataset
        return StatesJob(
            dataset=dataset,
            backbone=describe_encoder(config.for_dataset(dataset))["transformer"],
            pair=config.corpora[dataset].pair,
            device=config.device,
            threads=config.threads,
        )

    def build_training(self, wildcards: Wildcards) -> TrainSettings:
        """Build what a training is told."""
        run = self._find_run(wildcards)
        return run.model.build_settings(run.seed)

    def build_search(self, wildcards: Wildcards) -> SearchSettings:
        """Build what a search by continuation is told."""
        settings = self.build_training(wildcards)
        assert isinstance(settings, SearchSettings)
        return settings

    def build_masking(self, wildcards: Wildcards) -> MaskedSettings:
        """Build what the trainings without masked words are told."""
        settings = self.build_training(wildcards)
        assert isinstance(settings, MaskedSettings)
        return settings

    def build_fine_tuning(self, wildcards: Wildcards) -> FineTuneJob:
        """Build what the job is told that fine-tunes a classifier for several labels."""
        config, name = self._config.for_dataset(wildcards.dataset), wildcards.dataset
        section, source = config.hf[name], config.corpora[name]
        assert section.recipe is not None
        assert isinstance(source, RawSource)
        tuning = section.recipe.tuning
        return FineTuneJob(
            dataset=name,
            seed=int(wildcards.seed),
            backbone=Backbone(path=section.recipe.path, frozen=False, max_length=section.max_length),
            labels=source.label_names,
            optimisation=tune_recipe(Recipe(selection=tuning.selection), tuning),
            epochs=tuning.epochs,
            device=config.device,
            threads=config.threads,
        )

    def build_import(self, wildcards: Wildcards) -> ImportJob:
        """Build what the job is told that imports a readout, or imposes uniform weights on one."""
        run = self._find_run(wildcards)
        return ImportJob(dataset=run.model.data.name, model=run.model.name, seed=run.seed)

    def build_reading(self, wildcards: Wildcards) -> ClassifierJob:
        """Build what the job is told that reads a classifier that is given."""
        run, config = self._find_run(wildcards), self._config
        model = run.model
        reference = model if model.judged or not model.listed else model.data.judged[0]
        return ClassifierJob(
            dataset=model.data.name,
            model=model.name,
            seed=run.seed,
            read=model.reads[run.seed - 1],
            first=reference.reads[0],
            classes=corpora.name_classes(config, model.data.name),
            device=config.device,
            threads=config.threads,
        )

    def build_target(self, wildcards: Wildcards) -> TargetJob:
        """Build what the job is told that takes a target from what was read of its classifier."""
        run, config = self._find_run(wildcards), self._config
        model, names = run.model, list_outputs(run.model)
        return TargetJob(
            dataset=model.data.name,
            model=model.name,
            seed=run.seed,
            read=model.reads[run.seed - 1],
            places=[each.index(model.label) for each in names],
            names=names[0],
            device=config.device,
            threads=config.threads,
        )

    def list_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules that a training or reading calls without importing them."""
        return list_modules(self._find_run(wildcards).model)

    def build_audits(self, kind: type[JobT], rule: str, list_runs: ListRuns) -> Callable[[Wildcards], JobT]:
        """Build what the job of a rule is told that asks audits of these trainings: with the sections of the
        configuration that its type has.
        """

        def build(wildcards: Wildcards) -> JobT:
            model, audit_plan = self._find_model(wildcards), self._plan.asked
            audits = audit_plan.list_of_rule(rule)
            sections = {
                name: getattr(model.data.config, name) for name in kind.model_fields.keys() - AuditJob.model_fields
            }
            return kind(
                dataset=wildcards.dataset,
                model=wildcards.model,
                trainings=[describe_training(run) for run in list_runs(model)],
                unasked={audit.name: reason for audit in audits if (reason := audit_plan.find_reason(model, audit))},
                **sections,
            )

        build.__annotations__["return"] = kind
        return end_on_fault(build)

    def build_generating(self, wildcards: Wildcards) -> GenerateJob:
        """Build what the job is told that asks of generated tokens."""
        model = self._find_model(wildcards)
        config = model.data.config
        assert model.tokens is not None
        return GenerateJob(
            dataset=wildcards.dataset,
            model=model.family,
            folders=[name_folder(config, source) for source in model.sources],
            read=model.tokens,
            # it has permutations of its own number
            permutation=Permutation(seed=config.permutation.seed),
            margins=config.answer.margins,
            device=self._config.device,
            threads=self._config.threads,
        )

    def list_map_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules of the user's own maps of a model."""
        return list_modules(self._find_model(wildcards))

    def build_own_audit(self, wildcards: Wildcards) -> OwnAuditJob:
        """Build what the job of an audit of the user's own is told."""
        return OwnAuditJob(
            dataset=wildcards.dataset,
            model=wildcards.model,
            trainings=[describe_training(run) for run in self._find_model(wildcards).runs],
            target=self._plan.asked.known[wildcards.audit].target,
        )

    def list_audit_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules of an audit of the user's own."""
        return [name_module(self._plan.asked.known[wildcards.audit].target)]

    def list_ranking_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules of the user's own rankings."""
        return [*map(name_module, self._find_model(wildcards).data.config.erasure.rankings)]

    def build_attributing(self, wildcards: Wildcards) -> AttributeJob:
        """Build what the job is told that attributes the predictions of one training."""
        model, audit_plan = self._find_model(wildcards), self._plan.asked
        run, config = Run(model, int(wildcards.seed)), model.data.config
        audits = [audit.name for audit in audit_plan.by_model[model] if audit.network]
        return AttributeJob(
            dataset=wildcards.dataset,
            model=wildcards.model,
            seed=run.seed,
            training=describe_training(run, again=True),
            # what is said of each word is said of the first training
            audits=[name for name in audits if name != "word_attributions" or run == model.runs[0]],
            agreement=config.agreement,
            deletion=config.deletion,
            erasure=config.erasure,
            device=self._config.device,
        )

    def list_attribution_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules of the user's own attributions and rankings, and those that build the model's network."""
        model = self._find_model(wildcards)
        targets = [*model.data.config.agreement.attributions, *model.data.config.erasure.rankings]
        return [*map(name_module, targets), *list_modules(model)]

    def build_exhibit(self, wildcards: Wildcards) -> ExhibitJob:
        """Build what the job of a table or figure is told; perhaps of one data set."""
        exhibit = (TABLES | FIGURES)[wildcards.get("table") or wildcards.figure]
        return self._plan.exhibits.build_job(exhibit, wildcards.get("dataset", ""))

    def list_exhibit_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules of a table or figure."""
        return (TABLES | FIGURES)[wildcards.get("table") or wildcards.figure].modules

    def build_explorer(self, wildcards: Wildcards) -> ExplorerJob:
        """Build what the explorer's job is told."""
        return self._plan.pages.build_explorer()

    def build_report(self, wildcards: Wildcards) -> ReportJob:
        """Build what the report's job is told."""
        return self._plan.pages.build_report()

    def list_report_modules(self, wildcards: Wildcards) -> list[str]:
        """List the modules that say how tables are shown, and of what columns they are."""
        return [name_module(target) for table in TABLES.values() for target in (table.columns, table.shown)]
