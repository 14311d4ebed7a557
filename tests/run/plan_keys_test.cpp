// The keys of plan files: sections, plurals, and sets of models.
#include "run/plan_keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "run/plan.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class PlanKeys : public testing::Test {
 protected:
  Plan read(std::string_view yaml) {
    Plan plan;
    plan.apply_file(folder_.write("plan.yaml", yaml));
    return plan;
  }
  std::string refusal_of(std::string_view yaml) {
    try {
      read(yaml);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "(no error)";
  }
  TemporaryFolder folder_;
};

TEST_F(PlanKeys, SettingsMayStandInSections) {
  const Plan plan = read(
      "seed: 3\n"
      "model:\n  model: bert-tiny\n  task: masked_lm\n"
      "data:\n  data: bundled\n  batch_size: [1, 8]\n"
      "hardware:\n  threads: 1,2\n"
      "measuring:\n  baseline: {attention: eager}\n");
  EXPECT_EQ(plan.value("seed"), 3);
  EXPECT_EQ(plan.value("model"), "bert-tiny");
  EXPECT_EQ(plan.value("task"), "masked_lm");
  EXPECT_EQ(plan.value("data"), "bundled");
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{1, 8}));
  EXPECT_THAT(plan.at("batch_size").origin, EndsWith("plan.yaml:7"));
  EXPECT_EQ(plan.at("threads").values, (std::vector<Json>{1, 2}));
  EXPECT_EQ(plan.value("baseline"), (Json{{"attention", "eager"}}));
}

TEST_F(PlanKeys, EveryTopicIsASectionAndASectionsSettingsAreAsAtTheTop) {
  for (const std::string& topic : setting_topics()) EXPECT_TRUE(is_plan_section(topic)) << topic;
  for (const std::string& section : plan_sections()) {
    EXPECT_EQ(read(section + ": {seed: 5}\n").value("seed"), 5) << section;
  }
  const std::vector<std::string> sections = plan_sections();
  EXPECT_EQ(std::set<std::string>(sections.begin(), sections.end()).size(), sections.size());
}

