"""Our worker as an arm: what it is asked, in one place.

A named engine's choices come from `describe`, as `transformeter run` takes them. An arm whose settings the worker does
not know is shown as skipped, never run with something else: values that `describe` lists are looked up there, and what
an arm sets must be read back after `prepare`.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from peers import checkpoints
from peers.engines.base import NotThere
from peers.inputs import Inputs
from peers.session import Session
from peers.workloads import Workload


@dataclass(frozen=True)
class OurArm:
    """`settings` are those of src/shared/schema/settings.h; `precisions` says what a table's precision is called there."""

    name: str
    settings: dict[str, object] = field(default_factory=dict)
    allocator: str = "glibc"
    precisions: dict[str, str] = field(default_factory=lambda: {"fp32": "fp32", "bf16": "bf16", "int8": "int8"})
    only_natural: bool = False  # for batches of unequal lengths alone
    only_one_token: bool = False  # for tasks whose head reads one token of a row alone
    trains: bool = False  # one of our_training.py, for the workloads that train

    def is_for(self, workload: Workload, precision: str) -> bool:
        """Where it is not, no skip is shown."""
        return (self.trains == workload.is_training and precision in self.precisions
                and (workload.is_natural or not self.only_natural)
                and (reads_one_token(workload) or not self.only_one_token))


def reads_one_token(workload: Workload) -> bool:
    """Whether an engine may leave out the last layer's other tokens: a plain one, as all peers are, computes them. A cold
    start is so long that it makes no difference.
    """
    task = checkpoints.ARCHITECTURES[workload.model].task
    is_one = task == "sequence_classification" or workload.is_generation
    return is_one and not workload.starts_afresh


OUR_ARMS = (
    OurArm("ours-pytorch", {"engine": "pytorch"}),
    OurArm("ours-fast", {"engine": "fast"}, "glibc_raised_huge"),
    OurArm("ours-fast-all-tokens", {"engine": "fast", "head_tokens": "all"}, "glibc_raised_huge", only_one_token=True),
    OurArm("ours-fast-static", {"engine": "fast"}, "glibc_raised_huge", {"int8": "int8_static"}),
    OurArm("ours-fast-weights", {"engine": "fast"}, "glibc_raised_huge", {"int8": "int8_weight_only"}),
    OurArm("ours-fast-packed", {"engine": "fast", "batching": "packed"}, "glibc_raised_huge", only_natural=True),
    OurArm("ours", {}),  # the worker's defaults
)


def chosen(choice: object, precision: str, scenario: str) -> object:
    """A named engine's choice: a value, or a table by precision or else scenario, maybe of further tables
    (Capabilities::choice_of_engine)."""
    while isinstance(choice, dict):
        choice = choice.get(precision, choice.get(scenario, choice.get("else")))
    return choice


def choices_of(arm: OurArm, precision: str, scenario: str, capabilities: dict) -> dict:
    """What the arm's engine chooses, unless the arm says otherwise."""
    choices = capabilities.get("engines", {}).get(arm.settings.get("engine"), {})
    return {name: chosen(choice, precision, scenario) for name, choice in choices.items()} | arm.settings


def settings_of(arm: OurArm, workload: Workload, precision: str, capabilities: dict, threads: int) -> dict:
    """What the worker is asked to prepare, but for the places of model and data."""
    settings = {"task": checkpoints.ARCHITECTURES[workload.model].task, "batch_size": workload.batch_size,
                "sequence_length": workload.length or "natural", "limit": "all", "seed": 0, "attention": "sdpa",
                "attention_mask": "on", "device": "cpu"}
    if workload.is_generation:
        settings |= {"scenario": "generate", "prompt_length": workload.length, "new_tokens": workload.new_tokens}
    asked = arm.precisions[precision]
    settings |= choices_of(arm, asked, settings.get("scenario", "batch"), capabilities) | {"precision": asked}
    return {name: threads if name == "streams" and value == "threads" else value for name, value in settings.items()}


