#!/usr/bin/env python3
"""Writes tiny seeded T5 checkpoints, with what Hugging Face Transformers computes of them.

    t5_reference.py [NAME…]            tests/data/models/tiny-NAME/{config.json,generation_config.json,
                                       model.safetensors,tokenizer.json,tokenizer_config.json,reference.safetensors,
                                       texts.json,curve.safetensors}

tiny-t5 is of version 1.1 (a gate, an output layer of its own), tiny-t5-relu of version 1.0. Weights are saved by
save_pretrained, whose names are those of published checkpoints. Not run by the build or by CI: the files it writes are
committed. It needs the virtual environment that model_reference.py describes.
"""

import copy
import json

import torch
import transformers as t
from safetensors.torch import save_file

from family_reference import round_weights
from learning_curve import learnt, patterned_dropout, print_summary
from model_reference import OUTPUT, PADDED, PAIRS, WORDS, versions, write_json
from vision_reference import inventory, saved_weights, write_named

META = "\u2581"
EXTRA_IDS = 4
TEXTS = ["the film was very good.", "a dull story, slow and sad; the worst hour of my time", "Naïve <extra_id_0> plot", "",
         "the the the"]
NEW_TOKENS = 8

LEARNING_RATE = 1e-4  # of the curve of training: at which the loss falls and rounding does not grow
IGNORED = -100


def tokenizer():
    letters = [*map(chr, range(ord("a"), ord("z") + 1)), *".,;:!?"]
    words = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), (META, -2.0)]
    words += [(META + word, -4.0 - i / 100) for i, word in enumerate(WORDS)]
    words += [(letter, -6.0 - i / 100) for i, letter in enumerate(letters)]
    words += [(f"<extra_id_{i}>", 0.0) for i in reversed(range(EXTRA_IDS))]
    return t.T5Tokenizer(vocab=words, extra_ids=EXTRA_IDS)


TOKENIZER = tokenizer()

# Widths that are all unlike. Few buckets, whose last begins within the texts.
SIZES = dict(vocab_size=len(TOKENIZER) + 5, d_model=32, d_kv=12, d_ff=40, num_heads=4, num_layers=3, num_decoder_layers=2,
             relative_attention_num_buckets=12, relative_attention_max_distance=14, decoder_start_token_id=0)
