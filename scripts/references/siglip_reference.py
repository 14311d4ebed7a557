#!/usr/bin/env python3
"""Writes tiny seeded SigLIP checkpoints, with the vectors that Hugging Face Transformers gives for texts and images.

    siglip_reference.py [NAME…]   tests/data/models/tiny-NAME/{config.json,model.safetensors,reference.safetensors}, and of
                                  tiny-siglip also {preprocessor_config.json,tokenizer.json,tokenizer_config.json,
                                  vectors.json,curve.safetensors}

Weights are saved by save_pretrained, whose names are those of published checkpoints. Transformers reads the tokenizer's
words from a sentencepiece model, of which tokenizer.json is written with the same words and character map. Not run by
the build or by CI: the files it writes are committed. It needs the virtual environment that model_reference.py
describes, with Pillow, sentencepiece and protobuf.
"""

import base64
import io
import json
import pathlib
import tempfile

import sentencepiece
import torch
import transformers as t
from safetensors.torch import save_file
from sentencepiece import sentencepiece_model_pb2
from transformers.image_utils import load_image
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

from clip_reference import cast, padded
from learning_curve import learnt, patterned_dropout, print_summary
from model_reference import OUTPUT, versions, write_json
from vision_reference import IMAGES, PICTURES, draw, inventory, saved_weights, write_named

META = "\u2581"
WORDS = ["photo", "cat", "dog", "the", "of", "red", "a", "menu"]
LETTERS = [*map(chr, range(ord("a"), ord("z") + 1)), "é", "2"]
TEXTS = ["a photo of a cat", "A Photo of THE dog, 2 red cats!", "the café's   menu: red", "", "naïve 犬",
         " ... red\u200bcat\x1ca_b ﬁ"]
# Of zero-shot classification; as texts they have different lengths.
CLASSES = ["cat", "red dog", "a menu of the café"]
TEMPLATE = "a photo of {}."
LENGTH = 14  # positions
NORMAL, UNKNOWN, CONTROL = 1, 2, 3


def words():
    """Each with its score and kind. As in published models a text ends in the token that it is filled with."""
    pieces = [("<pad>", 0.0, CONTROL), ("</s>", 0.0, CONTROL), ("<unk>", 0.0, UNKNOWN), (META, -2.0, NORMAL)]
    pieces += [(META + word, -4.0 - i / 100, NORMAL) for i, word in enumerate(WORDS)]
    return pieces + [(letter, -6.0 - i / 100, NORMAL) for i, letter in enumerate(LETTERS)]


def character_map():
    """A few rules of sentencepiece's nmt_nfkc, which published models have whole: a ligature, blanks, and the mark of one."""
    rules = {"ﬁ": "fi", "\u200b": " ", "\u00a0": " ", META: " "}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rules.tsv"
        path.write_text("".join(f"{ord(old):X}\t{' '.join(f'{ord(c):X}' for c in new)}\n" for old, new in rules.items()))
        trained = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(WORDS), model_writer=trained, vocab_size=25, normalization_rule_tsv=str(path),
            hard_vocab_limit=False, minloglevel=2)
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(trained.getvalue())
    return model.normalizer_spec


def sentencepiece_model():
    model = sentencepiece_model_pb2.ModelProto()
    for piece, score, kind in words():
        model.pieces.add(piece=piece, score=score, type=kind)
    trainer = model.trainer_spec
    trainer.model_type, trainer.vocab_size = trainer.UNIGRAM, len(model.pieces)
    trainer.pad_id, trainer.eos_id, trainer.unk_id, trainer.bos_id = 0, 1, 2, -1
    model.normalizer_spec.CopyFrom(character_map())
    model.normalizer_spec.add_dummy_prefix = True
    return model.SerializeToString()


def tokenizer():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "spiece.model"
        path.write_bytes(sentencepiece_model())
        return t.SiglipTokenizer(str(path), model_input_names=["input_ids"], model_max_length=LENGTH)


TOKENIZER = tokenizer()
END = TOKENIZER.eos_token_id

# Unlike sizes of the towers, and images that patches do not fill: what is swapped or cut wrongly shows.
VISION = dict(hidden_size=24, num_hidden_layers=3, num_attention_heads=3, intermediate_size=40, image_size=20, patch_size=6)
TEXT = dict(vocab_size=len(words()), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
            max_position_embeddings=LENGTH, projection_size=VISION["hidden_size"], eos_token_id=END, pad_token_id=END,
            bos_token_id=None)

