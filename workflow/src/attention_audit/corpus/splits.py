"""Drawing the splits that a source does not have, by a seed."""

from typing import Annotated

import numpy as np
from pydantic import Field

from attention_audit.arrays import Integers
from attention_audit.errors import AuditError
from attention_audit.section import Count, Section, Seed

from .text import SPLITS

Share = Annotated[float, Field(gt=0, lt=1)]
TRAIN, DEV, TEST = range(len(SPLITS))
UNKNOWN, LEFT_OUT = -1, -2


class Most(Section):
    """Sizes of splits."""

    train: Count | None = None
    """Training texts; null: all."""
    dev: Count | None = None
    """Development texts; null: all."""
    test: Count | None = None
    """Test texts; null: all."""


class Splits(Section):
    """How splits are drawn that the source does not have."""

    test: Share = 0.2
    """Share of all texts for test, where the source has no test split."""
    test_seed: Seed = 1
    """Seed of that draw."""
    dev: Share = 0.15
    """Share of the training texts for dev, where the source has no dev split."""
    dev_seed: Seed = 1
    """Seed of that draw."""
    stratified: bool = True
    """Draw the same share of every class."""
    alike_together: bool = False
    """Keep texts in one split that are alike but for case, punctuation, spaces and invisible characters: the test split
    where one of them is there, else dev.
    """
    most: Most | None = None
    """Texts of each split at most, a stratified draw; null: all."""
    most_seed: Seed = 1
    """Seed of that draw."""
    test_sample: Share | None = None
    """Keep only this share of the source's own test split, drawn with `test_seed`; null: all of it."""


def draw(
    dataset: str, members: Integers, labels: Integers, share: float, seed: int, stratified: bool
) -> tuple[Integers, Integers]:
    """Divide `members` by scikit-learn's train_test_split, as the authors do, into the rest and a `share` of them.

    Both are in the order of the draw, since a further draw depends on it. Raises AuditError where there are too few
    texts.
    """
    from sklearn.model_selection import train_test_split  # imported here, since it takes a second

    strata = labels[members] if stratified else None
    try:
        rest, drawn = train_test_split(members, test_size=share, random_state=seed, stratify=strata)
    except ValueError as error:
        raise AuditError(
            f"{dataset}: {len(members)} texts cannot be split {1 - share:.0%} to {share:.0%} (every class needs texts "
            "on both sides); give more texts, or set splits.stratified: false"
        ) from error
    return rest, drawn


def assign(
    dataset: str, splits: Integers, labels: Integers, settings: Splits, alike: Integers | None = None
) -> Integers:
    """The split of every text, (N,) -> (N,): positions in SPLITS, or LEFT_OUT for texts that are not drawn.

    Texts of split UNKNOWN count as training texts. From the training texts, missing splits are drawn: first test, then
    dev. alike (N,): the same number for texts that are to be in one split; None: each stands for itself. Raises
    AuditError where there are too few texts.
    """
    if alike is not None:
        # a set of texts is drawn as its first one
        _, first, sets = np.unique(alike, return_index=True, return_inverse=True)
        ones, sets = np.unique(first[sets], return_inverse=True)
        known = np.full(len(ones), UNKNOWN)
        np.maximum.at(known, sets, splits)
        return assign(dataset, known, labels[ones], settings)[sets]
    made = np.where(splits == UNKNOWN, TRAIN, splits)
    shares = ((TEST, settings.test, settings.test_seed), (DEV, settings.dev, settings.dev_seed))
    pool = np.flatnonzero(made == TRAIN)
    for code, share, seed in shares:
        if len(pool) and not (made == code).any():
            pool, drawn = draw(dataset, pool, labels, share, seed, settings.stratified)
            made[drawn] = code
        elif code == TEST and settings.test_sample is not None:
            own = np.flatnonzero(made == TEST)
            _, others = draw(dataset, own, labels, 1 - settings.test_sample, seed, settings.stratified)
            made[others] = LEFT_OUT
    if settings.most is not None:
        for code, name in enumerate(SPLITS):
            members, most = np.flatnonzero(made == code), getattr(settings.most, name)
            if most is not None and most < len(members):
                _, others = draw(dataset, members, labels, 1 - most / len(members), settings.most_seed, True)
                made[others] = LEFT_OUT
    return made
