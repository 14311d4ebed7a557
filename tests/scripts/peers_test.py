"""scripts/peers without any peer: schedule, intervals, order of inputs, outputs compared, frames, tables."""
import math
import os
import pathlib
import struct
import sys
import time
import unittest
from unittest import mock

try:
    import numpy  # noqa: F401
    import scipy  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: comparing outputs needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from peers import (correctness, engines, estimates, launch, measure, noise, our_order, ours, report, schedule,
                   session, workloads)
from peers.arms import Arm, peer_arms
from peers.engines.base import NotThere

BY_NAME = {workload.name: workload for workload in workloads.WORKLOADS}


class Schedule(unittest.TestCase):
    def check_square(self, count):
        rows = schedule.williams_square(count)
        repeats = len(rows) // count
        for place in range(count):
            self.assertEqual(sorted(row[place] for row in rows), sorted(list(range(count)) * repeats))
        followers = sorted(pair for row in rows for pair in zip(row, row[1:]))
        wanted = sorted([(a, b) for a in range(count) for b in range(count) if a != b] * repeats)
        self.assertEqual(followers, wanted)

    def test_each_arm_stands_in_each_place_and_follows_each_other_equally_often(self):
        for count in range(2, 13):
            with self.subTest(count=count):
                self.check_square(count)

    def test_each_round_has_every_arm_once(self):
        arms = ["a", "b", "c", "d", "e"]
        rounds = schedule.orders(arms, 23)
        self.assertEqual(len(rounds), 23)
        for order in rounds:
            self.assertEqual(sorted(order), arms)

    def test_whole_squares_are_balanced_whatever_the_letters(self):
        rounds = schedule.orders(["a", "b", "c", "d"], 8, seed=5)
        for place in range(4):
            self.assertEqual(sorted(order[place] for order in rounds), sorted("abcd" * 2))

    def test_the_seed_decides(self):
        arms = list("abcdef")
        self.assertEqual(schedule.orders(arms, 12, 1), schedule.orders(arms, 12, 1))
        self.assertNotEqual(schedule.orders(arms, 12, 1), schedule.orders(arms, 12, 2))

    def test_one_arm_and_none(self):
        self.assertEqual(schedule.orders(["a"], 3), [["a"]] * 3)
        self.assertEqual(schedule.orders([], 3), [])


class Estimates(unittest.TestCase):
    def test_the_estimate_is_the_geometric_mean_of_the_rounds_ratios(self):
        ratio = estimates.ratio_of([1, 4, 2], [2, 2, 2])  # 1/2, 2, 1: product 1
        self.assertAlmostEqual(ratio.estimate, 1)
        self.assertEqual(ratio.rounds, 3)

    def test_two_rounds_have_the_interval_of_one_degree_of_freedom(self):
        # Logs ±ln 2: deviation √2·ln 2, so the half-width is t·ln 2; with one degree t is the tangent of 0.475 π.
        ratio = estimates.ratio_of([2, 1], [1, 2])
        t = math.tan(0.475 * math.pi)
        self.assertAlmostEqual(math.log(ratio.high), t * math.log(2), places=6)
        self.assertAlmostEqual(math.log(ratio.low), -t * math.log(2), places=6)

    def test_swapping_the_sides_inverts_the_ratio(self):
        ours, theirs = [1.0, 1.2, 1.1, 1.05], [2.0, 2.1, 1.9, 2.2]
        there, back = estimates.ratio_of(ours, theirs), estimates.ratio_of(theirs, ours)
        self.assertAlmostEqual(there.estimate, 1 / back.estimate)
        self.assertAlmostEqual(there.low, 1 / back.high)

    def test_one_round_has_no_interval(self):
        ratio = estimates.ratio_of([1], [4])
        self.assertEqual((ratio.estimate, ratio.low, ratio.high), (0.25, None, None))

    def test_rounds_that_do_not_pair_are_refused(self):
        with self.assertRaisesRegex(ValueError, "1 and 2 rounds"):
            estimates.ratio_of([1], [1, 2])


class OurOrder(unittest.TestCase):
    def test_the_generator_is_split_mix_64(self):
        stream = our_order.RandomStream(0, "")
        stream._state = 1234567  # the published test vector of this seed
        self.assertEqual([stream.next() for _ in range(3)],
                         [6457827717110365317, 3203168211198807973, 9817491932198370423])

    def test_the_worker_undoes_the_order_of_the_rows(self):
        texts = [f"text {i}" for i in range(101)]
        rows = our_order.rows_for(texts, seed=7)
        self.assertEqual([rows[row] for row in our_order.order_of(101, seed=7)], texts)
        self.assertNotEqual(rows, texts)


