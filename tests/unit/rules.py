"""The rules of the workflow as Snakemake reads them, in this process: what they name, and what their jobs read, make
and are told. Nothing is run, and nothing is looked for among the results.
"""

import inspect
import os
import shlex
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, get_args, get_type_hints
from unittest import mock

from snakemake.api import SnakemakeApi
from snakemake.iocontainers import Wildcards
from snakemake.rules import Rule
from snakemake.settings.types import ExecMode, OutputSettings, Quietness, ResourceSettings, WorkflowSettings

from attention_audit.__main__ import import_stage, parser

ROOT = Path(__file__).parents[2]


@lru_cache(maxsize=8)
def load_rules(plan, snakefile=ROOT / "Snakefile"):
    """Read a Snakefile with this plan in the place of that of its configuration; Snakemake's own rules by name."""
    with (
        mock.patch.dict(os.environ),
        mock.patch("attention_audit.plan.plan.Plan", return_value=plan),
        SnakemakeApi(OutputSettings(quiet={Quietness.ALL}, enable_file_logging=False)) as api,
    ):
        # as the job of a cluster reads it, which asks for no targets: the words of this command line are pytest's
        called = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            workflow_settings=WorkflowSettings(exec_mode=ExecMode.REMOTE),
            snakefile=snakefile,
        )
        workflow = called._workflow
        workflow.sourcecache.runtime_cache.cleanup()
        return {rule.name: rule for rule in workflow.rules}


def list_makers(plan):
    """List the rules that make files, by name; all others gather them."""
    return {name: rule for name, rule in load_rules(plan).items() if rule.output}


def list_makeable(plan):
    """List all files that can be had of a configuration, as the workflow does where a user asks for another one."""
    return load_rules(plan)["all"].workflow.globals["list_makeable"]()


def find_stage(rule):
    """Find the stage that a rule calls."""
    return inspect.getclosurevars(rule.params.get("call")).nonlocals["stage"]


def list_names(files):
    """List the names that a rule gives to its inputs, or to its outputs."""
    return {name for name, _ in files.items()}


@dataclass(frozen=True, eq=False)
class RuleJob:
    """A job: a rule with its wildcards."""

    made_by: Rule
    wildcards: dict[str, str]

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.made_by.name

    @cached_property
    def _inputs(self) -> Any:
        return self.made_by.expand_input(Wildcards(fromdict=self.wildcards))[0]

    @cached_property
    def _outputs(self) -> Any:
        return self.made_by.expand_output(Wildcards(fromdict=self.wildcards))[0]

    @property
    def read(self) -> list[str]:
        """All files that it reads."""
        return [*map(str, self._inputs)]

    @property
    def files(self) -> list[str]:
        """All files that it makes."""
        return [*map(str, self._outputs)]

    @cached_property
    def params(self) -> dict[str, Any]:
        """What Snakemake compares with the last run, and the words of the command."""
        wildcards = Wildcards(fromdict=self.wildcards)
        params, _ = self.made_by.expand_params(wildcards, self._inputs, self._outputs, None)
        return dict(params.items())

    @property
    def code(self) -> str:
        """The hash of the code that it runs."""
        return self.made_by.params.get("code")(Wildcards(fromdict=self.wildcards))

    @property
    def told(self) -> dict[str, str]:
        """The params by which Snakemake knows whether it is to run again: settings, code and checksums."""
        return {name: param for name, param in self.params.items() if name not in ("call", "files")}

    @cached_property
    def call(self) -> Any:
        """The command, as the command line of a stage reads it."""
        wildcards, params = Wildcards(fromdict=self.wildcards), self.made_by.params
        words = params.get("call")(wildcards, self._inputs), params.get("files")(wildcards, self._inputs, self._outputs)
        return parser().parse_args(shlex.split(" ".join(words)))

    @cached_property
    def inputs(self) -> dict[str, list[str]]:
        """Its input files, by the names by which its stage knows them."""
        return {name: paths for name, *paths in self.call.input}

    @cached_property
    def outputs(self) -> dict[str, list[str]]:
        """Its output files, likewise."""
        return {name: paths for name, *paths in self.call.output}

    @cached_property
    def settings(self) -> Any:
        """What its stage is told."""
        (kind,) = get_args(get_type_hints(import_stage(self.call).run)["job"])
        return kind.model_validate(dict(self.call.settings))


def ask_rule(plan, name, **wildcards):
    """A job of a rule."""
    return RuleJob(load_rules(plan)[name], {key: str(value) for key, value in wildcards.items()})


def find_job(plan, path):
    """The job that makes a file; None where no rule does."""
    makers = [rule for rule in list_makers(plan).values() if rule.is_producer(path)]
    assert len(makers) < 2, f"{path} is made by {makers}"
    return RuleJob(makers[0], dict(makers[0].get_wildcards(path))) if makers else None


def list_jobs(plan, *paths):
    """List the jobs that these files take, by default those of a whole run, by names such as train/chorus/base/10."""
    waiting = [*paths] or [str(path) for path in load_rules(plan)["all"].input]
    jobs, seen = {}, set()
    while waiting:
        path = waiting.pop()
        if path not in seen and (job := find_job(plan, path)):
            jobs["/".join([job.rule, *job.wildcards.values()])] = job
            seen.update(job.files)
            waiting += job.read
    return jobs
