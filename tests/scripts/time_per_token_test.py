"""scripts/time_per_token: which settings make a table, and what a cell says."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/time_per_token"


def load():
    loader = importlib.machinery.SourceFileLoader("time_per_token", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("time_per_token", loader))
    loader.exec_module(module)
    return module


def case(requested, value=1000.0, status="ok", verdict="valid"):
    metric = {"name": "throughput_useful_tokens", "value": value, "low": None, "high": None, "reason": "too few"}
    return {"status": status, "verdict": {"status": verdict}, "metrics": [metric], "settings": {"requested": requested}}


class Tables(unittest.TestCase):
    def setUp(self):
        self.script = load()

    def cases(self, **more):
        """Two engines by two precisions by two batches, with what the engines choose."""
        found = []
        for engine in ("pytorch", "fast"):
            for precision in ("fp32", "bf16"):
                for batch in (1, 4):
                    fast = {"batching": "packed", "streams": 2, "weights": "prepacked"}
                    plain = {"batching": "padded", "streams": 1, "weights": "plain"}
                    found.append(case({"engine": engine, "precision": precision, "batch_size": batch,
                                       "sequence_length": 16, **(fast if engine == "fast" else plain), **more}))
        return found

    def test_engine_and_precision_make_a_table_and_not_what_they_choose(self):
        tables = self.script.tables(self.cases())
        self.assertEqual(list(tables), ["engine pytorch, precision fp32", "engine pytorch, precision bf16",
                                        "engine fast, precision fp32", "engine fast, precision bf16"])
        self.assertEqual(tables["engine fast, precision fp32"], {(16, 1): "1000.0", (16, 4): "1000.0"})

    def test_a_setting_of_the_users_own_makes_tables_too(self):
        tables = self.script.tables(self.cases(attention="sdpa") + self.cases(attention="eager"))
        self.assertEqual(len(tables), 8)
        self.assertIn("attention eager, engine fast, precision fp32", tables)

    def test_one_engine_and_precision_need_no_name(self):
        self.assertEqual(list(self.script.tables(self.cases()[:2])), ["all cases"])

    def test_a_cell_says_what_is_not_valid_or_missing(self):
        self.assertEqual(self.script.cell(case({}, verdict="doubtful")), "1000.0 ?")
        self.assertEqual(self.script.cell(case({}, value=None)), "too few")
        self.assertEqual(self.script.cell(case({}, status="out_of_memory")), "out_of_memory")


if __name__ == "__main__":
    unittest.main()
