// Plans from defaults, files and flags, and every error with the bad value, what is allowed, and a hint.
#include "run/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "(no error)";
}

class PlanFile : public testing::Test {
 protected:
  Plan read(std::string_view yaml) {
    Plan plan;
    plan.apply_file(folder_.write("plan.yaml", yaml));
    return plan;
  }
  std::string error_of(std::string_view yaml) {
    return message_of([&] { read(yaml); });
  }
  TemporaryFolder folder_;
};

TEST(Plan, HasTheDeclaredDefaults) {
  const Plan plan;
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{1, 8, 32}));
  EXPECT_EQ(plan.at("sequence_length").values, (std::vector<Json>{128, "natural"}));
  EXPECT_EQ(plan.at("batch_size").origin, "default");
  EXPECT_EQ(plan.value("worker_timeout"), Json(120.0));
  EXPECT_FALSE(plan.has("name"));
  EXPECT_EQ(plan.text_or("name", "x"), "x");
}

TEST(Plan, FlagsTakeCommaListsForAxes) {
  Plan plan;
  plan.apply_flag("batch_size", "2,4");
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{2, 4}));
  EXPECT_EQ(plan.at("batch_size").origin, "flag");
  plan.apply_flag("name", "a, b");
  EXPECT_EQ(plan.value("name"), "a, b");
}

TEST_F(PlanFile, EndsForTextOfWhichTheParserTakesNothing) {
  EXPECT_THAT(error_of(","), HasSubstr("plan.yaml:1: not valid YAML"));
  EXPECT_THAT(error_of("&sizes, 8"), HasSubstr("plan.yaml:1:"));
  EXPECT_THAT(error_of("batch_size: 1\n,"), HasSubstr("plan.yaml:2:"));
}

TEST_F(PlanFile, ReadsALongListInTimeProportionalToIt) {
  std::string yaml = "batch_size: [1";
  for (int i = 2; i <= 100'000; ++i) yaml += fmt::format(",{}", i);
  EXPECT_EQ(read(yaml + "]").at("batch_size").values.size(), 100'000u);
  EXPECT_THAT(error_of(yaml + ",5]"), AllOf(HasSubstr("'5'"), HasSubstr("each value once")));
}

TEST(Plan, FlagErrorsSayWhatIsAllowed) {
  Plan plan;
  EXPECT_THAT(message_of([&] { plan.apply_flag("batch_size", "0"); }),
              AllOf(HasSubstr("batch_size '0'"), HasSubstr("from 1 to 1048576")));
  EXPECT_THAT(message_of([&] { plan.apply_flag("batch_size", "8,08"); }),
              AllOf(HasSubstr("'08'"), HasSubstr("each value once")));
  EXPECT_THAT(message_of([&] { plan.apply_flag("seed", "1,2"); }),
              AllOf(HasSubstr("'1,2'"), HasSubstr("cannot be varied")));
  EXPECT_THAT(message_of([&] { plan.apply_flag("precision", "bf61"); }),
              AllOf(HasSubstr("'bf61'"), HasSubstr("auto, fp32, tf32, bf16"), HasSubstr("Did you mean 'bf16'?")));
  EXPECT_THAT(message_of([&] { plan.apply_flag("batchsize", "1"); }), HasSubstr("Did you mean 'batch_size'?"));
  EXPECT_THAT(message_of([&] { plan.apply_flag("batch_size", "1,,2"); }), HasSubstr("''"));
  EXPECT_THAT(message_of([&] { plan.apply_flag("time_limit", "-3s"); }), HasSubstr("-3s"));
}

TEST(Plan, KeepsItsFormThroughTheStore) {
  Plan plan;
  plan.apply_flag("batch_size", "2,4");
  const Plan again = Plan::from_json(Json::parse(plan.to_json().dump()));
  EXPECT_EQ(again.to_json(), plan.to_json());
  EXPECT_EQ(again.at("batch_size").origin, "flag");
  EXPECT_THAT(message_of([] {
                Plan::from_json({{"batchsize", {{"values", {1}}, {"origin", "flag"}}}});
              }),
              HasSubstr("batch_size"));
  EXPECT_THAT(message_of([] { Plan::from_json({{"batch_size", 3}}); }), HasSubstr("stored plan"));
}

TEST_F(PlanFile, TakesScalarsListsAndCommaLists) {
  const Plan plan = read("model: bert-tiny\nbatch_size: [1, 8]\nsequence_length: 64,natural\nattention_mask: off\n");
  EXPECT_EQ(plan.at("model").values, (std::vector<Json>{"bert-tiny"}));
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{1, 8}));
  EXPECT_EQ(plan.at("sequence_length").values, (std::vector<Json>{64, "natural"}));
  EXPECT_EQ(plan.at("attention_mask").values, (std::vector<Json>{"off"}));
  EXPECT_THAT(plan.at("batch_size").origin, AllOf(testing::StartsWith("plan "), testing::EndsWith("plan.yaml:2")));
}

