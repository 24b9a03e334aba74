"""The models of Madsen et al. 2022."""

from attention_audit.errors import AuditError
from attention_audit.names import RANKINGS, Style
from attention_audit.training.settings import MaskedSettings

from ..model import DataSet, Models
from .wiegreffe_pinter import build_base, schedule_base


def list_models(data: DataSet) -> Models:
    """List the models of Madsen et al. 2022: base, trained again without its most important words, for each order and
    percentage as <order>_<percent>, masked by the ranking of the one before. One job makes all steps of an order.
    """
    section = data.config.masking
    if data.config.model.encoder == "transformer":
        raise AuditError(
            "config: masking.datasets: words are masked in the vocabulary of a model that learns it, and the base "
            "model reads by a Transformer; name another `model.encoder`, or no data set"
        )
    parts, schedule = build_base(data), schedule_base(data)
    yield data.train("base", Style("base", "green", "^"), section.seeds, parts, schedule)
    for order in section.orders:
        for percent in section.percent:
            look, last = RANKINGS[order], section.percent[-1]
            yield data.train(
                f"{order}_{percent}",
                look._replace(label=f"{percent} % masked by {look.label}"),
                section.seeds,
                parts,
                schedule,
                kind=MaskedSettings,
                told={"order": order, "percent": section.percent},
                rule="retrain_masked",
                made_with="" if percent == last else f"{order}_{last}",
                reference="base",
                judged=False,
                attends=False,
            )
