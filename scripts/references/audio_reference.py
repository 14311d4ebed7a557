#!/usr/bin/env python3
"""Samples by load_audio and values by Wav2Vec2FeatureExtractor of Transformers.

Writes the small sounds of tests/data/audio, reference.json and reference.f32 beside them, and, with --shared-data,
shared_reference.json for the sounds there. The tests of src/shared/audio hold ours to them. Run it in a virtual
environment:
    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install transformers soundfile soxr
    /tmp/venv/bin/python scripts/references/audio_reference.py [--shared-data ../shared/data]
"""
import argparse
import hashlib
import json
import pathlib

import numpy
import soundfile
import soxr
import transformers
from transformers import Wav2Vec2FeatureExtractor
from transformers.audio_utils import load_audio

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/audio"
RATE = 16000
SECONDS = 0.03

# Name, sampling rate, channels, format and subtype of libsndfile.
FILES = [
    ("pcm_u8.wav", 16000, 1, "WAV", "PCM_U8"),
    ("pcm_16.wav", 16000, 1, "WAV", "PCM_16"),
    ("pcm_24.wav", 16000, 1, "WAV", "PCM_24"),
    ("pcm_32.wav", 16000, 1, "WAV", "PCM_32"),
    ("float.wav", 16000, 1, "WAV", "FLOAT"),
    ("double.wav", 16000, 1, "WAV", "DOUBLE"),
    ("ulaw.wav", 16000, 1, "WAV", "ULAW"),
    ("alaw.wav", 16000, 1, "WAV", "ALAW"),
    ("ima_adpcm.wav", 16000, 1, "WAV", "IMA_ADPCM"),
    ("stereo.wav", 16000, 2, "WAV", "PCM_16"),
    ("six_channels.wav", 16000, 6, "WAVEX", "PCM_16"),
    ("rf64.wav", 16000, 1, "RF64", "PCM_16"),
    ("8000.wav", 8000, 1, "WAV", "PCM_16"),
    ("11025.wav", 11025, 1, "WAV", "PCM_16"),
    ("22050.wav", 22050, 1, "WAV", "FLOAT"),
    ("44100.wav", 44100, 2, "WAV", "PCM_16"),
    ("48000.flac", 48000, 2, "FLAC", "PCM_24"),
    ("pcm_16.flac", 16000, 1, "FLAC", "PCM_16"),
    ("vorbis.ogg", 16000, 1, "OGG", "VORBIS"),
    ("opus.ogg", 48000, 1, "OGG", "OPUS"),
]
EXTRACTORS = [{}, {"do_normalize": False}, {"return_attention_mask": True}, {"padding_value": 0.25, "sampling_rate": RATE}]


def waves(rate, channels):
    """Two tones and noise, another mixture in each channel, with a mean that is not 0."""
    time = numpy.arange(int(rate * SECONDS)) / rate
    random = numpy.random.RandomState(rate + channels)
    return numpy.stack([0.4 * numpy.sin(2 * numpy.pi * (300 + 170 * c) * time) + 0.2 * numpy.sin(2 * numpy.pi * 2100 * time)
                        + 0.05 * random.randn(time.size) + 0.05 * (c + 1) for c in range(channels)], axis=1)


def sampled(values):
    """Places with the values there: evenly spread ones, the smallest and the largest."""
    places = numpy.linspace(0, values.size - 1, 16).astype(int).tolist() + [int(values.argmin()), int(values.argmax())]
    return {"at": places, "values": [float(values[i]) for i in places]}


def small_files():
    stored, files, extracted = [], {}, []

    def store(values):
        stored.append(values.astype("<f4"))
        return {"at": sum(part.size for part in stored[:-1]), "count": values.size}

    for name, rate, channels, container, subtype in FILES:
        path = DATA / name
        soundfile.write(path, waves(rate, channels), rate, format=container, subtype=subtype)
        own_rate = soundfile.info(path).samplerate
        files[name] = {"sampling_rate": own_rate, "own": store(load_audio(str(path), own_rate, backend="soundfile")),
                       "at_16000": store(load_audio(str(path), RATE, backend="soundfile"))}
    for config in EXTRACTORS:
        extractor = Wav2Vec2FeatureExtractor(**config)
        for name in ("pcm_16.wav", "stereo.wav", "8000.wav"):
            values = extractor(load_audio(str(DATA / name), RATE, backend="soundfile"), sampling_rate=RATE)
            saved = json.loads(extractor.to_json_string())
            extracted.append({"config": saved, "file": name, "values": store(values["input_values"][0])})
    numpy.concatenate(stored).tofile(DATA / "reference.f32")
    versions = {"transformers": transformers.__version__, "soundfile": soundfile.__version__,
                "libsndfile": soundfile.__libsndfile_version__, "soxr": soxr.__version__}
    write("reference.json", {"versions": versions, "files": files, "extracted": extracted})


def shared_files(folder):
    files = {}
    for path in sorted((folder / "audio").rglob("*.wav")):
        samples = load_audio(str(path), RATE, backend="soundfile")
        values = Wav2Vec2FeatureExtractor()(samples, sampling_rate=RATE)["input_values"][0]
        at_8000 = load_audio(str(path), 8000, backend="soundfile")
        files[path.relative_to(folder / "audio").as_posix()] = {
            "count": samples.size, "sha256": hashlib.sha256(samples.astype("<f4").tobytes()).hexdigest(),
            "input_values": sampled(values), "at_8000": {"count": at_8000.size, **sampled(at_8000)}}
    write("shared_reference.json", {"files": files})


def write(name, content):
    lines = json.dumps(content, separators=(",", ":")).replace("},\"", "},\n\"")
    (DATA / name).write_text(lines + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared-data", type=pathlib.Path, help="the folder of the tests' public data")
    options = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    small_files()
    if options.shared_data:
        shared_files(options.shared_data)


if __name__ == "__main__":
    main()
