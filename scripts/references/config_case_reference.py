#!/usr/bin/env python3
"""Writes what changed keys of config.json do to the tiny models, by Transformers: tests/data/models/config_cases.json and
.safetensors.

Each case is a checkpoint of family_reference.py with some keys of its config.json changed; its outputs
are those of that checkpoint's batches `unpadded` and `right` for one task, computed in float64: "CASE.BATCH". These are cases that were
once answered differently in silence, or refused though harmless. Not run by the build: the files are committed. It
needs what model_reference.py lists.
"""

import json
import pathlib
import shutil
import tempfile

import safetensors.torch
import torch
import transformers

MODELS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "models"
ACTIVATIONS = sorted(set(transformers.activations.ACT2CLS) - {"prelu", "xielu"})
LINEAR = {"rope_type": "linear", "factor": 2.0}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
FACTORS = {"short_factor": [1.0, 1.5, 2.0, 2.5], "long_factor": [2.0, 3.0, 4.0, 5.0]}  # of whole heads

CASES = [
    *(("tiny-bert", "embedding", {"hidden_act": name}) for name in ACTIVATIONS),
    *((f"tiny-{name}", "embedding", {"is_causal": False}) for name in ("llama", "gpt2", "opt")),
    ("tiny-mistral", "embedding", {"is_causal": False, "sliding_window": None}),
    ("tiny-bert", "embedding", {"is_causal": False}),
    ("tiny-llama", "embedding", {"rope_scaling": LINEAR}),
    ("tiny-llama", "embedding", {"rope_scaling": {}}),
    ("tiny-llama", "embedding", {"rope_scaling": {"type": "linear", "factor": 3.0}, "rope_parameters": None}),
    ("tiny-llama", "embedding", {"rope_scaling": LLAMA3, "original_max_position_embeddings": 24}),
    ("tiny-llama", "embedding", {"partial_rotary_factor": 0.5, "rope_parameters": {"rope_theta": 100.0}}),
    ("tiny-llama", "embedding", {"rope_parameters": {"rope_type": "default", "rope_theta": 100.0, "unheard_of": 1}}),
    ("tiny-llama", "sequence_classification", {"is_llama_config": True, "transformers.js_config": {"dtype": "q4"}}),
    ("tiny-gpt2", "embedding", {"scale_attn_by_inverse_layer_idx": True}),
    ("tiny-gpt2", "embedding", {"scale_attn_weights": False}),
    # Without a window: padding that sees nothing comes out as NaN.
    *(("tiny-phi3", "embedding", {"sliding_window": None, **changes}) for changes in (
        {"rope_parameters": None, "partial_rotary_factor": 0.25},
        {"rope_parameters": {"rope_theta": 100.0, "partial_rotary_factor": 0.75}, "partial_rotary_factor": 0.5},
        {"rope_scaling": {"type": "su", "original_max_position_embeddings": 40, **FACTORS}},
        {"rope_scaling": {"type": "yarn", "factor": 3.0, "attention_factor": 1.5, **FACTORS}},
        {"rope_scaling": {"rope_type": "longrope", "original_max_position_embeddings": 40, **FACTORS}},
        {"original_max_position_embeddings": 60},
        {"original_max_position_embeddings": 60, "max_position_embeddings": 40},
        {"is_causal": False},
        {"hidden_act": "relu"},
    )),
    ("tiny-roberta", "masked_lm", {"model_type": "camembert"}),
    ("tiny-squeezebert", "embedding", {"layer_norm_eps": 0.5}),
    ("tiny-bert", "sequence_classification", {"directionality": "bidi", "pooler_fc_size": 768, "unsloth_fixed": True}),
]
# The padding's token inside texts: config.json names one that they have. Batch `right` is padded with another.
INSIDE = [("tiny-gpt2", "sequence_classification"), ("tiny-llama", "sequence_classification"),
          ("tiny-opt", "sequence_classification"), ("tiny-roberta", "embedding")]
CLASSES = {"embedding": transformers.AutoModel, "masked_lm": transformers.AutoModelForMaskedLM,
           "sequence_classification": transformers.AutoModelForSequenceClassification}


def run(folder, task, batch):
    model = CLASSES[task].from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    inputs = {"input_ids": batch["input_ids"].long(), "attention_mask": batch["token_mask"].long()}
    if model.config.model_type in ("bert", "roberta", "camembert", "squeezebert"):
        inputs["token_type_ids"] = batch["token_type_ids"].long()
    elif model.config.model_type != "opt":
        mask = batch["token_mask"].long()  # as generate() counts
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        output = model(**inputs)
    if task != "embedding":
        return output.logits
    mask = batch["token_mask"].unsqueeze(-1)
    return (output.last_hidden_state * mask).sum(1) / mask.sum(1)


def main():
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    listed, tensors = [], {}
    for number, (name, task, changes) in enumerate(CASES + [(*case, None) for case in INSIDE]):
        reference = safetensors.torch.load_file(MODELS / name / "reference.safetensors")
        is_inside = changes is None
        if is_inside:
            ids = reference["unpadded.input_ids"]
            changes = {"pad_token_id": int(ids[0, -1] if task == "sequence_classification" else ids[ids > 3].min())}
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            shutil.copy(MODELS / name / "model.safetensors", folder)
            config = json.loads((MODELS / name / "config.json").read_text())
            config.update(changes)
            (folder / "config.json").write_text(json.dumps(config))
            for batch in ("unpadded",) if is_inside else ("unpadded", "right"):
                parts = {key: reference[f"{batch}.{key}"] for key in ("input_ids", "token_mask", "token_type_ids")}
                output = run(folder, task, parts)
                if output.dim() == 3:
                    output = output * parts["token_mask"].unsqueeze(-1)
                tensors[f"{number}.{batch}"] = output.float().contiguous()
        listed.append({"folder": name, "task": task, "changes": changes})
    (MODELS / "config_cases.json").write_text(json.dumps(
        {"made_by": f"transformers {transformers.__version__}, torch {torch.__version__}", "cases": listed}, indent=1) + "\n")
    safetensors.torch.save_file(tensors, MODELS / "config_cases.safetensors")


if __name__ == "__main__":
    main()
