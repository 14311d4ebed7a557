#!/usr/bin/env python3
"""Writes the seeds of corpus/ that are not kept by hand: safetensors files, protocol frames and messages, sentencepiece
models and their character maps, a small store and a small export.

Usage: make_corpus.py [STORE EXPORT]
STORE is a store with a run or two in it, EXPORT what `transformeter export` made of one; without them those seeds are
left alone.
"""
import json
import pathlib
import shutil
import sqlite3
import struct
import sys
import tempfile

CORPUS = pathlib.Path(__file__).parent / "corpus"


def write(target, name, content):
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    (CORPUS / target / name).write_bytes(content)


def safetensors(header, data):
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def frame(header, blob=b"", version=1):
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"TMTR" + struct.pack("<IQQ", version, len(text), len(blob)) + text + blob


LATENCY = {"name": "latency", "unit": "s", "rank": 0, "count": 2,
           "columns": ["value", "start_s", "index", "examples", "useful_tokens", "processed_tokens", "flags"]}
LATENCY_BYTES = struct.pack("<4d8q2I", 0.5, 0.25, 0, 0.5, 0, 0, 8, 8, 60, 60, 80, 80, 1, 0)
LOAD = {"name": "load_time", "unit": "s", "rank": 0, "count": 1, "columns": ["value"]}
MESSAGES = {
    "hello": ({"type": "hello", "program": "w", "version": "1", "pid": 7}, b""),
    "describe": ({"type": "describe"}, b""),
    "described": ({"type": "described", "build": {"libtorch": "2"},
                   "capabilities": {"values": {"device": ["cpu"]}, "native": {"device": ["cpu"]},
                                    "reasons": {"precision=fp16": "none"}},
                   "architectures": [], "gives_outputs": True, "gives_profiles": True}, b""),
    "prepare": ({"type": "prepare", "settings": {"batch_size": 8}, "spawned_at_ns": 123, "memory_limit_bytes": None,
                 "own_pids": [1, 2]}, b""),
    "prepared": ({"type": "prepared", "effective": {"threads": 1}, "series": [LOAD]}, struct.pack("<d", 0.4)),
    "warm": ({"type": "warm", "count": 3}, b""),
    "warmed": ({"type": "warmed", "effective": {}, "cycle_forecast_s": 0.5, "cycle_batches": 1,
                "series": [LATENCY, LOAD]}, LATENCY_BYTES + struct.pack("<d", 0.4)),
    "measure": ({"type": "measure", "exactly": None, "limit_s": 30, "limit_is_hard": False, "cycle_batches": None},
                b""),
    "samples": ({"type": "samples", "series": [LATENCY]}, LATENCY_BYTES),
    "measured": ({"type": "measured", "stop_reason": "target_met", "effective": {}, "series": []}, b""),
    "evaluate": ({"type": "evaluate", "score": True, "outputs": {
        "inputs": [5], "most_inputs": 64, "most_tokens": 4096, "most_values": 1048576}}, b""),
    "evaluated": ({"type": "evaluated", "outputs": {"width": 2, "inputs": 1, "values": 2}, "series": [LOAD]},
                  struct.pack("<2q2fd", 5, 1, 0.5, -0.5, 1)),
    "predict": ({"type": "predict", "inputs": [{"text": "Ann ran", "text_pair": "who?", "words": [[0, 3], [4, 7]]}],
                 "options": {"max_length": None, "stride": 128, "top_k": 5, "allow_no_answer": False,
                             "max_new_tokens": 20, "generation": {
                                 "num_beams": 4, "length_penalty": 0.6, "early_stopping": "never",
                                 "no_repeat_ngram_size": 3}}}, b""),
    "predicted": ({"type": "predicted", "refused": {"index": 5, "reason": "no"}, "predictions": [
        {"label": "good", "score": 0.5, "logits": [1, -1]}, {"embedding": [0.5], "truncated": True},
        {"entities": [{"entity": "p", "text": "Ann", "start": 0, "end": 3, "score": 1}], "tags": ["B-p", "O"]},
        {"generated_text": " ran", "generated_ids": [5, 3], "score": -0.5},
        {"answer": "Ann", "start": 0, "end": 3, "score": 0.5, "null_score": -1},
        {"masks": [{"start": 0, "end": 6, "fillings": [{"token": "a", "id": 7, "score": 0.5}]}]}]}, b""),
    "profile": ({"type": "profile", "options": {"work": True, "memory": False, "passes": 3, "trace_file": ""}}, b""),
    "profiled": ({"type": "profiled", "profile": {
        "nodes": [{"parent": 0, "kind": "pass", "name": "forward pass", "phase": None, "calls": 1, "total_s": 1,
                   "self_s": 0.5, "flops": 0, "bytes": 0, "allocated_bytes": 0},
                  {"parent": 0, "kind": "module", "name": "m.0", "phase": "head", "calls": 1, "total_s": 0.5,
                   "self_s": 0.5, "flops": 7, "bytes": 8, "allocated_bytes": 9}],
        "passes": 1, "batches": 1, "streams": 1, "merged_spans": 0, "unprofiled_s": [1], "profiled_s": [1]}}, b""),
    "failed": ({"type": "failed", "status": "out_of_memory", "reason": "no room"}, b""),
}

