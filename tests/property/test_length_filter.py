from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attention_audit.corpus.instances import Instance, filter_lengths
from attention_audit.corpus.settings import Length

bound = st.none() | st.integers(1, 12)
corpora = st.lists(st.tuples(st.sampled_from(["train", "dev", "test"]), st.integers(0, 12)), max_size=40)


def instances(sizes: list[tuple[str, int]]) -> list[Instance]:
    return [Instance(str(i), split, 0, ["w"] * length) for i, (split, length) in enumerate(sizes)]


@given(corpora, bound, bound)
def test_a_text_is_kept_exactly_where_its_length_lies_inside(
    sizes: list[tuple[str, int]], above: int | None, below: int | None
) -> None:
    texts = instances(sizes)
    kept = filter_lengths(texts, Length(above=above, below=below))
    expected = []
    for i, (split, length) in enumerate(sizes):
        peers = sorted(other for where, other in sizes if where == split)
        longer = length > (peers[0] if above is None else above)
        shorter = length < (peers[-1] if below is None else below)
        if longer and shorter:
            expected.append(str(i))
    assert [instance.id for instance in kept] == expected


@given(corpora)
def test_bounds_beyond_every_length_keep_all(sizes: list[tuple[str, int]]) -> None:
    texts = [instance for instance in instances(sizes) if instance.tokens]
    assert filter_lengths(texts, Length(above=0, below=13)) == texts


@given(corpora, st.integers(1, 12), st.integers(1, 12))
def test_filtering_twice_with_closed_bounds_changes_nothing(
    sizes: list[tuple[str, int]], above: int, below: int
) -> None:
    length = Length(above=above, below=below)
    once = filter_lengths(instances(sizes), length)
    assert filter_lengths(once, length) == once
