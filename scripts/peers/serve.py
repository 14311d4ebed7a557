"""One peer in a process of its own: loads a model, then does what each line of its standard input asks.

    {"do": "check", "to": FILE}    the outputs of the checked batches, as an .npz file
    {"do": "pass", "count": N}     N passes over the timed batches; answers with the seconds of each, by measure
The standard output carries one JSON object a line; what libraries print goes to the standard error. `losses` asks
nothing: it tells the losses of a training's first steps, all of the first batch, and ends.
Usage: python -m peers.serve prepare|serve|losses JOB, a job in JSON.
"""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import sys
import time

from peers import correctness, engines, inputs, training_inputs, workloads
from peers.engines.base import Job, Peer, Runner, TrainingEngine
from peers.steps import FirstLosses, TimedSteps

_WORKLOADS = {workload.name: workload for workload in workloads.WORKLOADS}


def job_from(text: str) -> tuple[Peer, Job]:
    """The engine and its job, as `arm.PeerArm` writes them."""
    fields = json.loads(text)
    engine = engines.all_engines()[fields["engine"]]
    paths = {name: pathlib.Path(fields[name]) for name in ("checkpoint", "inputs", "artefacts")}
    return engine, Job(_WORKLOADS[fields["workload"]], fields["precision"], threads=fields["threads"], **paths)


class Passes:
    """A runner with its inputs: what is timed and what is checked."""

    def __init__(self, job: Job, runner: Runner, given: inputs.Inputs):
        self._job = job
        self._runner = runner
        self._given = given

    def run(self) -> dict[str, float]:
        """Seconds of one pass, by measure."""
        if self._job.workload.is_generation:
            done = self._runner.generate(self._given.timed[0], self._job.workload.new_tokens)
            return {"prefill": done.prefill_s, "decode": done.per_token_s}
        begin = time.perf_counter()
        self._runner.run_batches(self._given.timed)
        return {self._job.workload.measures[0].name: time.perf_counter() - begin}

    def outputs(self) -> list:
        if self._job.workload.is_generation:
            return [self._runner.last_logits(self._given.timed[0])]
        return [self._runner.run_batches([batch])[0] for batch in self._given.checked]


def _tensors(rows: list, job: Job, padded_to: int | None):
    """The batches over and over, made once."""
    import torch

    batches = training_inputs.batches_of(rows, job.workload.batch_size, padded_to)
    return itertools.cycle([{name: torch.from_numpy(array) for name, array in batch.items()} for batch in batches])


def _losses(engine: TrainingEngine, job: Job, answer) -> None:
    steps = FirstLosses(correctness.CHECKED_STEPS)
    rows = training_inputs.read(job.inputs)[:job.workload.batch_size]
    engine.train(job, _tensors(rows, job, job.workload.length or engine.padded_to), steps)
    answer({"losses": steps.losses})


def _train(engine: TrainingEngine, job: Job, answer) -> None:
    rows = training_inputs.read(job.inputs)
    padded_to = job.workload.length or engine.padded_to
    in_a_pass = training_inputs.steps_in_a_pass(rows, job.workload.batch_size, padded_to)
    about = {"versions": engine.versions(), "settings": engine.settings, "steps_in_a_pass": in_a_pass}
    requests = (json.loads(line) for line in sys.stdin)
    engine.train(job, _tensors(rows, job, padded_to),
                 TimedSteps(in_a_pass, requests, answer, about, float(os.environ["PEERS_STARTED_AT"])))


def _infer(engine: Peer, job: Job, answer) -> None:
    given = inputs.read(job.workload, job.inputs)
    runner = engine.load(job, given)
    passes = Passes(job, runner, given)
    passes.run()
    answer({"first_result_s": time.time() - float(os.environ["PEERS_STARTED_AT"])})
    passes.run()
    answer({"versions": engine.versions(), "settings": runner.settings, "steps_in_a_pass": 1})
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "check":
            import numpy

            numpy.savez(request["to"], *passes.outputs())
            answer({})
        else:
            done = [passes.run() for _ in range(request["count"])]
            answer({name: [one[name] for one in done] for name in done[0]})


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine, job = job_from(sys.argv[2])

    def answer(message: dict) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    job.artefacts.mkdir(parents=True, exist_ok=True)
    if sys.argv[1] == "prepare":
        engine.prepare(job)
    elif sys.argv[1] == "losses":
        _losses(engine, job, answer)
    else:
        (_train if engine.trains else _infer)(engine, job, answer)


if __name__ == "__main__":
    main()
