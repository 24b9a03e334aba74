"""What a first map costs in a bare process, beyond what its user loads anyway: by `attention_audit.read`.

    python benchmarks/first_map.py [FOLDER] [--texts 10]

FOLDER holds a fine-tuned classifier; without it, that is MiniLM with a head of random weights. MiniLM and the texts,
the first test sentences of SST, are of the folder that ATTENTION_AUDIT_MIRROR names. Each tool has its own process, on
one thread, which loads torch, the library `transformers`, model and tokenizer first: that is the user's own. Printed
are processor seconds, of which at most 1 beyond the user's own is wanted: to import this package, to read the texts
with rollout, and to show one as html and as text; and, where Interpreto is installed, those of its saliency.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

WANTED = 1.0
"""Processor seconds beyond the user's own, at most."""
NAME = "encoders/all-MiniLM-L6-v2"
OWN = """
import json, sys, time
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
torch.set_num_threads(1)
model = AutoModelForSequenceClassification.from_pretrained(sys.argv[1]).eval()
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
texts = json.loads(sys.argv[2])
times = [time.process_time()]
"""
TOOLS = {
    "attention_audit": """
import attention_audit
read = attention_audit.read
times.append(time.process_time())
readings = read(model, tokenizer, texts, maps=["rollout"])
times.append(time.process_time())
shown = readings[0]._repr_html_(), repr(readings[0])
""",
    "interpreto": """
from interpreto import Saliency, plot_attributions
times.append(time.process_time())
attributions = Saliency(model, tokenizer)(texts)
times.append(time.process_time())
plot_attributions(attributions[0])
""",
}
"""What each tool is called by, after `OWN`: to import it, to read texts, to show one."""
PRINTED = "\nprint(); print(*times, time.process_time())"


def measure(tool: str, folder: Path, texts: list[str]) -> list[float]:
    """Measure a tool in a process: the processor seconds of the user's own, of importing, reading and showing."""
    command = [sys.executable, "-c", OWN + TOOLS[tool] + PRINTED, str(folder), json.dumps(texts)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    own, *further = map(float, done.stdout.split("\n")[-2].split())
    return [own, *(end - start for start, end in zip([own, *further], further, strict=False))]


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--texts", type=int, default=10)
    call = parser.parse_args()
    mirror = os.environ.get("ATTENTION_AUDIT_MIRROR")
    if mirror is None:
        sys.exit("ATTENTION_AUDIT_MIRROR is not set; name the folder that holds the encoder and SST")
    # imported here, as it loads what the processes that are measured do not
    from tail import build_classifier, sentences

    texts = [" ".join(words) for words in sentences(Path(mirror), call.texts)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = call.folder or Path(temporary)
        if call.folder is None:
            build_classifier(Path(mirror) / NAME, folder)
        for tool in filter(find_spec, TOOLS):
            # the first process may write bytecode
            measure(tool, folder, texts)
            own, *further = measure(tool, folder, texts)
            parts = ", ".join(
                f"{what} {part:.2f}" for what, part in zip(("import", "read", "show"), further, strict=True)
            )
            print(f"{tool}, {len(texts)} texts: user's own {own:.2f} s, beyond it {sum(further):.2f} s ({parts})")
            if tool == "attention_audit":
                print(f"{sum(further) / WANTED:.2f} times as long as is wanted")


if __name__ == "__main__":
    main()
