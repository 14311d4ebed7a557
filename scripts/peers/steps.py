"""What a training is told after each of its steps: to go on, to wait for its turn, or to end."""
from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

from peers.engines.base import Steps

WARM_UP_STEPS = 2  # at least; a whole pass where that is longer, for the allocator to have met every shape


class FirstLosses(Steps):
    """Keeps the losses of the first steps, after which it ends."""

    def __init__(self, count: int):
        self.losses: list[float] = []
        self._count = count

    def done(self, loss) -> bool:
        self.losses.append(float(loss))
        return len(self.losses) < self._count


class TimedSteps(Steps):
    """Warm-up, then so many passes as each request asks for; between them it sleeps, waiting for the next one.

    A step lasts from the end of the one before it, or from the request, to its own end: getting the batch, and whatever
    a trainer does around the step, belongs to it.
    """

    def __init__(self, in_a_pass: int, requests: Iterator[dict], answer: Callable[[dict], None], about: dict,
                 started_at: float):
        self._in_a_pass = in_a_pass
        self._requests = requests
        self._answer = answer
        self._about: dict | None = about  # until it was sent, which ends the warm-up
        self._started_at = started_at
        self._asked = max(WARM_UP_STEPS, in_a_pass)
        self._seconds: list[float] = []
        self._begin = time.perf_counter()

    def done(self, loss) -> bool:
        now = time.perf_counter()
        self._seconds.append(now - self._begin)
        self._begin = now
        if self._about and len(self._seconds) == 1:
            self._answer({"first_result_s": time.time() - self._started_at})
        return len(self._seconds) < self._asked or self._next_block()

    def _next_block(self) -> bool:
        self._answer(self._about or {"step": self._means()})
        self._about = None
        request = next(self._requests, None)
        if request is None:
            return False
        self._asked = request["count"] * self._in_a_pass
        self._seconds = []
        self._begin = time.perf_counter()
        return True

    def _means(self) -> list[float]:
        """Of each pass the mean of its steps."""
        return [statistics.fmean(self._seconds[begin:begin + self._in_a_pass])
                for begin in range(0, len(self._seconds), self._in_a_pass)]
