# The everyday commands; `make` alone lists them. To begin with, make, bash and git are enough: setup installs CMake, Ninja
# and the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup setup-pre-commit programs build test test-stress test-all test-analysis test-reporting smoke benchmark report report-pdf report-pptx report-full manifest verify-manifest release \
  quick-report pipelines-small benchmark-padding benchmark-gpu benchmark-all gpu-bundle bench-peers bench-auto bench-sweep bench-tokens bench-reading bench-tokenizers bench-live bench-wrong-workers bench-coverage fuzz doctor \
  man lint clean

JOBS ?= $(shell nproc)
CTEST_JOBS ?= 2
STORE ?= transformeter.db
REPORT ?= report.html
RUN ?=
BUNDLE ?= bundle
RELEASE ?= release
PIPELINES ?= pipelines
TRIALS ?= 4000
DATA ?= ../shared/data
FUZZ_SECONDS ?= 10
WORKLOADS ?=
PEERS ?=
PRECISIONS ?=
OURS ?=
ROUNDS ?= 8
REPETITIONS ?= 10

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile

setup: ## install what the build needs (root or sudo for the system packages)
	@scripts/setup

setup-pre-commit: ## check format, layers, language and headers before each commit
	@scripts/setup_pre_commit

programs: setup ## compile both programs into build/bin, which is all that measuring needs
	@scripts/build --jobs $(JOBS) programs

build: setup ## compile both programs and the tests into build/
	@scripts/build --jobs $(JOBS) all

test: build ## all tests
	@ctest --test-dir build --output-on-failure -j $(CTEST_JOBS)

test-stress: build ## all tests three times, in random order, on a busy machine
	@scripts/test_stress

test-all: test ## all tests, same as test

test-analysis: build ## tests of statistics, metrics and analysis
	@ctest --test-dir build --output-on-failure --no-tests=error -j $(CTEST_JOBS) -R '^(stats|metrics|analysis)\.'

test-reporting: build ## tests of displayed results and reports
	@ctest --test-dir build --output-on-failure --no-tests=error -j $(CTEST_JOBS) -R '^(report\.|cli\.(Show|Report|Export))'

smoke: programs ## one short measurement, in under 30 seconds
	@build/bin/transformeter run --batch-size 1 --sequence-length 32 --precision fp32 --time-limit 3s --store $(STORE) \
	  --name smoke

benchmark: programs ## measure this machine in about three minutes, and write a report
	@status=0; build/bin/transformeter run --engine pytorch,fast --baseline engine=pytorch --replicates 1 --batch-size 1,4 --sequence-length 128 \
	  --time-budget 165s --peaks measure --store $(STORE) --name benchmark || status=$$?; \
	  build/bin/transformeter report --store $(STORE) -o $(REPORT); exit $$status

benchmark-padding: programs ## what padding costs under each attention kernel, as a table and a report
	@status=0; build/bin/transformeter run padding-sweep --store $(STORE) --name padding || status=$$?; \
	  build/bin/transformeter report padding --store $(STORE) -o $(REPORT); exit $$status

benchmark-gpu: programs ## measure the first GPU; without one, fail and say what is missing
	@status=0; build/bin/transformeter run --device cuda --batch-size 1,8,32 --time-budget 150s --peaks measure --store $(STORE) --name gpu || status=$$?; \
	  build/bin/transformeter report gpu --store $(STORE) -o $(REPORT); exit $$status

benchmark-all: programs ## measure the CPU, and the first GPU if there is one, side by side
	@status=0; build/bin/transformeter run --device cpu,cuda --batch-size 1,8 --time-budget 150s --peaks measure --store $(STORE) --name all || status=$$?; \
	  build/bin/transformeter report all --store $(STORE) -o $(REPORT); exit $$status

gpu-bundle: setup ## build-gpu/bundle, for a machine with a GPU and Python's torch 2.11 (docs/gpu-machines.md)
	@scripts/gpu_bundle --jobs $(JOBS)

doctor: setup ## check what this machine can measure, and how to fix what it cannot
	@scripts/build --jobs $(JOBS) programs transformeter-fake-worker
	@build/bin/transformeter doctor --self-test

man: programs ## write the manual pages to build/man/man1
	@scripts/man_pages build/bin/transformeter build/man/man1
	@ls build/man/man1

