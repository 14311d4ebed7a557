// Plan files in JSON: the same plans as in YAML, and what JSON has of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "run/plan.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class JsonPlan : public testing::Test {
 protected:
  Plan read(std::string_view json) {
    Plan plan;
    plan.apply_file(folder_.write("plan.json", json));
    return plan;
  }
  std::string refusal_of(std::string_view json) {
    try {
      read(json);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "(no error)";
  }
  TemporaryFolder folder_;
};

TEST_F(JsonPlan, IsThePlanThatTheSameYamlIs) {
  const Plan json = read(R"({"seed": 3, "batch_sizes": [1, 8], "sequence_length": "16,natural", "strict": true,
    "training": {"learning_rate": [5e-5, 0.001]}, "padding": 0.25,
    "measuring": {"baseline": {"attention": "eager", "threads": 2}}})");
  Plan yaml;
  yaml.apply_file(folder_.write("same.yaml",
                                "seed: 3\nbatch_sizes: [1, 8]\nsequence_length: 16,natural\nstrict: true\n"
                                "training: {learning_rate: [5e-5, 0.001]}\npadding: 0.25\n"
                                "measuring: {baseline: {attention: eager, threads: 2}}\n"));
  const Json expected = yaml.to_json();
  const Json found = json.to_json();
  for (const auto& [name, entry] : expected.items()) EXPECT_EQ(found.at(name).at("values"), entry.at("values")) << name;
}

TEST_F(JsonPlan, SaysOnWhichLineASettingStands) {
  const Plan plan = read("{\n\t\"seed\":\n\t\t1,\r\n\t\"training\": {\n\t\t\"limit\": 5\n\t}\n}\n");
  EXPECT_THAT(plan.at("seed").origin, EndsWith("plan.json:2"));
  EXPECT_THAT(plan.at("limit").origin, EndsWith("plan.json:5"));
  EXPECT_EQ(plan.value("limit"), 5);
}

TEST_F(JsonPlan, KnowsTheEscapesOfStrings) {
  const Plan plan = read(R"({"name": "a\n\"b\"\\ \/ \u00e9 \ud83d\ude00 \t", "data": "a\/b.tsv"})");
  EXPECT_EQ(plan.value("name"), "a\n\"b\"\\ / \u00e9 \U0001F600");
  EXPECT_EQ(plan.value("data"), "a/b.tsv");
  EXPECT_EQ(read("{\"na\\u006de\": \"x\"}").value("name"), "x");
}

TEST_F(JsonPlan, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(read("\xEF\xBB\xBF{\"seed\": 4}").value("seed"), 4);
}

TEST_F(JsonPlan, RefusesWrongValuesByNameAndLine) {
  EXPECT_THAT(refusal_of("{\"seed\": 1,\n\"batch_size\": [1, 0]}"), AllOf(HasSubstr("plan.json:2:"), HasSubstr("'0'")));
  EXPECT_THAT(refusal_of("{\"batch_size\": 1.0}"), AllOf(HasSubstr(":1:"), HasSubstr("'1.0'")));
  EXPECT_THAT(refusal_of("{\"batch_size\": -1}"), HasSubstr("'-1'"));
  EXPECT_THAT(refusal_of("{\"batch_size\": true}"), HasSubstr("'true'"));
  EXPECT_THAT(refusal_of("{\"batch_size\": null}"), HasSubstr("batch_size has no value"));
  EXPECT_THAT(refusal_of("{\"batch_size\": [null]}"), HasSubstr("batch_size has no value"));
  EXPECT_THAT(refusal_of("{\"batch_size\": []}"), HasSubstr("at least one value"));
  EXPECT_THAT(refusal_of("{\"batch_size\": [[1]]}"), HasSubstr("a flat list"));
  EXPECT_THAT(refusal_of("{\"batch_size\": [{}]}"), HasSubstr("a flat list"));
  EXPECT_THAT(refusal_of("{\"seed\": [1, 2]}"), HasSubstr("cannot be varied"));
  EXPECT_THAT(refusal_of("{\"batch_size\": 99999999999999999999999}"), HasSubstr("whole number"));
  EXPECT_THAT(refusal_of("{\"model\": \"\"}"), HasSubstr("not empty"));
  EXPECT_THAT(refusal_of("{\"batchsize\": 1}"), HasSubstr("Did you mean 'batch_size'?"));
  EXPECT_THAT(refusal_of("{\"\": 1}"), HasSubstr("''"));
}

