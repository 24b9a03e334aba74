"""The names by which a stage reads and writes files, found in its syntax: in its module, and in whatever it hands its
job, the files of its job, or its answers to.
"""

import ast
import inspect
import textwrap
from functools import cache
from importlib import import_module

from attention_audit.columns.kinds import Artefact

JOB_PARTS = {"input": "read", "output": "written", "inputs": "read", "outputs": "written"}
"""Methods and fields of a job, with what they are for."""


class Names(ast.NodeVisitor):
    """Collects the names of files in a function or class, whose parameters are a job, its files or its answers.

    held: what names and attributes are: "job", "read" or "written" for its files, "answers".
    """

    def __init__(self, source, held):
        self.source, self.held = source, {"self.job": "job", **held}
        self.found, self.called = set(), []

    def find_role(self, node):
        """Say what an expression is; "" for anything else."""
        if isinstance(node, ast.Attribute) and self.find_role(node.value) == "job":
            return JOB_PARTS.get(node.attr, "")
        return self.held.get(ast.unparse(node), "") if isinstance(node, ast.Name | ast.Attribute) else ""

    def add(self, role, name):
        if role in ("read", "written") and isinstance(name, ast.Constant):
            self.found.add((role, name.value))
        elif role == "answers" and isinstance(name, ast.Name):
            kind = vars(inspect.getmodule(self.source)).get(name.id)
            if isinstance(kind, Artefact):
                self.found.add(("written", kind.name))

    def visit_Subscript(self, node):
        self.add(self.find_role(node.value), node.slice)
        self.generic_visit(node)

    def visit_With(self, node):
        for item in node.items:
            if isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func) == "AuditFiles":
                self.held[ast.unparse(item.optional_vars)] = "answers"
        self.generic_visit(node)

    def visit_Call(self, node):
        # job.input("x"), job.inputs.get("x"), answers.add(KIND, ...)
        role = self.find_role(node.func) or (isinstance(node.func, ast.Attribute) and self.find_role(node.func.value))
        if role and node.args:
            self.add(role, node.args[0])
        handed = {place: role for place, value in enumerate(node.args) if (role := self.find_role(value))}
        if handed and isinstance(node.func, ast.Name):
            called = inspect.getmodule(self.source).__dict__.get(node.func.id)
            if getattr(called, "__module__", "").startswith("attention_audit."):
                self.called.append((called, tuple(handed.items())))
        self.generic_visit(node)


@cache
def list_names(source, handed=((0, "job"),)):
    """List ("read" or "written", name) of a function, or class, whose arguments at some places are a job, or of one."""
    parameters = [*inspect.signature(source).parameters]
    names = Names(source, {parameters[place]: role for place, role in handed})
    names.visit(ast.parse(textwrap.dedent(inspect.getsource(source))))
    return names.found.union(*(list_names(*called) for called in names.called))


def list_stage_names(stage):
    """List the names of the files that a stage reads, and of those that it writes."""
    found = list_names(import_module(f"attention_audit.stages.{stage}").run)
    return ({name for role, name in found if role == wanted} for wanted in ("read", "written"))
