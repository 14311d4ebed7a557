"""scripts/check_headers and scripts/check_tidy with --changed, in small repositories."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ChangedFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("scripts", "src", "include", "bin"):
            (self.root / name).mkdir()
        for name in ("check_headers", "check_tidy"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        self.program("scripts/change_base", "echo ${BASE:-HEAD}")
        for name in ("clang-tidy", "clang++", "cmake"):  # none is needed to tell what changed
            self.program("bin/" + name, "exit 0")
        (self.root / "src/a.h").write_text("#pragma once\n", encoding="utf-8")
        self.git("init", "--quiet")
        self.git("add", "src")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "x")

    def program(self, name, line):
        (self.root / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (self.root / name).chmod(0o755)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def check(self, script, **environment):
        path = f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run([self.root / "scripts" / script, "--changed"], env={**os.environ, "PATH": path, **environment},
                              capture_output=True, text=True, check=False)

    def test_nothing_is_checked_where_nothing_changed(self):
        for script, message in (("check_headers", "no header changed since HEAD"), ("check_tidy", "nothing changed since HEAD")):
            done = self.check(script)
            self.assertEqual(done.returncode, 0, script + done.stderr)
            self.assertIn(message, done.stdout)

    def test_a_git_that_fails_is_not_taken_for_no_change(self):
        for script in ("check_headers", "check_tidy"):
            done = self.check(script, BASE="nowhere")
            self.assertEqual(done.returncode, 3, script + done.stdout)
            self.assertIn("git cannot tell what changed since nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
