"""Our worker as an arm that trains: what it is asked, and how its answers are named, in one place."""
from __future__ import annotations

from peers import checkpoints, ours, recipe
from peers.correctness import CHECKED_STEPS
from peers.engines.base import NotThere
from peers.ours import OurArm
from peers.session import Session, joined
from peers.workloads import Workload

#: Of src/shared/schema/settings.h.
RECIPE = {"optimizer": "adamw", "learning_rate": recipe.LEARNING_RATE, "weight_decay": recipe.WEIGHT_DECAY,
          "max_gradient_norm": recipe.MAX_GRADIENT_NORM, "gradient_accumulation": recipe.GRADIENT_ACCUMULATION,
          "gradient_checkpointing": "off", "label_smoothing": 0, "dropout": "config", "loader_threads": 1}
#: Series of the worker; the first two have a value a step.
_STEP_TIME, _LOSS, _FIRST_RESULT = "latency", "loss", "cold_start"

_PRECISIONS = {"fp32": "fp32", "bf16_autocast": "bf16_autocast"}


def _arm(name: str, settings: dict[str, object], allocator: str = "glibc", **only: bool) -> OurArm:
    return OurArm(name, settings, allocator, _PRECISIONS, trains=True, **only)


ARMS = (
    _arm("ours-train", {"engine": "pytorch", "batching": "padded"}),
    _arm("ours-train-fast", {"engine": "fast", "batching": "padded"}, "glibc_raised_huge"),
    _arm("ours-train-fast-all-tokens", {"engine": "fast", "batching": "padded", "head_tokens": "all"},
         "glibc_raised_huge", only_one_token=True),
    _arm("ours-train-bucketed", {"engine": "fast", "batching": "bucketed"}, "glibc_raised_huge", only_natural=True),
    _arm("ours-train-packed", {"engine": "fast", "batching": "packed"}, "glibc_raised_huge", only_natural=True),
)


def settings_of(arm: OurArm, workload: Workload, precision: str, capabilities: dict) -> dict:
    """What the worker is asked to prepare, but for the places of model and data."""
    asked = arm.precisions[precision]
    choices = ours.choices_of(arm, asked, "train", capabilities)
    # Of serving: a training has one stream, and no chunks.
    for name in ("streams", "chunk_tokens"):
        choices.pop(name, None)
    return {"scenario": "train", "task": checkpoints.ARCHITECTURES[workload.model].task,
            "batch_size": workload.batch_size, "sequence_length": workload.length or "natural", "limit": "all",
            "seed": 0, "attention": "sdpa", "device": "cpu", **RECIPE, **choices, "precision": asked}


def _prepared(arm: OurArm, workload: Workload, precision: str, places: dict[str, str],
              session: Session) -> tuple[dict, dict[str, dict[str, list]]]:
    """What is read back after the first steps, and their series; `NotThere` says why the worker cannot."""
    capabilities = session.described["capabilities"]
    settings = settings_of(arm, workload, precision, capabilities)
    if reason := ours.why_not(settings, capabilities):
        raise NotThere(reason)
    wanted = {name: settings[name] for name in ("engine", "fusion", "batching", "head_tokens") if name in settings}
    effective = ours.prepare(session, {**settings, **places}, wanted)
    if seeded := effective.get("model", {}).get("new_weights"):
        raise NotThere(f"the worker begins {', '.join(seeded)} anew, where everyone has the checkpoint's")
    warmed = session.ask({"type": "warm", "count": None})
    effective |= warmed["effective"]
    ours.check_read_back(effective, {"precision": settings["precision"]})
    return effective, joined(warmed["series"])


def first_losses(arm: OurArm, workload: Workload, precision: str, places: dict[str, str], tokens: int,
                 session: Session) -> list[float]:
    """Of the first steps, warm-up or not, each of which must have seen `tokens` that are no padding."""
    _, warm = _prepared(arm, workload, precision, places, session)
    measured = session.sample(CHECKED_STEPS)
    seen = [count for series in (warm, measured) for count in series.get(_STEP_TIME, {}).get("useful_tokens", [])]
    if not seen or set(seen) != {tokens}:
        raise NotThere(f"its steps saw {sorted(set(seen))} tokens, where all of them have {tokens}")
    return [loss for series in (warm, measured) for loss in series.get(_LOSS, {}).get("value", [])][:CHECKED_STEPS]


class OurTraining:
    """A worker that trains, with the interface of `arm.PeerProcess`."""

    def __init__(self, arm: OurArm, workload: Workload, precision: str, places: dict[str, str], steps_in_a_pass: int,
                 session: Session):
        self.name = arm.name
        self.steps_in_a_pass = steps_in_a_pass
        self._session = session
        self.settings, warm = _prepared(arm, workload, precision, places, session)
        self.first_result_s = warm[_FIRST_RESULT]["value"][0] if _FIRST_RESULT in warm else None
        self.versions = {"transformeter": session.described["build"]["version"]}

    @property
    def pid(self) -> int:
        return self._session.pid

    def passes(self, count: int) -> dict[str, list[float]]:
        """Seconds of a step, the mean of each pass."""
        each = self.steps_in_a_pass
        times = self._session.measure(count * each)[_STEP_TIME]
        if len(times) != count * each:
            raise NotThere(f"asked for {count * each} steps, the worker timed {len(times)}")
        return {"step": [sum(times[begin:begin + each]) / each for begin in range(0, len(times), each)]}

    def close(self) -> None:
        self._session.close()
