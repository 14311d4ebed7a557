"""scripts/sweep without either program: intervals of a median, coverage, what is read, what is asked, tables."""
import json
import math
import pathlib
import random
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from sweep import medians, programs, report
from sweep.medians import Case, Estimate

SITE = programs.Site(pathlib.Path("/b"), pathlib.Path("/v/bin/python"), pathlib.Path("/m"), 2, ("--slices", "8"))


class IntervalOfMedian(unittest.TestCase):
    def test_five_values_are_too_few(self):
        # 1 − 2 ÷ 2^5 = 0.9375 for the extremes of five values, 1 − 2 ÷ 2^6 = 0.96875 for those of six.
        for count in range(6):
            self.assertIsNone(medians.interval_of_median([1.0] * count))
        self.assertEqual(medians.interval_of_median([6, 1, 5, 2, 4, 3]), (1, 6))

    def test_ranks_are_those_of_published_tables(self):
        # The sign test's two-sided 5 % table: k = 2 for 10 values, 6 for 20, 18 for 50; both ranks count from their end.
        for count, rank in ((8, 1), (9, 2), (10, 2), (20, 6), (25, 8), (50, 18)):
            low, high = medians.interval_of_median(list(range(1, count + 1)))
            self.assertEqual((low, high), (rank, count + 1 - rank), count)

    def test_one_rank_more_would_cover_less_than_95_percent(self):
        for count in (6, 17, 100, 333):
            low, _ = medians.interval_of_median(list(range(1, count + 1)))

            def covered(rank):
                return 1 - 2 * sum(math.comb(count, below) for below in range(rank)) / 2**count

            self.assertGreaterEqual(covered(low), 0.95)
            self.assertLess(covered(low + 1), 0.95)

    def test_thousands_of_values_are_no_trouble(self):
        low, high = medians.interval_of_median(list(range(3000)))
        # The normal approximation: ranks 1500 ∓ 1.96 √3000 ÷ 2.
        self.assertAlmostEqual(low, 1500 - 0.98 * math.sqrt(3000), delta=2)
        self.assertAlmostEqual(high, 1500 + 0.98 * math.sqrt(3000), delta=2)

    def test_it_covers_the_median_of_skewed_draws(self):
        draw = random.Random(1)
        truth = math.log(2)  # of the exponential distribution
        intervals = [medians.interval_of_median([draw.expovariate(1) for _ in range(30)]) for _ in range(2000)]
        share = sum(low <= truth <= high for low, high in intervals) / len(intervals)
        # 30 values have rank 10, which covers 0.957; three standard errors of 2000 trials are 0.014.
        self.assertAlmostEqual(share, 0.957, delta=0.014)


def estimate(median, low=None, high=None, verdict=None, reasons=()):
    return Estimate(median, low, high, 10, verdict, reasons)


class Coverage(unittest.TestCase):
    def test_an_interval_is_held_to_the_median_of_the_medians(self):
        runs = [estimate(1, 0.9, 1.1, "valid"), estimate(2, 1.5, 2.5, "valid"), estimate(3, 2, 4, "doubtful")]
        found = medians.coverage(runs)  # the grand median is 2; ends count
        self.assertEqual((found.grand_median_s, found.covered, found.runs), (2, 2, 3))
        self.assertEqual((found.valid, found.valid_covered), (2, 1))
        # Half-widths 0.1, 0.25 and 1 ÷ 3.
        self.assertAlmostEqual(found.half_width_ratio, 0.25)

    def test_no_interval_covers_nothing(self):
        found = medians.coverage([estimate(1), estimate(1)])
        self.assertEqual((found.covered, found.half_width_ratio), (0, None))

    def test_samples_give_the_median_and_its_interval(self):
        found = medians.estimate_of_samples([3, 1, 2, 6, 5, 4])
        self.assertEqual((found.median_s, found.low_s, found.high_s, found.samples), (3.5, 1, 6, 6))


def our_case(batch_size, length, value=0.01, statistic="median"):
    others = {"name": "latency", "statistic": "mean", "value": 9, "low": 9, "high": 9, "n": 1, "interval": "none"}
    metric = {**others, "statistic": statistic, "value": value, "low": 0.009, "high": 0.011, "n": 40,
              "interval": "between_slices"}
    return {"settings": {"requested": {"batch_size": batch_size, "sequence_length": length}}, "metrics": [others, metric],
            "verdict": {"status": "doubtful", "reasons": [{"name": "drift", "detail": "..."}]}}


def their_benchmark(batch_size, length):
    shapes = {"batch_size": batch_size, "sequence_length": length}
    return {"config": {"scenario": {"input_shapes": shapes, "iterations": 10, "duration": 10, "warmup_runs": 10}},
            "report": {"forward": {"latency": {"values": [0.02] * 10}}}}


ALL_SHAPES = [(batch_size, length) for length in (128, 64) for batch_size in (8, 1, 4)]


