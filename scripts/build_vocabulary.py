#!/usr/bin/env python3
"""Builds a WordPiece vocabulary from a text: share/texts/vocab.txt from share/texts/reviews.tsv.

    scripts/build_vocabulary.py [--texts FILE] [--output FILE] [--size N]

Deterministic, standard library only. The vocabulary holds, in this order: the special tokens; every printable ASCII
character as BERT's normaliser leaves it (lower case), and each as a piece inside a word ("##x"), so that no printable
ASCII text is unknown; then pieces merged from the text like WordPiece's trainer does, in the order of merging. Each
step merges the pair of neighbouring pieces with the highest count (ties: the smaller pair in byte order), as byte pair
encoding (Sennrich et al. 2016), within words alone; it stops at N pieces, or when every word is a piece.
"""
import argparse
import collections
import heapq
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def words_of(texts):
    """Word counts by BERT's rules for lower-case ASCII: white space separates, each mark is a word of its own."""
    counts = collections.Counter()
    for text in texts:
        spaced = "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in text.lower())
        counts.update(spaced.split())
    return counts


def merge(pieces, pair, joined):
    merged, i = [], 0
    while i < len(pieces):
        if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == pair:
            merged.append(joined)
            i += 2
        else:
            merged.append(pieces[i])
            i += 1
    return merged


def merged_pieces(counts, known, size):
    """The pieces in the order of merging, until `known` and they are `size` together."""
    words = [([c if i == 0 else "##" + c for i, c in enumerate(word)], n) for word, n in sorted(counts.items())]
    pair_counts, places = collections.Counter(), collections.defaultdict(set)
    for index, (pieces, n) in enumerate(words):
        for pair in zip(pieces, pieces[1:]):
            pair_counts[pair] += n
            places[pair].add(index)
    heap = [(-n, pair) for pair, n in pair_counts.items()]
    heapq.heapify(heap)
    seen, made = set(known), []
    while heap and len(seen) < size:
        negative, pair = heapq.heappop(heap)
        if pair_counts[pair] != -negative:
            continue  # an older count of the pair
        joined = pair[0] + pair[1].removeprefix("##")
        if joined not in seen:
            seen.add(joined)
            made.append(joined)
        changed = set()
        for index in sorted(places[pair]):
            pieces, n = words[index]
            for old in zip(pieces, pieces[1:]):
                pair_counts[old] -= n
                changed.add(old)
            pieces = merge(pieces, pair, joined)
            words[index] = (pieces, n)
            for new in zip(pieces, pieces[1:]):
                pair_counts[new] += n
                places[new].add(index)
                changed.add(new)
        for item in changed:
            if pair_counts[item] > 0:
                heapq.heappush(heap, (-pair_counts[item], item))
    return made


def build(texts, size):
    printable = [chr(c) for c in range(0x21, 0x7F) if not chr(c).isupper()]
    known = SPECIAL + printable + ["##" + c for c in printable]
    return known + merged_pieces(words_of(texts), known, size)


def main():
    parser = argparse.ArgumentParser(description="Builds a WordPiece vocabulary from a text.")
    parser.add_argument("--texts", type=pathlib.Path, default=ROOT / "share/texts/reviews.tsv",
                        help="tab-separated; uses the column 'sentence'")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "share/texts/vocab.txt")
    parser.add_argument("--size", type=int, default=2560, help="maximum number of pieces")
    arguments = parser.parse_args()
    lines = arguments.texts.read_text(encoding="utf-8").splitlines()
    column = lines[0].split("\t").index("sentence")
    vocabulary = build([line.split("\t")[column] for line in lines[1:]], arguments.size)
    arguments.output.write_text("\n".join(vocabulary) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
