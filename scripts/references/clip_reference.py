#!/usr/bin/env python3
"""Writes tiny seeded CLIP checkpoints, with the vectors that Hugging Face Transformers gives for texts and images.

    clip_reference.py [NAME…]   tests/data/models/tiny-NAME/{config.json,model.safetensors,reference.safetensors}, and of
                                tiny-clip also {preprocessor_config.json,tokenizer.json,tokenizer_config.json,
                                vectors.json,curve.safetensors}

Weights are saved by save_pretrained, whose names are those of published checkpoints. Not run by the build or by CI: the
files it writes are committed. It needs the virtual environment that model_reference.py describes, and Pillow.
"""

import json

import torch
import transformers as t
from safetensors.torch import save_file
from tokenizers.pre_tokenizers import ByteLevel
from transformers.image_utils import load_image
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

from learning_curve import learnt, patterned_dropout, print_summary
from model_reference import OUTPUT, versions, write_json
from vision_reference import IMAGES, PICTURES, draw, inventory, saved_weights, write_named

WORDS = ["photo", "cat", "dog", "the", "of", "red"]
TEXTS = ["a photo of a cat", "A Photo of THE dog, 2 red cats!", "the café's   menu: <|endoftext|> red", "", "naïve 犬"]
LENGTH = 30  # positions
# Of zero-shot classification; as texts they have different lengths.
CLASSES = ["cat", "red dog", "a menu of the café"]
TEMPLATE = "a photo of {}."
IGNORED = -100


def tokenizer():
    """Of bytes, and of some words that are merged from the left."""
    letters = sorted(ByteLevel.alphabet())
    vocabulary = letters + [letter + "</w>" for letter in letters]
    merges = []
    for word in WORDS:
        parts = [*word[:-1], word[-1] + "</w>"]
        while len(parts) > 1:
            merge = (parts[0], parts[1])
            parts = ["".join(merge), *parts[2:]]
            if merge not in merges:
                merges.append(merge)
                vocabulary.append("".join(merge))
    vocabulary += ["<|startoftext|>", "<|endoftext|>"]
    return t.CLIPTokenizer({token: i for i, token in enumerate(vocabulary)}, merges, model_max_length=LENGTH)


TOKENIZER = tokenizer()
END = TOKENIZER.eos_token_id

# Unlike sizes of the towers, and images that patches do not fill: what is swapped or cut wrongly shows.
TEXT = dict(vocab_size=len(TOKENIZER), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
            max_position_embeddings=LENGTH, eos_token_id=END, bos_token_id=TOKENIZER.bos_token_id)
VISION = dict(hidden_size=24, num_hidden_layers=3, num_attention_heads=3, intermediate_size=40, image_size=20, patch_size=6)
COMMON = 16
# Before 2023: no end token that the tokenizer has, and the settings of a tower twice.
OLDER_TEXT = dict(TEXT, eos_token_id=2, hidden_act="gelu")

# folder: (class, configuration)
FAMILIES = {
    "clip": (t.CLIPModel, lambda: t.CLIPConfig(text_config=TEXT, vision_config=VISION, projection_dim=COMMON)),
    "clip-older": (t.CLIPModel, lambda: t.CLIPConfig(text_config=OLDER_TEXT, vision_config=VISION, projection_dim=COMMON)),
    "clip-text": (t.CLIPTextModel, lambda: t.CLIPTextConfig(**TEXT)),
    "clip-vision": (t.CLIPVisionModelWithProjection, lambda: t.CLIPVisionConfig(**VISION, projection_dim=COMMON)),
}


def vectors(model, inputs):
    """Of texts or images, as get_text_features and get_image_features give them."""
    if isinstance(model, t.CLIPModel):
        features = model.get_text_features if "input_ids" in inputs else model.get_image_features
        return features(**inputs).pooler_output
    output = model(**inputs)
    return output.image_embeds if hasattr(output, "image_embeds") else output.pooler_output


