"""Paired comparison of transformeter-worker with the same model in Python PyTorch.

Both programs are started once and asked for blocks of batches in turn, in quads A B B A, so that drift of the machine
falls on both alike (docs/metrics.md, comparing). The statistic is the mean of the quads' log-ratios of time per batch
(ours / Python's) with a 95 % t interval; below 1 we are faster. Same threads, same allocator, same weights, same ids.
"""
import argparse
import json
import math
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROTOCOL_VERSION = 1


def peer_server(folder, batch, length, precision):
    """The Python arm: reads a number of batches per line, answers with their times as JSON."""
    import torch
    from transformers import DistilBertForSequenceClassification

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    model = DistilBertForSequenceClassification.from_pretrained(folder, dtype=dtype, attn_implementation="sdpa").eval()
    ids = torch.randint(5, 1000, (batch, length), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    with torch.inference_mode():
        model(input_ids=ids, attention_mask=mask)
        print(json.dumps({"ready": True, "torch": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
        for line in sys.stdin:
            times = []
            for _ in range(int(line)):
                begin = time.perf_counter()
                model(input_ids=ids, attention_mask=mask)
                times.append(time.perf_counter() - begin)
            print(json.dumps(times), flush=True)


class Peer:
    def __init__(self, folder, batch, length, precision, environment):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", folder, str(batch), str(length), precision],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.info = json.loads(self.process.stdout.readline())
        self.first_result_s = time.monotonic() - self.started

    def block(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Worker:
    """The C++ arm, over the session protocol (src/protocol/messages.h)."""

    def __init__(self, path, folder, batch, length, precision, environment):
        self.socket, theirs = socket.socketpair()
        spawned_at_ns = time.monotonic_ns()
        self.process = subprocess.Popen([str(path), "--connect", f"fd:{theirs.fileno()}"],
                                        pass_fds=[theirs.fileno()], env=environment)
        theirs.close()
        self.receive()
        settings = {"model": folder, "task": "sequence_classification", "data": "bundled", "batch_size": batch,
                    "sequence_length": length, "limit": "all", "seed": 0, "precision": precision, "attention": "sdpa",
                    "attention_mask": "on", "device": "cpu"}
        prepared = self.ask({"type": "prepare", "settings": settings, "spawned_at_ns": spawned_at_ns,
                             "memory_limit_bytes": None, "own_pids": [os.getpid()]})
        self.effective = prepared["effective"]
        warmed = self.ask({"type": "warm", "count": None})
        self.kernel = warmed["effective"]["attention_kernel"]
        self.first_result_s = next(s["value"][0] for s in warmed["series"] if s["name"] == "cold_start")

    def send(self, header):
        text = json.dumps(header).encode()
        self.socket.sendall(struct.pack("<4sIQQ", b"TMTR", PROTOCOL_VERSION, len(text), 0) + text)

    def read(self, size):
        parts = b""
        while len(parts) < size:
            part = self.socket.recv(size - len(parts))
            if not part:
                raise SystemExit("bench_peers: the worker closed the session")
            parts += part
        return parts

    def receive(self):
        _, _, header_size, blob_size = struct.unpack("<4sIQQ", self.read(24))
        message = json.loads(self.read(header_size))
        blob = self.read(blob_size)
        if message["type"] == "failed":
            raise SystemExit(f"bench_peers: the worker failed: {message['reason']}")
        offset = 0
        for series in message.get("series", []):
            for column in series["columns"]:
                code = {"value": "d", "start_s": "d", "flags": "I"}.get(column, "q")
                size = series["count"] * (4 if code == "I" else 8)
                series[column] = struct.unpack(f"<{series['count']}{code}", blob[offset:offset + size])
                offset += size
        return message

    def ask(self, header):
        self.send(header)
        return self.receive()

    def block(self, count):
        self.send({"type": "measure", "exactly": count, "limit_s": 1e9, "limit_is_hard": False, "cycle_batches": None})
        times = []
        while True:
            message = self.receive()
            if message["type"] == "measured":
                return times
            times += message["series"][0].get("value", ())

    def close(self):
        self.ask({"type": "teardown"})
        self.process.wait()


def interval(values):
    from scipy import stats
    n = len(values)
    mean = sum(values) / n
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    half = stats.t.ppf(0.975, n - 1) * deviation / math.sqrt(n)
    return mean, mean - half, mean + half


def foreign_busy():
    """Busy seconds of all CPUs since boot."""
    fields = [int(v) for v in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def compare(ours, peer, quads, count):
    ours.block(count)
    peer.block(count)
    ratios, our_times, peer_times = [], [], []
    for quad in range(quads):
        order = "ABBA" if quad % 2 == 0 else "BAAB"
        totals = {"A": 0.0, "B": 0.0}
        for arm in order:
            times = (ours if arm == "A" else peer).block(count)
            totals[arm] += sum(times)
            (our_times if arm == "A" else peer_times).extend(times)
        ratios.append(math.log(totals["A"] / totals["B"]))
    mean, low, high = interval(ratios)
    return {"ratio": math.exp(mean), "low": math.exp(low), "high": math.exp(high), "quads": quads,
            "ours_s": sorted(our_times)[len(our_times) // 2], "peer_s": sorted(peer_times)[len(peer_times) // 2]}


def save_model(folder):
    import torch
    from transformers import DistilBertConfig, DistilBertForSequenceClassification
    torch.manual_seed(0)
    DistilBertForSequenceClassification(DistilBertConfig()).save_pretrained(folder)
    (pathlib.Path(folder) / "vocab.txt").write_bytes((ROOT / "share/texts/vocab.txt").read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", default=str(ROOT / "build/bin/transformeter-worker"))
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--precision", default="fp32,bf16")
    parser.add_argument("--quads", type=int, default=8)
    parser.add_argument("--block", type=int, default=1, help="batches in a block")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cold-starts", type=int, default=5, help="pairs of process start to first result")
    options = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), HF_HUB_OFFLINE="1")
    with tempfile.TemporaryDirectory() as folder:
        save_model(folder)
        print(f"DistilBERT-base, {options.threads} threads, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.2f}")
        for precision in options.precision.split(","):
            arms = (folder, options.batch, options.length, precision, environment)
            ours, peer = Worker(options.worker, *arms), Peer(*arms)
            busy, begin = foreign_busy(), time.monotonic()
            result = compare(ours, peer, options.quads, options.block)
            load = (foreign_busy() - busy) / (time.monotonic() - begin)
            print(f"batch {options.batch} length {options.length} {precision}: time ratio ours/Python "
                  f"{result['ratio']:.4f} (95 % {result['low']:.4f} to {result['high']:.4f}, {result['quads']} quads), "
                  f"medians {result['ours_s'] * 1e3:.1f} and {result['peer_s'] * 1e3:.1f} ms, kernel {ours.kernel}, "
                  f"torch {peer.info['torch']}, {load:.2f} CPUs busy")
            ours.close()
            peer.close()
        starts = {"ours": [], "Python": []}
        for _ in range(options.cold_starts):
            arms = (folder, 1, 128, "fp32", environment)
            worker = Worker(options.worker, *arms)
            starts["ours"].append(worker.first_result_s)
            worker.close()
            peer = Peer(*arms)
            starts["Python"].append(peer.first_result_s)
            peer.close()
        for name, values in starts.items():
            if values:
                print(f"process start to first result, {name}: median {sorted(values)[len(values) // 2]:.3f} s, "
                      f"min {min(values):.3f}, max {max(values):.3f}, n {len(values)}")


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "--serve":
        peer_server(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        main()
