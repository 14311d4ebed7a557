#!/usr/bin/env python3
"""Writes one tiny seeded checkpoint per family of models, with the outputs that Hugging Face Transformers gives.

    family_reference.py [FAMILY…]   tests/data/models/tiny-FAMILY/{config.json,model.safetensors,reference.safetensors}
    family_reference.py rotary      frequencies of every kind of rotary scaling into tests/data/models/rotary.json
    family_reference.py distances   MPNet's bucket of each distance into tests/data/models/distances.json
    family_reference.py inventories parameter names and shapes by class into tests/data/models/inventories.json

Not run by the build or by CI: the files it writes are committed. It needs the virtual environment that
model_reference.py describes. Formats are described in tests/data/models/README.md.
"""

import argparse
import json
import pathlib

import torch
import transformers as t
from safetensors.torch import save_file
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from model_reference import OUTPUT, PADDED, PAIRS, UNPADDED, draw_weights, vocabulary, versions, write_json

HEADS = {
    "embedding": "Model",
    "sequence_classification": "ForSequenceClassification",
    "token_classification": "ForTokenClassification",
    "question_answering": "ForQuestionAnswering",
    "masked_lm": "ForMaskedLM",
    "causal_lm": "ForCausalLM",
}
OTHER_CAUSAL_LM = {"GPT2": "GPT2LMHeadModel", "Gemma3Text": "Gemma3ForCausalLM"}
ENCODER_TASKS = ["embedding", "sequence_classification", "token_classification", "question_answering", "masked_lm"]
DECODER_TASKS = ["embedding", "sequence_classification", "token_classification", "question_answering", "causal_lm"]
NEW_TOKENS = 8

ENCODER = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
               max_position_embeddings=40, initializer_range=0.3, pad_token_id=0)
LLAMA = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=48,
             max_position_embeddings=64, initializer_range=0.3, pad_token_id=0, bos_token_id=2, eos_token_id=3)


def rope(**parameters):
    return dict(rope_parameters=parameters)


LLAMA3 = rope(rope_type="llama3", rope_theta=500.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)
YARN = rope(rope_type="yarn", rope_theta=1000.0, factor=4.0, original_max_position_embeddings=16)

