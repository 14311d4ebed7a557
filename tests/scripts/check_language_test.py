"""scripts/check_language on small trees with one phrase each, and on the project's own README and docs."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_language"
WORDS = """# a remark
foreign load => background load
cases? of the plan is so => no case in the plan matches
skip: docs/old.md
"""


class CheckLanguage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("words.txt", WORDS)
        self.write("README.md", "Nothing to find.\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def check(self, *paths):
        return subprocess.run([sys.executable, SCRIPT, "--root", self.root, "--words", self.root / "words.txt", *paths],
                              capture_output=True, text=True, check=False)

    def assert_finds(self, *faults):
        result = self.check()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines(), list(faults))

    def assert_clean(self, *paths):
        result = self.check(*paths)
        self.assertEqual((result.returncode, result.stdout.split(":")[0]), (0, "check_language"), result.stdout + result.stderr)

    def test_a_phrase_is_named_with_its_place_and_a_better_one(self):
        self.write("docs/a.md", "# Title\n\nMuch Foreign load here.\n")
        self.assert_finds("docs/a.md:3: 'foreign load': better: background load")

    def test_a_phrase_may_span_lines(self):
        self.write("docs/a.md", "no case of the\nplan is so\n")
        self.assert_finds("docs/a.md:1: 'case of the plan is so': better: no case in the plan matches")

    def test_comments_and_literals_of_sources_are_looked_at(self):
        self.write("src/a.cpp", 'int a;\n// much foreign\n// load\nf("no cases of "\n  "the plan is so", R"(foreign load)");\n')
        self.assert_finds("src/a.cpp:2: 'foreign load': better: background load",
                          "src/a.cpp:4: 'cases of the plan is so': better: no case in the plan matches",
                          "src/a.cpp:5: 'foreign load': better: background load")

    def test_code_is_not_text(self):
        self.write("src/a.cpp", 'int foreign; load(foreign load);\nchar quote = \'"\';\nint foreign\nload;\n"x" + foreign + "load";\n')
        self.assert_clean()

    def test_comments_of_plans_and_examples_are_looked_at(self):
        self.write("share/plans/a.yaml", "# foreign\n# load\nmodel: x\n")
        self.write("examples/x/CMakeLists.txt", "# foreign load\n")
        self.assert_finds("share/plans/a.yaml:1: 'foreign load': better: background load",
                          "examples/x/CMakeLists.txt:1: 'foreign load': better: background load")

    def test_stored_names_and_longer_words_pass(self):
        self.write("docs/a.md", "`foreign load` and foreign_load, a foreign loader, unforeign load, foreign load-time\n")
        self.assert_clean()

    def test_fenced_output_in_markdown_is_looked_at(self):
        self.write("docs/a.md", "```\ndoubtful: foreign load\n```\n")
        self.assert_finds("docs/a.md:2: 'foreign load': better: background load")

    def test_quoted_uses_pass(self):
        self.write("docs/a.md", "Not foreign load. <!-- language: allow -->\n<!-- language: off -->\nforeign load\n"
                                "<!-- language: on -->\n")
        self.write("src/a.cpp", '"foreign load";  // language: allow\n')
        self.assert_clean()

    def test_after_a_quoted_passage_phrases_are_found_again(self):
        self.write("docs/a.md", "language: off\nlanguage: on\nforeign load\n")
        self.assert_finds("docs/a.md:3: 'foreign load': better: background load")

    def test_files_that_are_left_out_pass(self):
        self.write("docs/old.md", "foreign load\n")
        self.assert_clean()
        self.assert_clean("docs/old.md")

    def test_given_paths_alone_are_looked_at(self):
        self.write("docs/a.md", "foreign load\n")
        self.assert_clean("README.md")
        self.assertEqual(self.check("docs").returncode, 1)

    def test_a_path_outside_the_root_is_named_in_full(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "a.md"
            page.write_text("foreign load\n", encoding="utf-8")
            result = self.check(page)
        self.assertEqual((result.returncode, result.stdout.split(":")[0]), (1, page.as_posix()), result.stderr)

    def test_bad_input_is_an_error(self):
        for words, error in (("Foreign => x\n", "words.txt:1: 'Foreign => x'"), ("foreign\n", "words.txt:1"),
                             ("foreign =>\n", "words.txt:1"), ("a( => b\n", "'a(' is no regular expression"),
                             ("# none\n", "no phrases")):
            self.write("words.txt", words)
            result = self.check()
            self.assertEqual(result.returncode, 3, words)
            self.assertIn(error, result.stderr)
        self.write("words.txt", WORDS)
        result = self.check("nowhere")
        self.assertEqual(result.returncode, 3)
        self.assertIn("nowhere", result.stderr)

    def test_the_projects_list_holds_the_phrases_that_began_it(self):
        for phrase in ("what makes weights of gradients", "fast our best; sets what else is auto",
                       "longest measuring of one replicate", "left out for want of width",
                       "such results would not belong together", "no case of the plan is so",
                       "say where a training's time goes", "the arm that speed-up and memory saved refer to",
                       "ids as Hugging Face's", "foreign load"):
            self.write("docs/a.md", phrase + "\n")
            result = subprocess.run([sys.executable, SCRIPT, "--root", self.root], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1, phrase)
            self.assertIn("docs/a.md:1:", result.stdout)

    def test_the_projects_readme_and_docs_pass(self):
        result = subprocess.run([sys.executable, SCRIPT, "README.md", "docs", "share", "examples"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
