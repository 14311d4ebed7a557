// One case for each reason and note, on either side of its threshold.
#include <gmock/gmock.h>

#include <cmath>

#include "metrics_testing.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

Verdict verdict_of(std::vector<Series> series) {
  std::vector<Series> all{latency_series(steady_values(50))};
  for (Series& one : series) {
    if (one.name == "latency") all.clear();
  }
  for (Series& one : series) all.push_back(std::move(one));
  return apart_from_window(analyze_case(case_of(std::move(all))).verdict);
}

Verdict verdict_of(const Json& requested, const Json& effective) {
  CaseRecord the_case = case_of({latency_series(steady_values(50))});
  the_case.requested = requested;
  the_case.effective = effective;
  return apart_from_window(analyze_case(the_case).verdict);
}

std::vector<std::string> reasons_of(const char* series, double value) {
  return names_of(verdict_of({scalar_series(series, value)}).reasons);
}

TEST(Verdict, AQuietMachineAndASteadySeriesAreValid) {
  const Verdict verdict = verdict_of({});
  EXPECT_EQ(verdict.level, VerdictLevel::kValid);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(names_of(verdict.notes), UnorderedElementsAre("one_replicate", "not_compared"));
}

TEST(Verdict, OneWindowIsNeverValid) {
  const Verdict verdict = analyze_case(case_of({latency_series(steady_values(50))})).verdict;
  EXPECT_EQ(verdict.level, VerdictLevel::kDoubtful);
  EXPECT_EQ(detail_of(verdict.reasons, "single_window"),
            "one look at the machine; an interval needs 8 slices spread over 36 s");
}

TEST(Verdict, EachCounterHasItsThreshold) {
  // Window and own processor time are 10 s, the resolution 0.03 s, the median sample 10 ms.
  EXPECT_THAT(reasons_of("foreign_cpu_time", 0.52), IsEmpty());  // 0.49 after the resolution, of 0.5 allowed
  EXPECT_THAT(reasons_of("foreign_cpu_time", 0.54), UnorderedElementsAre("foreign_load"));
  EXPECT_THAT(reasons_of("run_queue_wait_time", 0.2005), IsEmpty());  // 2 % of 10.03 s is 0.2006
  EXPECT_THAT(reasons_of("run_queue_wait_time", 0.2007), UnorderedElementsAre("preempted"));
  EXPECT_THAT(reasons_of("steal_time", 0.2005), IsEmpty());  // the same
  EXPECT_THAT(reasons_of("steal_time", 0.2007), UnorderedElementsAre("stolen"));
  EXPECT_THAT(reasons_of("major_faults", 100), IsEmpty());  // 1 % of the window at 1 ms each
  EXPECT_THAT(reasons_of("major_faults", 101), UnorderedElementsAre("major_faults"));
  EXPECT_THAT(reasons_of("thermal_throttle_events", 1), UnorderedElementsAre("throttled"));
  EXPECT_THAT(reasons_of("quota_throttle_time", 0.09), IsEmpty());
  EXPECT_THAT(reasons_of("quota_throttle_time", 0.11), UnorderedElementsAre("throttled"));
  EXPECT_THAT(reasons_of("frequency_after", 2.75e9), IsEmpty());
  EXPECT_THAT(reasons_of("frequency_after", 2.65e9), UnorderedElementsAre("clock_unstable"));
  EXPECT_THAT(reasons_of("clock_resolution", 0.99e-4), IsEmpty());
  EXPECT_THAT(reasons_of("clock_resolution", 1.01e-4), UnorderedElementsAre("timer_too_coarse"));
  EXPECT_THAT(reasons_of("harness_cost", 0.9e-5), IsEmpty());  // above 1 us, but 0.09 % of a sample
  EXPECT_THAT(reasons_of("harness_cost", 1.1e-5), UnorderedElementsAre("harness_overhead"));
  EXPECT_THAT(reasons_of("non_finite_outputs", 3), UnorderedElementsAre("numerics"));
}

TEST(Verdict, AHarnessCostBelowAMicrosecondIsNoFaultForShortSamples) {
  EXPECT_THAT(
      names_of(
          verdict_of({latency_series(std::vector<double>(30, 5e-5)), scalar_series("harness_cost", 9e-7)}).reasons),
      IsEmpty());
}

