"""Make the figure of docs/generation.md, and the numbers that the page says.

    python docs/makers/generation.py <folder of SmolLM2> <trainDevTestTrees_PTB.zip>

The prompts are the first 10 to 13 words of a hundred test sentences of SST, drawn by lot; the page says how the folder
is made.
"""

import random
import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from attention_audit.api import audit_generation

IMAGES = Path(__file__).parents[1] / "images"
PROMPTS, SHORTEST = 100, 14
MAPS = ("rollout", "input_gradient")
WORD = re.compile(r" ([^()\s]+)\)")


def read_prompts(archive: Path) -> list[str]:
    """Read the beginnings of sentences from the archive of SST."""
    with zipfile.ZipFile(archive) as trees:
        lines = trees.read("trees/test.txt").decode().splitlines()
    beginnings = list[str]()
    for line in lines:
        words = [word for word in WORD.findall(line) if re.fullmatch(r"[A-Za-z'-]+|[,.]", word) and "RB-" not in word]
        if len(words) >= SHORTEST:
            beginnings.append(" ".join(words[: random.Random(len(beginnings)).randint(10, 13)]))
    random.Random(0).shuffle(beginnings)
    return beginnings[:PROMPTS]


def main(arguments: Sequence[str]) -> None:
    """Ask, draw, and write."""
    model, archive = map(Path, arguments)
    answer = audit_generation(model, None, read_prompts(archive), max_new_tokens=1, maps=MAPS)
    print(answer)
    answer.figure().savefig(IMAGES / "generation.png", dpi=130)
    columns = ["map", "question", "verdict", "value", "low", "high", "note"]
    rows = answer.by_map.dropna(subset="value")[columns]
    rows.to_csv(IMAGES / "generation.csv", index=False, float_format="%.6f")


if __name__ == "__main__":
    main(sys.argv[1:])
