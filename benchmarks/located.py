"""How much processor time `located` takes, with the leave-one-out that it needs, against leave-one-out alone.

    python benchmarks/located.py

1,725 texts such as SST's test split has, from 6 to 52 tokens, one core, a BiLSTM: at most 2.5 times is wanted. Both
take turns. The model is not trained, so its rankings have nothing in common and few deletions are shared: a trained
model takes less. How long leave-one-out follows a deletion depends on how long the LSTM remembers a token, so both are
also timed with a bias that keeps its forget gates open. Integrated gradients, of a sample of 100 texts, are timed by
themselves: they belong to the audit `agreement`, whose steps and texts decide what they cost.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from importlib import import_module

import numpy as np
import torch
from leave_one_out import build_split, random_model, random_texts

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.audits.located import located
from attention_audit.stages.network_readout import take_readout


def seconds(run: Callable[[], object]) -> float:
    """The processor time that it takes."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(texts: int, rounds: int, remember: float) -> None:
    """Let both take turns and print the ratio of their median times."""
    lengths = np.clip(np.rint(np.random.default_rng(0).gamma(4.2, 18.7 / 4.2, texts)), 6, 52).astype(np.int64)
    model, split = random_model(remember), build_split(random_texts(lengths))
    readout = take_readout(model, split, [str(number) for number in range(texts)])

    def attributed() -> AttributedTexts:
        return AttributedTexts(model, split, readout, lambda line: None)

    turns: tuple[Callable[[], object], ...] = (
        lambda: leave_one_out(model, split),
        lambda: located(attributed()),
        lambda: attributed().integrated_gradients,
    )
    times = [[seconds(run) for run in turns] for _ in range(rounds)]
    alone, together, integrated = map(statistics.median, zip(*times, strict=True))
    print(
        f"forget bias {remember:.0f}: {texts} texts, leave-one-out {alone:.1f} s, located with it {together:.1f} s, "
        f"of which integrated gradients {integrated:.1f} s; ratio {together / alone:.2f}, without integrated gradients "
        f"{(together - integrated) / alone:.2f} (wanted: at most 2.50)"
    )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1725, help="texts as long as SST's (default 1725)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (default 3)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    # what Captum imports is no part of what is measured
    import_module("captum.attr")
    for remember in (0.0, 2.0):
        measure(call.texts, call.rounds, remember)


if __name__ == "__main__":
    main()
