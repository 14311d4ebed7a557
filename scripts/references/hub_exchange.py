#!/usr/bin/env python3
"""Holds `fetch` and `push` to Python's huggingface_hub, against the tests' own server: what one downloads or uploads, the
other finds.

Usage: PYTHON scripts/references/hub_exchange.py [build/bin/transformeter]
PYTHON has huggingface_hub (pip install huggingface_hub, in a virtual environment). Prints one line a check.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def check(holds, what):
    print(("ok    " if holds else "WRONG ") + what)
    if not holds:
        sys.exit(1)


def layout(cache):
    """Blobs, refs and links of a cache, without locks and what is Python's own (CACHEDIR.TAG, trees)."""
    found = {}
    for path in sorted(cache.rglob("*")):
        name = path.relative_to(cache).as_posix()
        if "/" not in name or name.startswith(".locks") or "/trees" in name:
            continue
        if path.is_symlink():
            found[name] = "-> " + os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def make_repository(root):
    draw = random.Random(0)
    folder = root / "models/org/name"
    (folder / "onnx").mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "README.md", "onnx/notes.txt"):
        (folder / name).write_text(f"{{}} {name}")
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n")
    (folder / "tokenizer.json").unlink()
    (folder / "model.safetensors").write_bytes(draw.randbytes(300_000))
    return folder


class Exchange:
    def __init__(self, program, root, endpoint):
        self.program, self.root, self.endpoint = program, root, endpoint

    def environment(self, home, **more):
        return os.environ | {"HF_HOME": str(self.root / home), "HF_ENDPOINT": self.endpoint, "HF_TOKEN": "hf_x",
                             "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"} | more

    def command(self, home, *arguments, **more):
        return subprocess.run([self.program, *arguments], env=self.environment(home, **more), check=True,
                              capture_output=True, text=True).stdout

    def python(self, home, code, **more):
        return subprocess.run([sys.executable, "-c", "from huggingface_hub import *\n" + code], check=True,
                              env=self.environment(home, **more), capture_output=True, text=True).stdout.strip()

    def file_requests(self):
        lines = (self.root / "requests.jsonl").read_text().splitlines()
        return sum("/resolve/" in json.loads(line)["path"] and json.loads(line)["method"] == "GET" for line in lines)

    def run(self, folder):
        self.command("ours", "fetch", "org/name", "--include", "*")
        self.python("theirs", "snapshot_download('org/name')")
        check(layout(self.root / "ours/hub") == layout(self.root / "theirs/hub"), "the two caches are alike")

        seen = self.python("ours", "print(snapshot_download('org/name'))", HF_HUB_OFFLINE="1")
        check(seen.endswith(COMMIT), "Python finds our snapshot offline")
        for name in ("config.json", "model.safetensors", "onnx/notes.txt"):
            seen = self.python("ours", f"print(hf_hub_download('org/name', '{name}'))", HF_HUB_OFFLINE="1")
            check(pathlib.Path(seen).read_bytes() == (folder / name).read_bytes(), f"Python finds our {name} offline")
        report = self.python("ours", "r = scan_cache_dir(); print(len(r.warnings), [x.repo_id for x in r.repos])")
        check(report == "0 ['org/name']", "Python scans our cache without a warning")

        before = self.file_requests()
        answer = json.loads(self.command("theirs", "fetch", "org/name", "--format", "json"))
        check(all(file["was_cached"] for file in answer["files"]), "we find what Python downloaded")
        check(self.file_requests() == before, "and ask for no file again")
        tokens = self.command("theirs", "tokenize", "--model", "org/name", "--format", "jsonl", "a", HF_HUB_OFFLINE="1")
        check(json.loads(tokens)["ids"] == [2, 4, 3], "offline, too")

        self.locks()
        self.command("ours", "push", str(folder), "org/pushed-by-us", "--create")
        self.python("theirs", "api = HfApi(); api.create_repo('org/pushed-by-them')\n"
                    f"api.upload_folder(repo_id='org/pushed-by-them', folder_path={str(folder)!r})")
        models = self.root / "models/org"
        pushed = [{path.relative_to(models / name).as_posix(): path.read_bytes()
                   for path in (models / name).rglob("*") if path.is_file()}
                  for name in ("pushed-by-us", "pushed-by-them")]
        check(len(pushed[0]) == 5 and pushed[0] == pushed[1], "both pushes leave the same repository")

    def locks(self):
        lock = next((self.root / "ours/hub/.locks/models--org--name").glob("????*.lock"))
        blob = self.root / "ours/hub/models--org--name/blobs" / lock.stem
        blob.unlink()
        holder = subprocess.Popen([sys.executable, "-c", "import filelock, sys, time\n"
                                   f"with filelock.FileLock({str(lock)!r}): print('held', flush=True); sys.stdin.read()"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        holder.stdout.readline()
        waiting = subprocess.Popen([self.program, "fetch", "org/name", "--include", "*"], env=self.environment("ours"),
                                   stdout=subprocess.DEVNULL)
        time.sleep(1)
        check(waiting.poll() is None and not blob.exists(), "we wait for a lock that Python holds")
        holder.communicate(b"")
        check(waiting.wait() == 0 and blob.exists(), "and go on when it is gone")


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build/bin/transformeter").resolve()
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        folder = make_repository(root)
        server = subprocess.Popen([sys.executable, SOURCE / "tests/support/hub_server.py", root], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        try:
            port = server.stdout.readline().split()[0]
            Exchange(str(program), root, f"http://127.0.0.1:{port}").run(folder)
        except subprocess.CalledProcessError as error:
            sys.exit(f"{error.cmd}: {error.stderr}")
        finally:
            server.kill()


if __name__ == "__main__":
    main()
