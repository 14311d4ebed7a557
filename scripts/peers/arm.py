"""A peer's process as seen from the outside, with the interface that `ours.OurProcess` has too."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time

from peers.engines.base import NotThere

_PREPARE_LIMIT_S = 1800


def _command(verb: str, job: dict) -> list[str]:
    return [sys.executable, "-m", "peers.serve", verb, json.dumps(job)]


def _with_package(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "PYTHONPATH": str(pathlib.Path(__file__).resolve().parent.parent),
            "PEERS_STARTED_AT": repr(time.time())}


def last_words(log: pathlib.Path) -> str:
    """The last line of a log that says something, for a table."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"


def prepare(job: dict, environment: dict[str, str], log: pathlib.Path) -> None:
    """Converts the model in a process of its own; `NotThere` says why it cannot."""
    with open(log, "w", encoding="utf-8") as file:
        try:
            done = subprocess.run(_command("prepare", job), env=_with_package(environment), stdout=file, stderr=file,
                                  timeout=_PREPARE_LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            raise NotThere(f"preparing took longer than {_PREPARE_LIMIT_S} s") from None
    if done.returncode != 0:
        raise NotThere(f"preparing failed: {last_words(log)} ({log})")


def losses(job: dict, environment: dict[str, str], log: pathlib.Path) -> list[float]:
    """Of a training's first steps, in a process of its own; `NotThere` says why there are none."""
    with open(log, "w", encoding="utf-8") as file:
        try:
            done = subprocess.run(_command("losses", job), env=_with_package(environment), stdout=subprocess.PIPE,
                                  stderr=file, stdin=subprocess.DEVNULL, timeout=_PREPARE_LIMIT_S, check=False,
                                  text=True)
        except subprocess.TimeoutExpired:
            raise NotThere(f"the first steps took longer than {_PREPARE_LIMIT_S} s") from None
    if done.returncode != 0:
        raise NotThere(f"the first steps failed: {last_words(log)} ({log})")
    return json.loads(done.stdout)["losses"]


class PeerProcess:
    """A peer with its model loaded and warm. It sleeps until it is asked for passes."""

    def __init__(self, name: str, job: dict, environment: dict[str, str], log: pathlib.Path):
        self.name = name
        self._log = log
        with open(log, "w", encoding="utf-8") as file:
            self._process = subprocess.Popen(_command("serve", job), env=_with_package(environment), text=True,
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file)
        self.first_result_s = self._answer()["first_result_s"]
        about = self._answer()
        self.settings = about["settings"]
        self.versions = about["versions"]
        self.steps_in_a_pass = about["steps_in_a_pass"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def _answer(self) -> dict:
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            raise NotThere(f"it ended with {code}: {last_words(self._log)} ({self._log})")
        return json.loads(line)

    def _ask(self, request: dict) -> dict:
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its end is told by _answer, with the log's last words
        return self._answer()

    def outputs(self) -> list:
        """The outputs of the checked batches, in their order."""
        import numpy

        path = self._log.with_suffix(".npz")
        self._ask({"do": "check", "to": str(path)})
        with numpy.load(path) as file:
            return [file[name] for name in file.files]

    def passes(self, count: int) -> dict[str, list[float]]:
        """Seconds of each pass, by measure."""
        return self._ask({"do": "pass", "count": count})

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