def padded(rows, side, fill):
    longest = max(map(len, rows))

    def row(values, filling):
        padding = [filling] * (longest - len(values))
        return padding + values if side == "left" else values + padding

    return {"input_ids": torch.tensor([row(values, fill) for values in rows]),
            "attention_mask": torch.tensor([row([1] * len(values), 0) for values in rows])}


def text_batches():
    """One without padding, whose texts end in the middle, never and at the end; and texts padded on either side."""
    ids = torch.randint(END - 1, (3, 9), generator=torch.Generator().manual_seed(5))
    ids[0, 4] = ids[0, 8] = ids[2, 8] = END
    rows = TOKENIZER(TEXTS)["input_ids"]
    return {"unpadded": {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, "right": padded(rows, "right", END),
            "left": padded(rows, "left", 0)}


def image_batches():
    pixels = torch.randn(3, 3, VISION["image_size"], VISION["image_size"], generator=torch.Generator().manual_seed(7))
    return {"unpadded": {"pixel_values": pixels}}


def cast(inputs, dtype):
    return {key: value.to(dtype) if key == "pixel_values" else value for key, value in inputs.items()}


def class_texts():
    return TOKENIZER([TEMPLATE.format(name) for name in CLASSES], padding=True, return_tensors="pt")


def logits_per_image(model, pixels):
    """What Transformers' pipeline zero-shot-image-classification makes its softmax of."""
    return model(**class_texts(), pixel_values=pixels).logits_per_image


def write_vectors(folder, model):
    """What files and texts become, through the folder's own processor and tokenizer."""
    processor = CLIPImageProcessorPil(size={"shortest_edge": VISION["image_size"]}, crop_size=VISION["image_size"])
    processor.save_pretrained(folder)
    TOKENIZER.save_pretrained(folder)
    zero_shot = {"labels": CLASSES, "prompt_template": TEMPLATE, "logits_per_image": {}}
    result = {"image_embedding": {}, "embedding": {}, "zero_shot_image_classification": zero_shot}
    for file in PICTURES:
        inputs = processor(images=load_image(str(IMAGES / file)), return_tensors="pt")
        inputs = cast(inputs, torch.float64)
        result["image_embedding"][file] = vectors(model, inputs)[0].tolist()
        zero_shot["logits_per_image"][file] = logits_per_image(model, inputs["pixel_values"])[0].tolist()
    for text in TEXTS:
        result["embedding"][text] = vectors(model, TOKENIZER([text], return_tensors="pt"))[0].tolist()
    write_json(folder / "vectors.json", result)


def write_family(name):
    model_class, configuration = FAMILIES[name]
    model = draw(model_class(configuration()))
    weights = {key: value.to(torch.bfloat16).contiguous() for key, value in saved_weights(model).items()}
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(exist_ok=True)
    batches = {}
    if model_class is not t.CLIPVisionModelWithProjection:
        batches["embedding"] = text_batches()
    if model_class is not t.CLIPTextModel:
        batches["image_embedding"] = image_batches()
    reference = {}
    with torch.no_grad():
        if name == "clip":
            write_vectors(folder, model)
        exact = {}
        for task, inputs_of in batches.items():
            for batch, inputs in inputs_of.items():
                exact[task, batch] = vectors(model, cast(inputs, torch.float64))
                reference[f"{batch}.{task}"] = exact[task, batch].float().contiguous()
                if name == "clip" and "pixel_values" in inputs:
                    logits = logits_per_image(model, inputs["pixel_values"].to(torch.float64))
                    reference["zero_shot.logits_per_image"] = logits.float().contiguous()
                    reference["zero_shot.text_features"] = vectors(model, class_texts()).float().contiguous()
                if "pixel_values" in inputs:
                    reference[f"{batch}.pixel_values"] = inputs["pixel_values"]
                    continue
                reference[f"{batch}.input_ids"] = inputs["input_ids"].to(torch.int32)
                reference[f"{batch}.token_mask"] = inputs["attention_mask"].to(torch.int32)
                reference[f"{batch}.token_type_ids"] = torch.zeros_like(reference[f"{batch}.input_ids"])
        model.to(torch.bfloat16)
        for (task, batch), truth in exact.items():
            # How far the original's own bfloat16 is from the truth, as a root of the mean square.
            error = vectors(model, cast(batches[task][batch], torch.bfloat16)).double() - truth
            reference[f"{batch}.{task}.bfloat16_error"] = error.square().mean().sqrt().float().reshape(1)
    model.config.architectures = [model_class.__name__]
    config = {k: v for k, v in model.config.to_diff_dict().items() if k not in ("transformers_version", "dtype")}
    if name == "clip-older":
        config["text_config_dict"] = config["text_config"]
        config["text_config"] = dict(config["text_config"], hidden_act="quick_gelu", num_hidden_layers=1)
    write_json(folder / "config.json", config)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    spreads = ", ".join(f"{values.std():.3f}" for values in exact.values())
    print(f"{name:15} {len(weights):3} tensors, spread {spreads}")


# Of the curve of training: tokens between the first and the last of each caption, in two batches of as many images.
CAPTIONS = [[7, 3, 5, 4], [2, 8, 4, 6]]
LEARNING_RATE = 1e-3


def pairs_to_learn():
    """Two batches of images with captions, padded on the right with the token that ends them, as CLIP's tokenizer does."""
    generator = torch.Generator().manual_seed(17)
    batches = []
    for lengths in CAPTIONS:
        side = VISION["image_size"]
        rows = [[TOKENIZER.bos_token_id, *torch.randint(END - 1, (length,), generator=generator).tolist(), END]
                for length in lengths]
        batches.append({"pixel_values": torch.randn(len(lengths), 3, side, side, generator=generator),
                        **padded(rows, "right", END)})
    return batches


def learner(dtype, dropout=0.0):
    """Eager attention, in which alone values are dropped."""
    folder = OUTPUT / "tiny-clip"
    config = t.CLIPConfig.from_pretrained(folder)
    config.text_config.attention_dropout = config.vision_config.attention_dropout = dropout
    return t.CLIPModel.from_pretrained(folder, config=config, dtype=dtype, attn_implementation="eager").train()


def pair_loss(model, batch):
    return model(**cast(batch, model.dtype), return_loss=True).loss


def write_curve():
    batches = pairs_to_learn()
    written = learnt(learner, pair_loss, batches, LEARNING_RATE, norm_noise=5e-5)
    with patterned_dropout():
        dropped_loss = pair_loss(learner(torch.float64, dropout=0.1), batches[0])
    written["dropped_loss"] = dropped_loss.detach().reshape(1).float()
    for i, batch in enumerate(batches):
        captions = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, IGNORED)
        written |= {f"{i}.pixel_values": batch["pixel_values"].contiguous(), f"{i}.captions": captions.to(torch.int32)}
    save_file(written, OUTPUT / "tiny-clip" / "curve.safetensors", metadata={"made_by": json.dumps(versions())})
    print_summary("clip", written)


def inventories():
    """What family_reference.py lists of text models; of CLIPModel what it reads of images."""
    models = []
    for model_class, configuration in [
            FAMILIES["clip"], FAMILIES["clip-text"], FAMILIES["clip-vision"],
            (t.CLIPTextModelWithProjection, lambda: t.CLIPTextConfig(**TEXT, projection_dim=COMMON)),
            (t.CLIPVisionModel, lambda: t.CLIPVisionConfig(**VISION))]:
        model = model_class(configuration())
        weights = saved_weights(model)
        if model_class is t.CLIPModel:
            weights = {name: value for name, value in weights.items() if name.startswith("vis")}
        task = "embedding" if "Text" in model_class.__name__ else "image_embedding"
        models.append(inventory(task, model, weights))
    return models


def write_references(name):
    write_family(name)
    if name == "clip":
        write_curve()


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_references)
