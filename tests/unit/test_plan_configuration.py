"""The configuration that is written down beside the results."""

import pytest
from planned import plan_of
from refusal import refusal

from attention_audit.plan.configuration import RECORD, read_configuration, write_configuration


def test_it_is_read_as_the_last_run_had_it(tmp_path):
    for seed in (10, 7):
        config = plan_of(results=str(tmp_path), training={"seed": seed}).config
        write_configuration(config)
        assert read_configuration(tmp_path) == config.model_copy(update={"results": "results"})


@pytest.mark.parametrize("text", ["", "a: [", "\x00", "datasets: 8", "- 1"])
def test_one_that_cannot_be_read_is_one_line(tmp_path, text):
    (tmp_path / RECORD).write_text(text)
    said = f"{tmp_path}: holds no run of this version; name the folder that `results` named"
    assert refusal(read_configuration, tmp_path) == said
