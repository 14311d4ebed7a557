"""The Trainer of Transformers with its default optimizer and attention, without logging, saving and evaluation."""
from __future__ import annotations

import sys

from peers import recipe
from peers.engines.base import Steps, TrainingEngine
from peers.engines.torch_loop import model_to_train

_ATTENTION = "sdpa"


def _trainer(model, arguments, batches, steps: Steps):
    from transformers import Trainer, TrainerCallback

    class OfReadyBatches(Trainer):
        """The batches are made already: a data loader of its own would only cost it time."""

        def get_train_dataloader(self):
            return batches

        def training_step(self, *arguments, **named):
            self.last_loss = super().training_step(*arguments, **named)
            return self.last_loss

    class Turns(TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            control.should_training_stop = not steps.done(trainer.last_loss)

    trainer = OfReadyBatches(model=model, args=arguments, callbacks=[Turns()])
    return trainer


class HfTrainer(TrainingEngine):
    packages = ("torch", "transformers", "accelerate")

    def __init__(self, name: str, padded_to: int | None = None):
        self.name = name
        self.padded_to = padded_to
        self.settings = {"attention": _ATTENTION, "optim": "adamw_torch_fused"}

    def applies(self, workload, precision):
        return self.padded_to is None or workload.is_natural

    def train(self, job, batches, steps):
        from transformers import TrainingArguments

        arguments = TrainingArguments(
            output_dir=str(job.artefacts / "trainer"), use_cpu=True, bf16=job.precision == "bf16_autocast",
            per_device_train_batch_size=job.workload.batch_size, max_steps=sys.maxsize,
            gradient_accumulation_steps=recipe.GRADIENT_ACCUMULATION, max_grad_norm=recipe.MAX_GRADIENT_NORM,
            optim="adamw_torch_fused", learning_rate=recipe.LEARNING_RATE, lr_scheduler_type="constant",
            weight_decay=recipe.WEIGHT_DECAY, logging_strategy="no", save_strategy="no", report_to="none",
            disable_tqdm=True)
        _trainer(model_to_train(job, _ATTENTION), arguments, batches, steps).train()
