"""Arrays on disk: whole or not at all, sealed, and read where they lie."""

from pathlib import Path

import numpy as np
import pytest
from refusal import refusal

from attention_audit.artefacts.weights import open_array, write_array

VALUES = np.arange(12, dtype=np.float16).reshape(4, 3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with write_array(tmp_path / "states.npy", VALUES.shape, np.float16) as array:
        for row in (2, 0, 3, 1):
            array[row] = VALUES[row]
    return tmp_path / "states.npy"


def test_an_array_filled_in_any_order_is_read_as_it_was_write_array(path: Path) -> None:
    read = open_array(path)
    np.testing.assert_array_equal(read, VALUES)
    assert isinstance(read, np.memmap)
    # what is written to it stays in memory
    read[0] = 7
    np.testing.assert_array_equal(open_array(path), VALUES)


@pytest.mark.parametrize(
    "hurt", [lambda b: b[:-1], lambda b: b[:90], lambda b: b"", lambda b: b[:140] + b"x" + b[141:]]
)
def test_a_damaged_array_is_one_line(path: Path, hurt: object) -> None:
    assert callable(hurt)
    path.write_bytes(hurt(path.read_bytes()))
    assert "truncated or corrupt array; rebuild it with: snakemake" in refusal(open_array, path)


def test_an_array_that_is_missing_is_one_line(tmp_path: Path) -> None:
    assert "not there; rebuild it with: snakemake" in refusal(open_array, tmp_path / "states.npy")


def test_an_array_that_is_not_finished_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), write_array(tmp_path / "states.npy", (2, 2), np.float32) as array:
        array[0] = 1 / 0
    assert list(tmp_path.iterdir()) == []