TEST_F(PlanKeys, ASettingAtTheTopAndInASectionIsGivenTwice) {
  EXPECT_THAT(refusal_of("seed: 1\nworkload:\n  batch_size: 1\n  seed: 2\n"),
              AllOf(HasSubstr("plan.yaml:4:"), HasSubstr("seed is set twice"), HasSubstr("'seed' on line 1"),
                    HasSubstr("'workload.seed' on line 4")));
  EXPECT_THAT(refusal_of("workload: {seed: 2}\nmodel: {seed: 2}\n"),
              AllOf(HasSubstr("'workload.seed' on line 1"), HasSubstr("'model.seed' on line 2")));
  EXPECT_THAT(refusal_of("model: bert-tiny\nmodel: {task: masked_lm}\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("'model' is set twice, first on line 1")));
  EXPECT_THAT(refusal_of("training: {seed: 1}\ntraining: {limit: 1}\n"), HasSubstr("'training' is set twice"));
  EXPECT_THAT(refusal_of("training:\n  seed: 1\n  seed: 2\n"),
              AllOf(HasSubstr("plan.yaml:3:"), HasSubstr("'seed' is set twice, first on line 2")));
}

TEST_F(PlanKeys, SectionsAreOneLevelDeep) {
  EXPECT_THAT(refusal_of("workload:\n  training:\n    seed: 1\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("section 'training' cannot be in section 'workload'")));
  EXPECT_THAT(refusal_of("workload: {model: {model: gpt2}}\n"), HasSubstr("cannot be in section 'workload'"));
  EXPECT_THAT(refusal_of("workload: {batch_size: {a: 1}}\n"), HasSubstr("a flat list"));
  EXPECT_THAT(refusal_of("workload: {batch_size: [[1]]}\n"), HasSubstr("a flat list"));
  EXPECT_THAT(refusal_of("measuring: {baseline: {attention: [eager]}}\n"), HasSubstr("attention takes one value"));
  EXPECT_THAT(refusal_of("workload: {}\n"), AllOf(HasSubstr(":1:"), HasSubstr("section 'workload' is empty")));
  EXPECT_THAT(refusal_of("training:\nseed: 1\n"), AllOf(HasSubstr(":1:"), HasSubstr("takes a map of settings")));
  EXPECT_THAT(refusal_of("training: yes\n"), HasSubstr("'training' is a section, not a setting"));
  EXPECT_THAT(refusal_of("training: [seed]\n"), HasSubstr("'training' is a section, not a setting"));
}

TEST_F(PlanKeys, AnUnknownKeyIsAnsweredWithTheNearestSettingOrSection) {
  EXPECT_THAT(refusal_of("trainning: {seed: 1}\n"), HasSubstr("Did you mean 'training'?"));
  EXPECT_THAT(refusal_of("hardwar:\n  threads: 1\n"), AllOf(HasSubstr(":1:"), HasSubstr("Did you mean 'hardware'?")));
  EXPECT_THAT(refusal_of("training:\n  batchsize: 1\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("'batchsize'"), HasSubstr("Did you mean 'batch_size'?")));
  EXPECT_THAT(refusal_of("training:\n  trainin: 1\n"), Not(HasSubstr("Did you mean 'training'?")))
      << "which cannot be there";
  EXPECT_THAT(refusal_of("model_familys: embedding\n"), HasSubstr("Did you mean 'model_families'?"));
}

TEST_F(PlanKeys, AnAxisMayStandInThePlural) {
  const Plan plan = read(
      "models: [bert-tiny, gpt2]\nbatch_sizes: [1, 8]\nsequence_lengths: 16,natural\nprecisions: fp32\n"
      "engines: [pytorch, fast]\nattentions: [eager, sdpa]\nworkload: {tasks: auto}\n");
  EXPECT_EQ(plan.at("model").values, (std::vector<Json>{"bert-tiny", "gpt2"}));
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{1, 8}));
  EXPECT_EQ(plan.at("sequence_length").values, (std::vector<Json>{16, "natural"}));
  EXPECT_EQ(plan.value("precision"), "fp32");
  EXPECT_EQ(plan.at("engine").values.size(), 2U);
  EXPECT_EQ(plan.at("attention").values.size(), 2U);
  EXPECT_THAT(plan.at("batch_size").origin, EndsWith("plan.yaml:2"));
}

TEST_F(PlanKeys, APluralThatIsASettingStaysWhatItIs) {
  for (const char* key : {"samples", "threads", "weights", "streams", "products", "transfers", "huge_pages"}) {
    EXPECT_EQ(term_of_plan_key(key, true).name, key);
  }
  for (const SettingTerm& term : setting_terms()) {
    const std::string plural = std::string(term.name) + "s";
    if (term.is_axis && !term.name.ends_with('s')) {
      EXPECT_EQ(term_of_plan_key(plural, true).name, term.name);
    } else if (find_setting(plural) == nullptr) {
      EXPECT_THROW(term_of_plan_key(plural, true), Error) << plural;
    }
  }
}

TEST_F(PlanKeys, OnlyAxesHaveAPlural) {
  EXPECT_THAT(refusal_of("seeds: [1, 2]\n"), HasSubstr("Did you mean 'seed'?"));
  EXPECT_THAT(refusal_of("threadss: 1\n"), HasSubstr("Did you mean 'threads'?"));
  EXPECT_THAT(refusal_of("baseline: {attentions: eager}\n"), HasSubstr("Did you mean 'attention'?"));
}

TEST_F(PlanKeys, BothFormsOfAnAxisAreGivenTwice) {
  EXPECT_THAT(refusal_of("batch_size: 1\nbatch_sizes: [2]\n"),
              AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("batch_size is set twice"),
                    HasSubstr("'batch_size' on line 1"), HasSubstr("'batch_sizes' on line 2")));
}

TEST_F(PlanKeys, FamiliesStandForTheirModels) {
  const std::vector<Json> both{"distilbert-base", "bert-small", "gpt2"};
  EXPECT_EQ(read("model_families: [embedding, text_generation]\n").at("model").values, both);
  EXPECT_EQ(read("model_families: embedding, text_generation\n").at("model").values, both);
  const Plan plan = read("model: {model_families: text_generation}\n");
  EXPECT_EQ(plan.value("model"), "gpt2");
  EXPECT_THAT(plan.at("model").origin, EndsWith("plan.yaml:1"));
  EXPECT_FALSE(plan.has("model_families")) << "a stored plan knows settings alone";
}

TEST_F(PlanKeys, FamiliesAreRefusedBesideModelsAndByName) {
  EXPECT_THAT(
      refusal_of("model: gpt2\nmodel_families: embedding\n"),
      AllOf(HasSubstr("plan.yaml:2:"), HasSubstr("model is set twice"), HasSubstr("'model_families' on line 2")));
  EXPECT_THAT(refusal_of("models: gpt2\nmodel_families: embedding\n"), HasSubstr("'models' on line 1"));
  EXPECT_THAT(refusal_of("model_families: [embeddings]\n"),
              AllOf(HasSubstr(":1:"), HasSubstr("'embeddings'"), HasSubstr("Did you mean 'embedding'?")));
  EXPECT_THAT(refusal_of("model_families: [embedding, embedding]\n"), HasSubstr("each value once"));
  EXPECT_THAT(refusal_of("model_families: []\n"), HasSubstr("model_families ''"));
  EXPECT_THAT(refusal_of("model_families: {a: 1}\n"), HasSubstr("a flat list"));
  EXPECT_THAT(refusal_of("model_families:\n"), HasSubstr("has no value"));
}

TEST_F(PlanKeys, AliasesWithinSectionsStaySmall) {
  // 64 keys that share one list of 32,000 values: two million, of a file of 65 KB.
  std::string yaml = "workload:\n  batch_size: &a [1";
  for (int i = 2; i <= 32'000; ++i) yaml += ",1";
  yaml += "]\n";
  for (int i = 0; i < 64; ++i) yaml += fmt::format("  k{}: *a\n", i);
  EXPECT_THAT(refusal_of(yaml), HasSubstr("more than 524288 values"));
  EXPECT_THAT(refusal_of("workload: &a {model: *a}\n"), HasSubstr("plan.yaml"));
  EXPECT_THAT(refusal_of("workload: &a\n  seed: 1\ntraining: *a\n"), HasSubstr("seed is set twice"));
}

}  // namespace
}  // namespace transformeter