class Correctness(unittest.TestCase):
    def setUp(self):
        import numpy

        self.numpy = numpy

    def rows(self, *values):
        return [self.numpy.array(one, dtype=float) for one in values]

    def test_divergence_is_the_mean_square_difference_over_the_references_scale(self):
        # The scale of 1, −1, 1, −1 is 1; differences are 0.1 in each place.
        check = correctness.compare(self.rows([1.1, -0.9], [1.1, -0.9]), self.rows([1, -1], [1, -1]), "fp32")
        self.assertAlmostEqual(check.divergence, 0.1)
        self.assertTrue(check.is_wrong)
        self.assertFalse(correctness.compare(self.rows([1.01, -0.99]), self.rows([1, -1]), "bf16").is_wrong)

    def test_the_scale_is_taken_about_zero(self):
        # √((3² + 4²) ÷ 2) = 3.5355, where the spread about the mean is 0.5; differences are 0.1.
        check = correctness.compare(self.rows([3.1, 4.1]), self.rows([3, 4]), "bf16")
        self.assertAlmostEqual(check.divergence, 0.1 / math.sqrt(12.5))

    def test_answers_that_are_all_zero_are_wrong_in_every_precision(self):
        for precision in workloads.PRECISIONS:
            self.assertTrue(correctness.compare(self.rows([0, 0]), self.rows([3, 4]), precision).is_wrong)

    def test_tolerances_are_those_of_the_benchmarks_page(self):
        text = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8").replace("\n", " ")
        for precision, tolerance in correctness.TOLERANCES.items():
            self.assertIn(f"{tolerance:g} ({precision})".replace("0.0001", "1e-4"), text)

    def test_numbers_that_are_none_and_other_shapes_are_wrong(self):
        reference = self.rows([1, -1])
        self.assertTrue(correctness.compare(self.rows([math.nan, -1]), reference, "int8").is_wrong)
        self.assertTrue(correctness.compare(self.rows([1, -1, 0]), reference, "int8").is_wrong)
        with self.assertRaisesRegex(ValueError, "nothing to compare"):
            correctness.compare([], reference, "fp32")

    def test_rows_of_padding_are_left_out(self):
        batch = self.numpy.arange(12).reshape(1, 3, 4)
        self.assertEqual(correctness.flat_rows([batch], [2])[0].tolist(), list(range(8)))
        self.assertEqual(correctness.flat_rows([self.numpy.ones((1, 2))], [2])[0].tolist(), [1, 1])


class Frames(unittest.TestCase):
    def test_columns_are_read_in_their_order(self):
        blob = struct.pack("<2d2q2I", 0.5, 1.5, 3, -4, 1, 2)
        series = [{"count": 2, "columns": ["value", "index", "flags"]}]
        self.assertEqual(session.decode_columns(series, blob), len(blob))
        self.assertEqual((series[0]["value"], series[0]["index"], series[0]["flags"]), ([0.5, 1.5], [3, -4], [1, 2]))

    def test_outputs_end_where_series_begin(self):
        blob = struct.pack("<2q2q4f", 11, 12, 1, 1, 1, 2, 3, 4)
        outputs = {"width": 2, "inputs": 2, "values": 4}
        self.assertEqual(session.decode_outputs(outputs, blob + b"rest"), len(blob))
        self.assertEqual((outputs["keys"], outputs["rows"]), ([11, 12], [1, 1]))
        self.assertEqual(list(outputs["values"]), [1, 2, 3, 4])


    def test_the_protocol_is_the_workers(self):
        header = (ROOT / "src/shared/schema/channel.h").read_text(encoding="utf-8")
        self.assertIn(f"kProtocolVersion = {session.PROTOCOL_VERSION};", header)