// The host marks the end of a pass while the device computes, unless launching takes all of the time.
TEST(Verdict, AHarnessCostThatADeviceHidesIsNoFault) {
  const auto reasons_with = [](double launch_s, const char* phase = "device_time") {
    return names_of(verdict_of({latency_series(std::vector<double>(30, 3e-4)), scalar_series("harness_cost", 1.5e-6),
                                value_series("launch_time", std::vector<double>(30, launch_s)),
                                value_series(phase, std::vector<double>(30, 1e-5))})
                        .reasons);
  };
  EXPECT_THAT(reasons_with(1e-5), IsEmpty());
  EXPECT_THAT(reasons_with(1e-5, "host_to_device"), UnorderedElementsAre("harness_overhead"));
  EXPECT_THAT(reasons_with(2.95e-4), UnorderedElementsAre("harness_overhead"));
}

TEST(Verdict, ReasonsBringTheirLevelAndTheirFigures) {
  EXPECT_EQ(verdict_of({scalar_series("major_faults", 700)}).level, VerdictLevel::kDoubtful);
  EXPECT_EQ(verdict_of({scalar_series("clock_resolution", 1)}).level, VerdictLevel::kInvalid);
  EXPECT_EQ(detail_of(verdict_of({scalar_series("major_faults", 700)}).reasons, "major_faults"),
            "700 page faults read from disk");
  EXPECT_EQ(detail_of(verdict_of({scalar_series("foreign_cpu_time", 5)}).reasons, "foreign_load"),
            "other processes used 5 s of CPU time in 10 s (0.50 of 1 CPUs)");
  EXPECT_EQ(detail_of(verdict_of({scalar_series("steal_time", 1)}).reasons, "stolen"),
            "the hypervisor withheld 1 s of CPU time while threads ran for 10 s; more than 2 % counts");
}

// The worker runs for 10 of 10 s.
TEST(Verdict, ForeignLoadCountsWhereItTakesTimeAway) {
  const auto with = [](double cpus, double foreign_s, const char* other = "steal_time", double value = 0) {
    return verdict_of({scalar_series("allowed_cpus", cpus), scalar_series("foreign_cpu_time", foreign_s),
                       scalar_series(other, value)});
  };
  const Verdict roomy = with(4, 5);
  EXPECT_EQ(roomy.level, VerdictLevel::kValid);
  EXPECT_EQ(detail_of(roomy.notes, "foreign_load"), "other processes used 5 s of CPU time in 10 s (0.50 of 4 CPUs)");
  EXPECT_THAT(names_of(with(4, 0.1).notes), Not(Contains("foreign_load")));

  EXPECT_THAT(names_of(with(4, 27.9).reasons), IsEmpty());  // 37.9 of 40 s, 38 are allowed
  const Verdict full = with(4, 28.1);
  EXPECT_THAT(names_of(full.reasons), UnorderedElementsAre("foreign_load"));
  EXPECT_THAT(names_of(full.notes), Not(Contains("foreign_load")));
  EXPECT_THAT(names_of(with(4, 5, "run_queue_wait_time", 0.3).reasons),
              UnorderedElementsAre("foreign_load", "preempted"));
  EXPECT_THAT(names_of(with(4, 5, "steal_time", 0.3).reasons), UnorderedElementsAre("foreign_load", "stolen"));
}

TEST(Verdict, ForeignLoadOfAWorkerThatDoesNotCountItsProcessorsIsAReason) {
  CaseRecord the_case = case_of({latency_series(steady_values(50)), scalar_series("foreign_cpu_time", 5)});
  std::erase_if(the_case.replicates[0].series, [](const Series& one) { return one.name == "allowed_cpus"; });
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.reasons, "foreign_load"),
            "other processes used 5 s of CPU time in 10 s (0.50 CPUs)");
}

TEST(Verdict, ADriftingSeriesIsDescribedWithoutAnInterval) {
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(0.01 + 1e-4 * i + (i % 3) * 1e-5);
  const CaseAnalysis analysis = analyze_case(case_of({latency_series(values)}));
  EXPECT_THAT(names_of(analysis.verdict.reasons), UnorderedElementsAre("not_converged", "drift"));
  EXPECT_EQ(analysis.verdict.level, VerdictLevel::kDoubtful);
  const MetricRow& median = row_of(analysis, "latency", "median");
  EXPECT_TRUE(median.value);
  EXPECT_FALSE(median.low);
  EXPECT_THAT(median.reason, HasSubstr("no steady state"));
  EXPECT_FALSE(row_of(analysis, "throughput_samples", "ratio").low);
  EXPECT_FALSE(analysis.steady_from.at(0));
}

