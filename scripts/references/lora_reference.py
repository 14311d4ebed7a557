#!/usr/bin/env python3
"""Writes the loss curves that our training of LoRA adapters follows, made with Hugging Face PEFT.

    lora_reference.py     tests/data/training/{lora_curves.json,lora_adapters.safetensors}

Not run by the build or by CI: the files it writes are committed. It needs the virtual environment that
training_reference.py describes, with `pip install --no-deps peft==0.21.2`. Formats are described in
tests/data/training/README.md.

Curves are made, and held against a second run, gradient checkpointing, the Trainer and float64, by training_reference.py,
on a model that get_peft_model has given adapters. Their A is drawn here as PEFT draws it (kaiming_uniform_(a=√5), which
is uniform up to 1/√in), so that every precision begins with the same numbers.
"""

import sys
import tempfile
import pathlib
import warnings

import peft
import torch
import transformers as t
from safetensors import safe_open
from safetensors.torch import save_file

import training_reference as training
from model_reference import versions, write_json

RANK, ALPHA = 4, 12  # a scale of 3, which is neither 1 nor alpha
TASK_TYPES = {"sequence_classification": "SEQ_CLS", "token_classification": "TOKEN_CLS",
              "question_answering": "QUESTION_ANS", "causal_lm": "CAUSAL_LM"}
TARGETS = {"tiny-distilbert-classifier": ["q_lin", "v_lin"], "tiny-albert": ["query", "value"],
           "tiny-bert-reader": ["query", "value"], "tiny-bert-tagger": ["query", "value"], "tiny-gpt2": ["c_attn"],
           "tiny-llama": ["q_proj", "v_proj"]}
drawn = {}  # A by run and name


def own_name(name):
    """As the model's tensors are called without PEFT."""
    return name.replace(".default", "").replace(".modules_to_save", "")


def with_adapters(run, model):
    lora = run["lora"]
    config = peft.LoraConfig(r=lora["rank"], lora_alpha=lora["alpha"], target_modules=lora["targets"],
                             task_type=TASK_TYPES[run["task"]])
    model.name_or_path = run["model"]
    return peft.get_peft_model(model, config, autocast_adapter_dtype=False)


def load(run, dtype, weighted):
    torch.manual_seed(0)
    model = with_adapters(run, load_base(run, dtype, weighted)).base_model.model
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                assert not parameter.any()
            if "lora_A" not in name:
                continue
            bound = parameter.shape[1] ** -0.5
            assert 0.8 * bound < parameter.abs().max() <= bound, "PEFT draws A in another way"
            values = (2 * torch.rand(parameter.shape, generator=generator) - 1) * bound
            parameter.copy_(values)
            drawn[f"{run['name']}.{own_name(name)}"] = values
    assert all(p.requires_grad == ("lora_" in name or "modules_to_save" in name) for name, p in model.named_parameters())
    return model.train()


def saved_tensors(run):
    """Names and shapes in the adapter_model.safetensors of save_pretrained."""
    with tempfile.TemporaryDirectory() as folder:
        with_adapters(run, load_base(run, torch.float32, False)).save_pretrained(folder)
        with safe_open(pathlib.Path(folder) / "adapter_model.safetensors", "pt") as file:
            return {name: list(file.get_slice(name).get_shape()) for name in file.keys()}


def run_of(model, optimizer="adamw", precision="fp32", accumulation=1, suffix="", targets=None, **changes):
    lora = {"rank": RANK, "alpha": ALPHA, "targets": targets or TARGETS[model]}
    return training.run_of(model, optimizer, precision, accumulation, f"{suffix}-lora", lora=lora, **changes)


def all_runs():
    first = "tiny-distilbert-classifier"
    rate = {"adamw": 5e-3, "adam": 5e-3, "sgd": 0.05, "adafactor": 5e-3}
    for optimizer in ("adamw", "sgd", "adafactor"):
        yield run_of(first, optimizer, learning_rate=rate[optimizer])
    yield run_of(first, accumulation=4, learning_rate=5e-3)
    for precision in ("bf16_autocast", "bf16"):
        yield run_of(first, precision=precision, learning_rate=5e-3)
    for model in TARGETS:
        if model != first:
            yield run_of(model, learning_rate=2e-3)
    for model in ("tiny-albert", "tiny-llama"):  # PEFT fails where it would also adapt what it trains whole
        yield run_of(model, suffix="-all-linear", targets="all-linear", learning_rate=2e-3)


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    t.utils.logging.disable_progress_bar()
    t.utils.logging.set_verbosity_error()
    batches = training.all_batches()
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for run in all_runs():
            weighted = run["accumulation"] > 1 or run["model"] == "tiny-gpt2"
            made = training.checked_run(run, batches, weighted, folder)
            if "first_gradients" in made:
                made["first_gradients"] = {own_name(name): norm for name, norm in made["first_gradients"].items()}
            done.append(made | {"saved_tensors": saved_tensors(run)})
    used = {run["batches"] for run in done}
    write_json(training.CURVES / "lora_curves.json",
               versions() | {"peft": peft.__version__, "batches": {name: batches[name] for name in batches if name in used},
                             "runs": done})
    save_file(dict(sorted(drawn.items())), training.CURVES / "lora_adapters.safetensors")


load_base = training.load
training.load = load

if __name__ == "__main__":
    sys.exit(main())