# folder: configuration
FAMILIES = {
    "t5": dict(SIZES, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "t5-relu": dict(SIZES, feed_forward_proj="relu"),
}


def draw(model):
    """Queries make scores of a deviation of about 3, as nothing scales them; a bias is as large."""
    generator = torch.Generator()
    if not model.config.scale_decoder_outputs:
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            generator.manual_seed(sum(name.encode()) + parameter.numel())
            center = 1 if "norm" in name else 0
            scale = 1.5 if "relative_attention_bias" in name else 0.08 if name.endswith("q.weight") else 0.3
            if name == "shared.weight":
                scale = 1
            parameter.copy_(center + scale * torch.randn(parameter.shape, generator=generator))
    round_weights(model)
    return model.eval()


def padded(rows, side):
    longest = max(map(len, rows))

    def row(values, fill):
        padding = [fill] * (longest - len(values))
        return padding + values if side == "left" else values + padding

    return {"input_ids": torch.tensor([row(values, 0) for values in rows]),
            "token_mask": torch.tensor([row([1] * len(values), 0) for values in rows])}


def batches():
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(3, SIZES["vocab_size"], (3, 21), generator=generator)
    rows = TOKENIZER(PADDED)["input_ids"]
    pairs = TOKENIZER([a for a, _ in PAIRS], [b for _, b in PAIRS])["input_ids"]
    result = {"unpadded": {"input_ids": ids, "token_mask": torch.ones_like(ids)}, "right": padded(rows, "right"),
              "left": padded(rows, "left"), "pairs": padded(pairs, "right")}
    for batch in result.values():
        batch["token_type_ids"] = torch.zeros_like(batch["input_ids"])
        shape = (len(batch["input_ids"]), 17)
        decoder = torch.randint(3, SIZES["vocab_size"], shape, generator=generator)
        decoder[:, 0] = SIZES["decoder_start_token_id"]
        batch["decoder_input_ids"] = decoder
    return result


def embedding(model, batch):
    mask = batch["token_mask"]
    hidden = model.encoder(input_ids=batch["input_ids"], attention_mask=mask).last_hidden_state
    real = mask.unsqueeze(-1).to(torch.float64)
    return (hidden * real).sum(1) / real.sum(1)


def logits(model, batch, decoder_input_ids):
    return model(input_ids=batch["input_ids"], attention_mask=batch["token_mask"],
                 decoder_input_ids=decoder_input_ids).logits


def seq2seq_lm(model, batch):
    """Where the decoder reads the text itself, shifted right; zeros at padding."""
    return logits(model, batch, model._shift_right(batch["input_ids"])) * batch["token_mask"].unsqueeze(-1)


TASKS = {"embedding": embedding, "seq2seq_lm": seq2seq_lm}


class StaticInt8(torch.nn.Module):
    """A product in bytes: weights with a scale for each row, inputs with one range, which the first pass takes."""

    def __init__(self, linear):
        super().__init__()
        self.weight, self.scale = linear.weight, None
        scales = linear.weight.abs().amax(1, keepdim=True) / 127
        self.rounded = (linear.weight / scales).round() * scales

    def forward(self, inputs):
        if self.scale is None:
            low, high = min(inputs.min().item(), 0), max(inputs.max().item(), 0)
            self.scale = (high - low) / 255
            self.zero = round(-low / self.scale)
            return inputs @ self.weight.T
        steps = (inputs / self.scale).round().clamp(-self.zero, 255 - self.zero)
        return steps * self.scale @ self.rounded.T


def int8_static_error(model, task, batch, exact):
    """Of a copy of the model whose products all are such ones, as a root of the mean square."""
    copy_ = copy.deepcopy(model)
    linears = [(parent, name, child) for parent in list(copy_.modules()) for name, child in parent.named_children()
               if isinstance(child, torch.nn.Linear)]
    for parent, name, child in linears:
        setattr(parent, name, StaticInt8(child))
    TASKS[task](copy_, batch)
    return (TASKS[task](copy_, batch) - exact).square().mean().sqrt()


def greedy(model, batch):
    """To the end, whatever tokens come."""
    out = model.generate(input_ids=batch["input_ids"], attention_mask=batch["token_mask"], do_sample=False,
                         max_new_tokens=NEW_TOKENS, eos_token_id=None)
    return out[:, 1:]


def texts(model):
    """What texts become, through the folder's own tokenizer."""
    result = {"ids": {}, "embedding": {}, "generated": {}}
    for text in TEXTS:
        inputs = TOKENIZER([text], return_tensors="pt")
        batch = {"input_ids": inputs["input_ids"], "token_mask": inputs["attention_mask"]}
        result["ids"][text] = batch["input_ids"][0].tolist()
        result["embedding"][text] = embedding(model, batch)[0].tolist()
        result["generated"][text] = model.generate(**inputs, do_sample=False, max_new_tokens=NEW_TOKENS)[0, 1:].tolist()
    return result


def pairs_to_learn():
    """Two batches of three pairs, all of other lengths; a target counts on from its text's first token."""
    generator = torch.Generator().manual_seed(13)

    def pair(source, target):
        ids = torch.randint(3, SIZES["vocab_size"], (source,), generator=generator).tolist()
        answer = [3 + (ids[0] + i) % (SIZES["vocab_size"] - 3) for i in range(target - 1)]
        return ids + [1], answer + [1]

    result = []
    for sizes in [(9, 6), (5, 8), (12, 3)], [(4, 4), (11, 7), (8, 9)]:
        sources, targets = zip(*(pair(*size) for size in sizes))
        longest = max(map(len, targets))
        labels = torch.tensor([row + [IGNORED] * (longest - len(row)) for row in targets])
        batch = padded(sources, "right")
        result.append(batch | {"token_type_ids": torch.zeros_like(batch["input_ids"]), "labels": labels})
    return result


def learner(folder, dtype):
    """Eager attention; dropout is called in training, and drops nothing."""
    config = t.AutoConfig.from_pretrained(folder)
    config.dropout_rate = 0.0
    model, info = t.T5ForConditionalGeneration.from_pretrained(folder, config=config, dtype=dtype,
                                                               attn_implementation="eager", output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"], info
    return model.train()


def loss_of(model, batch):
    return model(input_ids=batch["input_ids"], attention_mask=batch["token_mask"], labels=batch["labels"]).loss


def write_curve(name):
    folder = OUTPUT / f"tiny-{name}"
    written = learnt(lambda dtype: learner(folder, dtype), loss_of, batches := pairs_to_learn(), LEARNING_RATE)
    with patterned_dropout(lambda share: True):
        written["dropped_loss"] = loss_of(learner(folder, torch.float64), batches[0]).detach().reshape(1).float()
    for i, batch in enumerate(batches):
        written |= {f"{i}.{key}": value.to(torch.int32).contiguous() for key, value in batch.items()}
    save_file(written, folder / "curve.safetensors", metadata={"made_by": json.dumps(versions())})
    print_summary(name, written)


def write_family(name):
    model = draw(t.T5ForConditionalGeneration(t.T5Config(**FAMILIES[name])))
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(exist_ok=True)
    weights = {key: value.to(torch.bfloat16).contiguous() for key, value in saved_weights(model).items()}
    assert ("lm_head.weight" in weights) == (name == "t5"), sorted(weights)
    reference = {}
    with torch.no_grad():
        write_json(folder / "texts.json", texts(model))
        exact = {}
        for batch_name, batch in batches().items():
            for key, value in batch.items():
                reference[f"{batch_name}.{key}"] = value.to(torch.int32).contiguous()
            reference[f"{batch_name}.greedy"] = greedy(model, batch).to(torch.int32).contiguous()
            of_decoder = logits(model, batch, batch["decoder_input_ids"])
            reference[f"{batch_name}.decoder_logits"] = of_decoder.to(torch.float32).contiguous()
            for task, run in TASKS.items():
                exact[batch_name, task] = out = run(model, batch)
                reference[f"{batch_name}.{task}"] = out.to(torch.float32).contiguous()
        for task in TASKS:
            error = int8_static_error(model, task, batches()["unpadded"], exact["unpadded", task])
            reference[f"unpadded.{task}.int8_static_error"] = error.float().reshape(1)
        model.to(torch.bfloat16)
        for (batch_name, task), out in exact.items():
            # How far the original's own bfloat16 is from the truth, as a root of the mean square.
            error = TASKS[task](model, batches()[batch_name]).to(torch.float64) - out
            reference[f"{batch_name}.{task}.bfloat16_error"] = error.square().mean().sqrt().float().reshape(1)
    model.config.architectures = [type(model).__name__]
    config = {k: v for k, v in model.config.to_diff_dict().items() if k not in ("transformers_version", "dtype")}
    write_json(folder / "config.json", config)
    model.generation_config.save_pretrained(folder)
    TOKENIZER.save_pretrained(folder)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    bytes_ = sum((folder / f).stat().st_size for f in ("model.safetensors", "reference.safetensors"))
    spreads = {task: min(out.std().item() for (_, of), out in exact.items() if of == task) for task in TASKS}
    print(f"{name:8} {len(weights):3} tensors, {bytes_:7} bytes, least spread {spreads}")


def inventories():
    """What family_reference.py lists of other models, by the names of published checkpoints."""
    models = []
    for prefix, sizes in [("T5", FAMILIES["t5"]), ("T5", FAMILIES["t5-relu"]), ("MT5", SIZES)]:
        for task, ending in {"embedding": "EncoderModel", "seq2seq_lm": "ForConditionalGeneration"}.items():
            model = getattr(t, prefix + ending)(getattr(t, prefix + "Config")(**sizes))
            models.append(inventory(task, model, saved_weights(model)))
    return models


def write_references(family):
    write_family(family)
    write_curve(family)


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_references)
