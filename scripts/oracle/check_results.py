#!/usr/bin/env python3
"""Computes every metric of stored runs again, from their raw samples and by other code, and compares.

Usage: transformeter show --format json | scripts/oracle/check_results.py [FILE]
Exit code 0: all figures agree; 1: some do not, each is named; 3: no input. Where the steady window begins is taken from
the result (`steady_from`); all else is computed. From 100 samples on the effective n is found by a simpler estimator
than the program's, so the ends of an interval may differ there by a quarter of its length; below they agree to 1e-6.
"""
import json
import math
import sys

import numpy as np
from scipy import stats

import estimators as oracle

WARMUP = 1
SCALARS = ["peak_rss", "peak_rss_load", "peak_anonymous", "baseline_rss", "pss_at_end", "peak_allocated",
           "weight_bytes", "load_time", "tokenize_time", "first_forward", "cold_start", "harness_cost"]
MAX_FOREIGN_LOAD = 0.05  # CPUs; above it a peak is one of what other work left
TRAINING_SCALARS = ["trainable_parameters", "gradient_bytes", "optimizer_bytes", "activation_bytes",
                    "activation_bytes_forecast", "peak_allocated_forecast"]


def series_of(replicate, name):
    return next((s for s in replicate["series"] if s["name"] == name), None)


def measured_batches(replicate):
    latency = series_of(replicate, "latency")
    return sum(1 for flags in latency["flags"] if not flags & WARMUP) if latency else 0


def scalar(replicate, name):
    series = series_of(replicate, name)
    return series["value"][0] if series and series["value"] and series["value"][0] is not None else None


class Window:
    """The samples of one replicate that count, in units: samples, or complete cycles."""

    def __init__(self, replicate, batches):
        latency = series_of(replicate, "latency")
        flags = np.array(latency["flags"] or [0] * len(latency["value"]))
        places = np.flatnonzero((flags & WARMUP) == 0)
        self.steady = replicate["steady_from"] is not None
        if batches == 1 and self.steady:
            places = places[places >= replicate["steady_from"]]
        if batches > 1:
            places = self.complete_cycles(np.array(latency["index"]), places, batches)
        column = lambda name: np.array(latency[name], dtype=float)[places] if latency[name] else None
        self.places = places
        self.samples = column("value")
        self.count = len(places)
        self.flops = {}  # of the steps that count, by metric
        self.units = {name: None if column(name) is None else column(name).reshape(-1, batches).sum(axis=1)
                      for name in ("value", "examples", "useful_tokens", "processed_tokens")}

    @staticmethod
    def complete_cycles(index, places, batches):
        kept, current = [], []
        for place in places:
            if index[place] != len(current):
                current = []
                if index[place] != 0:
                    continue
            current.append(place)
            if len(current) == batches:
                kept += current
                current = []
        return np.array(kept, dtype=int)


