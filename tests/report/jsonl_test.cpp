// JSON as text and as lines.
#include "report/jsonl.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/json_text.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

TEST(Jsonl, EachLineHoldsTheRunsIdentityAndTheCaseOfTheJson) {
  RunRecord run = mixed_run();
  run.name = kHostileText;
  const auto lines = split(results_jsonl({run}, {}), '\n');
  const Json cases = results_json({run}, {}).at("runs").at(0).at("cases");
  ASSERT_EQ(lines.size(), cases.size() + 1);  // the last is empty
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json line = Json::parse(lines[i]);
    EXPECT_EQ(line.at("case"), cases.at(i));
    EXPECT_EQ(line.at("run").at("name"), kHostileText);
    EXPECT_EQ(line.at("run").at("host"), run.host);
  }
}

TEST(Jsonl, RunWithoutCasesHasNoLine) {
  EXPECT_EQ(results_jsonl({RunRecord{}}, {}), "");
}

TEST(JsonText, ReadsBackTheSameAndKeepsColumnsOnOneLine) {
  const Json value = {{"a", {1, 2.5, nullptr}}, {"b", {{{"c", Json::array()}}, Json::object()}}, {"d\n\"", "e"}};
  const std::string text = json_text(value);
  EXPECT_EQ(Json::parse(text), value);
  EXPECT_NE(text.find("\"a\": [1,2.5,null]"), std::string::npos);
  EXPECT_EQ(json_text(Json::object()), "{}\n");
}

TEST(JsonText, InvalidUtf8IsReplaced) {
  EXPECT_EQ(json_line({{"a", "\xFF"}}), "{\"a\":\"\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace transformeter
