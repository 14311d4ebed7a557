// Which case is compared with which, and what each figure is; expected numbers are worked out here.
#include "analysis/baseline_table.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kMiB = 1024.0 * 1024;

Json requested(const std::string& attention, double padding, const std::string& precision = "fp32") {
  Json settings = requested_of(8, 128, precision);
  settings["attention"] = attention;
  settings["padding"] = padding;
  return settings;
}

// Three processes whose samples all take the same time, and whose memory is given.
CaseRecord constant_case(int position, const Json& settings, const std::vector<double>& levels_s,
                         const std::vector<double>& memory_bytes = {100 * kMiB, 100 * kMiB, 100 * kMiB}) {
  CaseRecord one = measured_case(position, settings, levels_s);
  one.workload_key = "padding " + canonical_json(settings["padding"]);
  one.effective["attention_kernel"] = settings["attention"];
  for (std::size_t i = 0; i < one.replicates.size(); ++i) {
    std::vector<Series>& series = one.replicates[i].series;
    series[0].value.assign(series[0].value.size(), levels_s[i]);
    std::erase_if(series, [](const Series& s) { return s.name == "peak_rss"; });
    series.push_back(scalar_series("baseline_rss", 50 * kMiB));
    series.push_back(scalar_series("peak_rss", 50 * kMiB + memory_bytes[i]));
  }
  return one;
}

RunRecord run_with(std::vector<CaseRecord> cases, const Json& baseline) {
  RunRecord run = mixed_run();
  run.cases = std::move(cases);
  run.settings["baseline"] = {{"values", {baseline}}, {"origin", "flag"}};
  return run;
}

RunRecord padding_run() {
  return run_with({constant_case(0, requested("eager", 0), {0.1, 0.1, 0.1}),
                   constant_case(1, requested("sdpa", 0), {0.05, 0.05, 0.05}),
                   constant_case(2, requested("eager", 0.75), {0.06, 0.06, 0.06}),
                   constant_case(3, requested("sdpa", 0.75), {0.02, 0.02, 0.02})},
                  {{"attention", "eager"}});
}

double value_of(const BaselinePair& pair, const char* name) {
  const MetricRow* row = find_row(pair, name);
  return row != nullptr && row->value ? *row->value : std::nan("");
}

// A suite before this one measured its baseline at one padding and used it for all: 0.1 ÷ 0.02 = 5 would be the answer
// at 75 %.
TEST(BaselineTable, EachLevelOfPaddingHasItsOwnBaseline) {
  const RunRecord run = padding_run();
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  ASSERT_TRUE(table);
  EXPECT_THAT(table->arm, ElementsAre("attention"));
  EXPECT_THAT(table->groups, ElementsAre("padding"));
  ASSERT_EQ(table->pairs.size(), 2U);
  EXPECT_EQ(table->pairs[0].baseline->record->id, "c01");
  EXPECT_EQ(table->pairs[1].baseline->record->id, "c03");
  EXPECT_NEAR(value_of(table->pairs[0], "speed_up"), 2, 1e-12);
  EXPECT_NEAR(value_of(table->pairs[1], "speed_up"), 3, 1e-12);
  EXPECT_NEAR(value_of(table->pairs[1], "time_saved"), 1 - 0.02 / 0.06, 1e-12);
  EXPECT_EQ(table->pairs[1].speed.answer, SpeedAnswer::kFaster);
}