def why_not(settings: dict, capabilities: dict) -> str | None:
    """Why the worker cannot run it, as far as `describe` tells."""
    engine = settings.get("engine")
    if engine and engine not in capabilities.get("engines", {}):
        return f"the worker has no engine '{engine}'"
    known = capabilities["values"]
    if "scenario" in settings and "scenario" not in known:
        return "the worker knows no scenario but batch"
    for name, value in settings.items():
        if name in known and isinstance(value, str) and value not in known[name]:
            return f"the worker has no {name} '{value}'"
    return None


def prepare(session: Session, settings: dict, wanted: dict) -> dict:
    """What the worker reads back, which must be what is `wanted`."""
    effective = session.ask({"type": "prepare", "settings": settings, "spawned_at_ns": session.spawned_at_ns,
                             "memory_limit_bytes": None, "own_pids": []})["effective"]
    check_read_back(effective, wanted)
    return effective


def check_read_back(effective: dict, wanted: dict) -> None:
    """That the worker took what was asked for."""
    for name, value in wanted.items():
        if effective.get(name) != value:
            raise NotThere(f"asked for {name} {value}, the worker reads back {effective.get(name)}")


class OurProcess:
    """A worker that has prepared one case, with the interface of `arm.PeerProcess`."""

    def __init__(self, arm: OurArm, workload: Workload, settings: dict, session: Session):
        self.name = arm.name
        self._workload = workload
        self._session = session
        self.settings = prepare(session, settings, arm.settings)
        self._cycle = self.settings["cycle"]
        warmed = session.ask({"type": "warm", "count": None})
        self.settings |= warmed["effective"]
        self.first_result_s = next(s["value"][0] for s in warmed["series"] if s["name"] == "cold_start")
        self.versions = {"transformeter": session.described["build"]["version"]}

    @property
    def pid(self) -> int:
        return self._session.pid

    def check_tokens(self, inputs: Inputs) -> None:
        """That the worker made the batches that all others are given."""
        if self._workload.is_generation:
            return
        expected = sum(int(batch.mask.sum()) for batch in inputs.timed)
        if self._cycle["useful_tokens"] != expected:
            raise NotThere(f"its batches hold {self._cycle['useful_tokens']} tokens instead of {expected}")

    def rows(self, inputs: Inputs) -> list | None:
        """Outputs of those checked inputs that are timed too, in their order. Of generation the worker gives none: that
        its tokens are Transformers' is the test suite's part."""
        if self._workload.is_generation or not self._session.described.get("gives_outputs"):
            return None
        import numpy

        timed = sum(len(batch.ids) for batch in inputs.timed)
        keys = inputs.keys()[:timed]
        outputs = self._session.outputs(keys)
        if not outputs["keys"]:
            raise NotThere("the worker compares none of the inputs: static int8 took its ranges from them")
        values = numpy.array(outputs["values"], dtype=numpy.float32).reshape(-1, outputs["width"])
        by_key = dict(zip(outputs["keys"], numpy.split(values, numpy.cumsum(outputs["rows"])[:-1])))
        if missing := set(keys) - set(by_key):
            raise NotThere(f"{len(missing)} of {len(keys)} inputs are not among those the worker ran")
        return [by_key[key].ravel() for key in keys]

    def passes(self, count: int) -> dict[str, list[float]]:
        """Seconds of each pass, by measure."""
        per_pass = 1 if self._workload.is_generation else self._cycle["batches"]
        series = self._session.measure(count * per_pass)
        if self._workload.is_generation:
            steps = series["decode_step"]
            each = len(steps) // count
            decode = [sum(steps[i * each:(i + 1) * each]) / each for i in range(count)]
            return {"prefill": series["time_to_first_token"], "decode": decode}
        times = series["latency"]
        totals = [sum(times[i * per_pass:(i + 1) * per_pass]) for i in range(count)]
        return {self._workload.measures[0].name: totals}

    def close(self) -> None:
        self._session.close()


def start(arm: OurArm, workload: Workload, precision: str, places: dict[str, str], threads: int,
          session: Session) -> OurProcess:
    """Prepares and warms; `places` are those of model and data. `NotThere` says why the worker cannot."""
    capabilities = session.described["capabilities"]
    settings = settings_of(arm, workload, precision, capabilities, threads)
    reason = why_not(settings, capabilities)
    if reason:
        raise NotThere(reason)
    return OurProcess(arm, workload, {**settings, **places}, session)
