// The real command with the fake worker or the real one, run by a shell as a user would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/json.h"
#include "store/store.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {

struct ShellResult {
  int exit_code = -1;
  std::string output;  // stdout
  std::string errors;  // stderr
};

/// Slices are spread over half a minute; a script that does not ask for them measures in one window.
inline std::string in_one_window(std::string script) {
  if (script.find("--slices") != std::string::npos) return script;
  for (const std::string_view command : {"$T run ", "$T train "}) {
    for (std::size_t at = script.find(command); at != std::string::npos; at = script.find(command, at + 1)) {
      script.insert(at + command.size(), "--slices 1 ");
    }
  }
  return script;
}

/// Each test has a folder of its own as working folder, and "$T" is the command.
class CommandTest : public testing::Test {
 protected:
  ShellResult shell(const std::string& script, const Json& behaviour = Json::object()) const {
    const std::string binaries = (binary_directory() / "bin/").string();
    folder_.write("behaviour.json", behaviour.dump());
    std::string line = "cd '" + folder_.path().string() + "' || exit 99\n";
    line.append("export T=").append(binaries).append("transformeter\n");
    line.append("export TRANSFORMETER_WORKER=").append(binaries).append(worker_ + "\n");
    line.append("export XDG_CACHE_HOME=\"$PWD/cache\"\n");  // the user's own stays as it is
    line.append("export TRANSFORMETER_FAKE_WORKER=\"$(cat behaviour.json)\"\n{ ");
    line.append(in_one_window(script)).append("\n} >out.txt 2>err.txt\n");
    const int status = std::system(("bash -c '. " + folder_.write("script.sh", line).string() + "'").c_str());
    ShellResult result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    result.output = read_file_or_empty(folder_.path() / "out.txt");
    result.errors = read_file_or_empty(folder_.path() / "err.txt");
    return result;
  }

  /// From here on, in place of the fake one. A test that calls it outside SetUp asks IsSkipped afterwards.
  void use_real_worker() {
    worker_ = "transformeter-worker";
    if (!std::filesystem::exists(binary_directory() / "bin" / worker_)) {
      GTEST_SKIP() << "transformeter-worker is not built (TRANSFORMETER_WORKER=OFF)";
    }
  }

  RunRecord load(const std::string& store = "r.db") const {
    return open_store(folder_.path() / store, StoreMode::kRead)->load_run("", true);
  }

  /// Runs a fine-tuning, whose --output is `folder`, and kills it and its worker when some steps are told.
  void kill_on_the_way(const std::string& command, const std::string& folder) const {
    const ShellResult killed =
        shell(command + " & pid=$!; until [ $(grep -c '\"step\"' " + folder +
              "/log.jsonl 2>/dev/null || echo 0) -ge 8 ] || ! kill -0 $pid; do sleep 0.01; done; pkill -9 -P $pid; "
              "kill -9 $pid; wait $pid; true");
    ASSERT_EQ(killed.exit_code, 0) << killed.errors;
    ASSERT_FALSE(std::filesystem::exists(folder_.path() / folder / "summary.json")) << "it was not killed on the way";
  }

  TemporaryFolder folder_;

 private:
  std::string worker_ = "transformeter-fake-worker";
};

/// A short plan of one or two cases.
inline const std::string kRunOne =
    "$T run --model bert-test --batch-size 1 --sequence-length 16 --precision fp32 --store r.db ";
inline const std::string kRunTwo =
    "$T run --model bert-test --batch-size 1,8 --sequence-length 16 --precision fp32 --store r.db ";

}  // namespace transformeter