// Welch on logarithms with 3 replicates each: s of the log is 0.01 at both (in first order), each mean has 0.01 ÷ √3,
// the difference √2 times that, with 4 degrees of freedom t = 2.776445.
TEST(BaselineTable, IntervalsOfTimeAndMemoryAreWelchsOnLogarithms) {
  const RunRecord run =
      run_with({constant_case(0, requested("eager", 0), {0.0990, 0.1, 0.1010}, {198 * kMiB, 200 * kMiB, 202 * kMiB}),
                constant_case(1, requested("sdpa", 0), {0.0495, 0.05, 0.0505}, {99 * kMiB, 100 * kMiB, 101 * kMiB})},
               {{"attention", "eager"}});
  const AnalyzedRun analyzed = analyze_run(run);
  const BaselinePair pair = baseline_table(analyzed)->pairs.at(0);
  const double half_width = 2.776445 * 0.01 / std::sqrt(3.0) * std::sqrt(2.0);
  const MetricRow& speed_up = *find_row(pair, "speed_up");
  EXPECT_NEAR(*speed_up.low, 2 * std::exp(-half_width), 1e-6);
  EXPECT_NEAR(*speed_up.high, 2 * std::exp(half_width), 1e-6);
  EXPECT_EQ(speed_up.interval, IntervalKind::kBetweenReplicates);
  EXPECT_EQ(speed_up.n, 3U);
  for (const char* name : {"time_saved", "memory_saved"}) {
    const MetricRow& saved = *find_row(pair, name);
    EXPECT_NEAR(*saved.value, 0.5, 1e-9) << name;
    EXPECT_NEAR(*saved.low, 1 - 0.5 * std::exp(half_width), 1e-6) << name;
    EXPECT_NEAR(*saved.high, 1 - 0.5 * std::exp(-half_width), 1e-6) << name;
  }
}

TEST(BaselineTable, AxesOutsideTheBaselineTellGroupsApart) {
  std::vector<CaseRecord> cases;
  for (const char* precision : {"fp32", "bf16"}) {
    for (const char* attention : {"eager", "sdpa"}) {
      const double time = precision == std::string("fp32") ? 0.1 : 0.04;
      const double factor = attention == std::string("eager") ? 1 : 0.5;
      const auto position = static_cast<int>(cases.size());
      cases.push_back(constant_case(position, requested(attention, 0, precision), std::vector(3, time * factor)));
    }
  }
  const RunRecord run = run_with(cases, {{"attention", "eager"}});
  const AnalyzedRun within = analyze_run(run);
  const auto by_precision = baseline_table(within);
  for (const BaselinePair& pair : by_precision->pairs) EXPECT_NEAR(value_of(pair, "speed_up"), 2, 1e-9);
  EXPECT_EQ(by_precision->pairs.size(), 2U);
  const AnalyzedRun across = analyze_run(run, Json{{"attention", "eager"}, {"precision", "fp32"}});
  const auto table = baseline_table(across);
  ASSERT_EQ(table->pairs.size(), 3U) << "all but the baseline";
  EXPECT_NEAR(value_of(table->pairs[2], "speed_up"), 0.1 / 0.02, 1e-9) << "bf16 sdpa against fp32 eager";
}

// What a named engine chooses differs between the arms without being named in the baseline; streams also follow the
// threads, which are an axis of their own.
TEST(BaselineTable, SettingsThatAnEngineChoosesBelongToTheArm) {
  std::vector<CaseRecord> cases;
  for (const int threads : {1, 2}) {
    for (const char* precision : {"fp32", "bf16"}) {
      for (const char* engine : {"pytorch", "fast"}) {
        const bool is_fast = engine == std::string("fast");
        Json settings = requested("sdpa", 0, precision);
        settings["engine"] = engine;
        settings["batching"] = is_fast ? "packed" : "padded";
        settings["streams"] = is_fast ? threads : 1;
        settings["weights"] = precision == std::string("bf16") ? "prepacked" : "plain";  // by both engines
        settings["threads"] = threads;
        cases.push_back(constant_case(static_cast<int>(cases.size()), settings, {0.1, 0.1, 0.1}));
      }
    }
  }
  RunRecord run = run_with(cases, {{"engine", "pytorch"}});
  run.settings["threads"] = {{"values", {1, 2}}, {"origin", "flag"}};
  run.settings["precision"] = {{"values", {"auto"}}, {"origin", "default"}};
  run.settings["batching"] = {{"values", {"auto"}}, {"origin", "default"}};
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  EXPECT_THAT(table->arm, testing::UnorderedElementsAre("engine", "batching", "streams", "weights"));
  EXPECT_THAT(table->groups, testing::UnorderedElementsAre("precision", "threads"));
  ASSERT_EQ(table->pairs.size(), 4U);
  for (const BaselinePair& pair : table->pairs) {
    ASSERT_NE(pair.baseline, nullptr);
    EXPECT_EQ(pair.baseline->record->requested["engine"], "pytorch");
    for (const char* setting : {"precision", "threads"}) {
      EXPECT_EQ(pair.baseline->record->requested[setting], pair.candidate->record->requested[setting]);
    }
    EXPECT_EQ(pair.speed.answer, SpeedAnswer::kSame);
  }
}

