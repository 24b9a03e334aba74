"""How many jobs a cluster is sent, from a plan alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from folder import ROOT, NewFolder

pytestmark = pytest.mark.end_to_end

RULES = "\n".join(path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk"))
LOCAL = {
    name
    for names in re.findall(r"^localrules:\n((?:    \w+,\n)+)", RULES, re.MULTILINE)
    for name in re.findall(r"\w+", names)
}
PAGE = " ".join((ROOT / "docs" / "cluster.md").read_text().split())


@pytest.mark.parametrize(
    ("preset", "submissions", "said"),
    [
        ("presets/sst.yaml", 23, "`presets/sst.yaml`, nine seeds and ten lambdas, is about 23 submissions"),
        ("config.yaml", 82, "the default run with its four data sets about 82"),
    ],
)
def test_a_data_sets_grid_is_tens_of_submissions(
    new_folder: NewFolder, preset: str, submissions: int, said: str
) -> None:
    folder = new_folder()
    overlay: dict[str, Any] = yaml.safe_load((ROOT / preset).read_text())
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay | {"vectors": "random"}))
    outcome = folder.run("-n", "all")
    assert outcome.status == 0, outcome.text
    jobs = outcome.jobs()
    models, readouts = (
        sum(count for rule, count in jobs.items() if rule.startswith(kind)) for kind in ("train", "readout")
    )
    # both are one submission
    assert models == readouts > 10
    counted = sum(count for rule, count in jobs.items() if rule not in LOCAL) - readouts
    assert abs(counted - submissions) <= submissions // 10
    assert said in PAGE
