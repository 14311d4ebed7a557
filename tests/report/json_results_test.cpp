// Written in pieces, the JSON form is the same text.
#include "report/json_results.h"

#include <gtest/gtest.h>

#include "report/json_text.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

std::string streamed(const std::vector<RunRecord>& runs, ResultOptions options) {
  std::string text;
  JsonResults results([&](std::string_view piece) { text.append(piece); }, options);
  for (const RunRecord& run : runs) {
    results.begin_run(run);
    for (const CaseRecord& one : run.cases) results.add_case(one);
  }
  results.finish();
  return text;
}

TEST(JsonResults, AreByteForByteTheWholeText) {
  RunRecord empty;
  empty.id = "empty";
  for (const bool samples : {true, false}) {
    const ResultOptions options{samples};
    for (const auto& runs :
         std::vector<std::vector<RunRecord>>{{}, {mixed_run()}, {empty}, {mixed_run(), empty, mixed_run()}}) {
      EXPECT_EQ(streamed(runs, options), json_text(results_json(runs, options))) << runs.size();
    }
  }
}

}  // namespace
}  // namespace transformeter
