#!/usr/bin/env python3
"""Compares `transformeter predict` with Transformers over every key of config.json, for every family.

    config_sweep.py [--families bert llama] [--only KEY] [--report FILE] [--keep FOLDER] [--program PATH]

For each key that a family's configuration class declares it makes tiny checkpoints with seeded random weights: with
two other values, without the key, and with what the tables below add (every activation, every kind of rotation, keys of published files,
heads of their own). Each is asked for embeddings and for what its head answers, by Transformers and by us. Prints the
counts by family, the most frequent reasons of refusals, and what differs; exits with 1 if anything differs or fails.
--report writes a JSON line for each checkpoint, --keep a copy of those that differ.

It needs what model_reference.py lists.
"""

import argparse
import collections
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

import safetensors.torch
import tokenizers
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-5
VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] + [f"w{i}" for i in range(59)]
PAD, BOS, EOS, MASK = 1, 0, 2, 4
TEXTS = ["w1 w2 w3", "w4 w5 w6 w7 w8 w9 w10 w11 w12 w13", "w14", "w15 w16 w17 w18 w19 w3 w2"]

COMMON = dict(vocab_size=len(VOCABULARY), pad_token_id=PAD, bos_token_id=BOS, eos_token_id=EOS, num_labels=3)
BERT = dict(COMMON, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
            max_position_embeddings=40)
LLAMA = dict(COMMON, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=48, max_position_embeddings=40)
SIZES = {
    "bert": BERT, "roberta": BERT, "xlm-roberta": BERT, "camembert": BERT,
    "albert": dict(BERT, embedding_size=16), "electra": dict(BERT, embedding_size=16),
    "squeezebert": dict(BERT, embedding_size=32),
    "distilbert": dict(COMMON, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40),
    "gpt2": dict(COMMON, n_embd=32, n_layer=2, n_head=4, n_positions=40),
    "opt": dict(COMMON, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, word_embed_proj_dim=32,
                max_position_embeddings=40),
    "llama": LLAMA, "qwen2": LLAMA, "qwen3": dict(LLAMA, head_dim=8), "mistral": LLAMA,
}
DECODERS = ("gpt2", "opt", "llama", "qwen2", "qwen3", "mistral")
ROTARY = ("llama", "qwen2", "qwen3", "mistral")