# folder: (configuration class, sizes, prefix of the model classes, tasks)
FAMILIES = {
    "bert": (t.BertConfig, ENCODER, "Bert", ENCODER_TASKS),
    "distilbert": (t.DistilBertConfig, dict(dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40,
                                            pad_token_id=0), "DistilBert", ENCODER_TASKS),
    "roberta": (t.RobertaConfig, dict(ENCODER, type_vocab_size=1, layer_norm_eps=1e-5), "Roberta", ENCODER_TASKS),
    "squeezebert": (t.SqueezeBertConfig, dict(ENCODER, embedding_size=32, q_groups=2, k_groups=4, v_groups=2,
                                              post_attention_groups=1, intermediate_groups=4, output_groups=2),
                    "SqueezeBert", ENCODER_TASKS),
    "albert": (t.AlbertConfig, dict(ENCODER, embedding_size=16, num_hidden_layers=3, num_hidden_groups=2), "Albert",
               ENCODER_TASKS),
    "electra": (t.ElectraConfig, dict(ENCODER, embedding_size=16), "Electra", ENCODER_TASKS),
    "mpnet": (t.MPNetConfig, dict(ENCODER, pad_token_id=1), "MPNet", ENCODER_TASKS),
    "gpt2": (t.GPT2Config, dict(n_embd=32, n_layer=2, n_head=4, n_positions=64, pad_token_id=0, bos_token_id=2,
                                eos_token_id=3), "GPT2", DECODER_TASKS),
    "opt": (t.OPTConfig, dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48,
                              max_position_embeddings=64, word_embed_proj_dim=32, pad_token_id=0, bos_token_id=2,
                              eos_token_id=3), "OPT", [x for x in DECODER_TASKS if x != "token_classification"]),
    "opt-post-norm": (t.OPTConfig, dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48,
                                        max_position_embeddings=64, word_embed_proj_dim=16, do_layer_norm_before=False,
                                        pad_token_id=0, bos_token_id=2, eos_token_id=3), "OPT",
                      ["embedding", "causal_lm"]),
    "llama": (t.LlamaConfig, dict(LLAMA, attention_bias=True, mlp_bias=True, **LLAMA3), "Llama", DECODER_TASKS),
    "llama-yarn": (t.LlamaConfig, dict(LLAMA, tie_word_embeddings=True, **YARN), "Llama", ["causal_lm"]),
    "qwen2": (t.Qwen2Config, dict(LLAMA, use_sliding_window=True, sliding_window=5, max_window_layers=1,
                                  tie_word_embeddings=True), "Qwen2", DECODER_TASKS),
    "qwen3": (t.Qwen3Config, dict(LLAMA, head_dim=12), "Qwen3", DECODER_TASKS),
    "mistral": (t.MistralConfig, dict(LLAMA, sliding_window=5), "Mistral", DECODER_TASKS),
    # Any row alone is longer than before stretching, so that ways of cutting a batch change no factors.
    "phi3": (t.Phi3Config, dict(LLAMA, sliding_window=5, original_max_position_embeddings=2, **rope(
        rope_type="longrope", rope_theta=100.0, partial_rotary_factor=0.5, short_factor=[1.0, 1.5],
        long_factor=[2.0, 3.0])), "Phi3", [x for x in DECODER_TASKS if x != "question_answering"]),
    # All batches fit the length before stretching, and the greedy text of the batch "left" passes it.
    "phi3-longrope": (t.Phi3Config, dict(
        LLAMA, tie_word_embeddings=True, original_max_position_embeddings=20, **rope(
            rope_type="longrope", rope_theta=100.0, short_factor=[1.0, 1.1, 1.2, 1.5],
            long_factor=[1.5, 2.0, 3.0, 4.0])), "Phi3", ["causal_lm"]),
    "gemma3": (t.Gemma3TextConfig, dict(LLAMA, num_hidden_layers=3, head_dim=12, sliding_window=5, layer_types=[
        "sliding_attention", "full_attention", "sliding_attention"], query_pre_attn_scalar=10, eos_token_id=3,
        rope_parameters=dict(sliding_attention=dict(rope_type="default", rope_theta=100.0),
                             full_attention=dict(rope_type="linear", rope_theta=1000.0, factor=2.0))),
               "Gemma3Text", ["embedding", "sequence_classification", "causal_lm"]),
}


def model_class(prefix, task):
    name = prefix + HEADS[task]
    return getattr(t, name, None) or getattr(t, OTHER_CAUSAL_LM[prefix])


def encode(rows, words, side, padding_id):
    """Words of the rows by the vocabulary, [CLS] … [SEP], padded on `side`."""
    index = {word: i for i, word in enumerate(words)}

    def ids(text):
        return [index.get(word, index["[UNK]"]) for word in text.split()]

    encoded = []
    for row in rows:
        first, *second = row if isinstance(row, tuple) else (row,)
        tokens = [index["[CLS]"], *ids(first), index["[SEP]"]]
        types = [0] * len(tokens)
        for text in second:
            more = [*ids(text), index["[SEP]"]]
            tokens, types = tokens + more, types + [1] * len(more)
        encoded.append((tokens, types))
    longest = max(len(tokens) for tokens, _ in encoded)

    def padded(values, fill):
        padding = [fill] * (longest - len(values))
        return padding + values if side == "left" else values + padding

    return {
        "input_ids": torch.tensor([padded(tokens, padding_id) for tokens, _ in encoded]),
        "token_mask": torch.tensor([padded([1] * len(tokens), 0) for tokens, _ in encoded]),
        "token_type_ids": torch.tensor([padded(types, 0) for _, types in encoded]),
    }


def batches(words, is_causal, padding_id):
    result = {"unpadded": encode(UNPADDED, words, "right", padding_id),
              "right": encode(PADDED, words, "right", padding_id), "left": encode(PADDED, words, "left", padding_id)}
    assert result["unpadded"]["token_mask"].min() == 1
    if not is_causal:
        result["pairs"] = encode(PAIRS, words, "right", padding_id)
    return result


