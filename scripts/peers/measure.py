"""One comparison: a workload in one precision, all arms alive, one at work."""
from __future__ import annotations

import math
import pathlib
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy

from peers import correctness, estimates, schedule
from peers.arms import REFERENCE, Arm, Site
from peers.correctness import Check
from peers.engines.base import NotThere
from peers.inputs import Inputs
from peers.noise import Disturbance, Watch
from peers.workloads import Workload

MOST_PASSES = 50  # in one block


@dataclass(frozen=True)
class Options:
    rounds: int
    reruns: int  # of disturbed rounds, at most
    block_s: float  # a block has as many passes as fit, at least one
    disturbed_above: float  # processors
    tell: Callable[[str], None] = print


@dataclass
class ArmResult:
    """What became of one arm. `rounds` has, for each round that counts, the mean seconds of a pass by measure."""

    arm: Arm
    skipped: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    check: Check | None = None
    first_result_s: float | None = None
    rounds: list[dict[str, float]] = field(default_factory=list)
    passes: dict[str, list[float]] = field(default_factory=dict)  # of all counted rounds, raw

    def add(self, times: dict[str, list[float]]) -> None:
        """A round that counts."""
        self.rounds.append({name: statistics.fmean(values) for name, values in times.items()})
        for name, values in times.items():
            self.passes.setdefault(name, []).extend(values)

    def median_s(self, measure: str) -> float:
        return statistics.median(self.passes[measure])

    @property
    def is_wrong(self) -> bool:
        """Its outputs are beyond the tolerance: it has no speed. What could not be compared is not known to be wrong."""
        return self.check is not None and self.check.is_wrong

    @property
    def is_measured(self) -> bool:
        return self.skipped is None and bool(self.rounds)


@dataclass
class Comparison:
    """The arms' results with how quiet it was."""

    workload: Workload
    precision: str
    arms: list[ArmResult]
    disturbances: list[list[Disturbance]] = field(default_factory=list)  # of each round that counts
    disturbed_rounds: int = 0  # among those that count, because the reruns were used up
    rerun_rounds: int = 0

    def ratio(self, ours: ArmResult, peer: ArmResult, measure: str) -> estimates.Ratio:
        return estimates.ratio_of([one[measure] for one in ours.rounds], [one[measure] for one in peer.rounds])


class _Live:
    """An arm with its process and the number of passes in a block."""

    def __init__(self, result: ArmResult, process, passes: int):
        self.result = result
        self.process = process
        self.passes = passes


@dataclass
class _Round:
    times: dict[str, dict[str, list[float]]]  # by arm and measure
    disturbances: list[Disturbance]

    def is_disturbed(self, limit: float) -> bool:
        return any(one.exceeds(limit) for one in self.disturbances)