class Checker:
    def __init__(self, where, the_case):
        self.where = where
        self.case = the_case
        self.faults = []
        self.checked = 0
        self.ok = [r for r in the_case["replicates"] if r["status"] == "ok"]
        effective = the_case["settings"]["effective"]
        requested = the_case["settings"]["requested"]
        self.is_generate = requested.get("scenario") == "generate"
        self.is_train = requested.get("scenario") == "train"
        self.is_offline = requested.get("scenario") == "offline"
        self.steps = requested["new_tokens"] - 1 if self.is_generate else None
        self.batches = 1 if self.is_generate or self.is_offline else max([int(effective.get("cycle_batches", 1))] +
                           [max([0] + series_of(r, "latency")["index"]) + 1 for r in self.ok])
        self.windows = [Window(r, self.batches) for r in self.ok]

    def row(self, name, statistic):
        return next((m for m in self.case["metrics"] if m["name"] == name and m["statistic"] == statistic), None)

    def compare(self, name, statistic, expected, slack=0.0, most=math.inf):
        """`expected` is (value, low, high), None for a missing one; `slack` is of the interval's length, and no interval
        ends above `most`."""
        row = self.row(name, statistic)
        where = f"{self.where}: {name} {statistic}"
        if row is None:
            self.faults.append(f"{where}: no such row")
            return
        self.checked += 1
        if expected is None:
            expected = (None, None, None)
        length = (expected[2] or 0) - (expected[1] or 0) if expected[1] is not None else 0
        if expected[2] is not None:
            expected = (*expected[:2], min(expected[2], most))
        for field, wanted in zip(("value", "low", "high"), expected):
            tolerance = slack * length if field != "value" else 0.0
            if (row[field] is None) != (wanted is None):
                self.faults.append(f"{where}: {field} is {row[field]}, the oracle says {wanted}")
            elif wanted is not None and not math.isclose(row[field], wanted, rel_tol=1e-6, abs_tol=tolerance + 1e-12):
                self.faults.append(f"{where}: {field} is {row[field]!r}, the oracle says {wanted!r}")

    def per_replicate(self, name, statistic, estimate, slack, most=math.inf, peak=None, time=lambda w: w.units["value"]):
        """`estimate(window)` of each replicate, combined, ratios by their `time`; without a steady window there is no
        interval. Of a share of a `peak`, whose interval is part of it."""
        estimates = [estimate(w) if w.steady else (estimate(w)[0], None, None) for w in self.windows]
        weights = [math.fsum(time(w)) for w in self.windows] if statistic == "ratio" else None
        combined = oracle.combine(estimates, weights)
        if peak and combined[1] is not None and combined[0] > 0 and peak.get("low") is not None:
            value, low, high = combined[:3]
            below = math.hypot(1 - low / value, peak["high"] / peak["value"] - 1)
            above = math.hypot(high / value - 1, 1 - peak["low"] / peak["value"])
            combined = (value, max(0.0, value * (1 - below)), value * (1 + above), combined[3])
        self.compare(name, statistic, combined[:3], slack if len(estimates) < 3 else 0, most)
        row = self.row(name, statistic)
        if row and row["interval"] != combined[3]:
            self.faults.append(f"{self.where}: {name} {statistic}: interval {row['interval']}, not {combined[3]}")

    def check_median(self, name, samples, slack):
        """The median of all replicates' samples together; `samples(window)` are those of each. The interval is that of
        the replicates' medians, stretched to the value where it ends before."""
        value = float(np.median(np.concatenate([samples(w) for w in self.windows])))
        apart = [oracle.median(samples(w)) if w.steady else (float(np.median(samples(w))), None, None)
                 for w in self.windows]
        _, low, high, kind = oracle.combine(apart)
        if low is not None:
            low, high = min(low, value), max(high, value)
        self.compare(name, "median", (value, low, high), slack if len(apart) < 3 else 0)
        row = self.row(name, "median")
        if row and row["interval"] != kind:
            self.faults.append(f"{self.where}: {name} median: interval {row['interval']}, not {kind}")

    def check_order(self):
        """No statistic of one metric's samples is below one that must come before it."""
        for name in {m["name"] for m in self.case["metrics"]}:
            rows = [row for statistic in ("min", "p10", "median", *oracle.PERCENTILES, "max")
                    if (row := self.row(name, statistic)) and row["value"] is not None]
            for lower, upper in zip(rows, rows[1:]):
                self.checked += 1
                if lower["value"] > upper["value"]:
                    self.faults.append(f"{self.where}: {name}: {lower['statistic']} {lower['value']!r} is above "
                                       f"{upper['statistic']} {upper['value']!r}")

    def check_latency(self):
        pooled = np.concatenate([w.samples for w in self.windows])
        units = min(len(w.units["value"]) for w in self.windows)
        slack = 0.25 if units >= 100 else 0.0
        if self.is_offline:
            self.per_replicate("cycle_time", "mean", lambda w: oracle.mean(
                w.units["value"], oracle.effective_n_of_mean(w.units["value"])), slack)
            self.check_rates(slack)
            return
        if self.batches == 1:
            self.check_median("latency", lambda w: w.samples, slack)
            self.per_replicate("latency", "mean", lambda w: oracle.mean(
                w.samples, oracle.effective_n_of_mean(w.samples)), slack)
        else:
            self.compare("latency", "median", (float(np.median(pooled)), None, None))
            self.compare("latency", "mean", (float(np.mean(pooled)), None, None))
            self.per_replicate("cycle_time", "mean", lambda w: oracle.mean(
                w.units["value"], oracle.effective_n_of_mean(w.units["value"])), slack)
        plain = {"min": np.min(pooled), "max": np.max(pooled), "total": math.fsum(pooled),
                 "mad": np.median(np.abs(pooled - np.median(pooled))), "stddev": np.std(pooled, ddof=1)}
        for statistic, value in plain.items():
            self.compare("latency", statistic, (float(value), None, None))
        self.check_percentiles(pooled, slack)
        self.check_rates(slack)

    def check_rates(self, slack):
        rates = [("throughput_samples", "examples")]
        if not self.is_generate:
            rates += [("throughput_useful_tokens", "useful_tokens"), ("throughput_processed_tokens", "processed_tokens")]
        for name, column in rates:
            if all(w.units[column] is not None for w in self.windows):
                self.per_replicate(name, "ratio", lambda w: oracle.rate(w.units[column], w.units["value"]), slack)
        self.check_time_per_example()
        if not (self.is_generate or self.is_train or self.is_offline):
            self.per_replicate("throughput_batches", "ratio", lambda w: oracle.rate(
                np.full(len(w.units["value"]), float(self.batches)), w.units["value"]), slack)

    def check_time_per_example(self):
        """The inverse of the rate, which is checked itself, and of its interval."""
        rate = self.row("throughput_samples", "ratio")
        if rate is None or not rate["value"]:
            return
        has_interval = rate["low"] is not None and rate["low"] > 0
        ends = (1 / rate["high"], 1 / rate["low"]) if has_interval else (None, None)
        self.compare("time_per_example", "ratio", (1 / rate["value"], *ends))

    def check_requests(self):
        """Scenario generate: the parts of the requests that count; those of a request sum up to its latency."""
        prompt = self.case["settings"]["requested"]["prompt_length"]
        for window, replicate in zip(self.windows, self.ok):
            total = np.array(series_of(replicate, "latency")["value"])
            first = np.array(series_of(replicate, "time_to_first_token")["value"])
            steps = np.array(series_of(replicate, "decode_step")["value"]).reshape(len(total), self.steps)
            if not np.allclose(first + steps.sum(axis=1), total, rtol=1e-9, atol=0):
                self.faults.append(f"{self.where}: the phases of a request do not sum up to it")
            window.first = first[window.places]
            window.steps = steps[window.places]
        slack = 0.25 if min(len(w.first) for w in self.windows) >= 100 else 0.0
        times = {"time_to_first_token": lambda w: w.first}
        if self.steps:
            times["time_per_output_token"] = lambda w: w.steps.sum(axis=1) / self.steps
        for name, values in times.items():
            self.check_median(name, values, slack)
            self.per_replicate(name, "mean", lambda w: oracle.mean(
                values(w), oracle.effective_n_of_mean(values(w))), slack)
            pooled = np.concatenate([values(w) for w in self.windows])
            self.compare(name, "max", (float(np.max(pooled)), None, None))
        self.per_replicate("throughput_prefill_tokens", "ratio", lambda w: oracle.rate(
            np.full(len(w.first), float(prompt)), w.first), slack, time=lambda w: w.first)
        if self.steps:
            self.per_replicate("throughput_decode_tokens", "ratio", lambda w: oracle.rate(
                np.full(len(w.first), float(self.steps)), w.steps.sum(axis=1)), slack, time=lambda w: w.steps.sum(axis=1))
            pooled = np.concatenate([w.steps.ravel() for w in self.windows])
            self.compare("inter_token_latency", "median", (float(np.median(pooled)), None, None))
        else:
            self.compare("time_per_output_token", "median", None)
            self.compare("throughput_decode_tokens", "ratio", None)

    def check_training(self):
        """Scenario train: the phases of the steps that count, and what was learnt in all steps that were measured."""
        phases = ["data_wait", "forward_time", "backward_time", "optimizer_time"]
        for window, replicate in zip(self.windows, self.ok):
            window.phases = {p: np.array(series_of(replicate, p)["value"])[window.places] for p in phases}
            # One after the other, as the program does: rounded otherwise, equal times would differ, and the ranks of an
            # interval of whole nanoseconds with them.
            rest = window.samples
            for phase in phases:
                rest = rest - window.phases[phase]
            window.phases["other_time"] = rest
            if np.any(window.phases["other_time"] < -1e-9):
                self.faults.append(f"{self.where}: the phases of a step are longer than it")
        slack = 0.25 if min(len(w.samples) for w in self.windows) >= 100 else 0.0
        skipped = [int(sum(series_of(r, "skipped_step")["value"])) for r in self.ok]
        for phase in phases + ["other_time"]:
            if phase == "optimizer_time" and any(skipped):
                continue  # its steps are others then
            self.check_median(phase, lambda w: w.phases[phase], slack)
        losses = [np.array(series_of(r, "loss")["value"]) for r in self.ok]
        last = [(float(np.mean(values[-math.ceil(len(values) / 4):])), None, None) for values in losses]
        self.compare("loss", "mean", oracle.combine(last)[:3])
        self.compare("skipped_steps", "total", oracle.combine([(float(n), None, None) for n in skipped])[:3])
        if all(10 <= len(values) <= 512 and np.all(values > 0) for values in losses):
            slopes = [oracle.slope(np.log(values)) for values in losses]
            falls = [(-value, -high, -low) for value, low, high in slopes]
            self.compare("loss_convergence_rate", "value", oracle.combine(falls)[:3])
        self.check_step_costs(slack)

    def check_shares(self, kind, rates, slack):
        """Of the peak `kind`; `rates` are estimates of each replicate, by the share's name. Where any of them is above the
        peak, in this case or another one, the peak is wrong, and all of its shares are null; so they are of a peak that
        was measured beside other work. No share is above 1."""
        peak = self.case["settings"]["effective"].get("peaks", {}).get(kind, {})
        value = peak.get("value")
        if not value or not rates:
            return
        fastest = max(rate(w)[0] for rate in rates.values() for w in self.windows)
        is_wrong = fastest > value or peak.get("exceeded") is True or (peak.get("foreign_load") or 0) > MAX_FOREIGN_LOAD
        for name, rate in rates.items():
            if is_wrong:
                self.compare(name, "ratio", None)
                continue
            share = lambda w: tuple(None if field is None else field / value for field in rate(w))
            self.per_replicate(name, "ratio", share, slack, most=1.0, peak=peak)

    def check_skipped(self, processed, padded, whole_cycle):
        """Exact: a cycle's operations from any replicate, those of steps from all that count."""
        found = [(series_of(r, processed), series_of(r, padded)) for r in self.ok]
        if not all(one and other for one, other in found):
            return
        totals = [0.0, 0.0]
        for window, pair in zip(self.windows, found):
            for i, one in enumerate(pair):
                values = np.array(one["value"]) if whole_cycle else np.array(one["value"])[window.places]
                totals[i] += math.fsum(values)
            if whole_cycle:
                break
        self.compare("skipped_share", "ratio", (1 - totals[0] / totals[1], None, None) if totals[1] else None)

    def check_step_costs(self, slack):
        self.check_skipped("processed_step_flops", "padded_step_flops", whole_cycle=False)
        rates = {}
        for name, series in (("mfu", "useful_step_flops"), ("hfu", "processed_step_flops")):
            found = [series_of(r, series) for r in self.ok]
            if not all(found):
                continue
            for window, one in zip(self.windows, found):
                window.flops[name] = np.array(one["value"])[window.places]
            rates[name] = lambda w, name=name: oracle.rate(w.flops[name], w.samples)
        self.check_shares("gemm", rates, slack)
        price = self.case["settings"]["requested"].get("price_per_hour")
        if isinstance(price, (int, float)):
            step = self.row("latency", "mean")
            self.compare("cost_per_step", "mean", tuple(
                None if step[field] is None else step[field] * price / 3600 for field in ("value", "low", "high")))

    def check_efficiency(self):
        """Work of a whole cycle over its time, and the shares of the peaks that the case was held against."""
        units = min(len(w.units["value"]) for w in self.windows)
        slack = 0.25 if units >= 100 else 0.0
        rates = {}
        for name, series in (("mfu", "useful_flops"), ("hfu", "processed_flops"), ("bandwidth_share", "weight_bytes_read")):
            found = [series_of(r, series) for r in self.ok]
            if not all(found):
                continue
            total = math.fsum(found[0]["value"]) * (self.batches if series == "weight_bytes_read" else 1)
            rates[name] = lambda w, total=total: oracle.rate(np.full(len(w.units["value"]), total), w.units["value"])
        seconds = [series_of(r, "audio_seconds") for r in self.ok]
        if all(seconds):
            total_s = math.fsum(seconds[0]["value"])
            self.per_replicate("throughput_audio_seconds", "ratio",
                               lambda w: oracle.rate(np.full(len(w.units["value"]), total_s), w.units["value"]), slack)
        if "mfu" in rates:
            self.per_replicate("throughput_flops", "ratio", rates["mfu"], slack)
        self.check_shares("gemm", {name: rates[name] for name in ("mfu", "hfu") if name in rates}, slack)
        self.check_skipped("processed_flops", "padded_flops", whole_cycle=True)
        self.check_shares("read_bandwidth", {name: rates[name] for name in ("bandwidth_share",) if name in rates}, slack)

    def check_percentiles(self, pooled, slack):
        for name, p in oracle.PERCENTILES.items():
            if self.batches == 1 and len(self.windows) == 1:
                expected = oracle.percentile(pooled, p)
                at_the_edge = slack > 0 and (expected is None) != (self.row("latency", name)["value"] is None)
                if at_the_edge:  # the estimators of effective n may stand on either side of the smallest count
                    continue
                if expected and not self.windows[0].steady:
                    expected = (expected[0], None, None)
                self.compare("latency", name, expected, slack)
                continue
            carried = self.batches if self.batches > 1 else None
            if carried is None:
                carried = sum(oracle.effective_n_of_quantile(w.samples, p) for w in self.windows)
            value = float(np.quantile(pooled, p, method="inverted_cdf"))
            self.compare("latency", name, (value, None, None) if carried >= oracle.smallest_count(p) else None)

    def check_scalars(self):
        for name in SCALARS + (TRAINING_SCALARS if self.is_train else []):
            values = [v for v in (scalar(r, name) for r in self.ok) if v is not None]
            if values:
                estimates = [(v, None, None) for v in values]
                self.compare(name, "value" if len(values) == 1 else "mean", oracle.combine(estimates)[:3])
        above = [(scalar(r, "peak_rss") - scalar(r, "baseline_rss"), None, None) for r in self.ok
                 if scalar(r, "peak_rss") is not None and scalar(r, "baseline_rss") is not None]
        if above:
            self.compare("peak_rss_above_baseline", "value" if len(above) == 1 else "mean", oracle.combine(above)[:3])
        faults = [(scalar(r, "minor_faults") / batches, None, None) for r in self.ok
                  if scalar(r, "minor_faults") is not None and (batches := measured_batches(r)) > 0]
        if faults:
            self.compare("page_faults", "value" if len(faults) == 1 else "mean", oracle.combine(faults)[:3])
        row = self.row("accuracy", "ratio")
        if row and row["value"] is not None:
            counted = next(r for r in self.ok if scalar(r, "correct") is not None and scalar(r, "evaluated"))
            self.compare("accuracy", "ratio",
                         oracle.proportion(int(scalar(counted, "correct")), int(scalar(counted, "evaluated"))))

        row = self.row("macro_f1", "ratio")
        if row and row["value"] is not None:
            answers = next(r for r in self.ok if series_of(r, "true_class"))
            value = oracle.macro_f1(series_of(answers, "true_class")["value"], series_of(answers, "predicted_class")["value"])
            self.compare("macro_f1", "ratio", (value, row["low"], row["high"]))  # its interval is drawn by chance

        for metric, edits, units in (("word_error_rate", "word_edits", "reference_words"),
                                     ("character_error_rate", "character_edits", "reference_characters")):
            row = self.row(metric, "ratio")
            if row and row["value"] is not None:
                spoken = next(r for r in self.ok if series_of(r, edits))
                value = math.fsum(series_of(spoken, edits)["value"]) / math.fsum(series_of(spoken, units)["value"])
                self.compare(metric, "ratio", (value, row["low"], row["high"]))  # its interval is drawn by chance

    def run(self):
        if self.ok and all(w.count for w in self.windows):
            self.check_latency()
            if self.is_generate:
                self.check_requests()
            elif self.is_train:
                self.check_training()
            else:
                self.check_efficiency()
            self.check_scalars()
            self.check_order()
        return self.faults


