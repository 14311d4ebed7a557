"""What else ran on the machine while an arm was at work, and what an arm took of it."""
from __future__ import annotations

import os
import time
from dataclasses import dataclass

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Disturbance:
    """Of one block: processors that others kept busy, those that idle arms did, and the load average at its end."""

    foreign_cpus: float
    idle_arm_cpus: float
    load: float

    def exceeds(self, limit: float) -> bool:
        return max(self.foreign_cpus, self.idle_arm_cpus) > limit


def machine_busy_s() -> float:
    """Processor seconds of all processes since boot, with those that a hypervisor took away."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(value) for value in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / _TICKS


def process_busy_s(pid: int) -> float:
    """Processor seconds of a process with all its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def reset_peak_rss(pid: int) -> None:
    """From now on the peak is counted anew, from what is resident. Linux: proc(5), clear_refs."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def peak_rss_bytes(pid: int) -> int:
    """The most memory that a process had resident since its start or the last reset, mapped files and all."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))


class Watch:
    """From construction to `stop`: the time of one process is its own, that of `idle` should be none."""

    def __init__(self, active: int, idle: list[int]):
        self._pids = [active, *idle, os.getpid()]
        self._idle = idle
        self._before = self._read()

    def _read(self) -> tuple[float, float, dict[int, float]]:
        return time.monotonic(), machine_busy_s(), {pid: process_busy_s(pid) for pid in self._pids}

    def stop(self) -> Disturbance:
        begin, busy_before, own_before = self._before
        end, busy_after, own_after = self._read()
        wall = max(end - begin, 1e-9)
        own = {pid: own_after[pid] - own_before[pid] for pid in self._pids}
        foreign = busy_after - busy_before - sum(own.values())
        return Disturbance(max(foreign, 0.0) / wall, sum(own[pid] for pid in self._idle) / wall, os.getloadavg()[0])