# Values where a type alone does not tell what is legal. None: the key is left out of the file.
VALUES = {
    "vocab_size": [], "hidden_size": [64], "dim": [64], "n_embd": [64], "num_attention_heads": [2, 8], "n_heads": [2, 8],
    "n_head": [2, 8], "num_key_value_heads": [1, 4], "head_dim": [16, 4], "max_position_embeddings": [24, 64],
    "n_positions": [24, 64], "word_embed_proj_dim": [16], "pad_token_id": [0, 5], "eos_token_id": [[2, 7], 9],
    "bos_token_id": [3], "tie_word_embeddings": [True, False], "num_hidden_groups": [2], "inner_group_num": [2],
    "q_groups": [2], "k_groups": [2], "v_groups": [2], "post_attention_groups": [2], "intermediate_groups": [2],
    "output_groups": [2], "problem_type": ["regression", "single_label_classification", "multi_label_classification"],
    "dtype": ["float32", "bfloat16"], "architectures": [], "id2label": [{"0": "a", "1": "b", "2": "c"}],
    "label2id": [], "transformers_version": ["4.0.0"], "rope_parameters": [], "layer_types": [], "sliding_window": [4],
    "max_window_layers": [1], "is_encoder_decoder": [True], "is_decoder": [True], "add_cross_attention": [True],
    "chunk_size_feed_forward": [1], "n_inner": [40, None], "initializer_range": [0.5], "init_std": [0.5],
    "summary_type": ["mean"], "pretraining_tp": [2], "embedding_size": [24], "name_or_path": ["a/b"],
    "num_labels": [1, 5], "summary_activation": ["tanh"],
}
ACTIVATION_KEYS = ("hidden_act", "activation", "activation_function")
SKIPPED = ("model_type", "sub_configs", "output_hidden_states", "return_dict", "vocab_size")
SCALED = [
    {"rope_type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10, "mscale": 0.7, "mscale_all_dim": 0.5},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 16},
    {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 10,
     "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.5, 2.0, 3.0, 4.0]},
    {"type": "linear", "factor": 3.0}, {"rope_type": "default", "rope_theta": 500.0},
    {"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.5},
    {"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.5},
    {"rope_type": "default", "rope_theta": 500.0, "unheard_of": 3},
]
PUBLISHED = {
    "is_llama_config": True, "transformers.js_config": {"kv_cache_dtype": {"fp16": "float16"}},
    "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"},
    "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity", "directionality": "bidi",
    "pooler_fc_size": 768, "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3, "pooler_type": "first_token_transform",
    "name": "model", "unsloth_fixed": True, "max_sequence_length": 20, "auto_map": {"AutoModel": "a.B"},
    "use_flash_attn": True, "adapters": {"adapters": {}}, "classifiers_size": [1], "is_causal": False, "is_decoder": False,
    "use_sliding_window": True, "tie_weights_": True, "rope_theta": 500.0, "gradient_checkpointing": True,
    "original_max_position_embeddings": 20, "partial_rotary_factor": 0.5, "attention_bias": True, "mlp_bias": True,
    "output_past": True, "quantization_config": {"quant_method": "gptq"}, "pruned_heads": {"0": [1]}, "n_ctx": 40,
}


class Case:
    def __init__(self, family, name, built, written=None, removed=(), change=None):
        self.family, self.name, self.built = family, name, built
        self.written, self.removed, self.change = written or {}, removed, change


def config_class(family):
    return transformers.CONFIG_MAPPING[family]


def default_of(family, key):
    value = getattr(config_class(family)(), key, None)
    return value


def values_of(family, key):
    if key in ACTIVATION_KEYS:
        return list(transformers.activations.ACT2CLS)
    if key in VALUES:
        return VALUES[key]
    value = default_of(family, key)
    if isinstance(value, bool):
        return [not value, value]
    if isinstance(value, int):
        return [value + 8, value + 16]
    if isinstance(value, float):
        return [value * 2 + 0.01, 0.5] if value < 0.5 else [value / 2, value * 2]
    return []


def cases_of(family):
    sizes = SIZES[family]
    heads = list(heads_of(family))
    for head in heads:
        yield Case(family, f"as it is, {head}", {"head": head})
    known = config_class(family)(**sizes).to_dict()
    for key in sorted(known):
        if key in SKIPPED or key.startswith("_"):
            continue
        for value in values_of(family, key):
            yield Case(family, f"{key}={json.dumps(value)}", {key: value})
        if key in sizes and key in ("num_labels",):
            continue
        default = default_of(family, key)
        large = isinstance(default, int) and not isinstance(default, bool) and default > 512 and key not in (
            "max_position_embeddings", "n_positions")
        if not large:
            yield Case(family, f"{key} absent", {key: default} if key in sizes else {}, removed=(key,))
    for key, value in PUBLISHED.items():
        yield Case(family, f"{key}={json.dumps(value)[:30]} in the file", {}, {key: value})
    for value in (True, False):
        yield Case(family, f"own head, tie_word_embeddings {value}", {"head": heads[-1], "tie_word_embeddings": value},
                   change="own_head")
    yield Case(family, "own head, tie_word_embeddings absent", {"head": heads[-1]}, removed=("tie_word_embeddings",),
               change="own_head")
    yield Case(family, "generation_config.json", {"head": heads[-1]}, change="generation")
    if family in ROTARY:
        for value in SCALED:
            name = json.dumps(value)
            yield Case(family, f"rope_parameters={name}", {}, {"rope_parameters": {"rope_theta": 10000.0, **value}})
            yield Case(family, f"rope_scaling={name}", {}, {"rope_scaling": value}, removed=("rope_parameters",))
            yield Case(family, f"rope_scaling={name} beside rope_parameters", {}, {"rope_scaling": value})
            yield Case(family, f"rope_scaling={name}, original_max_position_embeddings=20 beside", {},
                       {"rope_scaling": value, "original_max_position_embeddings": 20}, removed=("rope_parameters",))
        for windows in ({"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
                        {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 0},
                        {"use_sliding_window": False, "sliding_window": 4},
                        {"sliding_window": None}, {"sliding_window": 4, "is_causal": False},
                        {"use_sliding_window": True, "sliding_window": 4,
                         "layer_types": ["sliding_attention", "full_attention"]}):
            yield Case(family, json.dumps(windows), {}, windows, removed=("layer_types",))


def heads_of(family):
    name = {"roberta": "Roberta", "xlm-roberta": "XLMRoberta", "camembert": "Camembert", "gpt2": "GPT2", "opt": "OPT",
            "distilbert": "DistilBert", "squeezebert": "SqueezeBert", "qwen2": "Qwen2", "qwen3": "Qwen3"}.get(
                family, family.capitalize())
    suffixes = {"embedding": ["Model"], "sequence_classification": ["ForSequenceClassification"],
                "masked_lm": ["ForMaskedLM"], "causal_lm": ["ForCausalLM", "LMHeadModel"]}
    heads = {}
    for task, endings in suffixes.items():
        for ending in endings:
            if hasattr(transformers, name + ending) and (task != "causal_lm" or family in DECODERS):
                heads[task] = getattr(transformers, name + ending)
    return heads


def make_tokenizer(folder):
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(VOCABULARY[:5])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", BOS), ("</s>", EOS)])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "mask_token": "<mask>", "bos_token": "<s>",
        "eos_token": "</s>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}))


def randomize(model):
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator) * 0.4
            is_norm = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_(1 + 0.3 * noise if is_norm else noise)


def own_head(folder):
    file = folder / "model.safetensors"
    weights = safetensors.torch.load_file(file)
    names = ("cls.predictions.decoder.weight", "lm_head.decoder.weight", "predictions.decoder.weight",
             "generator_lm_head.weight", "vocab_projector.weight", "lm_head.weight")
    words = next(name for name in weights if name.endswith(("word_embeddings.weight", "wte.weight", "embed_tokens.weight")))
    model = json.loads((folder / "config.json").read_text())["model_type"]
    name = {"bert": names[0], "squeezebert": names[0], "roberta": names[1], "xlm-roberta": names[1],
            "camembert": names[1], "albert": names[2], "electra": names[3], "distilbert": names[4]}.get(model, names[5])
    weights[name] = torch.randn(weights[words].shape, generator=torch.Generator().manual_seed(9)) * 0.4
    safetensors.torch.save_file(weights, file, {"format": "pt"})


def build(case, folder):
    """Writes the checkpoint; returns the head."""
    built = dict(case.built)
    heads = heads_of(case.family)
    head = built.pop("head", None)
    if head is None:
        names = [name for name in heads if name != "embedding"]
        head = names[sum(map(ord, case.name)) % len(names)]
    settings = {**SIZES[case.family], **built}
    if "id2label" in built or "num_labels" in built:
        settings.pop("num_labels", None) if "id2label" in built else None
    if case.family in ROTARY and "layer_types" in case.removed:
        settings.update(case.written)
    if "attention_bias" in case.written or "mlp_bias" in case.written:
        settings.update(case.written)
    config = config_class(case.family)(**settings)
    torch.manual_seed(3)
    model = heads[head](config)
    randomize(model)
    model.save_pretrained(folder)
    file = folder / "config.json"
    written = json.loads(file.read_text())
    for key in case.removed:
        written.pop(key, None)
    written.update(case.written)
    file.write_text(json.dumps(written, indent=1))
    make_tokenizer(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if case.change == "own_head":
        own_head(folder)
    if case.change == "generation":
        (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [2, 11], "max_length": 30}))
    return head


def theirs(folder, task, heads):
    """What `predict` should print, by text."""
    cls = heads["embedding"] if task == "embedding" else heads[task]
    model = cls.from_pretrained(folder, dtype=torch.float32).eval()
    # Of models alone: AutoTokenizer makes of some model types another tokenizer than their files say.
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    texts = TEXTS if task != "masked_lm" else [text + " <mask>" for text in TEXTS]
    with torch.no_grad():
        if task == "causal_lm":
            tokenizer.padding_side = "left"
            batch = tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False)
            ids = model.generate(**batch, max_new_tokens=12, do_sample=False, pad_token_id=PAD)
            return [row[batch["input_ids"].shape[1]:].tolist() for row in ids]
        if task == "sequence_classification" and model.config.pad_token_id != PAD:
            # Rows that the tokenizer pads with another token: the original answers each text alone, or not at all.
            return [model(**tokenizer(text, return_tensors="pt", return_token_type_ids=False)).logits[0].tolist()
                    for text in texts]
        batch = tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False)
        output = model(**batch)
        if task == "embedding":
            mask = batch["attention_mask"].unsqueeze(-1).float()
            return ((output.last_hidden_state * mask).sum(1) / mask.sum(1)).tolist()
        if task == "sequence_classification":
            return output.logits.tolist()
        rows = []
        for row, ids in zip(output.logits, batch["input_ids"]):
            scores = row[(ids == MASK).nonzero()[0, 0]].softmax(-1)
            rows.append(scores.tolist())
        return rows


