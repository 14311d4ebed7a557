"""A training loop as PyTorch's tutorials write it, around a model of Transformers."""
from __future__ import annotations

from peers import checkpoints, recipe
from peers.engines.base import Job, TrainingEngine


def model_to_train(job: Job, attention: str):
    """The checkpoint in fp32, its dropout at work."""
    import torch

    torch.set_num_threads(job.threads)
    torch.manual_seed(checkpoints.SEED)  # of dropout
    return checkpoints.load(job.workload.model, job.checkpoint, "float32", attention).train()


class TorchLoop(TrainingEngine):
    packages = ("torch", "transformers")

    def __init__(self, name: str, attention: str):
        self.name = name
        self._attention = attention
        self.settings = {"attention": attention, "optimizer": "AdamW(fused=True)"}

    def train(self, job, batches, steps):
        import torch

        model = model_to_train(job, self._attention)
        optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.LEARNING_RATE, weight_decay=recipe.WEIGHT_DECAY,
                                      fused=True)
        is_autocast = job.precision == "bf16_autocast"
        for batch in batches:
            with torch.autocast("cpu", torch.bfloat16, enabled=is_autocast):
                loss = model(**batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.MAX_GRADIENT_NORM)
            optimizer.step()
            optimizer.zero_grad()
            if not steps.done(loss.detach()):
                return
