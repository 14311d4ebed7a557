#!/usr/bin/env python3
"""Writes one tiny seeded checkpoint per kind of model that reads sounds, with the outputs that Hugging Face Transformers
gives.

    speech_reference.py [NAME…]   tests/data/models/tiny-NAME/{config.json,model.safetensors,reference.safetensors}, and of
                                  tiny-wav2vec2 and tiny-wav2vec2-stable also {preprocessor_config.json,vocab.json,
                                  tokenizer_config.json,sounds.json}

Weights are saved by save_pretrained, whose names are those of published checkpoints. Not run by the build or by CI: the
files it writes are committed. It needs the virtual environment that model_reference.py describes, soundfile and soxr.
"""

import json

import torch
import transformers as t
from safetensors.torch import save_file
from transformers.audio_utils import load_audio

from model_reference import OUTPUT, versions, write_json
from vision_reference import draw, inventory, saved_weights, write_named

SOUNDS = OUTPUT.parent / "audio"
FILES = ["pcm_16.wav", "stereo.wav", "48000.flac", "8000.wav"]
LETTERS = ["<pad>", "<s>", "</s>", "<unk>", "|", "E", "T", "A", "'", "N", "O"]

# Kernels and strides that differ, even and odd ones: what is swapped or cut wrongly shows.
SIZES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=[16, 20, 24],
             conv_kernel=[6, 3, 2], conv_stride=[3, 2, 2], num_conv_pos_embeddings=6, num_conv_pos_embedding_groups=2,
             vocab_size=len(LETTERS), classifier_proj_size=12, num_labels=5, initializer_range=0.3)
STABLE = dict(SIZES, feat_extract_norm="layer", conv_bias=True, do_stable_layer_norm=True, num_conv_pos_embeddings=5,
              num_conv_pos_embedding_groups=4, use_weighted_layer_sum=True)
# folder: (configuration class, sizes, prefix of the model classes)
FAMILIES = {"wav2vec2": (t.Wav2Vec2Config, SIZES, "Wav2Vec2"),
            "wav2vec2-stable": (t.Wav2Vec2Config, STABLE, "Wav2Vec2"),
            "wav2vec2-weighted": (t.Wav2Vec2Config, dict(SIZES, use_weighted_layer_sum=True), "Wav2Vec2"),
            "hubert": (t.HubertConfig, dict(SIZES, feat_proj_layer_norm=False), "Hubert")}
SAMPLES = [150, 97, 121]


def spread(model):
    """`draw`, with shares of layers that differ."""
    draw(model)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("layer_weights"):
                parameter.copy_(torch.arange(parameter.numel(), dtype=parameter.dtype))
    return model


def even_out(ctc, values):
    """No letter is likelier than others, so that transcripts have all kinds of tokens."""
    with torch.no_grad():
        surplus = ctc(values).logits.mean((0, 1))
        ctc.lm_head.bias.copy_((ctc.lm_head.bias - surplus).to(torch.bfloat16))


def mask_of_frames(model, samples, mask):
    """[B, T], as the model makes it."""
    frames = model._get_feat_extract_output_lengths(samples)
    return model._get_feature_vector_attention_mask(int(frames), mask)


def runs_of(ctc, classifier, base):
    def embedded(values, mask):
        hidden = base(values, attention_mask=mask).last_hidden_state
        if mask is None:
            return hidden.mean(1)
        weights = mask_of_frames(base, values.shape[1], mask).unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(1) / weights.sum(1)

    return {"speech_recognition": lambda values, mask: ctc(values, attention_mask=mask).logits,
            "audio_classification": lambda values, mask: classifier(values, attention_mask=mask).logits,
            "audio_embedding": embedded}