def ours(options, folder, task):
    texts = TEXTS if task != "masked_lm" else [text + " <mask>" for text in TEXTS]
    asked = task
    problem = json.loads((folder / "config.json").read_text()).get("problem_type")
    if task == "sequence_classification" and problem in ("regression", "multi_label_classification"):
        asked = problem
    command = [options.program, "predict", "--model", folder, "--task", asked, "--device", "cpu", "--text", *texts]
    if task == "causal_lm":
        command += ["--max-new-tokens", "12"]
    if task == "masked_lm":
        command += ["--top-k", str(len(VOCABULARY))]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr.strip()
    rows = []
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if task == "embedding":
            rows.append(answer["embedding"])
        elif task == "causal_lm":
            rows.append(answer["generated_ids"])
        elif task == "masked_lm":
            scores = [0.0] * len(VOCABULARY)
            for filling in answer["masks"][0]["fillings"]:
                scores[filling["id"]] = filling["score"]
            rows.append(scores)
        else:
            rows.append(answer["values"] if asked == "regression" else answer["logits"])
    return 0, rows


def difference(expected, got, task):
    if task == "causal_lm":  # what ends a text is not ours to know: each stops where the other does
        same = all(row[: len(answer)] == answer and set(row[len(answer) + 1:]) <= {PAD}
                   for row, answer in zip(expected, got))
        return 0.0 if same else 1.0
    if [len(row) for row in expected] != [len(row) for row in got]:
        return float("inf")
    return max(abs(a - b) / max(1, abs(a)) for x, y in zip(expected, got) for a, b in zip(x, y))


