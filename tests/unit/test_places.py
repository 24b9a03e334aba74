"""Where a run writes: in the folder that the key `results` names."""

import pytest
from planned import plan_of
from rules import list_jobs, list_makeable

from attention_audit.errors import AuditError

ELSEWHERE = "runs/b"
MODELS = {"datasets": ["needle", "newsgroups"], "vectors": "fasttext-simple"}
"""A data set that is generated and one that is fetched, with word vectors that are fetched too."""


def files(plan):
    """The paths of every kind of file that a plan names."""
    yield from list_makeable(plan)
    for job in list_jobs(plan).values():
        yield from [*(path for path in job.read if not path.startswith("workflow/report/")), *job.files]


def test_every_file_lies_in_the_folder_of_the_results():
    usual, moved = (list(files(plan_of(**MODELS, **where))) for where in ({}, {"results": ELSEWHERE}))
    assert len(usual) > 500
    assert all(path.startswith("results/") for path in usual)
    assert moved == [path.replace("results/", f"{ELSEWHERE}/", 1) for path in usual]


@pytest.mark.parametrize(("written", "folder"), [("./runs//b/", ELSEWHERE), ("/data/b", "/data/b"), ("été", "été")])
def test_a_folder_may_be_written_in_several_ways(written, folder):
    assert plan_of(results=written).config.places.logs == f"{folder}/logs"


@pytest.mark.parametrize("wrong", ["", "-n", "my runs", "{dataset}", "a;b"])
def test_a_folder_that_no_command_line_takes(wrong):
    with pytest.raises(AuditError, match=r"^config: results: .* is no folder to write to; use letters, digits and"):
        plan_of(results=wrong)


@pytest.mark.parametrize("wrong", [".", "..", "a/..", "/"])
def test_the_folder_of_the_workflow_itself_is_refused(wrong):
    with pytest.raises(AuditError, match=r"^config: results: .* holds the workflow itself; name a folder below it"):
        plan_of(results=wrong)
