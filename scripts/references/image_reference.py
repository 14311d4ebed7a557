#!/usr/bin/env python3
"""Pixels by Pillow and pixel values by the PIL-backed image processors of Transformers.

Writes the small images of tests/data/images (image_files.py), reference.json beside them, and, with --shared-data,
shared_reference.json for the images there. The tests of src/shared/images hold ours to them. Run it in a virtual
environment:
    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install transformers pillow torch
    /tmp/venv/bin/python scripts/references/image_reference.py [--shared-data ../shared/data]
"""
import argparse
import hashlib
import importlib
import json
import pathlib

import numpy
import PIL
import transformers
from PIL import Image, ImageOps

import image_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/images"
SAMPLES = 8  # values of each result that are kept as such

MODULES = {"ViT": "vit", "DeiT": "deit", "Beit": "beit", "CLIP": "clip", "Siglip": "siglip", "ConvNext": "convnext",
           "Bit": "bit"}
IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
# Class and members: the defaults of all, what checkpoints have, and each member by itself.
PROCESSORS = [
    *((name, {}) for name in MODULES),
    ("ViT", {"size": 40, "do_resize": True, "resample": 2}),
    ("ViT", {"size": [30, 44]}),
    ("ViT", {"size": {"height": 24, "width": 32}, **IMAGENET}),  # Swin
    ("ViT", {"do_resize": False}),
    ("ViT", {"size": 32, "do_rescale": False}),
    ("ViT", {"size": 32, "do_normalize": False}),
    ("ViT", {"size": 32, "do_rescale": False, "do_normalize": False}),
    ("ViT", {"size": 32, "rescale_factor": 1 / 127.5, "image_mean": 1.0, "image_std": [1, 1, 1]}),
    ("ViT", {"size": 32, "do_center_crop": True, "crop_size": {"height": 21, "width": 50}}),
    ("ViT", {"size": 36, "default_to_square": False}),
    ("DeiT", {"do_center_crop": None, "crop_size": None, "do_normalize": None, "image_mean": None, "do_pad": None}),
    ("ConvNext", {"crop_pct": None}),
    *(("ViT", {"size": 33, "resample": filter}) for filter in range(6)),
    ("DeiT", {"size": 40, "crop_size": 32, **IMAGENET}),
    ("DeiT", {"do_resize": False, "crop_size": 64}),
    ("DeiT", {"do_resize": False, "crop_size": {"height": 20, "width": 90}}),
    ("Beit", {"size": 40, "do_center_crop": True, "crop_size": 35, "resample": 2}),
    ("CLIP", {"size": 36, "crop_size": 32}),
    ("CLIP", {"size": {"shortest_edge": 50}, "crop_size": {"height": 60, "width": 31}}),
    ("CLIP", {"size": {"shortest_edge": 40, "longest_edge": 45}, "do_center_crop": False}),
    ("CLIP", {"size": {"shortest_edge": 37, "longest_edge": 500}, "do_center_crop": False}),
    ("CLIP", {"size": {"shortest_edge": 41}, "do_center_crop": False}),
    ("Siglip", {"size": {"height": 32, "width": 32}}),
    ("Siglip", {"size": 32}),
    ("ConvNext", {"size": {"shortest_edge": 48}, "crop_pct": 0.875}),
    ("ConvNext", {"size": {"shortest_edge": 45}, "crop_pct": 0.95, "resample": 2, **IMAGENET}),
    ("ConvNext", {"size": 32}),
    ("ConvNext", {"size": 384, "crop_pct": 0.5}),
    ("ConvNext", {"size": 40, "do_center_crop": True, "crop_size": 30}),
    ("Bit", {"size": {"shortest_edge": 64}, "crop_size": {"height": 56, "width": 56}, **IMAGENET}),  # DINOv2
]
SHARED_PROCESSORS = [(name, {}) for name in MODULES] + [
    ("ViT", {"size": 32}), ("ConvNext", {"size": {"shortest_edge": 224}}),
    ("Bit", {"size": {"shortest_edge": 256}, **IMAGENET})]
