"""Which text is in which split: the draw of the splits that a source does not have, and what every split must have."""

import math

import numpy as np

from attention_audit.arrays import Integers
from attention_audit.errors import AuditError

from .source import Splits
from .text import SPLITS, list_few

TRAIN, DEV, TEST = range(len(SPLITS))
UNKNOWN_CODE, LEFT_OUT = -1, -2


def assign(dataset: str, splits: Integers, labels: Integers, digests: Integers, settings: Splits) -> Integers:
    """Decide the split of every text, (N,) -> (N,): positions in SPLITS, or LEFT_OUT for texts that are not drawn.

    Texts of split UNKNOWN_CODE count as training texts. From the training texts, missing splits are drawn: first test,
    then dev. digests (N,): the same number for texts that are alike, which matters with `alike_together` alone. Raises
    AuditError where there are too few texts.
    """

    def draw(
        members: Integers, strata: Integers | None, number: int, seed: int, mend: str
    ) -> tuple[Integers, Integers]:
        """Divide `members` as the authors do into the rest and `number` others, in the order on which draws depend."""
        from sklearn.model_selection import train_test_split  # imported here, since it takes a second

        try:
            return train_test_split(
                members, test_size=number, random_state=seed, stratify=None if strata is None else strata[members]
            )
        except ValueError as error:
            raise AuditError(
                dataset,
                f"{len(members)} texts cannot be split into {len(members) - number} and {number} (every class needs "
                "texts on both sides)",
                f"give more texts, or {mend}",
            ) from error

    # a set of texts that are alike is drawn as its first one
    _, positions, sets = np.unique(
        digests if settings.alike_together else np.arange(len(splits)), return_index=True, return_inverse=True
    )
    representatives = np.sort(positions)
    sets = np.searchsorted(representatives, positions)[sets]
    codes = np.full(len(representatives), LEFT_OUT)
    np.maximum.at(codes, sets, splits)
    codes[codes == UNKNOWN_CODE] = TRAIN
    strata, mend = labels[representatives] if settings.stratified else None, "set `splits.stratified: false`"
    pool = np.flatnonzero(codes == TRAIN)
    for code, share, seed in ((TEST, settings.test, settings.test_seed), (DEV, settings.dev, settings.dev_seed)):
        members = np.flatnonzero(codes == code)
        if len(pool) and not len(members):
            pool, drawn = draw(pool, strata, math.ceil(share * len(pool)), seed, mend)
            codes[drawn] = code
        elif code == TEST and settings.test_sample is not None:
            _, drawn = draw(members, strata, math.ceil((1 - settings.test_sample) * len(members)), seed, mend)
            codes[drawn] = LEFT_OUT
    codes = codes[sets]
    for code, name in enumerate(SPLITS):
        members, limit = np.flatnonzero(codes == code), settings.most and getattr(settings.most, name)
        if limit and limit < len(members):
            _, drawn = draw(members, labels, len(members) - limit, settings.most_seed, "leave out `splits.most`")
            codes[drawn] = LEFT_OUT
    return codes


def refuse_emptied(dataset: str, source_splits: Integers, kept_splits: Integers) -> None:
    """Raise AuditError where a split for which the source has texts has none left.

    source_splits, kept_splits: those of all texts, and of those that are kept.
    """
    if len(emptied := np.setdiff1d(source_splits[source_splits >= 0], kept_splits)):
        raise AuditError(
            f"{dataset}: split {SPLITS[emptied[0]]}", "every text is empty, or has no label", "check the source"
        )


def check_splits(
    dataset: str, splits: Integers, labels: Integers, classes: list[str], choice: bool, trained: bool
) -> None:
    """Raise AuditError for a corpus that cannot be audited. splits, labels (N,): those of the texts that are kept.

    Every split must have texts of at least two classes, and the training split must have texts of every class; the
    latter is not required where texts bring their own `choice` of candidates. Where no model is `trained`, there is a
    test split alone, and classes may have no texts; a label that nobody knows is -1.
    """
    for split in (TRAIN, DEV, TEST) if trained else (TEST,):
        location, present = f"{dataset}: split {SPLITS[split]}", np.unique(labels[splits == split])
        if not len(present):
            raise AuditError(location, "no texts", "widen the length filter or check the source")
        if len(present) == 1 and present[0] >= 0 and (trained or len(classes) == 1):
            alternative = "" if trained else ", or name all classes in `classes`"
            raise AuditError(
                location,
                f"every text has label {classes[present[0]]!r:.40}",
                f"add texts of another one{alternative}",
            )
    missing = np.setdiff1d(np.arange(len(classes)), labels[splits == TRAIN])
    if len(missing) and trained and not choice and (labels >= 0).any():
        missing_labels = list_few([f"{classes[label]!r:.40}" for label in missing])
        raise AuditError(
            f"{dataset}: split train",
            f"no text has label {missing_labels}",
            "add some, or leave these labels out",
        )
