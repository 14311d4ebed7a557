"""scripts/check_layers on small trees with one fault each, and on the project's own table."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_layers"
TABLE = """# Architecture
| word | meaning |
|---|---|
| model | something |

| folder | holds | may include |
|---|---|---|
| `src/base` | error | – |
| `src/terms` | words | – |
| `src/spec` | spec | – |
| `src/data` | data | spec |
| `src/store` | store | data |
| — with LibTorch, linked by the worker only — | | |
| `src/model` | modules | data |
| `src/worker` | session | all of the above except store |
| — without LibTorch, the command — | | |
| `src/cli` | command | anything without LibTorch |

After the table.
"""


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/architecture.md", TABLE)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def run_script(self, *arguments, root=None):
        command = [sys.executable, str(SCRIPT), "--root", str(root or self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def expect_fault(self, path, text, *fragments):
        self.write(path, text)
        result = self.run_script()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)

    def test_allows_what_the_table_allows_directly_transitively_and_always(self):
        self.write("src/store/a.cpp", '#include <vector>\n#include "store/a.h"\n#include "data/b.h"\n'
                                      '#include "spec/c.h"\n#include "base/d.h"\n#include "terms/e.h"\n')
        self.write("src/worker/a.cpp", '#include <ATen/ATen.h>\n#include "model/a.h"\n#include "spec/b.h"\n')
        self.write("src/cli/main.cpp", '#include "store/a.h"\n')
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_refuses_an_upward_include_with_place_and_what_is_allowed(self):
        self.expect_fault("src/spec/a.h", '// text\n#include "data/b.h"\n', "src/spec/a.h:2", '"data/b.h"', "base, terms")

    def test_base_may_include_nothing_and_terms_only_base(self):
        self.expect_fault("src/base/a.h", '#include "terms/b.h"\n', "may include only nothing")
        self.write("src/base/a.h", "")
        self.write("src/terms/a.h", '#include "base/b.h"\n')
        self.assertEqual(self.run_script().returncode, 0)

    def test_refuses_what_all_of_the_above_excepts(self):
        self.expect_fault("src/worker/a.cpp", '#include "store/a.h"\n', "'worker' may include only")

    def test_the_command_may_not_include_the_part_with_libtorch(self):
        self.expect_fault("src/cli/a.cpp", '#include "model/a.h"\n', '"model/a.h"')

    def test_refuses_libtorch_headers_in_brackets_or_quotes(self):
        for include in ("<ATen/ATen.h>", "<torch/torch.h>", "<c10/core/Device.h>", '"ATen/ATen.h"'):
            self.expect_fault("src/spec/a.h", f"  #  include {include}\n", "LibTorch")

    def test_refuses_unknown_folders(self):
        self.expect_fault("src/utils/a.h", "", "'utils' is no folder")

    def test_refuses_an_include_of_an_unknown_folder_the_public_headers_among_them(self):
        self.expect_fault("src/spec/a.h", '#include "transformeter/b.h"\n', "'transformeter' is no folder")

    def test_refuses_includes_without_folder_and_own_headers_in_brackets(self):
        self.expect_fault("src/spec/a.h", '#include "b.h"\n', '"spec/b.h"')
        self.expect_fault("src/spec/a.h", "#include <base/b.h>\n", "quotes")

    def test_holds_cmake_to_the_table(self):
        self.expect_fault("src/CMakeLists.txt", "transformeter_layer(spec DEPENDS base data LINK fmt::fmt)\n",
                          "'spec' DEPENDS on 'data'")

    def test_reports_a_broken_table_as_bad_input(self):
        for bad, message in (("no table", "no table"), (TABLE.replace("| spec |\n", "| sepc |\n"), "sepc"),
                             (TABLE.replace("| spec | – |", "| spec | store |"), "cycle")):
            self.write("docs/architecture.md", bad)
            result = self.run_script()
            self.assertEqual(result.returncode, 3)
            self.assertIn(message, result.stderr)

    def test_lists_the_folders_with_libtorch(self):
        self.assertEqual(self.run_script("--list-torch").stdout.split(), ["model", "worker"])

    def test_the_projects_own_sources_keep_to_its_table(self):
        result = self.run_script(root=ROOT)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