class OurArms(unittest.TestCase):
    CAPABILITIES = {"values": {"precision": ["fp32"], "attention": ["sdpa", "eager"]},
                    "engines": {"fast": {"attention": "eager", "streams": "threads", "batching": "packed",
                                         "weights": {"int8": "a", "generate": "b", "else": "c"}}}}

    def settings(self, asked, precision="fp32", workload="sst2"):
        return ours.settings_of(ours.OurArm("x", asked), BY_NAME[workload], precision, self.CAPABILITIES, 4)

    def test_a_named_engine_chooses_what_the_arm_leaves_open(self):
        chosen = self.settings({"engine": "fast", "batching": "padded"})
        self.assertEqual((chosen["attention"], chosen["streams"], chosen["batching"]), ("eager", 4, "padded"))
        self.assertEqual(self.settings({})["attention"], "sdpa")

    def test_a_choice_goes_by_the_precision_then_by_the_scenario(self):
        asked = {"engine": "fast"}
        self.assertEqual(self.settings(asked, "int8", "qwen2")["weights"], "a")
        self.assertEqual(self.settings(asked, "fp32", "qwen2")["weights"], "b")
        self.assertEqual(self.settings(asked, "fp32")["weights"], "c")
        nested = {"int8": {"generate": "a", "else": "b"}, "else": "c"}
        self.assertEqual([ours.chosen(nested, *of) for of in (("int8", "generate"), ("int8", "batch"), ("fp32", "batch"))],
                         ["a", "b", "c"])

    def test_what_the_worker_cannot_do_is_a_reason(self):
        reason = lambda *asked, **more: ours.why_not(self.settings(*asked, **more), self.CAPABILITIES)
        self.assertIsNone(reason({"engine": "fast"}))
        self.assertEqual(reason({"engine": "auto"}), "the worker has no engine 'auto'")
        self.assertEqual(reason({}, precision="bf16"), "the worker has no precision 'bf16'")
        self.assertEqual(reason({}, workload="qwen2"), "the worker knows no scenario but batch")

    def test_all_tokens_stand_beside_the_needed_ones_where_that_differs(self):
        all_tokens = next(arm for arm in ours.OUR_ARMS if arm.name == "ours-fast-all-tokens")
        fast = next(arm for arm in ours.OUR_ARMS if arm.name == "ours-fast")
        self.assertEqual(all_tokens.settings, {**fast.settings, "head_tokens": "all"})
        self.assertEqual(all_tokens.allocator, fast.allocator)
        both = [workload.name for workload in workloads.WORKLOADS
                if all_tokens.is_for(workload, workload.precisions[0])]
        self.assertEqual(both, ["distilbert-b1", "distilbert-b8", "distilbert-b32", "sst2", "sst2-sorted", "qwen2"])

    def test_names_are_unique_and_allocators_known(self):
        names = [arm.name for arm in ours.OUR_ARMS]
        self.assertEqual(len(set(names)), len(names))
        for arm in ours.OUR_ARMS:
            self.assertIn(arm.allocator, launch.ALLOCATORS)


class Peers(unittest.TestCase):
    def test_an_allocator_is_named_behind_a_colon(self):
        self.assertEqual(peer_arms(["hf-sdpa:glibc_raised", "openvino"]),
                         [Arm("hf-sdpa:glibc_raised", "glibc_raised"), Arm("openvino", "glibc")])

    def test_unknown_names_say_what_is_known(self):
        with self.assertRaisesRegex(SystemExit, "unknown peer 'tvm'; known: hf-eager"):
            peer_arms(["tvm"])
        with self.assertRaisesRegex(SystemExit, "unknown allocator 'tcmalloc'; known: glibc"):
            peer_arms(["openvino:tcmalloc"])

    def test_a_package_that_is_not_there_is_a_reason(self):
        engine = engines.all_engines()["openvino"]
        with mock.patch.object(type(engine), "packages", ("no-such-package-here",)):
            self.assertEqual(engine.missing(), "not installed: no-such-package-here")
            reason = Arm("openvino", "glibc").why_not(BY_NAME["distilbert-b1"], "fp32")
        self.assertEqual(reason, "not installed: no-such-package-here")

    def test_the_callers_allocator_does_not_reach_an_arm(self):
        with mock.patch.dict(os.environ, {"LD_PRELOAD": "libother.so", "PATH": "/bin"}):
            environment = launch.environment("glibc", 2)
        self.assertNotIn("LD_PRELOAD", environment)
        self.assertEqual((environment["PATH"], environment["OMP_NUM_THREADS"]), ("/bin", "2"))


class Noise(unittest.TestCase):
    def test_what_neither_arms_nor_the_script_used_is_foreign(self):
        # Two seconds: of 3 busy seconds 1 is the active arm's, 0.5 an idle arm's, 0.1 the script's.
        own = {1: iter([5, 6]), 2: iter([7, 7.5]), os.getpid(): iter([1, 1.1])}
        with mock.patch.object(noise.time, "monotonic", side_effect=[10, 12]), \
                mock.patch.object(noise, "machine_busy_s", side_effect=[100, 103]), \
                mock.patch.object(noise, "process_busy_s", side_effect=lambda pid: next(own[pid])):
            seen = noise.Watch(1, [2]).stop()
        self.assertAlmostEqual(seen.foreign_cpus, (3 - 1 - 0.5 - 0.1) / 2)
        self.assertAlmostEqual(seen.idle_arm_cpus, 0.25)

    def test_a_process_has_the_time_its_own_clock_says(self):
        self.assertAlmostEqual(noise.process_busy_s(os.getpid()), time.process_time(), delta=0.1)

    def test_idle_arms_count_as_disturbance(self):
        self.assertTrue(noise.Disturbance(0, 0.2, 1).exceeds(0.1))
        self.assertTrue(noise.Disturbance(0.2, 0, 1).exceeds(0.1))
        self.assertFalse(noise.Disturbance(0.1, 0.1, 9).exceeds(0.1))