def judge(options, case, folder):
    heads = heads_of(case.family)
    try:
        head = build(case, folder)
    except Exception as error:  # a configuration that the original cannot build
        return "not built", 0, "", str(error).splitlines()[0] if str(error) else type(error).__name__
    verdict, worst, where, why = "agreed", 0.0, head, ""
    for task in dict.fromkeys((head, "embedding")):
        try:
            expected = theirs(folder, task, heads)
        except Exception as error:
            expected = error
        code, got = ours(options, folder, task)
        if code == 3:
            return "refused", 0, task, got.splitlines()[-1]
        if code != 0:
            return "failed", 0, task, got
        if isinstance(expected, Exception):
            return "only ours", 0, task, str(expected)[:200]
        distance = difference(expected, got, task)
        if not distance <= worst:
            worst, where = distance, task
    return ("agreed" if worst <= TOLERANCE else "different"), worst, where, why


def reason(message, case):
    text = message.split("config.json: ")[-1]
    return text.split("'")[0].strip()[:60] + " …" if "'" in text else text[:60]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", default=list(SIZES))
    parser.add_argument("--only", help="cases whose name contains it")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "build/bin/transformeter")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    transformers.logging.disable_progress_bar()
    warnings.simplefilter("ignore")
    counts, reasons, faults = {}, collections.Counter(), []
    report = options.report.open("w") if options.report else None
    for family in options.families:
        counts[family] = collections.Counter()
        for case in cases_of(family):
            if options.only and options.only not in case.name:
                continue
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                verdict, worst, task, message = judge(options, case, folder)
                if options.keep and verdict in ("different", "failed"):
                    shutil.copytree(folder, options.keep / f"{family}-{len(faults)}", dirs_exist_ok=True)
            counts[family][verdict] += 1
            if verdict == "refused":
                reasons[reason(message, case)] += 1
            if verdict in ("different", "failed", "only ours"):
                faults.append((worst, family, case.name, task, verdict, message))
                print(f"{verdict}: {family}: {case.name}: {task}: {worst:.3g} {message[:160]}", file=sys.stderr, flush=True)
            if report:
                report.write(json.dumps({"family": family, "case": case.name, "verdict": verdict, "task": task,
                                         "difference": worst, "message": message}) + "\n")
                report.flush()
    columns = ["agreed", "refused", "different", "failed", "only ours"]
    print("| family | checkpoints | " + " | ".join(columns) + " |\n|---|" + "---|" * (len(columns) + 1))
    total = collections.Counter()
    for family, count in counts.items():
        total += count
        print(f"| {family} | {sum(count[c] for c in columns)} | " + " | ".join(str(count[c]) for c in columns) + " |")
    print(f"| all | {sum(total[c] for c in columns)} | " + " | ".join(str(total[c]) for c in columns) + " |")
    print(f"\n{total['not built']} configurations cannot be built by Transformers either.\n\nRefused:\n")
    for text, count in reasons.most_common(10):
        print(f"- {count} × {text}")
    print("\nDifferent, failed, or answered by us alone:\n" if faults else "\nNothing differs.")
    for worst, family, name, task, verdict, message in sorted(faults, key=lambda fault: -fault[0]):
        print(f"- {verdict}: {family}, {name}, {task}: {worst:.3g} {message[:120]}")
    return 1 if total["different"] or total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