TEST(BaselineTable, SettingsThatTheBaselineDoesNotHaveBelongToTheArm) {
  std::vector<CaseRecord> cases;
  for (const int window : {0, 64, 128}) {
    Json settings = requested("sdpa", 0);
    settings["batching"] = window == 0 ? "padded" : "bucketed";
    if (window > 0) settings["bucket_window"] = window;
    cases.push_back(constant_case(static_cast<int>(cases.size()), settings, {0.1, 0.1, 0.1}));
  }
  RunRecord run = run_with(cases, {{"batching", "padded"}});
  run.settings["bucket_window"] = {{"values", {64, 128}}, {"origin", "flag"}};
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  ASSERT_EQ(table->pairs.size(), 2U);
  for (const BaselinePair& pair : table->pairs) EXPECT_NE(pair.baseline, nullptr);
}

TEST(BaselineTable, GroupsWhoseBaselineHasNoFigureKeepTheirCandidatesWithTheReason) {
  RunRecord run = padding_run();
  run.cases[0].status = Status::kUnsupported;
  run.cases[0].replicates.clear();
  run.cases[2].status.reset();
  run.cases[2].replicates.clear();
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  ASSERT_EQ(table->pairs.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const BaselinePair& pair = table->pairs[i];
    EXPECT_EQ(pair.speed.answer, SpeedAnswer::kUndecided);
    EXPECT_THAT(pair.speed.reason, HasSubstr(i == 0 ? "is unsupported" : "is pending"));
    ASSERT_EQ(pair.rows.size(), 5U);
    for (const MetricRow& row : pair.rows) {
      EXPECT_FALSE(row.value) << row.name;
      EXPECT_FALSE(row.reason.empty()) << row.name;
    }
  }
  run.cases.erase(run.cases.begin());
  const AnalyzedRun without = analyze_run(run);
  EXPECT_EQ(baseline_table(without)->pairs[0].baseline, nullptr);
  EXPECT_EQ(baseline_table(without)->pairs[0].speed.reason, "the run has no matching baseline case");
}

TEST(BaselineTable, FewerThanThreeReplicatesAreUndecidedWithoutFigures) {
  const RunRecord run = run_with(
      {constant_case(0, requested("eager", 0), {0.1, 0.1}), constant_case(1, requested("sdpa", 0), {0.05, 0.05})},
      {{"attention", "eager"}});
  const AnalyzedRun analyzed = analyze_run(run);
  const BaselinePair pair = baseline_table(analyzed)->pairs.at(0);
  EXPECT_EQ(pair.speed.answer, SpeedAnswer::kUndecided);
  EXPECT_THAT(pair.speed.reason, HasSubstr("at least 3 replicates"));
  EXPECT_THAT(find_row(pair, "memory_saved")->reason, HasSubstr("at least 3 replicates"));
  EXPECT_FALSE(find_row(pair, "speed_up")->value);
}