SIZES = [(224, 224), (16, 12), (47, 20), (20, 61), (1, 1), (100, 30), (5, 200), (46, 62),
         (27, 46), (27, 51), (26, 51)]  # around the rule for the order of the passes
CROPS = [(47, 61), (20, 20), (21, 20), (20, 21), (60, 70), (61, 71), (60, 20), (21, 80), (1, 1)]


def digest(array):
    return hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest()


def load(path):
    """As transformers.image_utils.load_image."""
    return ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def pixels(path):
    image = numpy.asarray(load(path))
    return {"height": image.shape[0], "width": image.shape[1], "sha256": digest(image)}


def processed(name, members, path):
    module = importlib.import_module(f"transformers.models.{MODULES[name]}.image_processing_pil_{MODULES[name]}")
    processor = getattr(module, f"{name}ImageProcessorPil").from_dict(members)
    values = numpy.asarray(processor(load(path), return_tensors="np")["pixel_values"][0]).astype("<f4")
    flat = values.reshape(-1)
    samples = flat[numpy.linspace(0, len(flat) - 1, SAMPLES).astype(int)]
    return {"config": {"image_processor_type": f"{name}ImageProcessor", **members}, "file": path.name,
            "shape": list(values.shape), "sha256": digest(values), "samples": [round(float(v), 6) for v in samples]}


def cropped(path, size):
    from transformers.image_transforms import center_crop
    image = numpy.moveaxis(numpy.asarray(load(path)), -1, 0)
    return digest(numpy.moveaxis(center_crop(image, size), 0, -1))


def write(name, reference):
    versions = {"pillow": PIL.__version__, "transformers": transformers.__version__}
    parts = [f' "versions": {json.dumps(versions)}']
    for key, items in reference.items():
        named = isinstance(items, dict)
        lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in items.items()] if named else \
            [f"  {json.dumps(item)}" for item in items]
        begin, end = "{}" if named else "[]"
        parts.append(f" {json.dumps(key)}: {begin}\n" + ",\n".join(lines) + f"\n {end}")
    (DATA / name).write_text("{\n" + ",\n".join(parts) + "\n}\n")


def write_small():
    DATA.mkdir(parents=True, exist_ok=True)
    files = dict([*image_files.png_files(), *image_files.jpeg_files()])
    files["photo.png"] = image_files.png(image_files.photo(47, 61, seed=21), 8, image_files.RGB)
    files["tall.png"] = image_files.png(image_files.photo(90, 31, seed=22), 8, image_files.RGB)
    for name, data in [*files.items(), *image_files.bombs()]:
        (DATA / name).write_bytes(data)
    photo, tall = DATA / "photo.png", DATA / "tall.png"
    image = load(photo)
    write("reference.json", {
        "files": {name: pixels(DATA / name) for name in sorted(files)},
        "resized": [{"filter": filter, "height": height, "width": width,
                     "sha256": digest(numpy.asarray(image.resize((width, height), resample=filter)))}
                    for filter in range(6) for height, width in SIZES],
        "cropped": [{"height": h, "width": w, "sha256": cropped(photo, (h, w))} for h, w in CROPS],
        "processed": [processed(name, members, path) for name, members in PROCESSORS for path in (photo, tall)]})


def write_shared(folder):
    paths = sorted(p for p in folder.rglob("*") if p.suffix in (".jpg", ".png"))
    large = [p for p in paths if p.parent == folder]
    small = [p for p in paths if p.parent != folder]
    together = b"".join(numpy.asarray(load(p)).tobytes() for p in small)  # in the order of their paths
    write("shared_reference.json", {
        "files": {p.name: pixels(p) for p in large},
        "cifar10": {"count": len(small), "sha256": hashlib.sha256(together).hexdigest()},
        "processed": [processed(name, members, path) for name, members in SHARED_PROCESSORS for path in large]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared-data", type=pathlib.Path, help="the tests' public data, with a folder of images")
    arguments = parser.parse_args()
    write_small()
    if arguments.shared_data:
        write_shared(arguments.shared_data / "images")


if __name__ == "__main__":
    main()
