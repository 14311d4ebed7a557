#!/usr/bin/env python3
"""The whole path against known truth: the command starts the fake worker, which draws latencies of a known distribution;
they are stored, shown as JSON, drawn again by the oracle's generator, and every metric is computed again.

Usage: scripts/oracle/golden.py --binaries FOLDER
FOLDER holds transformeter and transformeter-fake-worker. Exit code 0: all agrees, 1: not, 77: numpy or scipy is missing.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import stats
except ImportError as error:
    print(f"SKIPPED: the oracle needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

import check_results
import generator
import slices

FIXED = ["--sequence-length", "16"]
NATURAL = ["--sequence-length", "natural"]
BATCHES = ["--model", "bert-test", "--batch-size", "8"]
SLICES = ["--slices", "8", "--samples", "40", "--warmup", "2"]
REQUESTS = ["--model", "llama-test", "--task", "causal_lm", "--scenario", "generate", "--prompt-length", "16"]


def normal(**more):
    return {"kind": "normal", "mean_s": 0.02, "sd_s": 0.001, **more}


def reasons(the_case):
    return {finding["name"] for finding in the_case["verdict"]["reasons"]}


def notes(the_case):
    return {finding["name"]: finding["detail"] for finding in the_case["verdict"]["notes"]}


def row(the_case, name, statistic):
    return next(m for m in the_case["metrics"] if m["name"] == name and m["statistic"] == statistic)


def holds(the_case, name, statistic, truth):
    """The interval, stretched to 4 standard errors so that a right program fails once in 10,000, holds the truth."""
    metric = row(the_case, name, statistic)
    centre, half = (metric["low"] + metric["high"]) / 2, (metric["high"] - metric["low"]) / 2
    return abs(centre - truth) <= 2.1 * half


def sliced(the_case):
    """The headline as the oracle of slices has it."""
    metric, expected = row(the_case, "latency", "median"), slices.median(the_case)
    if metric["interval"] == "between_replicates":
        return [("there are three processes", len(the_case["replicates"]) == 3),
                ("the median is that of all samples", np.isclose(metric["value"], expected[0], rtol=1e-9, atol=0))]
    return [("the median is that of all samples, with an interval between the slices' medians",
             np.allclose([metric["value"], metric["low"], metric["high"]], expected[:3], rtol=1e-9)
             and metric["interval"] == expected[3])]


def compared(pair, cases):
    """The speed-up as the oracle of slices has it."""
    metric = row(pair, "speed_up", "ratio")
    expected = slices.speed_up(cases[pair["baseline_case"]], cases[pair["case"]])
    return expected is not None and np.allclose([metric["value"], metric["low"], metric["high"]], expected, rtol=1e-9)


def steady_from(the_case):
    return the_case["replicates"][0]["steady_from"]


# Name: (behaviour, flags, what must hold of the case beside the oracle's comparison).
SCENARIOS = {
    "few": ({"latency": normal(), "samples": 12}, FIXED, lambda c: [
        ("median holds the truth", holds(c, "latency", "median", 0.02)),
        ("p90 is not carried by 12", row(c, "latency", "p90")["value"] is None),
        ("dependence is untested", "autocorrelation_untested" in notes(c))]),
    "correlated": ({"latency": normal(rho=0.6), "samples": 60}, FIXED, lambda c: [
        ("mean holds the truth", holds(c, "latency", "mean", 0.02)),
        ("throughput holds the truth", holds(c, "throughput_samples", "ratio", 8 / 0.02))]),
    "lognormal": ({"latency": {"kind": "lognormal", "mean_s": 0.01, "sd_s": 0.004, "rho": 0.3}, "samples": 80}, FIXED,
                  lambda c: [("mean holds the truth", holds(c, "latency", "mean", 0.01))]),
    "gamma": ({"latency": {"kind": "gamma", "mean_s": 0.01, "sd_s": 0.003}, "samples": 600}, FIXED, lambda c: [
        ("p99 holds the truth", holds(c, "latency", "p99", stats.gamma.ppf(0.99, a=100 / 9, scale=0.0009))),
        ("p99.9 is not carried by 600", row(c, "latency", "p99.9")["value"] is None)]),
    "bimodal": ({"latency": {"kind": "bimodal", "mean_s": 0.01, "sd_s": 0.0001, "slow_factor": 1.5}, "samples": 120},
                FIXED, lambda c: [
        ("mean holds the truth", holds(c, "latency", "mean", 0.01)),
        ("median lies in the fast mode", abs(row(c, "latency", "median")["value"] - 0.01 / 1.15) < 0.0005)]),
    "constant": ({"latency": {"mean_s": 0.02}, "samples": 30}, FIXED, lambda c: [
        ("the interval has no width", row(c, "latency", "median")["low"] == row(c, "latency", "median")["high"] == 0.02),
        ("steady from the start", steady_from(c) == 3)]),
    "cycles": ({"latency": normal(), "samples": 60}, NATURAL, lambda c: [
        ("cycle time holds the truth", holds(c, "cycle_time", "mean", 4 * 0.02)),
        ("p90 of 4 inputs is not carried", row(c, "latency", "p90")["value"] is None)]),
    "few_cycles": ({"latency": normal()}, NATURAL + ["--samples", "11"], lambda c: []),
    "replicates": ({"latency": normal(between_sd_s=0.001), "samples": 30, "replicate_folder": "counts"},
                   FIXED + ["--replicates", "8"], lambda c: [
        ("the interval is over replicates", row(c, "latency", "median")["interval"] == "between_replicates"),
        ("it holds the truth", holds(c, "latency", "median", 0.02)),
        ("it is wider than one process's own",
         row(c, "latency", "mean")["high"] - row(c, "latency", "mean")["low"] > 2 * 0.001 / np.sqrt(30))]),
    "pair": ({"latency": normal(between_sd_s=0.001), "samples": 30, "replicate_folder": "counts"},
             FIXED + ["--replicates", "2"], lambda c: []),
    "failing": ({"latency": normal(), "samples": 30, "replicate_folder": "counts",
                 "faults": [{"kind": "exit", "code": 9, "at": "measure", "after_samples": 5, "replicates": [1, 3]}]},
                FIXED + ["--replicates", "5"], lambda c: [
        ("two of five failed", [r["status"] for r in c["replicates"]] == ["ok", "crashed", "ok", "crashed", "ok"]),
        ("and are named", "replicate 1" in notes(c).get("failed_replicates", "")),
        ("three count", row(c, "latency", "median")["n"] == 3)]),
    "baseline": ({"latency": normal(between_sd_s=0.001), "samples": 30, "replicate_folder": "counts"},
                 FIXED + ["--memory-limit", "1GiB,2GiB,3GiB", "--baseline", "memory_limit=1GiB", "--replicates", "8"],
                 lambda c: []),
    "ramp": ({"latency": normal(warmup_samples=16, warmup_factor=3), "samples": 120, "warm_passes": 2}, FIXED,
             lambda c: [("most of the ramp is cut, little else", 12 <= (steady_from(c) or 0) <= 40),
                        ("median holds the truth", holds(c, "latency", "median", 0.02))]),
    "drift": ({"latency": normal(drift_per_sample=0.005), "samples": 80}, FIXED, lambda c: [
        ("drift is found", "drift" in reasons(c)), ("no window is claimed", steady_from(c) is None),
        ("nor an interval", row(c, "latency", "median")["low"] is None)]),
    "throttled": ({"latency": normal(steps=[[63, 1.3]]), "samples": 80}, FIXED, lambda c: [
        ("the step is found", "drift" in reasons(c)), ("no window is claimed", steady_from(c) is None)]),
    "spikes": ({"latency": normal(spike_rate=0.05, spike_factor=5), "samples": 200}, FIXED, lambda c: [
        ("no drift is seen", "drift" not in reasons(c)),
        ("the median does not mind", abs(row(c, "latency", "median")["value"] / 0.02 - 1) < 0.02),
        ("the largest does", row(c, "latency", "max")["value"] > 0.08)]),
    "rule": ({"latency": {"kind": "normal", "mean_s": 0.1, "sd_s": 0.005}, "rule": True}, FIXED, lambda c: [
        ("the target was met", c["settings"]["effective"]["stop_reason"] == "target_met"),
        ("and is", row(c, "latency", "median")["high"] - row(c, "latency", "median")["low"] <= 2 * 0.02 * 0.1),
        ("median holds the truth", holds(c, "latency", "median", 0.1))]),
    "rule_limit": ({"latency": {"kind": "lognormal", "mean_s": 0.1, "sd_s": 0.1, "rho": 0.5}, "rule": True},
                   FIXED + ["--time-limit", "5s"], lambda c: [
        ("the limit stopped it", c["settings"]["effective"]["stop_reason"] == "limit_reached"),
        ("with a note", "target_not_met" in notes(c))]),
    "requests": ({"latency": normal(), "step": {"kind": "lognormal", "mean_s": 0.002, "sd_s": 0.0008}, "samples": 60},
                 REQUESTS + ["--new-tokens", "9"], lambda c: [
        ("time to the first token holds the truth", holds(c, "time_to_first_token", "median", 0.02)),
        ("time per token holds the truth", holds(c, "time_per_output_token", "mean", 0.002)),
        ("the rate of new tokens holds the truth", holds(c, "throughput_decode_tokens", "ratio", 500)),
        ("steps have no interval", row(c, "inter_token_latency", "median")["low"] is None)]),
    "one_token": ({"latency": normal(), "samples": 30}, REQUESTS + ["--new-tokens", "1"], lambda c: [
        ("the request is its first token", row(c, "time_to_first_token", "median")["value"]
         == row(c, "latency", "median")["value"])]),
    "slices": ({"latency": normal(), "samples": 40}, FIXED + SLICES, lambda c: sliced(c) + [
        ("the median holds the truth", holds(c, "latency", "median", 0.02)),
        ("less than a second is one window", "single_window" in reasons(c))]),
    "quads": ({"latency": normal(between_sd_s=0.001), "samples": 40, "replicate_folder": "counts"},
              FIXED + SLICES + ["--memory-limit", "1GiB,2GiB", "--baseline", "memory_limit=1GiB", "--replicates", "2"],
              sliced),
    "quads_of_processes": ({"latency": normal(between_sd_s=0.001), "samples": 40, "replicate_folder": "counts"},
                           FIXED + SLICES + ["--memory-limit", "1GiB,2GiB", "--baseline", "memory_limit=1GiB"], sliced),
    "offline": ({"latency": normal(), "samples": 40}, BATCHES + ["--scenario", "offline"], lambda c: [
        ("the mean holds the truth", holds(c, "cycle_time", "mean", 0.02)),
        ("no example has a latency", not any(m["name"] == "latency" for m in c["metrics"]))]),
    "request_pairs": ({"latency": normal(between_sd_s=0.001), "step": normal(mean_s=0.004), "samples": 30,
                       "replicate_folder": "counts"}, REQUESTS + ["--new-tokens", "3", "--replicates", "4"],
                      lambda c: [("the interval is over replicates",
                                  row(c, "time_to_first_token", "median")["interval"] == "between_replicates")]),
}


def run(binaries, folder, name):
    behaviour, flags, _ = SCENARIOS[name]
    environment = {**os.environ, "TRANSFORMETER_FAKE_WORKER": json.dumps(behaviour)}
    work = pathlib.Path(folder) / name
    work.mkdir()
    command = [str(binaries / "transformeter")]
    done = subprocess.run(
        command + ["run", "--precision", "fp32", "--store", "r.db", "--name", name, "--peaks", "measure", "--worker",
                   str(binaries / "transformeter-fake-worker")] + ([] if "--slices" in flags else ["--slices", "1"])
        + ([] if "--scenario" in flags else BATCHES) + flags,
        cwd=work, env=environment, capture_output=True, text=True, timeout=60)
    # A replicate that crashed is a fault of the run, however well the others did.
    if done.returncode != (1 if name == "failing" else 0):
        raise RuntimeError(f"{name}: exit code {done.returncode}: {done.stderr}")
    shown = subprocess.run(command + ["show", "--store", "r.db", "--format", "json"], cwd=work, check=True,
                           capture_output=True, text=True, timeout=60)
    return json.loads(shown.stdout)


def check_request_draws(name, the_case, replicate):
    behaviour, requested = SCENARIOS[name][0], the_case["settings"]["requested"]
    first = check_results.series_of(replicate, "time_to_first_token")["value"]
    steps = check_results.series_of(replicate, "decode_step")["value"]
    drawn = generator.latencies(behaviour, requested, replicate["index"], [1] * len(first))
    drawn_steps = generator.decode_steps(behaviour, requested, replicate["index"], len(steps))
    if np.allclose(first, drawn, rtol=1e-9, atol=0) and np.allclose(steps, drawn_steps, rtol=1e-9, atol=0):
        return []
    return [f"{name}: replicate {replicate['index']}: the stored requests are not those that were drawn"]


def check_draws(name, the_case):
    """The stored samples are those the behaviour stands for."""
    behaviour, faults = SCENARIOS[name][0], []
    for replicate in the_case["replicates"]:
        if the_case["settings"]["requested"].get("scenario") == "generate":
            faults += check_request_draws(name, the_case, replicate)
            continue
        latency = check_results.series_of(replicate, "latency")
        if latency is None:
            continue
        tokens = np.array(latency["processed_tokens"], dtype=float)
        cycle = the_case["settings"]["effective"].get("cycle_batches_full", 1)
        mean = tokens[0] if cycle == 1 else 8 * np.mean([16 + 8 * k for k in range(cycle)])
        drawn = generator.latencies(behaviour, the_case["settings"]["requested"], replicate["index"], tokens / mean)
        if not np.allclose(latency["value"], drawn, rtol=1e-9, atol=0):
            faults.append(f"{name}: replicate {replicate['index']}: the stored samples are not those that were drawn")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True, type=pathlib.Path)
    binaries = parser.parse_args().binaries.resolve()
    checked, faults, planted = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, _, expectations) in SCENARIOS.items():
            results = run(binaries, folder, name)
            the_case = results["runs"][0]["cases"][0]
            faults += check_draws(name, the_case)
            pairs = (results["runs"][0]["comparison"] or {"pairs": []})["pairs"]
            if "--slices" in SCENARIOS[name][1]:
                cases = {one["id"]: one for one in results["runs"][0]["cases"]}
                faults += [f"{name}: {pair['case']}: the oracle has another speed-up" for pair in pairs
                           if not compared(pair, cases)]
                checked += 1 + len(pairs)
            else:
                for rows, differences in (check_results.check(results), check_results.check_comparisons(results)):
                    checked += rows
                    faults += differences
            if name == "baseline":
                expectations = lambda c: [("both candidates have a pair", len(pairs) == 2)] + [
                    ("speed-up holds the truth", holds(pair, "speed_up", "ratio", 1)) for pair in pairs]
            for what, held in expectations(the_case):
                planted += 1
                if not held:
                    faults.append(f"{name}: it does not hold that {what}")
    for fault in faults:
        print(fault)
    print(f"golden: {len(SCENARIOS)} scenarios, {checked} rows compared, {planted} planted truths, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