TEST(Verdict, InputsThatDifferByDesignDoNotDriftButASlowingMachineDoes) {
  std::vector<double> steady;
  std::vector<double> slowing;
  for (int i = 0; i < 80; ++i) {
    const double of_input = 0.01 * (1 + i % 4);
    steady.push_back(of_input * (1 + 0.001 * (i % 7)));
    slowing.push_back(of_input * (1 + 0.01 * (i / 4) + 0.001 * (i % 7)));
  }
  EXPECT_THAT(names_of(verdict_of({latency_series(steady, 0, 4)}).reasons), IsEmpty());
  EXPECT_THAT(names_of(verdict_of({latency_series(slowing, 0, 4)}).reasons), Contains("drift"));
}

TEST(Verdict, AWideIntervalIsNotConverged) {
  // Alternating 5 and 20 ms: any interval of the median of 12 samples spans both.
  std::vector<double> values;
  for (int i = 0; i < 6; ++i) values.insert(values.end(), {0.005, 0.020});
  const Verdict verdict = verdict_of({latency_series(values)});
  EXPECT_THAT(detail_of(verdict.reasons, "not_converged"), HasSubstr("an interval of ± 60.0 %"));
}

TEST(Verdict, TooFewSamplesForAnyIntervalIsNotConverged) {
  const Verdict verdict = verdict_of({latency_series(steady_values(4))});
  EXPECT_THAT(detail_of(verdict.reasons, "not_converged"), HasSubstr("from 4 samples: too_few_samples"));
}

TEST(Verdict, WhatRanMustBeWhatWasAsked) {
  const auto reasons = [](const char* name, const char* asked, const char* key, const char* ran) {
    return names_of(verdict_of({{name, asked}}, {{key, ran}}).reasons);
  };
  EXPECT_THAT(reasons("attention", "sdpa", "attention_kernel", "flash"), IsEmpty());
  EXPECT_THAT(reasons("attention", "sdpa", "attention_kernel", "math"), IsEmpty());
  EXPECT_THAT(reasons("attention", "sdpa", "attention_kernel", "eager"), UnorderedElementsAre("wrong_kernel"));
  EXPECT_THAT(reasons("attention", "eager", "attention_kernel", "eager"), IsEmpty());
  EXPECT_THAT(reasons("attention", "eager", "attention_kernel", "flash"), UnorderedElementsAre("wrong_kernel"));
  EXPECT_THAT(reasons("device", "auto", "device", "cpu"), IsEmpty());
  EXPECT_THAT(reasons("device", "cuda", "device", "cuda:0"), IsEmpty());
  EXPECT_THAT(reasons("device", "cuda", "device", "cpu"), UnorderedElementsAre("device_fallback"));
  EXPECT_THAT(reasons("precision", "bf16", "precision", "bf16"), IsEmpty());
  const Verdict verdict = verdict_of({{"precision", "bf16"}}, {{"precision", "fp32"}});
  EXPECT_EQ(verdict.level, VerdictLevel::kInvalid);
  EXPECT_EQ(detail_of(verdict.reasons, "wrong_precision"), "requested precision 'bf16', ran 'fp32'");
}

Json linear_type(const char* input, const char* weight, bool may_stay, std::int64_t count, double share) {
  return {{"input", input}, {"weight", weight}, {"small", may_stay}, {"count", count}, {"flop_share", share}};
}

Verdict verdict_of_types(const char* asked, const Json& types, const char* key = "linear_types") {
  return verdict_of({{"precision", asked}}, {{"precision", asked}, {key, types}});
}

bool is_caught(const Verdict& verdict) {
  return detail_of(verdict.reasons, "wrong_precision") != "(absent)";
}

