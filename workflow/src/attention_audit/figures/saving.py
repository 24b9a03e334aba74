"""Writing figures to files, completely or not at all, with the same bytes from the same data."""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.text import Text

from attention_audit.artefacts.files import whole
from attention_audit.figures.style import house_style


def save(figure: Figure, pdf: Path, png: Path, provenance: str) -> None:
    """Write `figure` as PDF and PNG with `provenance` in their metadata (Keywords, Description), and no time of day.

    Raises AuditError where a file cannot be written.
    """
    with house_style():
        with whole(pdf) as temporary:
            figure.savefig(temporary, format="pdf", metadata={"CreationDate": None, "Keywords": provenance})
        # to find the layout takes as long as to draw; both files have the same
        figure.set_layout_engine("none")
        with whole(png) as temporary:
            figure.savefig(temporary, format="png", metadata={"Description": provenance})


def texts_of(figure: Figure) -> list[str]:
    """Everything that is written on a figure."""
    return [text.get_text() for text in figure.findobj(Text)]
