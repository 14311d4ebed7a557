#!/usr/bin/env python3
"""Writes one tiny seeded checkpoint per kind of model that reads sounds, with the outputs that Hugging Face Transformers
gives.

    speech_reference.py [NAME…]   tests/data/models/tiny-NAME/{config.json,model.safetensors,reference.safetensors,
                                  curve.safetensors}, and of tiny-wav2vec2 and tiny-wav2vec2-stable also
                                  {preprocessor_config.json,vocab.json,tokenizer_config.json,sounds.json}

Weights are saved by save_pretrained, whose names are those of published checkpoints. Not run by the build or by CI: the
files it writes are committed. It needs the virtual environment that model_reference.py describes, soundfile and soxr.
"""

import json

import torch
import transformers as t
from safetensors.torch import save_file
from transformers.audio_utils import load_audio

from learning_curve import learnt, patterned_dropout, print_summary
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

LEARNING_RATE = 1e-4  # of the curve of training: at which the loss falls and rounding does not grow
IGNORED = -100
# What each learns. Classes of tiny-wav2vec2-stable are left out: which hidden state comes last depends on the version.
LEARNT = {"wav2vec2": ["ForCTC", "ForSequenceClassification"], "wav2vec2-stable": ["ForCTC"],
          "wav2vec2-weighted": ["ForSequenceClassification"], "hubert": ["ForCTC"]}
TASKS = {"ForCTC": "speech_recognition", "ForSequenceClassification": "audio_classification"}
REDUCTION = {"wav2vec2-stable": "mean"}  # of others as by default: the sum
# Tokens of each transcript, none of them the padding, which is CTC's blank; some twice in a row.
TRANSCRIPTS = [[[5, 5, 7, 2, 9], [4, 1], [10, 3, 3]], [[8, 6, 8], [1, 1, 2], [7]]]


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


def sounds_to_learn(name):
    """Two batches of three sounds with transcripts and classes, padded where the model is told so."""
    generator = torch.Generator().manual_seed(13)
    has_mask = name == "wav2vec2-stable"
    result = []
    for step, transcripts in enumerate(TRANSCRIPTS):
        values = torch.randn(len(SAMPLES), max(SAMPLES), generator=generator)
        lengths = torch.tensor(SAMPLES[step:] + SAMPLES[:step] if has_mask else [max(SAMPLES)] * len(SAMPLES))
        mask = (torch.arange(max(SAMPLES)) < lengths.unsqueeze(1)).long()
        longest = max(map(len, transcripts))
        result.append({"input_values": values * mask, "mask": mask if has_mask else None,
                       "transcripts": torch.tensor([row + [IGNORED] * (longest - len(row)) for row in transcripts]),
                       "classes": torch.randint(SIZES["num_labels"], (len(SAMPLES),), generator=generator)})
    return result


def learner(name, ending, dtype, dropout=0.0):
    """Eager attention; without masks of SpecAugment and without skipped layers, which are drawn for each step."""
    folder = OUTPUT / f"tiny-{name}"
    _, _, prefix = FAMILIES[name]
    config = t.AutoConfig.from_pretrained(folder)
    config.apply_spec_augment = False
    config.layerdrop = 0.0
    config.ctc_loss_reduction = REDUCTION.get(name, "sum")
    for share in ("hidden_dropout", "activation_dropout", "attention_dropout", "feat_proj_dropout", "final_dropout"):
        setattr(config, share, dropout)
    model, info = getattr(t, prefix + ending).from_pretrained(folder, config=config, dtype=dtype,
                                                             attn_implementation="eager", output_loading_info=True)
    assert set(info["missing_keys"]) <= {f"{model.base_model_prefix}.{UNREAD}"}, info
    assert not info["mismatched_keys"], info
    return model.train()


def loss_of(model, batch):
    labels = batch["transcripts" if type(model).__name__.endswith("ForCTC") else "classes"]
    return model(batch["input_values"].to(model.dtype), attention_mask=batch["mask"], labels=labels).loss


def write_curve(name):
    batches = sounds_to_learn(name)
    written = {}
    for ending in LEARNT[name]:
        task = learnt(lambda dtype: learner(name, ending, dtype), loss_of, batches, LEARNING_RATE, [UNREAD])
        with patterned_dropout():
            dropped_loss = loss_of(learner(name, ending, torch.float64, dropout=0.1), batches[0])
        task["dropped_loss"] = dropped_loss.detach().reshape(1).float()
        written |= {f"{TASKS[ending]}.{key}": value for key, value in task.items()}
        print_summary(f"{name} {ending}", task)
    model = learner(name, LEARNT[name][0], torch.float32)
    base = getattr(model, model.base_model_prefix)
    for i, batch in enumerate(batches):
        mask = batch["mask"] if batch["mask"] is not None else torch.ones(batch["input_values"].shape, dtype=torch.long)
        frames = mask_of_frames(base, batch["input_values"].shape[1], mask)
        given = {"token_mask": frames, "transcripts": batch["transcripts"], "classes": batch["classes"]}
        written[f"{i}.input_values"] = batch["input_values"].contiguous()
        written |= {f"{i}.{key}": value.to(torch.int32).contiguous() for key, value in given.items()}
    save_file(written, OUTPUT / f"tiny-{name}" / "curve.safetensors", metadata={"made_by": json.dumps(versions())})


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


def write_references(name):
    write_family(name)
    write_curve(name)


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_references)
