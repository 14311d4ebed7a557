#!/usr/bin/env python3
"""A few real training steps whose every metric is computed again: the fake worker takes none.

Usage: scripts/oracle/training.py --binaries FOLDER
FOLDER holds transformeter and transformeter-worker. Exit code 0: all agrees, 1: not, 77: the worker, numpy or scipy is
missing.
"""
import argparse
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

try:
    import check_results
except ImportError as error:
    print(f"SKIPPED: the oracle needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

TINY = ["--model", "bert-test", "--batch-size", "2", "--precision", "fp32", "--learning-rate", "1e-3",
        "--price-per-hour", "2"]
RUNS = [
    ["--sequence-length", "16", "--optimizer", "adamw,sgd", "--samples", "24"],
    ["--sequence-length", "natural", "--gradient-accumulation", "2", "--samples", "12", "--replicates", "3"],
]
COMPARED = ["latency", "throughput_samples", "data_wait", "forward_time", "backward_time", "optimizer_time",
            "other_time", "loss", "loss_convergence_rate", "skipped_steps", "cost_per_step", "mfu", "hfu", "skipped_share",
            "activation_bytes", "activation_bytes_forecast", "peak_allocated_forecast"]


class Transformeter:
    """The command, with a store of its own in `folder`."""

    def __init__(self, binaries, folder):
        self.command, self.folder = str(binaries / "transformeter"), pathlib.Path(folder)
        self.worker = ["--worker", str(binaries / "transformeter-worker")]

    def output_of(self, name, *options):
        done = subprocess.run([self.command, name, "--store", "r.db", *options], cwd=self.folder, capture_output=True,
                              text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def measure_peaks(self):
        """Their values do not matter here, but beside other tests they count as disturbed, and give no shares."""
        self.output_of("peaks", "--precision", "fp32", *self.worker)
        with contextlib.closing(sqlite3.connect(self.folder / "r.db")) as store, store:
            store.execute("UPDATE peak SET document = json_set(document, '$.foreign_load', 0)")

    def train(self, options):
        self.output_of("train", "--slices", "1", *self.worker, *TINY, *options)
        return json.loads(self.output_of("show", "--format", "json"))


def figures_of(results):
    """Names of the metrics of which a case has a value: what is not there cannot agree."""
    return {m["name"] for one in results["runs"][0]["cases"] for m in one["metrics"] if m["value"] is not None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True, type=pathlib.Path)
    binaries = parser.parse_args().binaries.resolve()
    if not (binaries / "transformeter-worker").exists():
        print(f"SKIPPED: there is no transformeter-worker in {binaries}")
        return 77
    checked, faults, figures = 0, [], set()
    with tempfile.TemporaryDirectory() as folder:
        transformeter = Transformeter(binaries, folder)
        transformeter.measure_peaks()
        for options in RUNS:
            results = transformeter.train(options)
            rows, differences = check_results.check(results)
            checked += rows
            faults += differences
            figures |= figures_of(results)
    faults += [f"no case has {name}" for name in COMPARED if name not in figures]
    for fault in faults:
        print(fault)
    print(f"training: {len(RUNS)} runs, {checked} rows compared, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