TEST_F(JsonPlan, RefusesWhatIsGivenTwice) {
  EXPECT_THAT(refusal_of("{\"seed\": 1,\n\"seed\": 1}"),
              AllOf(HasSubstr("plan.json:2:"), HasSubstr("'seed' is set twice, first on line 1")));
  EXPECT_THAT(refusal_of("{\"seed\": 1,\n\"workload\": {\"seed\": 1}}"), HasSubstr("'workload.seed' on line 2"));
  EXPECT_THAT(refusal_of("{\"training\": {\"seed\": 1}, \"training\": {\"limit\": 1}}"),
              HasSubstr("'training' is set twice"));
  EXPECT_THAT(refusal_of(R"({"baseline": {"attention": "eager", "attention": "sdpa"}})"), HasSubstr("once"));
}

TEST_F(JsonPlan, RefusesWhatIsNoPlan) {
  EXPECT_THAT(refusal_of(""), AllOf(HasSubstr("not valid JSON"), HasSubstr("empty")));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("empty"));
  EXPECT_THAT(refusal_of("null"), HasSubstr("empty"));
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("map of settings"));
  EXPECT_THAT(refusal_of("\"seed\""), HasSubstr("map of settings"));
  for (const char* text :
       {"{\"seed\": 1", "{\"seed\": 1,}", "{\"seed\": 1} x", "{\"seed\": 1}{\"seed\": 2}", "{seed: 1}", "seed: 1",
        "{'seed': 1}", "# plan\n{\"seed\": 1}", "{\"seed\": 01}", "{\"seed\": 0x1}", "{\"seed\": NaN}",
        "{\"name\": \"\\ud83d\"}", "{\"name\": \"\\x41\"}", "{\"name\": \"a\nb\"}", "{\"learning_rate\": 1e999}"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("not valid JSON")) << text;
  }
  EXPECT_THAT(refusal_of("{\n\"seed\": 1,\n}"), HasSubstr("in line 3"));
  EXPECT_THAT(refusal_of(std::string("{\"seed\": 1}\0", 12)), HasSubstr("NUL"));
  EXPECT_THAT(refusal_of("{\"model\": \"\xff\"}"), HasSubstr("not valid UTF-8 at byte 11"));
  EXPECT_THAT(refusal_of(std::string((1 << 20) + 1, ' ')), HasSubstr("at most 1048576"));
}

TEST_F(JsonPlan, SurvivesHostileJson) {
  EXPECT_THAT(refusal_of(std::string(100'000, '[')), HasSubstr("nested deeper"));
  std::string nested = "1";
  for (int i = 0; i < 150; ++i) nested = "{\"seed\": [" + nested + "]}";
  EXPECT_THAT(refusal_of(nested.substr(0, 100)), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal_of("{\"seed\": 1, \"x\": {\"y\": {\"z\": {\"a\": [[{\"b\": 1}], 2]}, \"c\": 3}}}"),
              HasSubstr("'x'"));
  EXPECT_THAT(refusal_of("{\"workload\": {\"model\": {\"a\": {\"b\": [1, {}]}, \"c\": 1}, \"seed\": 2}}"),
              HasSubstr("cannot be in section"));
  std::string list = "{\"batch_size\": [1";
  for (int i = 2; i <= 100'000; ++i) list += fmt::format(",{}", i);
  EXPECT_EQ(read(list + "]}").at("batch_size").values.size(), 100'000u);
}

}  // namespace
}  // namespace transformeter