report: programs ## an HTML report of the latest run in STORE, written to REPORT
	@build/bin/transformeter report --store $(STORE) -o $(REPORT)

report-pdf: programs ## the same as PDF, beside REPORT; needs scripts/setup --reports
	@build/bin/transformeter report --store $(STORE) -o $(basename $(REPORT)).pdf

report-pptx: programs ## the same as slides, beside REPORT; needs scripts/setup --reports
	@build/bin/transformeter report --store $(STORE) -o $(basename $(REPORT)).pptx

report-full: programs ## the report in all four formats, beside REPORT; needs scripts/setup --reports
	@for ending in html md pdf pptx; do build/bin/transformeter report --store $(STORE) -o $(basename $(REPORT)).$$ending || exit $$?; done

manifest: programs ## write RUN, by default the latest in STORE, as the folder BUNDLE to verify and replay elsewhere
	@build/bin/transformeter manifest $(RUN) --store $(STORE) -o $(BUNDLE)

verify-manifest: programs ## check that BUNDLE is as it was written, and whether its model, data and worker are here
	@build/bin/transformeter manifest verify $(BUNDLE)

release: programs ## sources, programs, manual pages and docs of the committed version in RELEASE, with SHA256SUMS
	@scripts/release --output $(RELEASE)

pipelines-small: programs ## reproduce the five published studies in small, each in a folder of its own (about 17 minutes)
	@status=0; for plan in distilbert-sst2 encoders-squad qwen-intents attention-padding training-families; do \
	  build/bin/transformeter pipeline $$plan-small -o $(PIPELINES)/$$plan-small || status=$$?; done; exit $$status

quick-report: smoke ## one short measurement and an HTML report of it
	@build/bin/transformeter report smoke --store $(STORE) -o $(REPORT)

bench-peers: programs ## compare with other engines and trainers; choose by WORKLOADS, PEERS, PRECISIONS, OURS, ROUNDS
	@scripts/bench_peers --data "$(DATA)" --workloads "$(WORKLOADS)" --peers "$(PEERS)" --precisions "$(PRECISIONS)" \
	  --ours "$(OURS)" --rounds $(ROUNDS)

bench-auto: programs ## compare what engine auto chooses with the best point of a grid; choose by WORKLOADS (5 minutes each)
	@scripts/bench_auto $(if $(WORKLOADS),--workloads "$(WORKLOADS)") --rounds $(ROUNDS)

bench-sweep: programs ## compare a sweep of six cases with optimum-benchmark's, REPETITIONS times (about two minutes each)
	@scripts/bench_sweep --repetitions $(REPETITIONS)

bench-parity: programs ## compare answers with Transformers' over every key of the files beside the weights, and with sentence-transformers' (about 40 minutes)
	@scripts/bench_parity

bench-tokens: programs ## time per useful token of both engines over batch size and length (about 30 minutes)
	@build/bin/transformeter run share/plans/time-per-token.yaml --store $(STORE) --name time-per-token
	@build/bin/transformeter show time-per-token --store $(STORE) --format json --no-samples | scripts/time_per_token

bench-reading: build ## time the commands that read and move results on a store of 10,000 cases
	@scripts/bench_reading

bench-tokenizers: build ## compare token IDs and speed with Hugging Face's tokenizers and three others; DATA: folder of public data sets
	@DATA="$(DATA)" scripts/bench_tokenizers

bench-live: build ## what compare --live says of equal workers and of one that is 5 % slower, ROUNDS times each (40: an hour)
	@scripts/bench_live --rounds $(ROUNDS)

bench-wrong-workers: build ## count the wrong workers that comparing outputs catches, over 20 seeds (about 20 minutes)
	@scripts/wrong_workers

bench-coverage: build ## simulate how often the 95 % intervals cover the truth (about 45 minutes on one core)
	@build/bin/coverage-study --trials $(TRIALS)

fuzz: ## run libFuzzer on every parser for FUZZ_SECONDS each; needs scripts/setup --dev
	@scripts/fuzz --seconds $(FUZZ_SECONDS)

lint: ## format, layers, language, every header, clang-tidy of every source
	@scripts/check_format
	@scripts/check_layers
	@scripts/check_language
	@scripts/check_headers
	@scripts/check_tidy

clean: ## remove build, build-sanitized and build-tidy; keep .deps
	@rm -rf build build-sanitized build-tidy
