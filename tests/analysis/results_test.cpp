// The JSON of docs/results.md.
#include "analysis/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/result_records.h"

namespace transformeter {
namespace {

const Json& case_at(const Json& results, std::size_t index) {
  return results.at("runs").at(0).at("cases").at(index);
}

TEST(Results, KeepsEveryColumnOfEverySample) {
  const RunRecord run = mixed_run();
  const Json results = results_json({run}, {});
  const Series& stored = run.cases[0].replicates[0].series[0];
  const Json& shown = case_at(results, 0).at("replicates").at(0).at("series").at(0);
  EXPECT_EQ(results.at("schema_version"), 1);
  EXPECT_EQ(shown.at("value").get<std::vector<double>>(), stored.value);
  EXPECT_EQ(shown.at("start_s").get<std::vector<double>>(), stored.start_s);
  EXPECT_EQ(shown.at("index").get<std::vector<std::int64_t>>(), stored.index);
  EXPECT_EQ(shown.at("examples").get<std::vector<std::int64_t>>(), stored.examples);
  EXPECT_EQ(shown.at("useful_tokens").get<std::vector<std::int64_t>>(), stored.useful_tokens);
  EXPECT_EQ(shown.at("processed_tokens").get<std::vector<std::int64_t>>(), stored.processed_tokens);
  EXPECT_EQ(shown.at("flags").get<std::vector<std::uint32_t>>(), stored.flags);
}

TEST(Results, PendingAndFailedCasesHaveNoVerdict) {
  const Json results = results_json({mixed_run()}, {});
  EXPECT_EQ(case_at(results, 0).at("verdict").at("status"), "doubtful");
  EXPECT_EQ(results.at("runs").at(0).at("pending_replicate_count"), 1);
  const Json& pending = case_at(results, 2);
  EXPECT_TRUE(pending.at("status").is_null());
  EXPECT_TRUE(pending.at("key").is_null());
  EXPECT_TRUE(pending.at("verdict").at("status").is_null());
  EXPECT_TRUE(pending.at("replicates").empty());
  EXPECT_EQ(case_at(results, 3).at("status"), "unsupported");
  EXPECT_EQ(case_at(results, 3).at("status_reason"), "precision fp16: no CPU kernel");
  EXPECT_EQ(case_at(results, 4).at("status"), "crashed");
  EXPECT_TRUE(case_at(results, 4).at("verdict").at("status").is_null());
}

TEST(Results, WithoutSamplesMetricsStayTheSame) {
  const RunRecord run = mixed_run();
  const Json with = results_json({run}, {});
  const Json without = results_json({run}, {false});
  EXPECT_TRUE(case_at(without, 0).at("replicates").at(0).at("series").empty());
  EXPECT_EQ(case_at(without, 0).at("metrics"), case_at(with, 0).at("metrics"));
  EXPECT_FALSE(case_at(without, 0).at("metrics").empty());
}

TEST(Results, NotANumberAndInfinityAreNull) {
  RunRecord run = mixed_run();
  auto& values = run.cases[0].replicates[0].series[0].value;
  values[3] = std::nan("");
  values[4] = std::numeric_limits<double>::infinity();
  const Json results = results_json({run}, {});
  const Json& shown = case_at(results, 0).at("replicates").at(0).at("series").at(0).at("value");
  EXPECT_TRUE(shown.at(3).is_null());
  EXPECT_TRUE(shown.at(4).is_null());
  EXPECT_EQ(shown.size(), values.size());
}

TEST(Results, NoRunsAndNoCases) {
  EXPECT_EQ(results_json({}, {}).at("runs"), Json::array());
  EXPECT_EQ(results_json({RunRecord{}}, {}).at("runs").at(0).at("cases"), Json::array());
}

}  // namespace
}  // namespace transformeter
