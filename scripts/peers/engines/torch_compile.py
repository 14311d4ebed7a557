"""torch.compile with the inductor's C++ backend, weights frozen into the graph."""
from __future__ import annotations

import os

from peers.engines.base import Engine, Job
from peers.engines.huggingface import TorchGenerator, TorchRunner, load_model


class TorchCompile(Engine):
    name = "torch-compile"
    packages = ("torch", "transformers")

    def why_not(self, workload, precision):
        if precision == "int8":
            return "not part of this comparison: int8 through torch.compile was not tried"
        if workload.is_generation:
            return "not part of this comparison: compiled generation was not tried"
        return None

    def load(self, job: Job, inputs):
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(job.artefacts / "inductor"))
        import torch
        import torch._inductor.config as inductor

        inductor.freezing = True
        model = load_model(job, "sdpa")
        for parameter in model.parameters():
            parameter.requires_grad_(False)
        # One graph for all lengths where they vary, instead of one for each length among the batches.
        runner = TorchRunner(model, torch.compile(model, dynamic=job.workload.is_natural))
        runner.settings = {"freezing": True, "dynamic": job.workload.is_natural}
        return runner
