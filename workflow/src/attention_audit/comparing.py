"""The answers of two finished runs side by side, from the summaries in their folders of results."""

from collections.abc import Sequence
from pathlib import Path

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.summary import SUMMARY
from attention_audit.errors import AuditError
from attention_audit.places import Places
from attention_audit.tables.two_runs import side_by_side, two_runs

USAGE = "compare: name two folders of results, as in `python -m attention_audit compare results runs/b`"


def comparing(folders: Sequence[Path], into: Path | None) -> str:
    """The comparison as Markdown, with a line that counts what differs.

    into: where it is written too, as .csv with every digit and as .md; None for nowhere. Raises AuditError where there
    are not two folders, or where one has no summary.
    """
    if len(folders) != 2:
        raise AuditError(USAGE)
    frames = []
    for folder in folders:
        path = Path(Places(str(folder)).exhibit("tables", "summary", ".parquet"))
        if not path.is_file():
            raise AuditError(f"{path}: not there; make it with `snakemake summary`, or name another folder of results")
        frames.append(read_frame(path, SUMMARY))
    compared = two_runs(*frames)
    words, intervals = compared["words"], compared["intervals"]
    counted = (
        f"a: {folders[0]}, b: {folders[1]}. {(words == 'other').sum()} of {len(words)} words differ; "
        f"{(intervals == 'apart').sum()} of {(intervals != '').sum()} pairs of intervals lie apart."
    )
    text = f"{counted}\n\n{side_by_side(compared, (str(folders[0]), str(folders[1]))).to_markdown(index=False)}\n"
    if into:
        with whole(into.with_name(f"{into.name}.csv")) as path:
            compared.to_csv(path, index=False)
        with whole(into.with_name(f"{into.name}.md")) as path:
            path.write_text(text, encoding="utf-8")
    return text
