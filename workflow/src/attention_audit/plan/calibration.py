"""The jobs of the calibration, which has settings of its own."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from attention_audit.answer.settings import Margins
from attention_audit.errors import AuditError
from attention_audit.jobs.calibration import CalibrationJob, OperatingJob, Sizes
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


def read_calibration(path: Path) -> Calibration:
    """Read the settings. Raises AuditError, in one line, where they are wrong."""
    try:
        return Calibration.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors()[0]
        raise AuditError(f"{path}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}; mend this key") from error
