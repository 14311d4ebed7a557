"""The worker and scripts/peers speak the same protocol: a whole session with the real worker. Usage: ... WORKER"""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from peers.session import Session  # noqa: E402

WORKER = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else pathlib.Path("build/bin/transformeter-worker")
SETTINGS = {"model": "bert-test", "task": "sequence_classification", "scenario": "batch", "data": "bundled",
            "batch_size": 2, "sequence_length": 16, "limit": 8, "seed": 0, "precision": "fp32", "attention": "sdpa",
            "attention_mask": "on", "device": "cpu"}
STEPS = {"optimizer": "adamw", "learning_rate": 1e-3, "gradient_accumulation": 1, "gradient_checkpointing": "off",
         "weight_decay": 0.01, "max_gradient_norm": 1.0, "label_smoothing": 0.0, "dropout": "off", "loader_threads": 0}


class PeersSession(unittest.TestCase):
    def setUp(self):
        self.session = Session(WORKER, dict(os.environ), subprocess.DEVNULL)
        self.addCleanup(self.session.close)

    def prepare(self, settings):
        return self.session.ask({"type": "prepare", "settings": settings, "spawned_at_ns": self.session.spawned_at_ns,
                                 "memory_limit_bytes": None, "own_pids": []})["effective"]

    def test_measures_passes_again_and_again_and_gives_their_outputs(self):
        self.prepare(SETTINGS)
        self.session.ask({"type": "warm", "count": None})
        for count in (3, 2):
            self.assertEqual(len(self.session.measure(count)["latency"]), count)
        first = self.session.ask({"type": "evaluate", "score": False, "outputs": {
            "inputs": [], "attention_mask": True, "plain": False, "fewest_inputs": 2, "most_inputs": 2, "most_tokens": 64,
            "most_values": 64, "limit_tokens": 64}}, "evaluating")["outputs"]
        again = self.session.outputs(first["keys"])
        self.assertEqual(sorted(again["keys"]), sorted(first["keys"]))
        self.assertEqual(len(again["values"]), sum(again["rows"]) * again["width"])

    def test_measures_steps_of_training(self):
        self.prepare({**SETTINGS, **STEPS, "scenario": "train"})
        self.session.ask({"type": "warm", "count": 1})
        self.assertEqual(len(self.session.measure(2)["loss"]), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
