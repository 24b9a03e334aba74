"""A text as a model reads it: words in the colours of their weights, in a notebook or a terminal; pictures; files.

Frames and figures are made where they are asked for, since the libraries of both take longer to import than a text
takes to read.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Flags, Floats, Floats32
from attention_audit.artefacts.files import write_whole
from attention_audit.audits.erasure import find_contributions
from attention_audit.audits.permutation import measure_shuffled
from attention_audit.audits.settings import Permutation
from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.figures.colours import PALETTE, mix_diverging
from attention_audit.given import check_path
from attention_audit.model.network import use_torch
from attention_audit.names import MAPS, TOKEN_MAPS
from attention_audit.readout import MARKS, Readout
from attention_audit.tables.wording import ClassNames, mark_direction, replace_controls

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WORD_HEIGHT, WORDS_MARGIN = 0.2, 1.3  # inches: of a word of the figure, and around all words
WIDTH_RATIOS = {"weight": 3, "contribution": 2, "gradient": 1.5}  # of the widths of its panels; each map has one of 2
GRID_MARGIN = 2.5  # inches: beside the columns of the grid, each of which is as wide as a word is high
NOT_KNOWN = " (unknown)"  # behind a word of the figure
MAP_LABELS = {
    "weight": "attention",
    "adversary": "attention of the adversary",
    "contribution": "contribution to the lead (logit)",
    "gradient": "share of the gradient",
}
CUBE_STEPS = 5  # between the least and the greatest of each primary colour that all terminals know
PAGE = '<!doctype html>\n<html><head><meta charset="utf-8"><title>{}</title></head><body>\n{}\n</body></html>\n'


def paint_html(word: str, value: float, shade: float, range_: str) -> str:
    """Write a word on the colour of a shade, -1 to 1, which is NaN of a word that was not read; its value is its
    title. A negative one is dotted too.
    """
    text = escape(replace_controls(word))
    if np.isnan(shade):
        return f"<span>{text}</span>"
    # black can be read on all colours, on a dark page too
    background = "".join(f"{round(255 * part):02x}" for part in mix_diverging(shade))
    colours = f"color:{PALETTE['black']};background:#{background}"
    dots = ";text-decoration:underline dotted" if shade < 0 else ""
    return (
        f'<span style="padding:.1em .2em;border-radius:.2em;{colours}{dots}" title="{value:z.3f}{range_}">{text}</span>'
    )


def paint_terminal(word: str, shade: float) -> str:
    """Write a word on the colour of a shade, -1 to 1, by the codes of terminals; a negative one is underlined."""
    text = replace_controls(word)
    if np.isnan(shade):
        return text
    red, green, blue = (round(CUBE_STEPS * part) for part in mix_diverging(shade))
    colour = 16 + 36 * red + 6 * green + blue
    return f"\033[{'4;' * bool(shade < 0)}38;5;16;48;5;{colour}m{text}\033[0m"


@dataclass(frozen=True, repr=False)
class Reading:
    """What a model makes of a text: printed, or alone in a cell of a notebook, the words in the colours of its maps.

    columns: those of `words`; said: `facts`.

    words: a frame with a row for each word, in order, with the columns

    - word; weight: its attention in the first training, and contribution: what it adds there to the lead of the
      predicted class (logit; negative where it speaks against it)
    - gradient: its share of the gradient of the prediction, likewise
    - lowest, highest: the least and the greatest weight that any training of the model gives it
    - adversary: the weight that the adversary gives it, NaN where there is none
    - known: False where the model knows no part of the word, so that it reads any such word alike, or has not read it,
      as it is cut off or the tokenizer leaves it out: such a word has no numbers
    - one by its name for each further map: its score in the first training, NaN for marks of a tokenizer

    facts: prediction (the class of the first training) and its probability; trainings; same_top, the share of the other
    trainings in which the same word has the most attention; jsd, the mean Jensen-Shannon divergence (nats) of their
    maps from the first; chance_jsd, that of the first map shuffled; adversary_jsd and adversary_tvd, how far the
    adversary moves the map and the prediction. NaN where there is nothing to compare with.

    layer: whose attention it is, from 1; None: the last one's. weigh_layers: gives the weights of all layers, heads and
    words that the first training reads, (L, H, I); None where the model is not at hand.
    """

    columns: Mapping[str, Array]
    said: Mapping[str, Any]
    layer: int | None = None
    weigh_layers: Callable[[], Floats32] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # it has the model, which may be large, and no pickle may take it
        return vars(self) | {"weigh_layers": None}

    @cached_property
    def words(self) -> "pd.DataFrame":
        """Return the words and their numbers, see `Reading`."""
        import pandas as pd

        return pd.DataFrame(self.columns)

    @cached_property
    def facts(self) -> "pd.Series":
        """Return what is said of the text, see `Reading`."""
        import pandas as pd

        return pd.Series(self.said)

    @property
    def _read(self) -> Flags:
        return ~np.isnan(self.columns["weight"])

    def _write_head(self, prediction: str, shown: Flags | bool = True) -> str:
        """Write what was predicted, of how many unknown words, how far the trainings agree, and how far the adversary
        moves map and prediction. prediction: what the class is called there. shown: which words are.
        """
        said, read = self.said, self._read
        parts = [f"prediction: {prediction} (p = {said['probability']:.3f})"]
        for does, lacking in (("read", ~read), ("know", read & ~self.columns["known"])):
            if count := int((lacking & shown).sum()):
                parts.append(f"the model does not {does} {count} of {(read | shown).sum()} words")
        if said["trainings"] > 1:
            shuffled = "" if np.isnan(said["chance_jsd"]) else f", shuffled {said['chance_jsd']:.3f}"
            parts.append(
                f"{said['trainings']} trainings: JSD {said['jsd']:.3f}{shuffled}; the same word is first in "
                f"{100 * said['same_top']:.0f} % of the others"
            )
        if not np.isnan(said["adversary_jsd"]):
            parts.append(f"adversary: JSD {said['adversary_jsd']:.3f}, TVD {said['adversary_tvd']:.3f}")
        return "\n".join(parts)

    @property
    def _head(self) -> list[str]:
        return self._write_head(mark_direction(replace_controls(str(self.said["prediction"])))).splitlines()

    def _label_maps(self) -> dict[str, str]:
        """Label the maps that have numbers, by their columns."""
        names = [*self.columns]
        further = names[names.index("known") + 1 :]
        labels = MAP_LABELS | {name: {**MAPS.labels, **TOKEN_MAPS}.get(name, name) for name in further}
        labels["weight"] += "" if self.layer is None else f", layer {self.layer}"
        return {name: label for name, label in labels.items() if not np.isnan(self.columns[name]).all()}

    def _shade_maps(self) -> dict[str, Floats]:
        """Shade the words by each map, -1 to 1: by their share in all that the map gives, of the greatest share in any
        map, so that a flat map looks flat.
        """
        shares = {
            name: self.columns[name] / (np.nansum(np.abs(self.columns[name])) or 1) for name in self._label_maps()
        }
        greatest = max(float(np.nanmax(np.abs(each))) for each in shares.values()) or 1.0
        return {name: each / greatest for name, each in shares.items()}

    def _describe_items(self) -> list[str]:
        """Describe words in their titles, behind their weights: by the range of these over trainings."""
        return [
            f", {low:.3f} to {high:.3f} in all trainings" if high > low else ""
            for low, high in zip(self.columns["lowest"], self.columns["highest"], strict=True)
        ]

    def __repr__(self) -> str:
        lines, shades = self._head, self._shade_maps()
        # a console without a terminal may have none
        coloured = sys.stdout is not None and sys.stdout.isatty()
        for name, label in self._label_maps().items():
            if coloured:
                items = [*map(paint_terminal, self.columns["word"], shades[name])]
            else:
                items = [
                    mark_direction(replace_controls(word)) + ("" if np.isnan(value) else f" ({value:z.2f})")
                    for word, value in zip(self.columns["word"], self.columns[name], strict=True)
                ]
            lines.append(f"{label}: {' '.join(items)}")
        return "\n".join(lines)

    def to_html(self) -> str:
        """Write the words in the colours of each map, on one scale, as a part of a page; values are titles."""
        shades, words = self._shade_maps(), self.columns
        parts = [f"<p>{'<br>'.join(map(escape, self._head))}</p>"]
        ranges = self._describe_items()
        for name, label in self._label_maps().items():
            of_map = ranges if name == "weight" else [""] * len(words["word"])
            items = map(paint_html, words["word"], words[name], shades[name], of_map)
            negative = "; dotted where negative" * bool((words[name] < 0).any())
            # the label has a line of its own: a text is laid out from where its own first letter is read
            parts.append(f"<div><small>{escape(label)}{negative}</small></div>")
            parts.append(f'<p dir="auto" style="line-height:1.8;margin-top:0">{" ".join(items)}</p>')
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Return `facts`; `elements`, which are the words, and `known`; and `attributions`, by the columns of `words`
        that have numbers. None stands for NaN.
        """
        numbers = {name: self.columns[name] for name in self.columns if name not in ("word", "known")}
        return {
            **{
                name: None if isinstance(value, float) and np.isnan(value) else value
                for name, value in self.said.items()
            },
            "elements": [*self.columns["word"]],
            "known": [*map(bool, self.columns["known"])],
            "attributions": {
                name: [None if np.isnan(value) else value for value in values.tolist()]
                for name, values in numbers.items()
                if not np.isnan(values).all()
            },
        }

    def to_json(self) -> str:
        """Write what `to_dict` returns as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def save(self, path: str | Path) -> None:
        """Save the text as its suffix says: .html, which is a whole page, .json, or the figure as .png or .pdf.

        Raises AuditError for another suffix, and where the file cannot be written.
        """
        from attention_audit.figures import style

        path = check_path(path, "path")
        if path.suffix not in (".html", ".json", ".png", ".pdf"):
            raise AuditError(
                "path", f"{path.name!r} has another suffix than is known", "give .html, .json, .png or .pdf"
            )
        with write_whole(path) as temporary:
            if path.suffix in (".png", ".pdf"):
                with style.use_house_style():
                    self.figure().savefig(temporary, format=path.suffix[1:])
            else:
                title = escape(str(self.said["prediction"]))
                text = self.to_json() if path.suffix == ".json" else PAGE.format(title, self.to_html())
                temporary.write_text(text, encoding="utf-8")

    def figure(self) -> "Figure":
        """Draw a row for each word: weights with their range over trainings, signed contributions, shares of the
        gradient, and further maps. Words that are not read, and a panel of what is not known, are left out. The figure
        grows with the text and with the maps.
        """
        from matplotlib.figure import Figure

        from attention_audit.figures import style

        words = self.words.dropna(subset="weight")
        labels = self._label_maps()
        panels = {name: label for name, label in labels.items() if name not in ("weight", "adversary")}
        rows = range(len(words))
        prediction = str(self.said["prediction"])
        with style.use_house_style([*words["word"], prediction]):
            ratios = [WIDTH_RATIOS.get(name, 2) for name in ("weight", *panels)]
            width = style.PAGE_WIDTH * max(1, sum(ratios) / sum(WIDTH_RATIOS.values()))
            figure = Figure(figsize=(width, WORD_HEIGHT * len(words) + WORDS_MARGIN), layout="constrained")
            main, *sides = figure.subplots(1, len(ratios), sharey=True, squeeze=False, width_ratios=ratios)[0]
            main.barh(rows, words["weight"], color=style.SKY, height=0.7, label="first training")
            if (words["highest"] > words["lowest"]).any():
                main.hlines(rows, words["lowest"], words["highest"], style.BLACK, linewidth=1, label="all trainings")
            if "adversary" in labels:
                main.plot(words["adversary"], rows, "o", color=style.VERMILLION, markersize=3, label="adversary")
            main.set_xlabel(labels["weight"])
            main.set_yticks(rows, words["word"].map(replace_controls) + np.where(words["known"], "", NOT_KNOWN))
            main.set_ylim(len(words) - 0.5, -0.5)
            for axes, (name, label) in zip(sides, panels.items(), strict=True):
                colours = np.where(words[name] < 0, style.VERMILLION, style.BLUE)
                axes.barh(rows, words[name], color=colours.tolist(), height=0.7)
                axes.axvline(0, color=style.GREY, linewidth=0.6)
                axes.tick_params(left=False)
                axes.set_xlabel(label)
            figure.suptitle(self._write_head(prediction, self._read), fontsize=style.TEXT_SIZE, x=0.01, ha="left")
            figure.legend(*main.get_legend_handles_labels(), loc="outside lower left", ncols=3)
        return figure

    def grid(self) -> "Figure":
        """Draw the weights of the words by the heads of the layer that is read, and by all layers, each the mean of its
        heads, side by side on one scale, in the first training.

        Raises AuditError where the model is not at hand.
        """
        from matplotlib.colors import PowerNorm
        from matplotlib.figure import Figure

        from attention_audit.figures import style

        if self.weigh_layers is None:
            raise AuditError(
                "grid", "no model is at hand that has heads and layers", "ask an answer of audit_classifier"
            )
        weights = self.weigh_layers()
        number = self.layer or len(weights)
        panels = {f"head of layer {number}": weights[number - 1], "layer": weights.mean(1)}
        words = self.words.dropna(subset="weight")["word"]
        with style.use_house_style(words):
            counts = [*map(len, panels.values())]
            size = WORD_HEIGHT * sum(counts) + GRID_MARGIN, WORD_HEIGHT * len(words) + WORDS_MARGIN
            figure = Figure(figsize=size, layout="constrained")
            both = figure.subplots(1, len(counts), sharey=True, width_ratios=counts)
            # small weights can be seen by their square root
            norm = PowerNorm(0.5, 0, float(max(map(np.max, panels.values()))))
            for axes, (label, of_panel) in zip(both, panels.items(), strict=True):
                image = axes.imshow(of_panel.T, cmap=style.MAP_SHADING, norm=norm, aspect="auto")
                axes.set_xticks(range(len(of_panel)), range(1, len(of_panel) + 1))
                axes.set_xlabel(label)
            both[0].set_yticks(range(len(words)), words.map(replace_controls))
            figure.colorbar(image, ax=both, label="attention")
        return figure


def average_distance(measure: Callable[[Tensor, Tensor], Tensor], shares: Any) -> float:
    """Average how far maps, or predictions, are from the first of them; NaN of no other."""
    maps = torch.from_numpy(np.stack(shares)).double()
    return float(measure(maps[:1], maps[1:]).mean())


@use_torch()
def make_reading(
    items: Sequence[str],
    trainings: Sequence[Readout],
    adversaries: Sequence[Readout],
    classes: ClassNames,
    gradient: Any = np.nan,
    known_items: Flags | bool = True,
) -> Reading:
    """Say what trainings make of a text of some items, of which some may not be read; marks stand behind them.

    adversaries: one, or none. gradient: of the words that the first training reads. known: whether it knows each item
    that it reads.
    """
    reference = trainings[0]
    positions, marks = reference.places[0], MARKS[: int((reference.lengths - reference.words)[0])]
    weights = np.stack([training.attention[0] for training in trainings]).astype(np.float64)
    (padded,) = reference.batches(torch.float64)
    exact = find_contributions(padded)
    count = len(items) + len(marks)
    rows = [*positions, *range(len(items), count)]

    def place(values: Any, at: Any = rows) -> Floats:
        placed = np.full(count, np.nan)
        placed[at] = values
        return placed

    known = np.zeros(count, np.bool_)
    known[rows] = known_items
    columns = {
        "word": np.array([*items, *marks], object),
        "weight": place(weights[0]),
        "contribution": place(np.nan if exact is None else exact[0].numpy()),
        "gradient": place(gradient, positions),
        "lowest": place(weights.min(0)),
        "highest": place(weights.max(0)),
        "adversary": place(adversaries[0].attention[0] if adversaries else np.nan),
        "known": known,
        # of the words alone
        **{name: place(scores, positions) for name, (scores,) in reference.maps.items()},
    }
    decision = int(reference.predictions[0])
    readouts = [reference, *adversaries]
    tops = weights[:, : len(positions)].argmax(1)
    chance = np.nan
    if len(weights[0]) > 1 and reference.decided:
        chance = float(measure_shuffled(padded, reference.ids, Permutation())[1][0])
    said = {
        "prediction": classes[decision],
        "probability": float(reference.probabilities[0, decision]),
        "trainings": len(trainings),
        "same_top": float((tops[1:] == tops[0]).mean()) if len(tops) > 1 else np.nan,
        "jsd": average_distance(jsd, weights),
        "chance_jsd": chance,
        "adversary_jsd": average_distance(jsd, [training.attention[0] for training in readouts]),
        "adversary_tvd": average_distance(tvd, [training.probabilities[0] for training in readouts]),
    }
    return Reading(columns, said)
