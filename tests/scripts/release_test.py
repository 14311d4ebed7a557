"""scripts/release on a small repository with programs of its own: what it makes, and what it refuses."""
import hashlib
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """#!/bin/sh
case "$1" in
  --version) echo "transformeter 9.8.7 (COMMIT)" ;;
  man) [ -n "$2" ] && echo "page of $2" || echo '.BR transformeter\\\\-run (1)' ;;
esac
"""


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "project"
        for name in ("scripts", "docs", "share"):
            (self.root / name).mkdir(parents=True)
        for script in ("release", "man_pages"):
            shutil.copy(ROOT / "scripts" / script, self.root / "scripts" / script)
        for name in ("docs/page.md", "share/prices.yaml", "README.md", "CHANGELOG.md", "LICENSE"):
            (self.root / name).write_text(f"{name}\n")
        (self.root / ".gitignore").write_text("/build/\n/release*\n")
        self.git("init", "-q")
        self.commit("first")

    def git(self, *arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(("git", *identity, *arguments), cwd=self.root, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        binaries = self.root / "build/bin"
        binaries.mkdir(parents=True, exist_ok=True)
        commit = self.git("rev-parse", "--short=12", "HEAD")
        for name in ("transformeter", "transformeter-worker"):
            (binaries / name).write_text(PROGRAM.replace("COMMIT", commit))
            (binaries / name).chmod(0o755)
        # A script has no symbols: what is stripped is the tests' affair no more than which compiler made it.
        tools = self.root / "build/tools"
        tools.mkdir(exist_ok=True)
        (tools / "strip").write_text("#!/bin/sh\n")
        (tools / "strip").chmod(0o755)

    def release(self, *arguments):
        path = f"{self.root / 'build/tools'}:/usr/local/bin:/usr/bin:/bin"
        return subprocess.run((self.root / "scripts/release", *arguments), capture_output=True, text=True,
                              env={"PATH": path})

    def names(self, archive):
        with tarfile.open(archive) as tar:
            return {member.name for member in tar.getmembers() if member.isfile()}

    def test_holds_sources_programs_pages_and_docs_with_their_sums(self):
        result = self.release()
        self.assertEqual(result.returncode, 0, result.stderr)
        made = self.root / "release"
        sums = dict(reversed(line.split()) for line in (made / "SHA256SUMS").read_text().splitlines())
        archives = {path.name for path in made.iterdir()} - {"SHA256SUMS"}
        self.assertEqual(set(sums), archives)
        for name in archives:
            self.assertEqual(hashlib.sha256((made / name).read_bytes()).hexdigest(), sums[name])
        self.assertIn("transformeter-9.8.7/scripts/release", self.names(made / "transformeter-9.8.7-source.tar.gz"))
        docs = self.names(made / "transformeter-9.8.7-docs.tar.gz")
        self.assertLessEqual({"transformeter-9.8.7/docs/page.md", "transformeter-9.8.7/man/man1/transformeter-run.1"},
                             docs)
        programs = self.names(next(made.glob("*-linux-*.tar.gz")))
        self.assertLessEqual({"transformeter-9.8.7/bin/transformeter-worker",
                              "transformeter-9.8.7/share/transformeter/prices.yaml"}, programs)

    def test_equal_commits_give_equal_bytes(self):
        self.release()
        first = (self.root / "release/SHA256SUMS").read_text()
        (self.root / "docs/page.md").touch()
        self.assertEqual(self.release("--output", "release-2").returncode, 0)
        self.assertEqual((self.root / "release-2/SHA256SUMS").read_text(), first)

    def refused(self, why, *arguments):
        result = self.release(*arguments)
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn(why, result.stderr)

    def test_packs_what_is_committed_alone(self):
        for name in ("docs/draft.md", "share/local.yaml"):
            (self.root / name).write_text("not committed\n")
        self.assertEqual(self.release().returncode, 0)
        for archive in (self.root / "release").glob("*.tar.gz"):
            self.assertFalse([name for name in self.names(archive) if "draft" in name or "local" in name])

    def test_refuses_what_would_not_be_the_committed_version(self):
        (self.root / "docs/page.md").write_text("changed\n")
        self.refused("not committed")
        self.git("commit", "-qam", "second")
        self.refused("build them again")
        (self.root / "docs/page.md").write_text("changed again\n")
        self.commit("third")
        worker = self.root / "build/bin/transformeter-worker"
        worker.write_text(PROGRAM.replace("COMMIT", "0123456789ab"))
        self.refused("transformeter-worker' is of commit (0123456789ab)")
        self.assertFalse((self.root / "release").exists())

    def test_replaces_releases_on_request_and_nothing_else(self):
        (self.root / "release").mkdir()
        self.refused("exists")
        self.refused("is no release", "--force")
        (self.root / "release").rmdir()
        self.assertEqual(self.release().returncode, 0)
        self.refused("exists")
        (self.root / "release/thesis.txt").write_text("mine\n")
        self.refused("thesis.txt", "--force")
        self.assertEqual((self.root / "release/thesis.txt").read_text(), "mine\n")
        (self.root / "release/thesis.txt").unlink()
        self.assertEqual(self.release("--force").returncode, 0)

    def test_says_what_is_not_built_and_what_it_does_not_know(self):
        self.refused("is not built", "--binaries", "nowhere")
        self.refused("unknown argument", "--fast")


if __name__ == "__main__":
    unittest.main()
