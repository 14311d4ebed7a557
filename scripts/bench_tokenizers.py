"""Compares the tokenizers with others in one session: Hugging Face `tokenizers`, tokie, fastokens, gigatoken.

All sides encode the same texts by turns, ours by build/bin/tokenizer-bench and each of theirs by its fastest call for a
list of texts (encode_batch_fast, encode_batch, encode_batch_flat, encode_batch) in a process of its own. Cold is the first
pass of a fresh process over all texts, with empty caches; warm are the passes after it. Time is of encoding alone, without
loading and without turning results into lists. Speeds are the mean over processes (cold) or rounds (warm); the ratio, above
1 where ours is faster, is the mean of the rounds' log-ratios with a t interval. IDs are those of Hugging Face's, or the row
says so; a tokenizer that one of the others does not read is named below the table.
Usage: bench_tokenizers.py SHARED_DATA [--rounds N] [--processes N] [--peers NAME,...]
"""

import argparse
import array
import base64
import gzip
import hashlib
import importlib.metadata
import json
import math
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/bin/tokenizer-bench"
T_97_5 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


class Side:
    """A process that encodes all its texts once for every line it is sent, and answers with the seconds it took."""

    def __init__(self, command, threads):
        environment = {**os.environ, "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
                       "RAYON_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen([*map(str, command), str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)
        self.ready = json.loads(self.process.stdout.readline())

    def encode(self):
        self.process.stdin.write("encode\n")
        self.process.stdin.flush()
        return float(json.loads(self.process.stdout.readline())["seconds"])

    def ids(self):
        self.process.stdin.write("ids\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class HuggingFace:
    def __init__(self, path):
        import tokenizers

        self.version = tokenizers.__version__
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def encode(self, texts, threads):
        return self.tokenizer.encode_batch_fast(texts)

    def ids(self, encodings):
        return (encoding.ids for encoding in encodings)


class Tokie:
    def __init__(self, path):
        import tokie

        self.version = importlib.metadata.version("tokie")
        self.tokenizer = tokie.Tokenizer.from_json(path)

    def encode(self, texts, threads):
        return self.tokenizer.encode_batch(texts, add_special_tokens=True)

    def ids(self, encodings):
        return (encoding.ids for encoding in encodings)


class Fastokens:
    def __init__(self, path):
        from fastokens import _native

        self.version = importlib.metadata.version("fastokens")
        self.tokenizer = _native.Tokenizer.from_file(path)

    def encode(self, texts, threads):
        return self.tokenizer.encode_batch_flat(texts, add_special_tokens=True)

    def ids(self, encodings):
        ids, offsets = array.array("I", encodings[0]), array.array("Q", encodings[1])
        return (ids[begin:end] for begin, end in zip(offsets, offsets[1:]))


class Gigatoken:
    def __init__(self, path):
        import gigatoken

        self.version = importlib.metadata.version("gigatoken")
        self.tokenizer = gigatoken.Tokenizer.from_json(pathlib.Path(path).read_bytes())

    def encode(self, texts, threads):
        return self.tokenizer.encode_batch(texts, parallel=threads > 1)

    def ids(self, encodings):
        return (row.tolist() for row in encodings)


PEERS = {"tokenizers": HuggingFace, "tokie": Tokie, "fastokens": Fastokens, "gigatoken": Gigatoken}


def serve_peer(name, tokenizer_path, texts_path, threads):
    """Another side's process."""
    begin = time.perf_counter()
    try:
        peer = PEERS[name](tokenizer_path)
    except Exception as error:  # whatever it cannot read, or is not installed
        print(json.dumps({"failure": f"{type(error).__name__}: {error}"}), flush=True)
        return
    loading = time.perf_counter() - begin
    texts = pathlib.Path(texts_path).read_bytes().decode("utf-8").split("\n")
    print(json.dumps({"version": peer.version, "load_s": loading}), flush=True)
    for line in sys.stdin:
        if line.strip() == "encode":
            begin = time.perf_counter()
            encodings = peer.encode(texts, threads)
            print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)
            continue
        digest, count = hashlib.sha256(), 0
        for ids in peer.ids(encodings):
            digest.update(struct.pack(f"<{len(ids) + 1}i", *ids, -1))
            count += len(ids)
        print(json.dumps({"ids": count, "sha256": digest.hexdigest()}), flush=True)


def write_texts(shared, name, folder):
    """The texts, one a line, as both sides read them."""
    if name == "SST-2 train":
        lines = (shared / "sst2/train.tsv").read_bytes().decode("utf-8").split("\n")
        texts = [line.split("\t")[0] for line in lines[1:] if line]
    else:
        texts = (shared / "wikitext-2/test.txt").read_bytes().decode("utf-8").split("\n")
    path = folder / (name.replace(" ", "-") + ".txt")
    path.write_bytes("\n".join(texts).encode("utf-8"))
    return path


def fields_of(message):
    """(number, bytes) of each length-delimited field of a protocol buffer."""
    def varint(i):
        value = shift = 0
        while True:
            value |= (message[i] & 127) << shift
            i, shift = i + 1, shift + 7
            if message[i - 1] < 128:
                return value, i

    i = 0
    while i < len(message):
        key, i = varint(i)
        if key & 7 == 0:
            _, i = varint(i)
        elif key & 7 == 2:
            size, i = varint(i)
            yield key >> 3, message[i:i + size]
            i += size
        else:
            i += 4 if key & 7 == 5 else 8


def write_unigram(folder):
    """The tests' small T5 tokenizer, with the character map that is kept in the model beside it."""
    kept = ROOT / "tests/data/tokenizers"
    normalizer = next(data for number, data in fields_of(gzip.decompress((kept / "unigram.model.gz").read_bytes())) if number == 3)
    characters = next(data for number, data in fields_of(normalizer) if number == 2)
    text = (kept / "unigram_t5.json").read_text("utf-8")
    path = folder / "unigram_t5.json"
    path.write_text(text.replace('"precompiled_charsmap":null', f'"precompiled_charsmap":"{base64.b64encode(characters).decode()}"'))
    return path


def interval(values):
    """Mean and half-width of the 95 % t interval."""
    half = T_97_5[min(len(values) - 1, 15)] * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), half


