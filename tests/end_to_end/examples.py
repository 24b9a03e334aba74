"""docs/extending/ as what there is to do and to run: section by section."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = Path("workflow/src/attention_audit")
PAGES = {
    name: (ROOT / "docs" / "extending" / f"{name}.md").read_text() for name in ("measures", "models", "data", "README")
}
"""The pages, in the order in which README.md lists their sections."""


@dataclass(frozen=True)
class Change:
    """What is written in one file: the whole of it, or lines that are added and removed."""

    path: str
    new: bool
    blocks: list[str]

    def place(self, root):
        """The file in a copy of the repository."""
        return root / re.sub(r"^attention_audit/", f"{SOURCE}/", self.path)

    def make(self, root):
        """Write it. A file that is there must have exactly one place for each block."""
        path = self.place(root)
        if self.new:
            assert not path.exists(), f"{self.path} is there already"
            path.write_text(*self.blocks)
            return
        text = path.read_text()
        for block in self.blocks:
            lines = block.splitlines()
            before, after = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != mark) for mark in "+-")
            assert text.count(before) == 1, f"{self.path} has {text.count(before)} places for\n{block}"
            text = text.replace(before, after)
        path.write_text(text)


@dataclass(frozen=True)
class Command:
    """A call of Snakemake: what it makes, and the configuration files that it names."""

    targets: list[str]
    files: list[str]


@dataclass(frozen=True)
class Example:
    """A section of the page: how many files it promises, its changes and commands, and what else it configures."""

    title: str
    promised: int
    changes: list[Change]
    commands: list[Command]
    settings: list[str]


def changes_of(section):
    """The numbered files of a section, each with the fenced blocks that follow it."""
    changes = []
    for part in re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]:
        named = re.match(r"`([^`]+)`( \*new\*)?:", part)
        assert named, part[:80]
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL)
        assert {language == "diff" for language, _ in blocks} == {not named[2]}, named[1]
        changes.append(Change(named[1], bool(named[2]), [text for _, text in blocks]))
    return changes


def example_of(section):
    """A section as what there is to do and to run."""
    heading = re.match(r"(.*) \((\d) files?\)\n", section)
    assert heading, section[:80]
    prose = re.sub(r"^```.*?^```$", "", section, flags=re.MULTILINE | re.DOTALL)
    indented = [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n)+", prose, flags=re.MULTILINE)]
    commands = []
    for line in re.findall(r"^snakemake --cores 2 (.*)$", "".join(indented), flags=re.MULTILINE):
        targets, _, files = line.partition(" --configfile ")
        commands.append(Command(targets.split(), files.split()))
    settings = [block for block in indented if not block.startswith("snakemake ")]
    return Example(heading[1], int(heading[2]), changes_of(section), commands, settings)


_SECTIONS = [section for page in PAGES.values() for section in re.split(r"\n## (?=.* \(\d files?\)\n)", page)[1:]]
EXAMPLES = [example_of(section) for section in _SECTIONS]