TEST_F(PlanFile, IsOverriddenByFlags) {
  Plan plan = read("batch_size: 4\nseed: 7\n");
  plan.apply_flag("batch_size", "2");
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{2}));
  EXPECT_EQ(plan.value("seed"), 7);
}

TEST_F(PlanFile, SuggestsTheNearestKeyWithFileAndLine) {
  EXPECT_THAT(error_of("seed: 1\nbatchsize: 2\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("'batchsize'"), HasSubstr("Did you mean 'batch_size'?")));
  EXPECT_THAT(error_of("batch-size: 2\n"), HasSubstr("Did you mean 'batch_size'?"));
}

TEST_F(PlanFile, RefusesWrongValuesWithFileAndLine) {
  EXPECT_THAT(error_of("seed: 1\nbatch_size: [1, 0]\n"), AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("'0'")));
  EXPECT_THAT(error_of("seed: [1, 2]\n"), AllOf(HasSubstr("plan.yaml:1:"), HasSubstr("cannot be varied")));
  EXPECT_THAT(error_of("batch_size: []\n"), AllOf(HasSubstr(":1:"), HasSubstr("at least one value")));
  EXPECT_THAT(error_of("batch_size: [8, 8]\n"), HasSubstr("each value once"));
  EXPECT_THAT(error_of("batch_size:\n"), HasSubstr("has no value"));
  EXPECT_THAT(error_of("batch_size: {a: 1}\n"), HasSubstr("a flat list"));
  EXPECT_THAT(error_of("batch_size: [[1]]\n"), HasSubstr("a flat list"));
  EXPECT_THAT(error_of("seed: 1\nseed: 2\n"), AllOf(HasSubstr(":2:"), HasSubstr("twice")));
  EXPECT_THAT(error_of("strict: yes\n"), HasSubstr("true or false"));
}

TEST_F(PlanFile, RefusesWhatIsNoPlan) {
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("empty"));
  EXPECT_THAT(error_of("- a\n- b\n"), HasSubstr("map of settings"));
  EXPECT_THAT(error_of("batch_size: [1, 8\n"), AllOf(HasSubstr("plan.yaml:"), HasSubstr("not valid YAML")));
  EXPECT_THAT(error_of("seed: 1\n---\nseed: 2\n"), HasSubstr("a single YAML document"));
  EXPECT_THAT(error_of("model: \xff\n"), HasSubstr("not valid UTF-8 at byte 7"));
  EXPECT_THAT(message_of([&] { Plan().apply_file(folder_.path()); }), HasSubstr("is a folder"));
  EXPECT_THAT(message_of([&] { Plan().apply_file(folder_.path() / "none.yaml"); }), HasSubstr("none.yaml"));
  EXPECT_THAT(error_of(std::string((1 << 20) + 1, '#')), HasSubstr("at most 1048576"));
}

TEST_F(PlanFile, SurvivesHostileYaml) {
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("nested too deeply"));
  std::string maps;
  for (int i = 0; i < 100'000; ++i) maps += "{a: ";
  EXPECT_THAT(error_of(maps), HasSubstr("nested too deeply"));
  // Billion laughs: nine levels of nine aliases each.
  std::string laughs = "batch_size: &a0 [1, 2]\n";
  for (int i = 1; i < 10; ++i) {
    const std::vector<std::string> aliases(9, fmt::format("*a{}", i - 1));
    laughs.append(fmt::format("x{0}: &a{0} [{1}]\n", i, fmt::join(aliases, ", ")));
  }
  EXPECT_THAT(error_of(laughs), HasSubstr("'x1'"));
  EXPECT_THAT(error_of("batch_size: &a [*a]\n"), HasSubstr("plan.yaml"));
}

