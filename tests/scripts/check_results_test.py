"""scripts/oracle/check_results.py on small results: which shares of a peak it expects."""
import math
import pathlib
import sys
import unittest

try:
    import numpy as np
    import scipy  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: the oracle needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/oracle"))

import check_results

TIMES = [1.0, 1.5, 0.5, 1.25, 0.75, 1.0, 1.5, 0.5, 1.25, 0.75]  # 10 in 10 s
WORK = {"useful_flops": 80.0, "processed_flops": 100.0, "weight_bytes_read": 50.0}  # of each sample, so per second


def series(name, values):
    return {"name": name, "value": values, "flags": [0] * len(values), "index": [0] * len(values), "examples": [],
            "useful_tokens": [], "processed_tokens": []}


def case_with(peaks, rows):
    replicate = {"status": "ok", "steady_from": 0,
                 "series": [series("latency", TIMES)] + [series(name, [value]) for name, value in WORK.items()]}
    return {"id": "c", "replicates": [replicate], "metrics": rows,
            "settings": {"effective": {"peaks": peaks}, "requested": {}}}


def row(name, value, low=None, high=None):
    return {"name": name, "statistic": "ratio", "value": value, "low": low, "high": high,
            "interval": "none" if low is None else "single_window"}


class Shares(unittest.TestCase):
    def faults(self, peaks, rows):
        rate = check_results.oracle.rate(np.full(len(TIMES), WORK["useful_flops"]), TIMES)
        checker = check_results.Checker("x", case_with(peaks, rows + [row("throughput_flops", *rate)]))
        checker.check_efficiency()
        return checker.faults

    def share(self, name, series_name, peak):
        rate = check_results.oracle.rate(np.full(len(TIMES), WORK[series_name]), TIMES)
        value, low, high = (field / peak for field in rate)
        return row(name, value, low, min(high, 1.0))

    def test_a_high_end_is_cut_off_at_the_peak(self):
        useful, processed = self.share("mfu", "useful_flops", 101), self.share("hfu", "processed_flops", 101)
        self.assertEqual(processed["high"], 1.0)
        self.assertEqual(self.faults({"gemm": {"value": 101}}, [useful, processed]), [])
        processed["high"] = 1.2
        self.assertEqual(len(self.faults({"gemm": {"value": 101}}, [useful, processed])), 1)

    def test_the_interval_holds_the_peaks(self):
        peak = {"value": 150, "low": 145, "high": 155}
        shares = [self.share("mfu", "useful_flops", 150), self.share("hfu", "processed_flops", 150)]
        self.assertEqual(len(self.faults({"gemm": peak}, shares)), 4)  # both ends of both
        for one in shares:
            value = one["value"]
            below = math.hypot(1 - one["low"] / value, 155 / 150 - 1)
            above = math.hypot(one["high"] / value - 1, 1 - 145 / 150)
            one["low"], one["high"] = value * (1 - below), value * (1 + above)
        self.assertEqual(self.faults({"gemm": peak}, shares), [])

    def test_both_shares_of_a_peak_are_null_when_one_rate_is_above_it(self):
        nulls = [row("mfu", None), row("hfu", None)]
        self.assertEqual(self.faults({"gemm": {"value": 90}}, nulls), [])
        useful = self.share("mfu", "useful_flops", 90)
        self.assertIn("mfu", self.faults({"gemm": {"value": 90}}, [useful, nulls[1]])[0])

    def test_a_peak_that_was_exceeded_or_disturbed_has_no_shares(self):
        for peak in ({"value": 200, "exceeded": True}, {"value": 200, "foreign_load": 0.06}):
            self.assertEqual(self.faults({"gemm": peak, "read_bandwidth": peak},
                                         [row("mfu", None), row("hfu", None), row("bandwidth_share", None)]), [])
        shares = [self.share("mfu", "useful_flops", 200), self.share("hfu", "processed_flops", 200)]
        for peak in ({"value": 200, "exceeded": False}, {"value": 200, "foreign_load": 0.05}, {"value": 200, "foreign_load": None}):
            self.assertEqual(self.faults({"gemm": peak}, shares), [])

    def test_one_peak_says_nothing_about_the_other(self):
        rows = [row("mfu", None), row("hfu", None), self.share("bandwidth_share", "weight_bytes_read", 60)]
        self.assertEqual(self.faults({"gemm": {"value": 90}, "read_bandwidth": {"value": 60}}, rows), [])

    def test_the_skipped_share_is_of_padded_rows(self):
        for value, faults in ((0.2, 0), (0.25, 1)):
            case = case_with({}, [row("throughput_flops", *check_results.oracle.rate(np.full(len(TIMES), 80.0), TIMES)),
                                  row("skipped_share", value)])
            case["replicates"][0]["series"].append(series("padded_flops", [125.0]))
            checker = check_results.Checker("x", case)
            checker.check_efficiency()
            self.assertEqual(len(checker.faults), faults, checker.faults)

    def test_of_training_steps_they_follow_the_same_rule(self):
        case = case_with({"gemm": {"value": 90}}, [row("mfu", None), row("hfu", None)])
        case["settings"]["requested"]["scenario"] = "train"
        case["replicates"][0]["series"] += [series("useful_step_flops", [80.0] * len(TIMES)),
                                            series("processed_step_flops", [100.0] * len(TIMES))]
        checker = check_results.Checker("x", case)
        checker.check_step_costs(0.0)
        self.assertEqual(checker.faults, [])
        self.assertEqual(checker.checked, 2)


if __name__ == "__main__":
    unittest.main()