# Of tests/data/images: formats, kinds of pixels, and places of metadata.
IMAGES = ["420.jpg", "progressive.jpg", "restart.jpg", "ycck.jpg", "grey.jpg", "oriented_elsewhere.jpg", "oriented_xmp.jpg",
          "bomb.jpg", "bomb.png", "rgb_8.png", "rgba_16_interlaced.png", "palette_4.png", "grey_1_interlaced.png", "grey_16.png",
          "oriented_exif_after.png", "oriented_exif_packed_text.png", "oriented_xmp_packed.png"]
SOUNDS = ["pcm_u8.wav", "pcm_24.wav", "float.wav", "ima_adpcm.wav", "stereo.wav", "six_channels.wav", "rf64.wav",
          "8000.wav", "pcm_16.flac", "vorbis.ogg", "opus.ogg"]
FEATURE_EXTRACTORS = {
    "usual": {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "feature_size": 1, "padding_side": "right",
              "sampling_rate": 16000, "padding_value": 0.0, "do_normalize": True, "return_attention_mask": False},
    "nested": {"feature_extractor": {"sampling_rate": 8000, "padding_value": -0.5, "return_attention_mask": True}},
}
CTC_VOCABULARIES = {
    "usual": {"vocabulary": {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3, "|": 4, "E": 5, "T": 7},
              "settings": {"tokenizer_class": "Wav2Vec2CTCTokenizer", "do_lower_case": True, "pad_token": {"content": "<pad>"},
                           "word_delimiter_token": "|", "clean_up_tokenization_spaces": True}},
    "bare": {"vocabulary": {"a": 0, "\u00e9": 1}},
}
IMAGE_PROCESSORS = {
    "vit": {"image_processor_type": "ViTImageProcessor", "size": {"height": 8, "width": 9}, "resample": 3, "do_resize": True,
            "do_rescale": True, "rescale_factor": 0.00392156862745098, "do_normalize": True, "image_mean": [0.5, 0.4, 0.3],
            "image_std": [0.5, 0.5, 0.5]},
    "old_clip": {"feature_extractor_type": "CLIPFeatureExtractor", "size": 12, "crop_size": 10, "do_center_crop": True,
                 "resample": 1, "do_convert_rgb": None},
    "edges": {"image_processor": {"image_processor_type": "BitImageProcessorFast", "do_center_crop": False,
                                  "size": {"shortest_edge": 10, "longest_edge": 13}, "resample": 4}},
    "convnext": {"image_processor_type": "ConvNextImageProcessorPil", "size": {"shortest_edge": 20}, "crop_pct": 0.875,
                 "image_std": 0.25, "do_rescale": False, "do_pad": False}}


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def piece(text, score, kind):
    return field(1, field(1, text.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score) + varint(3 << 3) + varint(kind))


def charsmap():
    """"a" becomes "xy", "\\u00e9" becomes "e": a double array whose root's children stand at 256."""
    units = [0] * 1280
    units[0] = 256 << 10

    def unit(position, byte, target, ends):
        units[position] = byte | ends << 8 | (position ^ target) << 10

    unit(256 ^ 0x61, 0x61, 512, 1)
    units[512] = 1 << 31
    unit(256 ^ 0xC3, 0xC3, 768, 0)
    unit(768 ^ 0xA9, 0xA9, 1024, 1)
    units[1024] = 1 << 31 | 3
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"xy\0e\0"


