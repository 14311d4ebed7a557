"""Tables and files of what was seen."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
from dataclasses import dataclass

from sweep.medians import Case, Coverage, coverage
from sweep.programs import Sweep


@dataclass
class Repetition:
    """Both programs, one after the other."""

    ours_first: bool
    ours: Sweep
    theirs: Sweep

    @property
    def ratio(self) -> float:
        return self.ours.wall_s / self.theirs.wall_s


def _spread(values: list[float], form: str) -> str:
    """The median with the range, where there is one."""
    text = format(statistics.median(values), form)
    return text if len(values) == 1 else f"{text} ({min(values):{form}}–{max(values):{form}})"


def _markdown(table: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return [lines[0], "|" + "---|" * len(table[0]), *lines[1:]]


def wall_table(repetitions: list[Repetition]) -> list[str]:
    ours = [one.ours.wall_s for one in repetitions]
    theirs = [one.theirs.wall_s for one in repetitions]
    foreign = [max(one.ours.foreign_cpus, one.theirs.foreign_cpus) for one in repetitions]
    header = ["repetitions", "transformeter, s", "optimum-benchmark, s", "ratio", "CPUs others kept busy"]
    row = [str(len(repetitions)), _spread(ours, ".1f"), _spread(theirs, ".1f"),
           _spread([one.ratio for one in repetitions], ".2f"), _spread(foreign, ".2f")]
    return _markdown([header, row])


def _cells(one: Coverage) -> list[str]:
    width = "none" if one.half_width_ratio is None else f"± {100 * one.half_width_ratio:.1f} %"
    return [f"{1e3 * one.grand_median_s:.2f}", width, f"{one.covered} of {one.runs}"]


def _coverages(sweeps: list[Sweep]) -> dict[Case, Coverage]:
    return {case: coverage([one.estimates[case] for one in sweeps]) for case in sweeps[0].estimates}


def case_table(repetitions: list[Repetition]) -> list[str]:
    """One row for each case, and the sums: of how many intervals how many hold the grand median."""
    header = ["batch", "length", "ours: median, ms", "interval", "covered", "valid", "theirs: median, ms", "interval",
              "covered"]
    ours = _coverages([one.ours for one in repetitions])
    theirs = _coverages([one.theirs for one in repetitions])
    table = [header]
    for case, one in ours.items():
        table.append([str(case.batch_size), str(case.sequence_length), *_cells(one), f"{one.valid} of {one.runs}",
                      *_cells(theirs[case])])
    runs = sum(one.runs for one in ours.values())
    table.append(["all", "", "", "", f"{sum(one.covered for one in ours.values())} of {runs}",
                  f"{sum(one.valid for one in ours.values())} of {runs}", "", "",
                  f"{sum(one.covered for one in theirs.values())} of {runs}"])
    return _markdown(table)


def notes(repetitions: list[Repetition], about: dict) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    facts = repetitions[0].theirs.facts
    reasons: dict[str, int] = {}
    for estimate in (estimate for one in repetitions for estimate in one.ours.estimates.values()):
        for reason in estimate.reasons:
            reasons[reason] = reasons.get(reason, 0) + 1
    ours = _coverages([one.ours for one in repetitions]).values()
    found = ", ".join(f"{name} {count}" for name, count in sorted(reasons.items(), key=lambda item: -item[1]))
    return [f"{about['date']}; {versions}; {about['threads']} threads; {about['our_version']}.",
            f"optimum-benchmark with its defaults: {facts['warmup_runs']} warm-up passes, then at least "
            f"{facts['iterations']} passes and {facts['duration']} s; one process for all cases.",
            *([f"transformeter run with {' '.join(about['run_options'])}."] if about["run_options"] else []),
            "The interval is the median half-width; covered: how many intervals hold the median of all repetitions' "
            "medians. Theirs are distribution-free ones of its samples.",
            f"Of the valid rows of ours, {sum(one.valid_covered for one in ours)} of {sum(one.valid for one in ours)} hold "
            "it.",
            f"Reasons why rows of ours are not valid: {found or 'none'}."]


def text(repetitions: list[Repetition], about: dict) -> str:
    lines = [*wall_table(repetitions), "", *case_table(repetitions), ""]
    return "\n".join([*lines, *(f"- {one}" for one in notes(repetitions, about))]) + "\n"


def _sweep_json(sweep: Sweep) -> dict:
    cases = [{**dataclasses.asdict(case), **dataclasses.asdict(one)} for case, one in sweep.estimates.items()]
    return {"wall_s": sweep.wall_s, "foreign_cpus": sweep.foreign_cpus, "facts": sweep.facts, "cases": cases}


def document(repetitions: list[Repetition], about: dict) -> dict:
    found = [{"ours_first": one.ours_first, "ours": _sweep_json(one.ours), "theirs": _sweep_json(one.theirs)}
             for one in repetitions]
    return {**about, "repetitions": found}


def write(repetitions: list[Repetition], about: dict, folder: pathlib.Path) -> None:
    """sweep.md and sweep.json, replaced when they are complete."""
    texts = {"sweep.md": text(repetitions, about),
             "sweep.json": json.dumps(document(repetitions, about), indent=1) + "\n"}
    for name, content in texts.items():
        partial = folder / f"{name}.partial"
        partial.write_text(content, encoding="utf-8")
        partial.replace(folder / name)
