"""One comparison: a workload in one precision, all arms alive, one at work."""
from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from peers import estimates, noise, references, schedule
from peers.arms import Arm, Site
from peers.correctness import Check
from peers.engines.base import NotThere
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
    peak_rss_bytes: int | None = None  # of any block; None: not of a training
    rounds: list[dict[str, float]] = field(default_factory=list)
    passes: dict[str, list[float]] = field(default_factory=dict)  # of all counted rounds, raw

    def add(self, times: dict[str, list[float]]) -> None:
        """A round that counts."""
        self.rounds.append({name: statistics.fmean(values) for name, values in times.items()})
        for name, values in times.items():
            self.passes.setdefault(name, []).extend(values)

    def saw_peak(self, rss_bytes: int) -> None:
        self.peak_rss_bytes = max(self.peak_rss_bytes or 0, rss_bytes)

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
        self._site.make_inputs(self._workload)
        reference = references.make(self._site, self._workload)
        results = [ArmResult(arm) for arm in arms if arm.applies(self._workload, self._precision)]
        comparison = Comparison(self._workload, self._precision, results)
        live: list[_Live] = []
        try:
            for result in results:
                self._start(result, reference, live)
            self._rounds(comparison, live)
        finally:
            for one in live:
                one.process.close()
        return comparison

    def _start(self, result: ArmResult, reference, live: list[_Live]) -> None:
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
            result.check = reference.check(result.arm, process, self._precision)
            live[-1].passes = self._passes_in_a_block(process)
        except NotThere as reason:
            result.skipped = str(reason)
            live.pop().process.close()
            return
        if self._workload.starts_afresh:
            process.close()

    def _passes_in_a_block(self, process) -> int:
        if self._workload.starts_afresh:
            return 1
        one = {name: times[0] for name, times in process.passes(1).items()}
        return max(1, min(MOST_PASSES, math.floor(self._options.block_s / _pass_s(self._workload, one, process))))

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
        if self._workload.is_training:
            noise.reset_peak_rss(one.process.pid)  # of every arm alike: our worker does so itself
        watch = Watch(one.process.pid, [other.process.pid for other in live if other is not one])
        done.times[one.result.arm.name] = one.process.passes(one.passes)
        done.disturbances.append(watch.stop())
        if self._workload.is_training:
            one.result.saw_peak(noise.peak_rss_bytes(one.process.pid))

    def _first_result(self, arm: Arm) -> dict[str, list[float]]:
        process = arm.start(self._site, self._workload, self._precision)
        try:
            return {self._workload.measures[0].name: [process.first_result_s]}
        finally:
            process.close()


def _pass_s(workload: Workload, one: dict[str, float], process) -> float:
    """A whole pass. Of generation `decode` is the time of one further token; the first comes with the prefill."""
    if workload.is_training:
        return one["step"] * process.steps_in_a_pass
    if not workload.is_generation:
        return sum(one.values())
    return one["prefill"] + one["decode"] * (workload.new_tokens - 1)


def _summary(done: _Round) -> str:
    parts = [f"{name} " + "/".join(f"{1e3 * statistics.fmean(values):.1f}" for values in times.values())
             for name, times in done.times.items()]
    return ", ".join(parts) + " ms"
