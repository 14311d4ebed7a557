"""DistilBERT-base with seeded random weights, saved once as a folder that optimum-benchmark loads without a model hub.

Its own `no_weights` fetches config.json from the hub even where the model is a folder. Prints the versions and the thread
count of this environment as JSON. Usage: python -m sweep.checkpoint FOLDER
"""
from __future__ import annotations

import importlib.metadata
import json
import pathlib
import shutil
import sys


def save(folder: pathlib.Path) -> None:
    """Writes the folder, unless it is there already. No tokenizer: optimum-benchmark draws token IDs itself."""
    if folder.exists():
        return
    import torch
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    torch.manual_seed(0)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    DistilBertForSequenceClassification(DistilBertConfig()).save_pretrained(partial)
    partial.rename(folder)


def main() -> None:
    save(pathlib.Path(sys.argv[1]))
    import optimum_benchmark.cli  # noqa: F401  the first sweep finds its files in the page cache, as the next do
    import torch

    names = ("optimum-benchmark", "transformers", "torch")
    print(json.dumps({"threads": torch.get_num_threads(),
                      "versions": {name: importlib.metadata.version(name) for name in names}}))


if __name__ == "__main__":
    main()
