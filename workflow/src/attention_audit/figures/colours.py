"""The colours of figures and of texts that are shown, without the library that draws figures.

The hues are Okabe & Ito's, which stay apart under the common kinds of colour blindness; markers and positions
repeat whatever colour says.
"""

PALETTE = {
    "blue": "#0072B2", "vermillion": "#D55E00", "green": "#009E73", "orange": "#E69F00",
    "sky": "#56B4E9", "purple": "#CC79A7", "black": "#222222", "grey": "#8A8A8A",
}  # fmt: skip
"""The colours, by the names that `names.Style` uses."""
DIVERGING_HUES = (PALETTE["vermillion"], "#FFFFFF", "#4A9BE8")
"""Of -1, 0 and 1; black can be read on all between them."""
LEVELS = 256
"""Of the colours between them, as matplotlib has by default."""


def mix_diverging(shade: float) -> tuple[float, float, float]:
    """Mix the colour of a shade, -1 to 1, as red, green and blue, 0 to 1."""
    # from 0 to 2, of which the whole part says between which hues it is
    at = 2 * min(int(LEVELS * (1 + shade) / 2), LEVELS - 1) / (LEVELS - 1)
    low, high = DIVERGING_HUES[int(at > 1) : int(at > 1) + 2]
    share = at - (at > 1)
    red, green, blue = (
        ((1 - share) * int(low[place : place + 2], 16) + share * int(high[place : place + 2], 16)) / 255
        for place in (1, 3, 5)
    )
    return red, green, blue
