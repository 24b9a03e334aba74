# make run    set up .venv and run the default workflow
# make report make what is missing, and results/report.html, one page of everything
# make test   set up .venv and run every check

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run report test lint docs clean

run: $(READY)
	$(BIN)/snakemake --cores all all

report: $(READY)
	$(BIN)/snakemake --cores all report_page

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

docs: $(READY)
	$(BIN)/python -m attention_audit.documentation

$(READY): constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv .snakemake
