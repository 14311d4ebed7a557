"""Hugging Face Transformers in Python PyTorch: what most users run. int8 is PyTorch's dynamic quantisation."""
from __future__ import annotations

import time

from peers import checkpoints
from peers.engines.base import Engine, Generation, Job, Runner

CACHED_TAIL = 8  # tokens of the prompt that go through the cache one by one when outputs are checked
_DTYPES = {"fp32": "float32", "bf16": "bfloat16", "int8": "float32"}


def load_model(job: Job, attention: str):
    """The checkpoint in the precision asked for."""
    import torch

    torch.set_num_threads(job.threads)
    model = checkpoints.load(job.workload.model, job.checkpoint, _DTYPES[job.precision], attention)
    if job.precision == "int8":
        model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    return model


class TorchRunner(Runner):
    """Batches through a callable with the signature of the model."""

    def __init__(self, model, call=None):
        self._call = model if call is None else call

    def run(self, batch):
        import torch

        with torch.inference_mode():
            output = self._call(input_ids=torch.from_numpy(batch.ids), attention_mask=torch.from_numpy(batch.mask))
            logits = output.logits if hasattr(output, "logits") else torch.stack(
                (output.start_logits, output.end_logits), -1)
            return logits.float().numpy()


class TorchGenerator(Runner):
    """Greedy generation as `generate()` does it, without what it does around the model."""

    def __init__(self, model):
        self._model = model

    def _new_cache(self):
        from transformers import DynamicCache

        return DynamicCache(config=self._model.config)

    def _step(self, ids, cache):
        return self._model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1).logits[:, -1]

    def generate(self, prompt, new_tokens):
        import torch

        with torch.inference_mode():
            begin = time.perf_counter()
            cache = self._new_cache()
            token = self._step(torch.from_numpy(prompt.ids), cache).argmax(-1, keepdim=True)
            first = time.perf_counter()
            for _ in range(new_tokens - 1):
                token = self._step(token, cache).argmax(-1, keepdim=True)
            end = time.perf_counter()
        return Generation(first - begin, (end - first) / (new_tokens - 1))

    def last_logits(self, prompt):
        import torch

        ids = torch.from_numpy(prompt.ids)
        with torch.inference_mode():
            cache = self._new_cache()
            logits = self._step(ids[:, :-CACHED_TAIL], cache)
            for index in range(-CACHED_TAIL, 0):
                logits = self._step(ids[:, index:ids.shape[1] + index + 1], cache)
            return logits.float().numpy()


class HuggingFace(Engine):
    packages = ("torch", "transformers")

    def __init__(self, attention: str):
        self.name = f"hf-{attention}"
        self._attention = attention

    def load(self, job, inputs):
        model = load_model(job, self._attention)
        runner = TorchGenerator(model) if job.workload.is_generation else TorchRunner(model)
        runner.settings = {"attention": self._attention}
        return runner