def sentencepiece(model_type, normalizer):
    pieces = [piece("<unk>", 0, 2), piece("<s>", 0, 3), piece("</s>", 0, 3), piece("\u2581", -2, 1), piece("l", -3, 1),
              piece("ll", -1, 1), piece("\u2581w", -2.5, 1), piece("<0xC3>", 0, 6), piece("o", -3, 1), piece("e", -3, 1)]
    trainer = varint(3 << 3) + varint(model_type)
    return b"".join(pieces) + field(2, trainer) + field(3, normalizer)


def store(source):
    """A copy with small pages and no write-ahead log: fewer bytes for the fuzzer to get lost in."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "store.db"
        for suffix in ("", "-wal"):
            if pathlib.Path(source + suffix).exists():
                shutil.copy(source + suffix, str(path) + suffix)
        database = sqlite3.connect(path)
        database.execute("UPDATE run SET host = '{}', settings = '{}'")
        database.commit()
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA page_size = 512")
        database.execute("VACUUM")
        database.close()
        write("store", "small", path.read_bytes())


def export(source):
    """The same lines without what the fuzzer gets lost in, and with the samples that have no number in JSON."""
    lines = [json.loads(line) for line in pathlib.Path(source).read_text().splitlines()]
    for line in lines:
        for document in ("host", "settings", "effective", "launch", "requested"):
            for record in line.values():
                if isinstance(record, dict) and document in record:
                    record[document] = {}
        if "replicate" in line:
            series = [one for one in line["replicate"]["series"] if one["name"] in ("load_time", "latency")]
            series[0]["value"] = [-0.0] if line["replicate"]["index"] else ["NaN"]
            line["replicate"]["series"] = series
    text = "".join(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)
    write("export", "one", text.encode())
    write("export", "twice", text.encode() * 2)
    write("export", "broken_off", text.encode()[:-60])


def main():
    write("safetensors", "empty", safetensors({}, b""))
    write("safetensors", "two", safetensors(
        {"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
         "b": {"dtype": "BF16", "shape": [], "data_offsets": [8, 10]}}, bytes(10)))
    write("safetensors", "metadata", safetensors(
        {"__metadata__": {"format": "pt"}, "bert.pooler.dense.bias": {"dtype": "I64", "shape": [1],
                                                                      "data_offsets": [0, 8]}}, bytes(8)))
    write("safetensors", "overlap", safetensors(
        {"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
         "b": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}}, bytes(6)))
    for name, (header, blob) in MESSAGES.items():
        write("messages", name, json.dumps(header, separators=(",", ":")).encode() + b"\0" + blob)
    write("channel", "session", b"".join(frame(*MESSAGES[name]) for name in ("hello", "warmed", "measured")))
    write("channel", "other_version", frame({"type": "hello"}, version=99))
    write("channel", "broken_off", frame({"type": "samples"}, b"12345678")[:-3])
    write("channel", "huge_claim", b"TMTR" + struct.pack("<IQQ", 1, 2, 4 << 30) + b"{}")
    write("charsmap", "two_entries", charsmap())
    write("sentencepiece", "unigram", sentencepiece(1, field(1, b"small") + field(2, charsmap())))
    write("sentencepiece", "bpe", sentencepiece(2, field(1, b"identity")))
    for name in IMAGES:
        write("image", name, (CORPUS.parents[1] / "data/images" / name).read_bytes())
    # Ends in a chunk behind the pixels that claims 1.7 GB, which libpng would allocate.
    pixels = (CORPUS.parents[1] / "data/images/rgb_8.png").read_bytes()[:-12]
    write("image", "huge_exif_claim.png", pixels + b"\x68\x01\x01\x01eXIfMM")
    for name, config in IMAGE_PROCESSORS.items():
        write("image_processor", name, json.dumps(config, separators=(",", ":")).encode())
    for name in SOUNDS:
        write("audio", name, (CORPUS.parents[1] / "data/audio" / name).read_bytes())
    for name, config in FEATURE_EXTRACTORS.items():
        write("feature_extractor", name, json.dumps(config, separators=(",", ":")).encode())
    for name, files in CTC_VOCABULARIES.items():
        write("ctc_vocabulary", name, json.dumps(files, separators=(",", ":")).encode())
    write("cifar10", "two", b"".join(bytes([label]) + bytes(range(256)) * 12 for label in (3, 9)))
    if len(sys.argv) == 3:
        store(sys.argv[1])
        export(sys.argv[2])


if __name__ == "__main__":
    main()