class FakeProcess:
    """An arm whose pass takes what the test says; nothing sleeps."""

    def __init__(self, name, seconds, pid):
        self.name, self.pid, self._seconds = name, pid, list(seconds)

    def passes(self, count):
        if not self._seconds:
            raise NotThere("gone")
        return {"forward": [self._seconds.pop(0)] * count}

    def close(self):
        pass


class Rounds(unittest.TestCase):
    def comparison(self, ours_s, peer_s, rounds, reruns, disturbed_above):
        arms = [Arm("ours", "glibc", ours.OUR_ARMS[-1]), Arm("openvino", "glibc")]
        results = [measure.ArmResult(arm) for arm in arms]
        pid = os.getpid()
        live = [measure._Live(results[0], FakeProcess("ours", ours_s, pid), 1),
                measure._Live(results[1], FakeProcess("openvino", peer_s, pid), 1)]
        options = measure.Options(rounds, reruns, 0.5, disturbed_above, tell=lambda text: None)
        comparison = measure.Comparison(BY_NAME["distilbert-b1"], "fp32", results)
        measure.Measurement(None, comparison.workload, "fp32", options)._rounds(comparison, live)
        return comparison

    def test_values_of_one_round_are_paired(self):
        comparison = self.comparison([1, 2, 3], [2, 4, 6], 3, 0, math.inf)
        ratio = comparison.ratio(*comparison.arms, "forward")
        self.assertAlmostEqual(ratio.estimate, 0.5)
        self.assertAlmostEqual(ratio.high, 0.5)
        self.assertEqual(comparison.arms[0].median_s("forward"), 2)

    def test_an_arm_that_gives_up_is_left_out_and_the_others_go_on(self):
        comparison = self.comparison([1, 1, 1, 1], [2], 2, 0, math.inf)
        self.assertIn("gave up while measuring: gone", comparison.arms[1].skipped)
        self.assertEqual(len(comparison.arms[0].rounds), 2)
        self.assertFalse(comparison.arms[1].is_measured)

    def test_disturbed_rounds_are_measured_again_up_to_the_limit_and_then_told(self):
        comparison = self.comparison([9, 9, 1, 1], [9, 9, 2, 2], 2, 2, -1)  # every block exceeds −1
        self.assertEqual((comparison.rerun_rounds, comparison.disturbed_rounds), (2, 2))
        self.assertEqual([one["forward"] for one in comparison.arms[0].rounds], [1, 1])
        self.assertIn("2 rounds in the table are DISTURBED", "\n".join(report.notes(comparison)))

    def test_a_block_of_generation_holds_whole_passes(self):
        # 0.1 s for the prompt and 31 further tokens of 0.05 s: 1.65 s a pass, 3 of them in 5 s.
        process = mock.Mock()
        process.passes.return_value = {"prefill": [0.1], "decode": [0.05]}
        options = measure.Options(1, 0, 5, math.inf)
        asked = measure.Measurement(None, BY_NAME["qwen2"], "fp32", options)._passes_in_a_block(process)
        self.assertEqual(asked, 3)

    def test_a_wrong_arm_shows_no_speed(self):
        comparison = self.comparison([1, 1], [2, 2], 2, 0, math.inf)
        comparison.arms[1].check = correctness.Check(0.5, 16, 1e-4)
        measure_ = comparison.workload.measures[0]
        table = report.rows(comparison, measure_)
        self.assertEqual(table[0], ["arm", "forward, median ms", "divergence", "ours ÷ it (95 %)"])
        self.assertEqual(table[1], ["ours", "1000", "not compared", "–"])
        self.assertEqual(table[2], ["openvino", "wrong", "5.0e-01 WRONG", "–"])
        self.assertEqual(report._comparison_json(comparison)["ratios"], [])
        comparison.arms[1].check = correctness.Check(1e-6, 16, 1e-4)
        self.assertEqual(report.rows(comparison, measure_)[2], ["openvino", "2000", "1.0e-06",
                                                                "0.500 (0.500–0.500)"])
        self.assertEqual([(one["ours"], one["peer"]) for one in report._comparison_json(comparison)["ratios"]],
                         [("ours", "openvino")])

    def test_a_wrong_arm_of_ours_has_no_ratio_to_anyone(self):
        comparison = self.comparison([1, 1], [2, 2], 2, 0, math.inf)
        comparison.arms[0].check = correctness.Check(0.5, 16, 1e-4)
        table = report.rows(comparison, comparison.workload.measures[0])
        self.assertEqual(table[1], ["ours", "wrong", "5.0e-01 WRONG", "–"])
        self.assertEqual(table[2], ["openvino", "2000", "not compared", "–"])
        document = report._comparison_json(comparison)
        self.assertEqual(document["ratios"], [])
        self.assertEqual(document["arms"][0]["check"]["divergence"], 0.5)


if __name__ == "__main__":
    unittest.main()
