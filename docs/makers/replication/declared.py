"""What is declared of the record: pages, runs, claims and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cells:
    """Numbers, by regular expressions that match the whole of these columns of a row."""

    dataset: str = ".*"
    model: str = ".*"
    metric: str = ".*"
    ranking: str = ".*"
    other: str = ".*"
    part: str = ".*"
    label: str = ".*"


@dataclass(frozen=True)
class KeptRun:
    """One run of a page. name: of its folder, below that of the page. preset: its configuration, in presets/; "" for
    config.yaml.

    about: what is run, in a sentence. options: what follows --config, besides the mirror and the results. changes: the
    one thing that is other than in the runs of the same data sets, to which it is held; "" for a run in its own right.
    cells: the numbers that the change is about. figures: those that are kept; no figure that quotes texts, unless they
    are generated, since others are not ours to hand on.
    """

    name: str
    preset: str
    about: str
    options: str = ""
    changes: str = ""
    cells: Cells = Cells()
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Why:
    """Why a number or a claim does not come back. run: the run of the same page that tested it, by changing one thing;
    "" for a guess. cells: the numbers that it is about; of a claim, the data sets alone count.
    """

    because: str
    run: str = ""
    cells: Cells = Cells()


@dataclass(frozen=True)
class Finding:
    """What a claim comes to in numbers, and where this package measures it.

    says: the finding. measure, table, cells: the metric, a table, and its rows. theirs: a bound, "above 0" or "below
    0.5". datasets: of which it is said; () for all. minus: rows of the same table and data set that are subtracted,
    `times` so many; those of one training are taken as they are. reach: where the rows are single trainings that differ
    in lambda alone, those count that by this metric go as far as what is subtracted, and their mean is held against it.
    """

    says: str
    measure: str
    theirs: str
    table: str
    cells: Cells
    datasets: tuple[str, ...] = ()
    minus: Cells | None = None
    times: float = 1.0
    reach: str = ""


@dataclass(frozen=True)
class Claim:
    """What a paper claims. source: where it says so. data: on which data, as the paper names them; absent: those of
    them that no run here has. findings: what its verdict is computed from. why: why it does not come back, as far as it
    does not.
    """

    says: str
    source: str
    data: tuple[str, ...]
    findings: tuple[Finding, ...]
    absent: tuple[str, ...] = ()
    why: tuple[Why, ...] = ()


@dataclass(frozen=True)
class Contradiction:
    """A finding that must not be overlooked, in the first lines of a page: what the paper says of it, and the run of
    another page that has it on a ladder of training sizes.
    """

    says: str
    finding: Finding
    page: str
    run: str


@dataclass(frozen=True)
class Page:
    """One page. name: of its file. paper: its name in tables, whose published numbers it shows; "" for none.

    about: what is asked, and why. absent: which of the paper's data sets no run has, and why; in the first paragraph.
    tables: which of a run's tables the page shows whole. claims: what the paper claims. first: what stands in the first
    lines. ladders: data sets that differ in how many training texts they have, the fewest first, by a title. beyond:
    what nobody can know from these runs, a sentence each.
    """

    name: str
    title: str
    about: str
    runs: tuple[KeptRun, ...]
    paper: str = ""
    absent: str = ""
    tables: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    reasons: tuple[Why, ...] = ()
    first: Contradiction | None = None
    ladders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()
