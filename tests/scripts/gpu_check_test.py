"""scripts/gpu_check: with a command that records its calls and fails where it is told to."""
import ast
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import tarfile
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/gpu_check"

# The command in the test's place. Its store is a line for each run; one case of each run is invalid where told so.
COMMAND = f"""#!{sys.executable} -IS
import os, sys
here = os.path.dirname(sys.argv[0])
arguments = sys.argv[1:]
open(here + "/calls", "a").write(repr(arguments) + "\\n")
value = lambda option: arguments[arguments.index(option) + 1]
if arguments[:2] == ["run", "--help-all"]:
    print("  --attention KERNEL  which; one of auto, sdpa, eager, cudnn; takes\\n   a comma list\\n"
          "  --precision P  one of auto, fp32, bf16, int8; takes a list",
          " --graphs on|off" if os.environ.get("GRAPHS") else "")
elif arguments[0] == "run":
    print("measured", value("--name"))
    open(value("--store"), "a").write(value("--name") + "\\n")
    sys.exit(9 if value("--name") == os.environ.get("FAILING") else 0)
elif arguments[0] == "show":
    verdict = '"invalid", "reasons": [{{"name": "numerics"}}]' if arguments[1] == os.environ.get("INVALID") else \\
        '"valid", "reasons": []'
    print('{{"runs": [{{"cases": [{{"status": "ok", "verdict": {{"status": ' + verdict + '}},'
          '"metrics": [{{"name": "divergence", "value": 0.25}}]}},'
          '{{"status": null, "verdict": {{"status": null, "reasons": []}}, "metrics": []}}]}}]}}')
elif arguments[0] == "export":
    open(value("--output"), "w").write("exported\\n")
"""