def check(results):
    """(figures compared, faults) of a whole result."""
    checked, faults = 0, []
    for run in results["runs"]:
        for the_case in run["cases"]:
            checker = Checker(f"run {run['name'] or run['id']} case {the_case['id']}", the_case)
            faults += checker.run()
            checked += checker.checked
    return checked, faults


MEMORY_SAVED = {"memory_saved": lambda r: scalar(r, "peak_rss") - scalar(r, "baseline_rss"),
                "anonymous_memory_saved": lambda r: scalar(r, "peak_anonymous"),
                "tensor_memory_saved": lambda r: scalar(r, "peak_allocated")}


def replicate_values(the_case, of):
    return np.array([of(r) for r in the_case["replicates"] if r["status"] == "ok"])


def centre_and_error(value, of_replicates):
    """Of the t interval over the replicates, stretched to the value; the error relative to the centre."""
    count = len(of_replicates)
    quantile = stats.t.ppf(0.975, count - 1)
    mean, half = np.mean(of_replicates), quantile * np.std(of_replicates, ddof=1) / math.sqrt(count)
    low, high = min(mean - half, value), max(mean + half, value)
    return (low + high) / 2, (high - low) / 2 / quantile / ((low + high) / 2)


def quotient(baseline, candidate):
    """Of two pairs (value, of each replicate): the ratio of the values, with Welch's interval on logarithms around the
    ratio of the intervals' centres, stretched to it."""
    counts = [len(of_replicates) for _, of_replicates in (baseline, candidate)]
    (ours, our_error), (theirs, their_error) = (centre_and_error(*one) for one in (baseline, candidate))
    variance = our_error ** 2 + their_error ** 2
    centre, half = math.log(ours / theirs), 0.0
    if variance > 0:
        freedom = variance ** 2 / sum(e ** 4 / (n - 1) for e, n in zip((our_error, their_error), counts))
        half = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    value = baseline[0] / candidate[0]
    return value, min(math.exp(centre - half), value), max(math.exp(centre + half), value)


