"""Seeded random weights, saved once as Hugging Face style checkpoints that every engine loads.

No model hub is needed: speed does not depend on what the weights know. The tokenizers are the published ones.
"""
from __future__ import annotations

import json
import os
import pathlib
import shutil
from dataclasses import dataclass, field

SEED = 0


@dataclass(frozen=True)
class Architecture:
    """How `transformers` builds a model, what our worker calls its task, and whose vocabulary it has."""

    config: str
    model: str
    task: str
    tokenizer: str  # folder below the public data's tokenizers/
    settings: dict[str, object] = field(default_factory=dict)
    layers: str = "num_hidden_layers"  # the configuration's name for their number
    dropouts: tuple[str, ...] = ()  # the configuration's names for their probabilities


# Qwen2.5-0.5B as published; the rest of its configuration are Qwen2Config's defaults.
_QWEN2 = {"hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
          "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": True,
          "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}

ARCHITECTURES = {
    "distilbert": Architecture("DistilBertConfig", "DistilBertForSequenceClassification", "sequence_classification",
                               "bert-base-uncased", layers="n_layers",
                               dropouts=("dropout", "attention_dropout", "seq_classif_dropout")),
    "bert-qa": Architecture("BertConfig", "BertForQuestionAnswering", "question_answering", "bert-base-uncased",
                            dropouts=("hidden_dropout_prob", "attention_probs_dropout_prob")),
    "qwen2": Architecture("Qwen2Config", "Qwen2ForCausalLM", "causal_lm", "qwen2", _QWEN2),
}


def load(name: str, folder: pathlib.Path, dtype: str = "float32", attention: str = "sdpa"):
    """The model of a checkpoint, ready to infer."""
    import torch
    import transformers

    model_class = getattr(transformers, ARCHITECTURES[name].model)
    return model_class.from_pretrained(folder, dtype=getattr(torch, dtype), attn_implementation=attention).eval()


def save(name: str, folder: pathlib.Path, data: pathlib.Path, layers: int | None = None) -> None:
    """Writes the checkpoint with its tokenizer, unless it is there already. `layers` cuts the model, for a trial."""
    if folder.exists():
        return
    import torch
    import transformers

    architecture = ARCHITECTURES[name]
    torch.manual_seed(SEED)
    settings = {**architecture.settings, **({architecture.layers: layers} if layers else {})}
    config = getattr(transformers, architecture.config)(**settings)
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    getattr(transformers, architecture.model)(config).save_pretrained(partial)
    for file in (data / "tokenizers" / architecture.tokenizer).iterdir():
        if file.name in ("vocab.txt", "vocab.json", "merges.txt", "added_tokens.json", "tokenizer_config.json"):
            shutil.copy(file, partial / file.name)
    partial.rename(folder)


def save_without_dropout(name: str, folder: pathlib.Path, source: pathlib.Path) -> None:
    """Writes the checkpoint `source` again, with every dropout of its configuration 0, unless it is there already.

    Two trainings of it can be compared: dropout draws differ between any two programs.
    """
    if folder.exists():
        return
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial, copy_function=os.link)
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    absent = [key for key in ARCHITECTURES[name].dropouts if key not in config]
    if absent or not ARCHITECTURES[name].dropouts:
        raise SystemExit(f"bench_peers: '{source}/config.json' names no {' and no '.join(absent) or 'dropout'}")
    (partial / "config.json").unlink()  # a link: the file of the source must stay as it is
    (partial / "config.json").write_text(json.dumps(config | dict.fromkeys(ARCHITECTURES[name].dropouts, 0.0)),
                                         encoding="utf-8")
    partial.rename(folder)