class Reading(unittest.TestCase):
    def test_ours_is_the_median_latency_in_the_order_of_the_cases(self):
        found = programs.our_estimates({"cases": [our_case(*shape) for shape in ALL_SHAPES]})
        self.assertEqual(list(found), programs.CASES)
        self.assertEqual(found[Case(4, 64)],
                         Estimate(0.01, 0.009, 0.011, 40, "doubtful", ("drift",), "between_slices"))

    def test_a_case_without_a_median_is_missing(self):
        cases = [our_case(*shape) for shape in ALL_SHAPES[1:]] + [our_case(8, 128, value=None)]
        with self.assertRaisesRegex(programs.Failed, "transformeter did not measure batch 8, length 128"):
            programs.our_estimates({"cases": cases})

    def test_theirs_are_told_apart_by_their_configuration(self):
        found = programs.their_estimates([their_benchmark(*shape) for shape in ALL_SHAPES])
        self.assertEqual(list(found), programs.CASES)
        self.assertEqual(found[Case(1, 128)], Estimate(0.02, 0.02, 0.02, 10))
        with self.assertRaisesRegex(programs.Failed, "optimum-benchmark did not measure .*batch 8, length 128"):
            programs.their_estimates([their_benchmark(1, 64)])


class Commands(unittest.TestCase):
    def test_both_are_asked_for_the_same_cases(self):
        ours = programs.our_command(SITE, pathlib.Path("/r.db"))
        self.assertEqual(ours[ours.index("--batch-size") + 1], "1,4,8")
        self.assertEqual(ours[ours.index("--sequence-length") + 1], "64,128")
        self.assertEqual(ours[-2:], ["--slices", "8"])
        theirs = programs.their_command(SITE, pathlib.Path("/f"))
        self.assertEqual(theirs[-2:], ["scenario.input_shapes.batch_size=1,4,8",
                                       "scenario.input_shapes.sequence_length=64,128"])

    def test_threads_and_caches_are_the_sweeps_own(self):
        with mock.patch.dict("os.environ", {"OMP_NUM_THREADS": "9", "XDG_CACHE_HOME": "/elsewhere", "LANG": "C"}):
            found = programs.environment(2, pathlib.Path("/f"))
        self.assertEqual((found["OMP_NUM_THREADS"], found["XDG_CACHE_HOME"], found["LANG"]), ("2", "/f/cache", "C"))

    def test_a_program_that_fails_leaves_its_output(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(programs.Failed, "sh ended with 3; its output is in '.*log.txt'"):
                programs._timed(["/bin/sh", "-c", "echo why; exit 3"], SITE, pathlib.Path(folder))
            self.assertEqual((pathlib.Path(folder) / "log.txt").read_text(), "why\n")


def repetition(ours_s, theirs_s, covers=True):
    low = 0.009 if covers else 0.0102
    ours = {case: estimate(0.01, low, 0.011, "valid" if covers else "doubtful", () if covers else ("drift",))
            for case in programs.CASES}
    theirs = {case: estimate(0.02) for case in programs.CASES}
    facts = {"iterations": 10, "duration": 10, "warmup_runs": 10}
    return report.Repetition(True, programs.Sweep(ours_s, 0.01, ours), programs.Sweep(theirs_s, 0.02, theirs, facts))


ABOUT = {"date": "2026-01-01", "versions": {"torch": "2"}, "threads": 2, "our_version": "transformeter 0",
         "run_options": []}


class Tables(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_repetitions_ratios(self):
        table = report.wall_table([repetition(30, 60), repetition(30, 100), repetition(40, 50)])
        self.assertEqual(table[-1], "| 3 | 30.0 (30.0–40.0) | 60.0 (50.0–100.0) | 0.50 (0.30–0.80) | 0.02 (0.02–0.02) |")

    def test_one_repetition_has_no_range(self):
        self.assertEqual(report.wall_table([repetition(30, 60)])[-1], "| 1 | 30.0 | 60.0 | 0.50 | 0.02 |")

    def test_a_row_for_each_case_and_the_sums(self):
        table = report.case_table([repetition(30, 60), repetition(30, 60, covers=False)])
        self.assertEqual(len(table), 2 + 6 + 1)
        # Half-widths of 0.001 and 0.0004 of 0.01: 7 % in the middle. Theirs have no interval.
        self.assertEqual(table[2], "| 1 | 64 | 10.00 | ± 7.0 % | 1 of 2 | 1 of 2 | 20.00 | none | 0 of 2 |")
        self.assertEqual(table[-1], "| all |  |  |  | 6 of 12 | 6 of 12 |  |  | 0 of 12 |")

    def test_the_notes_state_defaults_and_count_reasons(self):
        found = "\n".join(report.notes([repetition(30, 60), repetition(30, 60, covers=False)], ABOUT))
        self.assertIn("10 warm-up passes, then at least 10 passes and 10 s", found)
        self.assertIn("Of the valid rows of ours, 6 of 6 hold it.", found)
        self.assertIn("not valid: drift 6.", found)

    def test_files_hold_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            report.write([repetition(30, 60)], ABOUT, pathlib.Path(folder))
            found = json.loads((pathlib.Path(folder) / "sweep.json").read_text())
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), ["sweep.json", "sweep.md"])
        one = found["repetitions"][0]
        self.assertEqual((one["ours"]["wall_s"], one["theirs"]["wall_s"]), (30, 60))
        self.assertEqual(one["ours"]["cases"][5]["batch_size"], 8)
        self.assertEqual(one["ours"]["cases"][5]["high_s"], 0.011)


if __name__ == "__main__":
    unittest.main()
