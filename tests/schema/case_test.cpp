// From settings to values.
#include "schema/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

ErrorKind refusal(const Json& settings) {
  try {
    case_from(settings);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(CaseFrom, EverySettingOfACaseHasAMemberAndNoneOfARun) {
  for (const SettingTerm& term : setting_terms()) {
    const bool has_member = !std::holds_alternative<std::monostate>(term.member);
    EXPECT_EQ(has_member, term.group != SettingGroup::kRun) << term.name;
  }
}

// Two rows with one member would overwrite each other.
TEST(CaseFrom, EachMemberHasOneSetting) {
  for (const SettingTerm& one : setting_terms()) {
    for (const SettingTerm& other : setting_terms()) {
      if (one.name >= other.name || one.member.index() != other.member.index()) continue;
      const bool is_same = std::visit(
          [&](const auto& member) {
            using Member = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<Member, std::monostate>) {
              return false;
            } else if constexpr (std::is_same_v<Member, WordMember>) {
              return member.member == std::get<Member>(other.member).member;
            } else {
              return member == std::get<Member>(other.member);
            }
          },
          one.member);
      EXPECT_FALSE(is_same) << one.name << " and " << other.name;
    }
  }
}

TEST(CaseFrom, ReadsEachKindOfValue) {
  const Case one = case_from({{"model", "bert-base"},
                              {"task", "question_answering"},
                              {"scenario", "train"},
                              {"seed", 7},
                              {"batch_size", 4},
                              {"sequence_length", 384},
                              {"padding", 0.25},
                              {"learning_rate", 3e-5},
                              {"max_gradient_norm", 0.5},
                              {"dropout", "off"},
                              {"weights", "prepacked"},
                              {"numa", 1},
                              {"threads", 2}});
  EXPECT_EQ(one.model, "bert-base");
  EXPECT_EQ(one.task, Task::kQuestionAnswering);
  EXPECT_TRUE(one.is_train());
  EXPECT_EQ(one.seed, 7u);
  EXPECT_EQ(one.batch_size, 4);
  EXPECT_EQ(one.sequence_length, 384);
  EXPECT_EQ(one.padding, 0.25);
  EXPECT_EQ(one.learning_rate, 3e-5);
  EXPECT_EQ(one.max_gradient_norm, 0.5);
  EXPECT_FALSE(one.has_dropout);
  EXPECT_TRUE(one.prepacked);
  EXPECT_EQ(one.numa, CountOrWord(1));
  EXPECT_EQ(one.threads, 2);
}

TEST(CaseFrom, AWordInANumbersPlaceIsNothing) {
  const Case one = case_from({{"sequence_length", "natural"},
                              {"limit", "all"},
                              {"chunk_tokens", "none"},
                              {"streams", "auto"},
                              {"threads", "auto"},
                              {"max_gradient_norm", "none"},
                              {"numa", "interleave"}});
  EXPECT_FALSE(one.sequence_length || one.limit || one.chunk_tokens || one.streams || one.threads ||
               one.max_gradient_norm);
  EXPECT_EQ(one.numa, CountOrWord("interleave"));
}

TEST(CaseFrom, WhatIsMissingHasTheValueOfAnEarlierVersion) {
  const Case one = case_from(Json::object());
  EXPECT_TRUE(one.samples_batches());
  EXPECT_TRUE(one.attention_mask);
  EXPECT_TRUE(one.has_dropout);
  EXPECT_EQ(one.batch_size, 1);
  EXPECT_EQ(one.engine, "pytorch");
  EXPECT_EQ(one.precision, "fp32");
  EXPECT_EQ(one.device, "cpu");
  EXPECT_FALSE(one.has_data());
}

TEST(CaseFrom, PassesOverSettingsOfTheRunAndOfOtherVersions) {
  EXPECT_NO_THROW(case_from({{"replicates", "many"}, {"warp_factor", 9}}));
}

TEST(CaseFrom, RefusesWhatIsMalformed) {
  for (const Json& settings : {Json{{"batch_size", 1.5}}, Json{{"batch_size", "1"}}, Json{{"seed", -1}},
                               Json{{"model", 3}}, Json{{"learning_rate", "fast"}}, Json{{"threads", Json::array()}},
                               Json{{"sequence_length", 1e30}}, Json{{"numa", nullptr}}}) {
    EXPECT_EQ(refusal(settings), ErrorKind::kProtocol) << settings;
  }
  EXPECT_EQ(refusal({{"task", "poetry"}}), ErrorKind::kBadInput);
  EXPECT_EQ(refusal({{"scenario", "dance"}}), ErrorKind::kBadInput);
}

TEST(SettingUse, SaysWhatASettingAppliesTo) {
  EXPECT_EQ(use_text(setting_term("optimizer").use), "scenario train");
  EXPECT_EQ(use_text(setting_term("stride").use), "scenario train with task question_answering");
  EXPECT_EQ(use_text(setting_term("split").use), "a data file");
  const Case reading = case_from({{"task", "question_answering"}, {"scenario", "finetune"}});
  EXPECT_TRUE(setting_term("stride").use.holds(reading));
  EXPECT_TRUE(setting_term("optimizer").use.holds(reading));
  EXPECT_FALSE(setting_term("optimizer").use.holds(case_from(Json::object())));
  for (const char* name : {"optimizer", "stride", "batch_size", "label_column", "model"}) {
    EXPECT_TRUE(may_apply(setting_term(name), Scenario::kTrain)) << name;
  }
  for (const char* name : {"optimizer", "stride", "new_tokens"}) {
    EXPECT_FALSE(may_apply(setting_term(name), Scenario::kBatch)) << name;
  }
  for (const char* name : {"padding", "max_length", "bucket_window", "length_distribution", "pooling", "inputs"}) {
    EXPECT_TRUE(may_apply(setting_term(name), Scenario::kBatch)) << name;
  }
  EXPECT_FALSE(may_apply(setting_term("batch_size"), Scenario::kGenerate));
}

TEST(SettingUse, AListOfClassesIsForDataWithClassesThatAreLearntOrScored) {
  const auto holds = [](const char* task, const char* scenario, const char* data) {
    return setting_term("labels").use.holds(case_from({{"task", task}, {"scenario", scenario}, {"data", data}}));
  };
  EXPECT_TRUE(holds("sequence_classification", "batch", "a.tsv"));
  EXPECT_TRUE(holds("multi_label_classification", "finetune", "a.tsv"));
  EXPECT_TRUE(holds("multi_label_classification", "train", "a.tsv"));
  EXPECT_FALSE(holds("multi_label_classification", "batch", "a.tsv")) << "which scores no sets of labels";
  EXPECT_FALSE(holds("regression", "finetune", "a.tsv"));
  EXPECT_FALSE(holds("sequence_classification", "batch", "bundled"));
  EXPECT_TRUE(holds("zero_shot_image_classification", "batch", "synthetic")) << "whose classes are the list alone";
  EXPECT_FALSE(holds("image_classification", "batch", "synthetic"));
}

// Keys of cases that are not trained leave them out, as they were before there were any.
TEST(SettingUse, OfTrainingAreThoseOfAStep) {
  std::set<std::string_view> names;
  for (const SettingTerm& term : setting_terms()) {
    if (is_of_training(term)) names.insert(term.name);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "gradient_accumulation", "learning_rate", "weight_decay", "max_gradient_norm",
                         "label_smoothing", "dropout", "optimizer", "gradient_checkpointing", "lora_rank", "lora_alpha",
                         "lora_targets", "deterministic", "loader_threads", "price_per_hour"));
}

TEST(SettingUse, OfAdaptersNeedARank) {
  const auto holds = [](const char* name, const Json& rank) {
    return setting_term(name).use.holds(case_from({{"scenario", "train"}, {"lora_rank", rank}}));
  };
  for (const char* name : {"lora_alpha", "lora_targets"}) {
    EXPECT_TRUE(holds(name, 8)) << name;
    EXPECT_FALSE(holds(name, "off")) << name;
    EXPECT_FALSE(may_apply(setting_term(name), Scenario::kBatch)) << name;
  }
}

}  // namespace
}  // namespace transformeter