class Measurement:
    """Starts what can be started, asks for rounds, ends everything."""

    def __init__(self, site: Site, workload: Workload, precision: str, options: Options):
        self._site = site
        self._workload = workload
        self._precision = precision
        self._options = options

    def run(self, arms: list[Arm]) -> Comparison:
        given = self._site.make_inputs(self._workload)
        reference = self._reference(given)
        results = [ArmResult(arm) for arm in arms if arm.applies(self._workload, self._precision)]
        comparison = Comparison(self._workload, self._precision, results)
        live: list[_Live] = []
        try:
            for result in results:
                self._start(result, given, reference, live)
            self._rounds(comparison, live)
        finally:
            for one in live:
                one.process.close()
        return comparison

    def _reference(self, given: Inputs) -> list:
        """Made once for a checkpoint and its inputs, and kept beside them."""
        path = self._site.reference(self._workload)
        if not path.exists():
            process = Arm(REFERENCE, "glibc").start(self._site, self._workload, "fp32")
            try:
                _keep(process.outputs(), path)
            finally:
                process.close()
        with numpy.load(path) as file:
            return correctness.flat_rows([file[name] for name in file.files], _lengths(given, self._workload))

    def _start(self, result: ArmResult, given: Inputs, reference: list, live: list[_Live]) -> None:
        result.skipped = result.arm.why_not(self._workload, self._precision)
        if result.skipped:
            return
        self._options.tell(f"  starting {result.arm.name}")
        try:
            result.arm.prepare(self._site, self._workload, self._precision)
            process = result.arm.start(self._site, self._workload, self._precision)
        except NotThere as reason:
            result.skipped = str(reason)
            return
        live.append(_Live(result, process, 1))
        result.versions, result.settings = process.versions, process.settings
        result.first_result_s = process.first_result_s
        try:
            rows = self._rows_of(result.arm, process, given)
            if rows is not None:
                result.check = correctness.compare(rows, reference, self._precision)
            live[-1].passes = self._passes_in_a_block(process)
        except NotThere as reason:
            result.skipped = str(reason)
            live.pop().process.close()
            return
        if self._workload.starts_afresh:
            process.close()

    def _rows_of(self, arm: Arm, process, given: Inputs) -> list | None:
        if arm.is_ours:
            return process.rows(given)
        return correctness.flat_rows(process.outputs(), _lengths(given, self._workload))

    def _passes_in_a_block(self, process) -> int:
        if self._workload.starts_afresh:
            return 1
        one = {name: times[0] for name, times in process.passes(1).items()}
        return max(1, min(MOST_PASSES, math.floor(self._options.block_s / _pass_s(self._workload, one))))

    def _rounds(self, comparison: Comparison, live: list[_Live]) -> None:
        wanted, left = self._options.rounds, self._options.reruns
        names = [one.result.arm.name for one in live]
        for number, order in enumerate(schedule.orders(names, wanted + left + len(live))):
            if len(comparison.disturbances) == wanted:
                return
            done = self._round([one for name in order for one in live if one.result.arm.name == name], live)
            if done is None:
                continue
            disturbed = done.is_disturbed(self._options.disturbed_above)
            self._options.tell(f"  round {number + 1}{', disturbed' if disturbed else ''}: " + _summary(done))
            if disturbed and left > 0:
                left -= 1
                comparison.rerun_rounds += 1
                continue
            comparison.disturbed_rounds += disturbed
            comparison.disturbances.append(done.disturbances)
            for one in live:
                one.result.add(done.times[one.result.arm.name])

    def _round(self, order: list[_Live], live: list[_Live]) -> _Round | None:
        """Nothing when an arm gave up: it is left out from then on, and the round does not count."""
        done = _Round({}, [])
        for one in order:
            try:
                self._block(one, live, done)
            except NotThere as reason:
                one.result.skipped = f"gave up while measuring: {reason}"
                live.remove(one)
                one.process.close()
                return None
        return done

    def _block(self, one: _Live, live: list[_Live], done: _Round) -> None:
        if self._workload.starts_afresh:
            done.times[one.result.arm.name] = self._first_result(one.result.arm)
            return
        watch = Watch(one.process.pid, [other.process.pid for other in live if other is not one])
        done.times[one.result.arm.name] = one.process.passes(one.passes)
        done.disturbances.append(watch.stop())

    def _first_result(self, arm: Arm) -> dict[str, list[float]]:
        process = arm.start(self._site, self._workload, self._precision)
        try:
            return {self._workload.measures[0].name: [process.first_result_s]}
        finally:
            process.close()


def _pass_s(workload: Workload, one: dict[str, float]) -> float:
    """A whole pass. Of generation `decode` is the time of one further token; the first comes with the prefill."""
    if not workload.is_generation:
        return sum(one.values())
    return one["prefill"] + one["decode"] * (workload.new_tokens - 1)


def _keep(outputs: list, path: pathlib.Path) -> None:
    partial = path.with_suffix(".partial.npz")
    numpy.savez(partial, *outputs)
    partial.replace(path)


def _lengths(given: Inputs, workload: Workload) -> list[int]:
    """Useful tokens of each checked input; of a prompt its last row of logits alone is compared."""
    if workload.is_generation:
        return [1]
    return [length for batch in given.checked for length in batch.lengths]


def _summary(done: _Round) -> str:
    parts = [f"{name} " + "/".join(f"{1e3 * statistics.fmean(values):.1f}" for values in times.values())
             for name, times in done.times.items()]
    return ", ".join(parts) + " ms"
