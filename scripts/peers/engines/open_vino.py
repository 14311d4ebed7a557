"""OpenVINO: converted from PyTorch, latency hint; int8 by NNCF's post-training static quantisation.

Its default precision on a processor with bf16 is bf16, so fp32 asks for f32 by name. `openvino-streams` has two streams
of one thread each and gives them halves of a batch, or whole batches where there are several, by asynchronous requests.
What is not quantised of an int8 model runs in f32, and in `openvino-mixed` in bf16: measuring says which is faster.
"""
from __future__ import annotations

import pathlib

from peers import checkpoints
from peers.engines import open_vino_decoder
from peers.engines.base import Engine, Job, Runner
from peers.inputs import Batch, Inputs

CALIBRATION_ROWS = 128


def _hint(precision: str, rest: str) -> str:
    """In an int8 model the precision is that of the operations that are not quantised."""
    return {"fp32": "f32", "bf16": "bf16", "int8": rest}[precision]


def _convert(job: Job, path: pathlib.Path) -> None:
    import openvino
    import torch

    from peers.engines.onnx_runtime import _Logits

    model = _Logits(checkpoints.load(job.workload.model, job.checkpoint, attention="sdpa"))
    ids = torch.randint(5, 1000, (2, 16))
    with torch.no_grad():
        converted = openvino.convert_model(model, example_input=(ids, torch.ones_like(ids)),
                                           input=[("input_ids", [-1, -1]), ("attention_mask", [-1, -1])])
    for port, name in zip(converted.inputs, ("input_ids", "attention_mask")):
        port.get_tensor().set_names({name})
    openvino.save_model(converted, path, compress_to_fp16=False)


def _quantise(source: pathlib.Path, target: pathlib.Path, batches: list[Batch]) -> None:
    import nncf
    import openvino

    rows = [{"input_ids": batch.ids[i:i + 1], "attention_mask": batch.mask[i:i + 1]}
            for batch in batches for i in range(len(batch.ids))][:CALIBRATION_ROWS]
    model = openvino.Core().read_model(source)
    quantised = nncf.quantize(model, nncf.Dataset(rows), model_type=nncf.ModelType.TRANSFORMER,
                              subset_size=len(rows))
    openvino.save_model(quantised, target, compress_to_fp16=False)


def _compiled(path: pathlib.Path, threads: int, streams: int, hint: str, shape: list[int] | None = None,
              more: dict[str, str] | None = None):
    import openvino

    core = openvino.Core()
    model = core.read_model(path)
    if shape:
        model.reshape({port.get_any_name(): shape for port in model.inputs})
    config = {"INFERENCE_PRECISION_HINT": hint, "INFERENCE_NUM_THREADS": threads}
    config |= {"PERFORMANCE_HINT": "LATENCY"} if streams == 1 else {"NUM_STREAMS": str(streams)}
    compiled = core.compile_model(model, "CPU", config | (more or {}))
    names = ("INFERENCE_PRECISION_HINT", "NUM_STREAMS", "INFERENCE_NUM_THREADS")
    return compiled, {name.lower(): str(compiled.get_property(name)) for name in names}


class OneRequest(Runner):
    def __init__(self, compiled):
        self._request = compiled.create_infer_request()
        self._output = compiled.outputs[0]

    def run(self, batch):
        result = self._request.infer([batch.ids, batch.mask], share_inputs=True)
        return result[self._output]


class TwoStreams(Runner):
    """Asynchronous requests; a batch alone is cut into halves."""

    STREAMS = 2

    def __init__(self, compiled):
        import openvino

        self._queue = openvino.AsyncInferQueue(compiled, self.STREAMS)
        self._queue.set_callback(self._keep)
        self._outputs: dict[int, object] = {}

    def _keep(self, request, index) -> None:
        self._outputs[index] = request.get_output_tensor().data.copy()

    def _run_parts(self, parts: list[Batch]):
        for index, part in enumerate(parts):
            self._queue.start_async([part.ids, part.mask], index)
        self._queue.wait_all()
        return [self._outputs[index] for index in range(len(parts))]

    def run_batches(self, batches):
        import numpy

        if len(batches) > 1:
            return self._run_parts(batches)
        half = len(batches[0].ids) // 2
        parts = [Batch(batches[0].ids[rows], batches[0].mask[rows]) for rows in (slice(half), slice(half, None))]
        return [numpy.concatenate(self._run_parts(parts))]


class OpenVino(Engine):
    packages = ("openvino", "nncf")

    def __init__(self, name: str, streams: int = 1, rest_of_int8: str = "f32"):
        self.name = name
        self._streams = streams
        self._rest = rest_of_int8

    def applies(self, workload, precision):
        return self._rest == "f32" or precision == "int8"

    def why_not(self, workload, precision):
        if workload.is_generation:
            return None if self._streams == 1 else "one request has nothing to share out"
        if self._streams > 1 and workload.batch_size == 1:
            return "one sequence cannot be cut"
        return None

    @staticmethod
    def _path(job: Job) -> pathlib.Path:
        return job.artefacts / f"{job.workload.model}{'-int8' if job.precision == 'int8' else ''}.xml"

    def prepare(self, job):
        from peers import inputs

        if job.workload.is_generation:
            open_vino_decoder.convert(job)
            return
        plain = job.artefacts / f"{job.workload.model}.xml"
        if not plain.exists():
            _convert(job, plain)
        if job.precision == "int8" and not self._path(job).exists():
            _quantise(plain, self._path(job), inputs.read(job.workload, job.inputs).checked)

    def load(self, job: Job, inputs: Inputs):
        hint = _hint(job.precision, self._rest)
        if job.workload.is_generation:
            # Its cache is fp16 even under the hint f32: 3e-4 off the reference with one layer, 2e-6 with an fp32 cache.
            more = {"KV_CACHE_PRECISION": "f32"} if job.precision == "fp32" else None
            compiled, settings = _compiled(open_vino_decoder.path_of(job), job.threads, 1, hint, more=more)
            runner: Runner = open_vino_decoder.Decoder(compiled)
        else:
            rows = job.workload.batch_size // self._streams
            shape = None if job.workload.is_natural else [rows, job.workload.length]
            compiled, settings = _compiled(self._path(job), job.threads, self._streams, hint, shape)
            runner = OneRequest(compiled) if self._streams == 1 else TwoStreams(compiled)
        runner.settings = settings
        return runner
