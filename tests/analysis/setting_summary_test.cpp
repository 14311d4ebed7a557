// Figures over the cases of each value of a setting.
#include "analysis/setting_summary.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunRecord run_of_three() {
  RunRecord run = training_run();
  for (const auto& [batch, precision, step] :
       {std::tuple(16, "fp32", 0.4), {8, "fp32", 0.1}, {16, "bf16", 0.2}, {8, "bf16", 0.3}}) {
    Json settings = training_settings(batch);
    settings["precision"] = precision;
    add_training_case(run, settings, step_figures(step, batch));
  }
  return run;
}

const MetricSummary& metric(const ValueSummary& value, std::string_view name) {
  return *std::find_if(value.metrics.begin(), value.metrics.end(),
                       [&](const MetricSummary& one) { return one.metric == name; });
}

TEST(SettingSummary, IsOverTheCasesOfEachValue) {
  const RunRecord run = run_of_three();
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"batch_size", "precision"});
  ASSERT_EQ(summaries.settings.size(), 2u);
  const SettingSummary& by_batch = summaries.settings[0];
  ASSERT_EQ(by_batch.values.size(), 2u);
  EXPECT_EQ(by_batch.values[0].value, "8") << "numbers ascend";
  EXPECT_THAT(by_batch.also_differ, ElementsAre("precision"));
  const MetricSummary& latency = metric(by_batch.values[0], "latency");
  EXPECT_EQ(latency.unit, "s");
  EXPECT_EQ(latency.cases.n, 2u);
  EXPECT_DOUBLE_EQ(latency.cases.min, 0.1);
  EXPECT_DOUBLE_EQ(latency.cases.mean, 0.2);
  EXPECT_DOUBLE_EQ(latency.cases.max, 0.3);
  EXPECT_NEAR(*latency.cases.stddev, std::sqrt(0.02), 1e-12);
  EXPECT_THAT(summaries.settings[1].also_differ, ElementsAre("batch_size"));
}

// Batch 64 fits with one precision alone, where it is fast: over all cases it would be the fastest batch.
TEST(SettingSummary, IsOfCasesWhoseOtherSettingsEveryValueHas) {
  RunRecord run = training_run();
  for (const auto& [batch, precision, step] :
       {std::tuple(8, "fp32", 0.4), {8, "bf16", 0.1}, {64, "fp32", 0.0}, {64, "bf16", 0.2}}) {
    Json settings = training_settings(batch);
    settings["precision"] = precision;
    if (step > 0) {
      add_training_case(run, settings, step_figures(step, batch));
    } else {
      add_failed_training_case(run, settings, Status::kOutOfMemory, "the limit is 8 GiB");
    }
  }
  const SettingSummary summary = summaries_by(analyze_run(run), {"batch_size"}).settings.at(0);
  EXPECT_TRUE(summary.is_matched);
  EXPECT_THAT(summary.unmatched, ElementsAre("c01"));
  EXPECT_THAT(summary.values.at(0).cases, ElementsAre("c02"));
  EXPECT_DOUBLE_EQ(metric(summary.values[0], "latency").cases.mean, 0.1);
  EXPECT_DOUBLE_EQ(metric(summary.values.at(1), "latency").cases.mean, 0.2);
  EXPECT_THAT(summary.also_differ, ElementsAre());
}

TEST(SettingSummary, SaysWhereValuesRestOnDifferentCases) {
  RunRecord run = training_run();
  for (const auto& [batch, precision] : {std::pair(8, "fp32"), {16, "bf16"}}) {
    Json settings = training_settings(batch);
    settings["precision"] = precision;
    add_training_case(run, settings, step_figures(0.1, batch));
  }
  const SettingSummary summary = summaries_by(analyze_run(run), {"batch_size"}).settings.at(0);
  EXPECT_FALSE(summary.is_matched);
  EXPECT_EQ(summary.values.size(), 2U);
  EXPECT_FALSE(metric(summary.values[0], "latency").is_matched);
}

// Energy is known of one precision alone at batch 8: batch 16 is held against that one.
TEST(SettingSummary, AMetricIsOfCasesWhoseOtherSettingsEveryValueHasItOf) {
  RunRecord run = training_run();
  for (const auto& [batch, precision, joules] :
       {std::tuple(8, "fp32", 0.0), {8, "bf16", 2.0}, {16, "fp32", 9.0}, {16, "bf16", 3.0}}) {
    Json settings = training_settings(batch);
    settings["precision"] = precision;
    KnownFigures figures = step_figures(0.1, batch);
    if (joules > 0) figures["energy"] = {joules};
    add_training_case(run, settings, figures);
  }
  const SettingSummary summary = summaries_by(analyze_run(run), {"batch_size"}).settings.at(0);
  EXPECT_EQ(metric(summary.values.at(1), "energy").cases.n, 1U);
  EXPECT_DOUBLE_EQ(metric(summary.values[1], "energy").cases.mean, 3);
  EXPECT_EQ(metric(summary.values[1], "latency").cases.n, 2U);
}

