"""scripts/change_base in small repositories with commits of known dates."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEWEST = 1_700_000_000
HOUR = 3600


class ChangeBase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/change_base", self.root / "scripts")
        self.git("init", "--quiet")

    def git(self, *arguments, seconds=NEWEST):
        date = f"{seconds} +0000"
        environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, env=environment, check=True,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, seconds):
        self.git("commit", "--quiet", "--allow-empty", "--message", "x", seconds=seconds)
        return self.git("rev-parse", "HEAD")

    def change_base(self, **environment):
        inherited = {name: value for name, value in os.environ.items() if name != "CHANGE_BASE"}
        return subprocess.run([self.root / "scripts/change_base"], env={**inherited, **environment}, check=False,
                              capture_output=True, text=True)

    def test_is_the_last_commit_eight_hours_before_the_newest(self):
        self.commit(NEWEST - 20 * HOUR)
        base = self.commit(NEWEST - 9 * HOUR)
        self.commit(NEWEST - 7 * HOUR)
        self.commit(NEWEST)
        self.assertEqual(self.change_base().stdout.strip(), base)

    def test_is_the_empty_tree_where_the_history_is_shorter(self):
        self.commit(NEWEST)
        base = self.change_base().stdout.strip()
        self.assertEqual(self.git("ls-tree", base), "")

    def test_is_the_revision_asked_for(self):
        first = self.commit(NEWEST - HOUR)
        self.commit(NEWEST)
        self.assertEqual(self.change_base(CHANGE_BASE="HEAD~1").stdout.strip(), first)

    def test_refuses_an_unknown_revision(self):
        self.commit(NEWEST)
        done = self.change_base(CHANGE_BASE="nowhere")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no revision 'nowhere'; set CHANGE_BASE to one, or unset it", done.stderr)


if __name__ == "__main__":
    unittest.main()
