"""Runs the sweep with either program, each as its users do, and reads what it measured."""
from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import time
from dataclasses import dataclass, field

from peers import noise
from sweep.medians import Case, Estimate, estimate_of_samples

BATCH_SIZES = (1, 4, 8)
SEQUENCE_LENGTHS = (64, 128)
CASES = [Case(batch_size, length) for batch_size in BATCH_SIZES for length in SEQUENCE_LENGTHS]
MODEL = "distilbert-base"

#: Defaults of optimum-benchmark stay as they are: neither warm-up nor duration nor iterations is named here. With more
#: than one position it would draw position IDs, an input that DistilBERT does not have; the model keeps its 512.
_CONFIGURATION = """\
defaults:
  - benchmark
  - scenario: inference
  - launcher: inline
  - backend: pytorch
  - _self_

name: sweep

backend:
  device: cpu
  task: text-classification
  torch_dtype: float32
  model: {model}

scenario:
  input_shapes:
    batch_size: 1
    sequence_length: 64
    max_position_embeddings: 1

hydra:
  sweep:
    dir: {folder}
  job:
    chdir: true
"""


class Failed(Exception):
    """A program that did not measure what it was asked to."""


@dataclass(frozen=True)
class Site:
    """Where everything is. `run_options` are further options for `transformeter run`."""

    binaries: pathlib.Path
    python: pathlib.Path  # of the environment with optimum-benchmark
    checkpoint: pathlib.Path  # the model that optimum-benchmark loads
    threads: int
    run_options: tuple[str, ...] = ()


@dataclass
class Sweep:
    """One run of one program."""

    wall_s: float
    foreign_cpus: float  # kept busy meanwhile by other processes, or taken by a hypervisor
    estimates: dict[Case, Estimate]
    facts: dict[str, object] = field(default_factory=dict)  # versions and settings as read back


def environment(threads: int, folder: pathlib.Path) -> dict[str, str]:
    """Of both programs: as many threads, no hub, and empty caches, so that no run profits from an earlier one."""
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return {**os.environ, **counts, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "cache/huggingface"),
            "XDG_CACHE_HOME": str(folder / "cache")}


def our_command(site: Site, store: pathlib.Path) -> list[str]:
    return [str(site.binaries / "transformeter"), "run", "--store", str(store), "--model", MODEL,
            "--batch-size", ",".join(map(str, BATCH_SIZES)), "--sequence-length", ",".join(map(str, SEQUENCE_LENGTHS)),
            "--precision", "fp32", "--engine", "pytorch", "--device", "cpu", "--threads", str(site.threads),
            *site.run_options]


def their_command(site: Site, folder: pathlib.Path) -> list[str]:
    """One process for the six cases: it imports its libraries once, where a process per case would do so six times."""
    shapes = [("batch_size", BATCH_SIZES), ("sequence_length", SEQUENCE_LENGTHS)]
    return [str(site.python.parent / "optimum-benchmark"), "--config-dir", str(folder), "--config-name", "sweep",
            "--multirun", *(f"scenario.input_shapes.{name}=" + ",".join(map(str, values)) for name, values in shapes)]


def _children_busy_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed(command: list[str], site: Site, folder: pathlib.Path) -> tuple[float, float]:
    """Seconds from start to end, and the processors that others kept busy meanwhile."""
    log = folder / "log.txt"
    begin, machine, own = time.monotonic(), noise.machine_busy_s(), _children_busy_s()
    with open(log, "w", encoding="utf-8") as file:
        ended = subprocess.run(command, env=environment(site.threads, folder), stdin=subprocess.DEVNULL, stdout=file,
                               stderr=file, check=False)
    wall = time.monotonic() - begin
    foreign = noise.machine_busy_s() - machine - (_children_busy_s() - own)
    if ended.returncode != 0:
        raise Failed(f"{pathlib.Path(command[0]).name} ended with {ended.returncode}; its output is in '{log}'")
    return wall, max(foreign, 0.0) / wall


def _all_cases(found: dict[Case, Estimate], program: str) -> dict[Case, Estimate]:
    missing = [f"batch {case.batch_size}, length {case.sequence_length}" for case in CASES if case not in found]
    if missing:
        raise Failed(f"{program} did not measure {'; '.join(missing)}")
    return {case: found[case] for case in CASES}


def our_estimates(run: dict) -> dict[Case, Estimate]:
    """Of a run in the JSON form of `transformeter show`: the median latency, whose interval it states itself."""
    found = {}
    for case in run["cases"]:
        requested = case["settings"]["requested"]
        metric = next((one for one in case["metrics"] if (one["name"], one["statistic"]) == ("latency", "median")), None)
        if metric is None or metric["value"] is None:
            continue
        reasons = tuple(one["name"] for one in case["verdict"]["reasons"])
        found[Case(requested["batch_size"], requested["sequence_length"])] = Estimate(
            metric["value"], metric["low"], metric["high"], metric["n"], case["verdict"]["status"], reasons,
            metric["interval"])
    return _all_cases(found, "transformeter")


def their_estimates(benchmarks: list[dict]) -> dict[Case, Estimate]:
    """Of the files benchmark.json. They state no interval: it is made of their samples."""
    found = {}
    for one in benchmarks:
        shapes = one["config"]["scenario"]["input_shapes"]
        values = one["report"]["forward"]["latency"]["values"]
        found[Case(shapes["batch_size"], shapes["sequence_length"])] = estimate_of_samples(values)
    return _all_cases(found, "optimum-benchmark")


def run_ours(site: Site, folder: pathlib.Path) -> Sweep:
    """Leaves the run with its samples in `folder`/run.json."""
    folder.mkdir(parents=True)
    store = folder / "run.db"
    wall, foreign = _timed(our_command(site, store), site, folder)
    shown = subprocess.run([site.binaries / "transformeter", "show", "--store", store, "--format", "json"], check=True,
                           capture_output=True, text=True).stdout
    (folder / "run.json").write_text(shown, encoding="utf-8")
    run = json.loads(shown)["runs"][0]
    effective = run["cases"][0]["settings"]["effective"]
    facts = {name: effective[name] for name in ("threads", "attention_kernel", "weights", "allocator")}
    return Sweep(wall, foreign, our_estimates(run), facts)


def run_theirs(site: Site, folder: pathlib.Path) -> Sweep:
    """Leaves its reports in `folder`, one folder for each case."""
    folder.mkdir(parents=True)
    (folder / "sweep.yaml").write_text(_CONFIGURATION.format(model=site.checkpoint, folder=folder), encoding="utf-8")
    wall, foreign = _timed(their_command(site, folder), site, folder)
    benchmarks = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*/benchmark.json"))]
    estimates = their_estimates(benchmarks)
    scenario = benchmarks[0]["config"]["scenario"]
    return Sweep(wall, foreign, estimates, {name: scenario[name] for name in ("iterations", "duration", "warmup_runs")})


def prepare(site: Site, folder: pathlib.Path) -> dict:
    """Makes the model of optimum-benchmark, and tells its environment's versions and threads."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "prepare.txt"
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run([site.python, "-m", "sweep.checkpoint", site.checkpoint], check=False,
                              stdout=subprocess.PIPE, stderr=file, env=environment(site.threads, folder), text=True)
    if done.returncode != 0:
        raise Failed(f"the model for optimum-benchmark could not be made; the output is in '{log}'")
    return json.loads(done.stdout.splitlines()[-1])
