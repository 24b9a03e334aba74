"""Random numbers that belong to one text, whatever batch it is in."""

from hashlib import blake2b

import numpy as np


def stream(purpose: str, name: str, seed: int) -> np.random.Generator:
    """A generator of random numbers for one text, which depends only on the purpose, the text's id and the seed.

    So a text's numbers are the same in every batch and whatever other texts there are.
    """
    digest = blake2b(f"{seed}\0{purpose}\0{name}".encode(), digest_size=16).digest()
    return np.random.default_rng(np.frombuffer(digest, "<u4"))