def load():
    loader = importlib.machinery.SourceFileLoader("gpu_check", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
    sys.modules["gpu_check"] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


def is_alive(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in "ZX"  # dead ones may wait to be reaped by the system


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.command = self.folder / "transformeter"
        self.command.write_text(COMMAND)
        self.command.chmod(0o755)
        self.script = load()
        self.out = self.folder / "out"

    def check(self, *arguments, **environment):
        """Exit code and what was printed."""
        os.environ.update(environment)
        self.addCleanup(lambda: [os.environ.pop(name) for name in environment])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                code = self.script.main(["--command", str(self.command), "--out", str(self.out), *arguments])
            except SystemExit as end:
                code = end.code
        return code, printed.getvalue()

    def runs(self):
        """The settings of each run by its name, in order."""
        calls = [ast.literal_eval(line) for line in (self.folder / "calls").read_text().splitlines()]
        runs = {}
        for call in calls:
            if call[0] == "run" and "--name" in call:
                start = next(i for i, word in enumerate(call) if word.startswith("--"))
                settings = dict(zip(call[start::2], call[start + 1::2]))
                self.assertEqual(2 * len(settings), len(call) - start, "an option is given twice: " + str(call))
                runs[settings["--name"]] = settings
        return runs

    def steps(self):
        """Its runs, in order."""
        return [*self.script.checks_of_kernels(["fp32"], ["sdpa"]), *self.script.measurements({})]

    def test_a_failing_step_stops_nothing_and_shows_in_table_archive_and_exit_code(self):
        code, printed = self.check("--device", "cpu", FAILING="kernels-gpt2")
        self.assertEqual(code, 1)
        names = list(self.runs())
        self.assertEqual(names[0], "kernels-bert")
        self.assertEqual(names[-1], "padding-largest")
        rows = {line.split()[0]: line.split() for line in printed.splitlines() if len(line.split()) > 2}
        self.assertEqual(rows["kernels-gpt2"][1], "9")
        self.assertEqual(rows["kernels-llama"][1], "0")
        with tarfile.open(self.out / "gpu-check.tar.gz") as tar:
            held = {pathlib.PurePath(name).name: tar.extractfile(name).read().decode() for name in tar.getnames()}
        self.assertEqual(held["gpu.db"].split(), names)
        self.assertEqual(held["results.jsonl"], "exported\n")
        self.assertIn(" ".join(rows["kernels-gpt2"]), " ".join(held["summary.txt"].split()))
        for name in names:
            self.assertIn(f"measured {name}\n", held["log.txt"])

    def test_exit_code_0_wants_every_step_and_verdict_to_be_good(self):
        code, printed = self.check("--device", "cpu")
        self.assertEqual(code, 0)
        self.assertNotIn("--graphs", self.runs()["latency"])
        self.assertIn("1 ok, 1 pending; largest divergence 0.25", printed)

    def test_an_invalid_case_is_told_and_is_a_failure(self):
        code, printed = self.check("--device", "cpu", INVALID="kernels-llama")
        self.assertEqual(code, 1)
        self.assertEqual(printed.count("1 invalid: numerics"), 1)

    def test_only_what_the_command_knows_is_asked_and_on_the_device_named(self):
        code, printed = self.check("--device", "cuda:1", PATH="/nonexistent", GRAPHS="yes")
        self.assertEqual(code, 1)
        self.assertRegex(printed, r"nvidia-smi +127 .*cannot be started")
        runs = self.runs()
        self.assertEqual(runs["kernels-bert"]["--attention"], "eager,sdpa,cudnn")
        self.assertEqual(runs["kernels-bert"]["--precision"], "fp32,bf16")
        self.assertEqual(runs["latency"]["--graphs"], "on,off")
        self.assertEqual({one["--device"] for one in runs.values()}, {"cuda:1"})
        self.assertEqual({one["--store"] for one in runs.values()}, {str(self.out / "gpu.db")})

    def test_shares_of_time_follow_weights_and_what_one_leaves_goes_to_the_next(self):
        self.check("--device", "cpu", "--minutes", "10")
        budgets = {name: float(one["--time-budget"].rstrip("s")) for name, one in self.runs().items()}
        whole, weights = 600 - self.script.CLOSING_S, [step.weight for step in self.steps()]
        # A busy machine takes some of the minutes for itself; the fake takes none.
        self.assertLessEqual(budgets["kernels-bert"], whole * weights[0] / sum(weights) + 0.5)
        self.assertGreater(budgets["kernels-bert"], 0.7 * whole * weights[0] / sum(weights))
        self.assertGreater(budgets["padding-largest"], 0.7 * whole)

    def test_a_step_that_goes_on_is_stopped_with_its_children(self):
        self.out.mkdir()
        check = self.script.Check([str(self.command)], "cpu", 1, self.out)
        self.addCleanup(check.log.close)
        self.script.ENDED_WITHIN_S = 0.2
        start = time.monotonic()
        code, outcome = check.wait_for(["/bin/sh", "-c", "trap '' INT; echo $$; sleep 30 & echo $!; wait"], 0.3)
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual((code, outcome), (-9, "stopped after 0 s"))
        pids = (self.out / "log.txt").read_text().split()
        self.assertEqual(len(pids), 2)
        while time.monotonic() - start < 10 and any(map(is_alive, pids)):
            time.sleep(0.01)  # a kill takes a moment
        self.assertFalse(any(map(is_alive, pids)))

    def test_without_time_left_a_step_is_not_begun(self):
        self.out.mkdir()
        check = self.script.Check([str(self.command)], "cpu", 0.3, self.out)
        self.addCleanup(check.log.close)
        steps = [self.script.run_step("long", 1), self.script.run_step("short", 9)]
        self.script.SHORTEST_S = 1
        with contextlib.redirect_stdout(io.StringIO()):
            check.do_all(steps)
        self.assertEqual([step.outcome for step in steps], ["no time left", ""])

    def test_bad_input_is_refused_before_anything_runs(self):
        self.assertEqual(self.check("--device", "tpu"), (3, "gpu_check: device 'tpu' is not cpu, cuda or cuda:N\n"))
        self.assertEqual(self.check("--minutes", "0.5"), (3, "gpu_check: minutes '0.5' is not 1 or more\n"))
        self.out.mkdir()
        (self.out / "gpu.db").write_text("")
        code, printed = self.check()
        self.assertEqual(code, 3)
        self.assertIn("is not empty", printed)
        self.assertFalse((self.folder / "calls").exists())


if __name__ == "__main__":
    unittest.main()
