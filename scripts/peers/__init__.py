"""Compares transformeter-worker with other engines and trainers on the same machine, weights and inputs.

Run by `make bench-peers`; docs/benchmarks.md describes it. One engine in one process, all of them alive, one at work:
`workloads` and `ours` say what is measured, `engines/` holds one peer a file, `measure` asks for blocks in a balanced
random order, `estimates` makes ratios with intervals of them, `report` writes what was seen.
"""
