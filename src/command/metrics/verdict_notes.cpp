// Notes: what a reader should know without doubting the row.
#include <fmt/format.h>

#include <algorithm>

#include "metrics/case_settings.h"
#include "metrics/device_metrics.h"
#include "metrics/divergence_metrics.h"
#include "metrics/efficiency_metrics.h"
#include "metrics/gpu_rules.h"
#include "metrics/latency_metrics.h"
#include "metrics/scalar_metrics.h"
#include "metrics/score_metrics.h"
#include "metrics/verdict_rules.h"
#include "schema/series.h"
#include "schema/settings.h"
#include "schema/unfinished.h"
#include "stats/dependence.h"

namespace transformeter {
namespace {

// Slices are not begun when time has run out, and the last one ended as it should.
std::string missing_cycles(const VerdictInput& input, double asked) {
  double measured = 0;
  for (std::size_t i = 0; i < input.slices.size(); ++i) {
    const Series* latency = find_series(input.slices[i]->series, "latency");
    if (latency == nullptr) continue;
    const auto is_measured = [](std::uint32_t flags) { return (flags & kSampleWarmup) == 0; };
    const auto samples = std::count_if(latency->flags.begin(), latency->flags.end(), is_measured);
    measured += static_cast<double>(samples) / static_cast<double>(input.windows[i].batches_per_cycle);
  }
  const double all = asked * static_cast<double>(input.replicates.size());
  return measured < all ? fmt::format(", {:.0f} of {:.0f} measured when time ran out", measured, all) : "";
}

void note_samples(const VerdictInput& input, Verdict& verdict) {
  const auto stop_reason = text_of_path(input.the_case.effective, {"stop_reason"});
  const bool is_cut_off = !input.replicates.empty() && is_unfinished(*input.replicates.back());
  const bool ended_by_time = !is_cut_off && (stop_reason == "limit_reached" || stop_reason == "slice_done");
  if (const auto half_width = headline_half_width(input.metrics);
      ended_by_time && half_width && *half_width > kTargetHalfWidth) {
    const MetricRow* row = headline(input.metrics);
    const std::string what = fmt::format("{} {}", row->statistic, row->name);
    verdict.add_note("target_not_met", is_over_slices(row->interval)
                                           ? fmt::format("the interval spans {:.1f} % of the {}, target {:.0f} %",
                                                         200 * *half_width, what, 200 * kTargetHalfWidth)
                                           : fmt::format("{} ± {:.1f} %, target ± {:.0f} %", what, 100 * *half_width,
                                                         100 * kTargetHalfWidth));
  }
  std::string fixed;
  for (const char* name : {"warmup", "samples", "cycles"}) {
    const auto count = number_of_path(input.the_case.requested, {name});
    if (count) fixed += fmt::format("{}{} {:.0f}", fixed.empty() ? "" : ", ", flag_of(name), *count);
  }
  const Json& requested = input.the_case.requested;
  const auto cycles = number_of_path(requested, {"cycles"});
  if (stop_reason == "limit_reached" && (cycles || number_of_path(requested, {"samples"}))) {
    fixed += ", cut short by the time limit";
  } else if (cycles) {
    fixed += missing_cycles(input, *cycles);
  }
  if (!fixed.empty()) verdict.add_note("fixed_samples", fixed);
  const MetricRow* row = headline(input.metrics);
  if (row != nullptr && is_over_slices(row->interval)) return;
  std::vector<std::string> untested;
  for (const SampleWindow& window : input.windows) {
    const bool note = window.autocorrelation_untested && !window.seconds.empty();
    untested.push_back(note ? fmt::format("{} {}, fewer than {}", window.seconds.size(),
                                          window.has_cycles() ? "cycles" : "samples", kMinSamplesForCorrelation)
                            : "");
  }
  if (const std::string text = slices_text(input, untested); !text.empty()) {
    verdict.add_note("autocorrelation_untested", text);
  }
}

void note_unfinished(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> details;
  for (const ReplicateRecord* replicate : input.replicates) {
    details.push_back(is_unfinished(*replicate) ? replicate->status_reason : "");
  }
  if (const std::string text = join_details(input, details); !text.empty()) verdict.add_note("unfinished", text);
}

void note_replicates(const VerdictInput& input, Verdict& verdict) {
  if (input.replicates.size() == 1) {
    verdict.add_note("one_replicate", "1 of at least 3 replicates");
  }
  std::string failed;
  for (const ReplicateRecord& replicate : input.the_case.replicates) {
    if (replicate.status == Status::kOk) continue;
    failed +=
        fmt::format("{}replicate {}: {}{}{}", failed.empty() ? "" : "; ", replicate.index, name_of(replicate.status),
                    replicate.status_reason.empty() ? "" : ", ", replicate.status_reason);
  }
  // Where none is ok, the case's own status says it.
  if (!failed.empty() && !input.replicates.empty()) verdict.add_note("failed_replicates", failed);
}

const char* inputs_word(const Json& requested) {
  if (reads_audio(requested)) return "sounds";
  return reads_images(requested) ? "images" : "texts";
}

// Synthetic texts are made to the limit.
void note_limit(const VerdictInput& input, Verdict& verdict) {
  const auto limit = number_of_path(input.the_case.requested, {"limit"});
  const auto examples = number_of_path(input.the_case.effective, {"data", "examples"});
  if (!limit || !examples || *examples >= *limit) return;
  if (text_of_path(input.the_case.requested, {"data"}) == "synthetic") return;
  verdict.add_note("limit_above_data", fmt::format("--limit {:.0f}, but the data set has {:.0f} {}", *limit, *examples,
                                                   inputs_word(input.the_case.requested)));
}

// Where accuracy is missing, or may be of other classes, because the data's classes are not known to be the model's.
void note_classes(const VerdictInput& input, Verdict& verdict) {
  if (flag_of_path(input.the_case.effective, {"data", "labels_by_position"}).value_or(false)) {
    verdict.add_note("labels_by_position", "the model does not name its classes, the data do");
  }
  const MetricRow* accuracy = find_metric(input.metrics, "accuracy", "ratio");
  if (accuracy == nullptr || accuracy->value || text_of_path(input.the_case.requested, {"data"}) == kBundledData)
    return;
  if (const auto why = other_classes(input.the_case); why && accuracy->reason == *why) {
    verdict.add_note("other_classes", *why);
  }
}

void note_workload(const VerdictInput& input, Verdict& verdict) {
  const Json& effective = input.the_case.effective;
  if (flag_of_path(effective, {"model", "trained"}) == false) {
    verdict.add_note("seeded_weights", text_of_path(effective, {"model", "weights"}).value_or("seeded random"));
  }
  const auto measured = number_of_path(effective, {"cycle_examples"});
  const auto full = number_of_path(effective, {"cycle_examples_full"});
  if (measured && full && *measured < *full) {
    const bool have_one_length = reads_images(input.the_case.requested);
    verdict.add_note("cycle_cut",
                     fmt::format("{:.0f} of {:.0f} {}{}", *measured, *full, inputs_word(input.the_case.requested),
                                 have_one_length ? "" : ", stratified by length"));
  }
  note_limit(input, verdict);
  note_classes(input, verdict);
  const double truncated = number_of_path(effective, {"data", "truncated_examples"}).value_or(0);
  if (truncated > 0) verdict.add_note("truncated_texts", fmt::format("{:.0f} texts were truncated", truncated));
  const double blank = number_of_path(effective, {"data", "blank_texts"}).value_or(0);
  if (blank > 0) verdict.add_note("blank_texts", fmt::format("{:.0f} of the measured texts are blank", blank));
  const double wraps = number_of_path(effective, {"data", "wrap_count"}).value_or(0);
  if (wraps > 0) verdict.add_note("repeated_texts", fmt::format("the data set was restarted {:.0f} times", wraps));
  if (flag_of_path(effective, {"precision_native"}) == false) {
    verdict.add_note("emulated_precision",
                     fmt::format("precision {}", text_of_path(effective, {"precision"}).value_or("unknown")));
  }
}

// A mask that hides nothing is left out.
bool is_same_setting(std::string_view name, const Json& asked, const Json& ran) {
  return asked == ran || (name == "attention_mask" && asked == "on" && ran == "not_needed");
}

// Settings with a reason of their own are not repeated here.
void note_settings(const VerdictInput& input, Verdict& verdict) {
  const Json& effective = input.the_case.effective;
  if (!input.the_case.requested.is_object() || !effective.is_object()) return;
  std::string text;
  for (const auto& [name, asked] : input.the_case.requested.items()) {
    if (name == "attention" || name == "precision" || name == "device" || asked == "auto") continue;
    const auto ran = effective.find(name);
    if (ran == effective.end() || ran->is_structured() || is_same_setting(name, asked, *ran)) continue;
    text += fmt::format("{}{} {} became {}", text.empty() ? "" : ", ", name, setting_text(asked), setting_text(*ran));
  }
  if (!text.empty()) verdict.add_note("settings_differ", text);
}

// Thermal events and frequencies are hidden in most virtual machines; without any of the three, slowing down of the
// processor goes unseen.
void note_counters(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> details;
  for (const ReplicateRecord* replicate : input.replicates) {
    const auto has = [&](const char* series) { return scalar_of(*replicate, series).has_value(); };
    std::string missing;
    const auto add = [&](std::string_view what) { missing += (missing.empty() ? "" : ", ") + std::string(what); };
    for (const char* name : {"foreign_cpu_time", "run_queue_wait_time", "major_faults"}) {
      if (!has(name)) add(name);
    }
    if (!has("thermal_throttle_events") && !has("quota_throttle_time") &&
        !(has("frequency_before") && has("frequency_after"))) {
      add("any of thermal_throttle_events, quota_throttle_time, frequency");
    }
    if (is_on_gpu(input.the_case)) {
      if (!has("gpu_throttle_reasons_after") && !has("gpu_thermal_violation_time")) add("GPU throttling");
      if (!has("gpu_other_processes")) add("processes on the GPU");
    }
    details.push_back(missing.empty() ? "" : "not readable: " + missing);
  }
  if (const std::string text = join_details(input, details); !text.empty()) verdict.add_note("noise_unknown", text);
}

// A loss scale that begins too high skips the first steps, as expected.
std::string late_skips(const ReplicateRecord& replicate) {
  const Series* series = find_series(replicate.series, "skipped_step");
  if (series == nullptr || series->value.empty()) return "";
  const std::vector<double>& skipped = series->value;
  const auto is_skipped = [](double value) { return value != 0; };
  const auto first_taken = std::find(skipped.begin(), skipped.end(), 0.0);
  if (first_taken == skipped.end()) {
    return fmt::format("all {} steps were skipped: the weights never changed", skipped.size());
  }
  const auto late = std::count_if(first_taken, skipped.end(), is_skipped);
  if (late == 0) return "";
  return fmt::format("{} of {} steps were skipped after the first successful one", late, skipped.size());
}

void note_skipped_steps(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> details;
  for (const ReplicateRecord* replicate : input.replicates) details.push_back(late_skips(*replicate));
  if (const std::string text = join_details(input, details); !text.empty()) verdict.add_note("steps_skipped", text);
}

void note_power(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> details;
  for (const ReplicateRecord* replicate : input.replicates) details.push_back(power_cap_of(*replicate));
  if (const std::string text = join_details(input, details); !text.empty()) verdict.add_note("power_capped", text);
}

void note_comparison(const VerdictInput& input, Verdict& verdict) {
  if (input.replicates.empty()) return;
  if (const auto why = why_not_compared(input.the_case, input.replicates)) verdict.add_note("not_compared", *why);
  for (const ReplicateRecord* replicate : input.replicates) {
    const std::string why = untestable_numerics(input.the_case, *replicate);
    if (why.empty()) continue;
    verdict.add_note("numerics_untestable", why);
    return;
  }
}

}  // namespace

void add_notes(const VerdictInput& input, Verdict& verdict) {
  note_unfinished(input, verdict);
  note_samples(input, verdict);
  note_replicates(input, verdict);
  note_workload(input, verdict);
  note_settings(input, verdict);
  note_counters(input, verdict);
  note_skipped_steps(input, verdict);
  note_power(input, verdict);
  note_bound(input, verdict);
  note_phases(input, verdict);
  note_comparison(input, verdict);
}

}  // namespace transformeter