def check_pair(where, pair, cases):
    """(figures compared, faults) of one pair; only of cases whose cycle is one batch."""
    both = cases[pair["baseline_case"]], cases[pair["case"]]
    time = lambda r: float(np.median(Window(r, 1).samples))
    all_samples = lambda c: np.concatenate([Window(r, 1).samples for r in c["replicates"] if r["status"] == "ok"])
    checked, faults = 0, []
    for row in pair["metrics"]:
        if row["value"] is None:
            continue
        checked += 1
        of = MEMORY_SAVED.get(row["name"])
        figures = [(np.mean(replicate_values(c, of)), replicate_values(c, of)) if of
                   else (float(np.median(all_samples(c))), replicate_values(c, time)) for c in both]
        expected = quotient(*figures)
        if row["name"] != "speed_up":
            expected = tuple(1 - 1 / x for x in expected)
        for field, wanted in zip(("value", "low", "high"), expected):
            if not math.isclose(row[field], wanted, rel_tol=1e-6, abs_tol=1e-9):
                faults.append(f"{where}: {row['name']} {field} is {row[field]!r}, the oracle says {wanted!r}")
    return checked, faults


def check_comparisons(results):
    """(figures compared, faults) of every pair of a baseline and a candidate that has figures."""
    checked, faults = 0, []
    for run in results["runs"]:
        cases = {c["id"]: c for c in run["cases"]}
        for pair in (run["comparison"] or {"pairs": []})["pairs"]:
            has_cycles = any(c["settings"]["effective"].get("cycle_batches", 1) > 1
                             for c in (cases[pair["case"]], cases.get(pair["baseline_case"], {"settings": {"effective": {}}})))
            if pair["baseline_case"] is None or has_cycles:
                continue
            compared, differences = check_pair(f"run {run['id']} {pair['case']} against {pair['baseline_case']}", pair, cases)
            checked += compared
            faults += differences
    return checked, faults


def main():
    text = open(sys.argv[1], encoding="utf-8").read() if len(sys.argv) > 1 else sys.stdin.read()
    try:
        results = json.loads(text)
    except ValueError as error:
        print(f"oracle: no JSON result: {error}", file=sys.stderr)
        return 3
    checked, faults = check(results)
    compared, differences = check_comparisons(results)
    checked, faults = checked + compared, faults + differences
    for fault in faults:
        print(fault)
    print(f"oracle: {checked} rows compared, {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
