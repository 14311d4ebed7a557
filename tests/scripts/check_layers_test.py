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
| **`src/shared`** | | |
| `base` | error | – |
| `schema` | words | – |
| `spec` | spec | – |
| `datasets` | data | spec |
| **`src/command`** | | |
| `store` | store | datasets |
| `cli` | command | all of the above |
| **`src/worker`** | | |
| `model` | modules | datasets |
| `session` | session | all of the above |

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

    def test_a_folder_of_base_alone_may_not_include_schema(self):
        self.write("docs/architecture.md", TABLE.replace("| `spec` | spec | – |", "| `spec` | spec | base alone |"))
        self.write("src/shared/spec/a.cpp", '#include "base/error.h"\n#include "spec/a.h"\n')
        self.write("src/shared/datasets/a.cpp", '#include "spec/a.h"\n#include "schema/e.h"\n')
        self.assertEqual(self.run_script().returncode, 0, self.run_script().stderr)
        self.expect_fault("src/shared/spec/b.cpp", '#include "schema/e.h"\n', "'spec' may include only base")

    def test_allows_what_the_table_allows_directly_transitively_and_always(self):
        self.write("src/command/store/a.cpp", '#include <vector>\n#include "store/a.h"\n#include "datasets/b.h"\n'
                                              '#include "spec/c.h"\n#include "base/d.h"\n#include "schema/e.h"\n')
        self.write("src/worker/session/a.cpp", '#include <ATen/ATen.h>\n#include "model/a.h"\n#include "spec/b.h"\n')
        self.write("src/command/cli/main.cpp", '#include "store/a.h"\n')
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_refuses_an_upward_include_with_place_and_what_is_allowed(self):
        self.expect_fault("src/shared/spec/a.h", '// text\n#include "datasets/b.h"\n', "src/shared/spec/a.h:2",
                          '"datasets/b.h"', "base, schema")

    def test_base_may_include_nothing_and_schema_only_base(self):
        self.expect_fault("src/shared/base/a.h", '#include "schema/b.h"\n', "may include only nothing")
        self.write("src/shared/base/a.h", "")
        self.write("src/shared/schema/a.h", '#include "base/b.h"\n')
        self.assertEqual(self.run_script().returncode, 0)

    def test_all_of_the_above_is_of_the_own_group_and_shared(self):
        self.expect_fault("src/worker/session/a.cpp", '#include "store/a.h"\n', "'session' may include only")

    def test_the_command_may_not_include_the_part_with_libtorch(self):
        self.expect_fault("src/command/cli/a.cpp", '#include "model/a.h"\n', '"model/a.h"')

    def test_refuses_libtorch_headers_in_brackets_or_quotes(self):
        for include in ("<ATen/ATen.h>", "<torch/torch.h>", "<c10/core/Device.h>", '"ATen/ATen.h"'):
            self.expect_fault("src/shared/spec/a.h", f"  #  include {include}\n", "LibTorch")

    def test_refuses_unknown_folders(self):
        self.expect_fault("src/shared/utils/a.h", "", "'utils' is no folder")

    def test_refuses_a_folder_in_another_group_and_sources_above_folders(self):
        self.expect_fault("src/worker/spec/a.h", "", "'spec' belongs in src/shared/")
        self.expect_fault("src/worker/a.h", "", "src/GROUP/FOLDER/")

    def test_refuses_an_include_of_an_unknown_folder_the_public_headers_among_them(self):
        self.expect_fault("src/shared/spec/a.h", '#include "transformeter/b.h"\n', "'transformeter' is no folder")

    def test_refuses_includes_without_folder_and_own_headers_in_brackets(self):
        self.expect_fault("src/shared/spec/a.h", '#include "b.h"\n', '"spec/b.h"')
        self.expect_fault("src/shared/spec/a.h", "#include <base/b.h>\n", "quotes")

    def test_holds_cmake_to_the_table(self):
        self.expect_fault("src/CMakeLists.txt", "transformeter_layer(shared/spec DEPENDS base datasets LINK fmt::fmt)\n",
                          "'spec' DEPENDS on 'datasets'")
        self.expect_fault("src/CMakeLists.txt", "transformeter_layer(worker/spec DEPENDS base)\n", "'worker/spec'")

    def test_reports_a_broken_table_as_bad_input(self):
        for bad, message in (("no table", "no table"), (TABLE.replace("| spec |\n", "| sepc |\n"), "sepc"),
                             (TABLE.replace("| spec | – |", "| spec | datasets |"), "cycle"),
                             (TABLE.replace("| modules | datasets |", "| modules | – |").replace("| spec | – |", "| spec | model |"),
                              "'spec' of shared may include 'model'")):
            self.write("docs/architecture.md", bad)
            result = self.run_script()
            self.assertEqual(result.returncode, 3)
            self.assertIn(message, result.stderr)

    def test_the_projects_own_sources_keep_to_its_table(self):
        result = self.run_script(root=ROOT)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
