#!/usr/bin/env python3
"""Writes one tiny seeded checkpoint per family of image models, with the outputs that Hugging Face Transformers gives.

    vision_reference.py [FAMILY…]   tests/data/models/tiny-FAMILY/{config.json,preprocessor_config.json,
                                    model.safetensors,reference.safetensors,pictures.json,curve.safetensors}

Weights are saved by save_pretrained, whose names are those of published checkpoints. Not run by the build or by CI: the
files it writes are committed. It needs the virtual environment that model_reference.py describes, and Pillow.
"""

import argparse
import json
import tempfile
import pathlib

import torch
import transformers as t
from safetensors.torch import load_file, save_file
from transformers.image_utils import load_image
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

from family_reference import round_weights
from model_reference import OUTPUT, versions, write_json

IMAGES = OUTPUT.parent / "images"
PICTURES = ["420.jpg", "cmyk.jpg", "oriented_6.jpg", "grey_16.png"]

# Sides that differ, and images that patches do not fill: what is swapped or cut wrongly shows.
VIT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=[20, 28],
           patch_size=[6, 8], num_channels=3, initializer_range=0.3, num_labels=5)
# folder: (configuration class, sizes, prefix of the model classes)
FAMILIES = {"vit": (t.ViTConfig, VIT, "ViT"), "vit-no-bias": (t.ViTConfig, dict(VIT, qkv_bias=False), "ViT"),
            "deit": (t.DeiTConfig, VIT, "DeiT")}


def draw(model):
    """Seeded by the name, so that the base of every task is the same."""
    generator = torch.Generator()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            name = name.removeprefix(model.base_model_prefix + ".")
            generator.manual_seed(sum(name.encode()) + parameter.numel())
            center = 1 if "norm" in name and name.endswith("weight") else 0
            parameter.copy_(center + 0.3 * torch.randn(parameter.shape, generator=generator))
    round_weights(model)
    return model.eval()


def saved_weights(model):
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return load_file(pathlib.Path(folder) / "model.safetensors")


def write_pictures(folder, config, classifier):
    """The processor of the folder, and logits of whole files through it."""
    height, width = config.image_size
    processor = ViTImageProcessorPil(size={"height": height, "width": width})
    processor.save_pretrained(folder)
    logits = {}
    for file in PICTURES:
        pixels = processor(images=load_image(str(IMAGES / file)), return_tensors="pt")["pixel_values"]
        with torch.no_grad():
            logits[file] = classifier(pixels.double()).logits[0].tolist()
    write_json(folder / "pictures.json", logits)


def losses_and_norms(model, optimizer, loss_at, steps):
    """Of each step, gradients clipped to a norm of 1."""
    losses, norms = [], []
    for step in range(steps):
        loss = loss_at(step)
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    return losses, norms


def write_curve(folder, config, prefix):
    """Losses and gradient norms of 20 steps of AdamW in fp32, clipped to 1, over two batches in turn."""
    height, width = config.image_size
    generator = torch.Generator().manual_seed(11)
    pixels = torch.randn(2, 3, config.num_channels, height, width, generator=generator)
    labels = torch.randint(config.num_labels, (2, 3), generator=generator)

    def run():
        model = getattr(t, prefix + "ForImageClassification").from_pretrained(folder, dtype=torch.float32).train()
        decays = [p for n, p in model.named_parameters() if not n.endswith("bias") and "norm" not in n]
        others = [p for n, p in model.named_parameters() if n.endswith("bias") or "norm" in n]
        optimizer = torch.optim.AdamW([{"params": decays, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
                                      lr=1e-3, fused=True)
        return losses_and_norms(model, optimizer, lambda step: model(pixels[step % 2], labels=labels[step % 2]).loss, 20)

    losses, norms = run()
    assert (losses, norms) == run(), "a second run differs"
    save_file({"pixel_values": pixels, "labels": labels.to(torch.int32), "losses": torch.tensor(losses),
               "norms": torch.tensor(norms)}, folder / "curve.safetensors", metadata={"made_by": json.dumps(versions())})
    print(f"{folder.name:15} loss {losses[0]:.3f} to {losses[-1]:.3f}")


def write_family(name):
    config_class, sizes, prefix = FAMILIES[name]
    config = config_class(**sizes)
    classifier = draw(getattr(t, prefix + "ForImageClassification")(config))
    base = draw(getattr(t, prefix + "Model")(config, add_pooling_layer=False))
    weights = {key: value.to(torch.bfloat16).contiguous() for key, value in saved_weights(classifier).items()}
    height, width = config.image_size
    pixels = torch.randn(3, config.num_channels, height, width, generator=torch.Generator().manual_seed(7)).float()
    runs = {
        "image_classification": lambda values: classifier(values).logits,
        "image_embedding": lambda values: base(values).last_hidden_state[:, 0],
    }
    reference = {"unpadded.pixel_values": pixels}
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(exist_ok=True)
    write_pictures(folder, config, classifier)
    with torch.no_grad():
        exact = {task: run(pixels.double()) for task, run in runs.items()}
        for model in (classifier, base):
            model.to(torch.bfloat16)
        for task, run in runs.items():
            reference[f"unpadded.{task}"] = exact[task].float().contiguous()
            # How far the original's own bfloat16 is from the truth, as a root of the mean square.
            error = run(pixels.to(torch.bfloat16)).double() - exact[task]
            reference[f"unpadded.{task}.bfloat16_error"] = error.square().mean().sqrt().float().reshape(1)
    config.architectures = [type(classifier).__name__]
    write_json(folder / "config.json", {k: v for k, v in config.to_dict().items() if k != "transformers_version"})
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    if name == "vit":
        write_curve(folder, config, prefix)
    spreads = ", ".join(f"{values.std():.3f}" for values in exact.values())
    print(f"{name:15} {len(weights):3} tensors, spread {spreads}")


def inventory(task, model, weights):
    """What the model's configuration says, and the shapes of `weights`, those that the task reads."""
    model.config.architectures = [type(model).__name__]
    return {
        "task": task,
        "config": {k: v for k, v in model.config.to_diff_dict().items() if k != "transformers_version"},
        "parameters": [[n, list(p.shape)] for n, p in weights.items()],
        "parameter_count": sum(p.numel() for p in weights.values()),
    }


def inventories():
    """What family_reference.py lists of text models, by the names of published checkpoints."""
    models = []
    for name, (config_class, sizes, prefix) in FAMILIES.items():
        for task, ending in {"image_classification": "ForImageClassification", "image_embedding": "Model"}.items():
            model = getattr(t, prefix + ending)(config_class(**sizes))
            models.append(inventory(task, model, saved_weights(model)))
    return models


def write_named(description, families, write):
    """Writes those of `families` that the command names, or all."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*families, []])
    torch.set_num_threads(1)
    for name in parser.parse_args().what or families:
        write(name)


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_family)
