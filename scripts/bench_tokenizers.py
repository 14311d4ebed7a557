"""Compares the tokenizers with Hugging Face `tokenizers` in one session: all ids, and MB/s with intervals.

Both sides encode the same texts by turns, ours by build/bin/tokenizer-bench and theirs by encode_batch_fast in a process of
their own. Cold is the first pass of a fresh process over all texts, with empty caches; warm are the passes after it. Time is
of encoding alone, without loading. Speeds are the median over processes (cold) or rounds (warm); the ratio is the mean of
the rounds' log-ratios with a t interval. Usage: bench_tokenizers.py SHARED_DATA [--rounds N] [--processes N]
"""

import argparse
import base64
import gzip
import hashlib
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


def serve_peer(tokenizer_path, texts_path):
    """The other side's process: Hugging Face's tokenizer."""
    import tokenizers

    begin = time.perf_counter()
    tokenizer = tokenizers.Tokenizer.from_file(tokenizer_path)
    loading = time.perf_counter() - begin
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = pathlib.Path(texts_path).read_bytes().decode("utf-8").split("\n")
    print(json.dumps({"version": tokenizers.__version__, "load_s": loading}), flush=True)
    for line in sys.stdin:
        if line.strip() == "encode":
            begin = time.perf_counter()
            encodings = tokenizer.encode_batch_fast(texts)
            print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)
            continue
        digest, count = hashlib.sha256(), 0
        for encoding in encodings:
            digest.update(struct.pack(f"<{len(encoding.ids) + 1}i", *encoding.ids, -1))
            count += len(encoding.ids)
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


def row(label, megabytes, ours, theirs):
    logs = [math.log(b / a) for a, b in zip(ours, theirs)]
    mean, half = interval(logs)
    rates = []
    for seconds in (ours, theirs):
        center, spread = interval([megabytes / s for s in seconds])
        rates.append(f"{center:.1f} ± {spread:.1f}")
    print(f"| {label} | {rates[0]} | {rates[1]} | {math.exp(mean):.2f} | {math.exp(mean - half):.2f} to "
          f"{math.exp(mean + half):.2f} | {len(ours)} |", flush=True)


def compare(label, tokenizer, texts, options):
    megabytes = texts.stat().st_size / 1e6
    our_command = [PROGRAM, tokenizer, texts]
    peer_command = [sys.executable, __file__, "--peer", tokenizer, texts]
    for threads in (1, 2):
        cold, warm = ([], []), ([], [])
        for process in range(options.processes):
            sides = [Side(our_command, threads), Side(peer_command, threads)]
            order = (0, 1) if process % 2 == 0 else (1, 0)
            for side in order:
                cold[side].append(sides[side].encode())
            if process == 0:
                for round_number in range(options.rounds):
                    for side in (0, 1) if round_number % 2 == 0 else (1, 0):
                        warm[side].append(sides[side].encode())
                ids = [side.ids() for side in sides]
                loads = [side.ready["load_s"] for side in sides]
            for side in sides:
                side.close()
        row(f"{label}, {threads} thread{'s' if threads > 1 else ''}, cold", megabytes, *cold)
        row(f"{label}, {threads} thread{'s' if threads > 1 else ''}, warm", megabytes, *warm)
        same = "equal" if ids[0] == ids[1] else "DIFFERENT"
        print(f"<!-- {label}: {ids[0]['ids']} ids, {same}; loading {loads[0]:.3f} s and {loads[1]:.3f} s -->", flush=True)
        if ids[0] != ids[1]:
            raise SystemExit(f"{label}: the ids differ: {ids}")


def main():
    if sys.argv[1:2] == ["--peer"]:
        return serve_peer(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=pathlib.Path, help="the folder of public data")
    parser.add_argument("--rounds", type=int, default=10, help="warm passes per side")
    parser.add_argument("--processes", type=int, default=5, help="fresh processes per side, for cold passes")
    options = parser.parse_args()
    folder = ROOT / "build/bench-tokenizers"
    folder.mkdir(parents=True, exist_ok=True)
    print("| tokenizer and texts | ours, MB/s | tokenizers, MB/s | ratio | 95 % interval | passes |")
    print("|---|---|---|---|---|---|")
    for name, model in (("SST-2 train", "bert-base-uncased"), ("WikiText-2 test", "gpt2")):
        compare(f"{model} on {name}", options.shared / f"tokenizers/{model}/tokenizer.json",
                write_texts(options.shared, name, folder), options)
    compare("a small T5 (Unigram) on WikiText-2 test", write_unigram(folder),
            write_texts(options.shared, "WikiText-2 test", folder), options)


if __name__ == "__main__":
    main()
