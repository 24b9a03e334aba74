"""The models of Madsen et al. 2022: the base model, trained again and again without the most important words.

By their names: base, and <order>_<percent of the words that are masked>. One job makes all steps of an order.
"""

from attention_audit.errors import AuditError
from attention_audit.names import RANKINGS, Style
from attention_audit.training.settings import MaskedSettings

from ..model import DataSet, Models
from .wiegreffe_pinter import build_base, schedule_base


def list_models(data: DataSet) -> Models:
    """List the base model and, for each order, a model for each percentage, masked by the ranking of the one before."""
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