def forward(model, batch, has_types):
    mask = batch["token_mask"]
    inputs = {"input_ids": batch["input_ids"], "attention_mask": mask}
    if has_types:
        inputs["token_type_ids"] = batch["token_type_ids"]
    if model.config.model_type in ("gpt2", "llama", "qwen2", "qwen3", "mistral", "phi3", "gemma3_text"):
        # As generate() counts them; a plain forward pass would count the padding on the left.
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        out = model(**inputs)
    real = mask.unsqueeze(-1).to(torch.float64)
    if hasattr(out, "start_logits"):
        return torch.stack([out.start_logits, out.end_logits], -1) * real
    if hasattr(out, "logits"):
        return out.logits * real if out.logits.dim() == 3 else out.logits
    return (out.last_hidden_state * real).sum(1) / real.sum(1)


def greedy(model, batch):
    mask = batch["token_mask"]
    model.generation_config.eos_token_id = None  # all rows go on to the end
    with torch.no_grad():
        out = model.generate(input_ids=batch["input_ids"], attention_mask=mask, do_sample=False,
                             max_new_tokens=NEW_TOKENS)
    return out[:, mask.shape[1]:]


def write_family(name):
    config_class, sizes, prefix, tasks = FAMILIES[name]
    words = vocabulary()
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    labels = dict(id2label={0: "negative", 1: "neutral", 2: "positive"},
                  label2id={"negative": 0, "neutral": 1, "positive": 2})
    is_causal = "causal_lm" in tasks
    weights, reference, spreads = {}, {}, []
    inputs = batches(words, is_causal, sizes["pad_token_id"])
    for batch_name, batch in inputs.items():
        for key, value in batch.items():
            reference[f"{batch_name}.{key}"] = value.to(torch.int32).contiguous()
    for task in tasks:
        config = config_class(vocab_size=len(words), **sizes, **({} if task == "question_answering" else labels))
        # With "eager", rows that see nothing (padding on the left) come out as NaN.
        config._attn_implementation = "eager" if not is_causal else "sdpa"
        model = model_class(prefix, task)(config).eval()
        base = model if task == "embedding" else getattr(model, model.base_model_prefix)
        # Weights are those of the family's seed and stored in bfloat16; each head adds its own.
        draw_weights(base, seed=len(name))
        draw_weights_of_head(model, base, task)
        round_weights(model)
        for key, value in state_of(model, base, prefix, task).items():
            value = value.to(torch.bfloat16)
            assert key not in weights or torch.equal(weights[key], value), key
            weights[key] = value.contiguous()
        has_types = getattr(config, "type_vocab_size", 0) > 1
        exact = {}
        for batch_name, batch in inputs.items():
            out = forward(model, batch, has_types)
            assert out.isfinite().all(), f"{name} {task} {batch_name}"
            reference[f"{batch_name}.{task}"] = out.to(torch.float32).contiguous()
            spreads.append(out.std().item())
            exact[batch_name] = out
        if task == "causal_lm":
            for batch_name in ("unpadded", "left"):
                reference[f"{batch_name}.greedy"] = greedy(model, inputs[batch_name]).to(torch.int32).contiguous()
        # How far the original's own bfloat16 is from the truth, as a root of the mean square: what ours is held to.
        for parameter in model.parameters():
            parameter.data = parameter.data.to(torch.bfloat16)
        for batch_name, batch in inputs.items():
            error = forward(model, batch, has_types).to(torch.float64) - exact[batch_name]
            reference[f"{batch_name}.{task}.bfloat16_error"] = error.square().mean().sqrt().to(torch.float32).reshape(1)
    config = config_class(vocab_size=len(words), **sizes, **labels)
    write_json(folder / "config.json", config.to_dict())
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    bytes_ = sum((folder / f).stat().st_size for f in ("model.safetensors", "reference.safetensors"))
    print(f"{name:15} {len(weights):3} tensors, {bytes_:7} bytes, spread {min(spreads):.3f} to {max(spreads):.3f}")