TEST(Verdict, LinearOperatorsMustRunInThePrecisionThatWasAsked) {
  struct Fit {
    const char* asked;
    const char* input;
    const char* weight;
    bool fits;
  };
  for (const Fit& one : {Fit{"fp32", "fp32", "fp32", true},
                         {"fp32", "bf16", "bf16", false},
                         {"tf32", "fp32", "fp32", true},
                         {"bf16", "bf16", "bf16", true},
                         {"bf16", "fp32", "fp32", false},
                         {"bf16_autocast", "bf16", "bf16", true},
                         {"bf16_autocast", "fp32", "fp32", false},
                         {"fp16", "fp16", "fp16", true},
                         {"fp16", "fp32", "fp16", false},
                         {"int8", "int8", "int8", true},
                         {"int8", "uint8", "int8", true},
                         {"int8", "fp32", "int8", false},
                         {"int8", "fp32", "fp32", false},
                         {"int8_static", "uint8", "int8", true},
                         {"int8_static", "fp32", "fp32", false},
                         {"int8_weight_only", "bf16", "int8", true},
                         {"int8_weight_only", "bf16", "bf16", false}}) {
    const Verdict verdict =
        verdict_of_types(one.asked, Json::array({linear_type(one.input, one.weight, false, 1, 0.01)}));
    EXPECT_EQ(is_caught(verdict), !one.fits) << one.asked << " by " << one.input << " and " << one.weight;
    EXPECT_EQ(verdict.level == VerdictLevel::kInvalid, !one.fits);
  }
}

TEST(Verdict, SmallProductsMayStayAsTheyAreInInt8Alone) {
  const Json types{linear_type("uint8", "int8", false, 12, 0.99), linear_type("fp32", "fp32", true, 1, 0.01)};
  EXPECT_FALSE(is_caught(verdict_of_types("int8", types)));
  EXPECT_TRUE(is_caught(verdict_of_types("bf16", Json::array({linear_type("fp32", "fp32", true, 1, 0.01)}))));
}

TEST(Verdict, SaysHowManyLinearOperatorsRanOtherwise) {
  const Json types{linear_type("fp32", "fp32", false, 2, 0.125), linear_type("uint8", "int8", false, 10, 0.875)};
  EXPECT_EQ(detail_of(verdict_of_types("int8", types).reasons, "wrong_precision"),
            "requested precision 'int8', but 2 of 12 linear operators (12.5 % of their FLOPs) had fp32 inputs and fp32 "
            "weights");
  EXPECT_THAT(detail_of(verdict_of_types("int8", types, "linear_types_decode").reasons, "wrong_precision"),
              HasSubstr("2 of 12 linear operators in decoding (12.5 %"));
}

TEST(Verdict, ATorchScriptFileMayHoldOtherFormatsInFp32) {
  const auto of_script = [](const char* asked) {
    const Json types = Json::array({linear_type("fp32", "packed", false, 6, 1)});
    return verdict_of({{"precision", asked}},
                      {{"precision", asked}, {"linear_types", types}, {"model", {{"weights", "TorchScript"}}}});
  };
  EXPECT_FALSE(is_caught(of_script("fp32")));
  EXPECT_TRUE(is_caught(of_script("bf16")));
}

TEST(Verdict, TheQuantizedProductsOfAFileAreItsOwnInAnyPrecision) {
  const auto of_file = [](const char* rest) {
    const Json types =
        Json::array({linear_type("uint8", "int8", false, 6, 0.9), linear_type(rest, rest, true, 1, 0.1)});
    return verdict_of({{"precision", "bf16"}},
                      {{"precision", "bf16"}, {"linear_types", types}, {"model", {{"weights", "ONNX"}}}});
  };
  EXPECT_FALSE(is_caught(of_file("bf16")));
  EXPECT_TRUE(is_caught(of_file("fp32")));
}

TEST(Verdict, LinearTypesThatAreNoneAreIgnored) {
  for (const Json& types : {Json("fp32"), Json::array({{{"input", 1}}}), Json::array(), Json()}) {
    EXPECT_FALSE(is_caught(verdict_of_types("int8", types))) << types;
  }
}