TEST(BaselineTable, MemoryOfSeveralWorkersIsNotCompared) {
  RunRecord run = padding_run();
  run.cases[1].replicates[2].ranks = 2;
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  EXPECT_THAT(find_row(table->pairs[0], "memory_saved")->reason, HasSubstr("single worker"));
  EXPECT_TRUE(find_row(table->pairs[0], "speed_up")->value);
  EXPECT_TRUE(find_row(table->pairs[1], "memory_saved")->value);
}

TEST(BaselineTable, MemoryIsCountedFromWhatTheProcessBeganWith) {
  RunRecord run = run_with({constant_case(0, requested("eager", 0), {0.1, 0.1, 0.1}, std::vector(3, 200 * kMiB)),
                            constant_case(1, requested("sdpa", 0), {0.1, 0.1, 0.1}, std::vector(3, 100 * kMiB))},
                           {{"attention", "eager"}});
  const AnalyzedRun analyzed = analyze_run(run);
  const BaselinePair pair = baseline_table(analyzed)->pairs.at(0);
  EXPECT_NEAR(value_of(pair, "memory_saved"), 0.5, 1e-12) << "not 1 − 150 ÷ 250, libraries counted";
  EXPECT_NEAR(value_of(pair, "tensor_memory_saved"), 0, 1e-12);
  EXPECT_EQ(find_row(pair, "anonymous_memory_saved")->reason, "eager has no peak_anonymous");
}

TEST(BaselineTable, TensorsAreNotComparedWhereOneSideMapsItsWeights) {
  RunRecord run = run_with({constant_case(0, requested("eager", 0), {0.1, 0.1, 0.1}, std::vector(3, 200 * kMiB)),
                            constant_case(1, requested("sdpa", 0), {0.1, 0.1, 0.1}, std::vector(3, 100 * kMiB))},
                           {{"attention", "eager"}});
  const auto saved = [&](const char* name) {
    const AnalyzedRun analyzed = analyze_run(run);
    return *find_row(baseline_table(analyzed)->pairs.at(0), name);
  };
  for (CaseRecord& one : run.cases) one.effective["model"]["trained"] = true;
  EXPECT_TRUE(saved("tensor_memory_saved").value);
  run.cases[1].effective["weights"] = "prepacked";
  EXPECT_FALSE(saved("tensor_memory_saved").value);
  EXPECT_THAT(saved("tensor_memory_saved").reason, HasSubstr("directly from the mapped file"));
  EXPECT_TRUE(saved("memory_saved").value);
  run.cases[1].effective.erase("weights");
  run.cases[1].effective["fusion"] = "fused";
  EXPECT_FALSE(saved("tensor_memory_saved").value) << "joined products have weights of their own";
  run.cases[1].effective.erase("fusion");
  EXPECT_TRUE(saved("tensor_memory_saved").value);
  run.cases[1].effective["device"] = "cuda:0";
  EXPECT_FALSE(saved("tensor_memory_saved").value) << "a GPU maps no file";
  run.cases[1].effective["weights"] = "prepacked";
  run.cases[0].effective["device"] = "cuda:0";
  EXPECT_TRUE(saved("tensor_memory_saved").value) << "neither side maps its file";
}

TEST(BaselineTable, DifferentWorkIsRefusedWithTheDifferenceNamed) {
  RunRecord run = padding_run();
  run.cases[1].workload_key = "cut";
  run.cases[1].effective["cycle_examples"] = 16;
  run.cases[0].effective["cycle_examples"] = 300;
  const AnalyzedRun analyzed = analyze_run(run);
  const BaselinePair pair = baseline_table(analyzed)->pairs.at(0);
  EXPECT_EQ(pair.speed.reason, "the workloads differ: cycle_examples 300 vs. 16");
  EXPECT_EQ(find_row(pair, "memory_saved")->reason, pair.speed.reason);
}

