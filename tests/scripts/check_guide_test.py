"""scripts/check_guide on small pages and programs made of shell."""
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_guide"
PROGRAM = """#!/bin/sh
case "$1" in
  run) echo "batch  median      result"; echo "----  ------  ------"; echo "    8  12.5 ms ± 2 %  ok, valid"; echo done ;;
  env) echo "hub offline: $HF_HUB_OFFLINE, home empty: $(ls -A "$HOME" | wc -l), folder: $(basename "$PWD")" ;;
  fail) echo "went wrong" >&2; exit 3 ;;
esac
"""


class CheckGuide(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("transformeter", "transformeter-worker"):
            program = self.root / name
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(0o755)

    def check(self, page, *options):
        guide = self.root / "guide.md"
        guide.write_text(page, encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPT, "--guide", guide, "--binaries", self.root, *options],
                              capture_output=True, text=True, check=False)

    def assert_ok(self, page):
        result = self.check(page)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_fails(self, page, *words):
        result = self.check(page)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stderr + result.stdout)

    def test_output_as_shown_passes(self):
        self.assert_ok("Text\n```console\n$ transformeter run\nbatch  median  result\n...\ndone\n```\n")

    def test_numbers_units_and_verdicts_may_differ(self):
        self.assert_ok("```console\n$ transformeter run\nbatch median result\n    8  1.7 s ± 13.4 %  ok, doubtful\n```\n")

    def test_a_word_that_is_not_printed_fails_with_its_line(self):
        self.assert_fails("\n```console\n$ transformeter run\nbatch mean result\n```\n",
                          "guide.md:3: line 4 of the page", "'batch mean result'", "| batch  median")

    def test_another_order_fails(self):
        self.assert_fails("```console\n$ transformeter run\ndone\nbatch median result\n```\n", "line 4")

    def test_a_line_may_be_a_beginning(self):
        self.assert_ok("```console\n$ transformeter run\nbatch median ...\n```\n")
        self.assert_fails("```console\n$ transformeter run\nbatch mean ...\n```\n", "line 3")

    def test_an_unexpected_exit_code_fails(self):
        self.assert_fails("```console\n$ transformeter fail\n```\n", "exit code 3 instead of 0", "went wrong")
        self.assert_fails("```console\n$ transformeter run  # exit code 1\n```\n", "exit code 0 instead of 1")
        self.assert_ok("```console\n$ transformeter fail  # exit code 3\nwent wrong\n```\n")

    def test_a_failure_in_a_pipe_fails(self):
        self.assert_fails("```console\n$ transformeter fail | cat\n```\n", "exit code 3")

    def test_commands_continue_and_share_a_folder(self):
        self.assert_ok("```console\n$ ls share/texts/vocab.txt\nshare/texts/vocab.txt\n$ cat > a.txt <<'END'\n> one\n>\n> two\n> END\n```\n\n"
                       "```console\n$ cat \\\n>   a.txt\none\ntwo\n```\n")

    def test_commands_see_no_hub_and_an_empty_home(self):
        self.assert_ok("```console\n$ transformeter env | sed 's/1/yes/; s/0/none/'\n"
                       "hub offline: yes, home empty: none, folder: work\n```\n")

    def test_other_blocks_are_not_run(self):
        self.assert_ok("```sh\nexit 1\n```\n```\nexit 1\n```\n```console\n$ true\n```\n")

    def test_pages_that_cannot_be_run_are_bad_input(self):
        for page, error in (("Text\n", "no ```console block"), ("```console\nout\n```\n", "output before a command"),
                            ("```console\n```\n", "without a command"), ("```console\n$ true\n", "no end")):
            result = self.check(page)
            self.assertEqual(result.returncode, 3, page)
            self.assertIn(error, result.stderr)

    def test_a_timeout_ends_all_that_a_command_has_started(self):
        page = "```console\n$ echo begun; sleep 20 | cat; true\n```\n"
        begin = time.monotonic()
        result = self.check(page, "--timeout", "0.5")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertIn("not done after 0.5 s", result.stderr)
        self.assertIn("| begun", result.stdout)

    def test_without_a_worker_it_is_skipped(self):
        (self.root / "transformeter-worker").unlink()
        self.assertEqual(self.check("```console\n$ false\n```\n").returncode, 77)


if __name__ == "__main__":
    unittest.main()