# folder: (class, configuration)
FAMILIES = {
    "siglip": (t.SiglipModel, lambda: t.SiglipConfig(text_config=TEXT, vision_config=VISION)),
    "siglip-text": (t.SiglipTextModel, lambda: t.SiglipTextConfig(**TEXT)),
    "siglip-vision": (t.SiglipVisionModel, lambda: t.SiglipVisionConfig(**VISION)),
}


def vectors(model, inputs):
    """Of texts or images, as get_text_features and get_image_features give them."""
    if isinstance(model, t.SiglipModel):
        model = model.text_model if "input_ids" in inputs else model.vision_model
    return model(**inputs).pooler_output


def encoded(texts):
    return TOKENIZER(texts, padding="max_length", max_length=LENGTH, truncation=True, return_tensors="pt")


def text_batches():
    """Rows of equal lengths, and texts with a mask: a shorter one's vector is that of its own last token, as by itself."""
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(3, len(words()), (3, 9), generator=generator)
    rows = [torch.randint(3, len(words()), (length,), generator=generator).tolist() for length in (11, 4, 7)]
    return {"unpadded": {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, "right": padded(rows, "right", END)}


def text_vectors(model, inputs):
    """Each row without its padding."""
    return torch.cat([vectors(model, {"input_ids": ids[mask == 1][None]})
                      for ids, mask in zip(inputs["input_ids"], inputs["attention_mask"])])


def image_batches():
    pixels = torch.randn(3, 3, VISION["image_size"], VISION["image_size"], generator=torch.Generator().manual_seed(7))
    return {"unpadded": {"pixel_values": pixels}}


def vectors_of(model, inputs, dtype):
    return text_vectors(model, inputs) if "input_ids" in inputs else vectors(model, cast(inputs, dtype))


def logits_per_image(model, pixels):
    """What Transformers' pipeline zero-shot-image-classification takes the logistic function of."""
    return model(**encoded([TEMPLATE.format(name) for name in CLASSES]), pixel_values=pixels).logits_per_image


def write_tokenizer(folder):
    """tokenizer.json with what the class takes from it alone, so that all else has to be the class's."""
    special = [{"id": i, "content": content, "single_word": False, "lstrip": True, "rstrip": True, "normalized": False,
                "special": True} for i, content in enumerate(["<pad>", "</s>", "<unk>"]) if content != "<pad>"]
    charsmap = base64.b64encode(character_map().precompiled_charsmap).decode()
    write_json(folder / "tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap}, "pre_tokenizer": None,
        "post_processor": None, "decoder": None,
        "model": {"type": "Unigram", "unk_id": 2, "vocab": [[piece, score] for piece, score, _ in words()]}})
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "SiglipTokenizer", "model_max_length": LENGTH, "model_input_names": ["input_ids"],
        "do_lower_case": True, "eos_token": "</s>", "pad_token": "</s>", "unk_token": "<unk>"})


def write_vectors(folder, model):
    """What files and texts become, through the folder's own processor and tokenizer."""
    side = VISION["image_size"]
    processor = SiglipImageProcessorPil(size={"height": side, "width": side})
    processor.save_pretrained(folder)
    write_tokenizer(folder)
    zero_shot = {"labels": CLASSES, "prompt_template": TEMPLATE, "logits_per_image": {}}
    result = {"ids": {text: encoded([text])["input_ids"][0].tolist() for text in TEXTS}, "image_embedding": {},
              "embedding": {}, "zero_shot_image_classification": zero_shot}
    for file in PICTURES:
        inputs = cast(processor(images=load_image(str(IMAGES / file)), return_tensors="pt"), torch.float64)
        result["image_embedding"][file] = vectors(model, inputs)[0].tolist()
        zero_shot["logits_per_image"][file] = logits_per_image(model, inputs["pixel_values"])[0].tolist()
    for text in TEXTS:
        result["embedding"][text] = vectors(model, encoded([text]))[0].tolist()
    write_json(folder / "vectors.json", result)


def reference_of(model, batches):
    """Inputs and outputs by name; the model is in float64, and then in bfloat16."""
    reference, exact = {}, {}
    for (task, batch), inputs in batches.items():
        exact[task, batch] = vectors_of(model, inputs, torch.float64)
        reference[f"{batch}.{task}"] = exact[task, batch].float().contiguous()
        if "pixel_values" in inputs:
            reference[f"{batch}.pixel_values"] = inputs["pixel_values"]
            continue
        reference[f"{batch}.input_ids"] = inputs["input_ids"].to(torch.int32)
        reference[f"{batch}.token_mask"] = inputs["attention_mask"].to(torch.int32)
        reference[f"{batch}.token_type_ids"] = torch.zeros_like(reference[f"{batch}.input_ids"])
    model.to(torch.bfloat16)
    for (task, batch), truth in exact.items():
        # How far the original's own bfloat16 is from the truth, as a root of the mean square.
        error = vectors_of(model, batches[task, batch], torch.bfloat16).double() - truth
        reference[f"{batch}.{task}.bfloat16_error"] = error.square().mean().sqrt().float().reshape(1)
    return reference


