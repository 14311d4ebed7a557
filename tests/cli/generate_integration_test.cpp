// Scenario generate through the real command: with the fake worker, whose times are known, and with the real one.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Generate : public CommandTest {
 protected:
  static Json metric(const Json& the_case, const std::string& name) {
    for (const Json& row : the_case.at("metrics")) {
      if (row.at("name") == name) return row;
    }
    return Json::object();
  }
};

const std::string kRunBoth =
    "$T run --model llama-test --task causal_lm --scenario batch,generate --batch-size 1,2 --sequence-length 16 "
    "--prompt-length 16 --new-tokens 5 --precision fp32 --store r.db ";
const Json kKnownTimes = {{"latency", {{"mean_s", 0.04}}}, {"step", {{"mean_s", 0.002}}}, {"samples", 25}};

TEST_F(Generate, FiguresAreThoseOfTheKnownTimes) {
  const ShellResult result = shell(kRunBoth + "&& $T show --store r.db --format json > r.json", kKnownTimes);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json cases = Json::parse(read_file_or_empty(folder_.path() / "r.json")).at("runs")[0].at("cases");
  ASSERT_EQ(cases.size(), 3U) << "two batch sizes, one kind of request";
  const Json& requests = cases[2];
  EXPECT_EQ(requests.at("settings").at("requested").at("scenario"), "generate");
  EXPECT_NEAR(metric(requests, "time_to_first_token").at("value"), 0.04, 1e-9);
  EXPECT_NEAR(metric(requests, "time_per_output_token").at("value"), 0.002, 1e-9);
  EXPECT_NEAR(metric(requests, "latency").at("value"), 0.04 + 4 * 0.002, 1e-9);
  EXPECT_NEAR(metric(requests, "throughput_decode_tokens").at("value"), 500, 1e-6);
  EXPECT_NEAR(metric(requests, "throughput_prefill_tokens").at("value"), 16 / 0.04, 1e-6);
  EXPECT_EQ(metric(requests, "cache_bytes").at("value"), 1024 * (16 + 5));
  EXPECT_TRUE(metric(cases[0], "time_to_first_token").empty()) << "batches have no first token";
}

TEST_F(Generate, ScenariosHaveTablesOfTheirOwn) {
  const ShellResult result = shell(kRunBoth, kKnownTimes);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("scenario batch\n"), HasSubstr("scenario generate\n"),
                                   HasSubstr("sample/s"), HasSubstr("per token"), HasSubstr("2.00 ms")));
  const ShellResult one = shell(
      "$T run --model llama-test --task causal_lm --scenario generate --prompt-length 16,32 --new-tokens 5 --precision "
      "fp32 --store s.db && $T show --store s.db --format markdown && $T report --store s.db -o r.html",
      kKnownTimes);
  ASSERT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_THAT(one.output, AllOf(HasSubstr("per token"), Not(HasSubstr("scenario generate\n"))));
  const std::string html = read_file_or_empty(folder_.path() / "r.html");
  EXPECT_THAT(html, AllOf(HasSubstr("first token, median"), HasSubstr("Lowest time to first token")));
}

TEST_F(Generate, WhatIsWrongIsSaidWithTheFigures) {
  const std::string run = "$T run --model llama-test --store r.db --precision fp32 ";
  ShellResult result = shell(run + "--task causal_lm --scenario generates");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("generates"), HasSubstr("batch, offline, generate")));
  result = shell(run + "--task causal_lm --scenario generate --new-tokens 0");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("from 1 to"));
  result = shell(run + "--task causal_lm --scenario generate --batch-size 4");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("batch_size only applies to scenarios batch, offline and train"));
  result = shell(run + "--task causal_lm --scenario generate --prompt-length 100000 --new-tokens 7");
  EXPECT_EQ(result.exit_code, 1) << "no case is ok";
  EXPECT_EQ(load().cases.at(0).status, Status::kUnsupportedShape);
  EXPECT_THAT(result.output, HasSubstr("add up to 100007 tokens"));
}

TEST_F(Generate, TheRealWorkerMakesText) {
  use_real_worker();
  if (IsSkipped()) return;
  const ShellResult result = shell(
      "$T run --model llama-test --task causal_lm --scenario generate --prompt-length 32 --new-tokens 1,8 "
      "--attention "
      "sdpa,eager --precision fp32 --samples 12 --store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 4U);
  for (const CaseRecord& one : run.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::vector<Series>& series = one.replicates.at(0).series;
    const std::size_t requests = find_series(series, "latency")->value.size();
    EXPECT_GE(requests, 12U);
    EXPECT_EQ(find_series(series, "time_to_first_token")->value.size(), requests);
    const auto steps = one.requested.at("new_tokens").get<std::size_t>() - 1;
    EXPECT_EQ(find_series(series, "decode_step")->value.size(), requests * steps);
    const bool is_eager = one.requested.at("attention") == "eager";
    EXPECT_EQ(one.effective.at("attention_kernel_prefill") == "eager", is_eager);
    EXPECT_EQ(one.effective.at("cycle_batches"), 1);
    if (steps == 0) continue;
    EXPECT_EQ(one.effective.at("attention_kernel_decode") == "eager", is_eager);
  }
}

}  // namespace
}  // namespace transformeter
