#!/usr/bin/env python3
"""Every figure in the sentences of a report, computed again from the results it was made of, whose rows the other
oracles compute from the samples; then each figure is changed, and the change has to be found.

Usage: scripts/oracle/prose.py --binaries FOLDER
FOLDER holds transformeter and transformeter-fake-worker. Exit code 0: all agrees, 1: not, 77: numpy or scipy is missing.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

try:
    import numpy as np
    import scipy  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: the oracle needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

import bottlenecks
import check_results
import made_profiles
import slices
from quantities import quantity

BASE = {"kind": "normal", "mean_s": 0.02, "sd_s": 0.001, "between_sd_s": 0.0004}
FASTER = [{"when": {"engine": "fast"}, "latency": {**BASE, "mean_s": 0.015}},
          {"when": {"batch_size": 1}, "latency": {**BASE, "sd_s": 0.004, "between_sd_s": 0.002}}]
ENGINES = ["--batch-size", "1,4,8", "--engine", "pytorch,fast"]
BASELINE = ["--baseline", "engine=pytorch"]
QUADS = ["--slices", "8", "--warmup", "2"]

# Name: (flags, kinds of sentences that the report must have).
SCENARIOS = {
    "several pairs of processes": (ENGINES + BASELINE + ["--slices", "1", "--replicates", "4"],
                                   {"counts", "arm", "extreme", "batch sizes", "notes"}),
    "one pair of processes": (["--batch-size", "4", "--engine", "pytorch,fast", "--slices", "1", "--replicates", "3"] +
                              BASELINE, {"counts", "one pair", "extreme"}),
    "an axis": (ENGINES + ["--slices", "1", "--replicates", "3"], {"counts", "setting", "extreme", "batch sizes"}),
    "too few slices": (ENGINES + QUADS, {"counts", "settings", "extreme", "batch sizes", "rounds"}),
    "quads": (["--batch-size", "4,8", "--engine", "pytorch,fast"] + QUADS + BASELINE,
              {"counts", "arm", "extreme", "batch sizes", "rounds"}),
}
PROFILED = {"profiled", "bottleneck", "unprofiled"}  # in each of them
SLOW_PASSES = 1.25  # mean ÷ median of equal passes; above it slow ones are named
COUNTS_LONG = 1.1  # a library's counters: from this share of a pass on, what they take is told

METRICS = {"Lowest median latency": ("latency", "median", min),
           "Highest throughput in samples": ("throughput_samples", "ratio", max),
           "Highest throughput in useful tokens": ("throughput_useful_tokens", "ratio", max),
           "Highest throughput in seconds of sound": ("throughput_audio_seconds", "ratio", max)}


def row_of(case, name):
    metric, statistic, _ = next(wanted for wanted in METRICS.values() if wanted[0] == name)
    return next(row for row in case["metrics"] if row["name"] == metric and row["statistic"] == statistic)


def with_half_width(row):
    share = max(row["high"] - row["value"], row["value"] - row["low"]) / row["value"]
    return f"{quantity(row['value'], row['unit'])} ± {share * 100:.{2 if share < 0.001 else 1}f} %"


def between(low, high, words):
    return words(low) if words(low) == words(high) else f"{words(low)} to {words(high)}"


class Report:
    """What the sentences of a report on one run are about."""

    def __init__(self, run, profile):
        self.run = run
        self.profile = profile  # of one of its cases, as the store holds it
        self.cases = {self.label(case): case for case in run["cases"]}

    def label(self, case):
        """Batch size and engine, those that differ within the run."""
        asked = [one["settings"]["requested"] for one in self.run["cases"]]
        words = []
        for name, form in (("batch_size", "b{}"), ("engine", "{}")):
            if len({one[name] for one in asked}) > 1:
                words.append(form.format(case["settings"]["requested"][name]))
        return " ".join(words)

    def pairs(self):
        """(pair of the comparison, baseline, candidate)"""
        by_id = {case["id"]: case for case in self.run["cases"]}
        pairs = (self.run["comparison"] or {"pairs": []})["pairs"]
        return [(pair, by_id[pair["baseline_case"]], by_id[pair["case"]]) for pair in pairs]

    def batch(self, case):
        return case["settings"]["requested"]["batch_size"]

    def at(self, batch_size):
        """The cases of `engine` pytorch and fast with this batch size."""
        wanted = [case for case in self.run["cases"] if self.batch(case) == batch_size]
        return [next(case for case in wanted if case["settings"]["requested"]["engine"] == name)
                for name in ("pytorch", "fast")]


def speed_up(baseline, candidate):
    """(value, low, high, level in percent) from the samples, or None."""
    if check_results.series_of(baseline["replicates"][0], "slice_round") is not None:
        found = slices.speed_up(baseline, candidate)
        return found and (*found, 95 if len(baseline["replicates"]) >= 3 else 99)
    time = lambda r: float(np.median(check_results.Window(r, 1).samples))
    all_samples = lambda case: np.concatenate([check_results.Window(r, 1).samples for r in case["replicates"]])
    figures = [(float(np.median(all_samples(case))), check_results.replicate_values(case, time))
               for case in (baseline, candidate)]
    return (*check_results.quotient(*figures), 95)


def speed_up_words(found):
    value, low, high, level = found
    return f"speed-up {value:.3f} ({level} % interval {low:.3f} to {high:.3f})"


# Each takes a sentence's groups by name, and gives what it should say instead, by name; what it leaves out is not
# checked here.

def counts(report, _):
    """In the order of the sentence."""
    seen = Counter((case["status"], case["verdict"]["status"]) for case in report.run["cases"])
    return {"parts": sorted(f"{count} {status}, {level}" for (status, level), count in seen.items())}


def extreme(report, said):
    name, _, choose = METRICS[said["opening"]]
    rows = {label: row_of(case, name) for label, case in report.cases.items() if case["status"] == "ok"}
    best = choose(rows.values(), key=lambda row: row["value"])
    others = [label for label, row in rows.items()
              if row is not best and row["low"] <= best["high"] and row["high"] >= best["low"]]
    label = next(label for label, row in rows.items() if row is best)
    return {"value": quantity(best["value"], best["unit"]), "label": label,
            "interval": between(best["low"], best["high"], lambda end: quantity(end, best["unit"])),
            "kind": best["interval"].replace("_", " "), "others": "; ".join(others) or None,
            "doubt": " The case is doubtful." if report.cases[label]["verdict"]["status"] == "doubtful" else None}


def batch_sizes(report, said):
    cases = [case for case in report.run["cases"] if case["settings"]["requested"]["engine"] == said["engine"]]
    return {"parts": ", ".join(f"{with_half_width(row_of(case, 'throughput_samples'))} at batch {report.batch(case)}"
                               for case in cases)}


def one_pair(report, _):
    (pair, baseline, candidate), = report.pairs()
    return {"answer": pair["answer"], "speed_up": speed_up_words(speed_up(baseline, candidate)),
            "reason": pair["reason"]}


def arm(report, said):
    """The range over pairs of which each is decided, or of cases that are both valid."""
    answers = Counter(pair["answer"] for pair, _, _ in report.pairs())
    opening = f"fast vs. pytorch, {sum(answers.values())} pairs: " + ", ".join(
        f"{name} in {answers[name]}" for name in ("faster", "same", "slower", "undecided") if answers[name])
    if len(answers) == 1 and "undecided" not in answers:
        relation = "as fast as" if "same" in answers else f"{next(iter(answers))} than"
        total = sum(answers.values())
        opening = f"fast is {relation} pytorch in {'both' if total == 2 else f'all {total}'} pairs"
    counted = {report.batch(candidate): speed_up(baseline, candidate) for pair, baseline, candidate in report.pairs()
               if pair["answer"] != "undecided" or all(case["verdict"]["status"] == "valid" for case in (baseline, candidate))}
    excluded = len(report.pairs()) - len(counted)
    if not counted:
        return {"opening": opening, "least": None, "most": None, "mean": None, "excluded": str(excluded)}
    least, most = (choose(counted, key=lambda batch: counted[batch][0]) for choose in (min, max))
    words = lambda batch: "{:.3f} ({:.3f} to {:.3f}) at b{}".format(*counted[batch][:3], batch)
    return {"opening": opening, "least": words(least), "most": words(most),
            "mean": f"{math.exp(np.mean([math.log(found[0]) for found in counted.values()])):.3f}",
            "excluded": str(excluded) if excluded else None}


def setting(report, said):
    baseline, candidate = report.at(int(said["batch"]))
    found = speed_up(baseline, candidate)
    times = [with_half_width(row_of(case, "latency")) for case in (candidate, baseline)]
    return {"times": " vs. ".join(times), "speed_up": speed_up_words(found)}


def settings(report, said):
    pairs = [report.at(batch) for batch in sorted({report.batch(case) for case in report.run["cases"]})]
    assert all(speed_up(*pair) is None for pair in pairs)
    return {"pairs": str(len(pairs)), "quads": str(max(len(slices.log_ratios(*pair)) for pair in pairs))}


def notes(report, said):
    if said["what"] == "undecided":
        return {"count": str(sum(pair["reason"] == said["reason"] for pair, _, _ in report.pairs()))}
    doubt = said["reason"].removesuffix(", which the interval over pairs of slices covers")
    return {"count": str(sum(doubt in pair["tolerated_doubts"] for pair, _, _ in report.pairs()))}


def rounds(report, _):
    """Each slice ÷ the median slice of its case; the median of each round."""
    by_round = {}
    for case in report.run["cases"]:
        medians = [(process, visited, np.median(samples)) for process, visited, _, samples in slices.slices_of(case)]
        usual = np.median([median for *_, median in medians])
        for process, visited, median in medians:
            by_round.setdefault((process, visited), []).append(median / usual)
    course = [float(np.median(times)) for times in by_round.values()]
    return {"rounds": str(len(course)), "least": f"{min(course):.3f}", "most": f"{max(course):.3f}"}


def profiled(report, said):
    """Means are what tables add up to; a single slow pass raises them."""
    document = report.profile["document"]
    nodes, passes = document["nodes"], document["passes"]
    without, under = document["unprofiled_s"], document["profiled_s"]
    raised = np.mean(under) / np.median(under)
    counting = np.median(under) - np.median(without)
    counts_long = document.get("counted_by") and np.median(under) >= COUNTS_LONG * np.median(without)
    busy = sum(node["self_s"] for node in nodes[1:]) / passes if document["gpu"] is not None else None
    return {"without": quantity(np.median(without), "s"), "under": quantity(np.median(under), "s"),
            "ratio": f"{np.median(under) / np.median(without):.2f}", "n": str(len(under)),
            "mean": quantity(np.mean(under), "s"), "least": quantity(min(under), "s"), "most": quantity(max(under), "s"),
            "share": f"{100 * sum(node['self_s'] for node in nodes) / sum(under):.1f}",
            "raised": f"{raised:.1f}" if raised > SLOW_PASSES else None, "library": document.get("counted_by") or None,
            "counting": quantity(counting, "s") if counts_long else None,
            "busy": busy and quantity(busy, "s"), "busy_share": busy and f"{100 * busy / np.mean(without):.0f}",
            "measured": with_half_width(row_of(report.at(4)[0], "latency")),
            "id": report.profile["id"], "case": report.profile["case_id"], "started": report.profile["started_at"]}


def unprofiled(report, said):
    cases = len(report.run["cases"])
    return {"without": str(cases - 1), "cases": str(cases)}


def unknown_limits(report, said):
    return {"reasons": "; ".join(bottlenecks.limits(report.profile["effective"])[1])}


def bottleneck(report, said):
    return bottlenecks.expected(report.profile, said["place"])


SENTENCES = {
    "counts": (r"Results of the cases: (?P<parts>.+)\.", counts),
    "extreme": (r"(?P<opening>Lowest [^:]+|Highest [^:]+): (?P<value>.+?) at (?P<label>.+?) \(95 % interval "
                r"(?P<interval>.+?), (?P<kind>[^()]+)\)\.(?: Its interval overlaps with (?P<others>[^.]+)\.)?"
                r"(?P<doubt> The case is doubtful\.)?", extreme),
    "batch sizes": (r"Throughput by batch size \((?P<engine>\w+)\): (?P<parts>.+)\.", batch_sizes),
    "arm": (r"(?P<opening>fast .+ pairs(?:: [^;.]+)?)(?:; speed-up from (?P<least>.+?) to "
            r"(?P<most>\S+ \(\S+ to \S+\) at \S+) \(intervals in brackets\), geometric mean (?P<mean>[\d.]+))?"
            r"(?:; (?P<excluded>\d+) excluded from the mean \(doubtful or missing\))?\.", arm),
    "one pair": (r"fast vs\. pytorch: (?P<answer>\w+), (?P<speed_up>speed-up .+?\))(?:: (?P<reason>.+))?\.", one_pair),
    "settings": (r"engine fast vs\. pytorch \((?P<pairs>\d+) pairs\): undecided: (?P<quads>\d+) of the 8 pairs of slices .+\.",
                 settings),
    "setting": (r"engine fast vs\. pytorch \(b(?P<batch>\d+) fast\): (?P<times>.+?); (?P<speed_up>speed-up .+?\)); .+\.",
                setting),
    "notes": (r"(?P<what>undecided|answered despite a doubt) \((?P<count>\d+) pairs?\): (?P<reason>.+)", notes),
    "rounds": (r"In the (?P<rounds>\d+) rounds that several cases shared, the median slice took (?P<least>[\d.]+) to "
               r"(?P<most>[\d.]+) times .+", rounds),
    "profiled": (r"median (?P<without>.+) a pass without the profiler, (?P<under>.+) with it "
                 r"\((?P<ratio>[\d.]+)x\); with it the mean of (?P<n>\d+) is (?P<mean>.+) \((?P<least>.+) to (?P<most>.+)\); "
                 r"self times add up to (?P<share>[\d.]+) % of that"
                 r"(?:; some slow ones raise the mean, and so the tables, to (?P<raised>[\d.]+) times the median: .+?)?"
                 r"(?:; times are (?P<library>.+?)'s own counters of graph nodes, in whole microseconds; it does not report "
                 r"memory by operator)?(?:; counting takes about (?P<counting>.+?) of a pass, mostly outside nodes: .+?)?"
                 r"(?:; the GPU computes for (?P<busy>.+) of each pass, (?P<busy_share>\d+) % of one without .+?)?"
                 r"\. The run measured a median of (?P<measured>.+?)\. Profile (?P<id>\S+) (?P<case>\S+), started "
                 r"(?P<started>\S+)\.", profiled),
    "bottleneck": (r"(?P<place>.+?): (?P<own>.+?) of (?P<whole>.+?) \((?P<percent>\d+) %\) in (?P<calls>.+? calls?)\. "
                   r"(?P<bound>.+)", bottleneck),
    "unknown limits": (r"Not every limit is known \((?P<reasons>.+)\)\.", unknown_limits),
    "unprofiled": (r"(?P<without>\d+) of (?P<cases>\d+) cases have no profile of their own: .+", unprofiled),
}
# Sentences with figures that are no results: names, digests, and what terms mean.
CONSTANT = re.compile(r"(Run|Host:|Same in all cases:|Each case compared|Result of each case|data:|weights:|task:|"
                      r"95 % intervals|The interval next|Speed-up is|A case that was|docs/|transformeter |Phases of|Modules of).*")


def sentences_of(markdown):
    """Lines of text before the environment, without tables and headings."""
    body = markdown.split("\n## Environment")[0]
    lines = [re.sub(r"\\(.)", r"\1", line.removeprefix("- ")) for line in body.splitlines()]
    return [line for line in lines if line and not line.startswith(("|", "#"))]


def check_sentence(report, sentence):
    """(kind, faults); kind is None for a sentence that no oracle knows."""
    for kind, (pattern, expect) in SENTENCES.items():
        match = re.fullmatch(pattern, sentence)
        if match is None:
            continue
        said = match.groupdict()
        try:
            expected = expect(report, said)
        except (KeyError, StopIteration, ValueError) as error:
            return kind, [f"{sentence}\n  says what is not there: {error!r}"]
        if kind == "counts":
            said["parts"] = sorted(said["parts"].split("; "))
        return kind, [f"{sentence}\n  {name} is {said[name]!r}, the oracle says {wanted!r}"
                      for name, wanted in expected.items() if said[name] != wanted]
    return None, []


def changed(sentence):
    """The sentence with each of its figures changed in turn, those aside that are of the method."""
    fixed = [match.span() for match in re.finditer(r"95 %|99 %|the 8 pairs|\(b\d+ fast\)|memory_limit|: b\d.*", sentence)]
    for match in re.finditer(r"\d+", sentence):
        if any(low <= match.start() < high for low, high in fixed):
            continue
        last = match.group()[-1]
        other = str((int(last) + 1) % 10)
        yield sentence[:match.end() - 1] + other + sentence[match.end():]


def wrong_bound(sentence):
    """The sentence about a bottleneck with another bound, which no figure tells."""
    place, bound = re.fullmatch(r"(.+ calls?\. )(.+)", sentence).groups()
    unknown = "What bounds it is not known."
    return place + (unknown if bound != unknown else "It reads and writes faster than memory can: its data lies in a cache.")


class Store:
    """One run with a profile of one of its cases, whose peaks were measured."""

    def __init__(self, binaries, folder, flags):
        self.binaries, self.folder = binaries, folder
        worker = ["--model", "bert-test", "--sequence-length", "16", "--worker", str(binaries / "transformeter-fake-worker")]
        self.call("run", *worker, "--precision", "fp32", "--samples", "40", *flags)
        self.call("profile", *worker, "--batch-size", "4", "--peaks", "measure")
        self.run = json.loads(self.call("show", "--format", "json"))["runs"][0]

    def call(self, *arguments):
        environment = {**os.environ, "TRANSFORMETER_FAKE_WORKER":
                       json.dumps({"latency": BASE, "replicate_folder": "counts", "cases": FASTER})}
        return subprocess.run([str(self.binaries / "transformeter"), *arguments, "--store", "r.db"], cwd=self.folder,
                              env=environment, check=True, capture_output=True, text=True, timeout=120).stdout

    def profile(self):
        names = ["id", "case_id", "started_at", "effective", "document"]
        with contextlib.closing(sqlite3.connect(self.folder / "r.db")) as database:
            (row,) = database.execute(f"SELECT {', '.join(names)} FROM profile")
        stored = dict(zip(names, row))
        return {**stored, **{name: json.loads(stored[name]) for name in ("effective", "document")}}

    def change_profile(self, document, peaks):
        effective = {**self.profile()["effective"], "peaks": peaks}
        with contextlib.closing(sqlite3.connect(self.folder / "r.db")) as database, database:
            database.execute("UPDATE profile SET effective = ?, document = ?", (json.dumps(effective), json.dumps(document)))

    def report(self):
        """(what its sentences are about, its text)"""
        self.call("report", "-o", "r.md")
        return Report(self.run, self.profile()), (self.folder / "r.md").read_text(encoding="utf-8")


class Check:
    def __init__(self):
        self.faults, self.reports, self.sentences, self.planted = [], 0, 0, 0

    def report(self, name, report, text, wanted):
        """Each sentence of the text, and each with a wrong figure; `wanted`: the kinds that it must have."""
        self.reports += 1
        seen, places = set(), []
        for sentence in sentences_of(text):
            kind, found = check_sentence(report, sentence)
            self.faults += [f"{name}: {fault}" for fault in found]
            if kind is None:
                if re.search(r"\d", sentence) and not CONSTANT.fullmatch(sentence):
                    self.faults.append(f"{name}: no oracle knows the figures of: {sentence}")
                continue
            seen.add(kind)
            self.sentences += 1
            wrong = list(changed(sentence))
            if kind == "bottleneck":
                places.append(sentence.split(": ")[0])
                wrong.append(wrong_bound(sentence))
            self.planted += len(wrong)
            self.faults += [f"{name}: a wrong figure was not found: {one}" for one in wrong
                            if check_sentence(report, one) == (kind, [])]
        self.faults += [f"{name}: the report has no sentence of the kind '{kind}'" for kind in sorted(wanted - seen)]
        longest = list(bottlenecks.largest(report.profile["document"]))
        if places != longest:
            self.faults.append(f"{name}: the bottlenecks are {places}, the oracle says {longest}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True, type=pathlib.Path)
    binaries = parser.parse_args().binaries.resolve()
    check = Check()
    with tempfile.TemporaryDirectory() as root:
        for place, (name, (flags, wanted)) in enumerate(SCENARIOS.items()):
            folder = pathlib.Path(root) / str(place)
            folder.mkdir()
            store = Store(binaries, folder, flags)
            check.report(name, *store.report(), wanted | PROFILED)
        for name, (document, peaks, bounds) in made_profiles.PROFILES.items():
            store.change_profile(document, peaks)
            report, text = store.report()
            section = text.split("\n## Where the time goes\n")[1].split("\n## ")[0]
            reasons = bottlenecks.limits({"peaks": peaks})[1]
            check.report(name, report, section, PROFILED | ({"unknown limits"} if reasons else set()))
            if bottlenecks.bounds(report.profile) != bounds:
                check.faults.append(f"{name}: the oracle's bounds are {bottlenecks.bounds(report.profile)}, not {bounds}")
    for fault in check.faults:
        print(fault)
    print(f"prose: {check.reports} reports, {check.sentences} sentences, {check.planted} wrong figures tried, "
          f"{len(check.faults)} faults")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