TEST(Verdict, NotesCarryTheirFigures) {
  Json effective{{"model", {{"trained", false}, {"weights", "seeded random, seed 0"}}},
                 {"data", {{"truncated_examples", 3}, {"wrap_count", 2}, {"blank_texts", 4}}},
                 {"cycle_examples_full", 90},
                 {"cycle_batches", 1},
                 {"cycle_examples", 1},
                 {"precision", "bf16"},
                 {"precision_native", false},
                 {"threads", 2},
                 {"attention_mask", "not_needed"}};
  const Json asked{{"warmup", 2}, {"samples", 50}, {"threads", 4}, {"attention_mask", "on"}};
  const Verdict verdict = verdict_of(asked, effective);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_EQ(detail_of(verdict.notes, "seeded_weights"), "seeded random, seed 0");
  EXPECT_EQ(detail_of(verdict.notes, "truncated_texts"), "3 texts were truncated");
  EXPECT_EQ(detail_of(verdict.notes, "blank_texts"), "4 of the measured texts are blank");
  EXPECT_EQ(detail_of(verdict.notes, "repeated_texts"), "the data set was restarted 2 times");
  EXPECT_EQ(detail_of(verdict.notes, "cycle_cut"), "1 of 90 texts, stratified by length");
  EXPECT_EQ(detail_of(verdict.notes, "emulated_precision"), "precision bf16");
  EXPECT_EQ(detail_of(verdict.notes, "settings_differ"), "threads 4 became 2");
  EXPECT_EQ(detail_of(verdict.notes, "fixed_samples"), "--warmup 2, --samples 50");
  effective["stop_reason"] = "limit_reached";
  EXPECT_EQ(detail_of(verdict_of(asked, effective).notes, "fixed_samples"),
            "--warmup 2, --samples 50, cut short by the time limit");
  EXPECT_EQ(detail_of(verdict_of({{"cycles", 5}}, effective).notes, "fixed_samples"),
            "--cycles 5, cut short by the time limit");
}

TEST(Verdict, ALimitAboveTheDataIsANote) {
  const Json effective{{"data", {{"examples", 3}}}};
  const auto note = [&](const Json& limit, const char* data) {
    return detail_of(verdict_of({{"limit", limit}, {"data", data}}, effective).notes, "limit_above_data");
  };
  EXPECT_EQ(note(5, "dev.tsv"), "--limit 5, but the data set has 3 texts");
  EXPECT_EQ(note(3, "dev.tsv"), "(absent)");
  EXPECT_EQ(note("all", "dev.tsv"), "(absent)");
  EXPECT_EQ(note(5, "synthetic"), "(absent)") << "rows of a fixed length are as many as the batch wants";
}

TEST(Verdict, ImagesAreCalledSo) {
  const Json effective{{"data", {{"examples", 3}}}, {"cycle_examples", 2}, {"cycle_examples_full", 3}};
  const Verdict verdict = verdict_of({{"task", "image_classification"}, {"limit", 5}, {"data", "a"}}, effective);
  EXPECT_EQ(detail_of(verdict.notes, "limit_above_data"), "--limit 5, but the data set has 3 images");
  EXPECT_EQ(detail_of(verdict.notes, "cycle_cut"), "2 of 3 images") << "all of one length";
}

TEST(Verdict, SoundsAreCalledSo) {
  const Json effective{{"data", {{"examples", 3}}}, {"cycle_examples", 2}, {"cycle_examples_full", 3}};
  const Verdict verdict = verdict_of({{"task", "speech_recognition"}, {"limit", 5}, {"data", "a"}}, effective);
  EXPECT_EQ(detail_of(verdict.notes, "limit_above_data"), "--limit 5, but the data set has 3 sounds");
  EXPECT_EQ(detail_of(verdict.notes, "cycle_cut"), "2 of 3 sounds, stratified by length");
}

TEST(Verdict, ClassesThatMayNotBeTheModelsAreNotes) {
  Json effective{{"data", {{"labelled", true}, {"labels", 3}, {"labels_by_position", true}}},
                 {"model", {{"trained", true}, {"labels", 5}}}};
  const Json asked{{"task", "image_classification"}, {"data", "pictures"}};
  const auto note = [&](const char* name) { return detail_of(verdict_of(asked, effective).notes, name); };
  EXPECT_EQ(note("labels_by_position"), "the model does not name its classes, the data do");
  EXPECT_EQ(note("other_classes"), "the model has 5 labels, the data set 3");
  effective["data"].erase("labels_by_position");
  effective["model"]["labels"] = 3;
  EXPECT_EQ(note("labels_by_position"), "(absent)");
  EXPECT_EQ(note("other_classes"), "(absent)");
  effective["model"] = {{"trained", false}, {"labels", 5}};
  EXPECT_EQ(note("other_classes"), "(absent)") << "seeded weights have no accuracy at all";
}