TEST(BaselineTable, DoubtfulCasesKeepTheirFiguresAndStayUndecided) {
  RunRecord run = padding_run();
  for (ReplicateRecord& replicate : run.cases[1].replicates) {
    replicate.series.push_back(scalar_series("major_faults", 3));
  }
  const AnalyzedRun analyzed = analyze_run(run);
  const auto table = baseline_table(analyzed);
  EXPECT_THAT(table->pairs[0].speed.reason, AllOf(HasSubstr("is doubtful"), HasSubstr("major_faults")));
  EXPECT_EQ(table->pairs[0].speed.answer, SpeedAnswer::kUndecided);
  EXPECT_NEAR(value_of(table->pairs[0], "speed_up"), 2, 1e-12);
}

TEST(BaselineTable, PairsWithAnInvalidCaseHaveNoFigures) {
  for (const std::size_t invalid : {0U, 1U}) {
    RunRecord run = padding_run();
    for (ReplicateRecord& replicate : run.cases[invalid].replicates) {
      replicate.series.push_back(scalar_series("divergence", 1));
    }
    const AnalyzedRun analyzed = analyze_run(run);
    const auto table = baseline_table(analyzed);
    EXPECT_EQ(table->pairs[0].speed.answer, SpeedAnswer::kUndecided);
    for (const MetricRow& row : table->pairs[0].rows) {
      EXPECT_FALSE(row.value) << row.name;
      EXPECT_THAT(row.reason, AllOf(HasSubstr("is invalid"), HasSubstr("numerics"))) << row.name;
    }
    EXPECT_TRUE(find_row(table->pairs[1], "memory_saved")->value);
  }
}

TEST(BaselineTable, SaysWhyThereAreNoPairs) {
  RunRecord run = padding_run();
  const AnalyzedRun none = analyze_run(run, Json{{"precision", "fp16"}});
  EXPECT_EQ(baseline_table(none)->note, "no case in the run has precision=fp16");
  const AnalyzedRun all = analyze_run(run, Json{{"precision", "fp32"}});
  EXPECT_EQ(baseline_table(all)->note, "every case has precision=fp32");
  run.settings.erase("baseline");
  const AnalyzedRun without = analyze_run(run);
  EXPECT_FALSE(baseline_table(without));
  EXPECT_TRUE(comparison_json(without).is_null());
}

TEST(BaselineTable, StoredGarbageIsNoBaseline) {
  RunRecord run = padding_run();
  for (const Json& value : {Json(), Json("eager"), Json::object(), Json::array({1})}) {
    run.settings["baseline"] = {{"values", {value}}, {"origin", "flag"}};
    EXPECT_FALSE(planned_baseline(run)) << value;
  }
  run.settings["baseline"] = {{"values", {{{"no such", {{"deep", 1}}}}}}, {"origin", 7}};
  const AnalyzedRun analyzed = analyze_run(run);
  EXPECT_THAT(baseline_table(analyzed)->pairs, IsEmpty());
  EXPECT_NO_THROW(comparison_json(analyzed));
}

TEST(BaselineTable, JsonHoldsEveryPairWithItsCases) {
  const RunRecord run = padding_run();
  const Json json = comparison_json(analyze_run(run));
  EXPECT_EQ(json.at("baseline"), (Json{{"attention", "eager"}}));
  EXPECT_EQ(json.at("arm"), Json::array({"attention"}));
  ASSERT_EQ(json.at("pairs").size(), 2U);
  const Json& pair = json.at("pairs").at(1);
  EXPECT_EQ(pair.at("baseline_case"), "c03");
  EXPECT_EQ(pair.at("case"), "c04");
  EXPECT_EQ(pair.at("answer"), "faster");
  EXPECT_TRUE(pair.at("reason").is_null());
  EXPECT_EQ(pair.at("metrics").at(0).at("name"), "speed_up");
  EXPECT_NEAR(pair.at("metrics").at(0).at("value").get<double>(), 3, 1e-12);
}

}  // namespace
}  // namespace transformeter
