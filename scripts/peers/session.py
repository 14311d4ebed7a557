"""A session with transformeter-worker in Python: frames of JSON and bytes (src/shared/schema/channel.h, messages.h)."""
from __future__ import annotations

import json
import os
import pathlib
import socket
import struct
import subprocess
import time

from peers.engines.base import NotThere

PROTOCOL_VERSION = 2
_NO_LIMIT = 1 << 40
_MAGIC = b"TMTR"
_HEAD = struct.Struct("<4sIQQ")
_FORMATS = {"value": "d", "start_s": "d", "flags": "I"}  # of a series' columns; the others are 64-bit integers


def decode_columns(series: list[dict], blob: bytes) -> int:
    """Puts each series' columns into its object; returns how many bytes they took."""
    offset = 0
    for one in series:
        for column in one["columns"]:
            format_ = f"<{one['count']}{_FORMATS.get(column, 'q')}"
            one[column] = list(struct.unpack_from(format_, blob, offset))
            offset += struct.calcsize(format_)
    return offset


def decode_outputs(outputs: dict, blob: bytes) -> int:
    """Puts keys, rows and values of given-back outputs into `outputs`; returns how many bytes they took."""
    format_ = f"<{outputs['inputs']}q{outputs['inputs']}q{outputs['values']}f"
    numbers = struct.unpack_from(format_, blob, 0)
    count = outputs["inputs"]
    outputs["keys"] = list(numbers[:count])
    outputs["rows"] = list(numbers[count:2 * count])
    outputs["values"] = numbers[2 * count:]
    return struct.calcsize(format_)


def joined(series: list[dict]) -> dict[str, dict[str, list]]:
    """The columns by the series' name; blocks of one name one after another."""
    result: dict[str, dict[str, list]] = {}
    for one in series:
        columns = result.setdefault(one["name"], {})
        for column in one["columns"]:
            columns.setdefault(column, []).extend(one[column])
    return result


class Session:
    """A worker process and its descriptor. A failure it reports is `NotThere`, with its reason."""

    def __init__(self, worker: pathlib.Path, environment: dict[str, str], log):
        self._socket, theirs = socket.socketpair()
        self.spawned_at_ns = time.monotonic_ns()
        self._process = subprocess.Popen([str(worker), "--connect", f"fd:{theirs.fileno()}"],
                                         pass_fds=[theirs.fileno()], env=environment, stdout=log, stderr=log)
        theirs.close()
        self._receive()
        self.described = self.ask({"type": "describe"})

    @property
    def pid(self) -> int:
        return self._process.pid

    def _send(self, header: dict) -> None:
        text = json.dumps(header).encode()
        self._socket.sendall(_HEAD.pack(_MAGIC, PROTOCOL_VERSION, len(text), 0) + text)

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(size - len(parts), 1 << 20))
            if not part:
                raise NotThere("the worker closed the session")
            parts += part
        return bytes(parts)

    def _receive(self) -> dict:
        magic, version, header_size, blob_size = _HEAD.unpack(self._read(_HEAD.size))
        if (magic, version) != (_MAGIC, PROTOCOL_VERSION):
            raise NotThere(f"the worker speaks version {version} of the protocol, this script {PROTOCOL_VERSION}")
        message = json.loads(self._read(header_size))
        blob = self._read(blob_size)
        if message["type"] == "failed":
            raise NotThere(message["reason"])
        taken = decode_outputs(message["outputs"], blob) if message.get("outputs") else 0
        decode_columns(message.get("series", []), blob[taken:])
        return message

    def ask(self, header: dict, sign_of_life: str | None = None) -> dict:
        """The answer to a request that has one; messages of the type `sign_of_life` come before it."""
        self._send(header)
        while True:
            message = self._receive()
            if message["type"] != sign_of_life:
                return message

    def measure(self, count: int) -> dict[str, list[float]]:
        """The values of `count` samples, by the series' name."""
        return {name: columns["value"] for name, columns in self.sample(count).items()}

    def sample(self, count: int) -> dict[str, dict[str, list]]:
        """The columns of `count` samples, by the series' name."""
        self._send({"type": "measure", "slice": 0, "slices": 1, "exactly": count, "limit_s": 1e9, "limit_is_hard": False,
                    "cycle_batches": None, "cycle_examples": None})
        samples: list[dict] = []
        while True:
            message = self._receive()
            if message["type"] == "measured":
                return joined(samples)
            samples += message["series"]

    def outputs(self, keys: list[int]) -> dict:
        """Those of the inputs with these keys, all of them, however long; what an engine answers, by key."""
        return self.ask({"type": "evaluate", "score": False, "outputs": {
            "inputs": sorted(set(keys)), "attention_mask": True, "plain": False, "fewest_inputs": len(keys),
            "most_inputs": len(keys), "most_tokens": _NO_LIMIT, "most_values": _NO_LIMIT, "limit_tokens": _NO_LIMIT}},
            "evaluating")["outputs"]

    def close(self) -> None:
        """Asks it to end; one that does not is ended."""
        try:
            self.ask({"type": "teardown"})
            self._process.wait(timeout=10)
        except (NotThere, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._socket.close()
