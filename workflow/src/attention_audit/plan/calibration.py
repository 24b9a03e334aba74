"""The jobs of the calibration, which has settings of its own."""

from functools import partial
from pathlib import Path

import yaml
from pydantic import ValidationError

from attention_audit.answer.settings import Margins
from attention_audit.code_hash import code_hash
from attention_audit.errors import AuditError
from attention_audit.jobs.calibration import CalibrationJob, OperatingJob, Sizes
from attention_audit.places import Places
from attention_audit.plan.job import PlannedJob, rule_name
from attention_audit.section import Count, Section, Seed


class Calibration(Section):
    """What is simulated: of which questions, at which sizes; see `jobs.calibration`.

    The margins are the defaults, not those of a run: docs/calibration.md is about the words as they come.
    """

    questions: list[str]
    trainings: list[Count]
    texts: list[Count]
    sizes: Sizes
    seed: Seed

    def job(self, question: str) -> CalibrationJob:
        """The settings of the simulation of one question."""
        return CalibrationJob(
            question=question, trainings=self.trainings, texts=self.texts, sizes=self.sizes, seed=self.seed
        )

    def operating(self) -> OperatingJob:
        """The settings of the table and the figure."""
        return OperatingJob(margins={question: getattr(Margins(), question) for question in self.questions})

    def jobs(self, places: Places) -> list[PlannedJob]:
        """The jobs of all questions, and the one of the table and the figure."""
        found = {question: f"{places.calibration}/{question}.parquet" for question in self.questions}
        simulated = [
            PlannedJob(
                name=rule_name("calibrate", question),
                stage="calibrate",
                inputs={},
                outputs={"found": [path]},
                told=partial(self.job, question),
                code=code_hash("stages.calibrate"),
                log=f"{places.logs}/calibrate/{question}.log",
                needs=("calibrate",),
            )
            for question, path in found.items()
        ]
        endings = {"table": "parquet", "pdf": "pdf", "png": "png"}
        operating = PlannedJob(
            name="calibration",
            stage="operating",
            inputs={"found": [*found.values()]},
            outputs={name: [f"{places.calibration}/operating.{ending}"] for name, ending in endings.items()},
            told=self.operating,
            code=code_hash("stages.operating"),
            log=f"{places.logs}/calibration.log",
        )
        return [*simulated, operating]


def read_calibration(path: Path) -> Calibration:
    """Read the settings. Raises AuditError, in one line, where they are wrong."""
    try:
        return Calibration.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors()[0]
        raise AuditError(f"{path}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}; mend this key") from error