def zero_shot_reference(model):
    pixels = image_batches()["unpadded"]["pixel_values"].to(torch.float64)
    texts = encoded([TEMPLATE.format(name) for name in CLASSES])
    return {"zero_shot.logits_per_image": logits_per_image(model, pixels).float().contiguous(),
            "zero_shot.text_features": vectors(model, texts).float().contiguous()}


def write_family(name):
    model_class, configuration = FAMILIES[name]
    model = draw(model_class(configuration()))
    weights = {key: value.to(torch.bfloat16).contiguous() for key, value in saved_weights(model).items()}
    folder = OUTPUT / f"tiny-{name}"
    folder.mkdir(exist_ok=True)
    batches = {}
    if model_class is not t.SiglipVisionModel:
        batches |= {("embedding", batch): inputs for batch, inputs in text_batches().items()}
    if model_class is not t.SiglipTextModel:
        batches |= {("image_embedding", batch): inputs for batch, inputs in image_batches().items()}
    reference = {}
    with torch.no_grad():
        if name == "siglip":
            write_vectors(folder, model)
            reference |= zero_shot_reference(model)
        reference |= reference_of(model, batches)
    model.config.architectures = [model_class.__name__]
    config = {k: v for k, v in model.config.to_diff_dict().items() if k not in ("transformers_version", "dtype")}
    write_json(folder / "config.json", config)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    save_file(reference, folder / "reference.safetensors", metadata={"made_by": json.dumps(versions())})
    spreads = ", ".join(f"{reference[f'{batch}.{task}'].std():.3f}" for task, batch in batches)
    print(f"{name:15} {len(weights):3} tensors, spread {spreads}")


# Of the curve of training: pairs in two batches.
PAIRS = 4
LEARNING_RATE = 1e-3


def pairs_to_learn():
    """Two batches of images with captions of one length, as SigLIP's tokenizer fills them."""
    generator = torch.Generator().manual_seed(17)
    side = VISION["image_size"]
    batches = []
    for _ in range(2):
        captions = torch.randint(3, len(words()), (PAIRS, LENGTH), generator=generator)
        for row in range(PAIRS):
            captions[row, 5 + 2 * row:] = END
        batches.append({"pixel_values": torch.randn(PAIRS, 3, side, side, generator=generator), "input_ids": captions})
    return batches


def learner(dtype, dropout=0.0):
    """Eager attention, in which alone values are dropped."""
    folder = OUTPUT / "tiny-siglip"
    config = t.SiglipConfig.from_pretrained(folder)
    config.text_config.attention_dropout = config.vision_config.attention_dropout = dropout
    return t.SiglipModel.from_pretrained(folder, config=config, dtype=dtype, attn_implementation="eager").train()


def pair_loss(model, batch):
    return model(**cast(batch, model.dtype), return_loss=True).loss


def write_curve():
    batches = pairs_to_learn()
    written = learnt(learner, pair_loss, batches, LEARNING_RATE, norm_noise=5e-5)
    with patterned_dropout():
        dropped_loss = pair_loss(learner(torch.float64, dropout=0.1), batches[0])
    written["dropped_loss"] = dropped_loss.detach().reshape(1).float()
    for i, batch in enumerate(batches):
        written |= {f"{i}.pixel_values": batch["pixel_values"].contiguous(),
                    f"{i}.captions": batch["input_ids"].to(torch.int32)}
    save_file(written, OUTPUT / "tiny-siglip" / "curve.safetensors", metadata={"made_by": json.dumps(versions())})
    print_summary("siglip", written)


def inventories():
    """What family_reference.py lists of text models; of SiglipModel what it reads of images."""
    models = []
    for model_class, configuration in FAMILIES.values():
        model = model_class(configuration())
        weights = saved_weights(model)
        if model_class is t.SiglipModel:
            weights = {name: value for name, value in weights.items() if name.startswith("vis")}
        task = "embedding" if model_class is t.SiglipTextModel else "image_embedding"
        models.append(inventory(task, model, weights))
    return models


def write_references(name):
    write_family(name)
    if name == "siglip":
        write_curve()


if __name__ == "__main__":
    write_named(__doc__, FAMILIES, write_references)