TEST(Verdict, ReachingTheLimitIsANoteWithTheHalfWidth) {
  // 20 samples alternate 10 and 10.8 ms: median 10.4, interval 10 to 10.8 ms, so ± 3.8 %.
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.insert(values.end(), {0.0100, 0.0108});
  CaseRecord the_case = case_of({latency_series(values)});
  the_case.effective["stop_reason"] = "limit_reached";
  const Verdict verdict = apart_from_window(analyze_case(the_case).verdict);
  EXPECT_EQ(verdict.level, VerdictLevel::kValid);
  EXPECT_EQ(detail_of(verdict.notes, "target_not_met"), "median latency ± 3.8 %, target ± 2 %");
  the_case.effective["stop_reason"] = "target_met";
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "target_not_met"), "(absent)");
}

TEST(Verdict, WhatWasCutOffReachedNoLimit) {
  CaseRecord the_case = case_of({latency_series({0.010, 0.0108, 0.010, 0.0108, 0.010, 0.0108, 0.0108, 0.010})});
  the_case.effective["stop_reason"] = "slice_done";
  EXPECT_NE(detail_of(analyze_case(the_case).verdict.notes, "target_not_met"), "(absent)");
  the_case.replicates[0].status_reason = "3 of 8 slices measured";
  const Verdict verdict = analyze_case(the_case).verdict;
  EXPECT_EQ(detail_of(verdict.notes, "target_not_met"), "(absent)");
  EXPECT_EQ(detail_of(verdict.notes, "unfinished"), "3 of 8 slices measured");
}

TEST(Verdict, EachReplicateThatWasCutOffIsNamedAlsoBeforeAWholeOne) {
  CaseRecord the_case = case_of({latency_series({0.010, 0.0108, 0.010, 0.0108, 0.010, 0.0108, 0.0108, 0.010})});
  the_case.effective["stop_reason"] = "slice_done";
  for (int index = 1; index < 3; ++index) {
    the_case.replicates.push_back(the_case.replicates[0]);
    the_case.replicates.back().index = index;
  }
  the_case.replicates[0].status_reason = "1 of 8 slices measured";
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "unfinished"), "replicate 0: 1 of 8 slices measured");
  the_case.replicates[2].status_reason = "3 of 8 slices measured";
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "unfinished"),
            "replicate 0: 1 of 8 slices measured; replicate 2: 3 of 8 slices measured");
}

TEST(Verdict, ShortSeriesSayThatDependenceWasNotTested) {
  EXPECT_EQ(detail_of(verdict_of({latency_series(steady_values(19))}).notes, "autocorrelation_untested"),
            "19 samples, fewer than 20");
  EXPECT_EQ(detail_of(verdict_of({latency_series(steady_values(20))}).notes, "autocorrelation_untested"), "(absent)");
}

TEST(Verdict, UnreadableCountersAreNamed) {
  CaseRecord the_case = case_of({latency_series(steady_values(50))});
  std::vector<Series>& series = the_case.replicates[0].series;
  std::erase_if(series, [](const Series& s) { return s.name == "frequency_after" || s.name == "frequency_before"; });
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "noise_unknown"), "(absent)");
  std::erase_if(series, [](const Series& s) { return s.name.find("throttle") != std::string::npos; });
  std::erase_if(series, [](const Series& s) { return s.name == "foreign_cpu_time"; });
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.notes, "noise_unknown"),
            "not readable: foreign_cpu_time, any of thermal_throttle_events, quota_throttle_time, frequency");
}

TEST(Verdict, FindingsCountTheReplicates) {
  CaseRecord the_case = case_of({latency_series(steady_values(50))});
  the_case.replicates.push_back(replicate_of({latency_series(steady_values(50)), scalar_series("major_faults", 2)}, 1));
  EXPECT_EQ(detail_of(analyze_case(the_case).verdict.reasons, "major_faults"),
            "in 1 of 2 replicates; the first: 2 page faults read from disk");
}

}  // namespace
}  // namespace transformeter
