"""Whatever the words, the lines of an attention map hold all of them within the margins."""

from hypothesis import given
from hypothesis import strategies as st

from attention_audit.figures import style
from attention_audit.figures.attention_maps import PAGE_MARGIN, POINTS_PER_INCH, Word, wrap
from attention_audit.tables.wording import replace_controls

WORDS = st.lists(st.text(st.characters(codec="latin-1"), min_size=1, max_size=120), min_size=1, max_size=20)


@given(WORDS, st.sampled_from([style.SMALL_SIZE, style.TEXT_SIZE, style.TITLE_SIZE]))
def test_lines_hold_every_character_in_order_and_in_bounds(words, size):
    lines = wrap([Word(word, 0.5) for word in words], size)
    assert "".join(word.text for line in lines for word in line) == "".join(map(replace_controls, words))
    for line in lines:
        rights = [word.left + word.width for word in line]
        assert rights[-1] <= style.PAGE_WIDTH * POINTS_PER_INCH - PAGE_MARGIN
        assert all(right < word.left for right, word in zip(rights, line[1:], strict=False))
