"""The two splits that audits of readouts are timed on: of as many texts as SST's test split has, and of long texts."""

import argparse

import erasure
import instance_adversary
import torch

from attention_audit.readout import Readout


def parse_splits(about: str | None) -> tuple[Readout, Readout]:
    """The short and the long split, in the sizes of the command line, to be read on one core; `about` is its help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1725, help="short texts (default 1725)")
    parser.add_argument("--long", type=int, default=4356, help="long texts (default 4356)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    return instance_adversary.random_readout(call.texts), erasure.random_readout(call.long)
