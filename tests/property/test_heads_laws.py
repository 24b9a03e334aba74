"""What must hold of several heads and their tail, whatever the weights."""

from dataclasses import replace

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from readouts import make_heads, make_readout

from attention_audit.audits.erasure import find_contributions
from attention_audit.audits.permutation import replace_head
from attention_audit.readout import Maps

FEW = settings(max_examples=25)
LENGTHS = st.lists(st.integers(1, 8), min_size=1, max_size=4)
SEEDS = st.integers(0, 999)


@given(lengths=LENGTHS, seed=SEEDS)
@FEW
def test_contributions_of_first_order_sum_to_the_lead(lengths, seed):
    readout = make_heads(lengths, seed=seed)
    for texts in readout.batches(torch.float64):
        exact = find_contributions(texts)
        logits = texts.compute_scores(texts.weights[None])[0]
        p = logits.softmax(-1)
        chosen = logits.argmax(-1, keepdim=True)
        beyond_bias = logits - texts.bias
        lead = beyond_bias.gather(1, chosen)[:, 0] - (p * beyond_bias).sum(-1)
        torch.testing.assert_close(exact.sum(-1), lead, rtol=1e-3, atol=1e-3)


@given(lengths=LENGTHS, seed=SEEDS, several=st.integers(1, 4))
@FEW
def test_other_weights_of_one_head_of_a_given_map_are_a_map_again(lengths, seed, several):
    random = np.random.default_rng(seed)
    maps = [random.dirichlet(np.ones(length), several).T.astype(np.float32) for length in lengths]
    readout = replace(make_readout(lengths, seed=seed), attention=[weights.mean(1) for weights in maps],
                      several=Maps(maps, np.zeros(len(lengths), np.int64)))  # fmt: skip
    for texts in readout.batches(torch.float64):
        weights = readout.pad_heads(texts.members)
        others = weights.roll(1, 1)
        for head in range(several):
            moved = replace_head(texts, weights, head, others[None, :, head])[0]
            expected = weights.clone()
            expected[:, head] = others[:, head]
            torch.testing.assert_close(moved, expected.mean(1), rtol=0, atol=1e-6)
            torch.testing.assert_close(moved.sum(1), torch.ones(len(moved)).double(), rtol=0, atol=1e-6)