TEST_F(PlanFile, TakesABaselineAsAMapOrAsTheFlagDoes) {
  const Json expected{{"attention", "eager"}, {"threads", 2}};
  const Plan plan = read("baseline: {attention: eager, threads: 2}\n");
  EXPECT_EQ(plan.value("baseline"), expected);
  EXPECT_THAT(plan.at("baseline").origin, testing::EndsWith("plan.yaml:1"));
  EXPECT_EQ(read("baseline:\n  attention: eager\n  threads: 2\n").value("baseline"), expected);
  EXPECT_EQ(read("baseline: attention=eager,threads=2\n").value("baseline"), expected);
  EXPECT_EQ(Plan::from_json(plan.to_json()).value("baseline"), expected);
}

TEST_F(PlanFile, RefusesABaselineThatIsNone) {
  EXPECT_THAT(error_of("seed: 1\nbaseline: {atention: eager}\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("Did you mean 'attention'?")));
  EXPECT_THAT(error_of("baseline: {attention: fast}\n"), AllOf(HasSubstr(":1:"), HasSubstr("sdpa")));
  EXPECT_THAT(error_of("baseline: {padding: 0}\n"), HasSubstr("workload"));
  EXPECT_THAT(error_of("baseline: {attention: eager, attention: sdpa}\n"), HasSubstr("once"));
  EXPECT_THAT(error_of("baseline: [attention]\n"), AllOf(HasSubstr(":1:"), HasSubstr("map of settings")));
  EXPECT_THAT(error_of("baseline: {attention: [eager]}\n"), HasSubstr("attention takes one value"));
  EXPECT_THAT(error_of("baseline: {attention: {a: 1}}\n"), HasSubstr("a flat list"));
  EXPECT_THAT(error_of("baseline: {[a]: 1}\n"), HasSubstr(":1:"));
  EXPECT_THAT(error_of("baseline: {attention: }\n"), HasSubstr("has no value"));
  EXPECT_THAT(error_of("baseline: {}\n"), HasSubstr("baseline ''"));
  EXPECT_THAT(error_of("baseline:\n"), HasSubstr("has no value"));
}

TEST(Plan, OtherNamesOfTasksAreStoredAsTheirOwn) {
  Plan plan;
  plan.apply_flag("task", "mlm,question-answering");
  EXPECT_EQ(plan.at("task").values, (std::vector<Json>{"masked_lm", "question_answering"}));
  EXPECT_THAT(message_of([&] { plan.apply_flag("task", "qa,question_answering"); }), HasSubstr("each value once"));
}

TEST(Plan, OtherNamesOfPresetsAreStoredAsTheirOwn) {
  Plan plan;
  plan.apply_flag("model", "bert-base-uncased,gpt2,bert-base,google/bert-base-uncased");
  plan.settle();
  EXPECT_EQ(plan.at("model").values, (std::vector<Json>{"bert-base", "gpt2", "google/bert-base-uncased"}));
  EXPECT_EQ(plan.at("model").origin, "flag");
}

TEST(Plan, ABaselineAsksForThreeReplicatesWhereNobodySaidHowMany) {
  Plan plan;
  plan.settle();
  EXPECT_EQ(plan.value("replicates"), 1);
  plan.apply_flag("baseline", "attention=eager");
  plan.settle();
  EXPECT_EQ(plan.value("replicates"), 3);
  EXPECT_EQ(plan.at("replicates").origin, "baseline");
  plan.apply_flag("replicates", "1");
  plan.settle();
  EXPECT_EQ(plan.value("replicates"), 1) << "the user's word; the table then says undecided";
}

TEST(Plan, RatiosLieFromZeroToBelowOne) {
  Plan plan;
  plan.apply_flag("padding", "0,0.25,.5");
  EXPECT_EQ(plan.at("padding").values, (std::vector<Json>{0.0, 0.25, 0.5}));
  for (const char* text : {"1", "-0.1", "25%", "nan", "0.5,0.50"}) {
    EXPECT_THROW(plan.apply_flag("padding", text), Error) << text;
  }
}

}  // namespace
}  // namespace transformeter
