"""The suite of the user's own models, of which only readouts are given: nothing is trained."""

from attention_audit.given.settings import GivenModels
from attention_audit.names import Names
from attention_audit.plan.given import OTHERS, GivenSuite
from attention_audit.plan.suite import ImportedModel


class OwnReadouts(GivenSuite):
    """The models of one data set of which there are readouts."""

    key = "own"
    paper = "own"
    title = "Your own models"
    about = "What may be read into the maps of models that were trained elsewhere, of which readouts are given?"
    labels = Names("model", "`OTHERS` of plan/given.py", OTHERS)
    own_audits = (
        "performance",
        "predictions",
        "comparison",
        "consistency",
        "stability",
        "permutation",
        "heads",
        "contributions",
        "instance_adversary",
        "single_weight",
        "ranked_sets",
        "evidence",
        "plausibility",
        "planted",
        "attention_maps",
    )

    @property
    def sections(self) -> dict[str, GivenModels]:
        return self.config.own

    @property
    def attending(self) -> list[str]:
        return self.models

    def given(self, dataset: str, model: str) -> ImportedModel:
        own = self.sections[dataset]
        return ImportedModel("import_readout", tuple(own.by_model[model]), (own.first,))