def round_weights(model):
    """To what bfloat16 holds, computed with in float64; buffers such as rotary frequencies keep their own precision."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(torch.bfloat16))
    model.to(torch.float64)


def draw_weights_of_head(model, base, task):
    """Seeded apart from the base, so that every task has the same base; like-named heads are alike."""
    seen = {id(p) for p in base.parameters()}
    generator = torch.Generator().manual_seed(99)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if id(parameter) in seen:
                continue
            generator.manual_seed(sum(name.encode()) + parameter.numel())
            scale = 0.2 if name.endswith("bias") else 0.3
            center = 1 if "norm" in name.lower() and name.endswith("weight") else 0
            parameter.copy_(center + scale * torch.randn(parameter.shape, generator=generator))


def state_of(model, base, prefix, task):
    """Parameters by the names they have in a checkpoint of a model with a head."""
    tied = set(getattr(model, "_tied_weights_keys", None) or {}) if model.config.tie_word_embeddings else set()
    if task == "embedding":
        full = model_class(prefix, "causal_lm" if prefix in ("OPT", "Phi3", "Gemma3Text") else "question_answering")
        base_prefix = "model" if prefix in ("Llama", "Qwen2", "Qwen3", "OPT", "Phi3") else full.base_model_prefix
        return {f"{base_prefix}.{name}": value for name, value in model.named_parameters()}
    state = {}
    for name, value in model.named_parameters():
        if name in tied:
            continue
        if task == "question_answering" and prefix in ("Llama", "Qwen2", "Qwen3"):
            name = name.replace("transformer.", "model.", 1)
        state[name] = value
    return state


def write_rotary():
    base = dict(hidden_size=64, num_attention_heads=4, max_position_embeddings=64)
    kinds = {
        "default": dict(rope_type="default", rope_theta=10000.0),
        "linear": dict(rope_type="linear", rope_theta=10000.0, factor=4.0),
        "dynamic": dict(rope_type="dynamic", rope_theta=10000.0, factor=4.0),
        "yarn": dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16),
        "yarn_scaled": dict(rope_type="yarn", rope_theta=10000.0, factor=40.0, beta_fast=16.0, beta_slow=2.0, mscale=0.7,
                            mscale_all_dim=1.0, truncate=False, original_max_position_embeddings=4096),
        "llama3": dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                       original_max_position_embeddings=32),
        "longrope": dict(rope_type="longrope", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16,
                         short_factor=[1.0 + 0.1 * i for i in range(8)], long_factor=[2.0 + 0.5 * i for i in range(8)]),
    }
    cases = []
    for name, parameters in kinds.items():
        config = t.LlamaConfig(**base, rope_parameters=dict(parameters))
        for tokens in (8, 100):
            if name == "default":
                dim = 16
                frequencies = 1.0 / (parameters["rope_theta"] ** (torch.arange(0, dim, 2).float() / dim))
                factor = 1.0
            else:
                frequencies, factor = ROPE_INIT_FUNCTIONS[name.split("_")[0]](config, seq_len=tokens)
            cases.append({"kind": name, "tokens": tokens, "rope_parameters": parameters,
                          "attention_factor": factor, "frequencies": frequencies.tolist()})
    write_json(OUTPUT / "rotary.json", {"made_by": versions(), "head_dim": 16, "max_position_embeddings": 64,
                                        "cases": cases})


def write_distances():
    distances = torch.arange(-511, 512)
    buckets = MPNetEncoder.relative_position_bucket(distances)
    write_json(OUTPUT / "distances.json", {"made_by": versions(), "first": -511, "buckets": buckets.tolist()})


def write_inventories():
    result = {"made_by": versions(), "models": []}
    for name, (config_class, sizes, prefix, tasks) in FAMILIES.items():
        if name in ("llama-yarn", "phi3-longrope"):
            continue
        for task in tasks:
            config = config_class(vocab_size=107, **sizes, num_labels=2 if task == "question_answering" else 3)
            model = model_class(prefix, task)(config)
            config.architectures = [type(model).__name__]
            result["models"].append({
                "task": task,
                "config": {k: v for k, v in config.to_diff_dict().items() if k != "transformers_version"},
                "parameters": [[n, list(p.shape)] for n, p in model.named_parameters()],
                "parameter_count": sum(p.numel() for p in model.parameters()),
            })
    import clip_reference  # which import this file
    import siglip_reference
    import speech_reference
    import t5_reference
    import vision_reference

    for more in (vision_reference, clip_reference, siglip_reference, t5_reference, speech_reference):
        result["models"] += more.inventories()
    write_json(OUTPUT / "inventories.json", result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*FAMILIES, "rotary", "distances", "inventories", []])
    torch.set_num_threads(1)
    for what in parser.parse_args().what or FAMILIES:
        written = {"rotary": write_rotary, "distances": write_distances, "inventories": write_inventories}
        written.get(what, lambda what=what: write_family(what))()


if __name__ == "__main__":
    main()