TEST(SettingSummary, NeverPutsModelsDataOrDevicesTogether) {
  RunRecord run = training_run();
  for (const char* device : {"cpu", "cuda:0"}) {
    for (const char* model : {"distilbert-base", "bert-base"}) {
      for (const int batch : {8, 16}) {
        Json settings = training_settings(batch);
        settings["model"] = model;
        settings["device"] = device;
        add_training_case(run, settings, step_figures(0.1, batch));
      }
    }
  }
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"batch_size", "model"});
  ASSERT_EQ(summaries.settings.size(), 6U) << "4 by batch size, 2 by model";
  std::set<std::pair<std::string, std::string>> groups;
  for (std::size_t i = 0; i < 4; ++i) {
    groups.emplace(summaries.settings[i].group.model, summaries.settings[i].group.device);
    EXPECT_EQ(summaries.settings[i].setting, "batch_size");
    EXPECT_EQ(summaries.settings[i].values.size(), 2U);
    EXPECT_THAT(summaries.settings[i].also_differ, ElementsAre());
  }
  EXPECT_EQ(groups.size(), 4U);
  EXPECT_EQ(summaries.settings[4].group.model, "") << "it is what they are summarised by";
  EXPECT_EQ(summaries.settings[4].values.size(), 2U);
}

TEST(SettingSummary, IsOverTheModelsOfEachFamily) {
  RunRecord run = training_run();
  for (const auto& [model, family, step] :
       {std::tuple("bert-tiny", "bert", 0.1), {"bert-mini", "bert", 0.3}, {"gpt2", "gpt2", 0.5}}) {
    Json settings = training_settings(8);
    settings["model"] = model;
    add_training_case(run, settings, step_figures(step, 8));
    run.cases.back().effective["model"]["family"] = family;
  }
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"family"});
  ASSERT_EQ(summaries.settings.size(), 1u) << "families of one task, data set and device";
  const SettingSummary& by_family = summaries.settings[0];
  EXPECT_EQ(by_family.group.model, "");
  EXPECT_EQ(by_family.group.task, run.cases[0].requested.at("task"));
  EXPECT_TRUE(by_family.is_matched);
  EXPECT_THAT(by_family.also_differ, ElementsAre("model"));
  ASSERT_EQ(by_family.values.size(), 2u);
  EXPECT_EQ(by_family.values[0].value, "bert");
  EXPECT_EQ(by_family.values[0].cases.size(), 2u);
  EXPECT_DOUBLE_EQ(metric(by_family.values[0], "latency").cases.mean, 0.2);
  EXPECT_EQ(by_family.values[1].value, "gpt2");

  run.cases[2].requested["task"] = "causal_lm";
  EXPECT_EQ(summaries_by(analyze_run(run), {"family"}).settings.size(), 2u) << "what they do differs";
}

// Where the largest model of a family did not run, the smaller ones do not stand for it.
TEST(SettingSummary, OfAFamilyIsOverWhatEachOfItsModelsWasMeasuredWith) {
  RunRecord run = training_run();
  for (const auto& [model, family, batch, step] : {std::tuple("bert-tiny", "bert", 8, 0.1),
                                                   {"bert-tiny", "bert", 64, 0.2},
                                                   {"bert-base", "bert", 8, 0.5},
                                                   {"gpt2", "gpt2", 8, 0.5},
                                                   {"gpt2", "gpt2", 64, 0.9}}) {
    Json settings = training_settings(batch);
    settings["model"] = model;
    add_training_case(run, settings, step_figures(step, batch));
    run.cases.back().effective["model"]["family"] = family;
  }
  const SettingSummary summary = summaries_by(analyze_run(run), {"family"}).settings.at(0);
  EXPECT_TRUE(summary.is_matched);
  EXPECT_THAT(summary.unmatched, ElementsAre("c02", "c05")) << "bert-base has no batch 64";
  EXPECT_DOUBLE_EQ(metric(summary.values.at(0), "latency").cases.mean, 0.3);
  EXPECT_DOUBLE_EQ(metric(summary.values.at(1), "latency").cases.mean, 0.5);
}

TEST(SettingSummary, LeavesOutWhatHasNoBelievableFigures) {
  RunRecord run = run_of_three();
  run.cases[0].status = Status::kCrashed;
  run.cases[1].summary->document.replace(0, 7, "level\t2");
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"batch_size"});
  EXPECT_THAT(summaries.left_out, ::testing::UnorderedElementsAre("c01", "c02"));
  EXPECT_FALSE(metric(summaries.settings.at(0).values.at(0), "latency").cases.stddev) << "of one case";
}

TEST(SettingSummary, SaysWhereCasesTookDifferentNumbersOfSteps) {
  RunRecord run = run_of_three();
  for (CaseRecord& one : run.cases) one.replicates.at(0).series = {value_series("loss", std::vector<double>(40, 0.5))};
  EXPECT_FALSE(summaries_by(analyze_run(run), {"batch_size"}).settings.at(0).differing_steps);
  run.cases[1].replicates[0].series = {value_series("loss", std::vector<double>(400, 0.5))};
  const auto steps = summaries_by(analyze_run(run), {"batch_size"}).settings.at(0).differing_steps;
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->fewest, 40U);
  EXPECT_EQ(steps->most, 400U);
}

TEST(SettingSummary, ASettingThatNoCaseHasIsRefusedWithThoseThatTheyHave) {
  const RunRecord run = run_of_three();
  try {
    summaries_by(analyze_run(run), {"optimiser"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("optimiser"), HasSubstr("Did you mean 'optimizer'?")));
  }
}

}  // namespace
}  // namespace transformeter
