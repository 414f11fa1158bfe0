# Each target sets up what it needs in .venv: with uv when it is there, with venv and pip otherwise.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
# One more than two cores: a third of their time two workers wait, for git, servers, a browser.
PYTEST_WORKERS ?= 3
ORDER = $(if $(SEED),--random-order --random-order-seed=$(SEED))
# Tests start the program again and again: it must not be compiled anew each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo check test coverage site-docs lint format bench eval judged soak docs golden lock clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# The program alone: small and quick, so that the demo starts within seconds of a fresh clone.
$(VENV)/.run: pyproject.toml requirements/run.txt
	@scripts/setup.sh "$(PYTHON)" "$(VENV)" "$(UV)" requirements/run.txt
	@touch $@

# Everything the tests, linters and benchmarks need, at locked versions.
$(VENV)/.dev: $(VENV)/.run requirements/dev.txt requirements/dev-alone.txt
	@scripts/setup.sh "$(PYTHON)" "$(VENV)" "$(UV)" requirements/dev.txt
	@touch $@

# A real browser for the tests of the pages; where it cannot be had, they say so.
$(VENV)/.browser: scripts/browser.sh $(VENV)/.dev
	@scripts/browser.sh
	@touch $@

# Peers to measure beside.
$(VENV)/.bench: $(VENV)/.dev requirements/bench.txt
	@scripts/setup.sh "$(PYTHON)" "$(VENV)" "$(UV)" requirements/bench.txt
	@touch $@

demo: $(VENV)/.run ## the main job on sample upstreams: no network, no key
	@$(BIN)/daybreak demo --out demo-report

check: $(VENV)/.dev ## the fast lane: ruff, tables and the demo's golden pages; within a minute
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m quick

# Lint beside the tests.
test: $(VENV)/.dev $(VENV)/.browser ## all tests, and lint; SEED=7 for an order by chance
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal -m "not soak" $(ORDER); code=$$?; \
	wait $$lint && exit $$code

coverage: $(VENV)/.dev $(VENV)/.browser ## all tests with the lines they reach: the total, and the worst files
	@rm -f .coverage .coverage.*
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal -m "not soak" --timeout 900 --cov --cov-report=; code=$$?; \
	$(BIN)/coverage report --sort=cover --skip-covered | grep -vE '^$$|skipped due' | sed -n '1,25p;$$p'; exit $$code

site-docs: $(VENV)/.dev ## the documentation as a site, in build/docs
	@$(BIN)/zensical build --strict

lint: $(VENV)/.dev ## ruff and mypy
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary

format: $(VENV)/.dev ## put the code in our form
	@$(BIN)/ruff check --quiet --fix
	@$(BIN)/ruff format --quiet

bench: $(VENV)/.bench ## speed beside git itself; MIRRORS=folder of OWNER+NAME/repo for real ones
	@$(BIN)/python -m scripts.bench $(if $(MIRRORS),--mirrors "$(MIRRORS)") $(if $(DAY),--day "$(DAY)") $(if $(ONLY),--only "$(ONLY)")

eval: $(VENV)/.dev ## grades beside labels; MIRRORS=folder of OWNER+NAME/repo LABELS=file
	@test -n "$(MIRRORS)" -a -f "$(LABELS)" || { echo "make eval needs MIRRORS=folder of OWNER+NAME/repo and LABELS=file of labelled commits (JSON lines)"; exit 2; }
	@$(BIN)/python scripts/eval.py --mirrors "$(MIRRORS)" "$(LABELS)"

judged: $(VENV)/.dev ## reports of days that readers listed blind, beside their lists; MIRRORS=folder of OWNER+NAME/repo
	@test -n "$(MIRRORS)" || { echo "make judged needs MIRRORS=folder of OWNER+NAME/repo"; exit 2; }
	@$(BIN)/python scripts/judged.py --mirrors "$(MIRRORS)" --misses $(if $(DAY),--day "$(DAY)")

soak: $(VENV)/.dev $(VENV)/.browser ## the long campaigns
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m soak --timeout 7200

docs: $(VENV)/.dev ## write what is generated: help in README.md, docs/tree.md, schemas
	@$(BIN)/python scripts/readme_help.py
	@$(BIN)/python scripts/report_schema.py
	@$(BIN)/python scripts/config_schema.py
	@$(BIN)/python scripts/architecture.py

golden: $(VENV)/.dev ## accept today's demo reports as the golden ones; read the difference
	@GOLDEN=accept $(BIN)/python -m pytest -q tests/golden

LOCK := uv pip compile --quiet --universal --no-header --no-emit-index-url --no-emit-find-links --python-version 3.11 pyproject.toml
lock: ## resolve requirements/*.txt anew (needs uv)
	$(LOCK) --generate-hashes -o requirements/run.txt
	$(LOCK) --group dev -o requirements/dev.txt
	$(LOCK) --group dev --group bench -o requirements/bench.txt
	$(LOCK) --extra llm --extra mcp --extra notify --extra postgres --extra github-app --generate-hashes -o requirements/container.txt

clean: ## remove what make made
	rm -rf $(VENV) demo-report .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* build dist /dev/shm/daybreak-tests-$$(id -u)