def rate(megabytes, seconds):
    center, spread = interval([megabytes / s for s in seconds])
    return f"{center:.1f} ± {spread:.1f}"


def row(label, peer, megabytes, ours, theirs, note):
    mean, half = interval([math.log(b / a) for a, b in zip(ours, theirs)])
    print(f"| {label} | {peer} | {rate(megabytes, ours)} | {rate(megabytes, theirs)} | {math.exp(mean):.2f} | "
          f"{math.exp(mean - half):.2f} to {math.exp(mean + half):.2f} | {len(ours)} | {note} |", flush=True)


def passes(commands, threads, options):
    """Seconds of each side's cold and warm passes, its IDs, and its seconds of loading."""
    cold, warm = [[] for _ in commands], [[] for _ in commands]
    for process in range(options.processes):
        sides = [Side(command, threads) for command in commands]
        order = range(len(sides)) if process % 2 == 0 else reversed(range(len(sides)))
        for side in order:
            cold[side].append(sides[side].encode())
        if process == 0:
            for number in range(options.rounds):
                for side in range(len(sides)) if number % 2 == 0 else reversed(range(len(sides))):
                    warm[side].append(sides[side].encode())
            ids = [side.ids() for side in sides]
            loads = [side.ready["load_s"] for side in sides]
        for side in sides:
            side.close()
    return cold, warm, ids, loads


def compare(label, tokenizer, texts, options):
    megabytes = texts.stat().st_size / 1e6
    failures = {}
    for threads in (1, 2):
        commands = {"ours": [PROGRAM, tokenizer, texts]}
        for peer in options.peers:
            command = [sys.executable, __file__, "--peer", peer, tokenizer, texts]
            probe = Side(command, threads)
            failure = probe.ready.get("failure")
            probe.close()
            if failure is None:
                commands[peer] = command
            else:
                failures[peer] = failure
        names = list(commands)
        cold, warm, ids, loads = passes(list(commands.values()), threads, options)
        truth = ids[names.index("tokenizers")] if "tokenizers" in names else ids[0]
        words = f"{label}, {threads} thread{'s' if threads > 1 else ''}"
        for kind, times in (("cold", cold), ("warm", warm)):
            for peer in range(1, len(names)):
                note = "" if ids[peer] == truth else "other IDs"
                row(f"{words}, {kind}", names[peer], megabytes, times[0], times[peer], note)
        print(f"<!-- {label}: {truth['ids']} ids; loading "
              f"{', '.join(f'{name} {load:.3f} s' for name, load in zip(names, loads))} -->", flush=True)
        if ids[0] != truth:
            raise SystemExit(f"{label}: the ids differ: {ids[0]} and {truth}")
    for peer, failure in failures.items():
        print(f"<!-- {label}: {peer} does not read it: {failure.splitlines()[0][:200]} -->", flush=True)


def main():
    if sys.argv[1:2] == ["--peer"]:
        return serve_peer(*sys.argv[2:5], int(sys.argv[5]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=pathlib.Path, help="the folder of public data")
    parser.add_argument("--rounds", type=int, default=10, help="warm passes per side")
    parser.add_argument("--processes", type=int, default=5, help="fresh processes per side, for cold passes")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"of {', '.join(PEERS)}; default: all")
    options = parser.parse_args()
    options.peers = options.peers.split(",")
    unknown = set(options.peers) - set(PEERS)
    if unknown:
        parser.error(f"unknown peers: {', '.join(sorted(unknown))}; allowed: {', '.join(PEERS)}")
    folder = ROOT / "build/bench-tokenizers"
    folder.mkdir(parents=True, exist_ok=True)
    print("| tokenizer and texts | peer | ours, MB/s | peer, MB/s | ratio | 95 % interval | passes | |")
    print("|---|---|---|---|---|---|---|---|")
    for name, model in (("SST-2 train", "bert-base-uncased"), ("WikiText-2 test", "gpt2")):
        compare(f"{model} on {name}", options.shared / f"tokenizers/{model}/tokenizer.json",
                write_texts(options.shared, name, folder), options)
    compare("a small T5 (Unigram) on WikiText-2 test", write_unigram(folder),
            write_texts(options.shared, "WikiText-2 test", folder), options)


if __name__ == "__main__":
    main()
