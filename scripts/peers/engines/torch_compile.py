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
            return "its int8 needs torchao's export flow, another product"
        if workload.is_generation:
            return "a compiled decode step needs a static cache, slower here than the growing one it replaces"
        return None

    def load(self, job: Job, inputs):
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(job.artefacts / "inductor"))
        import torch
        import torch._inductor.config as inductor

        inductor.freezing = True
        model = load_model(job, "sdpa")
        for parameter in model.parameters():
            parameter.requires_grad_(False)
        # One graph for all lengths where they vary: a graph for each would be compiled anew 28 times.
        runner = TorchRunner(model, torch.compile(model, dynamic=job.workload.is_natural))
        runner.settings = {"freezing": True, "dynamic": job.workload.is_natural}
        return runner
