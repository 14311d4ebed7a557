"""OpenVINO's decoder: the cache is state inside the model, weights of int8 by Optimum's weight compression."""
from __future__ import annotations

import os
import pathlib
import subprocess
import time

from peers.engines.base import Generation, Job, NotThere, Runner
from peers.engines.huggingface import CACHED_TAIL

_ROOT = pathlib.Path(__file__).resolve().parents[3]
_PYTHON = _ROOT / ".deps/venv-peers-optimum/bin/python"


def path_of(job: Job) -> pathlib.Path:
    return job.artefacts / f"{job.workload.model}{'-int8' if job.precision == 'int8' else ''}" / "openvino_model.xml"


def convert(job: Job) -> None:
    """By Optimum, in its own environment."""
    path = path_of(job)
    if path.exists():
        return
    if not _PYTHON.exists():
        raise NotThere("Optimum's environment is not there: scripts/bench_peers makes it")
    partial = path.parent.with_suffix(".partial")
    script = pathlib.Path(__file__).resolve().parent.parent / "export_decoder.py"
    precision = "int8" if job.precision == "int8" else "fp32"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["HF_HOME"] = str(job.artefacts / "huggingface")  # where it keeps what it copies
    subprocess.run([_PYTHON, script, job.checkpoint, partial, precision], check=True, env=environment)
    partial.rename(path.parent)


class Decoder(Runner):
    """Greedy generation over one stateful request."""

    def __init__(self, compiled):
        self._request = compiled.create_infer_request()
        self._inputs = {name for port in compiled.inputs for name in port.get_names()}

    def _step(self, ids, seen: int):
        """Logits of the last of `ids`, of which `seen` tokens came before."""
        import numpy

        count = ids.shape[1]
        given = {"input_ids": ids, "attention_mask": numpy.ones((1, seen + count), dtype=numpy.int64),
                 "position_ids": numpy.arange(seen, seen + count, dtype=numpy.int64)[None],
                 "beam_idx": numpy.zeros(1, dtype=numpy.int32)}
        self._request.infer({name: value for name, value in given.items() if name in self._inputs}, share_inputs=True)
        return self._request.get_tensor("logits").data[:, -1]

    def generate(self, prompt, new_tokens):
        import numpy

        begin = time.perf_counter()
        self._request.reset_state()
        token = int(self._step(prompt.ids, 0)[0].argmax())
        first = time.perf_counter()
        seen = prompt.ids.shape[1]
        for index in range(new_tokens - 1):
            token = int(self._step(numpy.array([[token]], dtype=numpy.int64), seen + index)[0].argmax())
        end = time.perf_counter()
        return Generation(first - begin, (end - first) / (new_tokens - 1))

    def last_logits(self, prompt):
        self._request.reset_state()
        length = prompt.ids.shape[1]
        logits = self._step(prompt.ids[:, :-CACHED_TAIL], 0)
        for index in range(length - CACHED_TAIL, length):
            logits = self._step(prompt.ids[:, index:index + 1], index)
        return logits.copy()
