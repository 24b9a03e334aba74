"""The wheel, installed where nothing of the repository is: it has the workflow too."""

import os
import re
import subprocess
import sys
import sysconfig
import venv

import pytest
import yaml
from folder import ROOT, TINY

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An interpreter with the wheel, and with the libraries of this environment but not its package."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, capture_output=True, check=True)
    [packages] = (folder / "venv").glob("lib/*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return python


def called(python, folder, *words):
    """What the command says in a folder, once it has ended well."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), *words]
    ended = subprocess.run(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_all_of_it_works_from_the_wheel(python, tmp_path):
    where = called(python, tmp_path, "-c", "import attention_audit; print(attention_audit.__file__)")
    assert where.startswith(str(python.parents[1]))
    audit = ("-m", "attention_audit")
    assert "another training shows this map" in called(python, tmp_path, str(ROOT / "examples" / "scores.py"))

    rows = (f"{'a fine film' if number % 2 else 'a dull plot'} no {number},{number % 2}" for number in range(120))
    (tmp_path / "reviews.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    said = called(python, tmp_path, *audit, "init", "reviews.csv")
    assert "\n  python -m attention_audit run --cores 2 all --configfile mine.yaml\n" in said
    small = {key: TINY[key] for key in ("model", "training")}
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(small))
    trained = "runs/reviews/models/reviews/base/seed10.safetensors"
    called(python, tmp_path, *audit, "run", trained, "wp_table1", "--configfile", "mine.yaml", "small.yaml")
    assert (tmp_path / trained).is_file()
    assert "reviews" in (tmp_path / "runs/reviews/tables/wp_table1_datasets.csv").read_text()

    # the captions, and presets
    planned = called(python, tmp_path, *audit, "run", "-n", "all", "--configfile", "presets/controls.yaml")
    assert re.search(r"^report_html +1$", planned, re.MULTILINE)
