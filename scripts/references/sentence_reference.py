#!/usr/bin/env python3
"""Compares `transformeter predict --task embedding` with SentenceTransformer.encode, the original.

    sentence_reference.py FOLDER [--texts FILE] [--count 300] [--longest 600] [--program PATH]

FOLDER is a model of sentence-transformers. The texts, of 1 to `longest` words, are cut from the lines of FILE (the bundled
reviews unless given). Prints the smallest cosine and exits with 1 below 0.99999. With --variants, copies of the folder
are compared too: another max_seq_length, a default prompt, lower-casing, each pooling and two at once, and a Dense
module, with and without Normalize.

It needs what model_reference.py lists, and `pip install --no-deps sentence-transformers==6.2.0 scikit-learn scipy tqdm`.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
import safetensors.torch
import sentence_transformers
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 0.99999


def texts_of(path, count, longest):
    words = path.read_text(encoding="utf-8").split()
    texts, begin = [], 0
    for i in range(count):
        length = 1 + (i * longest) // count
        if begin + length > len(words):
            begin = 0
        texts.append(" ".join(words[begin : begin + length]))
        begin += length
    return texts


def ours(program, folder, texts, scratch):
    file = scratch / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    done = subprocess.run([program, "predict", "--model", folder, "--task", "embedding", "--data", file, "--device", "cpu"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    return numpy.array([json.loads(line)["embedding"] for line in done.stdout.splitlines()])


def compare(name, program, folder, texts, scratch):
    got = ours(program, folder, texts, scratch)
    if isinstance(got, str):
        print(f"| {name} | refused: {got} | |")
        return True
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    expected = model.encode(texts, batch_size=1, convert_to_numpy=True, show_progress_bar=False)
    cosine = (got * expected).sum(1) / (numpy.linalg.norm(got, axis=1) * numpy.linalg.norm(expected, axis=1))
    size = numpy.abs(got - expected).max() / max(1, numpy.abs(expected).max())
    print(f"| {name} | {cosine.min():.7f} | {size:.1e} |", flush=True)
    return cosine.min() >= TOLERANCE and size < 1e-4


def write(folder, file, **values):
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, **values}))


def add_dense(folder, activation, normalized):
    width = json.loads((folder / "config.json").read_text())["hidden_size"]
    torch.manual_seed(1)
    weights = {"linear.weight": torch.randn(32, width) * 0.3, "linear.bias": torch.randn(32)}
    write(folder, "2_Dense/config.json", in_features=width, out_features=32, bias=True, activation_function=activation)
    safetensors.torch.save_file(weights, folder / "2_Dense" / "model.safetensors", {"format": "pt"})
    prefix = "sentence_transformers.models."
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")]
    modules += [("3_Normalize", "Normalize")] if normalized else []
    (folder / "modules.json").write_text(json.dumps(
        [{"idx": i, "name": str(i), "path": path, "type": prefix + name} for i, (path, name) in enumerate(modules)]))


def pooling(folder, *modes):
    (folder / "1_Pooling" / "config.json").unlink()
    width = json.loads((folder / "config.json").read_text())["hidden_size"]
    write(folder, "1_Pooling/config.json", word_embedding_dimension=width,
          **{f"pooling_mode_{mode}": mode in modes for mode in MODES})


MODES = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
VARIANTS = {
    "max_seq_length 64": lambda f: write(f, "sentence_bert_config.json", max_seq_length=64),
    "max_seq_length 512": lambda f: write(f, "sentence_bert_config.json", max_seq_length=512),
    "max_seq_length null": lambda f: write(f, "sentence_bert_config.json", max_seq_length=None),
    "no sentence_bert_config.json": lambda f: (f / "sentence_bert_config.json").unlink(),
    "do_lower_case": lambda f: write(f, "sentence_bert_config.json", do_lower_case=True),
    "do_lower_case, cased tokenizer": lambda f: (write(f, "sentence_bert_config.json", do_lower_case=True), cased(f)),
    "a default prompt": lambda f: write(f, "config_sentence_transformers.json", prompts={"query": "Find texts on: "},
                                        default_prompt_name="query"),
    "prompts, none by default": lambda f: write(f, "config_sentence_transformers.json", prompts={"query": "query: "}),
    "Dense with Tanh": lambda f: add_dense(f, "torch.nn.modules.activation.Tanh", False),
    "Dense without activation, normalized": lambda f: add_dense(f, "torch.nn.modules.linear.Identity", True),
    "Dense with GELU": lambda f: add_dense(f, "torch.nn.modules.activation.GELU", False),
    **{f"pooling {mode}": (lambda f, mode=mode: pooling(f, mode)) for mode in MODES},
    "pooling of mean and cls": lambda f: pooling(f, "mean_tokens", "cls_token"),
    "pooling of max and weighted mean": lambda f: pooling(f, "max_tokens", "weightedmean_tokens"),
}


def cased(folder):
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    content["normalizer"]["lowercase"] = False
    path.write_text(json.dumps(content))
    write(folder, "tokenizer_config.json", do_lower_case=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts", type=pathlib.Path, default=ROOT / "share/texts/reviews.tsv")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--longest", type=int, default=600)
    parser.add_argument("--program", default=ROOT / "build/bin/transformeter")
    parser.add_argument("--variants", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    texts = texts_of(options.texts, options.count, options.longest)
    print("| folder | smallest cosine | largest difference |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        same = [compare("as it is", options.program, options.folder, texts, scratch)]
        for variant, change in VARIANTS.items() if options.variants else ():
            folder = scratch / "model"
            shutil.copytree(options.folder, folder)
            change(folder)
            same.append(compare(variant, options.program, folder, texts[::5], scratch))
            shutil.rmtree(folder)
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