def write_sounds(folder, ctc, classifier):
    """Feature extractor and tokenizer of the folder, and what the models make of whole files through them, each alone."""
    has_mask = ctc.config.feat_extract_norm == "layer"
    extractor = t.Wav2Vec2FeatureExtractor(return_attention_mask=has_mask)
    extractor.save_pretrained(folder)
    write_json(folder / "vocab.json", {token: i for i, token in enumerate(LETTERS)})
    tokenizer = t.Wav2Vec2CTCTokenizer(str(folder / "vocab.json"), do_lower_case=has_mask)
    saved = {"tokenizer_class": "Wav2Vec2CTCTokenizer", "do_lower_case": has_mask, "word_delimiter_token": "|",
             "pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    write_json(folder / "tokenizer_config.json", saved)
    answers = {}
    for file in FILES:
        samples = load_audio(str(SOUNDS / file), 16000, backend="soundfile")
        values = extractor(samples, sampling_rate=16000, return_tensors="pt")["input_values"].double()
        with torch.no_grad():
            ids = ctc(values).logits.argmax(-1)
            answers[file] = {"ids": ids[0].tolist(), "text": tokenizer.batch_decode(ids)[0],
                             "logits": classifier(values).logits[0].tolist()}
    write_json(folder / "sounds.json", answers)


def write_family(name):
    config_class, sizes, prefix = FAMILIES[name]
    config = config_class(**sizes)
    ctc, classifier, base = (spread(getattr(t, prefix + ending)(config))
                             for ending in ("ForCTC", "ForSequenceClassification", "Model"))
    values = torch.randn(len(SAMPLES), max(SAMPLES), generator=torch.Generator().manual_seed(7))
    even_out(ctc, values.double())
    weights = saved_weights(ctc)
    weights.update((key, value) for key, value in saved_weights(classifier).items() if key not in weights)
    weights = {key: value.to(torch.bfloat16).contiguous() for key, value in weights.items()}
    if name == "hubert":  # as published checkpoints spell the parts of the weight of positions
        for now, then in (("parametrizations.weight.original0", "weight_g"), ("parametrizations.weight.original1", "weight_v")):
            weights = {key.replace(now, then): value for key, value in weights.items()}
    mask = torch.stack([(torch.arange(max(SAMPLES)) < count).long() for count in SAMPLES])
    batches = {"unpadded": (values, None), "right": (values * mask, mask)}
    runs = runs_of(ctc, classifier, base)
    reference = {}
    exact = {}
    with torch.no_grad():
        for batch, (given, own) in batches.items():
            frames = mask_of_frames(base, given.shape[1], mask if own is not None else torch.ones_like(mask))
            reference[f"{batch}.input_values"] = given.float().contiguous()
            reference[f"{batch}.token_mask"] = frames.to(torch.int32)
            for task, run in runs.items():
                exact[batch, task] = run(given.double(), own)
        for model in (ctc, classifier, base):
            model.to(torch.bfloat16)
        for batch, (given, own) in batches.items():
            for task, run in runs.items():
                # Outputs of padding count for nothing.
                kept = reference[f"{batch}.token_mask"].unsqueeze(-1) if task == "speech_recognition" else 1
                reference[f"{batch}.{task}"] = (exact[batch, task] * kept).float().contiguous()
                # How far the original's own bfloat16 is from the truth, as a root of the mean square.
                error = (run(given.to(torch.bfloat16), own).double() - exact[batch, task]) * kept
                reference[f"{batch}.{task}.bfloat16_error"] = error.square().mean().sqrt().float().reshape(1)
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(exist_ok=True)
    if name in ("wav2vec2", "wav2vec2-stable"):
        ctc.double()
        classifier.double()
        write_sounds(folder, ctc, classifier)
    config.architectures = [type(ctc).__name__]
    write_json(folder / "config.json", {k: v for k, v in config.to_dict().items() if k != "transformers_version"})
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    spreads = ", ".join(f"{values.std():.3f}" for values in exact.values())
    print(f"{name:18} {len(weights):3} tensors, spread {spreads}")


# What the model holds for pretraining alone.
UNREAD = "masked_spec_embed"


def inventories():
    """What family_reference.py lists of text models, by the names of published checkpoints."""
    models = []
    endings = {"speech_recognition": "ForCTC", "audio_classification": "ForSequenceClassification",
               "audio_embedding": "Model"}
    for config_class, sizes, prefix in FAMILIES.values():
        for task, ending in endings.items():
            model = getattr(t, prefix + ending)(config_class(**sizes))
            weights = {name: value for name, value in saved_weights(model).items() if not name.endswith(UNREAD)}
            models.append(inventory(task, model, weights))
    return models


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_family)
