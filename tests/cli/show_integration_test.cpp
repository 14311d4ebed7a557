// The command itself on a store: each format, the JSON Schema, errors.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "store/store.h"
#include "support/result_records.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int exit_code = 0;
  std::string output;  // stdout and stderr
};

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), count);
  }
  outcome.exit_code = WEXITSTATUS(::pclose(pipe));
  return outcome;
}

class Show : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = (folder_.path() / "a.db").string();
    const auto store = open_store(store_, StoreMode::kWrite);
    RunRecord hostile = mixed_run();
    hostile.id = "20261120-000000-000001";
    hostile.name = kHostileText;
    hostile.started_at = "2026-11-20T00:00:00.000Z";
    store->begin_run(hostile);
    store->begin_run(mixed_run());
  }

  Outcome transformeter(const std::string& arguments) const {
    return shell(binary_directory().string() + "/bin/transformeter " + arguments + " --store " + store_);
  }

  TemporaryFolder folder_;
  std::string store_;
};

TEST_F(Show, JsonKeepsToTheSchema) {
  if (shell("/usr/bin/python3 -c 'import jsonschema'").exit_code != 0) {
    GTEST_SKIP() << "no jsonschema module for /usr/bin/python3; install python3-jsonschema";
  }
  for (const std::string arguments : {"--all", "--no-samples", "nightly"}) {
    const Outcome shown = transformeter("show " + arguments + " --format json");
    ASSERT_EQ(shown.exit_code, 0) << shown.output;
    const auto file = folder_.write("shown.json", shown.output);
    const Outcome checked = shell(
        "/usr/bin/python3 -c 'import json, sys, jsonschema; "
        "schema = json.load(open(sys.argv[1])); "
        "jsonschema.Draft7Validator.check_schema(schema); "
        "jsonschema.validate(json.load(open(sys.argv[2])), schema)' " +
        (source_directory() / "docs/results.schema.json").string() + " " + file.string());
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
  }
}

TEST_F(Show, LatestRunIsTheDefaultAndEveryFormatPrints) {
  EXPECT_EQ(Json::parse(transformeter("show --format json").output).at("runs").at(0).at("name"), "nightly");
  EXPECT_THAT(transformeter("show").output, HasSubstr("doubtful: single_window: "));
  EXPECT_THAT(transformeter("show --format csv").output, HasSubstr("run_id,run_name"));
  EXPECT_THAT(transformeter("show --format jsonl --all").output, HasSubstr("\"schema_version\":1"));
  EXPECT_THAT(transformeter("show 20261120 --format markdown").output, HasSubstr("# Run &lt;script&gt;"));
}

TEST_F(Show, AFileHasTheFormatOfItsEnding) {
  const auto file = [&](const std::string& name) { return read_file((folder_.path() / name).string()); };
  const auto path = [&](const std::string& name) { return (folder_.path() / name).string(); };
  EXPECT_EQ(transformeter("show -o " + path("a.json")).exit_code, 0);
  EXPECT_EQ(Json::parse(file("a.json")).at("runs").at(0).at("name"), "nightly");
  EXPECT_EQ(transformeter("show -o " + path("a.md")).output, "");
  EXPECT_TRUE(file("a.md").starts_with("# Run"));
  EXPECT_EQ(transformeter("show --all --wide -o " + path("wide.csv")).exit_code, 0);
  EXPECT_THAT(file("wide.csv"), HasSubstr(",baseline_case,answer,"));
  EXPECT_EQ(transformeter("show --format csv -o " + path("odd")).exit_code, 0);
  EXPECT_THAT(file("odd"), HasSubstr("run_id,run_name"));
  EXPECT_THAT(transformeter("show -o " + path("a.xls")).output, HasSubstr(".txt, .json, .jsonl, .csv or .md"));
  EXPECT_THAT(transformeter("show --wide").output, HasSubstr("--wide applies to format csv, not to table"));
}

TEST_F(Show, SeveralRunsFollowEachOther) {
  const Json json = Json::parse(transformeter("show 20261120 nightly --format json").output);
  ASSERT_EQ(json.at("runs").size(), 2U);
  EXPECT_EQ(json.at("runs").at(1).at("name"), "nightly");
  EXPECT_EQ(transformeter("show 20261120 nightly").exit_code, 0);
  const std::string id = json.at("runs").at(1).at("id");
  EXPECT_EQ(Json::parse(transformeter("show nightly " + id + " --format json").output).at("runs").size(), 1U);
  EXPECT_THAT(transformeter("show 20261120 nightly --summary-by batch_size").output, HasSubstr("a single run"));
  EXPECT_EQ(transformeter("show nightly nobody --format csv").exit_code, 3);
}

TEST_F(Show, RefusesWhatDoesNotGoTogether) {
  for (const char* arguments : {"show nightly --all", "show --no-samples", "show --format yaml", "show no-such-run"}) {
    EXPECT_EQ(transformeter(arguments).exit_code, 3) << arguments;
  }
  EXPECT_THAT(transformeter("show --format jsn").output, HasSubstr("Did you mean 'json'?"));
}

TEST_F(Show, NoTextOfAUserSteersTheTerminal) {
  const Outcome runs = transformeter("runs");
  ASSERT_EQ(runs.exit_code, 0) << runs.output;
  EXPECT_EQ(std::count(runs.output.begin(), runs.output.end(), '\n'), 4)
      << "a heading, two runs and how to finish them:\n"
      << runs.output;
  const Outcome unknown = transformeter("show zz");
  EXPECT_EQ(std::count(unknown.output.begin(), unknown.output.end(), '\n'), 1) << unknown.output;
  for (const std::string& output : {runs.output, unknown.output, transformeter("show 20261120").output}) {
    EXPECT_EQ(output.find('\x1b'), std::string::npos) << output;
    EXPECT_EQ(output.find("\xE2\x80\xAE"), std::string::npos) << "a mark that turns the writing direction";
    EXPECT_THAT(output, HasSubstr("alert(1)"));
  }
}

TEST_F(Show, ReportIsWrittenWhole) {
  const std::string file = (folder_.path() / "out.md").string();
  const Outcome written = transformeter("report -o " + file);
  ASSERT_EQ(written.exit_code, 0) << written.output;
  EXPECT_EQ(read_file(file), transformeter("show --format markdown").output);
  EXPECT_EQ(transformeter("report -o " + (folder_.path() / "out.docx").string()).exit_code, 3);
  EXPECT_EQ(transformeter("report -o " + (folder_.path() / "none/out.md").string()).exit_code, 3);
  EXPECT_EQ(transformeter("report").exit_code, 3);
}

}  // namespace
}  // namespace transformeter
