"""The table of docs/measurement.md: every rule but the gate's names tests, and these exist."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/measurement.md").read_text(encoding="utf-8")
DECLARED = re.compile(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)


def declared_tests():
    found = set()
    for source in (ROOT / "tests").rglob("*_test.cpp"):
        found |= {f"{suite}.{name}" for suite, name in DECLARED.findall(source.read_text(encoding="utf-8"))}
    return found


class Table(unittest.TestCase):
    def test_names_tests_that_exist(self):
        tests = declared_tests()
        self.assertGreater(len(tests), 1000)
        named = re.findall(r"`[a-z_]+\.([A-Z]\w+\.\w+)`", PAGE)
        self.assertGreater(len(named), 40)
        self.assertEqual([name for name in named if name not in tests], [])

    def test_has_a_row_for_every_rule(self):
        rules = {int(number) for number in re.findall(r"^(\d+)\. ", PAGE, re.MULTILINE)}
        rows = {int(number) for number in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
        self.assertEqual(rules - rows, {12}, "there is no gate yet")


if __name__ == "__main__":
    unittest.main()
