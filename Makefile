# The everyday commands; `make` alone lists them. CMake and Ninja do the work, so that make, bash and git are enough to
# begin with.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build test smoke benchmark bench-peers bench-coverage fuzz lint clean

JOBS ?= $(shell nproc)
CTEST_JOBS ?= 2
STORE ?= transformeter.db
REPORT ?= report.md
TRIALS ?= 4000
FUZZ_SECONDS ?= 10

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install what the build needs (root or sudo for the system packages)
	@scripts/setup

build: setup ## compile both programs and the tests into build/
	@cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
	@ninja -C build -j $(JOBS)

test: build ## all tests
	@ctest --test-dir build --output-on-failure -j $(CTEST_JOBS)

smoke: build ## one short measurement, in under 30 seconds
	@build/bin/transformeter run --batch-size 1 --sequence-length 32 --precision fp32 --time-limit 3s --store $(STORE) \
	  --name smoke

benchmark: build ## measure this machine in about three minutes, and write a report
	@status=0; build/bin/transformeter run --time-budget 150s --store $(STORE) --name benchmark || status=$$?; \
	  build/bin/transformeter report --store $(STORE) -o $(REPORT); exit $$status

bench-peers: build ## compare with the same model in Python PyTorch, paired
	@scripts/bench_peers

bench-coverage: build ## simulate how often the 95 % intervals hold the truth (some ten minutes of one core)
	@build/bin/coverage-study --trials $(TRIALS)

fuzz: ## run libFuzzer on every parser for FUZZ_SECONDS each; needs scripts/setup --dev
	@scripts/fuzz --seconds $(FUZZ_SECONDS)

lint: ## format, layers, headers, clang-tidy
	@scripts/check_format
	@scripts/check_layers
	@scripts/check_headers
	@scripts/check_tidy

clean: ## remove what was built; .deps stays
	@rm -rf build build-asan build-fuzz build-tidy
