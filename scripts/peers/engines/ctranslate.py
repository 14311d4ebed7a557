"""CTranslate2: an encoder that drops padding by itself; the head is two small products in NumPy."""
from __future__ import annotations

import pathlib
import time

from peers import checkpoints
from peers.engines.base import Engine, Generation, Job, Runner

_TYPES = {"fp32": "float32", "int8": "int8"}


def _head(name: str, folder: pathlib.Path):
    """The model's head over the last hidden states, B × T × H."""
    import numpy
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")

    def linear(x, layer):
        return x @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"]

    if name == "distilbert":
        return lambda hidden: linear(numpy.maximum(linear(hidden[:, 0], "pre_classifier"), 0), "classifier")
    return lambda hidden: linear(hidden, "qa_outputs")


class EncoderRunner(Runner):
    def __init__(self, encoder, head):
        self._encoder = encoder
        self._head = head

    def run(self, batch):
        import ctranslate2
        import numpy

        ids = ctranslate2.StorageView.from_array(batch.ids.astype(numpy.int32))
        lengths = ctranslate2.StorageView.from_array(numpy.array(batch.lengths, dtype=numpy.int32))
        return self._head(numpy.array(self._encoder.forward_batch(ids, lengths).last_hidden_state))


class GeneratorRunner(Runner):
    def __init__(self, generator, tokens: list[str]):
        self._generator = generator
        self._tokens = tokens  # of the prompt

    def generate(self, prompt, new_tokens):
        times: list[float] = []

        def seen(result) -> bool:
            times.append(time.perf_counter())
            return False

        begin = time.perf_counter()
        self._generator.generate_batch([self._tokens], max_length=new_tokens, min_length=new_tokens, sampling_topk=1,
                                       beam_size=1, include_prompt_in_result=False, callback=seen)
        if len(times) != new_tokens:
            raise RuntimeError(f"{len(times)} tokens were generated instead of {new_tokens}")
        return Generation(times[0] - begin, (times[-1] - times[0]) / (new_tokens - 1))

    def last_logits(self, prompt):
        import numpy

        return numpy.array(self._generator.forward_batch([self._tokens]))[:, -1]


class CTranslate(Engine):
    name = "ctranslate2"
    packages = ("ctranslate2",)

    def why_not(self, workload, precision):
        return "no bf16 kernels on CPU" if precision == "bf16" else None

    @staticmethod
    def _path(job: Job) -> pathlib.Path:
        return job.artefacts / f"{job.workload.model}-{job.precision}"

    def prepare(self, job):
        if self._path(job).exists():
            return
        from ctranslate2.converters import TransformersConverter

        TransformersConverter(str(job.checkpoint)).convert(str(self._path(job)), quantization=_TYPES[job.precision])

    def load(self, job, inputs):
        import ctranslate2

        options = {"device": "cpu", "compute_type": _TYPES[job.precision], "intra_threads": job.threads,
                   "inter_threads": 1}
        if job.workload.is_generation:
            from transformers import AutoTokenizer

            tokenizer = AutoTokenizer.from_pretrained(job.checkpoint)
            tokens = tokenizer.convert_ids_to_tokens(inputs.timed[0].ids[0].tolist())
            runner: Runner = GeneratorRunner(ctranslate2.Generator(str(self._path(job)), **options), tokens)
        else:
            head = _head(job.workload.model, job.checkpoint)
            runner = EncoderRunner(ctranslate2.Encoder(str(self._path(job)), **options), head)
        runner.settings = {"compute_type": _TYPES[job.precision], "intra_threads": job.threads}
        return runner
